"""The commentary on the cards at a table of bots."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pochboard.cards.card import BIT, Card, card_set
from pochboard.cards.shedding import Tableau
from pochboard.messages.commentary import (
    BetReason,
    card_played,
    cards_dealt_again,
    cards_shown,
    last_card,
    takes_run,
    trump_suit,
    turned_card_is_kept,
    why_bet,
    why_run_is_over,
)
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.text.translator import ENGLISH
from tests.core.play import Night


def over(
    shedding: str, card: Card, *, played: tuple[Card, ...] = (), turned: Card = "AS", count: int = 0
) -> str:
    """Why nobody plays on a card."""
    rules = override(shipped_rulesets()["modern"], {"shedding": shedding})
    tableau = Tableau(
        seats=(1, 2, 3),
        turned=turned,
        to_play=None,
        run=(BIT[card],),
        played=card_set((card, *played)),
    )
    return why_run_is_over(card, rules, tableau, count, ENGLISH)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (over("sequence", "AH"), "The ace ends it."),
        (over("sequence", "KH", turned="AH"), "The ace of hearts is turned up."),
        (over("sequence", "9H", played=("TH",)), "The 10 of hearts has been played."),
        (over("domino", "9H"), "The 10 of hearts is in the talon."),
        (over("rising", "9H"), "Nobody can follow."),
        (over("rising", "AH"), "The ace ends it."),
        (over("tricks", "AH"), "Nobody can follow."),
        (over("thirty-one", "7H", count=31), "That makes 31."),
        (over("thirty-one", "7H", count=27), "Nobody adds to 27."),
    ],
)
def test_why_a_run_is_over(said: str, sentence: str) -> None:
    assert said == sentence


def test_cards_that_are_seen() -> None:
    assert card_played("Anna", "KH", ENGLISH, leads=True) == "Anna leads the king of hearts."
    assert card_played("Ben", "TC", ENGLISH, leads=False) == "Ben plays the 10 of clubs."
    assert last_card(ENGLISH) == "That was the last card!"
    assert takes_run("Clara", ENGLISH) == "Clara takes it and leads."
    assert cards_dealt_again(ENGLISH) == "The cards are dealt again."
    assert trump_suit("D", ENGLISH) == "The trump suit is diamonds."
    assert turned_card_is_kept("Ben", ENGLISH) == "Ben keeps it in hand."


def test_cards_that_are_shown() -> None:
    assert cards_shown(["AH"], ENGLISH) == "On show: the ace of hearts."
    assert cards_shown(["7H", "8H", "9H"], ENGLISH) == (
        "On show: the 7 of hearts, the 8 of hearts and the 9 of hearts."
    )


BY_CHANCE = BetReason(why="chance", chips=3, prize=11, chance=0.604)
HELD = replace(BY_CHANCE, stakes=True, need=3, raiser=2)
PASSED = replace(HELD, stakes=False)


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (
            replace(BY_CHANCE, stakes=True),
            "Anna knocked with three nines: the chance to win was about 60%.",
        ),
        (
            replace(HELD, chips=7),
            "Anna raised with three nines: the chance to win 11 was about 60%.",
        ),
        (
            HELD,
            "Anna held with three nines: 3 chips could win 11, with a chance of about 60%.",
        ),
        (
            replace(HELD, chips=1, need=1),
            "Anna held with three nines: 1 chip could win 11, with a chance of about 60%.",
        ),
        (
            PASSED,
            (
                "Anna passed with three nines: 3 chips could win 11,"
                " but after Ben’s stake the chance was only about 60%."
            ),
        ),
        (
            replace(PASSED, chips=1, need=1),
            (
                "Anna passed with three nines: 1 chip could win 11,"
                " but after Ben’s stake the chance was only about 60%."
            ),
        ),
        (
            BY_CHANCE,
            "Anna passed with three nines: 3 chips would have won 11 only about 60% of the time.",
        ),
        (
            replace(BY_CHANCE, chips=1),
            "Anna passed with three nines: 1 chip would have won 11 only about 60% of the time.",
        ),
        (replace(BY_CHANCE, prize=0), "Anna passed with three nines: the pool was empty."),
        (
            BetReason(why="bluff", stakes=True),
            "Anna bluffed with three nines, hoping that everybody else would pass.",
        ),
        (BetReason(why="no-bluff"), "Anna passed with three nines, and did not bluff."),
        (BetReason(why="alone", stakes=True), "Anna knocked because all others had passed."),
        (BetReason(why="alone-without-set"), "Anna had no set and left the pool as it was."),
        (BetReason(why="needs-set"), "Anna passed: only a hand with a set may stake."),
        (BetReason(why="cannot-win"), "Anna passed: without a set nothing can be won."),
        (BetReason(why="too-dear"), "Anna passed: the stack was too small to stay in."),
        (BetReason(why="random"), "Anna bets at random."),
    ],
)
def test_why_somebody_bet_so(reason: BetReason, sentence: str) -> None:
    state = Night("modern", 3).book.state
    assert why_bet(state, 1, reason, "three nines", ENGLISH) == sentence
