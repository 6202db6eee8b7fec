"""The heading and the lines of a score sheet, read and written (RULES.md 9)."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.buttons.press import BUTTONS
from pochboard.errors import NotASheetError
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import passed_ms
from pochboard.rules.commands import Start
from pochboard.rules.ruleset import PARAMETERS, Ruleset
from pochboard.rules.ruleset_files import nearest_preset, shipped_rulesets
from pochboard.rules.state import State, public_state
from pochboard.text.allowed_values import quoted, why_refused
from pochboard.text.decoding import decode_json
from pochboard.text.encodings import written_text
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
    known = {name: value for name, value in fields.items() if value}
    return json_shown(msgspec.json.encode({"night": known}).decode())


PRESS_US: Final = 50_000
"""How long a short press lasts on a sheet."""
PAUSE_US: Final = 200_000
"""The pause before each press or hold, unless the line says when."""

KEYS: Final = (
    "phase", "deal", "dealer", "banker", "to_act", "leader", "knocker", "trump", "pools", "stacks",
    "bought", "live", "sitting_out", "places", "blocked", "committed", "bank", "standings",
)  # fmt: skip
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


class _Clock:
    """The clock of a sheet while it is read, in microseconds; it starts at 0."""

    def __init__(self) -> None:
        self.now_us = 0


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
        clock = _Clock()
        # Only line feeds end a line; other separators may stand inside JSON strings.
        for number, row in enumerate(map(str.strip, io.StringIO(self._text, "\n")), start=1):
            if row and not row.startswith("#"):
                yield _line(number, row, clock)


def read_sheet(content: bytes) -> Sheet:
    """The lines of a score sheet. Raises NotASheetError, with the line number, if it is not one."""
    return Sheet(content)


def _line(number: int, row: str, clock: _Clock) -> SheetLine:
    try:
        values = decode_json(row)
    except msgspec.DecodeError as error:
        raise NotASheetError(f"line {number}: This is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise NotASheetError(
            f"line {number}: A line must be a JSON object, such as " + '{"do": "deal"}.'
        )
    keys = set(values)
    try:
        if "do" in keys:
            if "at" not in keys:
                return DoLine(number, values)
            clock.now_us = _at_us(values.pop("at"), clock)
            return DoLine(number, values, clock.now_us)
        if keys == {"reject", "code"}:
            return RejectLine(number, values["reject"], _text(values["code"], "code"))
        if keys == {"night"}:
            return NightLine(number, read_heading(values["night"]))
        if keys == {"expect"}:
            return _expect(number, values["expect"])
        if keys == {"wait"}:
            clock.now_us += _duration_us(values["wait"], "wait")
            return WaitLine(number, clock.now_us)
        if {"press"} <= keys <= {"press", "refused", "at"}:
            return _press(number, values, [values["press"]], PRESS_US, clock)
        if {"hold", "for"} <= keys <= {"hold", "for", "refused", "at"}:
            held = values["hold"] if isinstance(values["hold"], list) else [values["hold"]]
            return _press(number, values, held, _duration_us(values["for"], "for"), clock)
    except ValueError as error:
        raise NotASheetError(f"line {number}: {error}") from None
    raise NotASheetError(f"line {number}: {_why_no_line(values)}")


_LINES: Final = (
    ("do", ("do",), ("at",)),
    ("reject", ("reject", "code"), ()),
    ("expect", ("expect",), ()),
    ("night", ("night",), ()),
    ("press", ("press",), ("refused", "at")),
    ("hold", ("hold", "for"), ("refused", "at")),
    ("wait", ("wait",), ()),
)
"""What begins a line, the keys that it must have, and those that it may have."""


def _why_no_line(found: dict[str, Any]) -> str:
    """Why an object is not a line of a sheet: the key that is missing or does not belong there."""
    begins = [names for names in _LINES if names[0] in found]
    if len(begins) != 1:
        words = [names[0] for names in _LINES]
        return (
            f"A line must have exactly one of the keys {', '.join(quoted(word) for word in words)}."
        )
    ((kind, required, optional),) = begins
    missing = next((key for key in required if key not in found), None)
    if missing is not None:
        return f'A line with "{kind}" needs the key "{missing}" too.'
    extra = next(key for key in found if key not in (*required, *optional))
    return (
        f'A line with "{kind}" cannot have the key {quoted(extra)}. It can only have'
        f" {', '.join(quoted(key) for key in (*required, *optional))}."
    )


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        # One kind of error for a line.
        raise ValueError(why_refused(str, value, key))  # noqa: TRY004
    return value


def _expect(number: int, values: Any) -> ExpectLine:
    if not isinstance(values, dict):
        raise ValueError(  # noqa: TRY004
            '"expect" must be an object with values, such as {"phase": "idle"}.'
        )
    unknown = [key for key in values if key not in KEYS]
    if unknown:
        raise ValueError(_not_expected(unknown[0]))
    return ExpectLine(number, values)


def _not_expected(key: str) -> str:
    return f'"expect" cannot have the key {quoted(key)}. It can only have {", ".join(KEYS)}.'


_LONGEST_S: Final = 10_000_000


def _duration_us(value: Any, key: str) -> int:
    """Seconds as JSON to microseconds."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= _LONGEST_S
    ):
        raise ValueError(
            f'"{key}" must be a number of seconds from 0 to {_LONGEST_S}, not {quoted(value)}.'
        )
    return round(value * 1_000_000)


