"""A phone's time dates entries while no network has set the clock of the machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.table import clock as machine_clock
from pochboard.table.clock import TableClock, evening_of, now_ms
from tests.shell.server_kit import House, running_house
from tests.shell.test_afterwards import START
from tests.shell.test_server_pairing import PROXIED

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
def house(machine: Machine, tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "home") as running:
        running.table.clock._root = machine.root
        yield running


def times(house: House) -> list[int]:
    return [entry["time_ms"] for entry in house.get("/api/nights/1/entries").json]


def test_heartbeats_tell_the_time_of_a_clock_that_no_network_has_set(
    house: House, machine: Machine
) -> None:
    known = f"/api/events?known={house.get('/api/state').json['revision']}-paired"
    before_ms = house.get("/api/clock").json["time_ms"]
    with house.stream(known) as stream:
        told_ms = stream.next("heartbeat").data["time_ms"]
    assert before_ms <= told_ms <= house.get("/api/clock").json["time_ms"]
    machine.set_clock()
    with house.stream(known) as stream:
        assert "time_ms" not in stream.next("heartbeat").data


def test_new_entries_get_the_phone_s_time_and_never_go_back_a_little(
    house: House, machine: Machine
) -> None:
    assert house.command(**START).status == 200
    clock = house.get("/api/clock").json
    assert (clock["is_set"], clock["from_phone"]) == (False, False)
    later_ms = clock["time_ms"] + YEARS_MS
    answer = house.put("/api/clock", {"time_ms": later_ms})
    assert answer.status == 200
    assert answer.json["from_phone"]
    assert house.command(do="deal").status == 200
    # The network sets the clock: five years back is no pause, and is shown as it is.
    machine.set_clock()
    assert house.command(do="undo").status == 200
    assert house.get("/api/clock").json["is_set"]
    first, second, third = times(house)
    assert later_ms <= second < later_ms + 600_000
    assert first <= third < later_ms - YEARS_MS / 2
    # The phone was only an hour ahead: time stands still until then.
    machine.set_clock(False)
    assert house.put("/api/clock", {"time_ms": third + 3_600_000}).status == 200
    assert house.command(do="deal").status == 200
    machine.set_clock()
    assert house.command(do="undo").status == 200
    *_, fourth, fifth = times(house)
    assert fourth >= third + 3_600_000
    assert fifth == fourth


def test_only_paired_phones_say_what_time_it_is_and_only_while_nobody_else_does(
    house: House, machine: Machine
) -> None:
    assert house.put("/api/clock", {"time_ms": now_ms()}, PROXIED).status == 401
    assert house.get("/api/clock", PROXIED).status == 200
    machine.set_clock()
    answer = house.put("/api/clock", {"time_ms": round(time.time() * 1000)})
    assert (answer.status, answer.code) == (409, "clock-set")
