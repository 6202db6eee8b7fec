"""Score sheets: nights on paper, read, played and written (RULES.md 9)."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any, Final, assert_never

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.buttons.button_meaning import DrawDealer, OpenPairing, PanelContext, SendCommand
from pochboard.buttons.panel import Panel, PanelEffect, PanelOutcome, carry_out
from pochboard.buttons.press import BUTTONS
from pochboard.errors import NotASheetError, Refusal, RefusedInput, SheetError
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import MOST_ENTRIES, passed_ms
from pochboard.rules.commands import Parsed, Start, parse_command
from pochboard.rules.ruleset import PARAMETERS, Ruleset
from pochboard.rules.ruleset_files import nearest_preset, shipped_rulesets
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS, State, public_state
from pochboard.text.allowed_values import quoted, why_refused
from pochboard.text.decoding import decode_json
from pochboard.text.encodings import written_text
from pochboard.text.translator import ENGLISH
from pochboard.text.unicode_names import is_name, json_shown, shown

NOON: Final = time(12)
"""When a night began of which only the day is known."""
_ID: Final = re.compile(r"[0-9a-f]{64}")
_BEGUN: Final = re.compile(
    r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d(:\d\d)?))?", re.ASCII
)


class Heading(msgspec.Struct, frozen=True):
    """What is known about a night on paper beside its commands."""

    id: str | None = None
    """Its identity, if it comes from a ledger."""
    begun: date | datetime | None = None
    """When it began: a time with its offset from UTC, or only a day."""
    ledger: str | None = None
    """The id of the ledger that it comes from, if a board has written it into a folder."""
    name: str = ""
    """What people call it, if a board has written it, like what follows."""
    deleted: bool = False
    bots: bool = False
    """Whether computer players played it."""

    @property
    def identity(self) -> str | None:
        """What tells the night from all others. One that names its ledger is only that ledger's."""
        if self.id is None or self.ledger is None:
            return self.id
        return hashlib.sha256(f"{self.ledger}{self.id}".encode()).hexdigest()


UNKNOWN: Final = Heading()


def read_heading(value: Any) -> Heading:
    """The heading in a line of a sheet. Raises ValueError with a sentence."""
    if not isinstance(value, dict) or not value.keys() <= {*Heading.__struct_fields__}:
        raise ValueError(
            '"night" must be an object with "id", "begun" or both, such as {"begun": "2026-11-15"}.'
        )
    for key in ("id", "ledger"):
        identity = value.get(key)
        if key in value and not (isinstance(identity, str) and _ID.fullmatch(identity)):
            raise ValueError(
                f'"{key}" must be the 64 digits and letters that an export has written, not'
                f" {quoted(identity)}. Leave it out for a night on paper."
            )
    for key, kind in (("name", str), ("deleted", bool), ("bots", bool)):
        if key in value and type(value[key]) is not kind:
            raise ValueError(why_refused(kind, value[key], key))
    if value.get("name") and not is_name(value["name"]):
        raise ValueError('"name" must have 1 to 100 characters, none of them invisible.')
    return Heading(**value | {"begun": _time(value["begun"]) if "begun" in value else None})


def _time(text: Any) -> date | datetime:
    if isinstance(text, str) and _BEGUN.fullmatch(text):
        try:
            return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
        except ValueError:
            pass  # there is no such day or time
    raise ValueError(
        '"begun" must be a day, such as 2026-11-15, or a time with its offset from UTC,'
        f" such as 2026-11-15T19:30:00+01:00, not {quoted(text)}."
    )


def heading_row(heading: Heading) -> str:
    """The line of a sheet that holds a heading."""
    fields = msgspec.structs.asdict(heading)
    fields["begun"] = heading.begun and heading.begun.isoformat()
    return _row({"night": {name: value for name, value in fields.items() if value}})


PRESS_US: Final = 50_000
"""How long a short press lasts on a sheet."""
PAUSE_US: Final = 200_000
"""The pause before each press or hold, unless the line says when."""

KEYS: Final = (*public_state(State()), "banker")
"""What an `expect` may name."""


class DoLine(msgspec.Struct, frozen=True):
    """A command that must be accepted."""

    number: int
    command: dict[str, Any]
    at_us: int | None = None
    """When it was given, if the line says so."""


