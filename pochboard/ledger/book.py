"""The book of a night (RULES.md 3): the fold over its entries, and what it would accept now."""

from __future__ import annotations

import copy
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, overload

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.ledger.entry import Entry, postings_between, violated
from pochboard.rules.betting import StakeRange, stake_range
from pochboard.rules.commands import (
    AnyCommand,
    BadCommand,
    CommandName,
    Deal,
    Parsed,
    Redo,
    Settle,
    Start,
    Undo,
    Void,
    is_too_late,
    parse_command,
)
from pochboard.rules.registry import RULES, Rule, play, verify
from pochboard.rules.seating import Resolve, free_places
from pochboard.rules.shedding import verify_known
from pochboard.rules.state import State
from pochboard.text.lazy import lazy_gettext


class Step(msgspec.Struct, frozen=True, gc=False):
    """What a command would do: its entry, and the state after it. Not yet in the book."""

    entry: Entry
    state: State

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
_MOST_STATES: Final = 1024
"""How many states are kept. An evening has fewer entries."""
_STRIDE: Final = 128
"""Of the states that are made again, one in so many is kept for good."""


class Book:
    """The entries of the night in progress, or of the last one, and the state they lead to.

    `consider` decides and changes nothing, so that an entry can be stored before `accept` puts it
    in the book.

    The commands in force form a line: an undo steps back on it, a redo forward, and any other
    command cuts off what lies ahead and is put at its end. Only the newest states are kept, because
    10,000 of them take 30 MB. An older one is made again: from a kept one before it, by playing
    what lies between.
    """

    def __init__(self, resolve: Resolve) -> None:
        self.resolve = resolve
        """How the next `start` finds its ruleset."""
        self.held: Mapping[int, int] = {}
        """How many cards each seat holds, where the program has dealt them. Only what is considered
        is compared with it."""
        self._begin()

    def _begin(self) -> None:
        self.entries: list[Entry] = []
        self.state = BEFORE_ALL
        """The state now."""
        self._ahead = array("I")
        """The entries that `redo` would apply again, the next one last."""
        # By number of entry, and 0 for the state before all.
        self._heads = array("I", [0])
        """The entry of the newest command in force after each entry."""
        self._deals = array("I", [0])
        """The entry of the deal to which the command of an entry belongs, or of the last deal."""
        self._by_id: dict[str, int] = {}
        self._newest: dict[int, State] = {0: BEFORE_ALL}
        self._kept: dict[int, State] = {0: BEFORE_ALL}

    def __len__(self) -> int:
        """How many entries were accepted."""
        return len(self._heads) - 1

    @property
    def states(self) -> States:
        """The state after each entry."""
        return States(self)

    @property
    def _head(self) -> int:
        """The entry of the newest command in force."""
        return self._heads[-1]

    def _before(self, entry: int) -> int:
        """The entry of the command in force before this entry."""
        return self._heads[entry - 1]

    def line_back(self) -> Iterator[int]:
        """The entries whose commands `undo` would take back one by one, and the start last."""
        entry = self._head
        while entry:
            yield entry
            entry = self._before(entry)

    @property
    def start(self) -> Start | None:
        """The command that started this night."""
        if not len(self):
            return None
        command = self.entries[0].command
        assert isinstance(command, Start), "every night begins with a start"
        return command

    def copied(self) -> Book:
        """A book of the same night for another thread; the entries after these are not in it."""
        copied = copy.copy(self)
        for name in ("entries", "_ahead", "_heads", "_deals", "_by_id", "_newest", "_kept"):
            setattr(copied, name, copy.copy(getattr(self, name)))
        return copied

    def repeated(self, command: Parsed) -> Repeat | None:
        """The answer to the command with this id, if it was already applied in this night."""
        number = None if command.id is UNSET else self._by_id.get(command.id)
        if number is None:
            return None
        return Repeat(self.entries[number - 1], self.state_after(number))

    def consider(self, command: Parsed, time_ms: int = 0) -> Step | Repeat | Refusal:
        """What a command would do. Changes nothing.

        Checks the id first, then makes the checks of RULES.md 3 in their order.
        """
        before, kind, name = self.state, type(command), None
        if command.id is not UNSET:
            repeat = self.repeated(command)
            if repeat is not None:
                return repeat
        if before.phase == "closed" and is_too_late(command):
            return refuse(
                "night-over", lazy_gettext("This night is over. Start a new one, or undo its end.")
            )
        # `isinstance` takes five times as long as `type` on a struct, and this check runs for every
        # command that is replayed or simulated.
        if type(command) is BadCommand:
            return command.refusal
        if command.id is not UNSET or command.seen is not UNSET:
            name = None if command.id is UNSET else command.id
            command = replace(command, id=UNSET, seen=UNSET)
        number, ref = len(self._heads), None
        if kind in _THROUGH_HISTORY:
            moved = self._move(command)
            if type(moved) is Refusal:
                return moved
            state, ref = moved
        else:
            outcome = play(before, command, self.resolve)
            if type(outcome) is Refusal:
                return outcome
            if self.held and (known := verify_known(before, command, self.held)) is not None:
                return known
            state = outcome
            if kind is Start:
                number, before = 1, BEFORE_ALL
        postings = postings_between(before, state)
        violations = violated(state, postings, before)
        assert not violations, f"{command} violates: {'; '.join(violations)}"
        return Step(Entry(number, time_ms, command, postings, ref, name), state)

    def _move(self, command: AnyCommand) -> tuple[State, int] | Refusal:
        """The state to which undo, redo or void leads, and the entry that it is about."""
        refusal = verify(self.state, command)
        if refusal is not None:
            return refusal
        head = self._head
        assert head, "the checks refuse them before the first night"
        if isinstance(command, Undo):
            before = self._before(head)
            if not before:
                return refuse("nothing-to-undo", lazy_gettext("There is nothing to undo."))
            return self._state_of(before), head
        if isinstance(command, Redo):
            if not self._ahead:
                return refuse("nothing-to-redo", lazy_gettext("There is nothing to redo."))
            return self._state_of(self._ahead[-1]), self._ahead[-1]
        deal = self._deals[head]
        return self._state_of(self._before(deal)), deal

    def accept(self, step: Step) -> None:
        """Adds a step to the book. `consider` must have made it from the current state."""
        entry, state = step.entry, step.state
        number, command = entry.number, type(entry.command)
        if number == 1:
            self._begin()
            # Its ruleset may be another one by now, so the start is never played again.
            self._kept[number] = state
        heads, deals, ahead = self._heads, self._deals, self._ahead
        assert number == len(heads), "a step is accepted once, and in order"
        self.entries.append(entry)
        before = heads[-1]
        if command is Undo:
            ahead.append(before)
            head = self._before(before)
        elif command is Redo:
            head = ahead.pop()
        else:
            head = number
            if ahead:
                del ahead[:]
        heads.append(head)
        deals.append(number if command is Deal else deals[before])
        self.state = self._newest[head] = state
        if len(self._newest) > _MOST_STATES:
            self._forget()
        if entry.id is not None:
            self._by_id[entry.id] = number

    def state_after(self, number: int) -> State:
        """The state after an entry."""
        return self._state_of(self._heads[number])

    def _state_of(self, entry: int) -> State:
        """The state to which the command of an entry has led."""
        line: list[int] = []
        while (known := self._newest.get(entry) or self._kept.get(entry)) is None:
            line.append(entry)
            entry = self._basis(entry)
        state = known
        for place, again in enumerate(reversed(line), start=1):
            command = self.entries[again - 1].command
            if type(command) is not Void:
                played = play(state, command, self.resolve)
                assert isinstance(played, State), "it was accepted before"
                state = played
            if place % _STRIDE == 0:
                self._kept[again] = state
            self._newest[again] = state
            if len(self._newest) > 2 * _MOST_STATES:
                self._forget()
        return state

    def _basis(self, entry: int) -> int:
        """The entry from whose state the command of another one goes on."""
        before = self._before(entry)
        if type(self.entries[entry - 1].command) is Void:
            return self._before(self._deals[before])
        return before

    def _forget(self) -> None:
        """Drops the older half of the states."""
        for old in list(islice(self._newest, len(self._newest) // 2)):
            del self._newest[old]

    def apply(self, raw: object, time_ms: int = 0) -> Step | Repeat | Refusal:
        """Considers the command of a JSON object and accepts it at once."""
        step = self.consider(parse_command(raw), time_ms)
        if type(step) is Step:
            self.accept(step)
        return step

    def undoes(self) -> Entry | None:
        """The entry that `undo` would take back now."""
        head = self._head
        return self.entries[head - 1] if head and self._before(head) else None

    def redoes(self) -> Entry | None:
        """The entry that `redo` would apply again now."""
        return self.entries[self._ahead[-1] - 1] if self._ahead else None

    @property
    def undone(self) -> AnyCommand | None:
        """The command that `redo` would apply again now."""
        entry = self.redoes()
        return entry.command if entry else None


class States(Sequence[State]):
    """The state after each entry of a book; those that it does not keep are made again."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def __len__(self) -> int:
        return len(self._book)

    @overload
    def __getitem__(self, index: int) -> State: ...
    @overload
    def __getitem__(self, index: slice) -> list[State]: ...

    def __getitem__(self, index: int | slice) -> State | list[State]:
        if type(index) is int and index >= 0:
            return self._book.state_after(index + 1)
        numbers = range(1, len(self) + 1)[index]
        if isinstance(numbers, range):
            return [self._book.state_after(number) for number in numbers]
        return self._book.state_after(numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(one == same for one, same in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class LegalActions(msgspec.Struct, frozen=True):
    """The commands that would be accepted now with fitting arguments, and those arguments."""

    commands: tuple[CommandName, ...]
    """In the order of RULES.md 3."""
    seats: Mapping[CommandName, tuple[int, ...]]
    """For each command that names a seat, the seats that it may name."""
    claims: Mapping[int, tuple[str, ...]]
    """During melding, the pools that each seat may claim, in board order; only seats with any."""
    stakes: StakeRange | None
    """During the betting, what the seat to act may stake, if anything."""
    places: tuple[int, ...]
    """Between deals, the free places for a new seat."""


def accepted_candidates(book: Book, rule: Rule[Any]) -> list[Any]:
    """The sample commands of a rule that would be accepted now."""
    # Of a settle there is only a sample, and other counts are legal.
    held = {} if rule.struct is Settle else book.held
    return [
        candidate
        for candidate in rule.candidates(book.state)
        if not (verify(book.state, candidate) or verify_known(book.state, candidate, held))
    ]


def legal_actions(
    book: Book, accepted_by: Callable[[Book, Rule[Any]], list[Any]] = accepted_candidates
) -> LegalActions:
    """What would be accepted now. A caller may have a way of its own to try a rule."""
    state = book.state
    commands: list[CommandName] = []
    seats: dict[CommandName, tuple[int, ...]] = {}
    claims: dict[int, tuple[str, ...]] = {}
    for name, rule in RULES.items():
        if state.phase not in rule.phases:
            continue
        if name in ("start", "undo", "redo"):
            if _by_history(book, name):
                commands.append(name)
            continue
        accepted = accepted_by(book, rule)
        if not accepted:
            continue
        commands.append(name)
        if "seat" in rule.struct.__struct_fields__:
            seats[name] = tuple(dict.fromkeys(candidate.seat for candidate in accepted))
        if name == "claim":
            # The candidates come in board order for each seat.
            for candidate in accepted:
                claims[candidate.seat] = (*claims.get(candidate.seat, ()), candidate.pool)
    return LegalActions(
        commands=tuple(commands),
        seats=seats,
        claims=claims,
        stakes=stake_range(state) if "stake" in commands else None,
        places=free_places(state) if "join" in commands else (),
    )


def _by_history(book: Book, name: CommandName) -> bool:
    """Whether a command that depends on the night's history would be accepted."""
    if name == "undo":
        return book.undoes() is not None
    if name == "redo":
        return book.redoes() is not None
    return True  # `start` depends on its arguments only
