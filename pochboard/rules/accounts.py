"""The pools of the board and the accounts that chips move between (RULES.md 1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

POOLS: Final = ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke")
"""The nine pools in board order."""

MELD_POOLS: Final = POOLS[:7]
"""The pools that are won by showing cards."""

MOST_PLACES: Final = 8
"""A board has at most this many places, and a table at most this many live seats."""

# Balances are one flat tuple: the bank, the nine pools in board order, then the seats.
BANK: Final = 0
POOL: Final = {name: index for index, name in enumerate(POOLS, start=1)}
FIRST_SEAT: Final = 1 + len(POOLS)


def seat_account(seat: int) -> int:
    """The index of a seat's (1, 2, …) stack in the balances."""
    return FIRST_SEAT - 1 + seat


@cache
def account_name(index: int) -> str:
    """The name of an account: `bank`, `pool:ace`, `seat:2`."""
    if index == BANK:
        return "bank"
    if index < FIRST_SEAT:
        return f"pool:{POOLS[index - 1]}"
    return f"seat:{index - FIRST_SEAT + 1}"


@cache
def account_names(count: int) -> tuple[str, ...]:
    """The names of the first accounts, in the order of the balances."""
    return tuple(account_name(index) for index in range(count))


def account_index(name: str) -> int:
    """The index of the account of this name in the balances, even of a seat that does not exist.

    Raises ValueError for a pool that no board has.
    """
    kind, _, rest = name.partition(":")
    if kind == "bank":
        return BANK
    return seat_account(int(rest)) if kind == "seat" else 1 + POOLS.index(rest)


def transfer(balances: Sequence[int], *moves: tuple[int, int, int]) -> tuple[int, ...]:
    """The balances after moves of (from, to, chips)."""
    after = list(balances)
    for source, target, chips in moves:
        after[source] -= chips
        after[target] += chips
    return tuple(after)
