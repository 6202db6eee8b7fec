"""Playing a score sheet on a book and a panel of its own (RULES.md 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, assert_never

import msgspec

from pochboard.buttons.panel import Panel
from pochboard.buttons.press import Refused
from pochboard.errors import Refusal
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.entry import Entry
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.sitting import Resolve
from pochboard.rules.state import State, public_state
from pochboard.sheets.lines import Do, Expect, Line, Press, Reject, Wait


class Failure(msgspec.Struct, frozen=True):
    """The first line of a sheet that does not hold."""

    line: int
    expected: str
    found: str

    def __str__(self) -> str:
        return f"line {self.line}: expected {self.expected}, found {self.found}"


class PlayedNight(msgspec.Struct, frozen=True):
    """A night that a sheet played: its entries and how it stood after the last of them."""

    entries: list[Entry]
    state: State

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset as frozen at its start."""
        return self.state.rules


class Bench:
    """A book and a panel without a board: what a sheet is played on."""

    def __init__(self, resolve: Resolve) -> None:
        self.book = Book(resolve)
        self.finished: list[PlayedNight] = []
        """The nights before the present one."""
        self._heard: dict[int, str] = {}
        self.panel = Panel(self)

    # The desk that the panel acts on.

    @property
    def state(self) -> State:
        """The state now."""
        return self.book.state

    @property
    def last_start(self) -> Mapping[str, Any] | None:
        """The command that started this night."""
        return self.book.start

    @property
    def heard(self) -> Mapping[int, str]:
        """The name last heard at each place."""
        return self._heard

    def send(self, command: object) -> Refusal | None:
        """Applies a command."""
        before = self.state
        step = self.book.consider(command)
        if isinstance(step, Refusal):
            return step
        if isinstance(step, Step):
            if step.opens and self.book.entries:
                self.finished.append(PlayedNight(self.book.entries, before))
            self.book.accept(step)
            self._heard.update(names_heard(step.state))
            self.panel.notice(before, step.state, step.entry.command["do"])
        return None

    def would(self, command: dict[str, Any]) -> bool:
        """Whether the command would be accepted now."""
        return isinstance(self.book.consider(command), Step | Repeat)

    def open_pairing(self) -> None:
        """A sheet has no phones."""

    def draw(self, count: int) -> int:
        """Always the same lot, so that a sheet is always played alike: the last."""
        return count - 1

    def nights(self) -> list[PlayedNight]:
        """All nights of the sheet."""
        if not self.book.entries:
            return self.finished
        return [*self.finished, PlayedNight(self.book.entries, self.state)]


def names_heard(state: State) -> Iterator[tuple[int, str]]:
    """Each taken place with the name of its seat."""
    for place, name in zip(state.places, state.names, strict=True):
        if place:
            yield place, name


def run_sheet(lines: list[Line], bench: Bench) -> Failure | None:
    """Plays the lines in order; the first that fails ends it."""
    now_us = 0
    for line in lines:
        if isinstance(line, Press):
            failure = _press(line, bench)
            now_us = line.at_us + line.for_us
        else:
            if isinstance(line, Wait):
                now_us = line.until_us
            bench.panel.tick(now_us)
            failure = _other(line, bench)
        if failure:
            return failure
    return None


def _other(line: Do | Reject | Expect | Wait, bench: Bench) -> Failure | None:
    match line:
        case Do():
            refusal = bench.send(line.command)
            if refusal is None:
                return None
            return Failure(line.number, _json(line.command), _refused(refusal))
        case Reject():
            refusal = bench.send(line.command) if not bench.would(line.command) else None
            if refusal is not None and refusal.code == line.code:
                return None
            found = _refused(refusal) if refusal else "accepted"
            return Failure(line.number, f"refused with {line.code}", found)
        case Expect():
            return _expect(line, bench.state)
        case Wait():
            return None
        case _:
            assert_never(line)


def _press(line: Press, bench: Bench) -> Failure | None:
    panel = bench.panel
    up_us = line.at_us + line.for_us
    panel.tick(line.at_us)
    refused: list[Refused] = []
    for button in line.buttons:
        refused += panel.edge(button, True, line.at_us)
    refused += panel.tick(up_us)
    for button in line.buttons:
        refused += panel.edge(button, False, up_us)
    pressed = " and ".join(line.buttons)
    if line.refused is None:
        if not refused:
            return None
        return Failure(line.number, f"{pressed} accepted", _refused(refused[0]))
    wrong = [found for found in refused if found.code != line.refused]
    if refused and not wrong:
        return None
    found = _refused(wrong[0]) if wrong else "accepted"
    return Failure(line.number, f"{pressed} refused with {line.refused}", found)


def _expect(line: Expect, state: State) -> Failure | None:
    now = public_state(state)
    for key, expected in line.values.items():
        found = now[key]
        if key in ("pools", "stacks", "bought", "places") and isinstance(expected, dict):
            for name, value in expected.items():
                if not _same(found.get(name), value) or name not in found:
                    return Failure(
                        line.number,
                        f"{key}.{name} = {_json(value)}",
                        _json(found[name]) if name in found else "no such entry",
                    )
        elif not _same(found, expected):
            return Failure(line.number, f"{key} = {_json(expected)}", _json(found))
    return None


def _same(one: Any, other: Any) -> bool:
    """Equality as JSON has it: to Python true is 1, and 1.0 too."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _refused(refusal: Refusal | Refused) -> str:
    return f"refused with {refusal.code} ({refusal.message})"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
