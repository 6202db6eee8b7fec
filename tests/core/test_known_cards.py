"""What contradicts the hands that the program has dealt is refused (RULES.md 3, known cards)."""

from __future__ import annotations

from pochboard.errors import Refusal
from pochboard.ledger.book import legal_actions
from tests.core.play import Night


def shedding() -> Night:
    """Three seats that shed; the program knows their hands."""
    night = Night()
    night.shed()
    night.book.held = {1: 6, 2: 0, 3: 1}
    return night


def refused(night: Night, **command: object) -> str:
    outcome = night.book.apply(command)
    assert isinstance(outcome, Refusal)
    assert outcome.code == "known-cards"
    return str(outcome.sentence)


def test_a_seat_that_holds_cards_is_not_out() -> None:
    night = shedding()
    assert refused(night, do="out", seat=1).endswith("still holds 6 cards.")
    assert refused(night, do="out", seat=3).endswith("still holds 1 card.")
    assert legal_actions(night.book).seats["out"] == (2,)
    night.do("out", seat=2)
    assert night.book.state.winner == 2


def test_a_count_is_the_number_of_cards_held() -> None:
    night = shedding()
    night.do("out", seat=2)
    assert refused(night, do="settle", cards={"1": 5, "3": 1}).endswith("holds 6 cards.")
    assert "settle" in legal_actions(night.book).commands
    night.do("settle", cards={"1": 6, "3": 1})
    assert night.book.state.phase == "idle"
