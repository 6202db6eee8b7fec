"""The chance that a hand is not beaten by another: against plain counting and drawing."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random
from typing import Final

import pytest

from pochboard.bots.betting import chance_against_one
from pochboard.bots.strategy import View
from pochboard.cards.card import deck_of
from pochboard.rules.state import State
from tests.core.play import Night

RANKS: Final = "23456789TJQKA"


def view_of(hand: tuple[str, ...], turned: str, deck: int, players: int, size: int | str) -> View:
    """What seat 2, who is forehand, sees before the betting."""
    options = {"deck": deck, "hand": size, "players": [2, players]}
    night = Night("modern", players, options=options)
    night.do("deal")
    night.do("turn", card=turned)
    night.do("next")
    state: State = night.book.state
    assert len(hand) == state.hand_sizes[2]
    return View(2, state, hand, turned)


def strength(hand: tuple[str, ...], trump: str) -> list[int]:
    """What a hand is worth by RULES.md 10, as a list that compares, written out once more."""
    counts = {rank: [card[0] for card in hand].count(rank) for rank in RANKS}
    for number in (4, 3, 2):
        ranks = [at for at, rank in enumerate(RANKS) if counts[rank] == number]
        if ranks:
            with_trump = number == 2 and RANKS[ranks[-1]] + trump in hand
            return [number, ranks[-1], int(with_trump)]
    return [0, *sorted((RANKS.index(card[0]) for card in hand), reverse=True)]


def any_hand(chance: Random, deck: int, size: int) -> tuple[tuple[str, ...], str]:
    """A hand, half of the time one with a set, and the card turned up."""
    while True:
        *hand, turned = chance.sample(deck_of(deck), size + 1)
        if chance.random() < 0.5 or strength(tuple(hand), turned[1])[0]:
            return tuple(hand), turned


@pytest.mark.parametrize(("deck", "size"), [(32, 1), (32, 2), (32, 3), (32, 4), (52, 2), (52, 3)])
def test_it_is_what_counting_all_hands_gives(deck: int, size: int) -> None:
    chance = Random(f"{deck} {size}")
    for _ in range(8):
        hand, turned = any_hand(chance, deck, size)
        mine = strength(hand, turned[1])
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        unbeaten = sum(strength(other, turned[1]) <= mine for other in combinations(rest, size))
        expected = unbeaten / comb(len(rest), size)
        assert chance_against_one(view_of(hand, turned, deck, 3, size)) == pytest.approx(
            expected
        ), hand


@pytest.mark.parametrize(
    ("hand", "turned", "beaten"),
    [
        # Of 29 cards in pairs: each higher rank has six, that of the card turned up three.
        (("AH", "AC"), "9S", 1),  # by the two aces left, one of them the trump
        (("AH", "AS"), "9S", 0),
        (("AH", "AC"), "AS", 0),  # the fourth ace has no second
        (("KH", "KC"), "9S", 6 + 1),
        (("KH", "KC"), "AS", 3 + 1),
        (("7H", "7C"), "9S", 6 * 6 + 3 + 1),
        # Without a set: by every pair, and by ace-high where one has none.
        (("KH", "QC"), "9S", 6 * 5 + 3 * 3 + 4 * (29 - 4)),
    ],
)
def test_it_counts_what_beats_two_cards(hand: tuple[str, str], turned: str, beaten: int) -> None:
    view = view_of(hand, turned, 32, 3, 2)
    assert chance_against_one(view) == pytest.approx(1 - beaten / comb(29, 2))


def test_the_smallest_hand_counts_where_some_hold_a_card_more() -> None:
    # 31 cards for three: eleven, ten and ten. Four aces nobody beats, three kings two can.
    aces = ("AC", "AD", "AH", "AS", "7C", "8D", "9H", "TS", "JC", "QD", "KH")
    assert chance_against_one(view_of(aces, "7S", 32, 3, "all-but-one")) == 1.0
    kings = ("KC", "KD", "KH", "7H", "7D", "8C", "8D", "9H", "9S", "TC", "TD")
    # Better: three or four aces, four queens, four jacks; of each other rank two are left.
    view = view_of(kings, "KS", 32, 3, "all-but-one")
    rest = [card for card in deck_of(32) if card not in (*kings, "KS")]
    better = sum(strength(other, "S") > [3, 11, 0] for other in combinations(rest, 10))
    assert chance_against_one(view) == pytest.approx(1 - better / comb(20, 10))


TOLERANCE: Final = 0.12
"""BOTS.md: against several hands the chances are multiplied, though the hands share a deck."""


@pytest.mark.parametrize(
    ("deck", "size", "others"), [(32, 5, 2), (32, 5, 3), (32, 7, 3), (52, 5, 4), (52, 8, 5)]
)
def test_several_others_are_nearly_as_many_times_one(deck: int, size: int, others: int) -> None:
    chance = Random(f"{deck} {size} {others}")
    for _ in range(10):
        hand, turned = any_hand(chance, deck, size)
        mine = strength(hand, turned[1])
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        unbeaten = 0
        for _ in range(1500):
            drawn = tuple(chance.sample(rest, size * others))
            unbeaten += all(
                strength(drawn[at : at + size], turned[1]) <= mine
                for at in range(0, size * others, size)
            )
        estimate = chance_against_one(view_of(hand, turned, deck, others + 1, size)) ** others
        assert abs(estimate - unbeaten / 1500) < TOLERANCE, hand
