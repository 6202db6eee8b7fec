"""The chance that a hand beats another, compared with plain counting and random draws."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from math import comb
from random import Random
from typing import Any, Final

import pytest

from pochboard.bots.betting import View, chance_against_one, chance_of_set
from pochboard.cards.card import card_set, deck_of
from pochboard.rules.state import State
from tests.core.cards.oracle import best_set, compare
from tests.core.play import melding


def view_of(
    hand: tuple[str, ...], turned: str, deck: int, players: int, size: int | str, **options: Any
) -> View:
    """What seat 2, who is forehand, sees before the betting."""
    options |= {"deck": deck, "hand": size, "players": [2, players], "ante_pools": ["poch"]}
    night = melding("modern", players, options=options)
    night.do("turn", card=turned)
    night.do("next")
    state: State = night.book.state
    assert len(hand) == state.hand_sizes[2]
    return View(2, state, card_set(hand), turned)


def any_hand(chance: Random, deck: int, size: int) -> tuple[tuple[str, ...], str]:
    """A hand, often one with a set, and the card turned up."""
    while True:
        *hand, turned = chance.sample(deck_of(deck), size + 1)
        if chance.random() < 0.5 or best_set(hand):
            return tuple(hand), turned


def won(
    hand: Collection[str], other: Collection[str], turned: str, tie_break: str = "trump"
) -> float:
    """1 for a win, 0.5 for a tie."""
    return (compare(hand, other, turned[1], tie_break) + 1) / 2


TIE_BREAKS: Final = ("trump", "side-cards", "suits", "split")


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize(("deck", "size"), [(32, 1), (32, 2), (32, 3), (36, 3), (52, 2)])
def test_it_is_what_counting_all_hands_gives(deck: int, size: int, tie_break: str) -> None:
    chance = Random(f"{deck} {size}")
    for _ in range(3):
        hand, turned = any_hand(chance, deck, size)
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        others = list(combinations(rest, size))
        view = view_of(hand, turned, deck, 3, size, tie_break=tie_break)
        wins = sum(won(hand, other, turned, tie_break) for other in others)
        assert chance_against_one(view) == pytest.approx(wins / len(others)), hand
        sets = sum(bool(best_set(other)) for other in others)
        assert chance_of_set(view) == pytest.approx(sets / len(others))


def test_of_side_cards_only_the_highest_is_compared() -> None:
    hand, turned = ("KC", "KD", "AH", "7S"), "9S"
    rest = [card for card in deck_of(32) if card not in (*hand, turned)]
    wins = 0.0
    for other in combinations(rest, 4):
        result = won(hand, other, turned, "side-cards")
        equal = {card for card in other if card[0] == "K"} == {"KH", "KS"}
        if equal and sum(card[0] == "A" for card in other) == 1:
            result = 0.5
        wins += result
    view = view_of(hand, turned, 32, 3, 4, tie_break="side-cards")
    assert chance_against_one(view) == pytest.approx(wins / comb(len(rest), 4))


TOLERANCE: Final = 0.12
"""BOTS.md: against several hands the chances are multiplied, though the hands share a deck."""
DRAWS: Final = 800
"""Their standard error is 0.018 at most."""


@pytest.mark.parametrize(
    ("deck", "size", "others"), [(32, 5, 2), (32, 5, 3), (32, 7, 3), (52, 5, 4), (52, 8, 5)]
)
def test_several_others_are_nearly_as_many_times_one(deck: int, size: int, others: int) -> None:
    chance = Random(f"{deck} {size} {others}")
    for _ in range(5):
        hand, turned = any_hand(chance, deck, size)
        rest = [card for card in deck_of(deck) if card not in (*hand, turned)]
        wins = 0
        for _ in range(DRAWS):
            drawn = tuple(chance.sample(rest, size * others))
            wins += all(
                won(hand, drawn[at : at + size], turned) > 0 for at in range(0, size * others, size)
            )
        estimate = chance_against_one(view_of(hand, turned, deck, others + 1, size)) ** others
        assert abs(estimate - wins / DRAWS) < TOLERANCE, hand