class RejectLine(msgspec.Struct, frozen=True):
    """A command that must be refused with this code."""

    number: int
    command: Any
    code: str


class ExpectLine(msgspec.Struct, frozen=True):
    """Values that hold now."""

    number: int
    values: dict[str, Any]


class PressLine(msgspec.Struct, frozen=True):
    """Buttons held down together from `at_us` for `for_us`; perhaps refused with a code."""

    number: int
    buttons: tuple[str, ...]
    at_us: int
    for_us: int
    refused: str | None


class WaitLine(msgspec.Struct, frozen=True):
    """The clock advances to `until_us`."""

    number: int
    until_us: int


class NightLine(msgspec.Struct, frozen=True):
    """What is known about the night that starts next."""

    number: int
    heading: Heading


SheetLine = DoLine | RejectLine | ExpectLine | PressLine | WaitLine | NightLine


class Sheet(Iterable[SheetLine]):
    """The lines of a score sheet. They are read again each time, because there may be very many."""

    def __init__(self, content: bytes) -> None:
        """Reads all lines. Raises NotASheetError, with the number of the line that is none."""
        try:
            self._text = written_text(content)
        except UnicodeDecodeError as error:
            number = content[: error.start].count(b"\n") + 1
            raise NotASheetError(f"line {number}: This is not UTF-8 text.") from None
        self.is_empty = True
        """Whether nothing on it is played or compared."""
        for line in self:
            if not isinstance(line, NightLine | WaitLine):
                self.is_empty = False

    def __iter__(self) -> Iterator[SheetLine]:
        reader = _Reader()
        # Only line feeds end a line; other separators may stand inside JSON strings.
        for number, row in enumerate(map(str.strip, io.StringIO(self._text, "\n")), start=1):
            if row and not row.startswith("#"):
                try:
                    line = reader.line(number, row)
                except ValueError as error:
                    raise NotASheetError(f"line {number}: {error}") from None
                yield line


_KEYS_OF_LINE: Final = {
    "reject": (("reject", "code"), ()),
    "expect": (("expect",), ()),
    "night": (("night",), ()),
    "press": (("press",), ("refused", "at")),
    "hold": (("hold", "for"), ("refused", "at")),
    "wait": (("wait",), ()),
}
"""By the first key of a line, the keys that it must have, and the others that it may have.

A line that begins with `do` may have any, because a command has fields.
"""


class _Reader:
    """Reads lines one after the other. Each error is a ValueError with a sentence."""

    def __init__(self) -> None:
        self._now_us = 0
        """The clock of the sheet, in microseconds."""

    def line(self, number: int, row: str) -> SheetLine:
        """Reads a line from a row of the file."""
        try:
            values = decode_json(row)
        except msgspec.DecodeError as error:
            raise ValueError(f"This is not JSON: {error}") from None
        if not isinstance(values, dict):
            raise ValueError(  # noqa: TRY004 - one kind of error for a line
                'A line must be a JSON object, such as {"do": "deal"}.'
            )
        match _kind(values):
            case "do" if "at" in values:
                self._now_us = self._at_us(values.pop("at"))
                return DoLine(number, values, self._now_us)
            case "do":
                return DoLine(number, values)
            case "reject":
                return RejectLine(number, values["reject"], _text(values, "code"))
            case "night":
                return NightLine(number, read_heading(values["night"]))
            case "expect":
                return ExpectLine(number, _expected(values["expect"]))
            case "wait":
                self._now_us += _duration_us(values["wait"], "wait")
                return WaitLine(number, self._now_us)
            case "press":
                return self._press(number, values, [values["press"]], PRESS_US)
            case _:
                held = values["hold"] if isinstance(values["hold"], list) else [values["hold"]]
                return self._press(number, values, held, _duration_us(values["for"], "for"))

    def _at_us(self, value: Any) -> int:
        """The time to which a line sets the clock."""
        at_us = _duration_us(value, "at")
        if at_us < self._now_us:
            raise ValueError(
                f'"at" must not be before the end of the previous line. {value} would set the clock'
                " back."
            )
        return at_us

    def _press(
        self, number: int, values: dict[str, Any], held: list[Any], for_us: int
    ) -> PressLine:
        for button in held:
            if not isinstance(button, str):
                raise ValueError(  # noqa: TRY004
                    f'A button must be text, such as "seat2", not {quoted(button)}.'
                )
        if not 1 <= len(held) <= 2 or len(set(held)) < len(held):
            raise ValueError(
                f'"hold" must name one button, or two different ones, not {quoted(held)}.'
            )
        for button in held:
            if button not in BUTTONS:
                raise ValueError(
                    f"There is no button {quoted(button)}. The buttons are {', '.join(BUTTONS)}."
                )
        at_us = self._at_us(values["at"]) if "at" in values else self._now_us + PAUSE_US
        self._now_us = at_us + for_us
        refused = _text(values, "refused") if "refused" in values else None
        return PressLine(number, tuple(held), at_us, for_us, refused)


