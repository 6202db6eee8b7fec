"""The display, from a press to its pixels and to the page."""

from __future__ import annotations

import threading
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.daemon import drivers
from pochboard.daemon.drivers import ScreenDriver
from pochboard.screen import BLANK
from pochboard.table.clock import now_us
from pochboard.views.screen import Reachable
from tests.shell.server_kit import LONG_S, House, running_house, wait_until
from tests.shell.test_server_pairing import PROXIED

REACH = Reachable("http://192.168.1.9:8441", "pochboard", "pinke-1441", "WIFI:T:WPA;S:x;P:y;;")


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


def test_the_page_follows_the_display(house: House) -> None:
    streams = house.stream("/api/events?frames=1"), house.stream("/api/events?frames=1", PROXIED)
    with streams[0] as paired, streams[1] as watching, house.stream() as without:

        def wait_for(text: str, *, watched: str | None = None) -> bytes:
            shown: dict[str, str] = {}
            for stream, said in ((paired, text), (watching, watched or text)):
                while (shown := stream.next("display").data)["text"] != said:
                    assert shown["language"] == "de"
            return b64decode(shown["bitmap"])

        # Two screens take turns. Only who sees the board itself is told the password.
        page = wait_for("Die Seite; 192.168.1.9; :8441")
        assert len(page) == len(BLANK)
        while paired.next("display").data["text"] != "WLAN; pochboard; pinke-1441":
            pass
        house.start_night()
        house.command(do="deal")
        house.command(do="next")
        wait_for("Ben ist dran; Pott 3; Mitgehen 0")
        # The display shows a refusal, and then the previous screen again.
        house.post("/api/board/press", {"button": "ace", "ms": 1})
        refused = house.table.snapshot
        wait_for("Das geht nicht; Der Knopf „Ass“ bewirkt gerade nichts.")
        picture = wait_for("Ben ist dran; Pott 3; Mitgehen 0")
        wait_until("the board shows it too", lambda: house.simulator.screen == picture)
        assert refused.state == house.table.snapshot.state
        house.table.pairings.open()
        code = house.table.snapshot.pairing_code
        wait_for(
            f"Handy anmelden; 192.168.1.9:8441 {code}",
            watched="Handy anmelden; 192.168.1.9:8441 · · ·",
        )
        # It follows the brightness, and names a step chosen at the board.
        house.ask("PUT", "/api/board/settings", {"brightness": "dim"})
        while paired.next("display").data["contrast"] != 31:
            pass
        wait_until("the board is dimmer too", lambda: house.simulator.contrast == 31)
        start_us = now_us() - 60_000_000
        edges = (("next", True), ("undo", True), ("undo", False), ("next", False))
        held = [(*edge, start_us + 4_000_000 * number) for number, edge in enumerate(edges)]
        assert house.table.edges_at_once(held).result() == []
        wait_for("Helligkeit; 1 / 4 Nachtmodus")
        names = {event.name for event in (without.read() for _ in range(4)) if event}
        assert names <= {"state", "refused"}


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
