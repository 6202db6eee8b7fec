"""What the board on USB says about itself: firmware, layout, damaged frames."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pochboard import wire
from pochboard.boards.base import Problem
from pochboard.boards.pico.link import COPY_FIRMWARE, Firmware, Layout
from pochboard.buttons.press import BUTTONS
from pochboard.config import PicoTable
from pochboard.doctor.check import Check, failed, light_text
from pochboard.doctor.recording import RecordingSink
from pochboard.lights.lights_config import LightsConfig
from pochboard.text.lazy import lazy_gettext

if TYPE_CHECKING:
    from pochboard.boards.pico.ports import Port

_GREETING_S: Final = 5.0
"""How long to wait for the board: longer than the host takes to give up on a port."""
_LIGHT_S: Final = 3.0
"""How long to wait for the light sensor, which measures twice a second."""
_SPOILED: Final = 20
"""Damaged frames that are still normal: opening and closing a port cuts some in two."""


def greeting_checks(
    table: PicoTable, lights: LightsConfig, port: Port, newest: tuple[int, int, int]
) -> Iterator[Check]:
    """Greets the board, and checks what it says. `newest` is the newest available firmware."""
    from pochboard.boards.pico.pico import layout_of

    layout = layout_of(table, lights)
    answer = _greet(table, layout, port)
    if isinstance(answer, Problem):
        yield failed("board: greeting", answer)
        return
    firmware, spoiled, lux = answer
    found = lazy_gettext("The board {id} on {device} answers.", id=firmware.id, device=port.device)
    yield Check("board: greeting", ok=True, found=found)
    yield _line(*spoiled)
    yield _version(firmware, newest)
    yield _fit(firmware, layout)
    yield _display(firmware)
    yield _sound(firmware)
    yield _light_sensor(firmware, lux)


def _line(here: int, there: int) -> Check:
    """How many frames arrived damaged."""
    fix = ""
    if here + there > _SPOILED:
        fix = lazy_gettext("Try a different, shorter cable and a different socket.")
    found = lazy_gettext(
        "Of the frames on the line, {there} reached the board damaged since it started,"
        " and {here} this program.",
        there=there,
        here=here,
    )
    return Check("board: line", ok=True, found=found, fix=fix)


def _fit(firmware: Firmware, layout: Layout) -> Check:
    """Whether the board's own settings agree with the configuration; it follows the latter."""
    pixels = 9 * layout.pixels_per_ring + layout.places
    found = lazy_gettext(
        "It has buttons for {places} places and drives up to {most} pixels;"
        " {wanted} and {pixels} are configured.",
        places=firmware.places,
        most=firmware.most_pixels,
        wanted=layout.places,
        pixels=pixels,
    )
    own, configured = ((what.pixels_per_ring, what.bytes_per_pixel) for what in (firmware, layout))
    if own == configured:
        return Check("board: layout", ok=True, found=found)
    return Check(
        "board: layout",
        ok=True,
        found=lazy_gettext(
            "{found} Its self-test uses {pixels} pixels per ring, of {bytes} bytes.",
            found=found,
            pixels=own[0],
            bytes=own[1],
        ),
        fix=lazy_gettext(
            "Correct settings.py on the board's drive, or [lights] and [pico] in config.toml."
        ),
    )


def _display(firmware: Firmware) -> Check:
    """Whether the board found a display when it started."""
    if firmware.capabilities & wire.DISPLAY:
        return Check("board: display", ok=True, found=lazy_gettext("It has a display."))
    found = lazy_gettext(
        "It has no display, or found none at the address 3C or 3D when it started."
    )
    return Check("board: display", ok=True, found=found)


def _sound(firmware: Firmware) -> Check:
    """Whether the board is configured to have a piezo, which it cannot detect."""
    if firmware.capabilities & wire.SOUND:
        found = lazy_gettext("It has a piezo, which pochboard doctor --sound plays.")
    else:
        found = lazy_gettext("It has no piezo, or its settings.py lacks PIEZO = True.")
    return Check("board: sound", ok=True, found=found)


def _light_sensor(firmware: Firmware, lux: float | None) -> Check:
    """Whether the board found a light sensor when it started, and what the sensor measures."""
    name = "board: light sensor"
    if not firmware.capabilities & wire.SENSOR:
        found = lazy_gettext(
            "It has no light sensor, or found none at the address 23 when it started."
        )
        return Check(name, ok=True, found=found)
    if lux is None:
        found = lazy_gettext("Its light sensor does not answer.")
        return Check(name, ok=True, found=found, fix=lazy_gettext("Check its plug and its wires."))
    return Check(name, ok=True, found=light_text(lux))


def _greet(
    table: PicoTable, layout: Layout, port: Port
) -> tuple[Firmware, tuple[int, int], float | None] | Problem:
    """Firmware, damaged frames and illuminance of a board, or why it does not answer."""
    from pochboard.boards.pico.pico import Pico
    from pochboard.table.clock import now_us

    pico = Pico(layout, ports=lambda: [port], board=table.id.upper())
    sink = RecordingSink(BUTTONS)
    at_first = pico.problem
    until_us = now_us() + round(_GREETING_S * 1_000_000)
    pico.start(sink)
    try:
        while sink.next() is not True and now_us() < until_us:
            if pico.problem not in (at_first, None):
                break
        until_us = now_us() + round(_LIGHT_S * 1_000_000)
        while pico.has_sensor and pico.lux is None and now_us() < until_us:
            time.sleep(0.05)
        firmware, problem, spoiled = pico.firmware, pico.problem, pico.spoiled
        lux = pico.lux
    finally:
        pico.close()
    unplugged = Problem(
        lazy_gettext("The board on {device} was unplugged.", device=port.device),
        lazy_gettext("Plug it in again."),
    )
    return (firmware, spoiled, lux) if firmware else problem or unplugged


def _version(firmware: Firmware, newest: tuple[int, int, int]) -> Check:
    name, version = "board: firmware", firmware.version
    has, could = (".".join(map(str, numbers)) for numbers in (version, newest))
    if version < newest:
        found = lazy_gettext(
            "The firmware is version {has}; this program has version {could}.", has=has, could=could
        )
        return Check(name, ok=True, found=found, fix=COPY_FIRMWARE)
    if version > newest:
        found = lazy_gettext(
            "The firmware is version {has}, newer than version {could} of this program.",
            has=has,
            could=could,
        )
        return Check(name, ok=True, found=found, fix=lazy_gettext("Update pochboard."))
    return Check(
        name,
        ok=True,
        found=lazy_gettext("The firmware is version {has}, the same as in this program.", has=has),
    )
