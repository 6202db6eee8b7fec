"""The tests of the pixels: a walk along the chain, and every count on every ring."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from pochboard.boards.base import Board
from pochboard.doctor.board import why_no_link
from pochboard.doctor.check import Echo
from pochboard.errors import BoardError
from pochboard.lights.display import DisplayConfig, dark_frame, pixel
from pochboard.lights.frame import RINGS, Frame, limit
from pochboard.lights.palette import BLUE, FULL, RED, WHITE, hue_vectors, nearest_hue
from pochboard.lights.render import render
from pochboard.lights.scene import Scene
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import shipped_rulesets
from pochboard.rules.state import State
from pochboard.screen.drawing import Screen, draw
from pochboard.text.lazy import LazyText, lazy_gettext, translated
from pochboard.text.translator import ENGLISH, Translator

GREEN: Final = "#00ff00"
_COLOURS: Final = (
    (lazy_gettext("Red"), RED),
    (lazy_gettext("Green"), GREEN),
    (lazy_gettext("Blue"), BLUE),
)
_PLACES: Final = lazy_gettext("the places")
_RING_STEPS: Final = 10
_WHITE_STEPS: Final = 30
_SCREEN_GAMMA: Final = 2.2
_SCREEN_TITLE: Final = lazy_gettext("Test")
"""On the display, if the board has one; below it is what to expect of the pixels."""

Draw = Callable[[Frame], list[str]]


# What the board shows.


class PixelStep(msgspec.Struct, frozen=True):
    """A frame, shown for some time."""

    frame: Frame
    title: str = ""
    """What to expect from this step on; empty if it is the same as before."""
    length: int = 1
    """The duration, as a multiple of the shortest step's."""


def parts(display: DisplayConfig) -> list[tuple[LazyText, range]]:
    """The rings, then the places, each with its pixels in the chain."""
    size = display.pixels_per_ring
    rings = [
        (lazy_gettext("ring {pool}", pool=pool), range(number * size, (number + 1) * size))
        for number, pool in enumerate(POOLS)
    ]
    return [*rings, (_PLACES, range(RINGS * size, display.pixels))]


def lit(display: DisplayConfig, pixels: range, colour: str) -> Frame:
    """These pixels of the chain at full brightness in a screen colour, all others dark."""
    frame = bytearray(dark_frame(display))
    frame[3 * pixels.start : 3 * pixels.stop] = pixel(display, colour, FULL) * len(pixels)
    return limit(bytes(frame), display.limit_ma)


def chain_steps(display: DisplayConfig) -> Iterator[PixelStep]:
    """Each pixel alone in red, green and blue; each ring in white; all in white; then dark."""
    for name, colour in _COLOURS:
        for part, pixels in parts(display):
            if part is _PLACES:
                way = lazy_gettext("in order")
            else:
                way = lazy_gettext("clockwise from the top")
            title: str = lazy_gettext(
                "{name}: one pixel after the other, {part}, {way} (pixels {start} to {stop} of"
                " the chain)",
                name=name,
                part=part,
                way=way,
                start=pixels.start,
                stop=pixels.stop - 1,
            )
            for number in pixels:
                yield PixelStep(lit(display, range(number, number + 1), colour), title)
                title = ""
    for part, pixels in parts(display):
        yield PixelStep(
            lit(display, pixels, WHITE),
            lazy_gettext("White: {part}, everything else dark", part=part),
            _RING_STEPS,
        )
    everything = lit(display, range(display.pixels), WHITE)
    whole = lazy_gettext(
        "White: all {pixels} pixels equally bright, within {limit} mA",
        pixels=display.pixels,
        limit=display.limit_ma,
    )
    yield PixelStep(everything, whole, _WHITE_STEPS)
    yield PixelStep(dark_frame(display), lazy_gettext("Dark: all pixels"))


