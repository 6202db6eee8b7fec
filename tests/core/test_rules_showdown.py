from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.core.play import Night, melding


def at_showdown(
    stakes: dict[int, list[int]], stacks: dict[int, int], poch: int = 0, **chosen: Any
) -> Night:
    """A betting played to its end, seat 1 dealing, so that the highest seat number acts last.

    Each seat stakes its chips in turn and passes when it has none left to give.
    """
    night = melding("modern", len(stacks), options={"ante_from": "bank", **chosen})
    night.have(stacks)
    night.fill(poch=poch)
    night.do("next")
    left = {seat: list(chips) for seat, chips in stakes.items()}
    while night["phase"] == "pochen":
        seat = night["to_act"]
        if left[seat]:
            night.do("stake", seat=seat, chips=left[seat].pop(0))
        else:
            night.do("pass", seat=seat)
    return night


def test_side_pots_by_levels() -> None:
    # Seat 2 all-in with 5, seat 3 with 8, seats 1 and 4 with 10; base 3.
    night = at_showdown({1: [10], 2: [5], 3: [8], 4: [10]}, {1: 30, 2: 5, 3: 8, 4: 30}, poch=3)
    assert night["phase"] == "showdown"
    # Levels 5, 8, 10: pots 3 + 20, 9, 4.
    night.do("showdown", ranking=[2, 3, 1])
    assert night.stacks == [20 + 4, 23, 9, 20]
    assert night["leader"] == 2
    night.do("undo")
    night.do("showdown", ranking=[4])
    assert night.stacks == [20, 0, 0, 20 + 36]


def test_a_ranking_must_decide_every_pot() -> None:
    night = at_showdown({1: [10], 2: [5], 3: [8], 4: [10]}, {1: 30, 2: 5, 3: 8, 4: 30})
    for ranking in ([2], [3], [2, 3], [[2, 3]]):
        assert night.refused("showdown", ranking=ranking) == "bad-ranking"
    night.do("showdown", ranking=[[2, 3], 4])


@pytest.mark.parametrize(
    "ranking",
    [
        [5], [0], [-1], [True], [1.0], ["1"], [None], [{}], [[]], [1, []], [1, 1], [[1, 1]],
        [1, [1]], [[1, [2]]], [2, 3], [1, 3], [[1, 3]], [10**30],
    ],
)  # fmt: skip
def test_faults_within_the_ranking(ranking: list[Any]) -> None:
    # Seat 3 has passed.
    night = at_showdown({2: [4], 3: [], 1: [4]}, {1: 20, 2: 20, 3: 20})
    assert night["phase"] == "showdown"
    assert night.refused("showdown", ranking=ranking) == "bad-ranking"


def test_odd_chips_go_from_forehand_on() -> None:
    # Pot 3 x 4 + 2 = 14 for three: 5, 5, 4. Seat 1 deals, so 2, 3, 1 is the order.
    stakes, stacks = {1: [4], 2: [4], 3: [4]}, {1: 10, 2: 10, 3: 10}
    night = at_showdown(stakes, stacks, poch=2)
    night.do("showdown", ranking=[[1, 2, 3]])
    assert night.stacks == [6 + 4, 6 + 5, 6 + 5]
    assert night["leader"] == 2
    night.do("undo")
    night.do("showdown", ranking=[[3, 1], 2])
    assert night.stacks == [6 + 7, 6, 6 + 7]
    assert night["leader"] == 3
    night = at_showdown(stakes, stacks, poch=1)
    night.do("showdown", ranking=[[1, 3]])
    assert night.stacks == [6 + 6, 6, 6 + 7]


def all_ins(draw: st.DrawFn) -> tuple[Night, set[int]]:
    """A random betting with few chips, and the seats that have passed in it."""
    count = draw(st.integers(3, 6))
    night = melding("modern", count, options={"ante_from": "bank"})
    night.have({seat: draw(st.integers(1, 9)) for seat in range(1, count + 1)})
    night.fill(poch=draw(st.integers(0, 5)))
    night.do("next")
    passed = set()
    while night["phase"] == "pochen":
        seat = night["to_act"]
        committed, stack = night["committed"], night["stacks"][str(seat)]
        need = max(committed.values(), default=0) - committed.get(str(seat), 0)
        chips = draw(st.sampled_from([0, max(need, 1), stack, min(need + 2, stack)]))
        if chips:
            night.do("stake", seat=seat, chips=min(chips, stack))
        else:
            night.do("pass", seat=seat)
            passed.add(seat)
    return night, passed


@settings(max_examples=200)
@given(st.data())
def test_pots_as_pokerkit_counts_them(data: st.DataObject) -> None:
    """Without odd chips, the pots are PokerKit's; each goes to the best hand that may win it."""
    night, passed = data.draw(st.composite(all_ins)())
    assume(night["phase"] == "showdown")
    committed, before = night["committed"], night["stacks"]
    seats = list(before)
    staked = [committed.get(seat, 0) for seat in seats]
    import pokerkit  # takes long, and only this needs it

    table = pokerkit.NoLimitTexasHoldem.create_state(
        (pokerkit.Automation.ANTE_POSTING, pokerkit.Automation.BET_COLLECTION),
        True,
        dict(enumerate(staked)),
        0,
        1,
        [chips + 1 for chips in staked],
        len(seats),
    )
    for seat in passed:
        table.statuses[seat - 1] = False
    still_in = [seat for seat in night["live"] if seat not in passed]
    ranking = data.draw(st.permutations(still_in))
    # PokerKit also returns at once what nobody has matched. Each seat began with one chip more.
    won = {seat: table.stacks[int(seat) - 1] - 1 for seat in seats}
    extra = night["pools"]["poch"] - sum(staked)
    for pot in table.pots:
        best = next(seat for seat in ranking if seat - 1 in pot.player_indices)
        won[str(best)] += pot.amount + extra
        extra = 0
    night.do("showdown", ranking=list(ranking))
    assert night["stacks"] == {seat: before[seat] + won[seat] for seat in seats}
