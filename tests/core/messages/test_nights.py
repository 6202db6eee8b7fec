"""Nights of the list in sentences."""

from __future__ import annotations

import pytest

from pochboard.ledger.replay import NightSummary
from pochboard.ledger.results import summary_results
from pochboard.messages.nights import (
    listed_result,
    listed_summary,
    listed_winners,
    night_title,
)
from pochboard.rules.state import Standing
from pochboard.text.translator import ENGLISH


def night(
    standings: list[tuple[int, int, int]] | None,
    *,
    deals: int = 4,
    entries: int = 57,
    imported: bool = False,
) -> NightSummary:
    return NightSummary(
        number=3,
        started_ms=0,
        ended_ms=None if standings is None else 1,
        ruleset="modern",
        players=["Anna", "Ben", "Clara"],
        deals=deals,
        entries=entries,
        imported=imported,
        standings=None if standings is None else [Standing(*row) for row in standings],
    )


@pytest.mark.parametrize(
    ("standings", "winners", "result"),
    [
        (None, None, "Still open"),
        ([(2, 61, 11), (1, 50, 0), (3, 39, -11)], "Ben", "Ben won with 61 chips, a net of +11."),
        ([(3, 1, 0), (1, 49, -1), (2, 0, -2)], "Clara", "Clara won with 1 chip, a net of ±0."),
        (
            [(1, 55, 5), (3, 105, 5), (2, 40, -10)],
            "Anna and Clara",
            "Anna and Clara shared the win with a net of +5 each.",
        ),
    ],
)
def test_who_won(
    standings: list[tuple[int, int, int]] | None, winners: str | None, result: str
) -> None:
    over = night(standings)
    results = summary_results(over)
    assert listed_winners(results, ENGLISH) == winners
    assert listed_result(over, results, ENGLISH) == result


def test_the_title_of_a_night() -> None:
    assert night_title(night(None), None, ENGLISH) == "Night 3 · modern"
    assert night_title(night(None, imported=True), "Christmas", ENGLISH) == (
        "Christmas · Night 3 · modern · from paper"
    )


def test_what_a_night_was() -> None:
    assert listed_summary(night(None), ENGLISH) == (
        "Night 3, modern: Anna, Ben and Clara. 4 deals. 57 entries."
    )
    assert listed_summary(night(None, deals=1, entries=1, imported=True), ENGLISH) == (
        "Night 3, modern: Anna, Ben and Clara. 1 deal. 1 entry. Kept on paper."
    )


def test_a_damaged_night_is_listed() -> None:
    damaged = NightSummary(3, 0, None, "damaged", [], 0, 0, False, None)
    assert listed_result(damaged, (), ENGLISH) == "This night is damaged and cannot be shown."
    assert listed_summary(damaged, ENGLISH) == "Night 3 is damaged."
    assert damaged.status == "damaged"
