"""The book of a night (RULES.md 3): the fold over its entries, and what it would accept now."""

from __future__ import annotations

import copy
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

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


_BEFORE_ALL: Final = State()
_THROUGH_HISTORY: Final = frozenset((Undo, Redo, Void))
"""The commands that move to another state of the night."""


class Book:
    """The entries of the night in progress, or of the last one, and the states they lead to.

    `consider` decides and changes nothing, so that an entry can be stored before `accept` puts it
    in the book.

    The commands in force form a line: an undo steps back on it, a redo forward, and any other
    command cuts off what lies ahead and is put at its end.
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
        self.states: list[State] = []
        """The state after each entry."""
        self._ahead = array("I")
        """The entries that `redo` would apply again, the next one last."""
        # By number of entry, and 0 for the state before all.
        self._heads = array("I", [0])
        """The entry of the newest command in force after each entry."""
        self._deals = array("I", [0])
        """The entry of the deal to which the command of an entry belongs, or of the last deal."""
        self._by_id: dict[str, int] = {}

    def __len__(self) -> int:
        """How many entries were accepted."""
        return len(self.entries)

    @property
    def state(self) -> State:
        """The state now."""
        return self.states[-1] if self.states else _BEFORE_ALL

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
        if not self.entries:
            return None
        command = self.entries[0].command
        assert isinstance(command, Start), "every night begins with a start"
        return command

    def copied(self) -> Book:
        """A book of the same night for another thread; the entries after these are not in it."""
        copied = copy.copy(self)
        for name in ("entries", "states", "_ahead", "_heads", "_deals", "_by_id"):
            setattr(copied, name, copy.copy(getattr(self, name)))
        return copied

    def repeated(self, command: Parsed) -> Repeat | None:
        """The answer to the command with this id, if it was already applied in this night."""
        number = None if command.id is UNSET else self._by_id.get(command.id)
        if number is None:
            return None
        return Repeat(self.entries[number - 1], self.states[number - 1])

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
            return refuse("night-over", "This night is over. Start a new one, or undo its end.")
        # `isinstance` takes five times as long as `type` on a struct, and this check runs for every
        # command that is replayed or simulated.
        if type(command) is BadCommand:
            return command.refusal
        if command.id is not UNSET or command.basis is not UNSET:
            name = None if command.id is UNSET else command.id
            command = replace(command, id=UNSET, basis=UNSET)
        number, ref = len(self.entries) + 1, None
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
                number, before = 1, _BEFORE_ALL
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
                return refuse("nothing-to-undo", "There is nothing to undo.")
            return self.states[before - 1], head
        if isinstance(command, Redo):
            if not self._ahead:
                return refuse("nothing-to-redo", "There is nothing to redo.")
            return self.states[self._ahead[-1] - 1], self._ahead[-1]
        deal = self._deals[head]
        return self.states[self._before(deal) - 1], deal

    def accept(self, step: Step) -> None:
        """Adds a step to the book. `consider` must have made it from the current state."""
        entry = step.entry
        number, command = entry.number, type(entry.command)
        if number == 1:
            self._begin()
        ahead, before = self._ahead, self._head
        assert number == len(self.entries) + 1, "a step is accepted once, and in order"
        self.entries.append(entry)
        self.states.append(step.state)
        if command is Undo:
            ahead.append(before)
            head = self._before(before)
        elif command is Redo:
            head = ahead.pop()
        else:
            head = number
            if ahead:
                del ahead[:]
        self._heads.append(head)
        self._deals.append(number if command is Deal else self._deals[before])
        if entry.id is not None:
            self._by_id[entry.id] = number

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
    by_history = {"start": True, "undo": bool(book.undoes()), "redo": bool(book.redoes())}
    commands: list[CommandName] = []
    seats: dict[CommandName, tuple[int, ...]] = {}
    claims: dict[int, tuple[str, ...]] = {}
    for name, rule in RULES.items():
        if state.phase not in rule.phases:
            continue
        if name in by_history:
            if by_history[name]:
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
