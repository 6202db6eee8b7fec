"""The tests that `test_kernel_calls.py` runs, with its library in the kernel's place."""

from __future__ import annotations

import ctypes
import math
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pochboard import wire
from pochboard.boards.base import Tune
from pochboard.boards.gpio import PIEZO_PIN as PIEZO
from pochboard.boards.gpio import gpio_board
from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.buttons.press import PressTimes
from pochboard.config import Gpio
from pochboard.daemon.drivers import SHARES, TUNES, amplitude
from pochboard.doctor.gpio import gpio_checks
from pochboard.errors import BoardError, Refusal
from pochboard.lights.frame import limit
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import public_state
from pochboard.runtime import threads as worker
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.server_kit import wait_until

CALLS = ctypes.CDLL(os.environ["PI_LIBRARY"])
"""Moves contacts while Python goes on."""
STANDING = ctypes.PyDLL(os.environ["PI_LIBRARY"])
"""All of Python stands still until one of these functions returns."""
for library in (CALLS, STANDING):
    library.contact.restype = ctypes.c_longlong
GPIO = msgspec.structs.replace(Gpio(), driver="neopixel_spi", piezo=True)
PINS: dict[str, int] = msgspec.structs.asdict(GPIO.pins)


def count(what: str) -> int:
    """How many threads (`task`) or open files (`fd`) this process has."""
    return len(list(Path("/proc/self", what).iterdir()))


