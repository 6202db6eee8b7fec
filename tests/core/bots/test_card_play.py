"""Which card bots play: an example of each choice in docs/BOTS.md 3."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from pochboard.bots.betting import DEFAULT_STRATEGIES, View
from pochboard.bots.card_play import choose_card
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
