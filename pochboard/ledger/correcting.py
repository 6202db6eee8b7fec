"""Correcting a night further back: the entries at its end that do it (RULES.md 3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.ledger.book import Book, Step
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force
from pochboard.rules.commands import (
    AnyCommand,
    BadCommand,
    Command,
    Deal,
    End,
    Next,
    Parsed,
    Redo,
    Start,
    Undo,
    Void,
)
from pochboard.rules.registry import RULES, verify
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.text.lazy import LazyText, lazy_gettext

MOST_COMMANDS: Final = 200
"""How many commands a correction may take back. A deal has about thirty."""
_OF_THE_COURSE: Final[frozenset[type[Command]]] = frozenset(
    (Start, Deal, Next, Void, Undo, Redo, End)
)
"""Commands that say how the night goes on, and nothing of a game that could be wrong."""


class NoLongerHolds(msgspec.Struct, frozen=True):
    """The first later entry that does not hold with a correction, and why."""

    entry: Entry
    refusal: Refusal


def is_correctable(command: AnyCommand) -> bool:
    """Whether commands of this kind may be corrected, inserted, and take the place of others."""
    return type(command) not in _OF_THE_COURSE


def may_follow_insertion(command: AnyCommand) -> bool:
    """Whether something that was forgotten may be inserted before a command of this kind."""
    return type(command) not in (Start, Undo, Redo, Void)


def insertable(state: State) -> list[AnyCommand]:
    """A sample of each kind of command that could have been recorded in this state."""
    return [
        sample
        for rule in RULES.values()
        if state.phase in rule.phases and rule.struct not in _OF_THE_COURSE
        for sample in islice((c for c in rule.candidates(state) if verify(state, c) is None), 1)
    ]


def correctable_from(book: Book) -> int | None:
    """The first entry that is not too far back to be corrected; None while nothing may be."""
    if book.state.phase in BETWEEN_NIGHTS:
        return None
    return list(islice(book.line_back(), MOST_COMMANDS))[-1]


def correct(
    book: Book,
    number: int,
    command: Parsed | None,
    time_ms: int = 0,
    name: str | UnsetType = UNSET,
    *,
    insert: bool = False,
) -> Sequence[Step] | NoLongerHolds | Refusal:
    """The steps that put a command in the place of an entry, or leave that out. Changes nothing.

    With `insert` they put the command before the entry, which stays.

    The last step gets the id `name`, if there is one; it must be new.
    """
    if isinstance(command, BadCommand):
        return command.refusal
    if command is not None:
        command = replace(command, id=UNSET, basis=UNSET)
    refusal = _refuse_entry(book, number, insert=insert)
    refusal = refusal or _refuse_command(book, number, command, insert=insert)
    if refusal is not None:
        return refusal
    later = [entry for entry in in_force(book.entries) if entry.number > number - insert]
    line = [taken for taken in book.line_back() if taken >= number]
    if not later and command is None:
        # Nothing would follow, and `redo` would bring it back. A void deal after it can.
        later = [book.entries[taken - 1] for taken in reversed(line) if taken > number]
    undone = [Undo() for _ in line]
    corrected = [] if command is None else [command]
    commands = [*undone, *corrected, *(entry.command for entry in later)]
    commands[-1] = replace(commands[-1], id=name)
    steps: list[Step] = []
    trial = book.copied()
    for place, tried in enumerate(commands, start=len(later) - len(commands)):
        step = trial.consider(tried, time_ms)
        if isinstance(step, Refusal):
            return NoLongerHolds(later[place], step) if place >= 0 else step
        assert isinstance(step, Step), "the id is new"
        trial.accept(step)
        steps.append(step)
    return steps


def _refuse_entry(book: Book, number: int, *, insert: bool) -> Refusal | None:
    """Why an entry may not be corrected, or nothing inserted before it, if so."""
    first = correctable_from(book)
    if first is None:
        if book.state.phase == "none":
            return refuse("wrong-phase", "There is no night yet. Start one.")
        return refuse("night-over", "This night is over. Undo its end to correct an entry.")
    if not 1 <= number <= len(book):
        return _refused(lazy_gettext("This night has no entry {number}.", number=number))
    may_be = may_follow_insertion if insert else is_correctable
    if not may_be(book.entries[number - 1].command):
        return _refused(lazy_gettext("Entry {number} has nothing to correct.", number=number))
    if number < first:
        return _refused(
            lazy_gettext(
                "Entry {number} is too far back: only the last {most} commands can be corrected.",
                number=number,
                most=MOST_COMMANDS,
            )
        )
    if all(entry.number != number for entry in in_force(book.entries)):
        return _refused(
            lazy_gettext("Entry {number} was taken back and no longer counts.", number=number)
        )
    return None


def _refuse_command(
    book: Book, number: int, command: AnyCommand | None, *, insert: bool
) -> Refusal | None:
    """Why a command may not take the place of an entry, or be inserted, if so."""
    if command is None:
        return _refused(lazy_gettext("Say what was forgotten.")) if insert else None
    if not is_correctable(command):
        return _refused(lazy_gettext("This command can only be given now, and not for earlier."))
    if not insert and command == book.entries[number - 1].command:
        return _refused(
            lazy_gettext("Nothing was changed: entry {number} says this already.", number=number)
        )
    return None


def _refused(sentence: LazyText) -> Refusal:
    return refuse("not-correctable", sentence)
