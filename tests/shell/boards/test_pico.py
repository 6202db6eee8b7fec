"""The `pico` board against the real firmware over real ports: unplugged, noisy, and misused."""

from __future__ import annotations

import fcntl
import os
import pty
import threading
import tty
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest

from pochboard.boards.pico.pico import Pico
from pochboard.boards.pico.ports import Port
from pochboard.config import ColourOrder
from pochboard.errors import RefusedInput
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.boards.noisy_line import NoisyLine
from tests.shell.boards.pico_rig import LAYOUT
from tests.shell.server_kit import LONG_S, wait_until

SETTLED_S = 0.03


class Bench:
    """A board, a line that may corrupt bytes, and a host that knows the port."""

    def __init__(self, folder: Path) -> None:
        self.firmware = FirmwareBoard(folder)
        self.firmware.start()
        self.line: NoisyLine | None = None
        self.found = [Port(str(self.firmware.port))]
        self.pico = Pico(LAYOUT, ports=lambda: self.found)
        self.sink = FakeSink()
        self._folder = folder

    def through_a_line(self, seed: int) -> NoisyLine:
        """Connects the host to the board through a line that may corrupt bytes."""
        self.line = NoisyLine(self.firmware.port, self._folder / "line", seed)
        self.found = [Port(str(self.line.port))]
        return self.line

    def start(self) -> None:
        self.pico.start(self.sink)
        self.wait_for_link()

    def wait_for_link(self, up: bool = True) -> None:
        wait_until(f"the link is {up}", lambda: self.pico.link == up and self.sink.link == up)

    def tap(self, *buttons: str) -> list[tuple[str, bool]]:
        for button in buttons:
            self.firmware.press(button)
            self.firmware.rest(SETTLED_S)
            self.firmware.release(button)
            self.firmware.rest(SETTLED_S)
        return [(button, down) for button in buttons for down in (True, False)]

    def show(self, level: int) -> bytes:
        frame = bytes([level, 0, 40 - level]) * LOOK.pixels
        self.pico.show(frame)
        return frame

    def close(self) -> None:
        self.pico.close()
        if self.line:
            self.line.close()
        self.firmware.stop()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("order", ["GRB", "RGB", "BRG"])
def test_pixels_get_their_colours_in_the_order_they_want(bench: Bench, order: ColourOrder) -> None:
    bench.pico.close()
    layout = msgspec.structs.replace(LAYOUT, order=order)
    bench.pico = Pico(layout, ports=lambda: bench.found)
    bench.start()
    bench.pico.show(bytes((1, 2, 3)) * LOOK.pixels)
    # The rig reads red, green, blue from pixels that want green, red, blue.
    first, second, third = (dict(zip("RGB", (1, 2, 3), strict=True))[letter] for letter in order)
    seen = bytes((second, first, third)) * LOOK.pixels
    bench.firmware.wait_pixels(lambda colours: colours == seen)


def test_a_cut_line_is_reported_and_comes_back_and_nothing_is_recorded_late(bench: Bench) -> None:
    line = bench.through_a_line(seed=2)
    bench.start()
    lit = bench.show(11)
    bench.firmware.wait_pixels(lambda colours: colours == lit)
    bench.firmware.press("seat3")
    wait_until("it comes", lambda: bench.sink.presses == [("seat3", True)])
    line.cut = True
    bench.tap("ace", "ace")
    bench.wait_for_link(up=False)
    assert bench.sink.released > 0
    assert "no longer answers" in str(bench.pico.problem)
    # The board notices too, and shows the slow pulse instead of counts.
    bench.firmware.wait_pixels(lambda colours: not any(colours[: -3 * 8]))
    line.cut = False
    bench.wait_for_link()
    newest = bench.show(12)
    bench.firmware.wait_pixels(lambda colours: colours == newest)
    made = bench.tap("ten")
    wait_until("it comes", lambda: len(bench.sink.presses) > 2)
    assert bench.sink.presses[1:] == made


def test_it_is_found_again_under_another_name(bench: Bench, tmp_path: Path) -> None:
    bench.start()
    bench.firmware.unplug()
    bench.wait_for_link(up=False)
    bench.firmware.replug()
    other = tmp_path / "ttyACM7"
    other.symlink_to(bench.firmware.port.readlink())
    bench.found = [Port(str(tmp_path / "not-there")), Port(str(other))]
    bench.wait_for_link()
    assert bench.pico.device == str(other)
    newest = bench.show(3)
    bench.firmware.wait_pixels(lambda colours: colours == newest)


