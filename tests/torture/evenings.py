"""What the store does while its operations are recorded."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, ClassVar, Final
from unittest.mock import patch

import msgspec

from pochboard.errors import Refusal
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.replay import NightSummary, StoredNight, replay, summarize
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.table import journal
from pochboard.table.journal import Journal

RESOLVE: Final = resolve_among(shipped_rulesets())


class Evening:
    """A store with its journal, and random changes, each of which is one transaction."""

    def __init__(self, store: Store, chance: Random) -> None:
        self.store = store
        self.journal = Journal(store, RESOLVE)
        self._chance = chance

    def change(self) -> None:
        """A random change, most often the next entry of a night."""
        kind = self._chance.random()
        if kind < 0.08:
            self.store.pair(self._chance.randbytes(32), "Annas iPhone", self._chance.randrange(99))
        elif kind < 0.12 and self.store.pairings():
            self.store.touch(self.store.pairings()[0].number, 100 + self._chance.randrange(99))
        elif kind < 0.15 and self.store.pairings():
            self.store.unpair(self.store.pairings()[0].number)
        elif kind < 0.18:
            self.store.add_nights([imported()])
        else:
            self.entry()

    def entry(self) -> None:
        """An entry that the journal accepts: a random one, or else `start` or `rename`."""
        for _ in range(3):
            if self._accepted(_command(self._chance)):
                return
        rename = {"do": "rename", "seat": 1, "name": f"Anna {self._chance.randrange(10**6)}"}
        start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
        assert self._accepted(rename) or self._accepted(start)

    def _accepted(self, raw: dict[str, Any]) -> bool:
        step = self.journal.apply(parse_command(raw))
        assert not isinstance(step, Repeat)
        assert not isinstance(step, Refusal) or step.code != "not-stored", step
        return isinstance(step, Step)


def _command(chance: Random) -> dict[str, Any]:
    seat = chance.randint(1, 3)
    return chance.choice(
        [
            {"do": "deal"},
            {"do": "deal"},
            {"do": "claim", "seat": seat, "pool": chance.choice(("ace", "king", "ten"))},
            {"do": "next"},
            {"do": "stake", "seat": seat, "chips": chance.randint(1, 3)},
            {"do": "rebuy", "seat": seat, "chips": chance.randint(1, 20)},
            {"do": "rename", "seat": seat, "name": "B" + "e" * chance.randrange(20) + "n"},
            {"do": "void"},
            {"do": "undo"},
            {"do": "redo"},
            {"do": "end"},
        ]
    )


def imported() -> tuple[StoredNight, NightSummary]:
    """A closed night, as from a score sheet."""
    book = _book()
    night = StoredNight(0, book.state.rules, {}, imported=True, entries=list(book.entries))
    return night, summarize(0, night.entries, book.state, imported=True)


def _book() -> Book:
    book = Book(RESOLVE)
    for raw in (
        {"do": "start", "ruleset": "modern", "players": ["Änne", "Ben", "Clara"]},
        {"do": "deal"},
        {"do": "claim", "seat": 2, "pool": "marriage"},
        {"do": "void"},
        {"do": "end"},
    ):
        assert isinstance(book.apply(raw, 1_000_000), Step), raw
    return book


_REPLAYED: Final[set[bytes]] = set()
"""Digests of nights known to be sound. Most nights recur in thousands of images."""


def content(store: Store) -> str:
    """A digest of everything in a ledger. Every night has to be sound."""
    digest, nights = hashlib.sha256(), store.next_number() - 1
    for number in range(1, nights + 1):
        night = store.night(number)
        encoded = hashlib.sha256(msgspec.json.encode(night)).digest()
        if encoded not in _REPLAYED:
            replay(night)
            _REPLAYED.add(encoded)
        digest.update(encoded)
    digest.update(msgspec.json.encode([store.all_nights(), store.pairings()]))
    return f"{nights} nights, {digest.hexdigest()[:24]}"


@contextmanager
def counted_clock() -> Iterator[None]:
    """Entries are dated by a count, so that a seed gives the same ledger each time."""
    times = iter(range(1_800_000_000_000, 2_000_000_000_000, 1000))
    with patch.object(journal, "now_ms", lambda: next(times)):
        yield


class _Weak(sqlite3.Connection):
    """A connection with settings known to lose acknowledged changes."""

    settings: ClassVar[dict[str, str]] = {}

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        for name, value in self.settings.items():
            if sql.startswith(f"PRAGMA {name} = "):
                wanted = sql.rpartition(" ")[2]
                super().execute(f"PRAGMA {name} = {value}").fetchall()
                return super().execute("SELECT ?", (wanted,))
        return super().execute(sql, *values)


WEAK: Final = {
    "synchronous=OFF": {"synchronous": "OFF"},
    "WAL+NORMAL": {"synchronous": "NORMAL"},
}
"""With these settings power cuts must lose something, or else the tests prove nothing."""


@contextmanager
def settings(name: str | None) -> Iterator[None]:
    """The store as it is or, by the name of one of the weak settings, made worse."""
    if name is None:
        yield
        return
    weak = type("Weak", (_Weak,), {"settings": WEAK[name]})
    connect = sqlite3.connect
    with patch.object(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=weak)):
        yield
