"""The buttons' contacts, through gpiozero (BOARD.md 6)."""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pochboard.boards.gpio.lgpio_folder import import_lgpio
from pochboard.table.clock import now_us

Level = tuple[int, str, bool]
"""When, which button, and whether its contact was closed."""


def header() -> Any:
    """Gpiozero's pin factory for this machine: lgpio's, unless the environment names another.

    Raises the exceptions of gpiozero.
    """
    # By default gpiozero tries several libraries, the last of which does not work on newer Pis.
    if os.environ.setdefault("GPIOZERO_PIN_FACTORY", "lgpio") == "lgpio":
        import_lgpio()
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
        self,
        pins: Mapping[str, int],
        edges: queue.SimpleQueue[Level | None],
        make_header: Callable[[], Any] = header,
    ) -> None:
        """`edges` receives each edge, from a thread of the library."""
        from gpiozero import DigitalInputDevice

        self._edges = edges
        self._devices: dict[str, Any] = {}
        # Kept here because gpiozero has only weak references.
        self._handlers: list[Callable[[Any, Any], None]] = []
        self._header = make_header()
        try:
            for button, pin in pins.items():
                device = DigitalInputDevice(
                    pin, pull_up=True, bounce_time=None, pin_factory=self._header
                )
                self._devices[button] = device
                # Use the pin's callback, not the device's events: these alternate, so that after
                # a lost edge the next one would be ignored too.
                handler = self._handler(button)
                self._handlers.append(handler)
                device.pin.when_changed = handler
        except BaseException:
            self.close()
            raise

    def _handler(self, button: str) -> Callable[[Any, Any], None]:
        # Only queues: an exception in here would end lgpio's callbacks for all buttons.
        edges = self._edges

        def changed(_ticks: Any, level: Any) -> None:
            edges.put((now_us(), button, not level))

        return changed

    def read(self) -> Iterable[Level]:
        """The current level of every button, with the time just before it was read."""
        return [(now_us(), button, device.is_active) for button, device in self._devices.items()]

    def close(self) -> None:
        """Closes all pins. Raises nothing."""
        for device in self._devices.values():
            with contextlib.suppress(Exception):
                device.close()
        with contextlib.suppress(Exception):
            self._header.close()
        self._devices.clear()