def test_a_restarted_board_is_lit_again_and_lets_go_of_what_it_held(bench: Bench) -> None:
    bench.start()
    newest = bench.show(9)
    bench.firmware.press("undo")
    wait_until("it comes", lambda: bench.sink.presses == [("undo", True)])
    bench.firmware.restart()
    wait_until("all buttons are up", lambda: bench.sink.released > 0)
    bench.wait_for_link()
    bench.firmware.wait_pixels(lambda colours: colours == newest)
    made = bench.tap("seat1")
    wait_until("it comes", lambda: bench.sink.presses[1:] == made)


def test_closing_says_goodbye_and_the_board_is_dark(bench: Bench) -> None:
    bench.start()
    newest = bench.show(20)
    bench.firmware.wait_pixels(lambda colours: colours == newest)
    bench.pico.close()
    bench.firmware.wait_pixels(lambda colours: not any(colours))
    bench.pico = Pico(LAYOUT, ports=lambda: bench.found)
    bench.sink = FakeSink()
    bench.start()
    newest = bench.show(21)
    bench.firmware.wait_pixels(lambda colours: colours == newest)


# Ports that are none of ours.


class Other:
    """A port with somebody else at its end."""

    def __init__(self, folder: Path) -> None:
        self.end, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = folder / "other"
        self.port.symlink_to(os.ttyname(self._slave))
        os.set_blocking(self.end, False)

    def close(self) -> None:
        os.close(self.end)
        os.close(self._slave)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Other]:
    made = Other(tmp_path)
    yield made
    made.close()


def test_a_console_in_place_of_the_data_port_is_left_for_the_right_one(
    bench: Bench, other: Other
) -> None:
    os.write(
        other.end, b"\r\nAdafruit CircuitPython 9.2.1 on 2026-01-01; Raspberry Pi Pico\r\n>>> "
    )
    right = bench.found[0]
    bench.found = [Port(str(other.port), console=True)]
    bench.pico.start(bench.sink)
    wait_until("it is said", lambda: "console" in str(bench.pico.problem))
    with pytest.raises(BlockingIOError):
        os.read(other.end, 1)  # where Ctrl-C would stop the program
    bench.found = [Port(str(other.port), console=True), right]
    bench.wait_for_link()
    assert bench.pico.device == right.device


def test_a_port_that_another_program_holds_is_said_and_taken_once_it_is_free(
    bench: Bench,
) -> None:
    holder = os.open(bench.firmware.port, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        bench.pico.start(bench.sink)
        wait_until("it is said", lambda: "Another program" in str(bench.pico.problem))
    finally:
        os.close(holder)
    bench.wait_for_link()


def test_a_pico_that_is_no_board_is_not_spoken_to(bench: Bench, other: Other) -> None:
    bench.found = [Port(str(other.port), ours=False)]
    bench.pico.start(bench.sink)
    wait_until("it is said", lambda: "firmware install" in str(bench.pico.problem))
    with pytest.raises(BlockingIOError):
        os.read(other.end, 1)


def test_a_host_that_stood_still_records_nothing_late(bench: Bench) -> None:
    """The presses of that time lie in the line's buffer, and the board has dropped them."""
    bench.start()
    made = bench.tap("king")
    wait_until("it comes", lambda: bench.sink.presses == made)
    still, go_on = threading.Event(), threading.Event()
    honest = bench.sink.edge

    def standing(button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        still.set()
        go_on.wait(LONG_S)
        return honest(button, down, at_us)

    bench.sink.edge = standing  # type: ignore[method-assign]
    bench.firmware.press("ten")
    assert still.wait(LONG_S)
    bench.tap("ace", "ace")
    # The board finds its host silent, and shows it.
    bench.firmware.wait_pixels(lambda colours: any(colours[-3 * LOOK.places :]))
    bench.sink.edge = honest  # type: ignore[method-assign]
    go_on.set()
    wait_until("all buttons are up", lambda: bench.sink.released > 0)
    bench.wait_for_link()
    bench.firmware.release("ten")
    after = bench.tap("queen")
    wait_until("it comes", lambda: bench.sink.presses[-2:] == after)
    assert not any(button == "ace" for button, _ in bench.sink.presses)


def test_no_port_is_said(bench: Bench, tmp_path: Path) -> None:
    bench.found = []
    bench.pico.start(bench.sink)
    wait_until("it is said", lambda: "plugged in" in str(bench.pico.problem))
    bench.found = [Port(str(tmp_path / "ttyACM0"))]
    wait_until("it is said", lambda: "does not exist" in str(bench.pico.problem))
