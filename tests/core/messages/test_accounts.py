"""What a blocked pool adds to its rules (`test_rules_text.py`), and what a count may mean."""

from __future__ import annotations

from typing import Any

from pochboard.ledger.results import CountHint, Hint
from pochboard.messages.labels import count_hint_text, hint_text, pool_rules
from pochboard.text.translator import ENGLISH
from tests.core.play import melding


def test_a_blocked_pool_cannot_be_won_in_this_deal() -> None:
    night = melding()
    night.do("turn", card="QH")
    assert pool_rules("queen", night.book.state, ENGLISH)[1:] == [
        "In this deal nobody can win it, because the queen of hearts is turned up."
    ]
    assert len(pool_rules("king", night.book.state, ENGLISH)) == 1


def test_hints_say_what_cannot_be_right() -> None:
    def said(*fields: Any) -> str:
        return hint_text(Hint(*fields), melding().book.state, ENGLISH)

    assert said("too-few-chips", "", 1, 150) == (
        "1 chip is missing: 150 should be in play. After a recount, check whether another pool or "
        "stack has too many."
    )
    assert said("too-few-chips", "", 2, 150) == (
        "2 chips are missing: 150 should be in play. After a recount, check whether another pool "
        "or stack has too many."
    )
    assert said("too-many-chips", "", 1, 150) == (
        "There is 1 chip too many: 150 should be in play. After a recount, check whether another "
        "pool or stack has too few."
    )
    assert said("too-many-chips", "", 2, 150) == (
        "There are 2 chips too many: 150 should be in play. After a recount, check whether another "
        "pool or stack has too few."
    )
    assert said("ante-missing", "pool:ace", 2, 3) == (
        "Ace holds 2, but the ante of this deal alone is 3. Has somebody not put in theirs?"
    )
    assert said("odd-pool", "pool:ten", 7, 2) == (
        "Ten holds 7, but only antes of 2 go in. Count it again."
    )


def test_hints_say_what_a_count_may_mean() -> None:
    counted = (
        CountHint(0, "antes-missing", 1),
        CountHint(0, "antes-missing", 2),
        CountHint(0, "antes-twice", 1),
        CountHint(0, "antes-twice", 2),
    )
    assert [count_hint_text(hint, ENGLISH) for hint in counted] == [
        "That is exactly 1 ante less. Has somebody not put in theirs?",
        "That is exactly 2 antes less. Have some players not put in theirs?",
        "That is exactly 1 ante more. Has somebody put in theirs twice?",
        "That is exactly 2 antes more. Have some players put in theirs twice?",
    ]
    assert count_hint_text(CountHint(0, "unpaid", 1), ENGLISH) == (
        "That is exactly one ante more. Has it not been put in?"
    )
    assert count_hint_text(CountHint(0, "paid-twice", 1), ENGLISH) == (
        "That is exactly one ante less. Has it been put in twice?"
    )
