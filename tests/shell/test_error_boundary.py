"""Whatever only shows the table may fail: commands are recorded, undo works, a start succeeds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

import msgspec
import pytest

from pochboard.buttons.panel import Panel
from pochboard.ledger.entry import Entry
from pochboard.messages.labels import fault_text
from pochboard.rules.accounts import BANK
from pochboard.runtime.threads import Answer, ErrorBoundary, HealthMonitor, Part
from pochboard.server.events import Events
from pochboard.store import Store
from pochboard.table.clock import now_ms
from pochboard.table.lighting import Lighting
from tests.shell.daemons import Home
from tests.shell.server_kit import LONG_S, House, running_house, wait_until

DEAL: Final[tuple[dict[str, Any], ...]] = (
    {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]},
    {"do": "deal"},
    {"do": "turn", "card": "KH"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 2},
    {"do": "stake", "seat": 3, "chips": 2},
    {"do": "pass", "seat": 1},
    {"do": "showdown", "ranking": [3, 2]},
    {"do": "out", "seat": 3},
    {"do": "settle", "cards": {"1": 2, "2": 1}},
    {"do": "sit_out", "seat": 1},
    {"do": "end"},
)
SHOWING: Final = {
    "views.state": (
        "names_by_seat pool_details phase_name headline hints guidance sentence"
        " sound_of_entry seat_rows rim results_of standings_rows"
        " referee_question _new_night"
    ),
    "views.actions": "sentence deck_of",
    "ledger.book": "stake_range free_places",
    "table.table": "correctable_from accepted_candidates legal_actions",
    "table.lighting": "render next_change_us effects_of_entry",
    "table.journal": "summarize",
    "views.nights": "_in_words sentence",
    "server.routes.board": "hex_colours",
    "views.board": "_open_questions _how_to_pair",
    "server.routes.pages": "get_face get_rulesets",
}
"""What is called while something is shown, by module."""
PATHS: Final = (
    "/api/state?lang=de", "/", "/tv", "/api/board", "/api/nights/1/entries",
)  # fmt: skip
"""What a table asks for while it plays."""
METHODS: Final[tuple[tuple[Any, str], ...]] = (
    (Panel, "usable"),
    (Panel, "recorded"),
    (Lighting, "recorded"),
    (Events, "on_snapshot"),
    (Events, "on_frame"),
)


class ShowingError(Exception):
    """What no part of the program expects."""


def fail(*_: object, **__: object) -> Any:
    raise ShowingError


def failing(part: tuple[object, str], reached: set[tuple[object, str]]) -> Callable[..., Any]:
    def fail_here(*_: object, **__: object) -> Any:
        reached.add(part)
        raise ShowingError

    return fail_here


def play(house: House) -> None:
    """A whole night. Each state is asked for, and in each phase all that a table asks for."""
    phase = ""
    for number, command in enumerate(DEAL, 1):
        answer = house.command(**command)
        assert (answer.status, answer.json.get("entry")) == (200, number), (command, answer.body)
        state = house.get("/api/state").json
        for path in PATHS if state["phase"] != phase else ():
            assert house.get(path).status == 200, (command, path)
        phase = state["phase"]
        assert state["entry"] == number
        assert [row["name"] for row in state["rows"]] == ["Anna", "Ben", "Clara"]
        chips = sum(pool["chips"] or 0 for pool in state["pool_details"])
        assert (
            chips + sum(row["stack"] for row in state["rows"])
            == -house.table.snapshot.state.balances[BANK]
        )
        assert number == 1 or "undo" in state["actions"]


def test_a_night_goes_on_whatever_fails_to_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First all of it fails, and then what was behind that, until each part has failed."""
    left = [
        (cast("Any", importlib.import_module(f"pochboard.{module}")), name)
        for module, names in SHOWING.items()
        for name in names.split()
    ]
    left += METHODS
    while left:
        reached: set[tuple[object, str]] = set()
        for part in left:
            monkeypatch.setattr(*part, failing(part, reached))
        folder = tmp_path / str(len(left))
        with running_house(folder) as house:
            play(house)
            undone = house.command(do="undo")
            assert (undone.status, undone.json) == (200, {"entry": len(DEAL) + 1})
        with running_house(folder) as house:  # the start succeeds, with the night as it is
            assert house.get("/api/state").json["entry"] == len(DEAL) + 1
            monkeypatch.undo()
            assert house.command(do="deal").status == 200
            assert house.get("/api/state").json["actions"].keys() >= {"turn", "next", "undo"}
            assert not house.table.boundary.problem
        assert reached, f"never asked for: {left}"
        left = [part for part in left if part not in reached]


def test_a_failing_view_is_a_fault_of_the_daemon_at_once() -> None:
    boundary, monitor = ErrorBoundary(), HealthMonitor(interval_s=LONG_S)
    boundary.failed = lambda: monitor.hurry("view")

    def answer_at_once(answer: Answer) -> None:
        answer()

    view = Part("view", answer_at_once, lambda: True, lambda: boundary.problem)
    monitor.watch([view], lambda: None)
    try:
        boundary.attempt("headline", fail, None)
        wait_until("it is reported", lambda: "view" in monitor.faults)
        said = fault_text(monitor.faults.items(), restarts=True)
        assert "you can play on or undo" in said
        assert "restart" not in said
        boundary.attempt("headline", lambda: "it works", None)
        assert not boundary.problem
    finally:
        monitor.close()


def test_a_page_that_fails_is_logged_once_and_is_a_fault(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    house.start_night()
    monkeypatch.setattr("pochboard.server.routes.nights.statistics_text", fail)
    for _ in range(3):
        answer = house.get("/api/statistics")
        assert (answer.status, answer.code) == (500, "internal")
    assert [record.getMessage() for record in caplog.records] == [
        "The answer to GET /api/statistics failed at night 1, entry 1. The table goes on."
    ]
    assert "you can play on" in str(house.table.boundary.problem)
    assert house.command(do="deal").status == 200
    assert not house.table.boundary.problem


def test_lights_that_fail_at_an_entry_are_a_problem_until_they_work(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.start_night()
    monkeypatch.setattr("pochboard.table.lighting.render", fail)
    assert house.command(do="deal").status == 200
    assert house.table.boundary.problem
    monkeypatch.undo()
    assert house.command(do="undo").status == 200
    assert not house.table.boundary.problem


def test_a_command_at_which_the_rules_fail_is_refused_and_the_table_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.start_night()
    monkeypatch.setattr("pochboard.rules.melding.replace", fail)
    answer = house.command(do="deal")
    assert (answer.status, answer.code) == (409, "internal")
    assert house.command(do="rename", seat=1, name="Ida").status == 200
    assert house.command(do="undo").status == 200


class Juggle(msgspec.Struct, frozen=True, tag_field="do", tag="juggle"):
    """A command of a later version."""


def test_a_night_with_a_command_of_a_later_version_is_a_fault_on_the_page(home: Home) -> None:
    home.book({"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]})
    with Store.open(home.ledger) as store:
        store.append(1, Entry(2, now_ms(), cast("Any", Juggle()), (), None, None))
    with home.daemon() as daemon:
        fault = daemon.state["fault"]
        assert fault["code"] == "damaged"
        assert "Night 1, entry 2 cannot be read" in fault["message"]
        assert "another version of pochboard" in fault["message"]
        assert daemon.send(do="deal").code == "damaged"
        assert daemon.stop()[0] == 0