def _at_us(value: Any, clock: _Clock) -> int:
    """The time to which a line sets the clock."""
    at_us = _duration_us(value, "at")
    if at_us < clock.now_us:
        raise ValueError(
            f'"at" must not be before the end of the previous line. {value} would set the clock'
            " back."
        )
    return at_us


def _no_button(button: str) -> str:
    return f"There is no button {quoted(button)}. The buttons are {', '.join(BUTTONS)}."


def _press(
    number: int, found: dict[str, Any], held: list[Any], for_us: int, clock: _Clock
) -> PressLine:
    if not all(isinstance(button, str) for button in held):
        raise ValueError(
            'A button must be text, such as "seat2", not'
            f" {quoted(next(button for button in held if not isinstance(button, str)))}."
        )
    if not 1 <= len(held) <= 2 or len(set(held)) < len(held):
        raise ValueError(f'"hold" must name one button, or two different ones, not {quoted(held)}.')
    for button in held:
        if button not in BUTTONS:
            raise ValueError(_no_button(button))
    at_us = _at_us(found["at"], clock) if "at" in found else clock.now_us + PAUSE_US
    clock.now_us = at_us + for_us
    refused = _text(found["refused"], "refused") if "refused" in found else None
    return PressLine(number, tuple(held), at_us, for_us, refused)


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
    options = _differences(shipped[base], rules)
    given = {} if command.options is UNSET else command.options
    if (base, options) != (command.ruleset, given):
        command = replace(command, ruleset=base, options=options or UNSET)
    rows = [f"# {shown(row)}" for row in title.splitlines()]
    if base != rules.name:
        rows.append(f"# house ruleset {shown(rules.name)}, put as {base} with options")
    if heading != UNKNOWN:
        rows.append(heading_row(heading))
    rows.append(_json(command))
    yield "\n".join(rows) + "\n"
    at_ms = 0
    for before, entry in pairwise(entries):
        pause_ms = passed_ms(before.time_ms, entry.time_ms)
        at_ms += pause_ms
        at = {"at": at_ms / 1000} if pause_ms else {}
        yield _json({**msgspec.to_builtins(entry.command), **at}) + "\n"
    yield _json({"expect": public_state(state)}) + "\n"


def _differences(base: Ruleset, rules: Ruleset) -> dict[str, Any]:
    """The options that make the base play as the ruleset."""
    of_base, wanted = base.parameters(), rules.parameters()
    return {key: wanted[key] for key in PARAMETERS if wanted[key] != of_base[key]}


def _json(value: Any) -> str:
    return json_shown(msgspec.json.encode(value).decode())
