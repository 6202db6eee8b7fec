"""The simulated board: who holds what."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from pochboard.boards.simulator import ClientEdge, Simulator
from pochboard.buttons.press import BUTTONS, PressTimes
from pochboard.errors import RefusedInput
from tests.shell.server_kit import House, running_house, wait_until


class FakeTable:
    """A table that records what it receives."""

    buttons = BUTTONS

    def __init__(self) -> None:
        self.edges: list[tuple[str, bool | None]] = []
        """The edges; None stands for a release that does not count."""
        self.known: list[tuple[str, int | None]] = []
        """The reports of buttons known to be down, and until when."""
        self.at_once: list[list[tuple[str, bool]]] = []
        """The edges that were reported together."""
        self.times_us: list[int | None] = []
        self.links: list[bool] = []
        self.released = 0
        self.refuse: list[RefusedInput] = []
        self._lock = threading.Lock()

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        with self._lock:
            self.edges.append((button, down))
            self.times_us.append(at_us)
        done: Future[list[RefusedInput]] = Future()
        done.set_result(self.refuse)
        return done

    def edges_at_once(
        self, edges: Sequence[tuple[str, bool, int]], *, wanted: Callable[[], bool] = lambda: True
    ) -> Future[list[RefusedInput]]:
        assert wanted()
        self.at_once.append([(button, down) for button, down, _ in edges])
        return [self.edge(*edge) for edge in edges][-1]

    def known_down(self, button: str, until_us: int | None) -> Future[list[RefusedInput]]:
        self.known.append((button, until_us))
        done: Future[list[RefusedInput]] = Future()
        done.set_result([])
        return done

    def release(self, button: str) -> None:
        self.edges.append((button, None))

    def release_all(self) -> None:
        self.released += 1

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        self.links.append(up)


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def board(table: FakeTable) -> Iterator[Simulator]:
    board = Simulator()
    board.start(table)
    yield board
    board.close()


def test_a_silent_client_lets_go(board: Simulator, table: FakeTable) -> None:
    board.edges("me", ("ace",), down=True, hold_s=0.05)
    board.edges("you", ("king",), down=True, hold_s=60)
    wait_until("the button is up", lambda: ("ace", False) in table.edges)
    assert ("king", False) not in table.edges


DOWN: Final = ClientEdge(down=True)
UP: Final = ClientEdge(down=False)
REPEAT: Final = ClientEdge(down=True, repeat=True)
CANCEL: Final = ClientEdge(down=False, cancel=True)
PRESSED: Final = [("ace", True), ("ace", False)]
CANCELLED: Final = [("ace", True), ("ace", None), ("ace", False)]
"""The release without effect comes first."""


def test_a_client_that_goes_silent_has_pressed_nothing(
    board: Simulator, table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.boards.simulator.HOLD_S", 0.05)
    board.client_edge("me", "ace", DOWN)
    wait_until("the button is up", lambda: ("ace", False) in table.edges)
    assert table.edges == CANCELLED


def test_a_cancelled_press_is_released_without_an_effect(
    board: Simulator, table: FakeTable
) -> None:
    board.client_edge("me", "ace", DOWN)
    board.client_edge("me", "ace", CANCEL)
    assert table.edges == CANCELLED


@pytest.mark.parametrize("last", [UP, CANCEL])
def test_a_down_that_arrives_after_its_up_is_dropped(
    board: Simulator, table: FakeTable, last: ClientEdge
) -> None:
    board.client_edge("me", "ace", replace(last, press=1))
    board.client_edge("me", "ace", replace(DOWN, press=1))
    assert table.edges == []
    board.client_edge("you", "ace", replace(DOWN, press=1))
    board.client_edge("you", "ace", replace(UP, press=1))
    assert table.edges == PRESSED, "every client numbers its own presses"


def test_a_button_counts_as_held_only_for_the_time_its_client_has_reported(
    board: Simulator, table: FakeTable
) -> None:
    def known_ms() -> int:
        button, until_us = table.known[-1]
        assert button == "ace"
        assert until_us is not None
        assert table.times_us[0] is not None
        return round((until_us - table.times_us[0]) / 1000)

    board.client_edge("me", "ace", DOWN)
    assert known_ms() == 0
    board.client_edge("me", "ace", replace(REPEAT, held_ms=100))
    assert known_ms() == 100
    board.client_edge("me", "ace", replace(REPEAT, held_ms=50))
    assert known_ms() == 100, "a word that was overtaken by a later one takes nothing back"
    board.client_edge("me", "ace", replace(REPEAT, held_ms=60_000))
    assert known_ms() < 60_000, "nobody can have held it for longer than it is down, or just over"
    board.edges("test", ("ace",), down=True)
    assert table.known[-1] == ("ace", None), "this process lets go, or the hold ends"
    board.edges("test", ("ace",), down=False)
    assert table.known[-1] != ("ace", None)


# Over the API.


UNHURRIED: Final = PressTimes(
    long_us=3_000_000,
    next_long_us=4_000_000,
    leave_us=4_000_000,
    both_us=2_500_000,
    overlap_us=2_000_000,
    select_us=60_000_000,
    too_soon_us=0,
    lobby_us=60_000_000,
)
"""A short press stays short even if its threads have to wait for seconds."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path, times=UNHURRIED) as running:
        yield running


