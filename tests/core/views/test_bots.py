"""The texts at a table of computer players, and for a person who has taken a seat there."""

from __future__ import annotations

from typing import Any

import pytest

from pochboard.bots.bot_table import AwaitPerson
from pochboard.rules.commands import Claim, Next, Pass, Stake
from pochboard.table.snapshot import Hand
from pochboard.text.translator import ENGLISH
from pochboard.views.bots import HandAnswer, hand_answer
from tests.core.play import Night
from tests.core.views.moments import bots, snapshot


def hand(
    night: Night, seat: int = 2, waits: AwaitPerson | None = None, **fields: Any
) -> HandAnswer:
    """What is said to the person at a seat; computer players play the first and third."""
    usual = {"cards": ("AH",), "playable": (), "due": ()}
    table = bots({1: "bold", 2: "person", 3: "careful"}, waits=waits)
    return hand_answer(Hand(seat=seat, **{**usual, **fields}), snapshot(night, bots=table), ENGLISH)


def table(*commands: str) -> Night:
    night = Night()
    night.do("rename", seat=1, name="Bold Anna")
    night.do("rename", seat=3, name="Careful Clara")
    for command in commands:
        night.do(command)
    return night


def test_while_others_are_awaited() -> None:
    night = table("deal")
    assert hand(night, waits=AwaitPerson(3, "meld")).prompt == "Waiting for Clara."
    assert hand(night).prompt == "You play this seat."
    assert hand(night, cards=()).prompt == "You are out of cards."
    assert hand(night, due=("ace", "king")).prompt == "Claim what you hold: Ace and King."


def test_claims_of_a_person() -> None:
    night = table("deal")
    answer = hand(night, due=("ace",), waits=AwaitPerson(2, "meld"))
    assert answer.prompt == "Claim what you hold: Ace. Then press next."
    claim, then = answer.actions
    assert (claim.label, claim.command, claim.main) == (
        "Claim Ace",
        Claim(seat=2, pool="ace"),
        True,
    )
    assert (then.label, then.command, then.main) == ("next", Next(), False)


@pytest.mark.parametrize(
    ("knock", "stack", "said_to", "label", "chips"),
    [
        (0, 30, "Who’s betting? Your turn", "Knock with 1", 1),
        (1, 30, "Your turn: 1 chip to stay in", "Stay in with 1", 1),
        (4, 30, "Your turn: 4 chips to stay in", "Stay in with 4", 4),
        (4, 3, "Your turn: all in with 3, or pass", "All in with 3", 3),
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
    answer = hand(night, 3, AwaitPerson(3, "bet"))
    assert answer.prompt == said_to
    stake, passing = answer.actions
    assert (stake.label, stake.command) == (label, Stake(seat=3, chips=chips))
    assert (passing.label, passing.command, passing.main) == ("Pass", Pass(seat=3), False)
