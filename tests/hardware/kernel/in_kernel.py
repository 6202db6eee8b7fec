"""The boards on a real kernel: what `make hardware-test` runs in one that `boot` has started.

Its clock stands still while anything computes, and goes on at once while all sleep: so times are
exact on a busy machine, and an evening takes as long as its computing.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.sheets import DoLine, PressLine, Sheet, SheetPlayer, WaitLine, run_sheet
from pochboard.store import Store
from tests.firmware.board_process import FirmwareBoard
from tests.hardware.kernel.pi import DEBUG, PINS, Pi, PicoOnUsb, stalls
from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import wait_until

ROOT = Path(__file__).parents[3]
SHEET = ROOT / "tests/nights/thirty-one-presses.jsonl"


@pytest.fixture(params=["Pi 4"])
def pi(request: pytest.FixtureRequest) -> Iterator[Pi]:
    pi = Pi(request.param)
    yield pi
    pi.close()


class PiHome(Home):
    """A home whose programs find the driver of the pixels, which no machine but a Pi has."""

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return super().environment(more) | {"PYTHONPATH": f"{os.environ['PI_KERNEL']}/site"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return PiHome(tmp_path)


def gpio(home: Home, driver: str = "neopixel_spi", piezo: str = "true") -> None:
    home.configure(
        'board = "gpio"\nplaces = 8\nlanguage = "en"\n[gpio]\norder = "GRB"\n'
        f'display = "/dev/i2c-3"\ndriver = "{driver}"\npiezo = {piezo}\n'
    )


def complaints(daemon: Daemon) -> list[str]:
    """What a daemon wrote to its log, but for the warning that its ledger is in memory."""
    return [line for line in daemon.errors.splitlines() if "is on tmpfs" not in line]


def said(daemon: Daemon, what: str, is_so: Any) -> None:
    wait_until(what, lambda: is_so(daemon.state))


@pytest.mark.parametrize(
    ("pi", "driver"),
    [("Pi 4", "neopixel"), ("Zero 2 W", "neopixel"), ("Pi 4", "neopixel_spi")],
    indirect=["pi"],
)
def test_a_night_begins_on_real_pins_pixels_and_display(pi: Pi, home: Home, driver: str) -> None:
    gpio(home, driver)
    with home.daemon() as daemon:
        for button in ("seat1", "seat2", "seat3"):
            pi.press(button)
        pi.press("next")
        time.sleep(1.2)
        pi.press("next")
        said(daemon, "the night has begun", lambda state: state["phase"] == "idle")
        time.sleep(1)
        frame = pi.pixels(driver)
        assert len(frame) == 3 * 116
        lit = [number for number in range(116) if any(frame[3 * number : 3 * number + 3])]
        assert lit == [108], "the dealer's place alone"
        assert int((DEBUG / "i2c_bytes").read_text()) > 1024, "a whole picture"
        daemon.stop()
        assert not any(pi.pixels(driver)), "dark"
        assert complaints(daemon) == []


def test_the_ledger_of_an_evening_with_stalls_is_that_of_its_sheet(pi: Pi, home: Home) -> None:
    # While a tone sounds, reading the clock over and over takes most of this machine's time.
    gpio(home, "neopixel", piezo="false")
    lines = list(Sheet(SHEET.read_bytes()))
    player = SheetPlayer(resolve_among(shipped_rulesets()))
    assert run_sheet(lines, player) is None
    (start,) = [line.command for line in lines if isinstance(line, DoLine)]
    home.book(dict(start))
    with home.daemon() as daemon:
        began_s = time.monotonic()

        def until(at_us: int) -> None:
            time.sleep(max(0.0, began_s + at_us / 1e6 - time.monotonic()))

        def play() -> None:
            for line in lines:
                if isinstance(line, WaitLine):
                    until(line.until_us)
                if isinstance(line, PressLine):
                    until(line.at_us)
                    for button in line.buttons:
                        pi.contact(PINS[button], closed=True)
                    until(line.at_us + line.for_us)
                    for button in line.buttons:
                        pi.contact(PINS[button], closed=False)

        with stalls(daemon.process.pid, 1, 5):
            play()
        time.sleep(2)
        daemon.stop()
        assert complaints(daemon) == []
    with Store.open(home.ledger) as store:
        stored = store.current()
    assert stored is not None
    played = player.night.entries
    assert [entry.command for entry in stored.entries] == [entry.command for entry in played]


def test_no_press_is_lost_or_lengthened_by_stalls(pi: Pi) -> None:
    chance = random.Random(3)
    board = subprocess.Popen(
        [sys.executable, "-m", "tests.hardware.kernel.edges"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert board.stdin is not None
    assert board.stdout is not None
    assert board.stdout.readline() == "null\n"
    pressed = []
    with stalls(board.pid, 5, 5):
        for _ in range(1000):
            button, held_s = chance.choice(list(PINS)), chance.uniform(0.02, 1.5)
            at_s = time.monotonic()
            pi.contact(PINS[button], closed=True)
            down_s = time.monotonic()
            time.sleep(held_s)
            up_s = time.monotonic()
            pi.contact(PINS[button], closed=False)
            pressed.append((button, up_s - down_s, time.monotonic() - at_s))
            time.sleep(chance.uniform(0.02, 0.5))
    time.sleep(0.5)
    board.stdin.close()
    edges = [json.loads(line) for line in board.stdout]
    board.stdout.close()
    assert board.wait() == 0
    assert [edge[:2] for edge in edges] == [
        [button, down] for button, _, _ in pressed for down in (True, False)
    ]
    for (button, least_s, most_s), down, up in zip(pressed, edges[::2], edges[1::2], strict=True):
        lasted_s = (up[2] - down[2]) / 1e6
        # gpio-sim raises its interrupt at the kernel's next tick: there are 100 a second.
        assert least_s - 0.011 <= lasted_s <= most_s + 0.011, button


def test_all_nineteen_buttons_at_once(pi: Pi, home: Home) -> None:
    gpio(home)
    with home.daemon() as daemon:
        pi.press(*PINS, held_s=0.3)
        pi.press("seat1")
        said(daemon, "a single press counts", lambda state: state["board"]["link"])
        daemon.stop()
        assert complaints(daemon) == []


def test_a_busy_line_is_named_at_the_start_and_by_the_doctor(pi: Pi, home: Home) -> None:
    gpio(home)
    pi.hog(17, "leds-gpio")
    ran = home.cli("run", "--port", "0")
    assert ran.status == 1
    assert "GPIO17 (line 17 of gpiochip0) is used by leds-gpio" in ran.said
    assert "GPIO17 (line 17 of gpiochip0) is used by leds-gpio" in home.cli("doctor").out


def test_a_taken_piezo_stops_neither_lights_nor_presses(pi: Pi, home: Home) -> None:
    gpio(home)
    pi.hog(7, "spi0 CS1")
    with home.daemon() as daemon:
        files = len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))
        for _ in range(20):
            pi.press("jack")  # is refused with a tune
        assert len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir())) <= files
        assert daemon.state["board"]["link"]
        daemon.stop()
        assert "GPIO7" in daemon.errors
        assert "spi0 CS1" in daemon.errors


def test_what_is_pulled_comes_back(pi: Pi, home: Home) -> None:
    gpio(home)
    with home.daemon() as daemon:
        fails = DEBUG / "spi_fails"
        for spoil, repair in (
            (pi.unplug, pi.plug),
            (lambda: fails.write_text("1"), lambda: fails.write_text("0")),
        ):
            files = len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))
            spoil()
            said(daemon, "the link is lost", lambda state: not state["board"]["link"])
            time.sleep(20)
            repair()
            said(daemon, "the link is up", lambda state: state["board"]["link"])
            assert len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir())) <= files + 2
        pi.press("seat1")
        (DEBUG / "i2c_gone").write_text("1")
        time.sleep(10)
        (DEBUG / "i2c_gone").write_text("0")
        before = int((DEBUG / "i2c_bytes").read_text())
        time.sleep(10)
        assert int((DEBUG / "i2c_bytes").read_text()) > before + 1024
        daemon.stop()


def test_a_pico_is_found_on_usb_and_comes_back_when_its_cable_was_pulled(home: Home) -> None:
    home.configure('board = "pico"\nplaces = 8\nlanguage = "en"\n')
    with FirmwareBoard(home.folder) as board:
        pico = PicoOnUsb(board)
        try:
            with home.daemon() as daemon:

                def press(button: str) -> None:
                    board.press(button)
                    time.sleep(0.1)
                    board.release(button)
                    time.sleep(0.2)

                said(daemon, "the link is up", lambda state: state["board"]["link"])
                for button in ("seat1", "seat2", "seat3", "next"):
                    press(button)
                time.sleep(1.2)
                press("next")
                said(daemon, "the night has begun", lambda state: state["phase"] == "idle")
                for _ in range(2):
                    pico.unplug()
                    said(daemon, "the link is lost", lambda state: not state["board"]["link"])
                    pico.plug()
                    said(daemon, "the link is up", lambda state: state["board"]["link"])
                time.sleep(2)
                press("next")
                said(daemon, "a press counts", lambda state: state["phase"] == "meld")
                daemon.stop()
        finally:
            pico.close()
