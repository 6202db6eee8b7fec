"""The book of a night: the fold over its entries, with undo, redo and void (RULES.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from pochboard.errors import Refusal
from pochboard.ledger.entry import Entry, faults, postings_between
from pochboard.rules.commands import Command, Redo, Start, Undo, Void, parse_command
from pochboard.rules.play import check, play
from pochboard.rules.sitting import Resolve
from pochboard.rules.state import State


class Link(msgspec.Struct, frozen=True, gc=False):
    """A command in force: the state it led to, and the one in force before it."""

    entry: int
    do: str
    state: State
    before: Link | None


class Step(msgspec.Struct, frozen=True, gc=False):
    """What a command would do: its entry, and the history after it. Not yet in the book."""

    entry: Entry
    head: Link
    taken_back: tuple[Link, ...]

    @property
    def state(self) -> State:
        """The state after the command."""
        return self.head.state

    @property
    def opens(self) -> bool:
        """Whether this is the start of a new night."""
        return self.entry.number == 1


class Repeat(msgspec.Struct, frozen=True, gc=False):
    """A command whose id was applied before in this night: answered as that one was."""

    entry: Entry
    state: State


BEFORE_ALL: Final = State()
_MOVES: Final = frozenset((Undo, Redo, Void))


class Book:
    """The entries of the night in progress, or of the last one, and the state they come to.

    `consider` decides and changes nothing, so that an entry can be stored before `accept` puts it
    in the book.
    """

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        """How the next `start` finds its ruleset."""
        self.entries: list[Entry] = []
        self.states: list[State] = []
        """The state after each entry."""
        self._head: Link | None = None
        self._taken_back: tuple[Link, ...] = ()
        self._by_id: dict[str, int] = {}

    @property
    def state(self) -> State:
        """The state now."""
        return self._head.state if self._head else BEFORE_ALL

    @property
    def start(self) -> Mapping[str, Any] | None:
        """The command that started this night."""
        return self.entries[0].command if self.entries else None

    def consider(self, raw: object, time_ms: int = 0) -> Step | Repeat | Refusal:
        """What the command of a JSON object would do. Changes nothing."""
        words = dict(raw) if isinstance(raw, dict) else {}
        name = words.pop("id", None)
        if isinstance(name, str) and (number := self._by_id.get(name)):
            return Repeat(self.entries[number - 1], self.states[number - 1])
        before = self.state
        command = parse_command(raw, closed=before.phase == "closed")
        if isinstance(command, Refusal):
            return command
        number = len(self.entries) + 1
        taken_back: tuple[Link, ...] = ()
        ref = None
        if type(command) in _MOVES:
            moved = self._move(command, number)
            if isinstance(moved, Refusal):
                return moved
            head, taken_back, ref = moved
        else:
            state = play(before, command, self.resolve)
            if isinstance(state, Refusal):
                return state
            if type(command) is Start:
                number, before = 1, BEFORE_ALL
                head = Link(1, "start", state, None)
            else:
                head = Link(number, words["do"], state, self._head)
        postings = postings_between(before, head.state)
        wrong = faults(head.state, postings)
        assert not wrong, f"{words}: {'; '.join(wrong)}"
        return Step(Entry(number, time_ms, words, postings, ref, name), head, taken_back)

    def _move(self, command: Command, number: int) -> tuple[Link, tuple[Link, ...], int] | Refusal:
        """Undo, redo and void: to another state of this night."""
        refusal = check(self.state, command)
        if refusal is not None:
            return refusal
        head = self._head
        assert head is not None, "the checks refuse them before the first night"
        if isinstance(command, Undo):
            if head.before is None:
                return Refusal("nothing-to-undo", "There is nothing to take back.")
            return head.before, (*self._taken_back, head), head.entry
        if isinstance(command, Redo):
            if not self._taken_back:
                return Refusal("nothing-to-redo", "There is nothing to apply again.")
            link = self._taken_back[-1]
            return link, self._taken_back[:-1], link.entry
        deal = head
        while deal.do != "deal":
            assert deal.before is not None, "every deal began with the command deal"
            deal = deal.before
        assert deal.before is not None, "a night begins between deals"
        return Link(number, "void", deal.before.state, head), (), deal.entry

    def accept(self, step: Step) -> None:
        """Puts a step in the book that `consider` made of its present state."""
        if step.opens:
            self.entries, self.states, self._by_id = [], [], {}
        assert step.entry.number == len(self.entries) + 1, "a step is accepted once, and in order"
        self.entries.append(step.entry)
        self.states.append(step.state)
        self._head, self._taken_back = step.head, step.taken_back
        if step.entry.id is not None:
            self._by_id[step.entry.id] = step.entry.number

    def apply(self, raw: object, time_ms: int = 0) -> Step | Repeat | Refusal:
        """Considers a command and accepts it at once: for sheets, imports and tests."""
        step = self.consider(raw, time_ms)
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
