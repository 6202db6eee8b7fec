"""Clock and time zone of the board: page, files and commands write one date (BOARD.md 4)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pochboard import time_zone
from pochboard.table import clock
from pochboard.table import clock as machine_clock
from pochboard.table.clock import (
    TableClock,
    begun_ms,
    evening_of,
    file_stamp,
    local_time,
    now_ms,
    zoned_text,
)
from pochboard.time_zone import use_zone
from tests.shell.server_kit import House, running_house
from tests.shell.test_afterwards import START
from tests.shell.test_server_pairing import PROXIED, code_of, open_window

SATURDAY_MS = 1_794_699_000_000
"""Half past midnight on Sunday, 15 November 2026, in Berlin: half past eleven p.m. in UTC."""


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a Pi that was set up without a time zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    time_zone.system_zone.cache_clear()
    yield
    monkeypatch.undo()
    time.tzset()
    time_zone.system_zone.cache_clear()
    use_zone(None)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path) as running:
        yield running


def test_local_time_is_that_of_the_board() -> None:
    assert zoned_text(SATURDAY_MS) == "2026-11-14 23:30 UTC (UTC)"
    assert use_zone("Europe/Berlin") is None
    assert zoned_text(SATURDAY_MS) == "2026-11-15 00:30 CET (Europe/Berlin)"
    assert local_time(SATURDAY_MS).isoformat() == "2026-11-15T00:30:00+01:00"
    assert evening_of(SATURDAY_MS) == date(2026, 11, 14)
    assert local_time(begun_ms(date(2026, 7, 1))).isoformat() == "2026-07-01T12:00:00+02:00"
    use_zone("Pacific/Kiritimati")
    assert evening_of(SATURDAY_MS) == date(2026, 11, 15)
    assert file_stamp()[:10] == f"{local_time(now_ms()).date()}"


@pytest.mark.parametrize(
    ("given", "name"),
    [("", "UTC"), (":Asia/Kathmandu", "Asia/Kathmandu"), ("CET-1CEST,M3.5.0,M10.5.0/3", ""),
     (":/usr/share/zoneinfo/America/St_Johns", "America/St_Johns")],
)  # fmt: skip
def test_the_name_is_that_of_the_zone_in_use(
    monkeypatch: pytest.MonkeyPatch, given: str, name: str
) -> None:
    monkeypatch.setenv("TZ", given)
    assert time_zone.system_zone() == name


def zone_of(house: House) -> tuple[str, str, str]:
    page = house.get("/").body.decode()
    written = re.search(r'data-zone="([^"]*)"', page)
    assert written is not None
    state, asked = house.get("/api/state").json, house.get("/api/clock").json
    return state["board"]["zone"], asked["zone"], written[1]


def test_the_first_phone_that_names_a_zone_decides_and_people_may_change_it(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        assert zone_of(house) == ("UTC", "UTC", "UTC")
        for zone, holds in (
            ("Europe/Kiew", "UTC"),
            ("", "UTC"),
            ("Etc/UTC", "UTC"),
            ("Europe/Vienna", "Europe/Vienna"),
            ("Asia/Tokyo", "Europe/Vienna"),
        ):
            open_window(house)
            answer = house.post("/api/pair", {**code_of(house), "zone": zone}, PROXIED)
            assert answer.status == 200
            assert zone_of(house) == (holds, holds, holds)
        answer = house.put("/api/board/settings", {"zone": "Mars/Olympus"})
        assert (answer.status, answer.code) == (400, "bad-argument")
        assert house.put("/api/board/settings", {"zone": "Asia/Tokyo"}).status == 204
        assert zone_of(house)[0] == "Asia/Tokyo"
    # It survives a restart.
    with running_house(tmp_path) as house:
        assert zone_of(house)[0] == "Asia/Tokyo"


def test_a_time_counts_whatever_zone_comes_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "is_set", lambda _: False)
    answer = house.put("/api/clock", {"time_ms": SATURDAY_MS, "zone": "Mitteleuropa"})
    assert (answer.status, answer.json["zone"], answer.json["from_phone"]) == (200, "UTC", True)
    assert house.put("/api/clock", {"time_ms": 7, "zone": "Asia/Tokyo"}).status == 400
    assert zone_of(house)[0] == "UTC"
    answer = house.put("/api/clock", {"time_ms": SATURDAY_MS, "zone": "Europe/Berlin"})
    assert answer.json["zone"] == "Europe/Berlin"


def test_page_files_and_commands_agree_on_the_date_of_a_night(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "is_set", lambda _: False)
    body = {"time_ms": SATURDAY_MS, "zone": "Europe/Berlin"}
    assert house.put("/api/clock", body).status == 200
    assert house.command(**START).status == 200
    assert house.command(do="end").status == 200
    sheet = house.get("/api/nights/1/sheet").body.decode()
    assert '"begun":"2026-11-15T00:30:' in sheet
    assert "+01:00" in sheet
    assert '"2026-11-14T23:30:00' in house.get("/api/nights/1/csv").body.decode()
    name = house.get("/api/backup").headers["content-disposition"]
    assert f"pochboard-{local_time(now_ms()):%Y-%m-%d-%H}" in name


YEARS_MS = 5 * 365 * 24 * 3_600_000


@pytest.mark.parametrize("time_ms", [-(2**62), -62_135_596_800_000, 253_402_300_799_999, 2**62])
def test_every_time_in_a_ledger_belongs_to_an_evening(time_ms: int) -> None:
    assert evening_of(time_ms).year in (1, 9999)


class Machine:
    """The file in which systemd-timesyncd says that it has set the clock."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._file = root / "run/systemd/timesync/synchronized"

    def set_clock(self, yes: bool = True) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.touch() if yes else self._file.unlink()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "root")


