"""The simulated board, whose presses come from the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.buttons.press import PressTimes
from tests.shell.server_kit import House, running_house, wait_until


@pytest.fixture
def betting(tmp_path: Path) -> Iterator[House]:
    """Seat 2 at place 2 is to act; held for 0.8 s, its button passes."""
    with running_house(tmp_path, times=PressTimes(too_soon_us=0)) as running:
        running.start_night()
        running.command(do="deal")
        running.command(do="next")
        assert running.get("/api/state").json["to_act"] == 2
        yield running


def press(house: House, button: object, ms: int = 1) -> list[str]:
    answer = house.post("/api/board/press", {"button": button, "ms": ms})
    assert answer.status == 200, answer.body
    return [refused["code"] for refused in answer.json["refused"]]


def test_a_press_is_as_long_as_whoever_made_it_says(betting: House) -> None:
    assert press(betting, "seat2", 800) == []
    assert betting.get("/api/state").json["to_act"] == 3, "held for long enough, it passes"
    assert press(betting, "seat3", 799) == []
    state = betting.get("/api/state").json
    assert (state["to_act"], state["pending"]["chips"]) == (3, 1), "a chip in the hand"
    assert press(betting, "ace") == ["no-meaning"]


def test_two_buttons_go_down_together(betting: House) -> None:
    betting.command(do="void")
    assert press(betting, ["next", "undo"], 60_000 // 6) == []
    assert betting.get("/api/state").json["phase"] == "closed", "both end the night"


@pytest.mark.parametrize(
    "body",
    [
        {}, {"button": "seat9"}, {"button": 1}, {"button": []}, {"button": ["a", "b", "c"]},
        {"button": "seat1", "more": 1}, {"button": "seat1", "ms": -1},
        {"button": "seat1", "ms": 10_001},
    ],
)  # fmt: skip
def test_a_malformed_press_is_400(betting: House, body: object) -> None:
    answer = betting.post("/api/board/press", body)
    assert (answer.status, answer.code) == (400, "bad-argument")


def test_a_lost_link_is_told(betting: House) -> None:
    for up in (False, True):
        betting.table.set_link(up)
        wait_until("phones know", lambda: betting.get("/api/state").json["board"]["link"] is up)  # noqa: B023


def test_a_real_board_is_not_pressed_on_the_page(tmp_path: Path) -> None:
    with running_house(tmp_path, simulated=False) as house:
        answer = house.post("/api/board/press", {"button": "next"})
        assert (answer.status, answer.code) == (409, "not-simulated")