def count_steps(display: DisplayConfig) -> Iterator[PixelStep]:
    """One chip in every pool, then two, up to the most that a ring can show; then dark."""
    rules = shipped_rulesets()["modern"]
    for chips in range(1, display.max_chips + 1):
        balances = (-chips * len(POOLS), *([chips] * len(POOLS)))
        state = State(phase="idle", ruleset=rules, balances=balances)
        colour = -(-chips // display.pixels_per_ring)
        first = (chips - 1) % display.pixels_per_ring + 1
        title = lazy_gettext(
            "{chips}: {first} of {pixels} pixels in colour {colour}",
            chips=chips,
            first=first,
            pixels=display.pixels_per_ring,
            colour=colour,
        )
        yield PixelStep(render(Scene(state=state), display, 0), title)
    yield PixelStep(dark_frame(display), lazy_gettext("Dark: all pixels"))


def show_steps(
    board: Board,
    steps: Iterable[PixelStep],
    *,
    echo: Echo,
    pause: Callable[[PixelStep], bool],
    shown: Callable[[PixelStep], None] | None = None,
    t: Translator = ENGLISH,
) -> bool:
    """Shows one step after the other; returns whether all were shown.

    `pause` waits for the duration of a step, and returns whether to stop. `shown` is called for
    each step. `t` translates what the board's display says. Raises BoardError if the link is lost.
    """
    for step in steps:
        if step.title:
            echo(step.title)
            title, line = (str(translated(text, t)) for text in (_SCREEN_TITLE, step.title))
            board.show_screen(draw(Screen(title, lines=(line,))))
        board.show(step.frame)
        if shown:
            shown(step)
        if pause(step):
            return False
        if not board.link:
            raise BoardError(why_no_link(board))
    return True


# What the terminal shows of the simulated board.


def in_colour(display: DisplayConfig, t: Translator = ENGLISH) -> Draw:
    """Draws every ring and the places as coloured dots."""

    def draw(frame: Frame) -> list[str]:
        return [f"  {name:<14} {''.join(map(_dot, row))}" for name, row in _rows(frame, display, t)]

    return draw


def in_letters(display: DisplayConfig, t: Translator = ENGLISH, *, counting: bool) -> Draw:
    """Draws the rings that are lit: a letter per pixel, `.` for a dark one.

    The letters are `r`, `g`, `b` and `w` for a walk along the chain, and 1 to 6 for the colours
    of the palette.
    """
    palette = display.palette if counting else (RED, GREEN, BLUE)
    letters = "w123456" if counting else "wrgb"
    among = hue_vectors(palette, display.gamma)

    def draw(frame: Frame) -> list[str]:
        return [
            f"  {name:<14} "
            + "".join(letters[nearest_hue(pixel, among)] if any(pixel) else "." for pixel in row)
            for name, row in _rows(frame, display, t)
            if any(map(any, row))
        ]

    return draw


class FramePrinter:
    """The frames of a simulated board, drawn in a terminal."""

    def __init__(
        self, frame: Callable[[], Frame], draw: Draw, echo: Echo, *, in_place: bool
    ) -> None:
        """`in_place` draws each frame over the one before, as a terminal can."""
        self._frame = frame
        self._draw = draw
        self._echo = echo
        self._in_place = in_place
        self._title = ""
        self._lines_drawn = 0

    def set_title(self, text: str) -> None:
        """The title of the following frames."""
        self._title = text
        if not self._in_place:
            self._echo(text)

    def refresh(self, _: PixelStep) -> None:
        """Draws what the board shows now."""
        lines = self._draw(self._frame())
        if self._in_place:
            back = f"\x1b[{self._lines_drawn}F" if self._lines_drawn else ""
            lines = [f"{self._title}\x1b[K", *lines]
            self._lines_drawn = len(lines)
            self._echo(back + "\n".join(lines))
        elif lines:
            self._echo("\n".join(lines))


def _rows(frame: Frame, display: DisplayConfig, t: Translator) -> Iterator[tuple[str, list[bytes]]]:
    for name, pixels in parts(display):
        yield name.in_language(t), [frame[3 * pixel : 3 * pixel + 3] for pixel in pixels]


def _dot(pixel: bytes) -> str:
    if not any(pixel):
        return "\x1b[2m·\x1b[0m"
    # A frame holds linear light; a terminal expects gamma-encoded values.
    red, green, blue = (round(255 * (value / 255) ** (1 / _SCREEN_GAMMA)) for value in pixel)
    return f"\x1b[38;2;{red};{green};{blue}m●\x1b[0m"