def test_a_phone_s_time_goes_on_until_the_network_sets_the_clock(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = TableClock(machine.root)
    assert abs(clock.now_ms() - now_ms()) < 60_000
    steps = iter(range(0, 10_000_000, 1_000_000))
    monkeypatch.setattr(machine_clock, "now_us", lambda: next(steps))
    assert clock.follow_phone(1_804_451_700_000) is None
    # One second passes with each look, whatever the machine's own clock does.
    monkeypatch.setattr(machine_clock, "now_ms", lambda: 7)
    assert [clock.now_ms() - 1_804_451_700_000 for _ in range(3)] == [1_000, 2_000, 3_000]
    assert clock.is_of_a_phone
    machine.set_clock()
    assert clock.now_ms() == 7
    assert not clock.is_of_a_phone
    refused = clock.follow_phone(1_804_451_700_000)
    assert refused is not None
    assert refused.code == "clock-set"
    # What it said before does not count again.
    machine.set_clock(False)
    assert clock.now_ms() == 7


@pytest.fixture
def timeless(machine: Machine, tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "home") as running:
        running.table.clock._root = machine.root
        yield running


def times(timeless: House) -> list[int]:
    return [entry["time_ms"] for entry in timeless.get("/api/nights/1/entries").json]


def test_heartbeats_tell_the_time_of_a_clock_that_no_network_has_set(
    timeless: House, machine: Machine
) -> None:
    known = f"/api/events?known={timeless.get('/api/state').json['revision']}-paired"
    before_ms = timeless.get("/api/clock").json["time_ms"]
    with timeless.stream(known) as stream:
        told_ms = stream.next("heartbeat").data["time_ms"]
    assert before_ms <= told_ms <= timeless.get("/api/clock").json["time_ms"]
    machine.set_clock()
    with timeless.stream(known) as stream:
        assert "time_ms" not in stream.next("heartbeat").data


def test_new_entries_get_the_phone_s_time_and_never_go_back_a_little(
    timeless: House, machine: Machine
) -> None:
    assert timeless.command(**START).status == 200
    clock = timeless.get("/api/clock").json
    assert (clock["is_set"], clock["from_phone"]) == (False, False)
    later_ms = clock["time_ms"] + YEARS_MS
    answer = timeless.put("/api/clock", {"time_ms": later_ms})
    assert answer.status == 200
    assert answer.json["from_phone"]
    assert timeless.command(do="deal").status == 200
    # The network sets the clock: five years back is no pause, and is shown as it is.
    machine.set_clock()
    assert timeless.command(do="undo").status == 200
    assert timeless.get("/api/clock").json["is_set"]
    first, second, third = times(timeless)
    assert later_ms <= second < later_ms + 600_000
    assert first <= third < later_ms - YEARS_MS / 2
    # The phone was only an hour ahead: time stands still until then.
    machine.set_clock(False)
    assert timeless.put("/api/clock", {"time_ms": third + 3_600_000}).status == 200
    assert timeless.command(do="deal").status == 200
    machine.set_clock()
    assert timeless.command(do="undo").status == 200
    *_, fourth, fifth = times(timeless)
    assert fourth >= third + 3_600_000
    assert fifth == fourth


def test_only_paired_phones_say_what_time_it_is_and_only_while_nobody_else_does(
    timeless: House, machine: Machine
) -> None:
    assert timeless.put("/api/clock", {"time_ms": now_ms()}, PROXIED).status == 401
    assert timeless.get("/api/clock", PROXIED).status == 200
    machine.set_clock()
    answer = timeless.put("/api/clock", {"time_ms": round(time.time() * 1000)})
    assert (answer.status, answer.code) == (409, "clock-set")
