"""Nights as a whole: every sheet in `tests/nights`, when they began, and how they sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.ledger.entry import Entry, Sound, betting_winners, passes_turn, sound_of_entry
from pochboard.ledger.replay import (
    MOST_PAUSE_MS,
    NEWEST_MS,
    OLDEST_MS,
    begun_at,
    duration_ms,
)
from pochboard.rules.commands import Deal
from pochboard.rules.state import public_state
from pochboard.sheets import (
    DoLine,
    ExpectLine,
    PressLine,
    Sheet,
    SheetLine,
    SheetPlayer,
    closed_nights,
    run_sheet,
    write_sheet,
)
from tests.core.play import Night, melding, resolve
from tests.not_empty import not_empty

FOLDER: Final = Path(__file__).parent.parent / "nights"
SHEETS: Final = sorted(FOLDER.glob("*.jsonl"))
IN_ENTRIES: Final = ("pools", "stacks", "bought", "places")

each_sheet = pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)


def lines_of(sheet: Path) -> list[SheetLine]:
    return list(Sheet(sheet.read_bytes()))


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
        failure = run_sheet(Sheet(exported.encode()), again)
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
    imported = closed_nights(Sheet(sheet.read_bytes()), resolve())
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


MINUTE = 60_000
HOUR = 60 * MINUTE
YEARS = 50 * 365 * 24 * HOUR
EVENING = 1_800_000_000_000


def entries(*times: int) -> list[Entry]:
    return [Entry(number, at, Deal(), ()) for number, at in enumerate(times, 1)]


def at_minutes(*minutes: int) -> list[Entry]:
    return entries(*(EVENING + minute * MINUTE for minute in minutes))


@pytest.mark.parametrize(
    ("night", "minutes"),
    [
        (at_minutes(), 0),
        (at_minutes(0), 0),
        (at_minutes(0, 10, 95), 95),
        (at_minutes(0, 240), 240),
        # Longer than anybody thinks about a card: a pause until the next day, or another clock.
        (at_minutes(0, 10, 251, 261), 20),
        (at_minutes(0, 10, -50, -40), 20),
        # The network set the clock.
        (entries(0, 5 * MINUTE, EVENING, EVENING + 5 * MINUTE), 10),
        (entries(EVENING, EVENING + MINUTE, EVENING - YEARS, EVENING - YEARS + MINUTE), 2),
    ],
)
def test_a_night_lasts_as_long_as_its_plausible_pauses(night: list[Entry], minutes: int) -> None:
    assert duration_ms(night) == minutes * MINUTE


TIMES = st.lists(st.integers(-YEARS, YEARS), max_size=9)


@given(TIMES, st.integers(0, 9), st.integers(-YEARS, YEARS))
def test_a_clock_that_is_set_once_hides_one_pause_at_most(
    times: list[int], at: int, jump: int
) -> None:
    times = sorted(times)
    set_once = times[:at] + [time + jump for time in times[at:]]
    before, after = duration_ms(entries(*times)), duration_ms(entries(*set_once))
    assert abs(after - before) <= MOST_PAUSE_MS
    assert 0 <= after <= MOST_PAUSE_MS * max(0, len(times) - 1)


@given(TIMES.filter(bool), st.integers(OLDEST_MS, NEWEST_MS))
def test_a_corrected_night_begins_then_goes_forward_and_lasts_as_long(
    times: list[int], began_ms: int
) -> None:
    night = entries(*times)
    moved = begun_at(night, began_ms)
    assert [entry.number for entry in moved] == [entry.number for entry in night]
    shown = [entry.time_ms for entry in moved]
    assert shown == sorted(shown)
    assert shown[0] == began_ms
    assert shown[-1] - shown[0] == duration_ms(moved) == duration_ms(night)
    assert list(begun_at(moved, began_ms)) == list(moved)
    assert moved[-1:] == [moved[-1]]


def heard(night: Night, name: str, /, **fields: object) -> Sound | None:
    """The sound of a command."""
    before = night.book.state
    step = night.do(name, **fields)
    return sound_of_entry(before, night.book.state, step.entry.command)


def test_a_night_is_heard() -> None:
    night = Night()
    assert heard(night, "deal") == "chips"
    assert heard(night, "turn", card="QH") is None
    assert heard(night, "claim", seat=1, pool="ace") == "claim"
    assert heard(night, "next") is None
    assert heard(night, "stake", seat=2, chips=2) == "knock"  # opens
    assert heard(night, "stake", seat=3, chips=2) == "chips"  # holds
    assert heard(night, "stake", seat=1, chips=5) == "knock"  # raises
    assert heard(night, "undo") is None
    assert heard(night, "redo") is None
    assert heard(night, "pass", seat=2) is None
    assert heard(night, "stake", seat=3, chips=3) == "chips"
    assert heard(night, "showdown", ranking=[3]) == "win"
    assert heard(night, "out", seat=2) == "out"
    assert heard(night, "settle", cards={"1": 2, "3": 0}) == "chips"
    assert heard(night, "deal") == "chips"
    assert heard(night, "void") is None
    assert heard(night, "rename", seat=1, name="Andrea") is None
    assert heard(night, "end") == "end"


def winners(night: Night, name: str, /, **fields: object) -> tuple[int, ...]:
    before = night.book.state
    step = night.do(name, **fields)
    return betting_winners(before, night.book.state, step.entry.command)


def test_a_knocker_who_loses_takes_back_what_nobody_has_matched() -> None:
    night = melding(players=3, dealer=3, options={"all_in": True})
    night.have({2: 2})
    night.do("next")
    before = night.stacks[0]
    night.do("stake", seat=1, chips=9)
    night.do("stake", seat=2, chips=2)
    night.do("pass", seat=3)
    assert winners(night, "showdown", ranking=[2, 1]) == (2,)
    assert night.stacks[0] == before - 2, "it has taken back seven of nine"


def test_the_turn_passes_to_another_player() -> None:
    night = Night()

    def passes(name: str, /, **fields: object) -> bool:
        before = night.book.state
        night.do(name, **fields)
        return passes_turn(before, night.book.state)

    assert not passes("deal")
    assert passes("next"), "the betting begins"
    assert not passes("rename", seat=2, name="Benjamin")
    assert passes("stake", seat=2, chips=2)
    assert passes("undo"), "it is the other player's turn again"
    assert passes("redo")
    assert passes("pass", seat=3)
    assert not passes("pass", seat=1), "nobody is to act"
