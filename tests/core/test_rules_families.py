"""How the parameters for family rules affect the chips (docs/RULES.md 2 to 6)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.play import Night, melding
from tests.not_empty import not_empty

# All cards are dealt, and the last one is shown.


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


# A suit that is always trump.


# Decks.


# Pinke as the bet pool, with and without Poch.


# The last deal.


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
