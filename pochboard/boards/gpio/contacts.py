"""The buttons' contacts, through gpiozero (BOARD.md 6)."""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Mapping
from typing import Any

from pochboard.table.clock import now_us

Level = tuple[int, str, bool]
"""When, which button, and whether its contact was closed."""


def header() -> Any:
    """Gpiozero's pin factory: on libgpiod, unless the environment names one. Raises its errors."""
    if os.environ.get("GPIOZERO_PIN_FACTORY", "gpiod") == "gpiod":
        from pochboard.gpiod_pins import GpiodFactory

        return GpiodFactory(consumer="pochboard")
    from gpiozero import Device

    Device.pin_factory = None
    Device.ensure_pin_factory()
    factory, Device.pin_factory = Device.pin_factory, None
    return factory


class Bursts:
    """When the contact of each button began to close, ignoring the bounces that follow."""

    def __init__(self, apart_us: int) -> None:
        """A contact that closes after being open for `apart_us` begins a new burst."""
        self._apart_us = apart_us
        self._closed: set[str] = set()
        self._opened_us: dict[str, int] = {}
        self._began_us: dict[str, int] = {}

    def feed(self, button: str, closed: bool, at_us: int) -> None:
        """Takes in a raw level."""
        if closed and button not in self._closed:
            self._closed.add(button)
            opened_us = self._opened_us.get(button)
            if opened_us is None or at_us - opened_us >= self._apart_us:
                self._began_us[button] = at_us
        elif not closed and button in self._closed:
            self._closed.discard(button)
            self._opened_us[button] = at_us

    def began_us(self, button: str) -> int:
        """When the newest burst of a button began. It must have been closed once."""
        return self._began_us[button]


class Contacts:
    """The open contacts. Raises the exceptions of gpiozero."""

    def __init__(
        self, pins: Mapping[str, int], edges: queue.SimpleQueue[Level | None], factory: Any
    ) -> None:
        """`edges` receives each edge with its time, from any thread; `factory` is gpiozero's."""
        self._edges = edges
        # Without it, a factory tells of each edge by itself, at the moment of the edge.
        self._dispatch: Callable[[], None] = getattr(factory, "dispatch", lambda: None)
        self._pins: dict[str, Any] = {}
        # Kept here because gpiozero has only weak references.
        self._handlers: list[Callable[[Any, Any], None]] = []
        try:
            # Pins, and no devices: gpiozero keeps a mark of each device for ever.
            for button, number in pins.items():
                self._pins[button] = pin = factory.pin(number)
                pin.input_with_pull("up")
                self._handlers.append(self._handler(button))
                pin.when_changed = self._handlers[-1]
        except BaseException:
            self.close()
            raise

    def _handler(self, button: str) -> Callable[[Any, Any], None]:
        edges = self._edges

        def changed(ticks: float, level: float) -> None:
            edges.put((round(ticks * 1_000_000), button, not level))

        return changed

    def catch_up(self) -> int:
        """Returns a time of which all earlier edges are in the queue by now."""
        until_us = now_us()
        self._dispatch()
        return until_us

    def read(self) -> list[Level]:
        """The current level of every button, with the time just before they were read."""
        at_us = now_us()
        return [(at_us, button, not pin.state) for button, pin in self._pins.items()]

    def close(self) -> None:
        """Closes all pins. Raises nothing."""
        for pin in self._pins.values():
            with contextlib.suppress(Exception):
                pin.close()
        self._pins.clear()
