"""Whatever the board on the header lacks is named with the fix: at the start, and by the doctor."""

from __future__ import annotations

import importlib.util
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.buttons.settings import BoardSettings
from pochboard.config import Gpio, Pins
from pochboard.doctor.check import Check, require
from pochboard.doctor.gpio import gpio_checks
from pochboard.errors import BoardError
from pochboard.lights.lights_config import LightsConfig
from pochboard.store.durable import keep_small, settings_file
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = {
    "gpiozero", "gpiod", "adafruit_blinka", "neopixel", "neopixel_spi", "_rpi_ws281x",
    "adafruit_raspberry_pi5_neopixel_write",
}  # fmt: skip


class Pi:
    """The files of a Pi that is set up well, and what is installed on it."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.installed = set(LIBRARIES)
        self.patch = patch
        self.model("Raspberry Pi 4 Model B Rev 1.4")
        for device in ("gpiochip0", "gpiomem", "spidev0.0"):
            self.file(f"dev/{device}")
        self.file("sys/module/spidev/parameters/bufsiz", "4096\n")
        patch.delenv("BLINKA_OS_AGNOSTIC", raising=False)
        patch.setattr(
            importlib.util, "find_spec", lambda name: object() if name in self.installed else None
        )

    def file(self, path: str, text: str = "") -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def model(self, name: str) -> None:
        self.file("proc/device-tree/model", f"{name}\0")

    def checks(self, gpio: Gpio | None = None, look: LightsConfig = LOOK) -> list[Check]:
        return list(gpio_checks(gpio or Gpio(), look, root=self.root))


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pi:
    return Pi(tmp_path, monkeypatch)


def pi5(pi: Pi) -> None:
    pi.model("Raspberry Pi 5 Model B Rev 1.0")
    for gone in ("gpiomem", "spidev0.0"):
        (pi.root / "dev" / gone).unlink()
    pi.installed.discard("_rpi_ws281x")
    pi.file("dev/pio0")


@pytest.mark.parametrize("driver", ["neopixel", "neopixel_spi"])
@pytest.mark.parametrize("kind", ["rgb", "rgbw"])
def test_a_pi_that_is_set_up_well_needs_nothing(pi: Pi, driver: Any, kind: Any) -> None:
    checks = pi.checks(Gpio(driver=driver, kind=kind))
    assert [check for check in checks if not check.ok or check.fix] == []
    assert len({check.name for check in checks}) == len(checks)
    assert require(checks) is None  # type: ignore[func-returns-value]


def test_a_pi_5_needs_its_own_package_and_device(pi: Pi) -> None:
    pi5(pi)
    require(pi.checks())
    pi.installed.discard("adafruit_raspberry_pi5_neopixel_write")
    with pytest.raises(BoardError, match="Adafruit-Blinka-Raspberry-Pi5-Neopixel is not installed"):
        require(pi.checks())


def without(*modules: str) -> Callable[[Pi], None]:
    return lambda pi: pi.installed.difference_update(modules)


def no_file(path: str) -> Callable[[Pi], None]:
    return lambda pi: (pi.root / path).unlink()


def no_pi(pi: Pi) -> None:
    (pi.root / "proc/device-tree/model").unlink()


def pi5_without_pio(pi: Pi) -> None:
    pi5(pi)
    (pi.root / "dev/pio0").unlink()


PIP = 'sudo systemd/install.sh --board gpio, in a clone .venv/bin/pip install -e ".[gpio]".'
SPI = Gpio(driver="neopixel_spi")


@pytest.mark.parametrize(
    ("spoil", "gpio", "found", "fix"),
    [
        (without("gpiozero"), Gpio(), "gpiozero is not installed", PIP),
        (without("gpiod"), Gpio(), "gpiod is not installed", PIP),
        (without("adafruit_blinka"), Gpio(), "Adafruit-Blinka is not installed", PIP),
        (without("neopixel"), Gpio(), "adafruit-circuitpython-neopixel is not", PIP),
        (without("neopixel_spi"), SPI, "adafruit-circuitpython-neopixel-spi is not", PIP),
        (without("_rpi_ws281x"), Gpio(), "rpi_ws281x is not installed", PIP),
        (no_pi, Gpio(), "This is not a Raspberry Pi", 'board = "simulator"'),
        (lambda pi: pi.model("Banana Pro"), Gpio(), '"Banana Pro", not a Raspberry Pi', "board"),
        (no_file("dev/gpiochip0"), Gpio(), "/dev/gpiochip0 does not exist", "Upgrade"),
        (no_file("dev/gpiomem"), Gpio(), "/dev/gpiomem does not exist", "Upgrade"),
        (no_file("dev/spidev0.0"), Gpio(), "SPI is disabled", "dtparam=spi=on"),
        (no_file("dev/spidev0.0"), SPI, "SPI is disabled", "dtparam=spi=on"),
        (pi5_without_pio, Gpio(), "/dev/pio0 does not", "Upgrade"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named_with_the_fix(
    pi: Pi, spoil: Callable[[Pi], None], gpio: Gpio, found: str, fix: str
) -> None:
    spoil(pi)
    (failed,) = [check for check in pi.checks(gpio) if not check.ok]
    assert found in failed.found
    assert fix in failed.fix
    with pytest.raises(BoardError) as raised:
        require(pi.checks(gpio))
    assert str(raised.value) == f"{failed.found} {failed.fix}"
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("button", ["seat1", "seat3", "pinke", "undo"])
def test_the_pins_of_all_buttons_of_a_smaller_board_are_looked_at(pi: Pi, button: str) -> None:
    gpio = Gpio(pins=Pins(**{button: 4}))
    (wrong,) = [check for check in pi.checks(gpio, LightsConfig(places=3)) if not check.ok]
    assert wrong.found == f"GPIO 4 has two buttons, ace and {button}."


# At the start.


def test_a_button_that_is_held_at_the_start_is_no_press() -> None:
    rig, sink = GpioRig(), FakeSink()
    try:
        rig.copper.close(4, closed=True)
        rig.board.start(sink)
        rig.move("king", down=True)
        wait_until("another arrives", lambda: sink.presses == [("king", True)])
        rig.move("ace", down=False)
        rig.move("king", down=False)
        wait_until("it is released", lambda: sink.presses[-1] == ("king", False))
        for down in (True, False):
            rig.move("ace", down)
            wait_until("it counts", lambda down=down: sink.presses[-1] == ("ace", down))
        assert sink.presses == [
            ("king", True), ("king", False), ("ace", True), ("ace", False),
        ]  # fmt: skip
    finally:
        rig.board.close()
        rig.close()


def test_a_lost_edge_heals_when_the_levels_are_read_again() -> None:
    rig, sink = GpioRig(), FakeSink()
    moves = [("queen", True), ("queen", False)]
    try:
        rig.board.start(sink)
        for count, (button, down) in enumerate(moves, start=1):
            rig.move_unnoticed(button, down)
            wait_until("it is noticed", lambda count=count: sink.presses == moves[:count])
        rig.move_unnoticed("queen", True)
        wait_until("it is noticed", lambda: len(sink.presses) == 3)
        rig.move("queen", False)
        wait_until("the next edge is heard", lambda: sink.presses == 2 * moves)
    finally:
        rig.board.close()
        rig.close()


# After the end of the daemon, however it ended.


def unit_line(key: str) -> str:
    text = (ROOT / "systemd/pochboard.service").read_text()
    line = re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)[-1]
    return str(line)


def stop_post() -> list[str]:
    """The command of the unit, with the Python of these tests."""
    line = unit_line("ExecStopPost")
    assert line.startswith("-"), "its failing must not fail the unit"
    python, *words = shlex.split(line[1:])
    assert python == "/opt/pochboard/.venv/bin/python"
    return [sys.executable, *words]


CONTACTS = '''
"""Stands in for the chip of the header: nobody touches its buttons."""
import os
from gpiod.line import Value
from pochboard.boards.gpio import lines

class Rest:
    def __init__(self, *_):
        self.fd = os.eventfd(0)
    def get_value(self, line):
        return Value.ACTIVE
    def release(self):
        os.close(self.fd)

lines.take = Rest
lines.Header._get_revision = lambda _: 0xC03111
'''
RECORDER = '''
"""Stands in for the wire: writes down what would go over it."""
import os

def neopixel_write(pin, buffer):
    with open(os.environ["WIRE"], "a") as file:
        file.write(bytes(buffer).hex() + "\\n")
'''


class WiredHome(Home):
    """A user whose pixels hang on a file, whichever process drives them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._wire = folder / "wire"
        self.played = {
            "PYTHONPATH": str(folder / "lib"),
            "WIRE": str(self._wire),
            "BLINKA_OS_AGNOSTIC": "1",
        }
        (folder / "lib").mkdir()
        (folder / "lib/neopixel_write.py").write_text(RECORDER)
        (folder / "lib/sitecustomize.py").write_text(CONTACTS)

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        inherited = super().environment(more)
        # What these tests themselves play is not handed on.
        inherited.pop("BLINKA_OS_AGNOSTIC", None)
        return inherited | self.played

    @property
    def frames(self) -> list[bytes]:
        if not self._wire.exists():
            return []
        return [bytes.fromhex(line) for line in self._wire.read_text().splitlines()]

    def after_the_end(self) -> subprocess.CompletedProcess[str]:
        """Runs the unit's command for that."""
        return subprocess.run(
            stop_post(),
            env=self.environment(),
            check=False,
            timeout=120,
            capture_output=True,
            text=True,
        )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_pixels_are_dark_after_the_daemon(tmp_path: Path, number: signal.Signals) -> None:
    home = WiredHome(tmp_path)
    home.configure("places = 5\n")
    with home.daemon() as daemon:
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    home.configure('board = "gpio"\nplaces = 5\n')
    with home.daemon() as daemon:
        board = daemon.state["board"]
        assert (board["kind"], board["link"], board["simulated"]) == ("gpio", True, False)
        wait_until("the dealer's place is lit", lambda: any(home.frames[-1]))
        daemon.stop(number)
        assert daemon.errors == ""
    assert any(home.frames[-1]) == (number == signal.SIGKILL)
    count = len(home.frames)
    ran = home.after_the_end()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert home.frames[count:] == [bytes(3 * (9 * 12 + 5))]


