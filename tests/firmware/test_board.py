"""The whole firmware, as installed on a drive, in a process with a real serial port."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard import wire
from pochboard.lights.frame import estimate_ma
from tests.firmware.board_process import BUTTONS, SILENCE_S, FirmwareBoard
from tests.firmware.host_line import HostLine
from tests.firmware.host_side import HOST, PIXELS, hello

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


def test_board_greets_shows_pixels_and_reports_each_button(board: FirmwareBoard) -> None:
    assert board.identity == "pochboard pochboard"
    with HostLine(board.port) as host:
        version, named, _, *release, places, most, dropped = host.greet()[1:10]
        assert (version, named, release) == (wire.VERSION, HOST, [0, 1, 0])
        assert (places, most, dropped) == (8, 584, 0)
        capabilities, chip, _, ring, pixel_bytes = host.greet()[10:]
        assert (capabilities, f"{chip:X}", ring, pixel_bytes) == (0, "E6614C311B7D7A2F", 12, 3)
        host.show(GREEN)
        assert board.colours == GREEN * PIXELS
        for button in BUTTONS:
            board.press(button, bounces_ms=3)
            board.rest(0.05)
            board.release(button, bounces_ms=3)
            board.rest(0.05)
        expected = [(number(button), down) for button in BUTTONS for down in (True, False)]
        host.read_until(lambda: len(host.edges) >= len(expected))
        host.read(0.2)
        assert host.edges == expected


@pytest.mark.parametrize(
    ("debounce_ms", "scans"), [(50, "11 scans alike, 5"), (2, "3 scans alike, 1")]
)
def test_buttons_are_debounced_as_long_as_the_host_says(
    debounce_ms: int, scans: str, board: FirmwareBoard
) -> None:
    with HostLine(board.port) as host:
        host.greet(debounce_ms=debounce_ms)
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
        host.show(b"\xff\xff\xff")
        assert limit_ma * 0.9 < estimate_ma(board.colours) <= limit_ma
        assert ("settings.py cannot be read" in board.console) == settings.endswith("= \n")


def test_rgbw_pixels_and_the_largest_board_work(tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path, pixels=584, pixel_bytes=4) as board, HostLine(board.port) as host:
        host.greet(ring=64, pixel_bytes=4)
        host.show(bytes((1, 2, 3)), 584)
        assert board.colours == bytes((1, 2, 3)) * 584
        assert not any(board.whites)


def test_reopened_port_delivers_nothing_old(board: FirmwareBoard) -> None:
    with HostLine(board.port) as host:
        host.greet()
        host.show(GREEN)
        host.read_until(lambda: clock_of(host) > 1 << 28)
        before = clock_of(host)
    board.wait_pixels(is_pulse)
    with HostLine(board.port) as host:
        host.beats = False
        host.read_until(lambda: bool(host.heard))
        fields = wire.unpack(host.heard[0])
        assert fields is not None
        # A message from before the silence would be much older than this.
        assert fields[:2] == (wire.ALIVE, host.session)
        assert fields[2] > before + 1000 * SILENCE_S / 2
        assert host.errors == 0


@pytest.mark.parametrize("keypad", ["9.1", "9.2.1"])
def test_scanner_overflow_is_reported_and_causes_no_press(keypad: str, tmp_path: Path) -> None:
    # On a busy machine the board is frozen for longer than it otherwise waits for a word.
    firmware = FirmwareBoard(tmp_path, keypad=keypad, silence_s=120)
    with firmware as board, HostLine(board.port) as host:
        host.greet()
        session = host.session
        board.press("seat1")
        host.read_until(lambda: host.edges == [(number("seat1"), True)])
        board.freeze()
        for _ in range(40):
            board.tap("ace", hold_s=0.03)
        board.thaw()
        host.read_until(lambda: host.session == session + 1)
        host.read_until(lambda: host.dropped >= 65)
        host.read(0.3)
        assert "The scanner was reset." in board.console
        edges = list(host.edges)
        assert all(button == number("ace") for button, _ in edges), "what is held stays held"
        board.release("seat1")
        board.rest(0.1)
        board.tap("seat1")
        host.read_until(lambda: (number("seat1"), False) in host.edges)
        assert [edge for edge in host.edges if edge[0] == number("seat1")] == [
            (number("seat1"), True),
            (number("seat1"), False),
        ]
        assert host.session == session + 1


def test_host_that_does_not_read_does_not_block_the_board(board: FirmwareBoard) -> None:
    with HostLine(board.port) as host:
        host.greet()
        board.press("seat5")
        # Each is answered with 24 bytes, and the system keeps some 70,000 for who may read later.
        for count in range(1, 41):
            host.say(*[hello()] * 100, wire.pack_pixels(count, bytes((0, 0, count)) * PIXELS))
        board.wait_pixels(lambda colours: colours == bytes((0, 0, 40)) * PIXELS)
        host.read_until(lambda: host.edges == [(number("seat5"), True)])
        board.release("seat5")
        host.read_until(lambda: len(host.edges) == 2)
        assert host.dropped == 0
        assert host.errors == 0, "what was written short has gone on where it stopped"


def test_restart_begins_a_new_session_and_a_held_button_is_not_a_press(
    board: FirmwareBoard,
) -> None:
    with HostLine(board.port) as host:
        host.greet()
        session = host.session
        host.show(GREEN)
    board.restart("seat1")
    with HostLine(board.port) as host:
        host.greet()
        assert host.session != session
        board.wait_pixels(lambda colours: colours == DARK)
        board.release("seat1")
        board.rest(0.1)
        board.tap("seat2")
        host.read_until(lambda: len(host.edges) == 2)
        assert host.edges == [(number("seat2"), True), (number("seat2"), False)]


def clock_of(host: HostLine) -> int:
    """The board's clock according to its newest alive message; -1 before the first one."""
    alive = [m for m in host.heard if m[0] == wire.ALIVE]
    fields = wire.unpack(alive[-1]) if alive else None
    return fields[2] if fields else -1


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
            assert host.greet()[9] == 0, "presses to test buttons are not told of"
    finally:
        board.stop()


