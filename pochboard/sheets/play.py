"""Playing a score sheet on its own book and panel (RULES.md 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, assert_never

import msgspec
from msgspec.structs import replace

from pochboard.buttons.button_meaning import DrawDealer, OpenPairing, PanelContext, SendCommand
from pochboard.buttons.panel import Panel, PanelEffect, PanelOutcome, carry_out
from pochboard.errors import Refusal, RefusedInput, SheetError
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import MOST_ENTRIES
from pochboard.rules.commands import Parsed, parse_command
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS, State, public_state
from pochboard.sheets.lines import (
    UNKNOWN,
    DoLine,
    ExpectLine,
    Heading,
    NightLine,
    PressLine,
    RejectLine,
    Sheet,
    SheetLine,
    WaitLine,
)
from pochboard.text.translator import ENGLISH

MOST_NIGHTS: Final = 1_000
"""The most nights on a sheet."""


class Failure(msgspec.Struct, frozen=True):
    """The first line of a sheet that failed."""

    line: int
    reason: str
    """What should have happened and what did, in a whole sentence."""

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """The line and the sentence."""
        return f"line {self.line}: {self.reason}"


class SheetNight(msgspec.Struct, frozen=True):
    """A night that a sheet played: its entries and the state after the last one."""

    entries: Sequence[Entry]
    state: State
    heading: Heading = UNKNOWN
    remarks: tuple[str, ...] = ()
    """What it took to close it, as sentences."""
    added: int = 0
    """How many entries were added to close it."""

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset, as frozen when the night started."""
        return self.state.rules


class SheetPlayer:
    """A book and a panel without a board: what a sheet is played on."""

    def __init__(self, resolve: Resolve) -> None:
        self.book = Book(resolve)
        self._finished: list[SheetNight] = []
        """The nights before the current one."""
        self.begun = 0
        """How many nights were begun."""
        self._heading = UNKNOWN
        self._next_heading: Heading | None = None
        """What is known about the night that starts next."""
        self.last_names: dict[int, str] = {}
        """The name last used at each place."""
        self.time_ms = 0
        """When the newest command was given, as far as the lines say."""
        self.panel = Panel(self.context)

    @property
    def state(self) -> State:
        """The state now."""
        return self.book.state

    @property
    def nights(self) -> list[SheetNight]:
        """All nights of the sheet."""
        if not self.book.entries:
            return self._finished
        return [*self._finished, self.night]

    @property
    def night(self) -> SheetNight:
        """The current night, as far as it was played."""
        return SheetNight(self.book.entries, self.state, self._heading)

    def take_finished(self) -> list[SheetNight]:
        """The nights before the current one, which are then forgotten."""
        finished, self._finished = self._finished, []
        return finished

    def announce(self, line: NightLine) -> bool:
        """Notes what is known about the next night; whether that can be said here."""
        if self.state.phase not in BETWEEN_NIGHTS:
            return False
        self._next_heading = line.heading
        return True

    def send(self, raw: object) -> Refusal | None:
        """Applies the command of a JSON object; the refusal if there is one."""
        step = self._book_command(parse_command(raw))
        if isinstance(step, Step):
            self.panel.recorded(step.entry.command, self.context)
        return step if isinstance(step, Refusal) else None

    def refusal(self, raw: object) -> Refusal | None:
        """Why the command of a JSON object would be refused now, if it would."""
        step = self.book.consider(parse_command(raw))
        return step if isinstance(step, Refusal) else None

    def edge(self, button: str, down: bool, at_us: int) -> list[RefusedInput]:
        """A button goes down or up; returns the presses that were refused."""
        return carry_out(self.panel.edge(button, down, at_us), self.execute)

    def tick(self, now_us: int) -> list[RefusedInput]:
        """The clock advances; returns the presses that were refused."""
        return carry_out(self.panel.tick(now_us), self.execute)

    def _book_command(self, command: Parsed) -> Step | Repeat | Refusal:
        before = self.state
        step = self.book.consider(command, self.time_ms)
        if isinstance(step, Step):
            if step.opens:
                if self.book.entries:
                    self._finished.append(SheetNight(self.book.entries, before, self._heading))
                self.begun += 1
                self._heading, self._next_heading = self._next_heading or UNKNOWN, None
            self.book.accept(step)
            self.last_names.update(names_at_places(step.state))
        return step

    @property
    def context(self) -> PanelContext:
        """What the panel has to know."""
        return PanelContext(
            self.state,
            self.book.start,
            self.last_names,
            lambda command: isinstance(self.book.consider(command), Step | Repeat),
            self.book.undone,
        )

    def execute(self, effect: PanelEffect) -> PanelOutcome:
        """Carries out what a press leads to."""
        match effect:
            case SendCommand(command):
                step = self._book_command(command)
                return step if isinstance(step, Refusal) else self.context
            case DrawDealer(places):
                # Always the same draw, so that a sheet always gives the same result.
                return places[-1]
            case OpenPairing() | RefusedInput():
                return None  # a sheet has no phones and no lights
            case _:
                assert_never(effect)


def names_at_places(state: State) -> Iterator[tuple[int, str]]:
    """Each taken place with the name of its seat."""
    for place, name in zip(state.places, state.names, strict=True):
        if place:
            yield place, name


def run_sheet(lines: Iterable[SheetLine], player: SheetPlayer) -> Failure | None:
    """Plays the lines in order; the first that fails ends it."""
    return next(filter(None, _results(lines, player)), None)


