"""States, entries and all other values of the core are frozen: every change makes a new one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec

import pochboard

PURE = ("rules", "cards", "ledger", "buttons", "messages", "sheets", "lights", "bots")


def structs() -> Iterator[type[msgspec.Struct]]:
    """Every struct that a module of the core defines."""
    for package in PURE:
        folder = importlib.import_module(f"{pochboard.__name__}.{package}").__path__
        for info in pkgutil.iter_modules(folder, f"{pochboard.__name__}.{package}."):
            module = importlib.import_module(info.name)
            for value in vars(module).values():
                own = isinstance(value, type) and value.__module__ == info.name
                if own and issubclass(value, msgspec.Struct):
                    yield value


ALL = list(structs())


def test_structs_are_found() -> None:
    assert len(ALL) > 60


def test_every_value_of_the_core_is_frozen() -> None:
    assert [struct for struct in ALL if not struct.__struct_config__.frozen] == []
