"""What host and board say about themselves: hello and greeting (PROTOCOL.md 3)."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard import wire
from pochboard.boards.base import Problem
from pochboard.text.lazy import lazy_gettext

DEFAULT_DEBOUNCE_MS: Final = 8
"""As in the default configuration, and in the firmware."""


class Layout(msgspec.Struct, frozen=True):
    """The layout of the board, as sent in HELLO."""

    pixels_per_ring: int
    places: int
    limit_ma: int
    bytes_per_pixel: int = 3
    debounce_ms: int = DEFAULT_DEBOUNCE_MS


class Firmware(msgspec.Struct, frozen=True):
    """What a board reports in GREETING."""

    version: tuple[int, int, int]
    places: int
    most_pixels: int
    protocol: int = wire.VERSION
    """The version of the protocol that it speaks with this host."""
    id: str = ""
    """The unique number of its chip, as USB shows it; empty if unknown."""
    capabilities: int = 0
    pixels_per_ring: int = 0
    """According to its own settings; 0 if unknown."""
    bytes_per_pixel: int = 0
    """According to its own settings; 0 if unknown."""


def pack_hello(protocol: int, host: int, layout: Layout) -> bytes:
    """A hello in a version of the protocol."""
    fields = [
        protocol,
        host,
        layout.pixels_per_ring,
        layout.places,
        layout.limit_ma,
        layout.bytes_per_pixel,
    ]
    if protocol >= 2:
        fields.append(layout.debounce_ms)
    return wire.pack(wire.HELLO, *fields)


def firmware_of(greeting: tuple[int, ...]) -> Firmware:
    """The description of the board in the fields of a greeting."""
    _, protocol, _, _, major, minor, patch, places, most_pixels, _, *appended = greeting
    capabilities, number, _, pixels_per_ring, bytes_per_pixel = appended
    return Firmware(
        (major, minor, patch),
        places,
        most_pixels,
        protocol,
        f"{number:016X}" if number else "",
        capabilities,
        pixels_per_ring,
        bytes_per_pixel,
    )


def version_problem(version: int) -> Problem:
    """The problem that the two sides have no version of the protocol in common."""
    fix = lazy_gettext("Update pochboard.")
    if version < wire.OLDEST:
        fix = lazy_gettext("Update the firmware: pochboard firmware install")
    return Problem(
        lazy_gettext(
            "The board's firmware uses version {version} of the protocol, this program"
            " versions {oldest} to {newest}.",
            version=version,
            oldest=wire.OLDEST,
            newest=wire.VERSION,
        ),
        fix,
    )


def _stranger(firmware: Firmware, wanted: str) -> Problem | None:
    """The problem that this is not the configured board; None if it is, or if any board will do."""
    if not wanted or firmware.id == wanted:
        return None
    if not firmware.id:
        return Problem(
            lazy_gettext(
                "This board does not say whether it is {wanted}: its firmware is too old.",
                wanted=wanted,
            ),
            lazy_gettext("Update the firmware: pochboard firmware install"),
        )
    return Problem(
        lazy_gettext("This is board {id}, not {wanted}.", id=firmware.id, wanted=wanted),
        lazy_gettext("Plug in the other board, or correct id in [pico] of config.toml."),
    )


def misfit_problem(firmware: Firmware, layout: Layout, wanted: str) -> Problem | None:
    """Why a board does not fit the configured layout or id; None if it does."""
    if layout.places > firmware.places:
        return Problem(
            lazy_gettext(
                "This board has buttons for {places} places, not {wanted}.",
                places=firmware.places,
                wanted=layout.places,
            ),
            lazy_gettext("Set places = {places} in config.toml.", places=firmware.places),
        )
    pixels = 9 * layout.pixels_per_ring + layout.places
    if pixels > firmware.most_pixels:
        return Problem(
            lazy_gettext(
                "This board drives at most {most} pixels, not {pixels}.",
                most=firmware.most_pixels,
                pixels=pixels,
            ),
            lazy_gettext("Set a smaller pixels_per_ring in config.toml."),
        )
    return _stranger(firmware, wanted)
