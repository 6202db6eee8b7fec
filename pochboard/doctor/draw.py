"""A frame of the simulated board in a terminal, or in letters where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pochboard.doctor.walk import GREEN, PURE_BLUE, Step, parts
from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import Frame
from pochboard.lights.palette import RED, hue_vectors, nearest_hue

_SCREEN_GAMMA: Final = 2.2
_DOT: Final = "●"

Draw = Callable[[Frame], list[str]]
Say = Callable[[str], None]


def in_colour(look: DisplayConfig) -> Draw:
    """Draws every ring and the places as coloured dots."""

    def draw(frame: Frame) -> list[str]:
        return [f"  {name:<14} {''.join(map(_dot, row))}" for name, row in _rows(frame, look)]

    return draw


def in_letters(look: DisplayConfig, *, counting: bool) -> Draw:
    """Draws rings in which something is lit: a letter a pixel, `.` for a dark one.

    `r`, `g`, `b` and `w` for the walk along the chain, 1 to 6 for the palette's colours.
    """
    palette = look.palette if counting else (RED, GREEN, PURE_BLUE)
    letters = "w123456" if counting else "wrgb"
    among = hue_vectors(palette, look.gamma)

    def draw(frame: Frame) -> list[str]:
        return [
            f"  {name:<14} "
            + "".join(letters[nearest_hue(pixel, among)] if any(pixel) else "." for pixel in row)
            for name, row in _rows(frame, look)
            if any(map(any, row))
        ]

    return draw


class Screen:
    """What a simulated board shows, told beside it."""

    def __init__(
        self, frame: Callable[[], Frame], draw: Draw, echo: Say, *, in_place: bool
    ) -> None:
        """`in_place` draws each frame over the one before, as a terminal can."""
        self._frame = frame
        self._draw = draw
        self._echo = echo
        self._in_place = in_place
        self._title = ""
        self._above = 0

    def say(self, text: str) -> None:
        """What should be seen from now on."""
        self._title = text
        if not self._in_place:
            self._echo(text)

    def shown(self, _: Step) -> None:
        """Draws what the board shows now."""
        lines = self._draw(self._frame())
        if self._in_place:
            back = f"\x1b[{self._above}F" if self._above else ""
            lines = [f"{self._title}\x1b[K", *lines]
            self._above = len(lines)
            self._echo(back + "\n".join(lines))
        elif lines:
            self._echo("\n".join(lines))


def _rows(frame: Frame, look: DisplayConfig) -> Iterator[tuple[str, list[bytes]]]:
    for name, pixels in parts(look):
        yield name, [frame[3 * pixel : 3 * pixel + 3] for pixel in pixels]


def _dot(pixel: bytes) -> str:
    if not any(pixel):
        return "\x1b[2m·\x1b[0m"
    # The values are amounts of light, a screen's are not.
    red, green, blue = (round(255 * (value / 255) ** (1 / _SCREEN_GAMMA)) for value in pixel)
    return f"\x1b[38;2;{red};{green};{blue}m{_DOT}\x1b[0m"
