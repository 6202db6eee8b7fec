"""Pending input: what has been pressed but has not yet become a command (BOARD.md 3)."""

from __future__ import annotations

import msgspec

from pochboard.rules.accounts import MOST_PLACES
from pochboard.rules.commands import Settle
from pochboard.rules.state import BETWEEN_NIGHTS, State


class Lobby(msgspec.Struct, frozen=True):
    """The night being set up by presses, between nights."""

    places: tuple[int, ...] = ()
    """The places that are in, ascending."""
    chosen: int | None = None
    """The place that was chosen or drawn to deal first."""
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
    """Whether the seat just stayed selected after its claim, or an undo brought back the counts."""
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
