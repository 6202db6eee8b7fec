"""The light of the room, from the sensor to pixels, display and page."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pochboard.daemon import room_light_driver
from pochboard.daemon.room_light_driver import RoomLightDriver
from pochboard.daemon.screen_driver import ScreenDriver
from pochboard.lights import room_light
from pochboard.lights.lights_config import LightsConfig
from pochboard.views.screen import Reachable
from tests.shell.server_kit import House, running_house, wait_until

NOBODY = {"X-Forwarded-For": "192.168.1.20"}
PLACES = LightsConfig().place(1).start


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TICK_S", "LOOK_S"):
        monkeypatch.setattr(room_light_driver, name, 0.005)
    for name in ("DARKER_US", "BRIGHTER_US"):
        monkeypatch.setattr(room_light, name, 50_000)


def answers(driver: RoomLightDriver, within_s: float = 0.2) -> bool:
    answered = threading.Event()
    driver.ping(answered.set)
    return answered.wait(within_s)


def test_lights_and_display_follow_the_room(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        driver = RoomLightDriver(house.table, house.simulator)
        screen = ScreenDriver(house.table, house.simulator, Reachable)
        screen.start()
        driver.start()
        try:
            follow(house, driver)
        finally:
            driver.close()
            screen.close()


def follow(house: House, driver: RoomLightDriver) -> None:
    board, table = house.simulator, house.table

    def light() -> int:
        """The white of the dealer's place, which is steady between deals."""
        return max(table.frame[PLACES:])

    def wait_for_light(share: float) -> None:
        wait_until(f"the light is {share}", lambda: abs(light() - full * share) < 1)

    house.start_night()
    full = light()
    assert house.get("/api/state").json["board"]["has_sensor"] is False
    assert answers(driver), "without a sensor nothing is wrong"
    # A sensor that is found in the dark.
    board.measured, board.has_sensor = 0.0, True
    wait_for_light(1 / 4)
    wait_until("the display is dimmer too", lambda: board.contrast == 31)
    wait_until("it answers", lambda: answers(driver))
    state = house.get("/api/state").json["board"]
    assert (state["has_sensor"], state["follows_room"]) == (True, True)
    seen = table.snapshot.seen
    # What was chosen is still the most, and each step is a step.
    assert house.ask("PUT", "/api/board/settings", {"brightness": "medium"}).status == 204
    wait_for_light(1 / 8)
    board.measured = 500.0
    wait_for_light(1 / 2)
    # A sensor that fails is named, and the choice returns.
    board.measured = 0.0
    wait_for_light(1 / 8)
    board.measured = None
    wait_for_light(1 / 2)
    assert not answers(driver)
    house.post("/api/board/press", {"button": "next", "ms": 1})
    assert table.snapshot.state.phase == "meld", "presses count all the time"
    house.command(do="undo")
    board.measured = 0.0
    wait_for_light(1 / 8)
    wait_until("it answers", lambda: answers(driver))
    # Who does not like it turns it off.
    off = {"follows_room": False}
    assert house.ask("PUT", "/api/board/settings", off, NOBODY).code == "not-paired"
    assert house.ask("PUT", "/api/board/settings", off).status == 204
    wait_for_light(1 / 2)
    assert house.get("/api/state").json["board"]["follows_room"] is False
    assert table.snapshot.seen != seen, "only the deal and its undo changed that"