def _results(lines: Iterable[SheetLine], player: SheetPlayer) -> Iterator[Failure | None]:
    """Plays the lines in order."""
    now_us = 0
    for line in lines:
        if isinstance(line, PressLine):
            failure = _press(line, player)
            now_us = line.at_us + line.for_us
        else:
            if isinstance(line, WaitLine):
                now_us = line.until_us
            elif isinstance(line, DoLine) and line.at_us is not None:
                now_us = line.at_us
                player.time_ms = now_us // 1000
            player.tick(now_us)
            failure = _other(line, player)
        yield failure or _too_long(line, player)


def _too_long(line: SheetLine, player: SheetPlayer) -> Failure | None:
    if len(player.book) > MOST_ENTRIES:
        reason = (
            f"This night is too long: a night on a sheet may have at most {MOST_ENTRIES:,} entries."
        )
        return Failure(line.number, reason)
    if player.begun > MOST_NIGHTS:
        reason = f"A sheet may have at most {MOST_NIGHTS:,} nights. Split it into several files."
        return Failure(line.number, reason)
    return None


def _other(
    line: DoLine | RejectLine | ExpectLine | WaitLine | NightLine, player: SheetPlayer
) -> Failure | None:
    match line:
        case DoLine():
            refusal = player.send(line.command)
            if refusal is None:
                return None
            return Failure(line.number, _should_be_accepted(_json(line.command), refusal))
        case RejectLine():
            refusal = player.refusal(line.command)
            if refusal is not None and refusal.code == line.code:
                return None
            return Failure(line.number, _should_be_refused(_json(line.command), line.code, refusal))
        case ExpectLine():
            return _expect(line, player.state)
        case WaitLine():
            return None
        case NightLine():
            if player.announce(line):
                return None
            reason = 'A line with "night" must come before the start of a night, not within one.'
            return Failure(line.number, reason)
        case _:
            assert_never(line)


def _press(line: PressLine, player: SheetPlayer) -> Failure | None:
    up_us = line.at_us + line.for_us
    player.tick(line.at_us)
    refused: list[RefusedInput] = []
    for button in line.buttons:
        refused += player.edge(button, True, line.at_us)
    refused += player.tick(up_us)
    for button in line.buttons:
        refused += player.edge(button, False, up_us)
    pressed = ENGLISH.listed(line.buttons)
    if line.refused is None:
        if not refused:
            return None
        return Failure(line.number, _should_be_accepted(pressed, refused[0].refusal))
    wrong = [refusal for refusal in refused if refusal.code != line.refused]
    if refused and not wrong:
        return None
    refusal = wrong[0].refusal if wrong else None
    return Failure(line.number, _should_be_refused(pressed, line.refused, refusal))


def _should_be_accepted(what: str, refusal: Refusal) -> str:
    return (
        f"The sheet expects the table to accept {what}, but it refused it with {refusal.code}:"
        f" {refusal.sentence}"
    )


def _should_be_refused(what: str, code: str, refusal: Refusal | None) -> str:
    if refusal is None:
        return f"The sheet expects the table to refuse {what} with {code}, but it did not."
    return (
        f"The sheet expects the table to refuse {what} with {code}, but it did so with"
        f" {refusal.code}: {refusal.sentence}"
    )


def _expect(line: ExpectLine, state: State) -> Failure | None:
    now = {"banker": state.banker, **public_state(state)}
    for key, expected in line.values.items():
        actual = now[key]
        if key in ("pools", "stacks", "bought", "places") and isinstance(expected, dict):
            for name, value in expected.items():
                if not _same(actual.get(name), value) or name not in actual:
                    entry = _json(actual[name]) if name in actual else None
                    return Failure(line.number, _should_be(f"{key}.{name}", value, entry))
        elif not _same(actual, expected):
            return Failure(line.number, _should_be(key, expected, _json(actual)))
    return None


def _should_be(key: str, expected: Any, found: str | None) -> str:
    """The failure of an `expect`; `found` is None if there is no such entry."""
    if found is None:
        return f"The sheet expects {key} = {_json(expected)}, but there is no {key}."
    return f"The sheet expects {key} = {_json(expected)}, but it is {found}."


def _same(one: Any, other: Any) -> bool:
    """Equality as in JSON: in Python, true and 1.0 both equal 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def closed_nights(sheet: Sheet, resolve: Resolve) -> Iterator[SheetNight]:
    """The nights of a score sheet one by one, each closed.

    A night that the sheet leaves open is closed: a deal in the middle is voided, then the night
    ends; its remarks say so. Raises SheetError if the sheet has an error.
    """
    player = SheetPlayer(resolve)
    for failure in _results(sheet, player):
        if failure:
            raise SheetError(f"{failure.text} Nothing was imported.")
        yield from player.take_finished()
    if not player.book.entries:
        raise SheetError(no_night())
    remarks: list[str] = []
    state = player.state
    if state.phase not in ("idle", "closed"):
        remarks.append(f"The sheet stops in the middle of deal {state.deal}; that deal is void.")
        _must_apply(player, "void")
    if player.state.phase != "closed":
        remarks.append("The sheet does not end its night; it was closed.")
        _must_apply(player, "end")
    yield replace(player.night, remarks=tuple(remarks), added=len(remarks))


def no_night() -> str:
    """Why a sheet without a start cannot be imported."""
    return "There is no night on this sheet: it has no start."


def _must_apply(player: SheetPlayer, do: str) -> None:
    refusal = player.send({"do": do})
    assert refusal is None, f"{do} is always accepted there"
