"""Nights of bots are neither listed nor counted, and the next night does not continue them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.shell.server_kit import House, house, wait_until
from tests.shell.test_afterwards import NIGHT


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        for command in NIGHT:
            assert running.post("/api/commands", command).status == 200
        yield running


def play_bots(home: House) -> None:
    """Bots play a night, and it is ended."""
    assert home.post("/api/demo", {"players": 4, "ruleset": "banker", "speed": 0.25}).status == 201
    assert home.ask("DELETE", "/api/demo").status == 204
    wait_until("the bots to leave", lambda: home.get("/api/state").json["demo"] is None)
    home.command(do="void")
    assert home.command(do="end").status == 200


def numbers(home: House, query: str = "") -> list[int]:
    return [night["number"] for night in home.get(f"/api/nights{query}").json]


def lobby(home: House) -> dict[str, Any]:
    found = home.get("/api/state").json["next_night"]
    shown = {
        "players": [(row["place"], row["name"]) for row in found["rows"]],
        "ruleset": found["ruleset"]["name"],
    }
    new = home.get("/api/state").json["new_night"]
    assert shown == {
        "players": [(player["place"], player["name"]) for player in new["players"]],
        "ruleset": new["ruleset"],
    }
    return shown


def test_a_night_of_bots_is_kept_apart(home: House) -> None:
    people = home.get("/api/statistics").json["people"]
    last = home.get("/api/state").json
    assert last["next_night"] is None
    play_bots(home)
    assert (numbers(home), numbers(home, "?bots=1")) == ([1], [2, 1])
    assert home.get("/api/statistics").json["people"] == people
    seen = [(row["place"], row["name"]) for row in last["rows"]]
    assert lobby(home) == {"players": seen, "ruleset": last["ruleset"]["name"]}
    # Another night of bots continues none either.
    play_bots(home)
    assert lobby(home)["players"] == seen


def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        for command in NIGHT:
            home.post("/api/commands", command)
        rows = home.get("/api/state").json["rows"]
        play_bots(home)
        before = lobby(home)
    with house(tmp_path) as home:
        assert lobby(home) == before
        assert [name for _, name in before["players"]] == [row["name"] for row in rows]


def test_before_the_first_night_of_people_nobody_is_in(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        play_bots(home)
        state = home.get("/api/state").json
        assert state["next_night"] == {"rows": [], "ruleset": None, "stack": None}
        assert state["new_night"] == {
            "players": [],
            "fewest": 3,
            "ruleset": "modern",
            "options": {},
            "stack": None,
        }
        (line,) = state["guidance"]["lines"]
        assert line.startswith("To begin without a phone, press the place of each player")


def test_the_board_starts_with_the_family_again(home: House) -> None:
    names = [row["name"] for row in home.get("/api/state").json["rows"]]
    play_bots(home)
    for _ in range(2):
        assert home.post("/api/board/press", {"button": "next", "ms": 20}).status == 200
    state = home.get("/api/state").json
    assert (state["phase"], list(state["names"].values())) == ("idle", names)
    assert state["ruleset"]["name"] == "modern"


def test_a_night_of_bots_counts_if_somebody_says_so(home: House) -> None:
    play_bots(home)
    counted = {"about": "night-of-bots", "night": 2, "bots": False}
    assert home.post("/api/remarks", counted).status == 204
    assert numbers(home) == [2, 1]
    assert home.get("/api/state").json["next_night"] is None
    assert home.post("/api/remarks", {**counted, "bots": True}).status == 204
    assert numbers(home) == [1]
