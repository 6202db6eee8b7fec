"""Settling a night: who pays whom (docs/RULES.md 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any, TypeVar

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from pochboard.ledger.replay import in_force
from pochboard.ledger.settling import (
    CAUSES,
    Settlement,
    Transfer,
    Way,
    fewest_transfers,
    flows,
    settle_night,
)
from tests.core.play import ALL_COMMANDS, USUAL, Night, attempts, melding, starts

T = TypeVar("T")
WAYS: tuple[Way, ...] = ("fewest", "pairwise")


def settled(night: Night, way: Way = "pairwise", **options: Any) -> Settlement:
    return settle_night(night.book.entries, night.book.states, way, **options)


def sums(transfers: Sequence[Transfer]) -> dict[int, int]:
    """What each party receives less what it pays."""
    total: Counter[int] = Counter()
    for transfer in transfers:
        total[transfer.payer] -= transfer.amount
        total[transfer.payee] += transfer.amount
    return {party: amount for party, amount in total.items() if amount}


def without_zeros(amounts: Mapping[T, int]) -> dict[T, int]:
    return {key: amount for key, amount in amounts.items() if amount}


def random_night(start: dict[str, Any], chance: Random) -> Night:
    """A night of random commands, undone and voided ones among them, that is over."""
    night = Night(None)
    night.book.apply(start)
    for _ in range(chance.randrange(20, 120)):
        phase = night["phase"]
        if phase == "closed":
            break
        usual = chance.random() < 0.9
        name = chance.choice(USUAL[phase] if usual else ALL_COMMANDS[1:-1])
        tries = list(attempts(name, night.all))
        if tries:
            night.book.apply(chance.choice(tries))
    for _ in range(2):
        if night["phase"] in ("meld", "pochen", "showdown", "shed"):
            night.do("void")
        if night["phase"] == "idle":
            night.do("end")
    return night


# What a player has won from each other.


def test_chips_won_from_a_pool_come_from_those_who_put_them_in() -> None:
    night = melding(players=3)
    night.do("claim", seat=2, pool="ace")
    assert list(flows(night.book.entries, night.book.states)) == [
        (1, 2, 1, "ace"),
        (3, 2, 1, "ace"),
    ]


def test_a_pool_that_was_not_won_remembers_who_filled_it() -> None:
    night = Night(players=3)
    night.whole_deal()
    night.do("leave", seat=3)
    night.do("deal")
    night.do("claim", seat=2, pool="ace")
    won = list(flows(night.book.entries, night.book.states))
    assert won[-2:] == [(1, 2, 2, "ace"), (3, 2, 1, "ace")]


random_nights = st.builds(random_night, starts(), st.integers(0, 2**32).map(Random))


@settings(max_examples=25, deadline=None)
@given(random_nights)
def test_every_net_is_won_from_somebody(night: Night) -> None:
    book = night.book
    won: Counter[int] = Counter()
    for payer, payee, chips, cause in flows(book.entries, book.states):
        assert payer != payee
        assert chips > 0
        assert cause in CAUSES
        won[payer] -= chips
        won[payee] += chips
    assert {seat: won[seat] for seat in book.state.seats} == {
        seat: net for seat, _, net in book.state.standings
    }
    counted: Counter[str] = Counter()
    for entry in in_force(book.entries):
        counted.update(dict(entry.postings))
    everything: Counter[str] = Counter()
    for entry in book.entries:
        everything.update(dict(entry.postings))
    assert without_zeros(counted) == without_zeros(everything)
    for way in WAYS:
        for share_bank in (False, True):
            for worth in (Fraction(1), Fraction(5), Fraction(1, 3)):
                check(settled(night, way, share_bank=share_bank, worth=worth), way, worth)


def check(found: Settlement, way: Way, worth: Fraction) -> None:
    assert sum(found.results.values()) == 0
    assert sum(found.amounts.values()) == 0
    assert sums(found.transfers) == without_zeros(found.amounts)
    for transfer in found.transfers:
        assert transfer.amount > 0
        assert transfer.payer != transfer.payee
    for party, chips in found.results.items():
        # Pairwise, each payment is rounded.
        most = 1 if way == "fewest" else len(found.results)
        assert abs(found.amounts[party] - chips * worth) < most
    if way == "pairwise":
        pairs = [frozenset((transfer.payer, transfer.payee)) for transfer in found.transfers]
        assert len(set(pairs)) == len(pairs)
        for transfer in found.transfers:
            assert round(sum(chips for _, chips in transfer.causes) * worth) == transfer.amount
    else:
        assert len(found.transfers) < len(found.results)


# Settling.


def test_the_bank_is_a_party_or_is_shared() -> None:
    night = Night(players=3)
    night.whole_deal(winner=1, cards=4)
    night.do("end")
    # Three antes into each of eight pools went to the bank.
    assert settled(night).results == {1: 8 + 3 - 9, 2: -13, 3: -13, 0: 24}
    assert settled(night, share_bank=True).results == {1: 10, 2: -5, 3: -5}
    assert settled(night, "fewest", share_bank=True).transfers == (
        Transfer(2, 1, 5),
        Transfer(3, 1, 5),
    )


@pytest.mark.parametrize(
    ("bank", "shares"),
    [(5, [2, 2, 1]), (-5, [-2, -2, -1]), (4, [2, 1, 1]), (-4, [-2, -1, -1]), (-3, [-1] * 3)],
)
def test_the_first_seats_get_the_odd_chips_of_the_bank_and_pay_those_of_its_loss(
    bank: int, shares: list[int]
) -> None:
    night = Night(players=3)
    accounts = ("seat:3", "bank") if bank > 0 else ("bank", "seat:3")
    night.do(
        "adjust", **dict(zip(("from", "to"), accounts, strict=True)), chips=abs(bank), reason="odd"
    )
    night.do("end")
    for way in WAYS:
        results = settled(night, way, share_bank=True).results
        assert [results[seat] for seat in (1, 2)] == shares[:2]
        assert results[3] == shares[2] - bank
        assert sum(results.values()) == 0


# The fewest payments.


@pytest.mark.parametrize(
    ("amounts", "payments"),
    [
        ({1: 0, 2: 0}, 0),
        ({1: 5, 2: -5}, 1),
        ({1: 5, 2: -3, 3: -2}, 2),
        ({1: 5, 2: -5, 3: 2, 4: -2}, 2),
        # Greedy payments would need five: 8 from 3 to 1, and so on.
        ({1: 7, 2: 4, 3: -6, 4: -5, 5: 2, 6: -2}, 4),
        ({1: 6, 2: 5, 3: -4, 4: -2, 5: -3, 6: -2}, 4),
    ],
)
def test_the_payments_are_the_fewest(amounts: dict[int, int], payments: int) -> None:
    transfers = list(fewest_transfers(amounts))
    assert len(transfers) == payments
    assert sums(transfers) == without_zeros(amounts)


amounts_that_sum_to_zero = st.lists(st.integers(-9, 9), max_size=6).map(
    lambda some: dict(enumerate([*some, -sum(some)], 1))
)


@settings(max_examples=50, deadline=None)
@given(amounts_that_sum_to_zero)
def test_no_fewer_payments_would_do(amounts: dict[int, int]) -> None:
    transfers = list(fewest_transfers(amounts))
    assert sums(transfers) == without_zeros(amounts)
    parties = without_zeros(amounts)
    assert len(transfers) == len(parties) - most_groups(list(parties.values()))


def most_groups(amounts: list[int]) -> int:
    """By trying everything: into how many groups that sum to 0 the amounts can be divided."""
    if not amounts:
        return 0
    first, rest = amounts[0], amounts[1:]
    best = 0
    for size in range(len(rest) + 1):
        for others in combinations(range(len(rest)), size):
            if first + sum(rest[i] for i in others) == 0:
                left = [rest[i] for i in range(len(rest)) if i not in others]
                best = max(best, 1 + most_groups(left))
    return best