class Sink(FakeSink):
    """Also records until when each button was ever known to be down."""

    def __init__(self) -> None:
        super().__init__()
        self.known: list[tuple[str, int]] = []

    def known_down(self, button: str, until_us: int) -> None:
        self.known.append((button, until_us))
        super().known_down(button, until_us)

    def press(self, number: int) -> tuple[str, int]:
        """The press of this number: its button, and how long it lasted in µs."""
        down, up = self.edges[2 * number : 2 * number + 2]
        assert (down.button, down.down, up.down) == (up.button, True, False)
        downs = [edge.at_us for edge in self.edges if edge.down and edge.button == down.button]
        again_us = min((at_us for at_us in downs if at_us > up.at_us), default=2**63)
        assert (down.button, down.at_us) in self.known, "else it would count as held for ever"
        for button, until_us in self.known:
            if button == down.button and down.at_us <= until_us < again_us:
                assert until_us <= up.at_us, "it was known to be down when it was up"
        return down.button, up.at_us - down.at_us


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def board(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> Iterator[GpioBoard]:
    monkeypatch.setattr(gpio_board, "RETRY_S", 0.05)
    threads, files = count("task"), count("fd")
    board = GpioBoard(GPIO, LOOK)
    board.start(sink)
    yield board
    board.close()
    # The kernel takes a moment longer than Python to end a thread.
    wait_until("threads end", lambda: count("task") == threads)
    assert count("fd") == files


def heard(sink: Sink, edges: int) -> None:
    wait_until("the edges arrive", lambda: len(sink.edges) >= edges)


@pytest.mark.parametrize("held_ms", [20, 900])
def test_a_press_in_a_stall_lasts_as_long_as_it_lasted(
    board: GpioBoard, sink: Sink, held_ms: int
) -> None:
    held_us = STANDING.press_in_stall(PINS["ace"], 30_000, held_ms * 1000, 50_000)
    heard(sink, 2)
    button, lasted_us = sink.press(0)
    assert button == "ace"
    assert abs(lasted_us - held_us) <= 2


def test_a_release_in_a_stall_ends_the_press(board: GpioBoard, sink: Sink) -> None:
    down_us = CALLS.contact(PINS["seat1"], 1)
    heard(sink, 1)
    up_us = STANDING.contact(PINS["seat1"], 0)
    STANDING.stall(900_000)
    heard(sink, 2)
    button, lasted_us = sink.press(0)
    assert button == "seat1"
    assert abs(lasted_us - (up_us - down_us)) <= 2


def test_presses_of_many_buttons_in_one_stall_keep_their_order(
    board: GpioBoard, sink: Sink
) -> None:
    chance = random.Random(7)
    order = [chance.choice(list(PINS)) for _ in range(60)]
    for button in order:
        for _ in range(chance.randint(0, 4)):  # it bounces
            STANDING.contact(PINS[button], 1)
            STANDING.contact(PINS[button], 0)
        STANDING.press_in_stall(PINS[button], 0, 10_000, 10_000)
    heard(sink, 2 * len(order))
    assert [sink.press(number)[0] for number in range(len(order))] == order


def test_all_buttons_at_once(board: GpioBoard, sink: Sink) -> None:
    for closed in (1, 0):
        for pin in PINS.values():
            CALLS.contact(pin, closed)
        heard(sink, len(PINS) if closed else 2 * len(PINS))
    assert sorted(sink.presses) == sorted((one, down) for one in PINS for down in (True, False))


def test_a_taken_pin_is_named_with_its_line_and_user(sink: Sink) -> None:
    CALLS.taken(17, b"gpio-keys")
    try:
        board = GpioBoard(GPIO, LOOK)
        with pytest.raises(BoardError, match=r"GPIO17 \(line 17 of gpiochip0\) .* gpio-keys\. Run"):
            board.start(sink)
        board.close()
        (wrong,) = [check for check in gpio_checks(GPIO, LOOK) if check.name == "buttons: lines"]
        assert not wrong.ok
        assert "GPIO17 (line 17 of gpiochip0) is used by gpio-keys" in wrong.found
    finally:
        CALLS.taken(17, b"")


def test_a_taken_piezo_leaks_nothing_and_is_nobody_elses_failure(
    board: GpioBoard, sink: Sink
) -> None:
    CALLS.taken(PIEZO, b"spi0 CS1")
    files = count("fd")
    for _ in range(200):
        board.play(Tune(TUNES["claim"]))
        wait_until("it is tried", lambda: board._piezo is not None and board._piezo._newest is None)
    wait_until("it is said", lambda: board.sound_problem is not None)
    assert count("fd") == files
    assert "GPIO7 (line 7 of gpiochip0, SPI_CE1_N) is used by spi0 CS1" in str(board.sound_problem)
    assert (board.link, board.problem) == (True, None)
    CALLS.contact(PINS["queen"], 1)
    heard(sink, 1)
    CALLS.contact(PINS["queen"], 0)
    heard(sink, 2)
    assert sink.presses == [("queen", True), ("queen", False)]
    CALLS.taken(PIEZO, b"")
    before = CALLS.pulses(PIEZO)
    board.play(Tune(((440, 60_000),)))
    wait_until("it plays", lambda: CALLS.pulses(PIEZO) > before)
    board.play(Tune(((440, 1),)))
    wait_until("nothing is wrong any more", lambda: board.sound_problem is None)


@pytest.mark.parametrize("volume", [0.01, 0.5, 1.0])
def test_every_step_of_the_volume_can_be_heard(board: GpioBoard, volume: float) -> None:
    heard_as = []
    for choice in ("loud", "medium", "quiet"):
        loudness = round(amplitude(volume) * SHARES[choice])
        before = CALLS.pulses(PIEZO)
        board.play(Tune(((3200, 60_000),), loudness))
        wait_until("it is played", lambda: CALLS.pulses(PIEZO) > before)  # noqa: B023 - at once
        # The fundamental of what the pin is asked for.
        heard_as.append(math.sin(math.pi * wire.high_share(loudness) / wire.PERIOD))
    assert heard_as[0] / heard_as[1] == pytest.approx(2, rel=0.05)
    assert heard_as[1] / heard_as[2] == pytest.approx(2, rel=0.05)
    assert heard_as[2] > 1 / 17, "24 dB below the loudest"


def test_what_fails_comes_back_with_one_factory(board: GpioBoard, sink: Sink) -> None:
    CALLS.unplug(1)
    wait_until("the link is lost", lambda: not board.link)
    CALLS.taken(17, b"w1-gpio")
    CALLS.unplug(0)
    wait_until("it is said what keeps it", lambda: "is used by w1-gpio." in str(board.problem))
    CALLS.taken(17, b"")
    wait_until("the link is up", lambda: board.link)
    assert board.problem is None
    board.play(Tune(((440, 50),)))
    before = CALLS.pulses(PIEZO)
    wait_until("it plays", lambda: CALLS.pulses(PIEZO) > before)
    CALLS.contact(PINS["king"], 1)
    heard(sink, 1)
    CALLS.contact(PINS["king"], 0)
    heard(sink, 2)
    assert sink.press(0)[0] == "king"


def switches() -> int:
    """How often the threads of this process have gone to sleep."""
    return sum(
        int(line.split()[1])
        for task in Path("/proc/self/task").iterdir()
        for line in (task / "status").read_text().splitlines()
        if line.startswith("voluntary")
    )


def test_at_rest_nothing_polls(board: GpioBoard) -> None:
    board.play(Tune(((2000, 20),)))
    threading.Event().wait(0.3)
    before = switches()
    threading.Event().wait(1)
    # Twice a second the levels, once a second the pixels, and the waiting itself.
    assert switches() - before < 40


def sent() -> bytes:
    buffer = ctypes.create_string_buffer(65536)
    size = CALLS.last_message(buffer)
    stream = buffer.raw[:size].strip(b"\0")
    ones = [byte == 0xF0 for byte in stream]
    assert set(stream) <= {0xC0, 0xF0}
    return bytes(
        sum(bit << 7 - at for at, bit in enumerate(ones[start : start + 8]))
        for start in range(0, len(ones), 8)
    )


def test_every_pixel_arrives_and_a_failing_bus_is_told(board: GpioBoard, sink: Sink) -> None:
    frame = bytes(number * 7 % 61 for number in range(3 * LOOK.pixels))
    shown = limit(frame, LOOK.limit_ma)
    board.show(frame)
    wait_until(
        "the pixels show it",
        lambda: (
            sent()
            == b"".join(
                bytes(shown[at + "RGB".index(colour)] for colour in GPIO.order)
                for at in range(0, len(shown), 3)
            )
        ),
    )
    CALLS.fail_spi(1)
    wait_until("the link is lost", lambda: not board.link)
    assert str(board.problem).startswith(
        "The pixels of the board have failed: Input/output error. "
    )
    CALLS.fail_spi(0)
    wait_until("the link is up", lambda: board.link)


def test_a_press_in_a_stall_comes_before_what_became_due_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_CATCH_UP_S", 10)  # the machine may be busy
    # A selected seat is dropped after a while; the pool was pressed before that.
    setup = Setup(resolve=resolve_among(shipped_rulesets()), times=PressTimes(select_us=8_000_000))
    with Store.open(tmp_path / "ledger.db") as store:
        board = GpioBoard(GPIO, LOOK)
        table = Table(store, setup, BoardInfo("gpio", link=True, simulated=False), board.show)
        table.start()
        board.start(table)
        try:
            players = ["Anna", "Ben", "Clara"]
            for command in (
                {"do": "start", "ruleset": "modern", "players": players},
                {"do": "deal"},
            ):
                assert not isinstance(table.command(parse_command(command)), Refusal)
            STANDING.press_in_stall(PINS["seat1"], 0, 20_000, 0)
            wait_until(
                "it is selected",
                lambda: table.snapshot.pending is not None and table.snapshot.pending.place == 1,
            )
            STANDING.press_in_stall(PINS["ace"], 0, 50_000, 12_000_000)
            wait_until(
                "it is claimed", lambda: public_state(table.snapshot.state)["pools"]["ace"] == 0
            )
        finally:
            board.close()
            table.stop()
