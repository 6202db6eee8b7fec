"""Antes, melding, shedding, who sits and deals, and the end (docs/RULES.md 3, 4, 7 and 8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pochboard.errors import Refusal
from pochboard.ledger.book import legal_actions
from tests.core.oracle import from_forehand
from tests.core.panel_driver import started
from tests.core.play import MELD, Night, melding
from tests.not_empty import not_empty

# Ante.


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


def test_a_suit_alone_says_what_is_trumps_from_the_deal_to_its_end() -> None:
    night = melding("modern", 3)
    night.do("claim", seat=1, pool="ace")
    night.do("turn", card="H")
    assert (night["trump"], night["blocked"]) == ("H", [])
    assert night.refused("turn", card="S") == "already-turned"
    assert night.refused("turn", card="H") == "already-turned"
    night.do("undo")
    night.do("next")
    assert night.refused("turn", card="TH") == "too-late"
    night.do("turn", card="S")
    while night["phase"] == "pochen":
        night.do("pass", seat=night["to_act"])
    assert night["trump"] == "S"
    night.settle(1)
    assert night["trump"] is None


def test_the_card_may_follow_its_suit_where_it_counts() -> None:
    night = melding("modern", 3, dealer=2, options={"turned_card": "dealer"})
    night.do("turn", card="H")
    assert night.refused("turn", card="AS") == "already-turned"
    night.do("turn", card="AH")
    assert night.stacks == [41, 44, 41]
    assert night.refused("turn", card="TH") == "already-turned"


# Claims.


@pytest.mark.parametrize("first", ["king", "queen"])
def test_marriage_is_refused_once_another_seat_has_taken_king_or_queen(first: str) -> None:
    night = melding("modern", 3)
    night.do("claim", seat=2, pool=first)
    for seat in (1, 3):
        assert night.refused("claim", seat=seat, pool="marriage") == "conflict"
    night.do("claim", seat=2, pool="marriage")


# The last deal.


@pytest.mark.parametrize(("deals", "count", "last"), [(2, 3, 2), ("round", 3, 3), (1, 4, 1)])
def test_on_the_last_deal_the_meld_pools_go_to_poch(deals: Any, count: int, last: int) -> None:
    night = Night("modern", count, options={"deals": deals, "last_deal_to": "poch"})
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


def test_a_round_is_over_when_everybody_who_is_there_has_dealt() -> None:
    night = Night("modern", 3, options={"deals": "round", "last_deal_to": "poch"})
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
        for seat, held in not_empty(most.items()):
            code = night.refused("settle", cards={**most, seat: held + 1})
            assert code == "too-many-cards"
        night.do("settle", cards=most)
        night.do("undo")
        night.do("undo")


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


# The end.


@pytest.mark.parametrize(("chips", "shares"), [(6, [2, 2, 2]), (7, [3, 2, 2]), (8, [3, 3, 2])])
def test_chips_left_are_split(chips: int, shares: list[int]) -> None:
    night = Night("modern", 4, places=[8, 3, 6, 1], options={"leftover": "split"})
    night.do("leave", seat=2)
    night.fill(ace=1, jack=chips - 1)
    night.do("end")
    one, three, four = shares
    assert night.stacks == [50 + one, 0, 50 + three, 50 + four]
    assert night["bank"] == -150 - chips


# What is shown, and when.


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


def test_a_seat_that_sits_out_pays_no_ante_and_gets_no_cards() -> None:
    night = Night(players=4)
    night.do("sit_out", seat=3)
    assert (night["live"], night["sitting_out"]) == ([1, 2, 4], [3])
    assert night["places"]["3"] == 3
    night.do("deal")
    assert night["stacks"] == {"1": 41, "2": 41, "3": 50, "4": 41}
    assert 3 not in night.book.state.hand_sizes
    assert night.refused("claim", seat=3, pool="ace") == "seat-out"
    assert night.refused("sit_in", seat=3) == "wrong-phase"


def test_who_sits_out_is_neither_dealer_nor_forehand() -> None:
    night = Night(players=4)
    night.do("sit_out", seat=2)
    assert (night["dealer"], night.book.state.forehand) == (1, 3)
    night.do("sit_out", seat=1)
    assert (night["dealer"], night.book.state.forehand) == (3, 4)
    assert night.refused("dealer", seat=1) == "seat-out"
    night.do("sit_in", seat=1)
    assert (night["dealer"], night.book.state.forehand) == (3, 4)
    assert night["live"] == [1, 3, 4]


def test_two_must_play_and_only_who_sits_out_can_sit_in() -> None:
    night = Night(players=4)
    night.do("leave", seat=4)
    assert night.refused("sit_in", seat=4) == "seat-left"
    assert night.refused("sit_in", seat=2) == "not-sitting-out"
    night.do("sit_out", seat=3)
    assert night.refused("sit_out", seat=3) == "seat-out"
    assert night.refused("sit_out", seat=2) == "too-few"
    assert night.refused("leave", seat=2) == "too-few"
    assert legal_actions(night.book).seats["sit_in"] == (3,)
    assert "sit_out" not in legal_actions(night.book).commands


def test_at_the_board_the_own_place_and_pinke_bring_a_player_back() -> None:
    driver = started()
    driver.phone("sit_out", seat=3)
    assert driver.press("seat5", "pinke") is None
    command: dict[str, Any] = {"do": "sit_in", "seat": 3}
    assert (driver.commands[-1], driver.state.live) == (command, (1, 2, 3, 4))


def shedding() -> Night:
    """Three seats that shed; the program knows their hands."""
    night = Night()
    night.shed()
    night.book.held = {1: 6, 2: 0, 3: 1}
    return night


def refused(night: Night, **command: object) -> str:
    outcome = night.book.apply(command)
    assert isinstance(outcome, Refusal)
    assert outcome.code == "known-cards"
    return str(outcome.sentence)


def test_a_seat_that_holds_cards_is_not_out() -> None:
    night = shedding()
    assert refused(night, do="out", seat=1).endswith("still holds 6 cards.")
    assert refused(night, do="out", seat=3).endswith("still holds 1 card.")
    assert legal_actions(night.book).seats["out"] == (2,)
    night.do("out", seat=2)
    assert night.book.state.winner == 2


def test_a_count_is_the_number_of_cards_held() -> None:
    night = shedding()
    night.do("out", seat=2)
    assert refused(night, do="settle", cards={"1": 5, "3": 1}).endswith("holds 6 cards.")
    assert "settle" in legal_actions(night.book).commands
    night.do("settle", cards={"1": 6, "3": 1})
    assert night.book.state.phase == "idle"
