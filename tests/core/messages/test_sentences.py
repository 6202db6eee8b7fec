"""Sentences of nights, accounts and faults, and how the places in them are filled."""

from __future__ import annotations

from errno import ENOSPC
from typing import Any

import pytest

from pochboard.errors import BackupStorageError
from pochboard.history import left_on_board, night_statistics
from pochboard.ledger.replay import NightSummary
from pochboard.ledger.results import Hint, summary_results
from pochboard.messages.labels import fault_text, hint_text
from pochboard.messages.nights import (
    listed_result,
    listed_summary,
    listed_winners,
    night_records,
    night_title,
)
from pochboard.rules.state import Standing
from pochboard.store import connection
from pochboard.text.lazy import LazyText, Noun, lazy_gettext, lazy_text
from pochboard.text.translator import ENGLISH, isolated, translator
from tests.core.play import Night, melding


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


def records(night: Night) -> tuple[str, ...]:
    entries, states = night.book.entries, night.book.states
    left = left_on_board(entries, states)
    return night_records(night_statistics(1, entries, states), left, ENGLISH)


def test_the_records_of_a_night() -> None:
    night = Night(players=3, dealer=3)
    for deal in range(2):
        night.do("deal")
        for pool in ("ace", "king", "ten")[: 1 + 2 * deal]:
            night.do("claim", seat=1, pool=pool)
        night.do("next")
        knocker = night["to_act"]
        night.do("stake", seat=knocker, chips=2)
        night.nobody_bets()
        night.settle(winner=2)
    night.do("end")
    assert records(night) == (
        "Left on the board: Queen 6, Jack 6, Marriage 6, Sequence 6.",
        "Largest Poch: Anna and Ben, 3.",
        "Most pools with cards: Anna, 4.",
        "Most knocks: Anna and Ben, 1.",
        "Out first most often: Ben, 2.",
        "Luckiest with the cards: Anna. Pools won: 4, expected: 3.2.",
    )


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
        "Ten holds 7, which cannot be antes of 2. Count it again."
    )


TABLE = "The game does not respond: presses and commands are not recorded."
BY_HAND = "If this lasts, restart pochboard. Everything recorded so far is safe."


def text(*faults: tuple[str, str], restarts: bool = True) -> str:
    return fault_text(faults, restarts=restarts)


def test_without_a_watchdog_somebody_has_to_restart_it() -> None:
    assert text(("table", ""), restarts=False) == f"{TABLE} {BY_HAND}"


def test_a_ledger_that_cannot_be_written_says_why() -> None:
    why = "ledger.db is locked by another program. End that program and try again."
    assert text(("store", why)) == f"Nothing can be recorded: {why}"


REASONS = {
    "FULL": "",
    "BUSY": "",
    "READONLY": lazy_gettext("Read-only file system"),
    "IOERR": lazy_gettext("Input/output error"),
    "CONSTRAINT": "entries are numbered in order",
}
SAID = (
    lazy_text(BackupStorageError(Noun("the backup"), OSError(ENOSPC, "No space left on device"))),
    *(
        LazyText(connection._SENTENCES[kind], path=Noun("the record of the nights"), reason=reason)
        for kind, reason in REASONS.items()
    ),
)


@pytest.mark.parametrize("said", SAID)
def test_every_sentence_of_the_store_is_translated(said: LazyText) -> None:
    german = said.in_language(translator("de"))
    assert german != said
    assert "record" not in german
    assert said.in_language(ENGLISH) == said


def test_what_the_system_said_is_kept_or_translated() -> None:
    t = translator("de")
    assert "(Ein-/Ausgabefehler)" in SAID[4].in_language(t)
    assert "entries are numbered in order" in SAID[5].in_language(t)


def test_a_name_from_right_to_left_changes_no_order_of_words() -> None:
    # Else the number would stand before the name, and the two names would change places.
    name = "\N{FIRST STRONG ISOLATE}שרה\N{POP DIRECTIONAL ISOLATE}"
    assert ENGLISH.gettext("{name}: {chips}", name="שרה", chips="+3") == f"{name}: +3"
    assert ENGLISH.listed(["שרה", "Ben", "שרה"]) == f"{name}, Ben and {name}"
    assert ENGLISH.gettext("Undone: {sentence}", sentence=f"{name} passes.").count(name) == 1
    assert isolated("Jörg") == "Jörg"


def test_numbers_have_the_marks_of_the_language() -> None:
    assert ENGLISH.number(1234567, ",") == "1,234,567"
    german = translator("de")
    assert german.number(1234.5, "+,.2f") == "+1.234,50"
    assert ENGLISH.number(-3.25, "+.1f") == "−3.2"
    assert german.gettext("{count:,} × {time:.2f}", count=4000, time=0.5) == "4.000 × 0,50"
