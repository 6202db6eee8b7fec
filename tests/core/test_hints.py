"""Numbers that cannot be right are found from the state and its ruleset alone."""

from __future__ import annotations

import pytest

from pochboard.ledger.results import CountHint, Hint, count_hints, hints
from pochboard.rules.state import State
from tests.core.play import Night, melding


def adjust(night: Night, source: str, target: str, chips: int) -> None:
    night.do("adjust", **{"from": source, "to": target, "chips": chips, "reason": "recount"})


@pytest.mark.parametrize("ruleset", ["modern", "banker", "thirty-one", "alvensleben-1853"])
def test_a_night_without_recounts_needs_no_hint(ruleset: str) -> None:
    night = Night(ruleset)
    seen: list[State] = [night.book.state]
    for _ in range(2):
        night.do("deal")
        night.do("claim", seat=1, pool="marriage")
        seen.append(night.book.state)
        night.do("next")
        for seat in night.book.state.from_forehand:
            night.do("pass", seat=seat)
        night.do("out", seat=2)
        night.do("settle", cards={"1": 1, "3": 2})
        seen.append(night.book.state)
    night.do("leave", seat=3)
    night.do("rebuy", seat=1, chips=7)
    seen.append(night.book.state)
    night.do("end")
    assert [hints(state) for state in (*seen, night.book.state, State())] == [()] * 8


def test_chips_that_a_recount_has_lost_or_found() -> None:
    night = Night("modern")
    adjust(night, "seat:1", "bank", 3)
    assert hints(night.book.state) == (Hint("too-few-chips", "", 3, 150),)
    adjust(night, "bank", "seat:2", 5)
    assert hints(night.book.state) == (Hint("too-many-chips", "", 2, 150),)
    adjust(night, "seat:2", "bank", 2)
    assert hints(night.book.state) == ()


def test_a_pool_with_less_than_the_ante_of_this_deal() -> None:
    night = melding("modern")
    adjust(night, "pool:ace", "seat:1", 1)
    assert hints(night.book.state) == (Hint("ante-missing", "pool:ace", 2, 3),)
    night.do("claim", seat=2, pool="ace")
    assert hints(night.book.state) == ()
    bank = Night("banker")
    bank.do("deal")
    adjust(bank, "pool:ten", "seat:1", 1)
    assert hints(bank.book.state) == (Hint("ante-missing", "pool:ten", 0, 1),)


def test_a_pool_that_no_number_of_antes_can_have_filled() -> None:
    night = melding("modern", options={"ante": 2})
    adjust(night, "seat:1", "pool:ace", 1)
    adjust(night, "seat:1", "pool:poch", 1)  # bets may be odd
    assert hints(night.book.state) == (Hint("odd-pool", "pool:ace", 7, 2),)


def test_a_count_that_differs_by_antes() -> None:
    night = Night("modern", options={"ante": 2})
    assert count_hints("pool:ace", night.book.state) == ()
    night.do("deal")
    state = night.book.state
    assert count_hints("pool:ace", state) == (
        CountHint(4, "antes-missing", 1),
        CountHint(2, "antes-missing", 2),
        CountHint(0, "antes-missing", 3),
        CountHint(8, "antes-twice", 1),
        CountHint(10, "antes-twice", 2),
        CountHint(12, "antes-twice", 3),
    )
    assert count_hints("seat:1", state) == (
        CountHint(50, "unpaid", 1),
        CountHint(14, "paid-twice", 1),
    )
    night.do("claim", seat=1, pool="ace")
    assert count_hints("pool:ace", night.book.state)[0] == CountHint(2, "antes-twice", 1)
    thirty_one = Night("thirty-one")
    thirty_one.do("deal")
    assert count_hints("pool:poch", thirty_one.book.state) == ()
    bank = Night("banker")
    bank.do("deal")
    assert count_hints("seat:1", bank.book.state) == ()
