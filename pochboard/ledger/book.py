"""The book of a night: the fold over its entries, with undo, redo and void (RULES.md 3)."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.ledger.entry import Entry, postings_between, violated
from pochboard.rules.commands import (
    AnyCommand,
    BadCommand,
    Deal,
    Parsed,
    Redo,
    Start,
    Undo,
    Void,
    is_too_late,
    parse_command,
)
from pochboard.rules.registry import play, verify
from pochboard.rules.seating import NameKey, Resolve
from pochboard.rules.state import State
from pochboard.visible import sight


class HistoryNode(msgspec.Struct, frozen=True, gc=False):
    """A command in force: the state it led to, and the command in force before it."""

    entry: int
    command: AnyCommand
    state: State
    before: HistoryNode | None


class Step(msgspec.Struct, frozen=True, gc=False):
    """What a command would do: its entry, and the history after it. Not yet in the book."""

    entry: Entry
    head: HistoryNode
    taken_back: tuple[HistoryNode, ...]

    @property
    def state(self) -> State:
        """The state after the command."""
        return self.head.state

    @property
    def opens(self) -> bool:
        """Whether this is the start of a new night."""
        return self.entry.number == 1


class Repeat(msgspec.Struct, frozen=True, gc=False):
    """A command whose id was already applied in this night. It gets the same answer."""

    entry: Entry
    state: State


BEFORE_ALL: Final = State()
_THROUGH_HISTORY: Final = frozenset((Undo, Redo, Void))
"""The commands that move to another state of the night."""


class Book:
    """The entries of the night in progress, or of the last one, and the state they lead to.

    `consider` decides and changes nothing, so that an entry can be stored before `accept` puts it
    in the book.
    """

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        """How the next `start` finds its ruleset."""
        self.entries: list[Entry] = []
        self.states: list[State] = []
        """The state after each entry."""
        self._head: HistoryNode | None = None
        self._taken_back: tuple[HistoryNode, ...] = ()
        self._by_id: dict[str, int] = {}

    @property
    def state(self) -> State:
        """The state now."""
        return self._head.state if self._head else BEFORE_ALL

    @property
    def start(self) -> Start | None:
        """The command that started this night."""
        if not self.entries:
            return None
        command = self.entries[0].command
        assert isinstance(command, Start), "every night begins with a start"
        return command

    def repeated(self, command: Parsed) -> Repeat | None:
        """The answer to the command with this id, if it was already applied in this night."""
        number = None if command.id is UNSET else self._by_id.get(command.id)
        if number is None:
            return None
        return Repeat(self.entries[number - 1], self.states[number - 1])

    def consider(
        self, command: Parsed, time_ms: int = 0, key: NameKey = sight
    ) -> Step | Repeat | Refusal:
        """What a command would do. Changes nothing.

        Checks the id first, then makes the checks of RULES.md 3 in their order. Names are compared
        by `key`.
        """
        if command.id is not UNSET:
            repeat = self.repeated(command)
            if repeat is not None:
                return repeat
        before = self.state
        if before.phase == "closed" and is_too_late(command):
            return refuse("night-over")
        # `isinstance` takes five times as long as `type` on a struct, and this check runs for every
        # command that is replayed or simulated.
        if type(command) is BadCommand:
            return command.refusal
        name = None
        if command.id is not UNSET:
            name = command.id
            command = replace(command, id=UNSET, seen=UNSET)
        elif command.seen is not UNSET:
            command = replace(command, seen=UNSET)
        number = len(self.entries) + 1
        taken_back: tuple[HistoryNode, ...] = ()
        ref = None
        if type(command) in _THROUGH_HISTORY:
            moved = self._move(command, number)
            if isinstance(moved, Refusal):
                return moved
            head, taken_back, ref = moved
        else:
            state = play(before, command, self.resolve, key)
            if type(state) is Refusal:
                return state
            if type(command) is Start:
                number, before = 1, BEFORE_ALL
                head = HistoryNode(1, command, state, None)
            else:
                head = HistoryNode(number, command, state, self._head)
        postings = postings_between(before, head.state)
        violations = violated(head.state, postings)
        assert not violations, f"{command} violates: {'; '.join(violations)}"
        return Step(Entry(number, time_ms, command, postings, ref, name), head, taken_back)

    def _move(
        self, command: AnyCommand, number: int
    ) -> tuple[HistoryNode, tuple[HistoryNode, ...], int] | Refusal:
        """Undo, redo and void: moves to another state of this night."""
        refusal = verify(self.state, command)
        if refusal is not None:
            return refusal
        head = self._head
        assert head is not None, "the checks refuse them before the first night"
        if isinstance(command, Undo):
            if head.before is None:
                return refuse("nothing-to-undo")
            return head.before, (*self._taken_back, head), head.entry
        if isinstance(command, Redo):
            if not self._taken_back:
                return refuse("nothing-to-redo")
            link = self._taken_back[-1]
            return link, self._taken_back[:-1], link.entry
        deal = head
        while not isinstance(deal.command, Deal):
            assert deal.before is not None, "every deal began with the command deal"
            deal = deal.before
        assert deal.before is not None, "a night begins between deals"
        return HistoryNode(number, command, deal.before.state, head), (), deal.entry

    def accept(self, step: Step) -> None:
        """Adds a step to the book. `consider` must have made it from the current state."""
        if step.opens:
            self.entries, self.states, self._by_id = [], [], {}
        entry = step.entry
        assert entry.number == len(self.entries) + 1, "a step is accepted once, and in order"
        self.entries.append(entry)
        self.states.append(step.state)
        self._head, self._taken_back = step.head, step.taken_back
        if entry.id is not None:
            self._by_id[entry.id] = entry.number

    def apply(self, raw: object, time_ms: int = 0) -> Step | Repeat | Refusal:
        """Considers the command of a JSON object and accepts it at once."""
        step = self.consider(parse_command(raw), time_ms)
        if isinstance(step, Step):
            self.accept(step)
        return step

    def undoes(self) -> Entry | None:
        """The entry that `undo` would take back now."""
        head = self._head
        return self.entries[head.entry - 1] if head and head.before else None

    def redoes(self) -> Entry | None:
        """The entry that `redo` would apply again now."""
        return self.entries[self._taken_back[-1].entry - 1] if self._taken_back else None
