"""An entry further back is corrected (RULES.md 3, corrections)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from pochboard.errors import Refusal
from pochboard.ledger.book import Book, Step
from pochboard.ledger.correcting import (
    NoLongerHolds,
    correct,
    correctable_from,
    insertable,
    is_correctable,
    may_follow_insertion,
)
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import StoredNight, in_force, replay
from pochboard.rules.commands import (
    AnyCommand,
    BadCommand,
    Start,
    command_name,
    parse_command,
)
from pochboard.rules.state import public_state
from tests.core.play import USUAL, Night, attempts, melding, resolve, starts


def parsed(raw: dict[str, Any]) -> AnyCommand:
    command = parse_command(raw)
    assert not isinstance(command, BadCommand), command
    return command


def corrected(
    night: Night, number: int, /, *, insert: bool = False, **command: Any
) -> Sequence[Step]:
    """Corrects an entry, or leaves it out if no command is given."""
    steps = correct(night.book, number, parsed(command) if command else None, insert=insert)
    assert isinstance(steps, Sequence), steps
    for step in steps:
        night.book.accept(step)
    return steps


def refused(night: Night, number: int, /, *, insert: bool = False, **command: Any) -> Refusal:
    entries, state = list(night.book.entries), night.book.state
    tried = parse_command(command) if command else None
    outcome = correct(night.book, number, tried, insert=insert)
    assert isinstance(outcome, Refusal), outcome
    assert (night.book.entries, night.book.state) == (entries, state)
    return outcome


def commands(entries: Sequence[Entry]) -> list[AnyCommand]:
    return [entry.command for entry in entries]


def claimed() -> Night:
    """Entries 3 to 5: seat 1 has claimed Ace, seat 2 King, and the betting has begun."""
    night = melding()
    night.do("claim", seat=1, pool="ace")
    night.do("claim", seat=2, pool="king")
    night.do("next")
    return night


# The night as it should have been.


def played_right(started: Entry, night: Book, line: Sequence[AnyCommand]) -> Book | int:
    """A night of these commands after its start; or the place of the first that is refused."""
    assert isinstance(started.command, Start)
    book = Book(night.resolve)
    for place, command in enumerate((started.command, *line), start=-1):
        step = book.consider(command)
        if isinstance(step, Refusal):
            return place
        assert isinstance(step, Step)
        book.accept(step)
    return book


def play_on(book: Book, chance: random.Random, steps: int) -> None:
    """Sends mostly usual commands, some of which are refused, and sometimes goes back."""
    for _ in range(steps):
        state = public_state(book.state)
        names = USUAL[state["phase"]] if chance.random() < 0.9 else ("undo", "redo", "void")
        name = chance.choice([name for name in names if name != "start"] or ["undo"])
        tries = list(attempts(name, state))
        chance.shuffle(tries)
        any(isinstance(book.apply(raw), Step) for raw in tries)


@given(starts(), st.integers(0, 2**32), st.integers(5, 70))
def test_a_corrected_night_is_the_night_played_right_from_the_beginning(
    start: dict[str, Any], seed: int, steps: int
) -> None:
    book, chance = Book(resolve()), random.Random(seed)
    book.apply(start)
    play_on(book, chance, steps)
    if correctable_from(book) is None:
        return
    line = list(in_force(book.entries))
    insert = chance.random() < 0.3
    may_be = may_follow_insertion if insert else is_correctable
    places = [place for place, entry in enumerate(line) if may_be(entry.command)]
    if not places:
        return
    place = chance.choice(places)
    wrong = line[place]
    before = book.states[wrong.number - 2]
    command: AnyCommand | None = None
    if insert or chance.random() < 0.8:
        likely = chance.choice(insertable(before) or [wrong.command]) if insert else wrong.command
        name = command_name(type(likely)) if chance.random() < 0.8 else "claim"
        tries = list(attempts(name, public_state(before)))
        tried = parse_command(chance.choice(tries))
        if isinstance(tried, BadCommand) or not is_correctable(tried):
            return
        if tried == wrong.command and not insert:
            return
        command = tried
    later = line[place + (not insert) :]
    right = [
        *(entry.command for entry in line[1:place]),
        *([command] if command else []),
        *(entry.command for entry in later),
    ]
    entries = list(book.entries)
    outcome = correct(book, wrong.number, command, insert=insert)
    assert book.entries == entries
    expected = played_right(line[0], book, right)
    if isinstance(expected, int):
        event("refused")
        failed = expected - (len(right) - len(later))
        if failed < 0:
            assert isinstance(outcome, Refusal)
        else:
            assert isinstance(outcome, NoLongerHolds)
            assert outcome.entry == later[failed]
        return
    if command is None and not later and isinstance(outcome, NoLongerHolds):
        event("a void deal no longer holds")
        return
    event("inserted" if insert else "corrected")
    assert isinstance(outcome, Sequence), outcome
    for step in outcome:
        book.accept(step)
    assert book.state == expected.state
    assert commands(list(in_force(book.entries))) == [line[0].command, *right]
    # It is stored, read and played back as any other night.
    again = replay(StoredNight(1, book.state.rules, {}, False, list(book.entries)))
    assert again.states == book.states


# How it is recorded.


def test_a_correction_takes_back_and_records_again_what_came_after() -> None:
    night = claimed()
    steps = corrected(night, 3, do="claim", seat=3, pool="ace")
    recorded = [command_name(type(step.entry.command)) for step in steps]
    assert recorded == ["undo", "undo", "undo", "claim", "claim", "next"]
    assert [step.entry.ref for step in steps[:3]] == [5, 4, 3]
    assert night["phase"] == "pochen"
    assert night["stacks"] == {"1": 41, "2": 44, "3": 44}
    assert night.refused("redo") == "nothing-to-redo"


def test_what_may_have_been_forgotten_fits_the_moment() -> None:
    night = claimed()
    night.do("pass", seat=2)
    kinds = [
        {command_name(type(sample)) for sample in insertable(night.book.states[number - 2])}
        for number in (2, 5, 6)
    ]
    assert kinds == [
        {"rebuy", "join", "leave", "sit_out", "rename", "dealer", "adjust"},
        {"turn", "claim", "rename", "adjust"},
        {"turn", "stake", "pass", "rename"},
    ]


# What is refused.


def test_the_first_entry_that_no_longer_holds_refuses_the_correction() -> None:
    night = melding()
    night.do("claim", seat=1, pool="ace")
    night.do("claim", seat=2, pool="king")
    night.do("claim", seat=2, pool="queen")
    outcome = correct(night.book, 3, parsed({"do": "claim", "seat": 3, "pool": "king"}))
    assert isinstance(outcome, NoLongerHolds)
    assert (outcome.entry.number, outcome.refusal.code) == (4, "empty-pool")
    assert len(night.book) == 5


def test_no_night_in_progress_has_nothing_to_correct() -> None:
    assert refused(Night(None), 1).code == "wrong-phase"
    night = Night()
    night.do("rebuy", seat=1, chips=5)
    night.do("end")
    assert refused(night, 2).code == "night-over"
    assert correctable_from(night.book) is None
    night.do("undo")
    corrected(night, 2)
    assert night["stacks"]["1"] == 50


def test_what_cannot_have_been_forgotten_is_not_inserted() -> None:
    night = claimed()
    night.do("pass", seat=2)
    night.do("undo")
    queen: dict[str, Any] = {"do": "claim", "seat": 3, "pool": "queen"}
    for number in (0, 1, 6, 7, 8):
        assert refused(night, number, insert=True, **queen).code == "not-correctable"
    assert refused(night, 5, insert=True).code == "not-correctable"
    assert refused(night, 5, insert=True, do="next").code == "not-correctable"
    assert refused(night, 2, insert=True, **queen).code == "wrong-phase"
    outcome = correct(night.book, 4, parsed({**queen, "pool": "king"}), insert=True)
    assert isinstance(outcome, NoLongerHolds)
    assert (outcome.entry.number, outcome.refusal.code) == (4, "empty-pool")