def _kind(values: dict[str, Any]) -> str:
    """The first key of a line, once all its keys have been checked."""
    if "do" in values:
        return "do"
    begins = [kind for kind in _KEYS_OF_LINE if kind in values]
    if len(begins) != 1:
        words = ", ".join(quoted(word) for word in ("do", *_KEYS_OF_LINE))
        raise ValueError(f"A line must have exactly one of the keys {words}.")
    required, optional = _KEYS_OF_LINE[begins[0]]
    for key in required:
        if key not in values:
            raise ValueError(f'A line with "{begins[0]}" needs the key "{key}" too.')
    for key in values:
        if key not in (*required, *optional):
            raise ValueError(
                f'A line with "{begins[0]}" cannot have the key {quoted(key)}. It can only have'
                f" {', '.join(quoted(key) for key in (*required, *optional))}."
            )
    return begins[0]


def _text(values: dict[str, Any], key: str) -> str:
    value = values[key]
    if not isinstance(value, str):
        raise ValueError(why_refused(str, value, key))  # noqa: TRY004
    return value


def _expected(values: Any) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(  # noqa: TRY004
            '"expect" must be an object with values, such as {"phase": "idle"}.'
        )
    for key in values:
        if key not in KEYS:
            raise ValueError(
                f'"expect" cannot have the key {quoted(key)}. It can only have {", ".join(KEYS)}.'
            )
    return values


_LONGEST_S: Final = 10_000_000


