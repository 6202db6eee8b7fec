"""Numbers that cannot be right for the table, found from the state alone.

The balances always sum to zero, so such a number comes from a recount, or from chips that lie
elsewhere than the ledger thinks. Each hint is data; `messages.accounts` puts it into words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from pochboard.rules.accounts import BANK, MELD_POOLS
from pochboard.rules.state import State


class Hint(msgspec.Struct, frozen=True):
    """Why a number cannot be right."""

    kind: Literal["too-few-chips", "too-many-chips", "ante-missing", "odd-pool"]
    account: str
    """`pool:NAME`; empty if it is about the whole table."""
    count: int
    """Chips that are missing or too many, or that the pool holds."""
    due: int
    """Chips that should be in play, that everybody has put in, or that each ante has."""


class CountHint(msgspec.Struct, frozen=True):
    """What a count that differs from the ledger may mean."""

    counted: int
    """The number of chips that somebody has counted in the account."""
    kind: Literal["antes-missing", "antes-twice", "unpaid", "paid-twice"]
    antes: int
    """How many antes the difference is."""


def hints(state: State) -> tuple[Hint, ...]:
    """All numbers of a night in progress that cannot be right."""
    if state.phase in ("none", "closed"):
        return ()
    return (*_sum(state), *_pools(state))


def _sum(state: State) -> Iterator[Hint]:
    """The chips in play are those that were bought, and that the bank put into pools."""
    rules = state.rules
    due = sum(state.bought)
    if rules.ante_from == "bank":
        due += rules.ante_due * state.deal
    in_play = -state.balances[BANK]
    if in_play < due:
        yield Hint("too-few-chips", "", due - in_play, due)
    elif in_play > due:
        yield Hint("too-many-chips", "", in_play - due, due)


def _pools(state: State) -> Iterator[Hint]:
    rules = state.rules
    claimed = {pool for pool, _ in state.claims}
    each = rules.ante * (1 if rules.ante_from == "bank" else len(state.live))
    for pool in rules.ante_pools:
        chips = state.pool(pool)
        if state.phase == "meld" and pool not in claimed and chips < each:
            yield Hint("ante-missing", f"pool:{pool}", chips, each)
        elif pool in MELD_POOLS and chips % rules.ante:
            yield Hint("odd-pool", f"pool:{pool}", chips, rules.ante)


def count_hints(account: str, state: State) -> tuple[CountHint, ...]:
    """What it may mean if somebody counts another number of chips in an account.

    Where the players ante, a difference of whole antes is probably an ante that was missed or paid
    twice.
    """
    rules = state.rules
    if rules.ante_from == "bank" or not state.deal:
        return ()
    kind, _, which = account.partition(":")
    if kind == "seat":
        chips, due = state.stack_of(int(which)), rules.ante_due
        hints = [CountHint(chips + due, "unpaid", 1), CountHint(chips - due, "paid-twice", 1)]
        return tuple(hint for hint in hints if hint.counted >= 0)
    if which not in rules.ante_pools:
        return ()
    chips = state.pool(which)
    antes = range(1, len(state.live) + 1)
    fewer = [CountHint(chips - n * rules.ante, "antes-missing", n) for n in antes]
    more = [CountHint(chips + n * rules.ante, "antes-twice", n) for n in antes]
    return tuple(hint for hint in (*fewer, *more) if hint.counted >= 0)
