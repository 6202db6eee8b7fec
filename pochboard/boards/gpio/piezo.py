"""The piezo of the `gpio` board: a thread that plays tunes on a pin of the header."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from pochboard import wire
from pochboard.boards.base import Problem, Tune, sentence
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

    def __init__(self, factory: Callable[[], Any]) -> None:
        """`factory` returns gpiozero's pin factory, which whoever made it closes."""
        # The lights are dark by then; a pin that hangs must not keep the daemon from stopping.
        super().__init__("gpio-sound", _CLOSE_S)
        self._factory = factory
        self._pin: Any = None
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
                    f"The piezo does not work: {sentence(error)}",
                    "It needs dtoverlay=spi0-1cs in config.txt.",
                )
                if self.problem is None:
                    log.warning("%s", problem)
                self.problem = problem
                self._drop()
        self._drop()

    def _play(self, tune: Tune) -> None:
        """Plays a tune, until a newer one arrives. Raises the exceptions of gpiozero."""
        if self._pin is None:
            pin = self._factory().pin(PIN)
            pin.output_with_state(0)
            self._pin = pin
        ends_s = time.monotonic()
        try:
            for hz, ms in tune.notes:
                self._pin.frequency = hz or _ANY_HZ
                self._pin.state = wire.high_share(tune.volume) / wire.PERIOD if hz else 0
                ends_s += ms / 1000
                if self._wait(max(0.0, ends_s - time.monotonic())):
                    return
        finally:
            self._pin.state = 0

    def _drop(self) -> None:
        pin, self._pin = self._pin, None
        if pin is not None:
            with contextlib.suppress(Exception):
                pin.close()
