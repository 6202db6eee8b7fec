"""A check of the doctor: a row of a table, and what came of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from pochboard.boards.base import Problem
from pochboard.errors import BoardError, PochboardError
from pochboard.text.translator import ENGLISH


class Check(msgspec.Struct, frozen=True):
    """The outcome of one check."""

    name: str
    """The subject, in a word or two, such as `buttons: pins`."""
    ok: bool
    found: str
    """What was found, as a sentence."""
    fix: str = ""
    """How to fix it, as a sentence. If `ok`, an improvement that is not required."""

    @property
    def state(self) -> Literal["ok", "note", "fix"]:
        """The outcome in one word."""
        if not self.ok:
            return "fix"
        return "note" if self.fix else "ok"

    def __str__(self) -> str:
        """What was found and how to fix it, on one line."""
        return str(Problem(self.found, self.fix))


class ProbeError(PochboardError):
    """What a probe finds wrong; `fix` comes before that of its row."""

    def __init__(self, found: str, fix: str = "") -> None:
        super().__init__(found)
        self.found = found
        self.fix = fix


class Note(NamedTuple):
    """What a probe finds that could be better."""

    found: str
    fix: str


class Row(NamedTuple):
    """A check to be made."""

    name: str
    probe: Callable[[], str | Note | None]
    """Returns what it has found, or None if it does not apply. Raises PochboardError."""
    fix: str = ""
    """How to fix what the probe raises without saying so."""


def run(rows: Iterable[Row]) -> Iterator[Check]:
    """Makes checks, one after the other."""
    for name, probe, fix in rows:
        try:
            found = probe()
        except ProbeError as fault:
            yield Check(name, ok=False, found=fault.found, fix=fault.fix or fix)
        except PochboardError as error:
            # Its first sentence is what is wrong; the others say what to do.
            first, stop, rest = str(error).partition(". ")
            yield Check(name, ok=False, found=first + stop.rstrip(), fix=rest or fix)
        else:
            if isinstance(found, Note):
                yield Check(name, ok=True, found=found.found, fix=found.fix)
            elif found is not None:
                yield Check(name, ok=True, found=found)


def installed(packages: Mapping[str, str]) -> str:
    """Whether Python packages are installed, by a module of each. Raises ProbeError."""
    missing = [package for module, package in packages.items() if not _can_be_found(module)]
    if len(missing) == 1:
        raise ProbeError(f"The Python package {missing[0]} is not installed.")
    if missing:
        raise ProbeError(f"The Python packages {ENGLISH.listed(missing)} are not installed.")
    return f"Installed: {ENGLISH.listed([*packages.values()])}."


def _can_be_found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def install_fix(board: str) -> str:
    """How to install the Python packages of a board."""
    return (
        f"Install its packages: for the service sudo systemd/install.sh --board {board}, in a"
        f' clone .venv/bin/pip install -e ".[{board}]".'
    )


def require(checks: Iterable[Check]) -> None:
    """Raises BoardError for the first check that failed."""
    for check in checks:
        if not check.ok:
            raise BoardError(Problem(check.found, check.fix))
