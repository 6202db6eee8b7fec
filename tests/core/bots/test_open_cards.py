"""Which cards everybody sees at a bots' table after a showdown."""

from __future__ import annotations

import pytest

from pochboard.bots.betting import SENSIBLE
from pochboard.bots.bot_table import BotCommand, BotTable
from pochboard.bots.open_cards import Onlooker, OpenCards
from pochboard.cards.card import Dealt
from pochboard.rules.commands import Showdown
from tests.core.play import Night

HANDS: dict[int, tuple[str, ...]] = {
    2: ("KD", "KH", "QD"),
    3: ("AC", "TC", "7S"),
    1: ("KC", "KS", "AD"),
}


def after_showdown(ranking: list[int], **options: object) -> OpenCards:
    """What can be seen after a showdown of seats 1 and 2; seat 3 has passed, hearts are trumps."""
    night = Night("modern", 3, options={"hand": 3, **options})
    table = BotTable(dict.fromkeys((1, 2, 3), SENSIBLE), "seed")
    night.do("deal")
    night.do("turn", card="9H")
    night.do("next")
    night.do("stake", seat=2, chips=1)
    night.do("pass", seat=3)
    night.do("stake", seat=1, chips=1)
    before = night.book.state
    table.cards.put(before, Dealt(hands=HANDS, turned="9H", talon=()))
    night.do("showdown", ranking=ranking)
    onlooker = Onlooker(table)
    onlooker.observe(before, BotCommand(Showdown(list(ranking))))
    return onlooker.open_cards(night.book.state, waits=None)


@pytest.mark.parametrize("tie_break", ["trump", "suits", "split"])
def test_a_showdown_shows_the_sets_alone(tie_break: str) -> None:
    seen = after_showdown([2, 1], tie_break=tie_break)
    assert seen.shown == {1: ("KC", "KS"), 2: ("KH", "KD")}


def test_what_was_shown_goes_back_into_the_hand() -> None:
    assert after_showdown([2, 1]).backs == {1: 3, 2: 3, 3: 3}
