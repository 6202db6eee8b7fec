"""The result of a night, of persons and not seats (RULES.md 8); numbers that cannot be right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from pochboard.ledger.replay import NightSummary
from pochboard.rules.accounts import BANK
from pochboard.rules.ruleset import LEAST_LIVE
from pochboard.rules.state import Standing, State
from pochboard.text.unicode_names import sight


class Result(msgspec.Struct, frozen=True):
    """How somebody did in a night, over all of this person's seats."""

    rank: int
    """Equal nets have equal ranks, or equal stacks where the most chips win."""
    seats: tuple[int, ...]
    """In ascending order."""
    name: str
    stack: int
    net: int


def persons(names: Sequence[str], aliases: Mapping[str, str] = {}) -> list[tuple[int, ...]]:
    """The seats of each person, in the order of the first, from the name of each seat.

    Names that look alike are of one person. `aliases` is that of the remarks: by what people see of
    a name, what the person is called instead.
    """
    seats: dict[str, tuple[int, ...]] = {}
    for seat, name in enumerate(names, 1):
        person = aliases.get(sight(name), name)
        key = sight(person) or person
        seats[key] = (*seats.get(key, ()), seat)
    return list(seats.values())


def results(
    names: Sequence[str],
    standings: Iterable[Standing],
    aliases: Mapping[str, str] = {},
    *,
    by_net: bool = True,
) -> tuple[Result, ...]:
    """The persons of a night from the stack and net of each seat, in the order of their ranks.

    Those of equal rank are in the order of their first seats.
    """
    of_seat = {seat: (stack, net) for seat, stack, net in standings}
    rows = []
    for seats in persons(names, aliases):
        stacks, nets = zip(*(of_seat[seat] for seat in seats), strict=True)
        net, stack = sum(nets), sum(stacks)
        rows.append((net if by_net else stack, seats, stack, net))
    rows.sort(key=lambda row: -row[0])
    ranked = [number for number, *_ in rows]
    return tuple(
        Result(ranked.index(number) + 1, seats, names[seats[0] - 1], stack, net)
        for number, seats, stack, net in rows
    )


def results_of(state: State, aliases: Mapping[str, str] = {}) -> tuple[Result, ...]:
    """The results of a night in its present state."""
    by_net = state.rules.won_by == "most-won"
    return results(state.names, state.standings, aliases, by_net=by_net)


def summary_results(night: NightSummary, aliases: Mapping[str, str] = {}) -> tuple[Result, ...]:
    """The results of a night in the list; none while it is open."""
    if not night.standings:
        return ()
    return results(night.players, night.standings, aliases, by_net=night.by_net)


def winners(results: Sequence[Result]) -> list[Result]:
    """Those of the first rank."""
    return [result for result in results if result.rank == 1]


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
        if rules.not_played(LEAST_LIVE):
            return  # the bank has put in more in some deals than in others
        due += state.ante_due * state.deal
    in_play = -state.balances[BANK]
    if in_play < due:
        yield Hint("too-few-chips", "", due - in_play, due)
    elif in_play > due:
        yield Hint("too-many-chips", "", in_play - due, due)


def _pools(state: State) -> Iterator[Hint]:
    rules = state.rules
    claimed = {pool for pool, _ in state.claims}
    each = rules.ante * (len(state.live) if rules.ante_from == "seats" else 1)
    for pool in rules.antes(len(state.live)):
        chips = state.pool(pool)
        if state.phase == "meld" and pool not in claimed and chips < each:
            yield Hint("ante-missing", f"pool:{pool}", chips, each)
        elif pool in rules.meld_pools and chips % rules.ante:
            yield Hint("odd-pool", f"pool:{pool}", chips, rules.ante)


def count_hints(account: str, state: State) -> tuple[CountHint, ...]:
    """What it may mean if somebody counts another number of chips in an account.

    Where the players ante, a difference of whole antes is probably an ante that was missed or paid
    twice.
    """
    rules = state.rules
    if rules.ante_from != "seats" or not state.deal:
        return ()
    kind, _, which = account.partition(":")
    if kind == "seat":
        chips, due = state.stack_of(int(which)), state.ante_due
        hints = [CountHint(chips + due, "unpaid", 1), CountHint(chips - due, "paid-twice", 1)]
        return tuple(hint for hint in hints if hint.counted >= 0)
    if which not in rules.ante_pools:
        return ()
    chips = state.pool(which)
    antes = range(1, len(state.live) + 1)
    fewer = [CountHint(chips - n * rules.ante, "antes-missing", n) for n in antes]
    more = [CountHint(chips + n * rules.ante, "antes-twice", n) for n in antes]
    return tuple(hint for hint in (*fewer, *more) if hint.counted >= 0)
