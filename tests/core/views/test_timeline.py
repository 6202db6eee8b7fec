"""What a replay marks on its timeline, and between whom the chips of an entry move."""

from __future__ import annotations

from typing import Any

from pochboard.ledger.book import Book, Step
from pochboard.ledger.settling import chip_moves
from pochboard.messages.entries import EntryContexts
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.views.nights import mark_of

NIGHT: tuple[dict[str, Any], ...] = (
    {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]},
    {"do": "deal"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 2},
    {"do": "stake", "seat": 3, "chips": 2},
    {"do": "pass", "seat": 1},
    {"do": "showdown", "ranking": [[3], [2]]},
    {"do": "out", "seat": 2},
    {"do": "undo"},
    {"do": "redo"},
    {"do": "settle", "cards": {"1": 4, "3": 0}},
    {"do": "join", "name": "Dora", "place": 8},
    {"do": "undo"},
    {"do": "deal"},
    {"do": "void"},
)


def played() -> Book:
    book = Book(resolve_among(shipped_rulesets()))
    for command in NIGHT:
        step = book.apply(command, 0)
        assert isinstance(step, Step), (command, step)
    return book


def test_deals_claims_showdowns_and_what_was_taken_back_are_marked() -> None:
    book = played()
    contexts = EntryContexts(book.entries, book.states)
    marks = {context.entry.number: mark_of(context) for context in contexts}
    assert {number: mark for number, mark in marks.items() if mark} == {
        2: "deal",
        3: "claim",
        8: "showdown",
        10: "undo",
        11: "undo",
        14: "undo",
        15: "deal",
        16: "undo",
    }


def test_chips_move_from_those_who_pay_to_those_who_receive() -> None:
    book = played()
    for context in EntryContexts(book.entries, book.states):
        sums = {"bank": 0}
        for source, target, chips in chip_moves(context.entry.postings):
            assert chips > 0
            sums[source] = sums.get(source, 0) - chips
            sums[target] = sums.get(target, 0) + chips
        assert {name: chips for name, chips in sums.items() if chips} == dict(
            context.entry.postings
        )
