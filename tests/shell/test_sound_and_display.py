"""The display and the piezo, from a press to their pixels and tunes, and the page that follows."""

from __future__ import annotations

import threading
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.boards.base import Tune
from pochboard.daemon import drivers
from pochboard.daemon.drivers import TUNES, ScreenDriver, SoundDriver
from pochboard.screen import BLANK
from pochboard.server import events
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


def test_the_board_plays_what_happens_at_the_table(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        board = house.simulator

        def heard() -> Tune | None:
            played, board.tune = board.tune, None
            return None if played is None else Tune(played.notes, played.volume)

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


def test_the_page_of_a_simulated_board_is_told_what_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        here.post("/api/board/press", {"button": "ace", "ms": 1})

    with running_house(tmp_path) as here, here.stream() as without:
        driver = SoundDriver(here.table, here.simulator, 0.5)
        driver.start()
        here.start_night()
        here.command(do="deal")
        with here.stream("/api/events?frames=1") as stream:
            here.command(do="next")
            # The second tune is the same as the first, and is played too.
            for _ in range(2):
                tune = stream.next("tune").data
                assert tune == {"notes": [list(note) for note in TUNES["turn"]], "volume": 128}
                here.command(do="pass", seat=here.table.snapshot.state.to_act)
            # A tune that comes late is dropped.
            with monkeypatch.context() as late:
                late.setattr(events, "LATE_US", 0)
                refuse()
                here.ask("PUT", "/api/board/settings", {"night": True})
                while stream.next("state").id < here.table.snapshot.revision:
                    pass
            here.ask("PUT", "/api/board/settings", {"volume": "medium"})
            tune = stream.next("tune").data
            assert tune == {"notes": [list(note) for note in TUNES["volume"]], "volume": 64}
        with here.stream("/api/events?frames=1") as stream:
            # A client that connects later does not receive earlier tunes.
            refuse()
            assert stream.next("tune").data["notes"] == [list(note) for note in TUNES["refused"]]
        driver.close()
        names = {event.name for event in (without.read() for _ in range(6)) if event}
        assert "tune" not in names
