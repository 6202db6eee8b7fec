"""Buttons, the times of presses, debouncing, and half-entered input (BOARD.md 1 to 3 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from pochboard.rules.accounts import MOST_PLACES, POOLS
from pochboard.rules.commands import Settle
from pochboard.rules.state import BETWEEN_NIGHTS, State

SEAT_BUTTONS: Final = tuple(f"seat{place}" for place in range(1, 9))
CONTROLS: Final = ("next", "undo")
PAIRING_BUTTON: Final = "next"
"""The button that opens pairing when it is held (BOARD.md 5)."""
BUTTONS: Final = (*POOLS, *SEAT_BUTTONS, *CONTROLS)
"""The 19 buttons of a board with eight places, in the order of BOARD.md 1."""


class PressTimes(msgspec.Struct, frozen=True):
    """The times of BOARD.md 2 and 3, in microseconds."""

    long_us: int = 800_000
    next_long_us: int = 3_000_000
    leave_us: int = 3_000_000
    both_us: int = 2_000_000
    overlap_us: int = 300_000
    select_us: int = 5_000_000
    too_soon_us: int = 1_000_000
    lobby_us: int = 10_000_000
    off_us: int = 8_000_000
    off_ask_us: int = 10_000_000


class Press(msgspec.Struct, frozen=True):
    """A button pressed short or held for its long meaning, or two held together."""

    buttons: tuple[str, ...]
    long: bool = False


@dataclass(slots=True)
class _Contact:
    level: bool = False
    raw: bool = False
    since_us: int = 0


Edge = tuple[str, bool, int]
"""A button, whether it went down, and when that level began."""


class Debouncer:
    """Reports a level once it has been stable for `stable_us`, with the time when it began."""

    def __init__(self, stable_us: int = 8_000) -> None:
        self._stable_us = stable_us
        self._contacts: dict[str, _Contact] = {}

    def feed(self, button: str, down: bool, at_us: int) -> list[Edge]:
        """Takes in a raw level. Returns the levels that became stable before it, oldest first."""
        edges = self.due(at_us)
        contact = self._contacts.setdefault(button, _Contact())
        if down != contact.raw:
            contact.raw, contact.since_us = down, at_us
            # Moved to the end, so that what changes in the same microsecond keeps its order.
            self._contacts[button] = self._contacts.pop(button)
        return edges

    def due(self, now_us: int) -> list[Edge]:
        """The levels that have become stable by now, oldest first."""
        edges = [
            (button, contact.raw, contact.since_us)
            for button, contact in self._contacts.items()
            if contact.raw != contact.level and now_us - contact.since_us >= self._stable_us
        ]
        for button, down, _ in edges:
            self._contacts[button].level = down
        return sorted(edges, key=lambda edge: edge[2])

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose level was down when it was stable last. For any thread."""
        return frozenset(button for button, one in [*self._contacts.items()] if one.level)

    def next_us(self) -> int | None:
        """When the next level becomes stable if nothing moves, or None."""
        return min(
            (
                contact.since_us + self._stable_us
                for contact in self._contacts.values()
                if contact.raw != contact.level
            ),
            default=None,
        )


class Lobby(msgspec.Struct, frozen=True):
    """The night being set up by presses, between nights."""

    places: tuple[int, ...] = ()
    """The places that are in, ascending."""
    chosen: int | None = None
    """The place that was chosen or drawn to deal first."""
    names: tuple[tuple[int, str], ...] = ()
    """What phones have typed since the last night, by place; blank for nobody in particular."""
    armed: bool = False
    """Whether a first `next` has shown the places, so that a second one starts the night."""

    @property
    def dealer(self) -> int | None:
        """The place that deals first: the chosen one if it is in, else the first that is in."""
        if self.chosen in self.places:
            return self.chosen
        return self.places[0] if self.places else None


class Pending(msgspec.Struct, frozen=True):
    """A selected seat, chips in the hand, hands in order, or cards counted; or nothing."""

    place: int | None = None
    """The place that is selected (idle, meld, shed)."""
    kept: bool = False
    """Whether the seat just stayed selected after its claim, or an undo brought back the first of
    `counts`."""
    chips: int = 0
    """Chips in the hand of the seat to act."""
    hands: tuple[int, ...] = ()
    """Seats in the order of their hands, best first (showdown)."""
    counts: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Cards counted (shed), after each press in turn: pairs of seat and cards, newest last."""
    last: int | None = None
    """The seat whose cards were counted last."""
    pressed: bool = False
    """Whether cards were counted by presses. The last press may not be the last card."""
    lobby: Lobby | None = None
    """The lobby; only in the phases none and closed."""

    @property
    def cards(self) -> dict[int, int]:
        """Cards counted so far, by seat."""
        return dict(self.counts[-1]) if self.counts else {}


NOTHING = Pending()


def recount(settled: Settle) -> Pending:
    """The counts of a `settle` that was undone, to be corrected."""
    counts = tuple((int(seat), cards) for seat, cards in settled.cards.items())
    return Pending(counts=(counts,), kept=True)


def first_lobby(state: State, places: int) -> Lobby:
    """The lobby before any press: the places taken at the end of that night are in."""
    return Lobby(places=tuple(sorted(p for p in state.places if 0 < p <= places)))


def shows_result(state: State, pending: Pending) -> bool:
    """Whether a night has ended and nothing has been pressed since, so that its result is shown."""
    lobby = pending.lobby
    untouched = lobby is None or lobby == first_lobby(state, MOST_PLACES)
    return state.phase == "closed" and untouched


def nothing_pending(state: State, model: State, places: int) -> Pending:
    """What is pending before any press: nothing, or between nights the first lobby.

    The lobby begins with the places of the night `model`.
    """
    if state.phase in BETWEEN_NIGHTS:
        return Pending(lobby=first_lobby(model, places))
    return NOTHING
