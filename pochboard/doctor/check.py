"""A check of the doctor: a row of a table, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec

from pochboard.boards.base import Problem
from pochboard.errors import BoardError, PochboardError


class Check(msgspec.Struct, frozen=True):
    """The outcome of one check."""

    name: str
    """What was checked, in a word or two, such as `buttons: library`."""
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
        return str(self.problem)

    @property
    def problem(self) -> Problem:
        """What was found and how to fix it."""
        return Problem(self.found, self.fix)


def failed(name: str, problem: Problem) -> Check:
    """A check that failed because of this problem."""
    return Check(name, ok=False, found=problem.found, fix=problem.fix)


def problem_of(error: Exception, fix: str = "") -> Problem:
    """The problem that an error describes: a first sentence, and perhaps a second with the fix.

    `fix` is for an error that suggests none.
    """
    first, stop, rest = str(error).partition(". ")
    return Problem(first + stop.rstrip(), rest or fix)


class ProbeError(PochboardError):
    """What a probe finds wrong; `fix` comes before that of its row."""

    def __init__(self, found: str, fix: str = "") -> None:
        super().__init__(found)
        self.problem = Problem(found, fix)


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
            yield Check(name, ok=False, found=fault.problem.found, fix=fault.problem.fix or fix)
        except PochboardError as error:
            yield failed(name, problem_of(error, fix))
        else:
            if isinstance(found, Note):
                yield Check(name, ok=True, found=found.found, fix=found.fix)
            elif found is not None:
                yield Check(name, ok=True, found=found)


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
            raise BoardError(check.problem)
