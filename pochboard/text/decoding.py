"""JSON and TOML that others wrote, decoded alike by every Python.

A decoder fails where Python's stack ends. For JSON that is after 1,000 levels with Python 3.11 and
after 10,000 with 3.13, and TOML's dotted keys have no limit at all. What is nested deeper than
`MOST_NESTED` is therefore refused here, before code that goes through it level by level sees it.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final, TypeVar, overload

import msgspec

_T = TypeVar("_T")

MOST_NESTED: Final = 100
"""The most levels of arrays, objects and tables in one another; real ones have six at most."""


class NestedTooDeeplyError(msgspec.DecodeError, ValueError):
    """It has more levels than `MOST_NESTED`. Handlers for malformed JSON or TOML catch it, too."""

    def __init__(self) -> None:
        super().__init__("it is nested too deeply")


@overload
def decode_json(text: bytes | str) -> Any: ...


@overload
def decode_json(text: bytes | str, kind: type[_T]) -> _T: ...


def decode_json(text: bytes | str, kind: Any = Any) -> Any:
    """The value of a JSON text. Raises msgspec.DecodeError, or UnicodeDecodeError."""
    try:
        value = msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise NestedTooDeeplyError from None
    return check_depth(value)


def decode_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ValueError, of tomllib or for a number too long."""
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise NestedTooDeeplyError from None
    check_depth(tables)
    return tables


def check_depth(value: Any) -> Any:
    """The value, decoded by others. Raises NestedTooDeeplyError."""
    level = [value]
    for _ in range(MOST_NESTED + 1):
        level = [container for container in level if isinstance(container, list | dict)]
        if not level:
            return value
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
        ]
    raise NestedTooDeeplyError