def test_people_say_at_the_first_start_what_the_configuration_leaves_open(tmp_path: Path) -> None:
    home = WiredHome(tmp_path)
    home.configure('board = "gpio"\n')
    with home.daemon() as daemon:
        board = daemon.state["board"]
        assert board["asks"] == ["language", "places", "colours"]
        assert (board["places"], board["next_places"]) == (8, 8)
        assert board["places_steps"] == [3, 4, 5, 6, 7, 8]
    said = BoardSettings(language="de", order="RGB", places=5)
    keep_small(settings_file(home.ledger), said)
    with home.daemon() as daemon:
        assert daemon.state["board"]["asks"] == ["language", "places"], "until they have answered"
    keep_small(settings_file(home.ledger), msgspec.structs.replace(said, answered=True))
    with home.daemon() as daemon:
        board = daemon.state["board"]
        assert (board["asks"], board["places"], board["language"]) == ([], 5, "de")
        assert len(home.frames[-1]) == 3 * (9 * 12 + 5)
    # The configuration comes first, and leaves nothing open that it says.
    home.configure('board = "gpio"\nplaces = 6\nlanguage = "en"\n[gpio]\norder = "RGB"\n')
    keep_small(settings_file(home.ledger), BoardSettings(places=5))
    with home.daemon() as daemon:
        board = daemon.state["board"]
        assert (board["asks"], board["places"], board["places_steps"]) == ([], 6, [])
