"""What people choose for the board: at the board, on a phone, and kept (BOARD.md 3 and 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import BoardSettings, DisplayLanguage, SettingName
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.commands import parse_command
from pochboard.store import Store, read_small
from pochboard.table import settings
from pochboard.table.clock import now_us
from pochboard.table.snapshot import BoardInfo, Recorded, Setup
from pochboard.table.table import Table
from tests.count_reader import read_counts
from tests.shell.server_kit import running_house, wait_until
from tests.shell.test_table import RESOLVE, START, sitting

NOBODY = {"X-Forwarded-For": "192.168.1.20"}
Gesture = tuple[tuple[float, str, bool], ...]
SECOND_US = 1_000_000
STAGES: tuple[dict[str, Any], ...] = (
    START,
    {"do": "deal"},
    {"do": "claim", "seat": 2, "pool": "ace"},
    {"do": "next"},
    {"do": "stake", "seat": 2, "chips": 1},
    {"do": "stake", "seat": 3, "chips": 1},
    {"do": "pass", "seat": 1},
    {"do": "showdown", "ranking": [3]},
    {"do": "out", "seat": 1},
    {"do": "settle", "cards": {"2": 1, "3": 2}},
    {"do": "end"},
)
"""A night; the gesture is made before it and after each of its entries."""


def hold(table: Table, *edges: tuple[float, str, bool]) -> None:
    """`next` goes down, then these edges at these seconds; then everything is released."""
    start_us = now_us() - 60 * SECOND_US
    held = {"next": True}
    timed = [("next", True, start_us)]
    for at_s, button, down in edges:
        held[button] = down
        timed.append((button, down, start_us + round(at_s * SECOND_US)))
    assert not any(held.values()), "everything is released"
    assert table.edges_at_once(timed).result() == []


def gestures() -> list[tuple[Gesture, bool]]:
    """Two steps each, with quick or slow presses; released in each order."""
    found: list[tuple[Gesture, bool]] = []
    for first_s, held_s in ((3.0, 0.05), (3.3, 2.5), (7.0, 0.05)):
        second_s = first_s + held_s + 0.1
        begun = (
            (first_s, "undo", True),
            (first_s + held_s, "undo", False),
            (second_s, "undo", True),
        )
        ends = ("undo", "next"), ("next", "undo")
        found += [
            (
                (*begun, (second_s + held_s, one, False), (second_s + 2 * held_s, other, False)),
                held_s > 1,
            )
            for one, other in ends
        ]
    return found


@pytest.mark.parametrize("has_sound", [False, True])
def test_the_gesture_records_nothing_at_any_stage_of_the_night(
    tmp_path: Path, has_sound: bool
) -> None:
    with sitting(tmp_path, has_sound=has_sound) as (table, store, ear):
        for number, command in enumerate((None, *STAGES)):
            if command is not None:
                assert isinstance(table.command(parse_command(command)), Recorded), command
            if table.snapshot.state.phase == "pochen":
                assert table.snapshot.state.to_act is not None
                # Chips in the hand stay there.
                seat = table.snapshot.state.to_act
                at_us = now_us() - 120 * SECOND_US
                table.edges_at_once(
                    [(f"seat{seat}", True, at_us), (f"seat{seat}", False, at_us)]
                ).result()
            for gesture, slow in gestures():
                before = table.snapshot
                hold(table, *gesture)
                after = table.snapshot
                assert after.state == before.state, (command, gesture)
                assert (after.night, after.entry) == (before.night, before.entry)
                assert (after.pending, after.seen) == (before.pending, before.seen)
                stepped: SettingName = "volume" if slow and has_sound else "brightness"
                assert after.settings == before.settings.stepped(stepped).stepped(stepped)
                assert after.pairing_open_until_ms is None, "this hold had opened it"
                assert store.nights() == [] or number == len(STAGES)
        assert ear.refused == []
        # Afterwards `undo` is itself again.
        at_us = now_us()
        table.edges_at_once([("undo", True, at_us), ("undo", False, at_us)]).result()
        assert table.snapshot.state.phase == "idle"
        assert len(store.entries(1)) == len(STAGES) + 1


def test_a_board_without_a_piezo_steps_at_once_and_one_with_a_piezo_in_time(
    tmp_path: Path,
) -> None:
    with sitting(tmp_path) as (table, _, _):
        for has_sound, first in ((None, "medium"), (True, "medium"), (False, "dim")):
            table.set_link(True, has_sound=has_sound)
            at_us = now_us() - 10 * SECOND_US
            for button, after_s in (("next", 0), ("undo", 10)):
                table.edge(button, True, at_us + after_s * SECOND_US).result()
            assert table.snapshot.settings.brightness == first
            if has_sound:
                wait_until("it is held", lambda: table.snapshot.settings.volume == "medium")
                assert table.snapshot.setting is not None
                assert table.snapshot.setting.setting == "volume"
            for button in ("undo", "next"):
                table.edge(button, False).result()
            assert table.snapshot.settings.brightness == first
        table.set_link(False)
        assert not table.snapshot.board.has_sound


def test_a_step_is_shown_at_once_and_then_the_counts_in_the_new_brightness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SIGN_US", "KEEP_US"):
        monkeypatch.setattr(settings, name, 100_000)
    with sitting(tmp_path) as (table, _, ear):
        table.command(parse_command(START))
        table.command(parse_command({"do": "deal"}))
        table.command(parse_command({"do": "void"}))  # ends the animation of the antes
        counts = (0,) * 9
        wait_until("it is settled", lambda: read_counts(table.frame, LightsConfig()) == counts)
        centre = LightsConfig().ring(8)
        hold(table, (3.5, "undo", True), (3.6, "undo", False), (4, "next", False))
        gauge = bytes([128] * 3 * 9 + [0] * 3 * 3)
        assert gauge in [frame[centre] for frame in ear.frames], "three quarters, half as bright"
        assert ear.snapshots[-1].setting is None or ear.snapshots[-1].setting.step == 3
        wait_until("it is over", lambda: not any(table.frame[centre]))
        wait_until("phones know it", lambda: table.snapshot.setting is None)
        wait_until("it is kept", (tmp_path / "ledger.board").exists)


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
            frames.append(house.table.frame)
        places = [frame[LightsConfig().place(1)] for frame in frames]
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


@pytest.mark.parametrize("lesson", [False, True], ids=["a night", "a lesson"])
def test_the_display_speaks_as_the_page_that_begins(tmp_path: Path, *, lesson: bool) -> None:
    start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
    with running_house(tmp_path) as house:
        assert house.get("/api/state").json["board"]["language"] == "en"
        address, body = (
            ("/api/demo/practice", {"name": "Anna"}) if lesson else ("/api/commands", start)
        )
        assert house.post(f"{address}?lang=de", body).status in (200, 201)
        assert house.get("/api/state").json["board"]["language"] == "de"


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
