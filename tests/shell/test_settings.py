"""What people choose for the board: at the board, on a phone, and kept (BOARD.md 3 and 4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import BoardSettings, DisplayLanguage
from pochboard.lights.lights_config import LightsConfig
from pochboard.store import Store, read_small
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.count_reader import part_of
from tests.shell.server_kit import running_house
from tests.shell.test_table import RESOLVE, sitting

NOBODY = {"X-Forwarded-For": "192.168.1.20"}


def test_a_phone_changes_the_settings_and_they_last(tmp_path: Path) -> None:
    with running_house(tmp_path, lights=LightsConfig(night=True)) as house:
        board = house.get("/api/state").json["board"]
        assert (board["brightness"], board["night"]) == ("bright", True), "as configured at first"
        assert board["volume"] == "loud", "all of the configured volume"
        assert board["has_sound"] is False
        assert board["brightness_steps"] == ["bright", "medium", "dim"]
        assert board["volume_steps"] == [], "a board without sound has no volume"
        house.start_night()
        house.command(do="deal")
        frames = []
        for body in ({"night": False}, {"brightness": "dim"}, {"night": True, "volume": "quiet"}):
            assert house.ask("PUT", "/api/board/settings", body).status == 204
            frames.append(house.table.lighting.frame)
        places = [part_of(frame, LightsConfig(), "seat1") for frame in frames]
        assert [max(place) for place in places] == [38, 10, 5]
        assert house.table.snapshot.setting is None, "the board shows no gauge for a phone"
        assert (
            house.ask("PUT", "/api/board/settings", {"night": False}, NOBODY).code == "not-paired"
        )
        assert house.get("/api/state").json["board"]["language"] == "en"
        assert house.ask("PUT", "/api/board/settings", {"language": "de"}).status == 204
        assert house.ask("PUT", "/api/board/settings", {"language": "xx"}).code == "bad-argument"
        assert house.ask("PUT", "/api/board/settings", {"brightness": "x"}).code == "bad-argument"
        assert house.ask("PUT", "/api/board/settings", {"volume": 1}).code == "bad-argument"
        assert house.ask("PUT", "/api/board/settings", {"other": 1}).code == "bad-argument"
    with running_house(tmp_path) as house:
        board = house.get("/api/state").json["board"]
        assert (board["brightness"], board["night"]) == ("dim", True)
        assert (board["volume"], board["language"]) == ("quiet", "de")


@pytest.mark.parametrize("content", [b"", b"{", b'{"brightness":"d\xe9m"}', b"\xff", None])
def test_settings_that_cannot_be_read_are_those_of_the_configuration(
    tmp_path: Path, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "ledger.board"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with sitting(tmp_path) as (table, _, _):
        assert table.snapshot.settings == BoardSettings()
        assert "cannot be read" in caplog.text
        caplog.clear()
        table.settings.change(lambda settings: settings.stepped("brightness"))
        assert table.snapshot.settings == BoardSettings("medium"), "even if it cannot be kept"
    assert ("cannot be kept" in caplog.text) == (content is None)
    assert file.is_dir() or b"medium" in file.read_bytes()


@pytest.mark.parametrize(("configured", "spoken"), [(None, "de"), ("en", "en")])
def test_the_display_speaks_as_configured_or_else_as_the_first_phone(
    tmp_path: Path, configured: DisplayLanguage | None, spoken: DisplayLanguage
) -> None:
    setup = Setup(resolve=RESOLVE, times=PressTimes(), language=configured)
    with Store.open(tmp_path / "ledger.db") as store:
        table = Table(store, setup, BoardInfo("simulator", link=True, simulated=True))
        table.start()
        try:
            assert table.snapshot.settings.language == configured
            for phone in ("xx", "de", "en"):
                table.settings.adopt(language=phone)
            assert table.snapshot.settings.language == spoken
            table.settings.change(lambda chosen: replace(chosen, night=True))
        finally:
            table.stop()
        # What is configured is not stored as if somebody had chosen it.
        kept = read_small(store.beside("board"), BoardSettings)
        assert kept is not None
        assert kept.language == (None if configured else spoken)
