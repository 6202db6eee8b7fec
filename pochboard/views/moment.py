"""The last entry as a moment that a large screen shows: whom it is about, and which chips move."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.ledger.flows import chip_moves
from pochboard.ledger.sounds import seats_of_entry
from pochboard.messages.entries import EntryContext
from pochboard.messages.labels import seat_names
from pochboard.text.translator import Translator

MOST_FLIGHTS: Final = 16
"""More moves than these at once are not seen one by one: the antes of a deal."""


class Flight(msgspec.Struct, frozen=True):
    """Chips that go from one account to another, as in `seat:2` and `pool:ace`."""

    source: str
    target: str
    chips: int


class Moment(msgspec.Struct, frozen=True):
    """What the last entry looks like."""

    seats: tuple[int, ...]
    """Whom it is about, if about anybody."""
    names: str
    """What they are called."""
    flights: tuple[Flight, ...]
    """The chips that move; none if they are too many to be followed."""


def moment_of(last: EntryContext, t: Translator) -> Moment:
    """The moment of an entry that has a sound."""
    seats = seats_of_entry(last.before, last.after, last.entry.command)
    moves = tuple(Flight(*move) for move in chip_moves(last.entry.postings))
    ended = last.after.phase == "closed"
    return Moment(
        seats,
        seat_names(last.after, seats, t) if seats else "",
        moves if not ended and len(moves) <= MOST_FLIGHTS else (),
    )
