"""The whole firmware, as installed on a drive, in a process with a real serial port."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard import wire
from pochboard.boards.pico.link import Firmware, Layout
from pochboard.config import ColourOrder
from pochboard.lights.frame import estimate_ma
from tests.firmware.board_process import BUTTONS, SILENCE_S, FirmwareBoard
from tests.firmware.host_line import LINK, PIXELS, HostLine

GREEN = bytes((0, 40, 0))
DARK = bytes(3 * PIXELS)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FirmwareBoard]:
    with FirmwareBoard(tmp_path) as board:
        yield board


def is_pulse(colours: bytes) -> bool:
    """Whether the places are blue, and nothing else is lit."""
    places = colours[-24:]
    blues = set(places[2::3])
    return not any(colours[:-24]) and not any(places[0::3] + places[1::3]) and 0 not in blues


def number(button: str) -> int:
    return BUTTONS.index(button)


def light(host: HostLine, board: FirmwareBoard, colour: bytes, pixels: int = PIXELS) -> None:
    """Lights the whole board in one colour, and waits until it is lit."""
    host.show(lambda: board.colours == colour * pixels, colour * pixels)


def tapped(*buttons: str) -> list[tuple[int, bool]]:
    return [(number(button), down) for button in buttons for down in (True, False)]


def test_board_says_what_it_is_shows_pixels_and_reports_each_button(board: FirmwareBoard) -> None:
    assert board.identity == "pochboard pochboard"
    with HostLine(board.port) as host:
        host.read_until(lambda: bool(host.heard))
        assert host.said.link == wire.NOBODY, "it speaks before anybody has spoken to it"
        assert host.greet() == Firmware((0, 1, 0), 0, "E6614C311B7D7A2F", 12, 3)
        light(host, board, GREEN)
        for button in BUTTONS:
            board.press(button, bounces_ms=3)
            board.rest(0.05)
            board.release(button, bounces_ms=3)
            board.rest(0.05)
        host.read_until(lambda: len(host.edges) >= 2 * len(BUTTONS))
        host.read(0.2)
        assert host.edges == tapped(*BUTTONS)
        assert set(host.said.presses) == {1}
        assert host.said.contacts == 0


@pytest.mark.parametrize(
    ("debounce_ms", "scans"), [(50, "11 scans alike, 5"), (2, "3 scans alike, 1")]
)
def test_buttons_are_debounced_as_long_as_the_host_says(
    debounce_ms: int, scans: str, board: FirmwareBoard
) -> None:
    with HostLine(board.port) as host:
        host.greet(Layout(12, 8, 3000, 3, debounce_ms))
        board.wait_for(lambda: f"The scanner wants {scans} ms" in board.console)
        # A button held while the scanner restarts is not a press.
        host.read(0.1)
        board.tap("seat1", hold_s=0.1)
        host.read_until(lambda: len(host.edges) == 2)


@pytest.mark.parametrize(
    ("settings", "limit_ma"),
    [
        ("LIMIT_MA = 500\n", 500),
        ("LIMIT_MA = '500 mA'\n", 3000),
        ("LIMIT_MA = -1\nWATCHDOG = 'no'\n", 3000),
        ("LIMIT_MA = \n", 3000),
        ("", 3000),
    ],
)
def test_settings_apply_and_invalid_ones_are_ignored(
    settings: str, limit_ma: int, tmp_path: Path
) -> None:
    board = FirmwareBoard(tmp_path)
    (board.drive / "settings.py").write_text(settings)
    with board, HostLine(board.port) as host:
        host.greet()
        host.show(lambda: any(board.colours), b"\xff" * 3 * PIXELS)
        assert limit_ma * 0.9 < estimate_ma(board.colours) <= limit_ma
        assert ("settings.py cannot be read" in board.console) == settings.endswith("= \n")


def test_rgbw_pixels_and_the_largest_board_work(tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path, pixels=584, pixel_bytes=4) as board, HostLine(board.port) as host:
        host.greet(Layout(64, 8, 3000, 4))
        light(host, board, bytes((1, 2, 3)), 584)
        assert not any(board.whites)


def test_silent_host_gives_a_pulse_and_what_is_pressed_meanwhile_is_of_no_link(
    board: FirmwareBoard,
) -> None:
    with HostLine(board.port) as host:
        host.greet()
        light(host, board, GREEN)
        host.read_until(lambda: host.said.clock > 1 << 28)
        before = host.said.clock
    board.wait_pixels(is_pulse)
    with HostLine(board.port) as host:
        host.read_until(lambda: bool(host.heard))
        # A line from before the silence would be much older than this.
        assert host.said.link == wire.NOBODY
        assert host.said.clock > before + 1000 * SILENCE_S / 2
        board.tap("ace")
        host.read_until(lambda: host.edges == tapped("ace"))
        host.layout = Layout(12, 8, 3000)
        host.read(1)
        assert host.said.link == wire.NOBODY, "the link that fell silent is over"
        assert host.errors == 0


@pytest.mark.parametrize("keypad", ["9.1", "9.2.1"])
def test_scanner_overflow_counts_as_a_restart_and_causes_no_press(
    keypad: str, tmp_path: Path
) -> None:
    # On a busy machine the board is frozen for longer than it otherwise waits for a word.
    firmware = FirmwareBoard(tmp_path, keypad=keypad, silence_s=120)
    with firmware as board, HostLine(board.port) as host:
        host.greet()
        boot = host.said.boot
        board.press("seat1")
        host.read_until(lambda: host.edges == [(number("seat1"), True)])
        board.freeze()
        for _ in range(40):
            board.tap("ace", hold_s=0.03)
        board.thaw()
        host.read_until(lambda: host.said.boot == boot + 1)
        host.edges.clear()
        host.read(0.3)
        assert "The scanner was reset." in board.console
        assert all(button == number("ace") for button, _ in host.edges), "what is held stays held"
        board.release("seat1")
        board.rest(0.1)
        board.tap("seat1")
        host.read_until(lambda: (number("seat1"), False) in host.edges)
        assert [edge for edge in host.edges if edge[0] == number("seat1")] == tapped("seat1")
        assert host.said.boot == boot + 1


def test_host_that_does_not_read_does_not_block_the_board(board: FirmwareBoard) -> None:
    with HostLine(board.port) as host:
        host.greet()
        board.press("seat5")
        for count in range(1, 41):
            frame = bytes((0, 0, count)) * PIXELS
            host.say(Layout(12, 8, 3000).line(LINK) * 20)
            host.say(wire.line(wire.pack(wire.PIXELS, count) + frame))
        board.wait_pixels(lambda colours: colours == bytes((0, 0, 40)) * PIXELS)
        host.read_until(lambda: host.edges == [(number("seat5"), True)])
        board.release("seat5")
        host.read_until(lambda: len(host.edges) == 2)
        assert host.errors == 0, "what was written short has gone on where it stopped"


def test_restart_is_another_boot_and_a_held_button_is_not_a_press(board: FirmwareBoard) -> None:
    with HostLine(board.port) as host:
        host.greet()
        boot = host.said.boot
        light(host, board, GREEN)
    board.restart("seat1")
    with HostLine(board.port) as host:
        host.greet()
        assert host.said.boot != boot
        board.wait_pixels(lambda colours: colours == DARK)
        board.release("seat1")
        board.rest(0.1)
        board.tap("seat2")
        host.read_until(lambda: len(host.edges) == 2)
        assert host.edges == tapped("seat2")


# The self-test


def walker(colours: bytes) -> int:
    """The pixel that the light has walked to; -1 where there is not exactly one."""
    lit = [at // 3 for at, level in enumerate(colours) if level]
    return lit[0] if len(lit) == 1 else -1


def test_holding_undo_again_ends_the_self_test(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    board.start("undo")
    try:
        first = walker(board.wait_pixels(lambda colours: walker(colours) >= 0))
        board.wait_pixels(lambda colours: walker(colours) > first + 30)
        board.press("seat8")
        board.wait_pixels(lambda colours: min(colours[-3:]) > 0)
        board.release("seat8")
        board.release("undo")
        board.rest(0.1)
        board.press("undo")
        board.wait_pixels(lambda colours: min(colours[-12:]) > 0)
        board.wait_pixels(lambda colours: colours == DARK)
        with HostLine(board.port) as host:
            host.greet()
            assert not any(host.said.presses), "presses to test buttons are not told of"
    finally:
        board.stop()


@pytest.mark.parametrize(("order", "seen"), [("GRB", 0), ("GBR", 2)])
def test_self_test_and_crash_sign_have_the_colours_of_the_last_host(
    order: ColourOrder, seen: int, tmp_path: Path
) -> None:
    # Read as from pixels that expect green first, red is seen as this colour.
    with crashing_board(tmp_path) as board:
        with HostLine(board.port) as host:
            host.greet(Layout(12, 8, 3000, order=order))
            host.read_until(lambda: (board.folder / "nvm").exists() or order == "GRB")
        board.stop()
        board.start("undo")
        walked = board.wait_pixels(lambda colours: walker(colours) >= 0)
        assert walked[seen::3].count(0x40) == 1, "it walks in red first"
        board.stop()
        (board.folder / "safe_mode").write_text("USB_TOO_MANY_ENDPOINTS")
        with pytest.raises(AssertionError, match="In safe mode"):
            board.start()
        assert set(board.colours[seen::3]) == {8}
        assert set(board.colours) == {0, 8}


def test_host_ends_the_self_test(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    board.start("undo")
    try:
        board.wait_pixels(any)
        with HostLine(board.port) as host:
            host.greet()
            light(host, board, GREEN)
            host.read(0.2)
            assert board.colours == GREEN * PIXELS
            board.release("undo")
            board.rest(0.1)
            board.tap("undo")
            host.read_until(lambda: len(host.edges) == 2)
            assert host.edges == tapped("undo")
    finally:
        board.stop()


# When something goes wrong


def test_failed_program_is_restarted(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    version = board.drive / "version.py"
    good = version.read_text()
    version.write_text("VERSION = None\n")
    with board, HostLine(board.port) as host:
        board.wait_for(lambda: "TypeError" in board.console)
        version.write_text(good)
        host.greet()
        light(host, board, GREEN)


def board_with_fast_watchdog(tmp_path: Path) -> FirmwareBoard:
    """A board whose watchdog waits one second instead of eight."""
    board = FirmwareBoard(tmp_path)
    board.change("program.py", "WATCHDOG_S = 8.0", "WATCHDOG_S = 1.0")
    return board


def test_board_that_hangs_is_restarted(tmp_path: Path) -> None:
    with board_with_fast_watchdog(tmp_path) as board:
        with HostLine(board.port) as host:
            host.greet()
            boot = host.said.boot
            host.read(1.5)
            assert host.said.boot == boot, "it does not bite while all is well"
            port = board.port.readlink(), board.port.lstat().st_ino
            board.freeze()
            board.wait_for(
                lambda: (
                    board.port.is_symlink()
                    and (board.port.readlink(), board.port.lstat().st_ino) != port
                )
            )
        with HostLine(board.port) as host:
            host.greet()
            assert host.said.boot != boot


@pytest.mark.parametrize("why_not", ["console", "settings", "no host"])
def test_watchdog_starts_only_with_a_host_without_console_and_if_enabled(
    why_not: str, tmp_path: Path
) -> None:
    board = board_with_fast_watchdog(tmp_path)
    if why_not == "settings":
        (board.drive / "settings.py").write_text("WATCHDOG = False\n")
    with board, HostLine(board.port) as host:
        if why_not == "console":
            board.open_console()
            board.rest(0)
            board.tap("ace")
        if why_not != "no host":
            host.read(0.3)
            host.greet()
            host.read(0.1)
        host.read_until(lambda: bool(host.heard))
        boot = host.said.boot
        board.freeze()
        board.rest(1.5)
        board.thaw()
        host.read(1.7)
        host.greet()
        assert host.said.boot == boot, "the same board continues"
        board.tap("seat1")
        host.read_until(lambda: len(host.edges) == 2)


def crashing_board(tmp_path: Path, *reasons: str) -> FirmwareBoard:
    board = FirmwareBoard(tmp_path, safe_mode=" ".join(reasons))
    board.change("safemode.py", "time.sleep(1)", "time.sleep(0)")
    return board


def remembered_restarts(board: FirmwareBoard) -> int:
    """How many crashes the board remembers, from the second byte of its memory."""
    return (board.folder / "nvm").read_bytes()[1]


def is_stopped(colours: bytes) -> bool:
    """Whether all pixels are dim red, as those of a board that has given up."""
    red, others = set(colours[0::3]), set(colours[1::3] + colours[2::3])
    return others == {0} and len(red) == 1 and 0 < max(red) < 20


def test_board_that_keeps_crashing_stops_after_three_restarts_and_turns_red(tmp_path: Path) -> None:
    crashes = ("HARD_FAULT", "STACK_OVERFLOW", "INTERRUPT_ERROR", "NLR_JUMP_FAIL")
    board = crashing_board(tmp_path, *crashes)
    try:
        with pytest.raises(AssertionError, match="In safe mode"):
            board.start()
        assert is_stopped(board.colours)
        board.stop()
        # Pulling the plug lets the board try again.
        board.start()
        with HostLine(board.port) as host:
            host.greet()
        board.stop()
        assert remembered_restarts(board) == 0
    finally:
        board.stop()


def test_crashes_are_forgotten_once_the_board_runs_well(tmp_path: Path) -> None:
    board = crashing_board(tmp_path, "HARD_FAULT")
    board.change("program.py", "STABLE_MS = 600_000", "STABLE_MS = 100")
    with board:
        board.wait_for(lambda: remembered_restarts(board) == 0)


def test_board_that_cannot_start_usb_is_not_restarted(tmp_path: Path) -> None:
    board = crashing_board(tmp_path, "USB_TOO_MANY_ENDPOINTS")
    with pytest.raises(AssertionError, match="In safe mode"):
        board.start()
    assert is_stopped(board.colours)
    board.stop()


# The drive


@pytest.mark.parametrize(
    ("held", "settings", "shown"),
    [
        ("", "", False),
        ("next", "", True),
        ("", "DRIVE = True\n", True),
        ("", "LIMIT_MA = \n", True),
    ],
)
def test_drive_is_hidden_unless_it_is_wanted_or_settings_are_broken(
    held: str, settings: str, shown: bool, tmp_path: Path
) -> None:
    board = FirmwareBoard(tmp_path)
    (board.drive / "settings.py").write_text(settings)
    try:
        board.start(*held.split())
        assert board.shows_drive == shown
        assert board.identity == "pochboard pochboard"
    finally:
        board.stop()
