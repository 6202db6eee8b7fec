"""Statistics of a ledger: counted once, kept in a file, and always those of the ledger."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from pochboard.ledger.remarks import SamePerson
from pochboard.store import Store
from tests.shell.daemons import Home
from tests.shell.server_kit import House
from tests.shell.test_afterwards import NIGHT
from tests.shell.test_cli import play, quick


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A ledger with two nights that are over."""
    played = Home(tmp_path)
    play(played, *NIGHT, *NIGHT)
    return played


def counted(home: Home) -> list[int]:
    with Store.open(home.ledger, readonly=True) as store:
        return [night.number for night in store.statistics().nights]


def test_a_night_is_counted_once(home: Home) -> None:
    with Store.open(home.ledger, readonly=True) as store:
        first = store.statistics()
        entries, number = store.night(2).entries, 2
        assert first.pending == 0
        again = store.statistics(lambda: True)
    assert again == first, "without counting"
    assert [night.number for night in again.nights] == [1, number]
    assert [person.net for person in again.nights[1].people] == [-13, 3, -11]
    assert len(entries) == len(NIGHT)


def test_what_a_person_did_on_the_command_line(home: Home) -> None:
    output = quick(home, "stats").splitlines()
    assert output[0] == "2 nights, 2 deals, 3 people."
    assert output[2].split() == ["nights", "won", "net"]
    assert output[3].split() == ["Ben", "2", "2", "+6"]
    assert "  Ben has won 12 chips from Anna in 2 nights." in output
    output = quick(home, "stats", "Ben").splitlines()
    assert output[0] == "2 of 2 nights won."
    assert output[-1] == "Ben has won 8 chips from Clara in 2 nights."
    assert quick(home, "stats", "Be\u200dn").splitlines() == output
    with Store.open(home.ledger) as store:
        store.add_remark(SamePerson("Benny", "Ben"), 1)
    output[4:4] = ["Also written Benny."]
    assert quick(home, "stats", "Benny").splitlines() == output
    ran = home.here("stats", "Zoe")
    assert ran.status == 2
    assert 'Nobody called "Zoe" has finished a night in which cards were dealt.' in ran.err


def test_the_statistics_over_http(house: House) -> None:
    assert house.get("/api/statistics").json["people"] == []
    for command in [*NIGHT, NIGHT[0]]:
        assert house.post("/api/commands", command).status == 200
    statistics = house.get("/api/statistics").json
    assert (statistics["summary"].startswith("1 night,"), statistics["pending"]) == (True, 0)
    assert [person["name"] for person in statistics["people"]] == ["Ben", "Clara", "Anna"]
    assert statistics["people"][0]["points"][0]["total"] == 3
    german = house.get("/api/statistics", {"Accept-Language": "de"}).json
    assert german["summary"] == "1 Spielabend, 1 Runde, 3 Personen."


def test_a_night_after_midnight_belongs_to_the_year_of_its_evening(house: House) -> None:
    sheet = b"\n".join(json.dumps(command).encode() for command in NIGHT)
    headers = {"Content-Type": "text/plain"}
    assert house.post("/api/nights?day=2023-05-01", sheet, headers).status == 201
    for hour, year in ((5, 2023), (6, 2024)):
        began_ms = round(datetime(2024, 1, 1, hour).astimezone().timestamp() * 1000)
        remark = {"about": "night-date", "night": 1, "began_ms": began_ms}
        assert house.post("/api/remarks", remark).status == 204
        assert house.get("/api/statistics").json["years"] == [year]
