"""The board's sound, from a press to what is played."""

from __future__ import annotations

from pathlib import Path

from pochboard.boards.sound_driver import TUNES, SoundDriver
from pochboard.boards.tune import MOST_NOTES, Tune
from pochboard.catalog import load_catalog
from pochboard.config import Config
from pochboard.daemon import make_setup
from pochboard.house_rules import HouseRules
from pochboard.store import Store
from pochboard.table.records import BoardInfo
from pochboard.table.table import Table
from tests.shell.server_kit import house


def test_the_board_plays_what_happens_at_the_table(tmp_path: Path) -> None:
    with house(tmp_path) as home:
        board = home.simulator

        def heard() -> Tune | None:
            tune, board.tune = board.tune, None
            return tune

        driver = SoundDriver(home.table, board, 0.5)
        driver.start()
        home.start_night()
        home.command(do="deal")
        heard()
        home.command(do="next")
        assert heard() == Tune(TUNES["turn"], 128)
        home.command(do="stake", seat=2, chips=1)
        # Who opens the betting knocks, and then it is the next player's turn.
        assert heard() == Tune(TUNES["knock"] + TUNES["turn"], 128)
        home.post("/api/board/press", {"button": "ace", "ms": 1})
        assert heard() == Tune(TUNES["refused"], 128)
        for volume, played in (("medium", 64), ("quiet", 32), ("silent", None), ("loud", 128)):
            assert home.ask("PUT", "/api/board/settings", {"volume": volume}).status == 204
            assert heard() == (played and Tune(TUNES["volume"], played)), "a sample"
            home.post("/api/board/press", {"button": "ace", "ms": 1})
            assert heard() == (played and Tune(TUNES["refused"], played)), volume
        home.table.open_pairing()
        assert heard() is None
        driver.close()
        home.command(do="undo")
        assert heard() is None
        silent = SoundDriver(home.table, board, 0)
        silent.start()
        home.command(do="redo")
        assert heard() is None
        silent.close()


def test_a_board_that_is_configured_to_be_silent_offers_no_volume(tmp_path: Path) -> None:
    board = BoardInfo("simulator", link=True, simulated=True, has_sound=True)
    with Store.open(tmp_path / "ledger.db") as store:
        rules = HouseRules(load_catalog(tmp_path))
        for volume, has_sound in ((0.5, True), (0.0, False)):
            setup = make_setup(Config(data=tmp_path, volume=volume), rules)
            table = Table(store, setup, board)
            assert table.snapshot.board.has_sound is has_sound


def test_every_tune_is_short_enough_for_boards() -> None:
    longest = max(len(notes) for name, notes in TUNES.items() if name != "turn")
    assert longest + len(TUNES["turn"]) <= MOST_NOTES
    for notes in TUNES.values():
        # After a second, a sound would be about something else.
        assert sum(ms for _, ms in notes) < 1000
        assert all((hz == 0 or 50 <= hz <= 20_000) and 0 < ms <= 1000 for hz, ms in notes)
