"""Small steps that the phases share: moving chips, who is live, saying names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pochboard.errors import Refusal
from pochboard.rules.board import FIRST_SEAT
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

Outcome = State | Refusal
"""What a command comes to: the next state, or why there is none."""


def transfer(balances: Sequence[int], *moves: tuple[int, int, int]) -> tuple[int, ...]:
    """The balances after moves of (from, to, chips)."""
    after = list(balances)
    for source, target, chips in moves:
        after[source] -= chips
        after[target] += chips
    return tuple(after)


def collect(state: State, payers: Iterable[int], due: int, target: int) -> tuple[int, ...]:
    """The balances after each payer has paid what is due, or what it has, to an account."""
    return transfer(
        state.balances,
        *((FIRST_SEAT - 1 + seat, target, min(due, state.stack_of(seat))) for seat in payers),
    )


def order_of_play(rules: Ruleset, live: Iterable[int], places: Sequence[int]) -> tuple[int, ...]:
    """The live seats by place, in the ruleset's direction (RULES.md 1)."""
    return tuple(
        sorted(
            live,
            key=lambda seat: places[seat - 1],
            reverse=rules.direction == "anticlockwise",
        )
    )


def next_live(state: State, seat: int, live: Sequence[int]) -> int | None:
    """The first of `live` after `seat`, which is live itself, in the order of play."""
    cut = state.order.index(seat) + 1
    for other in state.order[cut:] + state.order[:cut]:
        if other in live:
            return other
    return None


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
