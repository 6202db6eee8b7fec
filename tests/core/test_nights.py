"""Every sheet in `tests/nights` is correct, its export too, and each wrong value is detected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from pochboard.rules.state import public_state
from pochboard.sheets.lines import DoLine, ExpectLine, PressLine, SheetLine, read_sheet, write_sheet
from pochboard.sheets.play import SheetPlayer, closed_nights, run_sheet
from tests.core.play import resolve
from tests.not_empty import not_empty

FOLDER: Final = Path(__file__).parent.parent / "nights"
SHEETS: Final = sorted(FOLDER.glob("*.jsonl"))
IN_ENTRIES: Final = ("pools", "stacks", "bought", "places")

each_sheet = pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)


def lines_of(sheet: Path) -> list[SheetLine]:
    return list(read_sheet(sheet.read_bytes()))


@each_sheet
def test_it_holds(sheet: Path) -> None:
    bench = SheetPlayer(resolve())
    failure = run_sheet(lines_of(sheet), bench)
    assert failure is None, str(failure)
    assert bench.nights


@each_sheet
def test_each_night_exported_is_accepted(sheet: Path) -> None:
    played = SheetPlayer(resolve())
    assert run_sheet(lines_of(sheet), played) is None
    for night in not_empty(played.nights):
        exported = "".join(write_sheet(night.entries, night.state, f"{sheet.stem}\nonce more"))
        again = SheetPlayer(resolve())
        failure = run_sheet(read_sheet(exported.encode()), again)
        assert failure is None, str(failure)
        (copy,) = again.nights
        assert copy.state == night.state
        assert [(entry.postings, entry.ref) for entry in copy.entries] == [
            (entry.postings, entry.ref) for entry in night.entries
        ]
        last = msgspec.json.decode(exported.splitlines()[-1])
        assert last == {"expect": public_state(night.state)}


@each_sheet
def test_each_night_can_be_imported(sheet: Path) -> None:
    imported = closed_nights(read_sheet(sheet.read_bytes()), resolve())
    assert all(night.state.phase == "closed" for night in imported)


# Wrong values.


def another(value: Any) -> Iterator[Any]:
    """Values that differ from this one as little as possible."""
    if value is None:
        yield from (0, False, "", [], {})
    elif isinstance(value, int):
        yield from (value + 1, value - 1, str(value), None, [value])
        if value in (0, 1):
            yield bool(value)
    elif isinstance(value, str):
        yield from (f"{value} ", value.swapcase(), None)
    elif isinstance(value, list):
        yield from ([*value, 1], None, {})
        for at, item in enumerate(value):
            yield value[:at] + value[at + 1 :]
            yield [*value[:at], next(another(item)), *value[at + 1 :]]
    else:
        assert isinstance(value, dict)
        yield from ({**value, "9": 1}, None, list(value))
        for key, item in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield {**value, key: next(another(item))}


def wrong(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a line expects, with one value changed each time."""
    for key, value in values.items():
        if key not in IN_ENTRIES:
            yield from ({**values, key: other} for other in another(value))
            continue
        yield {**values, key: None}
        yield {**values, key: {**value, "none": 0}}
        for name, chips in value.items():
            for other in another(chips):
                yield {**values, key: {**value, name: other}}


@pytest.mark.parametrize("sheet", SHEETS[::4], ids=lambda sheet: sheet.stem)
def test_each_wrong_value_fails(sheet: Path) -> None:
    bench = SheetPlayer(resolve())
    for line in not_empty(lines_of(sheet)):
        if isinstance(line, ExpectLine):
            for values in wrong(line.values):
                failure = run_sheet([ExpectLine(line.number, values)], bench)
                assert failure is not None, f"line {line.number} stays in with {values}"
                assert failure.line == line.number
                assert " but " in str(failure)
        assert run_sheet([line], bench) is None


@each_sheet
def test_a_line_left_out_is_noticed(sheet: Path) -> None:
    """A later line fails because of the chips that the missing command would have moved."""
    lines = lines_of(sheet)
    moves = [
        at
        for at, line in enumerate(lines)
        if isinstance(line, DoLine) and line.command["do"] in ("deal", "settle", "rebuy")
    ]
    if not moves:
        assert any(isinstance(line, PressLine) for line in lines)
        return
    at = moves[-1]
    without = lines[:at] + lines[at + 1 :]
    failure = run_sheet(without, SheetPlayer(resolve()))
    assert failure is not None
    assert failure.line > lines[at].number
