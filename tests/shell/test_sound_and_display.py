"""The display and the piezo, from a press to their pixels and tunes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.boards.base import Tune
from pochboard.daemon import drivers
from pochboard.daemon.drivers import TUNES, ScreenDriver, SoundDriver
from pochboard.runtime.threads import now_us
from pochboard.screen import BLANK, Bitmap, Screen, draw
from pochboard.views.screen import Reachable
from tests.shell.server_kit import LONG_S, House, running_house, wait_until

REACH = Reachable("http://192.168.1.9:8441", "pochboard", "pinke-1441", "WIFI:T:WPA;S:x;P:y;;")


class Shown(list[str]):
    """The words that the display has shown, in order."""

    def draw(self, screen: Screen) -> Bitmap:
        bitmap = draw(screen)
        self.append(screen.words)
        return bitmap

    def wait_for(self, words: str) -> None:
        """Waits for a screen that has not been waited for yet."""

        def is_shown() -> bool:
            while self:
                if self.pop(0) == words:
                    return True
            return False

        wait_until(words, is_shown)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    words = Shown()
    monkeypatch.setattr(drivers, "draw", words.draw)
    return words


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(drivers, "TURN_S", 0.05)
    monkeypatch.setattr(drivers, "REFUSED_S", 0.2)
    with running_house(tmp_path) as running:
        driver = ScreenDriver(running.table, running.simulator, lambda: REACH)
        running.table.settings.change(lambda settings: replace(settings, language="de"))
        driver.start()
        try:
            yield running
        finally:
            driver.close()


def test_the_display_follows_the_table(shown: Shown, house: House) -> None:
    # Two screens take turns.
    shown.wait_for("Die Seite; 192.168.1.9; :8441")
    shown.wait_for("WLAN; pochboard; pinke-1441")
    house.start_night()
    house.command(do="deal")
    house.command(do="next")
    shown.wait_for("Ben ist dran; Pott 3; Mitgehen 0")
    # The display shows a refusal, and then the previous screen again.
    house.post("/api/board/press", {"button": "ace", "ms": 1})
    refused = house.table.snapshot
    shown.wait_for("Das geht nicht; Der Knopf „Ass“ bewirkt gerade nichts.")
    shown.wait_for("Ben ist dran; Pott 3; Mitgehen 0")
    assert refused.state == house.table.snapshot.state
    house.table.pairings.open()
    shown.wait_for(f"Handy anmelden; 192.168.1.9:8441 {house.table.snapshot.pairing_code}")
    # It follows the brightness, and names a step chosen at the board.
    house.ask("PUT", "/api/board/settings", {"brightness": "dim"})
    wait_until("it is dimmer", lambda: house.simulator.contrast == 31)
    start_us = now_us() - 60_000_000
    edges = (("next", True), ("undo", True), ("undo", False), ("next", False))
    held = [(*edge, start_us + 4_000_000 * number) for number, edge in enumerate(edges)]
    assert house.table.edges_at_once(held).result() == []
    shown.wait_for("Helligkeit; 1 / 4 Nachtmodus")


def test_a_picture_that_cannot_be_drawn_is_dark_until_one_can(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    wait_until("it shows something", lambda: house.simulator.screen not in (b"", BLANK))

    def fail(_: object) -> None:
        raise ValueError("no such letter")

    with monkeypatch.context() as patch:
        patch.setattr(drivers, "draw", fail)
        wait_until("it is dark", lambda: house.simulator.screen == BLANK)
        assert "no such letter" in caplog.text
        house.start_night()
    wait_until("it shows something again", lambda: house.simulator.screen != BLANK)


def test_a_screen_that_cannot_be_drawn_in_time_does_not_delay_the_end(tmp_path: Path) -> None:
    drawing, may_draw = threading.Event(), threading.Event()

    def hang() -> Reachable:
        drawing.set()
        may_draw.wait(LONG_S)
        return REACH

    with running_house(tmp_path) as house:
        driver = ScreenDriver(house.table, house.simulator, hang)
        driver._join_s = 0.01
        driver.start()
        try:
            assert drawing.wait(LONG_S)
            driver.close()
            assert driver.is_alive()
        finally:
            may_draw.set()
            wait_until("it ends", lambda: not driver.is_alive())


def test_the_board_plays_what_happens_at_the_table(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        board = house.simulator

        def heard() -> Tune | None:
            played, board.tune = board.tune, None
            return played

        driver = SoundDriver(house.table, board, 0.5)
        driver.start()
        house.start_night()
        house.command(do="deal")
        heard()
        house.command(do="next")
        assert heard() == Tune(TUNES["turn"], 128)
        house.command(do="stake", seat=2, chips=1)
        # The seat that opens the betting knocks, and then it is the next player's turn.
        assert heard() == Tune(TUNES["knock"] + TUNES["turn"], 128)
        house.post("/api/board/press", {"button": "ace", "ms": 1})
        assert heard() == Tune(TUNES["refused"], 128)
        for volume, played in (("medium", 64), ("quiet", 32), ("silent", None), ("loud", 128)):
            assert house.ask("PUT", "/api/board/settings", {"volume": volume}).status == 204
            assert heard() == (played and Tune(TUNES["volume"], played)), "a sample"
            house.post("/api/board/press", {"button": "ace", "ms": 1})
            assert heard() == (played and Tune(TUNES["refused"], played)), volume
        house.table.pairings.open()
        assert heard() is None
        driver.close()
        house.command(do="undo")
        assert heard() is None
        silent = SoundDriver(house.table, board, 0)
        silent.start()
        house.command(do="redo")
        assert heard() is None
        silent.close()
