"""Antes, melding, shedding, who sits and deals, and the end (docs/RULES.md 3, 4, 7 and 8)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pochboard.errors import Refusal
from pochboard.rules.commands import parse_command
from tests.core.oracle import from_forehand
from tests.core.play import MELD, NINE, Night, betting, melding
from tests.some import some

# Ante.


def test_the_seats_ante() -> None:
    night = melding("alvensleben-1853", 4, options={"ante": 3})
    assert night.stacks == [50 - 21] * 4
    assert night.pools(*NINE[:8]) == [12] * 7 + [0]
    assert (night["bank"], night["phase"], night["deal"]) == (-200, "meld", 1)


def test_the_bank_antes_once_a_pool() -> None:
    night = melding("banker", 4, options={"ante": 3})
    assert night.stacks == [10] * 4
    assert night.pools(*NINE) == [3] * 8 + [0]
    assert night["bank"] == -64


def test_short_ante_names_the_seats() -> None:
    night = Night("modern", 4)
    night.have({1: 8, 3: 0, 4: 9})
    refusal = night.book.consider(parse_command({"do": "deal"}))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "short-ante"
    for name, named in (("Anna", True), ("Ben", False), ("Clara", True), ("David", False)):
        assert (name in refusal.sentence) is named
    night.do("rebuy", seat=1, chips=1)
    assert night.refused("deal") == "short-ante"
    night.do("leave", seat=3)
    night.do("deal")
    assert night.stacks == [0, 41, 0, 0]


def test_a_seat_that_is_out_does_not_ante() -> None:
    night = melding("modern", 4, options={"out_when_broke": True})
    night.have({3: 0})
    night.do("next")
    for _ in range(3):
        night.do("pass", seat=night["to_act"])
    night.settle(1)
    assert night["live"] == [1, 2, 4]
    night.do("deal")
    assert night["pools"]["ace"] == 4 + 3
    assert night["stacks"]["3"] == 0


def test_nobody_is_short_where_the_bank_antes() -> None:
    night = Night("banker", 3, options={"out_when_broke": False})
    night.have({1: 0, 2: 0})
    night.do("deal")
    assert night.stacks == [0, 0, 10]


# The card turned up.

RANKS = {"A": ["ace"], "K": ["king", "marriage"], "Q": ["queen", "marriage"], "J": ["jack"],
         "T": ["ten"], "9": ["sequence"], "8": ["sequence"], "7": ["sequence"], "6": [],
         "2": []}  # fmt: skip


@pytest.mark.parametrize(("rank", "blocked"), RANKS.items())
@pytest.mark.parametrize("suit", "CDHS")
def test_what_the_card_blocks(rank: str, blocked: list[str], suit: str) -> None:
    night = melding("modern", 3, options={"deck": 52})
    night.do("turn", card=rank + suit)
    assert (night["trump"], night["blocked"]) == (suit, blocked)
    for pool in MELD:
        if pool in blocked:
            assert night.refused("claim", seat=1, pool=pool) == "blocked-pool"
        else:
            assert night.would("claim", seat=1, pool=pool)


@pytest.mark.parametrize("name", ["banker", "alvensleben-1853", "meyer-1908"])
@pytest.mark.parametrize("rank", "789")
def test_other_sequences_are_not_blocked_by_small_cards(name: str, rank: str) -> None:
    night = melding(name, 3)
    night.do("turn", card=f"{rank}H")
    assert (night["trump"], night["blocked"]) == ("H", [])


def test_only_pools_that_there_are_get_blocked() -> None:
    pools = ["ace", "queen", "poch"]
    night = Night(
        "modern", 3, options={"pools": pools, "ante_pools": pools, "centre_to_winner": False}
    )
    for card, blocked in (("KH", []), ("QH", ["queen"]), ("7H", []), ("JH", [])):
        night.do("deal")
        night.do("turn", card=card)
        assert night["blocked"] == blocked
        night.do("void")


@pytest.mark.parametrize(
    ("card", "pool", "blocked"),
    [
        ("AH", "ace", []), ("KH", "king", ["marriage"]), ("QH", "queen", ["marriage"]),
        ("JH", "jack", []), ("TH", "ten", []), ("9H", None, ["sequence"]),
    ],
)  # fmt: skip
def test_the_dealer_takes_the_pool_of_the_card(
    card: str, pool: str | None, blocked: list[str]
) -> None:
    night = melding("modern", 3, dealer=2, options={"turned_card": "dealer"})
    night.do("turn", card=card)
    assert night.stacks == [41, 44 if pool else 41, 41]
    assert night["blocked"] == blocked
    if pool:
        assert night["pools"][pool] == 0
        assert night.refused("claim", seat=2, pool=pool) == "empty-pool"


def test_what_the_dealer_takes_counts_as_its_claim() -> None:
    night = melding("modern", 3, dealer=2, options={"turned_card": "dealer"})
    night.fill(king=0)
    night.do("turn", card="KH")
    assert night.stacks == [41, 41, 41]
    assert night.refused("turn", card="QH") == "already-turned"


@pytest.mark.parametrize(("name", "count", "deck"), [
    ("modern", 3, 32), ("modern", 4, 32), ("modern", 5, 52), ("modern", 6, 52),
    ("thirty-one", 6, 32), ("alvensleben-1853", 3, 52),
])  # fmt: skip
def test_the_deck_of_the_deal(name: str, count: int, deck: int) -> None:
    night = melding(name, count)
    for rank in "23456":
        if deck == 32:
            assert night.refused("turn", card=f"{rank}S") == "bad-argument"
        else:
            assert night.would("turn", card=f"{rank}S")
    assert night.would("turn", card="7S")


def test_the_automatic_deck_follows_the_live_seats_of_each_deal() -> None:
    night = melding("modern", 4)
    assert not night.would("turn", card="2S")
    night.do("void")
    night.do("join", name="Zoe")
    night.do("deal")
    assert night.would("turn", card="2S")
    night.do("void")
    night.do("leave", seat=2)
    night.do("deal")
    assert not night.would("turn", card="2S")


def test_trump_and_blocked_last_to_the_end_of_the_deal() -> None:
    night = melding("modern", 3)
    night.do("turn", card="TH")
    night.do("next")
    while night["phase"] == "pochen":
        assert (night["trump"], night["blocked"]) == ("H", ["ten"])
        night.do("pass", seat=night["to_act"])
    assert (night["trump"], night["blocked"]) == ("H", ["ten"])
    night.settle(1)
    assert (night["trump"], night["blocked"]) == (None, [])
    night.do("deal")
    night.do("claim", seat=1, pool="ten")
    assert night.stacks[0] == 50 - 18 + 6 + 3


# Claims.


def test_marriage_brings_king_and_queen_where_they_hold_chips() -> None:
    night = melding("modern", 3)
    night.do("claim", seat=2, pool="king")
    night.do("claim", seat=2, pool="marriage")
    assert night.stacks == [41, 50, 41]
    assert night.pools("king", "queen", "marriage") == [0, 0, 0]


@pytest.mark.parametrize("first", ["king", "queen"])
def test_marriage_is_refused_once_another_seat_has_taken_king_or_queen(first: str) -> None:
    night = melding("modern", 3)
    night.do("claim", seat=2, pool=first)
    for seat in (1, 3):
        assert night.refused("claim", seat=seat, pool="marriage") == "conflict"
    night.do("claim", seat=2, pool="marriage")


@pytest.mark.parametrize("first", ["king", "queen"])
def test_king_and_queen_in_different_hands_are_no_marriage(first: str) -> None:
    second = "queen" if first == "king" else "king"
    night = melding("modern", 3)
    night.do("claim", seat=1, pool=first)
    night.do("claim", seat=2, pool=second)
    for seat in (1, 2, 3):
        assert night.refused("claim", seat=seat, pool="marriage") == "conflict"


def test_a_conflict_is_of_this_deal_alone() -> None:
    night = melding("modern", 3)
    night.do("claim", seat=1, pool="king")
    night.do("undo")
    assert night.would("claim", seat=2, pool="marriage")
    night.do("redo")
    night.do("next")
    night.nobody_bets()
    night.settle(1)
    night.do("deal")
    night.do("claim", seat=2, pool="marriage")


def test_other_pools_know_no_conflict() -> None:
    night = melding("modern", 3)
    night.do("claim", seat=1, pool="marriage")
    for seat, pool in ((2, "ace"), (3, "jack"), (2, "ten"), (3, "sequence")):
        night.do("claim", seat=seat, pool=pool)
    assert night.stacks == [50, 47, 47]


# The last deal.


@pytest.mark.parametrize(("deals", "count", "last"), [(2, 3, 2), ("round", 3, 3), (1, 4, 1)])
def test_on_the_last_deal_the_meld_pools_go_to_poch(deals: Any, count: int, last: int) -> None:
    night = Night("modern", count, options={"deals": deals, "last_deal_to_poch": True})
    for _ in range(last - 1):
        night.whole_deal()
        assert night["pools"]["poch"] > 0
    before = night.pools(*MELD)
    assert any(before) == (last > 1)
    night.do("deal")
    night.do("turn", card="TH")
    in_melds = sum(night.pools(*MELD))
    poch, pinke = night.pools("poch", "pinke")
    night.do("next")
    assert night.pools(*MELD) == [0] * 7
    assert night.pools("poch", "pinke") == [poch + in_melds, pinke]


@pytest.mark.parametrize("deals", ["open", "until-short"])
def test_a_night_of_unknown_length_has_no_last_deal(deals: str) -> None:
    night = betting("modern", 3, options={"deals": deals, "last_deal_to_poch": True})
    assert night.pools(*MELD) == [3] * 7


def test_a_round_is_over_when_everybody_who_is_there_has_dealt() -> None:
    night = Night("modern", 3, options={"deals": "round", "last_deal_to_poch": True})
    night.whole_deal()
    night.do("join", name="Zoe")
    night.do("sit_out", seat=2)
    night.whole_deal()
    assert night["dealer"] == 4
    night.do("deal")
    night.do("void")
    assert (night["phase"], night["deal"], night["dealer"]) == ("idle", 2, 4)
    night.whole_deal()
    assert (night["phase"], night["dealer"]) == ("idle", 1), "the second seat has not dealt"
    night.do("sit_in", seat=2)
    night.do("dealer", seat=2)
    night.do("deal")
    night.do("next")
    assert night.pools(*MELD) == [0] * 7


# Shedding.


def test_go_takes_the_bonus_or_what_there_is() -> None:
    night = Night("thirty-one", 4, options={"run_bonus": 3})
    night.shed()
    night.have({1: 10, 2: 2, 3: 0, 4: 3})
    night.do("go", seat=1)
    assert night.stacks == [15, 0, 0, 0]
    night.do("go", seat=1)
    assert night.stacks == [15, 0, 0, 0]
    night.do("out", seat=1)
    night.do("go", seat=2)
    assert night.stacks == [12, 3, 0, 0]


def test_the_run_bonuses_of_a_deal_are_counted() -> None:
    night = Night("thirty-one", 4)
    night.shed()
    assert night.book.state.bonuses == 0
    night.do("go", seat=1)
    night.do("go", seat=3)
    assert night.book.state.bonuses == 2
    night.settle(1)
    night.shed()
    assert night.book.state.bonuses == 0


@pytest.mark.parametrize(
    ("count", "hands"),
    [
        (2, [16, 15]),
        (3, [11, 10, 10]),
        (4, [8, 8, 8, 7]),
        (5, [11, 10, 10, 10, 10]),
        (6, [9, 9, 9, 8, 8, 8]),
    ],
)
@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"])
def test_all_but_one_is_dealt_from_forehand(count: int, hands: list[int], direction: str) -> None:
    night = Night("modern", count, dealer=2, options={"players": [2, 6], "direction": direction})
    order = from_forehand({s: s for s in range(1, count + 1)}, 2, direction)
    night.shed()
    for winner in order:
        night.do("out", seat=winner)
        most = {str(seat): held for seat, held in zip(order, hands, strict=True) if seat != winner}
        for seat, held in some(most.items()):
            code = night.refused("settle", cards={**most, seat: held + 1})
            assert code == "too-many-cards"
        night.do("settle", cards=most)
        night.do("undo")
        night.do("undo")


def test_five_cards_are_five_cards() -> None:
    night = Night("banker", 3)
    night.shed()
    night.do("out", seat=1)
    assert night.refused("settle", cards={"2": 6, "3": 0}) == "too-many-cards"
    night.do("settle", cards={"2": 5, "3": 0})
    assert night.stacks == [15, 5, 10]


def test_settling_pays_a_chip_a_card_or_what_there_is_and_the_centre() -> None:
    night = Night("modern", 4)
    night.shed()
    night.have({1: 3, 2: 0, 3: 20, 4: 20})
    night.do("out", seat=4)
    night.do("settle", cards={"1": 7, "2": 8, "3": 5})
    assert night.stacks == [0, 0, 15, 20 + 4 + 3 + 0 + 5]
    assert night["pools"]["pinke"] == 0
    night = Night("banker", 3)
    night.shed()
    night.fill(pinke=5)
    night.settle(2)
    assert night["pools"]["pinke"] == 5


# Who deals.


def test_the_deal_goes_round_over_gaps() -> None:
    # Places 2, 7, 5 and 4; seat 3 at 5 deals. Clockwise 7, 2, 4; anticlockwise 4, 2, 7.
    for direction, order in (("clockwise", [3, 2, 1, 4]), ("anticlockwise", [3, 4, 1, 2])):
        night = Night("modern", 4, places=[2, 7, 5, 4], dealer=3, options={"direction": direction})
        dealers = []
        for _ in range(5):
            dealers.append(night["dealer"])
            night.whole_deal()
        assert dealers == [*order, order[0]]


def test_a_dealer_that_goes_out_hands_on_the_deal() -> None:
    night = Night("banker", 4, dealer=2)
    night.shed()
    night.have({2: 0, 3: 0})
    night.settle(1)
    assert (night["live"], night["dealer"]) == ([1, 4], 4)


def test_the_dealer_leaves() -> None:
    night = Night("modern", 4, dealer=4, places=[1, 3, 5, 8])
    night.do("leave", seat=4)
    assert night["dealer"] == 1
    night.do("leave", seat=2)
    assert night["dealer"] == 1
    night = Night("modern", 4, places=[1, 3, 5, 8], options={"direction": "anticlockwise"})
    night.do("leave", seat=1)
    assert night["dealer"] == 4


def test_dealer_names_who_deals_next() -> None:
    night = Night("modern", 4)
    night.do("dealer", seat=3)
    night.do("deal")
    night.do("next")
    assert (night["dealer"], night["to_act"]) == (3, 4)


@settings(max_examples=60)
@given(st.data())
def test_forehand_is_found_by_walking_round(data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 8))
    places = data.draw(st.permutations(range(1, 9)))[:count]
    dealer = data.draw(st.integers(1, count))
    direction = data.draw(st.sampled_from(["clockwise", "anticlockwise"]))
    chosen = {"players": [2, 8], "direction": direction}
    night = Night("alvensleben-1853", count, places=places, dealer=dealer, options=chosen)
    order = from_forehand(dict(enumerate(places, 1)), dealer, direction)
    assert order[-1] == dealer
    night.do("deal")
    night.do("next")
    for seat in order:
        assert night["to_act"] == seat
        night.do("pass", seat=seat)
    assert night["leader"] == order[0]
    night.settle(order[0])
    assert night["dealer"] == order[0]


# Who sits.


def test_join_takes_the_lowest_free_place_and_the_nights_stack() -> None:
    night = Night("modern", 3, places=[1, 2, 4], stack=33)
    night.do("join", name=" Zoe ")
    assert (night["places"]["4"], night["stacks"]["4"], night["bought"]["4"]) == (3, 33, 33)
    night.do("join", name="Yves", place=8)
    assert night["places"] == {"1": 1, "2": 2, "3": 4, "4": 3, "5": 8}
    night.do("leave", seat=1)
    night.do("join", name="Anna")
    assert night["places"] == {"2": 2, "3": 4, "4": 3, "5": 8, "6": 1}
    assert night["bank"] == -33 * 5
    assert night["stacks"]["1"] == 0
    assert night["bought"]["1"] == 33 - 33


def test_a_full_table() -> None:
    night = Night("modern", 6)
    assert night.refused("join", name="Zoe") == "table-full"
    night.do("leave", seat=1)
    night.do("join", name="Zoe")
    night = Night("alvensleben-1853", 8)
    assert night.refused("join", name="Zoe") == "table-full"


def test_a_seat_that_is_out_keeps_its_place_but_not_its_chair() -> None:
    night = Night("banker", 8, options={"players": [3, 8]})
    night.shed()
    night.have({8: 0})
    night.settle(1)
    assert night["live"] == [1, 2, 3, 4, 5, 6, 7]
    # Seven seats of at most eight are live, but no place is free.
    assert night.refused("join", name="Zoe") == "table-full"
    night.do("leave", seat=8)
    night.do("join", name="Zoe")
    assert night["places"]["9"] == 8


def test_rebuy_brings_a_seat_back() -> None:
    night = Night("banker", 3)
    night.shed()
    night.have({2: 0})
    night.settle(1)
    assert night["live"] == [1, 3]
    night.do("rebuy", seat=2, chips=4)
    assert (night["live"], night.stacks) == ([1, 2, 3], [10, 4, 10])
    assert night["bought"] == {"1": 10, "2": 14, "3": 10}
    night.do("rebuy", seat=2, chips=4)
    assert night["stacks"]["2"] == 8


def test_leave_pays_back_and_bought_may_be_negative() -> None:
    night = Night("modern", 4)
    night.have({2: 120})
    night.do("leave", seat=2)
    assert (night["bought"]["2"], night["stacks"]["2"], night["bank"]) == (50 - 120, 0, -150)
    night.do("end")
    # Net of seat 2: 0 - (50 - 120) = 70.
    assert night["standings"] == [[2, 0, 70], [1, 50, 0], [3, 50, 0], [4, 50, 0]]


def test_two_must_remain_of_those_that_are_live() -> None:
    night = Night("banker", 3)
    night.shed()
    night.have({2: 0})
    night.settle(1)
    assert night.refused("leave", seat=1) == "too-few"
    night.do("leave", seat=2)
    assert night.refused("leave", seat=3) == "too-few"


# The end.


def test_chips_left_go_back_to_the_bank() -> None:
    night = Night("modern", 3)
    night.whole_deal(2, 1)
    night.do("end")
    # Eight pools of 3 are left; seat 2 won pinke and two cards.
    assert night.stacks == [40, 46, 40]
    assert (night["bank"], night["dealer"], night["phase"]) == (-126, None, "closed")
    assert set(night["pools"].values()) == {0}
    assert night["standings"] == [[2, 46, -4], [1, 40, -10], [3, 40, -10]]


@pytest.mark.parametrize(("chips", "shares"), [(6, [2, 2, 2]), (7, [3, 2, 2]), (8, [3, 3, 2])])
def test_chips_left_are_split(chips: int, shares: list[int]) -> None:
    night = Night("modern", 4, places=[8, 3, 6, 1], options={"leftover": "split"})
    night.do("leave", seat=2)
    night.fill(ace=1, jack=chips - 1)
    night.do("end")
    one, three, four = shares
    assert night.stacks == [50 + one, 0, 50 + three, 50 + four]
    assert night["bank"] == -150 - chips


def test_with_nobody_live_the_rest_is_the_banks() -> None:
    night = Night("banker", 3, options={"leftover": "split"})
    night.shed()
    night.have({1: 0, 2: 0, 3: 0})
    night.settle(1)
    assert (night["phase"], night["live"], night["bank"]) == ("closed", [], 0)
    assert night["standings"] == [[1, 0, -10], [2, 0, -10], [3, 0, -10]]


def test_the_last_with_chips_ends_the_night_and_takes_what_is_split() -> None:
    night = Night("banker", 3, options={"leftover": "split"})
    night.shed()
    night.have({1: 5, 2: 0, 3: 1})
    night.settle(1, cards=1)
    assert (night["phase"], night["live"]) == ("closed", [1])
    assert night.stacks == [6 + 8, 0, 0]


def test_the_number_of_deals_ends_the_night() -> None:
    night = Night("modern", 3, options={"deals": 2})
    night.whole_deal()
    night.do("deal")
    night.do("void")
    night.whole_deal()
    assert (night["phase"], night["deal"]) == ("closed", 2)
    night.do("undo")
    assert night["phase"] == "shed"
    night.do("redo")
    assert night["phase"] == "closed"


def test_until_short_of_the_ante() -> None:
    night = Night("modern", 3, stack=19, options={"deals": "until-short", "ante": 1})
    night.whole_deal(1, 1)
    # 9 and 9 left, 15 with the winner: all can still ante.
    assert (night["phase"], night.stacks) == ("idle", [15, 9, 9])
    night.whole_deal(1, 1)
    assert (night["phase"], night.stacks) == ("closed", [9, 0, 0])


def test_until_short_looks_after_a_deal_only() -> None:
    night = Night("modern", 3, options={"deals": "until-short"})
    night.have({2: 8})
    assert night["phase"] == "idle"
    assert night.refused("deal") == "short-ante"
    night.have({2: 9})
    night.whole_deal()
    assert night["phase"] == "closed"


def test_until_short_where_the_bank_antes() -> None:
    chosen = {"deals": "until-short", "out_when_broke": False}
    night = Night("banker", 3, options=chosen)
    night.shed()
    night.have({2: 1})
    night.settle(1)
    assert night["phase"] == "idle"
    night.shed()
    night.settle(1, cards=1)
    assert night["phase"] == "closed"
    # A seat that is out is not short.
    night = Night("banker", 3, options={"deals": "until-short"})
    night.shed()
    night.have({2: 0})
    night.settle(1)
    assert (night["phase"], night["live"]) == ("idle", [1, 3])


def test_standings_by_net_then_by_seat() -> None:
    night = Night("modern", 4)
    night.do("rebuy", seat=1, chips=30)
    night.have({1: 100, 2: 70, 3: 50, 4: 70})
    night.do("end")
    assert night["standings"] == [[1, 100, 20], [2, 70, 20], [4, 70, 20], [3, 50, 0]]
    nets = [net for _, _, net in night["standings"]]
    assert all(one >= other for one, other in pairwise(nets))


# What is shown, and when.


def test_the_state_before_the_first_night() -> None:
    assert Night(None).all == {
        "phase": "none", "deal": 0, "dealer": None, "to_act": None, "leader": None,
        "knocker": None, "trump": None, "pools": {}, "stacks": {}, "bought": {}, "live": [],
        "sitting_out": [], "places": {}, "blocked": [], "committed": {}, "bank": 0,
        "standings": None,
    }  # fmt: skip


def test_each_value_has_its_phases() -> None:
    night = Night("modern", 3)
    seen: dict[tuple[int, str], list[Any]] = {}
    for name, fields in (
        ("deal", {}),
        ("next", {}),
        ("stake", {"seat": 2, "chips": 1}),
        ("stake", {"seat": 3, "chips": 1}),
        ("pass", {"seat": 1}),
        ("showdown", {"ranking": [3]}),
        ("out", {"seat": 1}),
        ("settle", {"cards": {"2": 0, "3": 0}}),
    ):
        night.do(name, **fields)
        state = night.all
        seen[len(seen), name] = [
            state[key] for key in ("phase", "to_act", "knocker", "committed", "leader", "dealer")
        ]
    assert list(seen.values()) == [
        ["meld", None, None, {}, None, 1],
        ["pochen", 2, None, {}, None, 1],
        ["pochen", 3, 2, {"2": 1}, None, 1],
        ["pochen", 1, 2, {"2": 1, "3": 1}, None, 1],
        ["showdown", None, 2, {"2": 1, "3": 1}, None, 1],
        ["shed", None, None, {}, 3, 1],
        ["shed", None, None, {}, 3, 1],
        ["idle", None, None, {}, None, 2],
    ]


@pytest.mark.parametrize("phase", ["meld", "pochen", "showdown", "shed", "out"])
def test_void_takes_everything_back_to_before_the_deal(phase: str) -> None:
    night = Night("modern", 3)
    night.whole_deal(2, 1)
    night.do("rename", seat=1, name="Antje")
    before = night.all
    names = night.book.state.names
    night.do("deal")
    night.do("rename", seat=2, name="Bert")
    night.do("claim", seat=1, pool="ace")
    if phase != "meld":
        night.do("next")
    if phase == "showdown":
        night.do("stake", seat=3, chips=1)
        night.do("stake", seat=1, chips=1)
        night.do("pass", seat=2)
    elif phase in ("shed", "out"):
        for seat in (3, 1, 2):
            night.do("pass", seat=seat)
    if phase == "out":
        night.do("out", seat=3)
    night.do("void")
    assert night.all == before
    assert night.book.state.names == names
