"""A visit: one night of house players, who play which seat, and what they do next."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Final

from pochboard.demo.wish import Wish, temper_of
from pochboard.players.acts import Act, Await, Do, Lay
from pochboard.players.house import House
from pochboard.players.onlooker import Onlooker
from pochboard.rules.commands import (
    AnyCommand,
    Command,
    Deal,
    Next,
    Pass,
    Settle,
    Showdown,
    Stake,
)
from pochboard.rules.state import State
from pochboard.table.records import Demo, Snapshot

_PACE_S: Final[dict[type[Command], float]] = {
    Deal: 2.5,
    Next: 2.0,
    Stake: 1.5,
    Pass: 1.0,
    Settle: 3.0,
}
_USUAL_PACE_S: Final = 1.2
_CARD_S: Final = 1.0


class Visit:
    """One night of house players. Its fields change under the host's lock."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.house = House(wish.tempers(), wish.seed)
        self.onlooker = Onlooker(self.house)
        self.keys: dict[int, str] = {}
        """The key of each seat that a person has taken."""
        self.speed = wish.speed
        self.night: int | None = None
        self.over = False
        self.version = 0
        """Raised when a card is laid or a seat changes hands."""
        self.stuck: str | None = None
        self.shown: Demo | None = None
        self.heard = 1
        """The last entry that the onlooker has spoken of."""
        self.thread: threading.Thread | None = None
        self._decided: tuple[tuple[int, int], Act | None] | None = None

    def seat_guests(self, live: Iterable[int]) -> None:
        """Has the house play every seat that no person has taken: somebody may have joined."""
        for seat in live:
            if seat not in self.house.tempers and seat not in self.keys:
                self.house.tempers[seat] = temper_of(seat)
                self.touched()

    def touched(self) -> None:
        """Something but the ledger has changed."""
        self.version += 1

    def next_act(self, snapshot: Snapshot) -> Act | None:
        """What happens next. Decided once, so that the seed's chances are drawn once."""
        key = snapshot.entry, self.version
        if self._decided is None or self._decided[0] != key:
            if snapshot.entry != self.heard and snapshot.last:
                self.onlooker.say_entry(snapshot.last)
                self.heard = snapshot.entry
            self._decided = key, self.house.next(snapshot.state)
        return self._decided[1]

    def demo(self, state: State, waits: Await | None) -> Demo:
        """What everybody may know of the house players."""
        cards = self.onlooker.open_cards(state, waits=waits)
        return Demo(cards, self.wish.seed, self.speed, self.stuck)


def is_booked(meant: AnyCommand, booked: AnyCommand | None) -> bool:
    """Whether an entry is what was meant; hands are sent as soon as they decide every pot."""
    if isinstance(meant, Showdown) and isinstance(booked, Showdown):
        return meant.ranking[: len(booked.ranking)] == booked.ranking
    return meant == booked


def pace_s(act: Do | Lay) -> float:
    """How long people take to do this, in seconds."""
    return _CARD_S if isinstance(act, Lay) else _PACE_S.get(type(act.command), _USUAL_PACE_S)