def press(house: House, button: object, ms: int = 1) -> object:
    answer = house.post("/api/board/press", {"button": button, "ms": ms})
    assert answer.status == 200, answer.body
    return [refused["code"] for refused in answer.json["refused"]]


@pytest.fixture
def betting(tmp_path: Path) -> Iterator[House]:
    """Seat 2 at place 2 is to act; held for 0.8 s, its button passes."""
    with running_house(tmp_path, times=PressTimes(too_soon_us=0)) as running:
        running.start_night()
        running.command(do="deal")
        running.command(do="next")
        assert running.get("/api/state").json["to_act"] == 2
        yield running


def phone_edge(house: House, button: str, *, down: bool, **more: object) -> list[str]:
    """A phone's report about a button; returns the codes of refusals."""
    body = {"button": button, "down": down, "client": "phone", **more}
    answer = house.post("/api/board/edge", body)
    assert answer.status == 200, answer.body
    return [refused["code"] for refused in answer.json["refused"]]


def is_let_go(house: House) -> None:
    wait_until("the board has released it", lambda: not house.simulator._down)
    house.simulator.tap("sequence").result()  # the table has handled everything before this


def test_a_phone_that_disappears_with_a_seat_held_does_not_pass(betting: House) -> None:
    before = betting.get("/api/state").json
    assert phone_edge(betting, "seat2", down=True) == []
    assert phone_edge(betting, "seat2", down=True, repeat=True) == []
    is_let_go(betting)
    after = betting.get("/api/state").json
    for fact in ("entry", "to_act", "pending", "phase"):
        assert after[fact] == before[fact]


@pytest.mark.parametrize(
    "body",
    [
        {}, {"button": "seat9", "down": True}, {"button": "seat1", "down": 1},
        {"button": "seat1", "down": True, "more": 1}, {"button": "seat1", "down": True, "press": 0},
        {"button": "seat1", "down": True, "held_ms": -1},
    ],
)  # fmt: skip
def test_a_malformed_edge_is_400(house: House, body: object) -> None:
    answer = house.post("/api/board/edge", body)
    assert (answer.status, answer.code) == (400, "bad-argument")


def test_a_lost_link_is_told(house: House) -> None:
    for up in (False, True):
        house.table.set_link(up)
        wait_until("phones know", lambda: house.get("/api/state").json["board"]["link"] is up)  # noqa: B023


def test_a_real_board_is_not_pressed_on_the_page(tmp_path: Path) -> None:
    with running_house(tmp_path, simulated=False) as house:
        answer = house.post("/api/board/edge", {"button": "next", "down": True})
        assert (answer.status, answer.code) == (409, "not-simulated")
