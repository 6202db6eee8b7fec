"""Replaying a stored night must give the same entries; otherwise the error names the night."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.errors import LedgerError
from pochboard.ledger.book import Book
from pochboard.ledger.replay import NightSummary, StoredNight, replay, summarize
from pochboard.rules.commands import Settle
from tests.core.play import Night, resolve

RULES = Night().book.state.rules


def stored() -> StoredNight:
    """Night 7: a deal, taken back and applied again."""
    night = Night()
    night.do("deal", id="a")
    night.do("undo")
    night.do("redo")
    return StoredNight(7, RULES, {}, False, night.book.entries)


def changed(at: int, **values: Any) -> StoredNight:
    """The same night with one entry that differs from what was recorded."""
    night = stored()
    entries = list(night.entries)
    entries[at - 1] = replace(entries[at - 1], **values)
    return replace(night, entries=entries)


def test_a_replayed_night_is_the_night_that_was_stored() -> None:
    night = stored()
    book = replay(night)
    assert book.entries == night.entries
    assert book.state.phase == "meld"


UNRULY = "Night 7, entry {} does not follow: its number, reference or postings break the rules."


@pytest.mark.parametrize(
    ("night", "sentence"),
    [
        (changed(2, postings=(("bank", -1), ("seat:1", 1))), UNRULY.format(2)),
        (changed(2, postings=()), UNRULY.format(2)),
        (changed(3, ref=1), UNRULY.format(3)),
        (
            changed(2, command=Settle({})),
            "Night 7, entry 2 does not follow: it is refused with wrong-phase.",
        ),
        (
            changed(3, id="a"),
            "Night 7, entry 3 does not follow: its id was used before.",
        ),
        (
            replace(stored(), ruleset=replace(RULES, pools=("ace",))),
            (
                'Night 7 has a ruleset that cannot be played: "ante_pools" needs the pool "king",'
                ' which is not among the "pools".'
            ),
        ),
    ],
)
def test_a_night_that_cannot_be_replayed_is_refused_by_number(
    night: StoredNight, sentence: str
) -> None:
    with pytest.raises(LedgerError) as refused:
        replay(night)
    assert str(refused.value) == sentence


def test_the_summary_of_a_night_in_the_list_of_nights() -> None:
    book = Book(resolve())
    start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
    for time_ms, raw in enumerate((start, {"do": "deal"}, {"do": "void"}), 1_000):
        book.apply(raw, time_ms)
    open_night = NightSummary(
        number=7,
        started_ms=1_000,
        ended_ms=None,
        ruleset="modern",
        players=["Anna", "Ben", "Clara"],
        deals=0,
        entries=3,
        imported=False,
        standings=None,
    )
    assert summarize(7, book.entries, book.state) == open_night
    book.apply({"do": "rebuy", "seat": 2, "chips": 9}, 1_003)
    book.apply({"do": "leave", "seat": 3}, 1_004)
    book.apply({"do": "end"}, 1_005)
    assert summarize(7, book.entries, book.state, imported=True) == replace(
        open_night,
        ended_ms=1_005,
        entries=6,
        imported=True,
        # A player who has gone home stays in the list.
        standings=[(1, 50, 0), (2, 59, 0), (3, 0, 0)],
    )
