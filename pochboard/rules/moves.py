"""Names and numbers as said in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from pochboard.rules.state import State


def spoken(state: State, seats: Iterable[int]) -> str:
    """The names of seats as said aloud: `Anna, Ben and Clara`."""
    return listed(state.name_of(seat) for seat in seats)


def listed(words: Iterable[str]) -> str:
    """Words as said aloud one after the other: `ace, king and queen`. There is at least one."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def chips(count: int) -> str:
    """A number of chips as said aloud."""
    return "1 chip" if count == 1 else f"{count} chips"
