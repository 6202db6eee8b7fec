"""Nights can be named and deleted from the list; two names can be one person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pochboard.ledger.remarks import NightDeleted, NightName, SamePerson
from pochboard.store import Store
from tests.shell.daemons import Home
from tests.shell.server_kit import House, running_house
from tests.shell.test_afterwards import NIGHT
from tests.shell.test_cli import play, quick
from tests.shell.test_repair import damage


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path) as running:
        for command in [*NIGHT, *NIGHT]:
            assert running.post("/api/commands", command).status == 200
        yield running


def remark(house: House, about: str, **fields: Any) -> int:
    return house.post("/api/remarks", {"about": about, **fields}).status


def numbers(house: House, query: str = "") -> list[int]:
    return [night["number"] for night in house.get(f"/api/nights{query}").json]


def test_each_night_is_listed_in_one_section(house: House) -> None:
    def sections() -> list[str]:
        return [night["section"] for night in house.get("/api/nights?deleted=1&bots=1").json]

    assert sections() == ["nights", "nights"]
    assert remark(house, "night-of-bots", night=1, bots=True) == 204
    assert sections() == ["nights", "bots"]
    assert remark(house, "night-deleted", night=1, deleted=True) == 204
    assert sections() == ["nights", "deleted"]


def test_a_deleted_night_is_in_the_ledger_and_can_be_restored(house: House) -> None:
    assert remark(house, "night-deleted", night=1, deleted=True) == 204
    assert numbers(house) == [2]
    assert numbers(house, "?deleted=1") == [2, 1]
    assert house.get("/api/statistics").json["summary"].startswith("1 night, ")
    assert house.get("/api/nights/1").status == 200
    assert house.get("/api/nights/1/sheet").status == 200
    assert remark(house, "night-deleted", night=1, deleted=False) == 204
    assert numbers(house) == [2, 1]


def test_two_spellings_are_merged_and_separated(house: House) -> None:
    assert remark(house, "same-person", name="Ben", called="Benjamin") == 204
    names = [person["name"] for person in house.get("/api/statistics").json["people"]]
    assert names == ["Benjamin", "Clara", "Anna"]
    assert remark(house, "same-person", name="Anna", called="Clara") == 204
    people = house.get("/api/statistics").json["people"]
    assert [(person["name"], person["nights"]) for person in people] == [
        ("Benjamin", 2),
        ("Clara", 2),
    ]
    merged = house.get("/api/statistics").json["merged"]
    assert [name for name, _ in merged] == ["Ben", "Anna"]
    for name, _ in merged:  # each is enough to take it back
        assert remark(house, "same-person", name=name, called=name) == 204
    statistics = house.get("/api/statistics").json
    assert {person["name"] for person in statistics["people"]} == {"Anna", "Ben", "Clara"}
    assert statistics["merged"] == []


def test_a_night_has_the_date_that_somebody_gives_it_everywhere(house: House) -> None:
    """In the list, the night, its entries, its exports and the statistics, read again or cached."""
    began_ms = 1_804_451_700_000  # 2027-03-07T20:15 UTC
    raw = {
        night: [entry["time_ms"] for entry in house.get(f"/api/nights/{night}/entries").json]
        for night in (1, 2)
    }

    def dates(night: int) -> set[int]:
        """All that is said of when a night began."""
        (listed,) = (row for row in house.get("/api/nights").json if row["number"] == night)
        details = house.get(f"/api/nights/{night}").json
        entries = house.get(f"/api/nights/{night}/entries").json
        course = house.get("/api/statistics").json["people"][0]["points"]
        document = house.get(f"/api/nights/{night}/json").json
        as_text = datetime.fromisoformat(document["started"])
        return {
            listed["started_ms"],
            details["started_ms"],
            entries[0]["time_ms"],
            *(point["started_ms"] for point in course if point["night"] == night),
            round(as_text.timestamp() * 1000),
        }

    for night in (1, 2):  # the second is still in memory
        assert dates(night) == {raw[night][0]}
        assert remark(house, "night-date", night=night, began_ms=began_ms) == 204
        assert dates(night) == {began_ms}
        times = [entry["time_ms"] for entry in house.get(f"/api/nights/{night}/entries").json]
        assert [at - began_ms for at in times] == [at - raw[night][0] for at in raw[night]]
        assert b"2027-03-07" in house.get(f"/api/nights/{night}/csv").body
        assert remark(house, "night-date", night=night, began_ms=began_ms + 1) == 204
        assert dates(night) == {began_ms + 1}
        assert remark(house, "night-date", night=night, began_ms=None) == 204
        assert dates(night) == {raw[night][0]}


def test_what_cannot_be_said(house: House) -> None:
    for body, status in (
        ({"about": "night-name", "night": 9, "name": "x"}, 404),
        ({"about": "night-name", "night": 1, "name": "a\u202eb"}, 400),
        ({"about": "night-name", "night": 1, "name": "x", "more": 1}, 400),
        ({"about": "same-person", "name": " ", "called": "Anna"}, 400),
        ({"about": "night-date", "night": 9, "began_ms": 1_700_000_000_000}, 404),
        ({"about": "night-date", "night": 1, "began_ms": 2**70}, 400),
        ({"about": "weather"}, 400),
    ):
        assert house.post("/api/remarks", body).status == status, body


def test_remarks_survive_a_restart_and_a_repair(home: Home, tmp_path: Path) -> None:
    play(home, *NIGHT, *NIGHT)
    with Store.open(home.ledger) as store:
        store.add_remark(NightName(2, "Christmas"), 1)
        store.add_remark(SamePerson("Anja", "Anna"), 2)
        store.add_remark(NightDeleted(1, True), 3)
        remarks = store.remarks()
    with Store.open(home.ledger, readonly=True) as store:
        assert store.remarks() == remarks
    assert "Christmas: Ben +3" in quick(home, "nights")
    assert quick(home, "stats").startswith("1 night,")
    damage(home, "DELETE FROM nights WHERE number = 1")
    home.here("repair", tmp_path / "new.db")
    with Store.open(tmp_path / "new.db") as store:
        assert store.remarks().names == {1: "Christmas"}, "night 2 is night 1 now"
        assert (store.remarks().deleted, store.remarks().aliases) == (frozenset(), {"Anja": "Anna"})


def test_a_title_is_seen(house: House) -> None:
    for name in ("\u3164", "\u200d", "Christ\u00admas", "a\u2028b", "\x1b[31m"):
        assert remark(house, "night-name", night=1, name=name) == 400
        assert remark(house, "same-person", name="Anna", called=name) == 400
    assert house.get("/api/nights").json[1]["name"] is None
