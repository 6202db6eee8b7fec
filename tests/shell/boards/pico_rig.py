"""The rig of the `pico` board: the firmware itself, in a process with a real serial port."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from pochboard.boards.pico import link
from pochboard.boards.pico.link import Layout
from pochboard.boards.pico.pico import Pico
from pochboard.boards.pico.ports import Port
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import now_us
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.kit import LOOK
from tests.shell.tuned_host import LATE_US, LIMITS_US

LAYOUT = Layout(LOOK.pixels_per_ring, LOOK.places, LOOK.limit_ma)
CHATTER_MS = 5
SETTLED_S = 0.03
"""The scanner scans every 5 ms, and needs three equal scans."""


def wait_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes hosts in this process as patient as `tuned_host.py`, but for late edges."""
    for (module, name), limit_us in LIMITS_US.items():
        monkeypatch.setattr(module, name, limit_us)


def accept_late_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps hosts in this process from dropping late edges: on a busy machine they take seconds."""
    monkeypatch.setattr(link, "LATE_US", LATE_US)


class PicoRig:
    """A board on a cable; see `tests.shell.boards.kit.Rig`."""

    name = "pico"
    # On a busy machine the board's process may be late. With a counted clock,
    # tests/core/wire/test_noise.py is exact about times.
    slack_us = LATE_US
    now_us = staticmethod(now_us)

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.firmware = FirmwareBoard(Path(self._folder.name), displays="3c 3d")
        self.firmware.change("settings.py", "PIEZO = False", "PIEZO = True")
        self.firmware.start()
        self._broken = False
        self.board = Pico(LAYOUT, ports=self.ports)

    def ports(self) -> list[Port]:
        if self._broken:
            raise RuntimeError("the driver of the serial ports has failed")
        port = self.firmware.port
        return [Port(str(port))] if port.exists() else []

    def move(self, button: str, down: bool, chatter: random.Random | None = None) -> None:
        bounces_ms = 0 if chatter is None else chatter.randint(0, CHATTER_MS)
        move = self.firmware.press if down else self.firmware.release
        move(button, bounces_ms=bounces_ms)
        self.firmware.rest(SETTLED_S)
        self.firmware.wait_until_idle()

    def wait_until_presses_are_dropped(self) -> None:
        """The places pulse blue once the board has noticed that its host is gone."""
        places = 3 * LOOK.places
        self.firmware.wait_pixels(lambda seen: any(seen[-places:]) and not any(seen[:-places]))

    def lose_link(self) -> None:
        self.firmware.unplug()

    def regain_link(self) -> None:
        self.firmware.replug()

    def break_down(self) -> None:
        self._broken = True
        self.firmware.unplug()

    def repair(self) -> None:
        self._broken = False
        self.firmware.replug()

    def shown(self) -> Sequence[Frame]:
        return self.firmware.frames

    def screen(self) -> bytes:
        return self.firmware.screen()

    def contrast(self) -> int:
        return self.firmware.contrast()

    def unplug_display(self, gone: bool) -> None:
        self.firmware.unplug_display(gone)

    def heard(self) -> Sequence[int]:
        return [hz for hz in self.firmware.sounds() if hz]

    def is_silent(self) -> bool:
        return not any(self.firmware.sounds()[-1:])

    def close(self) -> None:
        self.firmware.stop()
        self._folder.cleanup()
