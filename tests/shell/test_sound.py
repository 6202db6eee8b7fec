"""The board's sound, from a press to the tune."""

from __future__ import annotations

from pathlib import Path

import pytest

from pochboard.boards.base import Tune
from pochboard.daemon.drivers import TUNES, SoundDriver
from pochboard.server import events
from tests.shell.server_kit import running_house


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
        house.post("/api/board/press", {"button": "ace", "ms": 1})

    with running_house(tmp_path) as house, house.stream() as without:
        driver = SoundDriver(house.table, house.simulator, 0.5)
        driver.start()
        house.start_night()
        house.command(do="deal")
        with house.stream("/api/events?frames=1") as stream:
            house.command(do="next")
            # The second tune is the same as the first, and is played too.
            for _ in range(2):
                tune = stream.next("tune").data
                assert tune == {"notes": [list(note) for note in TUNES["turn"]], "volume": 128}
                house.command(do="pass", seat=house.table.snapshot.state.to_act)
            # A tune that comes late is dropped, and without its link the board plays nothing.
            with monkeypatch.context() as late:
                late.setattr(events, "LATE_US", 0)
                refuse()
                house.ask("PUT", "/api/board/settings", {"night": True})
                while stream.next("state").id < house.table.snapshot.revision:
                    pass
            house.simulator.lose_link()
            house.ask("PUT", "/api/board/settings", {"volume": "quiet"})
            house.simulator.regain_link()
            house.ask("PUT", "/api/board/settings", {"volume": "medium"})
            tune = stream.next("tune").data
            assert tune == {"notes": [list(note) for note in TUNES["volume"]], "volume": 64}
        with house.stream("/api/events?frames=1") as stream:
            # A client that connects later does not receive earlier tunes.
            refuse()
            assert stream.next("tune").data["notes"] == [list(note) for note in TUNES["refused"]]
        driver.close()
        names = {event.name for event in (without.read() for _ in range(6)) if event}
        assert "tune" not in names
