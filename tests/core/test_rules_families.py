"""How the parameters for family rules affect the chips (docs/RULES.md 2 to 6)."""

from __future__ import annotations

from typing import Any

import pytest

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.play import MELD, Night, melding
from tests.not_empty import not_empty

# All cards are dealt, and the last one is shown.


@pytest.mark.parametrize("card", ["AH", "KH", "QS", "JD", "TC", "7H", "8D", "9S"])
def test_a_card_that_is_held_blocks_nothing(card: str) -> None:
    night = melding("modern", 4, options={"hand": "all"})
    night.do("turn", card=card)
    assert night["trump"] == card[1]
    assert night["blocked"] == []
    for pool in ("ace", "jack", "ten", "marriage", "sequence"):
        night.do("claim", seat=2, pool=pool)
    assert night.pools(*MELD) == [0] * 7


def test_the_card_that_is_held_blocks_nothing_and_is_entered_once() -> None:
    night = melding("modern", 3, options={"hand": "all"})
    assert night.refused("turn", card="6H") == "bad-argument"
    night.do("claim", seat=1, pool="ace")
    night.do("turn", card="AH")
    assert night.refused("turn", card="KH") == "already-turned"


def test_the_suit_of_a_card_that_is_held_is_all_there_is_to_say() -> None:
    night = melding("modern", 3, options={"hand": "all"})
    night.do("turn", card="H")
    assert night.refused("turn", card="AH") == "already-turned"


@pytest.mark.parametrize(
    ("deck", "players", "sizes"),
    [
        (32, 4, [8, 8, 8, 8]),
        (32, 3, [11, 11, 10]),
        (32, 5, [7, 7, 6, 6, 6]),
        (36, 5, [8, 7, 7, 7, 7]),
        (40, 3, [14, 13, 13]),
        (52, 3, [18, 17, 17]),
        ("auto", 6, [9, 9, 9, 9, 8, 8]),
    ],
)
def test_all_cards_are_dealt_from_forehand_on(deck: Any, players: int, sizes: list[int]) -> None:
    night = Night("modern", players, dealer=players, options={"hand": "all", "deck": deck})
    night.shed()
    night.do("out", seat=players)
    others = range(1, players)
    most = {str(seat): sizes[seat - 1] for seat in others}
    for seat in not_empty(others):
        more = {**most, str(seat): most[str(seat)] + 1}
        assert night.refused("settle", cards=more) == "too-many-cards"
    night.do("settle", cards=most)


# Who gets which card.


@pytest.mark.parametrize(
    ("options", "live", "order"),
    [
        ({"hand": 2, "ante_pools": ["ace"]}, 3, "012012"),
        ({"hand": 5, "packets": [3, 2]}, 3, "000111222001122"),
        # The packets start again, and the last one only completes the hand.
        ({"hand": 7, "packets": [3, 2]}, 2, "00011100110011"),
        ({"hand": 4, "packets": [3]}, 2, "00011101"),
        ({"hand": "all-but-one", "deck": 32}, 4, "0123" * 7 + "012"),
        ({"hand": "all", "deck": 32}, 3, "012" * 10 + "01"),
        # In packets of four, of which the last is smaller: eleven, eleven and ten.
        ({"hand": "all", "deck": 32, "packets": [4]}, 3, "000011112222" * 2 + "00011122"),
    ],
)
def test_the_order_in_which_cards_are_dealt(options: dict[str, Any], live: int, order: str) -> None:
    rules = override(shipped_rulesets()["modern"], options)
    dealt = "".join(map(str, rules.deal_order(live)))
    assert dealt == order
    assert [dealt.count(str(seat)) for seat in range(live)] == list(rules.hand_sizes(live))


# A suit that is always trump.


@pytest.mark.parametrize(
    ("suit", "code"), [("clubs", "C"), ("diamonds", "D"), ("hearts", "H"), ("spades", "S")]
)
def test_a_fixed_suit_is_trump_from_the_deal_to_its_end(suit: str, code: str) -> None:
    night = Night("modern", 3, options={"hand": "all", "trump": suit})
    states = [(night["trump"], night["blocked"])]
    night.do("deal")
    states.append((night["trump"], night["blocked"]))
    assert states == [(None, []), (code, [])]
    assert night.refused("turn", card=f"A{code}") == "no-turned-card"
    night.do("claim", seat=1, pool="king")
    night.do("next")
    assert night["trump"] == code
    night.nobody_bets()
    assert night["trump"] == code
    night.settle(1)
    assert (night["phase"], night["trump"]) == ("idle", None)
    night.do("deal")
    night.do("void")
    assert night["trump"] is None


# Decks.


# Pinke as the bet pool, with and without Poch.


@pytest.mark.parametrize(("takes", "poch"), [(True, 0), (False, 3)])
@pytest.mark.parametrize("alone", [True, False])
def test_pinke_takes_poch_only_if_the_ruleset_says_so(takes: bool, poch: int, alone: bool) -> None:
    # Otherwise nothing may put chips into Poch.
    ante = MELD if not takes else (*MELD, "poch")
    night = melding("banker", 3, options={"bet_pool_takes_poch": takes, "ante_pools": list(ante)})
    night.fill(pinke=4, poch=3)
    night.do("next")
    night.do("stake", seat=2, chips=2)
    night.do("pass", seat=3)
    if alone:
        night.do("pass", seat=1)
        won = 4 + 3 - poch
    else:
        night.do("stake", seat=1, chips=2)
        night.do("showdown", ranking=[2])
        won = 4 + 2 + 3 - poch
    assert night.pools("poch", "pinke") == [poch, 0]
    assert night.stacks[1] == 10 + won


# The last deal.


def test_on_the_last_deal_the_meld_pools_may_go_to_pinke() -> None:
    night = melding("modern", 3, options={"deals": 1, "last_deal_to": "pinke"})
    night.do("turn", card="TH")  # blocked, but moved too
    night.do("claim", seat=1, pool="ace")
    night.do("next")
    assert night.pools(*MELD) == [0] * 7
    assert night.pools("poch", "pinke") == [3, 3 + 6 * 3]


# Seats that cannot ante.


def short_table(**options: Any) -> Night:
    """Four seats at places 1 to 4; the second one deals and is a chip short of the antes."""
    night = Night("modern", 4, dealer=2, options={"short_seats": "retire", **options})
    night.have({2: 8})
    return night


def test_a_seat_that_cannot_ante_goes_out_and_the_deal_goes_on() -> None:
    night = short_table()
    night.do("deal")
    assert night["live"] == [1, 3, 4]
    assert night.stacks == [41, 8, 41, 41]
    assert night["pools"]["ace"] == 3
    # It was the dealer: the next live seat deals, and the one after that is forehand.
    assert night["dealer"] == 3
    night.do("next")
    assert night["to_act"] == 4


def test_the_seat_is_out_until_it_buys_in() -> None:
    night = short_table()
    night.do("deal")
    assert night.refused("claim", seat=2, pool="ace") == "seat-out"
    night.do("next")
    night.nobody_bets()
    night.do("out", seat=1)
    assert night.refused("settle", cards={"2": 0, "3": 0, "4": 0}) == "seat-out"
    night.do("settle", cards={"3": 0, "4": 0})
    assert night["live"] == [1, 3, 4]
    night.do("rebuy", seat=2, chips=1)
    assert night["live"] == [1, 2, 3, 4]
    night.do("deal")
    assert night.stacks[1] == 0
