"""The time zone of the board: page, files and commands write the same dates (BOARD.md 4)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from pochboard import time_zone
from pochboard.table import clock
from pochboard.table.clock import begun_ms, evening_of, file_stamp, local_time, now_ms, zoned_text
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
    assert "\n2026-11-15 *" in house.get("/api/nights/1/beancount").body.decode()
    assert '"2026-11-14T23:30:00' in house.get("/api/nights/1/csv").body.decode()
    name = house.get("/api/backup").headers["content-disposition"]
    assert f"pochboard-{local_time(now_ms()):%Y-%m-%d-%H}" in name
