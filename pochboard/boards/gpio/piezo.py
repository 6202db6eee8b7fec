"""The piezo of the `gpio` board: a thread that plays tunes on a pin of the header."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import Any, Final

from pochboard.boards.base import LOUDEST, Problem, Tune
from pochboard.boards.gpio.contacts import header
from pochboard.runtime.threads import LoopThread

log = logging.getLogger(__name__)

PIN: Final = 7
"""The GPIO number of hardware/pins.toml: the only one that neither buttons nor pixels need."""
_ANY_HZ: Final = 440
_CLOSE_S: Final = 1.0


class Piezo(LoopThread):
    """Plays the newest tune. A failure is logged, and tried again with the next tune.

    It never affects the link of the board, because the night can be played without sound.
    """

    def __init__(self) -> None:
        # The lights are dark by then; a pin that hangs must not keep the daemon from stopping.
        super().__init__("gpio-sound", _CLOSE_S)
        self._output: Any = None
        self.problem: Problem | None = None
        """Why the last tune could not be played; may be read from any thread."""
        self._newest: Tune | None = None

    def play(self, tune: Tune) -> None:
        """Plays a tune at once, instead of the current one."""
        self._newest = tune
        self._wake()

    def _run(self) -> None:
        while not self._closing:
            tune, self._newest = self._newest, None
            if tune is None:
                self._wait()
                continue
            try:
                self._play(tune)
                self.problem = None
            except Exception as error:  # noqa: BLE001 - the libraries raise anything
                problem = Problem(
                    f"The piezo does not work: {error}.",
                    "It needs dtoverlay=spi0-1cs in config.txt.",
                )
                if self.problem is None:
                    log.warning("%s", problem)
                self.problem = problem
                self._drop()
        self._drop()

    def _play(self, tune: Tune) -> None:
        """Plays a tune, until a newer one arrives. Raises the exceptions of gpiozero."""
        if self._output is None:
            from gpiozero import PWMOutputDevice

            self._output = PWMOutputDevice(PIN, frequency=_ANY_HZ, pin_factory=header())
        ends_s = time.monotonic()
        try:
            for hz, ms in tune.notes:
                self._output.off()
                if hz and tune.volume:
                    self._output.frequency = hz
                    # Half of the period is loudest. The square makes equal steps sound equal.
                    self._output.value = (tune.volume / LOUDEST) ** 2 / 2
                ends_s += ms / 1000
                if self._wait(max(0.0, ends_s - time.monotonic())):
                    return
        finally:
            self._output.off()

    def _drop(self) -> None:
        output, self._output = self._output, None
        if output is not None:
            with contextlib.suppress(Exception):
                factory = output.pin_factory
                output.close()
                factory.close()