def test_hello_ends_the_self_test(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    board.start("undo")
    try:
        board.wait_pixels(any)
        with HostLine(board.port) as host:
            host.greet()
            host.show(GREEN)
            host.read(0.2)
            assert board.colours == GREEN * PIXELS
            board.release("undo")
            board.rest(0.1)
            board.tap("undo")
            host.read_until(lambda: len(host.edges) == 2)
            assert host.edges == [(number("undo"), True), (number("undo"), False)]
    finally:
        board.stop()


# When something goes wrong


def test_failed_program_is_restarted(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    version = board.drive / "version.py"
    good = version.read_text()
    version.write_text("VERSION = None\n")
    with board, HostLine(board.port) as host:
        host.say(hello())
        board.wait_for(lambda: "TypeError" in board.console)
        version.write_text(good)
        host.greet()
        host.show(GREEN)
        assert board.colours == GREEN * PIXELS


def board_with_fast_watchdog(tmp_path: Path) -> FirmwareBoard:
    """A board whose watchdog waits one second instead of eight."""
    board = FirmwareBoard(tmp_path)
    board.change("program.py", "WATCHDOG_S = 8.0", "WATCHDOG_S = 1.0")
    return board


def test_board_that_hangs_is_restarted(tmp_path: Path) -> None:
    with board_with_fast_watchdog(tmp_path) as board:
        with HostLine(board.port) as host:
            host.greet()
            session = host.session
            host.read(1.5)
            assert host.session == session, "it does not bite while all is well"
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
            assert host.session != session


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
        session = host.session
        board.freeze()
        board.rest(1.5)
        board.thaw()
        host.read(1.7)
        host.greet()
        if why_not != "no host":
            assert host.session == session, "the same board continues"
        board.tap("seat1")
        host.read_until(lambda: len(host.edges) == 2)


def crashing_board(tmp_path: Path, *reasons: str) -> FirmwareBoard:
    board = FirmwareBoard(tmp_path, safe_mode=" ".join(reasons))
    board.change("safemode.py", "time.sleep(1)", "time.sleep(0)")
    return board


@pytest.mark.parametrize("reason", ["HARD_FAULT", "NLR_JUMP_FAIL", "GC_ALLOC_OUTSIDE_VM"])
def test_board_restarts_after_a_crash(reason: str, tmp_path: Path) -> None:
    with crashing_board(tmp_path, reason) as board, HostLine(board.port) as host:
        host.greet()
        assert not board.shows_drive


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
