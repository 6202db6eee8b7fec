"""Which card bots play: an example of each choice in docs/BOTS.md 3."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from pochboard.bots.card_play import choose_card
from pochboard.bots.strategy import DEFAULT_STRATEGIES, RANDOM, SENSIBLE, View
from pochboard.cards.card import BIT, card_set, cards_of, deck_of
from pochboard.cards.shedding import Tableau
from tests.core.play import Night

ME: Final = 2


def chosen(
    shedding: str,
    held: str,
    *,
    others: str = "",
    run: str = "",
    leader: int = 3,
    talon: str = "",
) -> set[str]:
    """The card that seat 2 plays, by all strategies.

    `held` are its cards, `others` those of the two other seats together. The nine of spades is
    turned up. All other cards of the 32 have been played, except those in the talon.
    """
    night = Night("modern", 3, options={"shedding": shedding, "deck": 32, "hand": 5})
    mine, theirs, lying = tuple(held.split()), others.split(), tuple(run.split())
    hidden = {*mine, *theirs, *talon.split(), "9S"}
    players = [leader, leader % 3 + 1, (leader + 1) % 3 + 1][: len(lying)]
    tableau = Tableau(
        seats=(2, 3, 1),
        turned="9S",
        to_play=ME,
        run=tuple(BIT[card] for card in lying),
        players=tuple(players),
        played=card_set({*deck_of(32)} - hidden),
        hand_sizes=(len(mine), len(theirs) - len(theirs) // 2, len(theirs) // 2),
    )
    assert {*cards_of(tableau.played)} >= set(lying)
    view = View(ME, night.book.state, card_set(mine), "9S", tableau)
    return {choose_card(view, strategy, Random(1)) for strategy in DEFAULT_STRATEGIES}


@pytest.mark.parametrize("shedding", ["sequence", "domino"])
@pytest.mark.parametrize(
    ("held", "others", "talon", "expected"),
    [
        # The run from the seven comes back at the ten: the jack has been played.
        ("7H TH JC", "8H 9H QC KC", "", "7H"),
        # Two consecutive cards of its own: the run ends with its own card.
        ("8H 9H JC", "7H QC KC AD", "", "8H"),
        # No run comes back; the one from the queen sheds two cards.
        ("QH KH 9D", "AH JH 8D TD", "", "QH"),
        # The run from the seven sheds two as well, one of them later.
        ("7H 9H JC", "8H TH TC QC", "", "7H"),
        # One card each; the jack's lower neighbour has been played, so no run reaches it.
        ("9D JC", "8D TD QC KC", "", "JC"),
        # Another seat holds the eight of clubs below the nine; the nine of spades is turned up.
        ("9C TS", "8C TC JS AH", "", "TS"),
        # Leading again is worth more than shedding a card that no run reaches.
        ("AH JC", "KH TH QC KC", "", "AH"),
        # The king comes back only if the ace is in the talon; the ace always does.
        ("KH AC", "QH KC 7D", "AH 8D TD", "AC"),
        # All cards above the queen have been played, so its player leads again.
        ("9D QH", "8D TD JH KD", "AD", "QH"),
    ],
)
def test_leading_a_run(shedding: str, held: str, others: str, talon: str, expected: str) -> None:
    assert chosen(shedding, held, others=others, talon=talon) == {expected}


@pytest.mark.parametrize(
    ("held", "others", "run", "expected"),
    [
        # Nobody can beat the ace, so the lowest card of its suit is led.
        ("7H AH KD", "AD 8H TH QC", "", "7H"),
        # One card beats the king of diamonds, two the queen of hearts.
        ("7H QH 8D KD", "AD KH AH TC", "", "8D"),
        # Once the ace has been played, nothing beats the king.
        ("7H QH 8D KD", "9D KH AH TC", "", "8D"),
        ("7H QH 8D KD", "AD KC TC", "", "7H"),
        # To follow: the lowest legal card.
        ("JH AH 7C", "KH TC", "9H", "JH"),
        ("KH QH AH", "TC 7D", "9H TH", "QH"),
    ],
)
def test_rising(held: str, others: str, run: str, expected: str) -> None:
    assert chosen("rising", held, others=others, run=run) == {expected}


@pytest.mark.parametrize(
    ("held", "others", "run", "leader", "expected"),
    [
        # One card beats the king, none the queen: king and ace of diamonds have been played.
        ("KH QD", "AH 7C 8C TC", "", 3, "QD"),
        # Nobody beats either; the lower is harder to get rid of.
        ("AH QD", "7C 8C TC", "", 3, "QD"),
        # The king is sure to win: the ace is in the same hand.
        ("TH KH AH", "7H QH 8C", "9H", 1, "KH"),
        # Nothing is sure to win while another seat may hold the ace; the king wins so far.
        ("JH KH", "AH QH 8C", "9H", 1, "KH"),
        # Nothing wins: the lowest.
        ("TH 7H", "AH QH 8C", "JH", 1, "7H"),
        # The last to play wins with any higher card.
        ("JH KH", "AH QH 8C", "9H TH", 3, "JH"),
    ],
)
def test_tricks(held: str, others: str, run: str, leader: int, expected: str) -> None:
    assert chosen("tricks", held, others=others, run=run, leader=leader) == {expected}


@pytest.mark.parametrize(
    ("held", "run", "expected"),
    [
        ("7C 9D KH AS", "", "KH"),
        ("7C 9D AS", "", "9D"),
        ("KH 9D AS", "TC JC", "KH"),  # 30 is nearest to 31
        ("KH 8D AS", "TC JC AH", "KH"),  # 31
        ("KH 9D 8D AS", "TC JC AH AD", "9D"),  # 31, and the king does not fit
        ("KH 9D AS 7D", "TC JC 8C", "AS"),  # nothing else fits
    ],
)
def test_thirty_one(held: str, run: str, expected: str) -> None:
    assert chosen("thirty-one", held, others="7H 7S", run=run) == {expected}


@pytest.mark.parametrize("shedding", ["sequence", "rising", "tricks", "thirty-one"])
def test_random_leads_any_card(shedding: str) -> None:
    night = Night("modern", 3, options={"shedding": shedding, "deck": 32, "hand": 5})
    hand = ("7C", "9D", "KH", "AS", "QS")
    tableau = Tableau((2, 3, 1), "9S", ME, hand_sizes=(5, 5, 5))
    view = View(ME, night.book.state, card_set(hand), "9S", tableau)
    led = [{choose_card(view, strategy, Random(seed)) for seed in range(100)}
           for strategy in (RANDOM, SENSIBLE)]  # fmt: skip
    assert led[0] == set(hand)
    assert len(led[1]) == 1
