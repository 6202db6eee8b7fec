"""Score sheets: how they are read, what a line means, the clock, nights from paper."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.errors import SheetError
from pochboard.rules.commands import command_name
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.sheets import (
    Failure,
    Heading,
    PressLine,
    Sheet,
    SheetNight,
    SheetPlayer,
    WaitLine,
    closed_nights,
    heading_row,
    run_sheet,
    write_sheet,
)
from tests.core.play import NAMES, Night, resolve

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": list(NAMES[:3])}
STARTED = json.dumps(START)


def sheet(*rows: object) -> bytes:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows).encode()


def check(*rows: object) -> Failure | None:
    return run_sheet(Sheet(sheet(*rows)), SheetPlayer(resolve()))


def failing_line(*rows: object) -> int:
    failure = check(*rows)
    assert failure is not None, "every line holds"
    assert str(failure).startswith(f"line {failure.line}: The sheet expects ")
    assert str(failure).endswith((".", ".)", "?"))
    return failure.line


def imported_nights(content: bytes) -> list[SheetNight]:
    return list(closed_nights(Sheet(content), resolve()))


def unreadable(*rows: object) -> str:
    with pytest.raises(SheetError) as refused:
        Sheet(sheet(*rows))
    return str(refused.value)


# Reading.


@pytest.mark.parametrize(
    "row",
    [
        "deal", "{", '{"do": "deal"', '{"do": "deal"}}', '{"do": "deal"} {"do": "next"}',
        "{'do': 'deal'}", '{"do": NaN}', '{"wait": Infinity}', '{"do": "deal",}', '{"do": "\\x"}',
        '{"do": "deal"} # and a comment', "// deal", '{"do": "\\ud800"}', "[" * 5000,
        # Not objects.
        "1", "null", "true", '"deal"', "[]", '[{"do": "deal"}]',
        # Unknown kinds of line.
        "{}", '{"Do": "deal"}', '{"doo": "deal"}', '{"comment": "x"}', '{"code": "x"}',
        '{"reject": {"do": "deal"}}', '{"reject": {"do": "deal"}, "code": 1}',
        '{"reject": {"do": "deal"}, "code": null}',
        '{"reject": {"do": "deal"}, "code": "wrong-phase", "why": 1}',
        '{"press": "next", "for": 1}', '{"hold": "next"}', '{"for": 1}', '{"at": 1}',
        '{"refused": "x"}', '{"press": "next", "hold": "next", "for": 1}',
        '{"wait": 1, "at": 3}', '{"expect": {}, "wait": 1}',
        # Unknown keys and forms of expect.
        '{"expect": {"phse": "idle"}}', '{"expect": {"phase": "idle", "names": []}}',
        '{"expect": []}', '{"expect": null}', '{"expect": "idle"}', '{"expect": {"": 1}}',
        # Invalid buttons and times.
        '{"press": "seat9"}', '{"press": "seat0"}', '{"press": "Next"}', '{"press": 1}',
        '{"press": null}', '{"press": ["next"]}x', '{"press": ["next", "undo"]}',
        '{"hold": [], "for": 1}', '{"hold": ["next", "next"], "for": 1}',
        '{"hold": ["next", "undo", "ace"], "for": 1}', '{"hold": ["next", 1], "for": 1}',
        '{"hold": "next", "for": "1"}', '{"hold": "next", "for": true}',
        '{"hold": "next", "for": -1}', '{"hold": "next", "for": null}', '{"hold": {}, "for": 1}',
        '{"wait": -1}', '{"wait": "2"}', '{"wait": true}', '{"wait": null}', '{"wait": [1]}',
        '{"wait": 1e300}', '{"wait": 1e999}', '{"press": "next", "at": "1"}',
        '{"press": "next", "at": -1}', '{"press": "next", "at": true}',
        '{"press": "next", "at": null}', '{"press": "next", "refused": 1}',
        '{"press": "next", "refused": null}', '{"press": "next", "refused": true}',
    ],
)  # fmt: skip
def test_what_is_no_line_is_named_by_its_number(row: str) -> None:
    assert unreadable("# a night", "", STARTED, row, "nor is this").startswith("line 4: ")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("deal", "line 2: This is not JSON: JSON is malformed: invalid character (byte 0)"),
        (
            "{}",
            (
                'line 2: A line must have exactly one of the keys "do", "reject", "expect",'
                ' "night", "press", "hold", "wait".'
            ),
        ),
        (
            '{"expect": []}',
            'line 2: "expect" must be an object with values, such as {"phase": "idle"}.',
        ),
        (
            '{"hold": "next", "for": true}',
            'line 2: "for" must be a number of seconds from 0 to 10000000, not true.',
        ),
        (
            '{"wait": 10000001}',
            'line 2: "wait" must be a number of seconds from 0 to 10000000, not 10000001.',
        ),
    ],
)
def test_the_error_says_what_is_wrong_with_a_line(row: str, sentence: str) -> None:
    assert unreadable(STARTED, row) == sentence


@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b'{"do": "\xe4"}', b"\xed\xa0\x80", b"\xff\xfe"])
def test_what_is_no_utf_8_is_named_by_its_number(bad: bytes) -> None:
    with pytest.raises(SheetError) as refused:
        Sheet(STARTED.encode() + b"\n\n" + bad + b"\n")
    assert str(refused.value) == "line 3: This is not UTF-8 text."


# Commands and refusals.


# Expectations.


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            {"expect": {"phase": "meld"}},
            'line 2: The sheet expects phase = "meld", but it is "idle".',
        ),
        (
            {"expect": {"stacks": {"4": 0}}},
            "line 2: The sheet expects stacks.4 = 0, but there is no stacks.4.",
        ),
    ],
)
def test_a_failure_is_a_sentence(row: dict[str, Any], sentence: str) -> None:
    assert str(check(START, row)) == sentence


# The clock.


def times(*rows: object) -> list[int]:
    """When the presses begin and the waits end, in milliseconds."""
    return [
        (line.at_us if isinstance(line, PressLine) else line.until_us) // 1000
        for line in Sheet(sheet(*rows))
        if isinstance(line, PressLine | WaitLine)
    ]


def test_presses_begin_a_fifth_of_a_second_after_the_line_before() -> None:
    press = {"press": "next"}
    assert times(press, press) == [200, 450]
    assert times(press, START, {"expect": {}}, press) == [200, 450]
    assert times({"hold": "next", "for": 1.5}, press) == [200, 1900]
    assert times({"wait": 2}, press, {"wait": 0.5}, press) == [2000, 2200, 2750, 2950]
    assert times({"hold": ["next", "undo"], "for": 2.5}, {"wait": 0}) == [200, 2700]


def test_at_sets_the_clock_and_never_back() -> None:
    press = {"press": "next"}
    assert times({**press, "at": 3}, press) == [3000, 3250]
    assert times({**press, "at": 0}) == [0]
    # The end of the previous line is allowed; it does not set the clock back.
    assert times(press, {**press, "at": 0.25}) == [200, 250]
    assert times({"wait": 2}, {"hold": "undo", "for": 1, "at": 2}, press) == [2000, 2000, 3200]
    assert unreadable(press, {**press, "at": 0.2}) == (
        'line 2: "at" must not be before the end of the previous line. 0.2 would set the clock'
        " back."
    )
    assert unreadable({"wait": 2}, {**press, "at": 1.999}).startswith("line 2: ")
    assert unreadable({"hold": "next", "for": 1}, {**press, "at": 1}).startswith("line 2: ")


# Presses.


def test_a_refused_press_fails_unless_it_must_be() -> None:
    assert check(START, {"press": "next"}, {"expect": {"phase": "meld"}}) is None
    assert failing_line(START, {"press": "next", "refused": "no-meaning"}) == 2
    assert check(START, {"press": "ace", "refused": "no-meaning"}) is None
    assert failing_line(START, {"press": "ace", "refused": "seat-first"}) == 2
    assert failing_line(START, {"press": "ace"}) == 2
    assert check(START, {"hold": "ace", "for": 2, "refused": "no-meaning"}) is None
    assert failing_line(START, {"hold": "ace", "for": 2}) == 2


# Nights from paper.


@pytest.mark.parametrize("phase", ["meld", "pochen", "showdown", "shed", "out"])
def test_a_deal_in_the_middle_is_void(phase: str) -> None:
    commands: list[dict[str, Any]] = [{"do": "deal"}, {"do": "claim", "seat": 1, "pool": "ace"}]
    if phase != "meld":
        commands.append({"do": "next"})
    if phase == "showdown":
        commands += [{"do": "stake", "seat": seat, "chips": 1} for seat in (2, 3, 1)]
    if phase in ("shed", "out"):
        commands += [{"do": "pass", "seat": seat} for seat in (2, 3, 1)]
    if phase == "out":
        commands.append({"do": "out", "seat": 1})
    imported = imported_nights(sheet(START, *commands))
    (night,) = imported
    assert [command_name(type(entry.command)) for entry in night.entries[-2:]] == ["void", "end"]
    assert night.state.standings == [(1, 50, 0), (2, 50, 0), (3, 50, 0)]
    assert night.state.deal == 0
    assert night.remarks == (
        "The sheet stops in the middle of deal 1; that deal is void.",
        "The sheet does not end its night; it was closed.",
    )


def test_a_sheet_that_does_not_hold_is_not_imported() -> None:
    failing = sheet(START, "", {"expect": {"phase": "meld"}}, {"do": "end"})
    with pytest.raises(SheetError) as refused:
        imported_nights(failing)
    assert str(refused.value) == (
        'line 3: The sheet expects phase = "meld", but it is "idle". Nothing was imported.'
    )
    with pytest.raises(SheetError, match="line 2"):
        imported_nights(sheet(START, "nix"))


# What a sheet says about its nights.

IDENTITY = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("night", "heading"),
    [
        ({"begun": "2026-11-15"}, Heading(None, date(2026, 11, 15))),
        ({"id": IDENTITY}, Heading(IDENTITY)),
        ({}, Heading()),
        (
            {"id": IDENTITY, "begun": "2026-11-15T19:32:10+01:00"},
            Heading(
                IDENTITY, datetime(2026, 11, 15, 19, 32, 10, tzinfo=timezone(timedelta(hours=1)))
            ),
        ),
        (
            {"begun": "2026-11-15T19:32Z"},
            Heading(None, datetime(2026, 11, 15, 19, 32, tzinfo=UTC)),
        ),
        (
            {"begun": "0001-01-01T00:00+00:53:28"},
            Heading(None, datetime(1, 1, 1, tzinfo=timezone(timedelta(seconds=3208)))),
        ),
    ],
)
def test_a_heading_is_that_of_the_next_night(night: dict[str, str], heading: Heading) -> None:
    (first, second) = imported_nights(
        sheet({"night": night}, START, {"do": "end"}, START, {"do": "end"})
    )
    assert (first.heading, second.heading) == (heading, Heading())
    if heading.begun is None or heading.begun.year > 1:
        (again,) = imported_nights(sheet(heading_row(heading), START))
        assert again.heading == heading


@pytest.mark.parametrize("wrong", ["", 7, None, "A" * 64, "a" * 63])
def test_what_is_no_identity(wrong: object) -> None:
    assert unreadable({"night": {"id": wrong}}) == (
        'line 1: "id" must be the 64 digits and letters that an export has written, not'
        f" {json.dumps(wrong)}. Leave it out for a night on paper."
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "15.11.2026", "2026-02-30", "2026-11-15T19:30", "2026-11-15T19:30+25:00", "0000-11-15",
        "٢٠٢٦-11-15", "2026-11-15T24:30Z", "20261115", "2026-W46-7", 20261115, None, True,
    ],
)  # fmt: skip
def test_what_is_no_time(wrong: object) -> None:
    assert unreadable({"night": {"begun": wrong}}) == (
        'line 1: "begun" must be a day, such as 2026-11-15, or a time with its offset from UTC,'
        " such as 2026-11-15T19:30:00+01:00, not"
        f" {json.dumps(wrong, ensure_ascii=False)}."
    )


def test_a_heading_stands_before_its_night() -> None:
    assert str(check({"night": {}}, START, {"night": {}})) == (
        'line 3: A line with "night" must come before the start of a night, not within one.'
    )
    begun = {"night": {"begun": "2026-11-15"}}
    assert check(START, {"do": "end"}, begun, {"wait": 3}, START) is None


def test_sheets_that_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pochboard.sheets.MOST_ENTRIES", 3)
    monkeypatch.setattr("pochboard.sheets.MOST_NIGHTS", 2)
    night = [START, {"do": "deal"}, {"do": "void"}]
    assert str(check(*night, {"do": "undo"})) == (
        "line 4: This night is too long: a night on a sheet may have at most 3 entries."
    )
    short = [START, {"do": "end"}]
    assert check(*short, *short) is None
    assert str(check(*short, *short, START)) == (
        "line 5: A sheet may have at most 2 nights. Split it into several files."
    )


# Exported nights.


@pytest.mark.parametrize("title", ["", "one", "two\nlines", "a\r\nb\rc", "x\u2028{y}", "\n\n"])
def test_an_export_stands_alone(title: str) -> None:
    night = Night(
        "thirty-one", 4, options={"ante": 2, "pools": [*night_pools()]}, places=[8, 1, 3, 5]
    )
    night.do("rename", seat=1, name='"{}\\ ä\u200d')
    night.do("rebuy", seat=1, chips=12, id="b")
    night.do("undo", id="a")
    night.do("redo")
    night.do("deal")
    night.do("void")
    night.do("undo")
    text = "".join(write_sheet(night.book.entries, night.book.state, title))
    bench = SheetPlayer(resolve())
    assert run_sheet(Sheet(text.encode()), bench) is None
    assert bench.state == night.book.state
    assert text.endswith("}\n")


def test_a_house_ruleset_is_written_as_the_shipped_one_that_is_nearest() -> None:
    shipped = shipped_rulesets()
    sunday = replace(override(shipped["philos"], {"ante": 2}), name="sunday")
    night = Night(None)
    night.book.resolve = resolve_among({**shipped, "sunday": sunday})
    night.start("sunday")
    comment, first, *_ = "".join(write_sheet(night.book.entries, night.book.state, "")).splitlines()
    assert comment == "# house ruleset sunday, put as philos with options"
    start = {"ruleset": "philos", "players": list(NAMES[:3]), "options": {"ante": 2}}
    assert json.loads(first) == {"do": "start", **start}


def night_pools() -> tuple[str, ...]:
    return ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke")
