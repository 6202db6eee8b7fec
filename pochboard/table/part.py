"""The optional parts: what follows the table beside the board, each in a module of its own.

A part needs its module, with a constant `PART`, and a line in `PARTS` (`config.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from pochboard.config import Config
from pochboard.rules.seating import Resolve
from pochboard.store import Store
from pochboard.table.table import Table
from pochboard.text.lazy import LazyText

Probe = Callable[[], str]
"""Tries something, and returns what it has found. Raises PochboardError: what is wrong, then what
to do about it."""


class Seat(NamedTuple):
    """What a part is given."""

    table: Table
    """`Table.listen` tells it of each snapshot, frame and refusal."""
    store: Store
    resolve: Resolve
    """The rulesets."""
    page: Callable[[], str]
    """The page's address for phones; empty if they cannot reach it. It may take milliseconds."""


class Driver(Protocol):
    """A part at work: a `LoopThread`, for example. It is started once, and closed once."""

    def start(self) -> None:
        """Begins."""

    def close(self) -> None:
        """Ends."""


def _never(_: Driver) -> LazyText:
    return LazyText("")


class OptionalPart(NamedTuple):
    """A part, as the daemon and the doctor know it."""

    settings: type[Any]
    """The type of its table in the configuration; every key has a default."""
    make: Callable[[Seat, Any], Iterable[Driver]]
    """The drivers that these settings ask for."""
    probes: Callable[[Any, Config], Iterable[tuple[str, Probe]]]
    """What the doctor tries, each with its name in the report."""
    fix: str
    """What to do where a probe has failed without saying so."""
    problem: Callable[[Any], LazyText] = _never
    """What is wrong with a driver now, as a sentence for the page; empty if nothing is. It must not
    wait, and is called from any thread."""
    refuse: Callable[[Any, str], str] = lambda _, __: ""
    """Why settings do not fit the kind of board, after the name of the table; empty if they do."""
