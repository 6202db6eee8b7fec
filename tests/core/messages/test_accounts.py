"""What a blocked pool adds to its rules (`test_rules_text.py`), and what a count may mean."""

from __future__ import annotations

from typing import Any

from pochboard.ledger.results import Hint
from pochboard.messages.labels import hint_text
from pochboard.text.translator import ENGLISH
from tests.core.play import melding


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
