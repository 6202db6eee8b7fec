"""The texts at a table of computer players, and for a person who has taken a seat there."""

from __future__ import annotations

from typing import Any

import pytest

from pochboard.messages.bots import HandContext, hand_actions, hand_prompt, table_message
from pochboard.rules.commands import Claim, Next, Pass, Stake
from pochboard.text.translator import ENGLISH
from tests.core.messages.words import legal
from tests.core.play import Night


def hand(seat: int = 2, **fields: Any) -> HandContext:
    usual = {
        "has_cards": True,
        "may_lay": False,
        "due": (),
        "awaited_seat": None,
        "awaited": None,
    }
    return HandContext(seat=seat, **{**usual, **fields})


def prompt(night: Night, context: HandContext) -> str:
    return hand_prompt(night.book.state, context, [1, 3], ENGLISH)


def said(night: Night, *, dealt: bool = True) -> str:
    return table_message(night.book.state, [1, 3], dealt=dealt, t=ENGLISH)


def table(*commands: str) -> Night:
    night = Night()
    night.do("rename", seat=1, name="Bold Anna")
    night.do("rename", seat=3, name="Careful Clara")
    for one in commands:
        night.do(one)
    return night


def test_what_goes_on_at_the_table() -> None:
    assert said(table()) == "Anna deals next."
    assert said(table("deal"), dealt=False) == "The cards are being dealt."
    assert said(table("deal")) == "Players show the cards that win pools."
    night = table("deal", "next")
    assert said(night) == "The players bet on their sets."
    for seat in (2, 3, 1):
        night.do("stake", seat=seat, chips=1)
    assert said(night) == "The hands are compared."
    night.do("showdown", ranking=[3])
    assert said(night) == "Clara leads."
    night.do("out", seat=1)
    assert said(night) == "Anna is out of cards."
    assert said(Night(None)) == ""


def test_a_bot_may_have_any_name() -> None:
    night = table()
    for name, short in (("Bruno", "Bruno"), ("Very Bold Bruno", "Bruno"), ("Bold Bruno", "Bruno")):
        night.do("rename", seat=1, name=name)
        assert said(night) == f"{short} deals next."
    # People keep their whole name.
    assert table_message(night.book.state, [], dealt=True, t=ENGLISH) == "Bold Bruno deals next."


def test_between_deals_and_without_a_part() -> None:
    night = table()
    assert prompt(night, hand()) == "The next deal brings you new cards."
    night.do("leave", seat=2)
    assert prompt(night, hand()) == "Your seat is not playing now."


def test_while_others_are_awaited() -> None:
    night = table("deal")
    assert prompt(night, hand(awaited_seat=3, awaited="meld")) == "Waiting for Clara."
    assert prompt(night, hand()) == "You play this seat."
    assert prompt(night, hand(has_cards=False)) == "You are out of cards."
    assert prompt(night, hand(due=("ace", "king"))) == "Claim what you hold: Ace and King."


def test_claims_of_a_person() -> None:
    night = table("deal")
    context = hand(due=("ace",), awaited_seat=2, awaited="meld")
    assert prompt(night, context) == "Claim what you hold: Ace. Then press next."
    claim, then = hand_actions(context, legal(night), ENGLISH)
    assert (claim.label, claim.command, claim.main) == (
        "Claim Ace",
        Claim(seat=2, pool="ace"),
        True,
    )
    assert (then.label, then.command, then.main) == ("next", Next(), False)


def test_nothing_more_to_claim() -> None:
    night = table("deal")
    context = hand(awaited_seat=2, awaited="meld")
    assert prompt(night, context) == "You have nothing more to claim. Press next."
    (then,) = hand_actions(context, legal(night), ENGLISH)
    assert (then.command, then.main) == (Next(), True)


def test_what_is_due_may_be_claimed_out_of_turn() -> None:
    context = hand(due=("ace",), awaited_seat=3, awaited="meld")
    (claim,) = hand_actions(context, legal(table("deal")), ENGLISH)
    assert claim.command == Claim(seat=2, pool="ace")


@pytest.mark.parametrize(
    ("knock", "stack", "said_to", "label", "chips"),
    [
        (0, 30, "Your turn: nobody has knocked yet.", "Knock with 1", 1),
        (1, 30, "Your turn: 1 chip to stay in.", "Hold with 1", 1),
        (4, 30, "Your turn: 4 chips to stay in.", "Hold with 4", 4),
        (4, 3, "Your turn: 4 chips to stay in.", "All in with 3", 3),
    ],
)
def test_bets_of_a_person(knock: int, stack: int, said_to: str, label: str, chips: int) -> None:
    night = table("deal")
    night.have({3: stack})
    night.do("next")
    if knock:
        night.do("stake", seat=2, chips=knock)
    else:
        night.do("pass", seat=2)
    context = hand(3, awaited_seat=3, awaited="bet")
    assert prompt(night, context) == said_to
    stake, passing = hand_actions(context, legal(night), ENGLISH)
    assert (stake.label, stake.command) == (label, Stake(seat=3, chips=chips))
    assert (passing.label, passing.command, passing.main) == ("Pass", Pass(seat=3), False)


def test_a_card_to_lay() -> None:
    night = table()
    night.shed()
    assert prompt(night, hand(awaited_seat=2, awaited="lay", may_lay=True)) == (
        "Your turn: play a card."
    )
    assert prompt(night, hand(awaited_seat=2, awaited="lay")) == "Your turn."
