"""Nights of bots are neither listed nor counted, and the next night does not continue them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shell.server_kit import House, running_house, wait_until
from tests.shell.test_afterwards import NIGHT


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path) as running:
        for command in NIGHT:
            assert running.post("/api/commands", command).status == 200
        yield running


def play_bots(house: House) -> None:
    """Bots play a night, and it is ended."""
    assert house.post("/api/demo", {"players": 4, "ruleset": "banker", "speed": 0.25}).status == 201
    assert house.ask("DELETE", "/api/demo").status == 204
    wait_until("the bots to leave", lambda: house.get("/api/state").json["demo"] is None)
    house.command(do="void")
    assert house.command(do="end").status == 200


def numbers(house: House, query: str = "") -> list[int]:
    return [night["number"] for night in house.get(f"/api/nights{query}").json]


def lobby(house: House) -> dict[str, Any]:
    new = house.get("/api/state").json["new_night"]
    return {
        "players": [(player["place"], player["name"]) for player in new["players"]],
        "ruleset": new["ruleset"],
    }


def test_a_night_of_bots_is_kept_apart(house: House) -> None:
    people = house.get("/api/statistics").json["people"]
    last = house.get("/api/state").json
    play_bots(house)
    assert (numbers(house), numbers(house, "?bots=1")) == ([1], [2, 1])
    assert house.get("/api/statistics").json["people"] == people
    seen = [(row["place"], row["name"]) for row in last["rows"]]
    assert lobby(house) == {"players": seen, "ruleset": last["ruleset"]["name"]}
    # Another night of bots continues none either.
    play_bots(house)
    assert lobby(house)["players"] == seen


def test_a_night_of_bots_counts_if_somebody_says_so(house: House) -> None:
    play_bots(house)
    counted = {"about": "night-of-bots", "night": 2, "bots": False}
    assert house.post("/api/remarks", counted).status == 204
    assert numbers(house) == [2, 1]
    assert house.post("/api/remarks", {**counted, "bots": True}).status == 204
    assert numbers(house) == [1]