def _duration_us(value: Any, key: str) -> int:
    """Seconds as JSON to microseconds."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= _LONGEST_S:
        raise ValueError(
            f'"{key}" must be a number of seconds from 0 to {_LONGEST_S}, not {quoted(value)}.'
        )
    seconds: float = value
    return round(seconds * 1_000_000)


MOST_NIGHTS: Final = 1_000
"""The most nights on a sheet."""
NO_NIGHT: Final = "There is no night on this sheet: it has no start."
"""Why a sheet without a start cannot be imported."""


class Failure(msgspec.Struct, frozen=True):
    """The first line of a sheet that failed."""

    line: int
    reason: str
    """What should have happened and what did, in a whole sentence."""

    def __str__(self) -> str:
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
        match line:
            case PressLine():
                now_us = line.at_us + line.for_us
            case WaitLine():
                now_us = line.until_us
            case DoLine(at_us=int(at_us)):
                now_us = at_us
                player.time_ms = now_us // 1000
            case _:
                pass
        if not isinstance(line, PressLine):
            player.tick(now_us)
        reason = _played(line, player)
        if reason is None and len(player.book) > MOST_ENTRIES:
            reason = (
                f"This night is too long: a night on a sheet may have at most {MOST_ENTRIES:,}"
                " entries."
            )
        if reason is None and player.begun > MOST_NIGHTS:
            reason = (
                f"A sheet may have at most {MOST_NIGHTS:,} nights. Split it into several files."
            )
        yield None if reason is None else Failure(line.number, reason)


def _played(line: SheetLine, player: SheetPlayer) -> str | None:
    """Plays a line. Returns a sentence if it fails."""
    match line:
        case DoLine(_, command):
            refusal = player.send(command)
            return _not_accepted(_json(command), refusal) if refusal else None
        case RejectLine(_, command, code):
            return _not_refused(_json(command), code, player.refusal(command))
        case ExpectLine(_, values):
            return _unexpected(values, player.state)
        case PressLine():
            return _press(line, player)
        case NightLine() if not player.announce(line):
            return 'A line with "night" must come before the start of a night, not within one.'
        case _:
            return None


def _press(line: PressLine, player: SheetPlayer) -> str | None:
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
        return _not_accepted(pressed, refused[0].refusal) if refused else None
    wrong = [refusal for refusal in refused if refusal.code != line.refused]
    found = (*wrong, *refused)
    return _not_refused(pressed, line.refused, found[0].refusal if found else None)


def _not_accepted(what: str, refusal: Refusal) -> str:
    return (
        f"The sheet expects the table to accept {what}, but it refused it with {refusal.code}:"
        f" {refusal.sentence}"
    )


def _not_refused(what: str, code: str, refusal: Refusal | None) -> str | None:
    """A sentence, unless this is the refusal that the sheet expects."""
    if refusal is not None and refusal.code == code:
        return None
    but = "it did not."
    if refusal is not None:
        but = f"it did so with {refusal.code}: {refusal.sentence}"
    return f"The sheet expects the table to refuse {what} with {code}, but {but}"


def _unexpected(values: Mapping[str, Any], state: State) -> str | None:
    """A sentence about the first value that differs from the sheet."""
    now = {"banker": state.banker, **public_state(state)}
    for key, expected in values.items():
        found = {key: now[key]}
        wanted = {key: expected}
        if key in ("pools", "stacks", "bought", "places") and isinstance(expected, dict):
            found = {f"{key}.{name}": value for name, value in now[key].items()}
            wanted = {f"{key}.{name}": value for name, value in expected.items()}
        for name, value in wanted.items():
            if name not in found or not _same(found[name], value):
                is_now = f"it is {_json(found[name])}" if name in found else f"there is no {name}"
                return f"The sheet expects {name} = {_json(value)}, but {is_now}."
    return None


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
            raise SheetError(f"{failure} Nothing was imported.")
        yield from player.take_finished()
    if not player.book.entries:
        raise SheetError(NO_NIGHT)
    remarks: list[str] = []
    if player.state.phase not in ("idle", "closed"):
        deal = player.state.deal
        remarks.append(f"The sheet stops in the middle of deal {deal}; that deal is void.")
        _must_apply(player, "void")
    if player.state.phase != "closed":
        remarks.append("The sheet does not end its night; it was closed.")
        _must_apply(player, "end")
    yield replace(player.night, remarks=tuple(remarks), added=len(remarks))


def _must_apply(player: SheetPlayer, do: str) -> None:
    refusal = player.send({"do": do})
    assert refusal is None, f"{do} is always accepted there"


def write_sheet(
    entries: Sequence[Entry], state: State, title: str, heading: Heading = UNKNOWN
) -> Iterator[str]:
    """The commands of a night in order, with their times, then an `expect` of its full state.

    The sheet stands alone. A ruleset that does not ship with the package, or that has changed since
    the start, is written as a shipped one with options.
    """
    command = entries[0].command
    assert isinstance(command, Start), "every night begins with a start"
    rules = state.rules
    shipped = shipped_rulesets()
    base = rules.name if rules.name in shipped else nearest_preset(rules).name
    # The options that make the base play as the ruleset.
    of_base, wanted = shipped[base].parameters(), rules.parameters()
    options = {key: wanted[key] for key in PARAMETERS if wanted[key] != of_base[key]}
    given = {} if command.options is UNSET else command.options
    if (base, options) != (command.ruleset, given):
        command = replace(command, ruleset=base, options=options or UNSET)
    rows = [f"# {shown(row)}" for row in title.splitlines()]
    if base != rules.name:
        rows.append(f"# house ruleset {shown(rules.name)}, put as {base} with options")
    if heading != UNKNOWN:
        rows.append(heading_row(heading))
    rows.append(_row(command))
    yield "\n".join(rows) + "\n"
    at_ms = 0
    for before, entry in pairwise(entries):
        pause_ms = passed_ms(before.time_ms, entry.time_ms)
        at_ms += pause_ms
        at = {"at": at_ms / 1000} if pause_ms else {}
        yield _row({**msgspec.to_builtins(entry.command), **at}) + "\n"
    yield _row({"expect": public_state(state)}) + "\n"


def _row(value: Any) -> str:
    return json_shown(msgspec.json.encode(value).decode())
