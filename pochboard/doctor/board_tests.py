"""The tests of a board by people: every pixel lit, every press printed, every tune played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from pochboard.boards.base import LOUDEST, Board, Tune
from pochboard.boards.pico.firmware_installer import button_pins
from pochboard.buttons.press import CONTROLS
from pochboard.config import Config
from pochboard.daemon.sound_driver import TUNES, SoundName
from pochboard.doctor.check import Echo
from pochboard.doctor.checked_board import why_no_link
from pochboard.doctor.recording import RecordedEdge, RecordingSink
from pochboard.errors import BoardError
from pochboard.lights.frame import (
    BLUE,
    FULL,
    QUARTER,
    RED,
    WHITE,
    Frame,
    hue_vectors,
    limit,
    nearest_hue,
)
from pochboard.lights.lights_config import LightsConfig, dark_frame, lit, part_pixels, pixel
from pochboard.lights.prompts import Scene
from pochboard.lights.render import render
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State
from pochboard.screen.drawing import Screen, draw

GREEN: Final = "#00ff00"
_COLOURS: Final = (
    ("Red", RED),
    ("Green", GREEN),
    ("Blue", BLUE),
)
_PLACES: Final = "the places"
_RING_STEPS: Final = 10
_WHITE_STEPS: Final = 30
_SCREEN_GAMMA: Final = 2.2
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


def parts(lights: LightsConfig) -> list[tuple[str, range]]:
    """The rings, then the places, each with its pixels in the chain."""
    rings = [(f"ring {pool}", part_pixels(lights, pool)) for pool in POOLS]
    return [*rings, (_PLACES, part_pixels(lights, "places"))]


def chain_steps(lights: LightsConfig) -> Iterator[PixelStep]:
    """Each pixel alone in red, green and blue; each ring in white; all in white; then dark."""
    for name, colour in _COLOURS:
        for part, pixels in parts(lights):
            way = "in order" if part is _PLACES else "clockwise from the top"
            title: str = (
                f"{name}: one pixel after the other, {part}, {way} (pixels {pixels.start} to"
                f" {pixels.stop - 1} of the chain)"
            )
            for number in pixels:
                yield PixelStep(lit(lights, range(number, number + 1), colour), title)
                title = ""
    for part, pixels in parts(lights):
        yield PixelStep(
            lit(lights, pixels, WHITE),
            f"White: {part}, everything else dark",
            _RING_STEPS,
        )
    everything = lit(lights, range(lights.pixels), WHITE)
    whole = f"White: all {lights.pixels} pixels equally bright, within {lights.limit_ma} mA"
    yield PixelStep(everything, whole, _WHITE_STEPS)
    yield PixelStep(dark_frame(lights), "Dark: all pixels")


def count_steps(lights: LightsConfig) -> Iterator[PixelStep]:
    """One chip in every pool, then two, up to the most that a ring can show; then dark."""
    rules = shipped_rulesets()["modern"]
    for chips in range(1, lights.max_chips + 1):
        balances = (-chips * len(POOLS), *([chips] * len(POOLS)))
        state = State(phase="idle", ruleset=rules, balances=balances)
        colour = -(-chips // lights.pixels_per_ring)
        first = (chips - 1) % lights.pixels_per_ring + 1
        title = f"{chips}: {first} of {lights.pixels_per_ring} pixels in colour {colour}"
        yield PixelStep(render(Scene(state=state), lights, 0), title)
    yield PixelStep(dark_frame(lights), "Dark: all pixels")


def show_steps(
    board: Board,
    steps: Iterable[PixelStep],
    *,
    echo: Echo,
    pause: Callable[[PixelStep], bool],
    shown: Callable[[PixelStep], None] | None = None,
) -> bool:
    """Shows one step after the other; returns whether all were shown.

    `pause` waits for the duration of a step, and returns whether to stop. `shown` is called for
    each step. Raises BoardError if the link is lost.
    """
    for step in steps:
        if step.title:
            echo(step.title)
            board.show_screen(draw(Screen("Test", lines=(step.title,))))
        board.show(step.frame)
        if shown:
            shown(step)
        if pause(step):
            return False
        if not board.link:
            raise BoardError(why_no_link(board))
    return True


# What the terminal shows of the simulated board.


def in_colour(lights: LightsConfig) -> Draw:
    """Draws every ring and the places as coloured dots."""

    def draw(frame: Frame) -> list[str]:
        return [f"  {name:<14} {''.join(map(_dot, row))}" for name, row in _rows(frame, lights)]

    return draw


def in_letters(lights: LightsConfig, *, counting: bool) -> Draw:
    """Draws the rings that are lit: a letter per pixel, `.` for a dark one.

    The letters are `r`, `g`, `b` and `w` for a walk along the chain, and 1 to 6 for the colours
    of the palette.
    """
    palette = lights.palette if counting else (RED, GREEN, BLUE)
    letters = "w123456" if counting else "wrgb"
    among = hue_vectors(palette, lights.gamma)

    def draw(frame: Frame) -> list[str]:
        return [
            f"  {name:<14} "
            + "".join(letters[nearest_hue(pixel, among)] if any(pixel) else "." for pixel in row)
            for name, row in _rows(frame, lights)
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


def _rows(frame: Frame, lights: LightsConfig) -> Iterator[tuple[str, list[bytes]]]:
    for name, pixels in parts(lights):
        yield name, [frame[3 * pixel : 3 * pixel + 3] for pixel in pixels]


def _dot(pixel: bytes) -> str:
    if not any(pixel):
        return "\x1b[2m·\x1b[0m"
    # A frame holds linear light; a terminal expects gamma-encoded values.
    red, green, blue = (round(255 * (value / 255) ** (1 / _SCREEN_GAMMA)) for value in pixel)
    return f"\x1b[38;2;{red};{green};{blue}m●\x1b[0m"


def pins_of(config: Config) -> Mapping[str, str]:
    """The pin of each button, as labelled on the board; empty for the simulated board."""
    if config.board == "gpio":
        pins = msgspec.structs.asdict(config.gpio.pins)
        return {button: f"GPIO {number}" for button, number in pins.items()}
    return button_pins() if config.board == "pico" else {}


class ButtonTest:
    """Which buttons have been pressed, and what the board shows for them."""

    def __init__(
        self, buttons: tuple[str, ...], pins: Mapping[str, str], lights: LightsConfig
    ) -> None:
        """`pins` names the pin of each button, such as `GPIO 4`."""
        self.buttons = buttons
        self.pressed: set[str] = set()
        self._pins = pins
        self._lights = lights
        self._down: dict[str, int] = {}

    @property
    def missing(self) -> list[str]:
        """The buttons that have not been pressed, in board order."""
        return [button for button in self.buttons if button not in self.pressed]

    def edge(self, edge: RecordedEdge) -> str:
        """Takes in an edge; returns the line to print."""
        pin = self._pins.get(edge.button)
        label = f"{edge.button} ({pin})" if pin else edge.button
        if edge.down:
            is_new = edge.button not in self.pressed
            self.pressed.add(edge.button)
            self._down[edge.button] = edge.at_us
            down = "down"
            if not is_new:
                return f"{label:<20} {down}"
            count = f"{len(self.pressed)} of {len(self.buttons)}"
            return f"{label:<20} {down}   {count}"
        since_us = self._down.pop(edge.button, edge.at_us)
        up = f"up, held for {(edge.at_us - since_us) / 1_000_000:.2f} s"
        return f"{label:<20} {up}"

    def release_all(self) -> None:
        """The link is lost, so no button counts as held."""
        self._down.clear()

    @property
    def frame(self) -> Frame:
        """White for held buttons, green for those pressed before: a pool's ring, a seat's place.

        `next` and `undo` have no pixels: while held, each lights half of the places.
        """
        frame = bytearray(dark_frame(self._lights))
        for button in self.buttons:
            if button in self._down:
                self._paint(frame, button, pixel(self._lights, WHITE, FULL))
            elif button in self.pressed and button not in CONTROLS:
                self._paint(frame, button, pixel(self._lights, GREEN, QUARTER))
        return limit(bytes(frame), self._lights.limit_ma)

    def _paint(self, frame: bytearray, button: str, colour: bytes) -> None:
        lights = self._lights
        if button in POOLS:
            frame[lights.ring(POOLS.index(button))] = colour * lights.pixels_per_ring
            return
        half = lights.places // 2
        if button == "next":
            places = range(1, half + 1)
        elif button == "undo":
            places = range(half + 1, lights.places + 1)
        else:
            place = int(button.removeprefix("seat"))
            places = range(place, place + 1)
        for place in places:
            frame[lights.place(place)] = colour

    def run(self, board: Board, sink: RecordingSink, echo: Echo, stop: threading.Event) -> None:
        """Prints each press until `stop` is set, then the buttons that were not pressed."""
        all_pressed = f"All {len(self.buttons)} buttons have been pressed."
        board.show(self.frame)
        connected = True
        while not stop.is_set():
            event = sink.next()
            if isinstance(event, RecordedEdge):
                echo(self.edge(event))
                if event.down and not self.missing:
                    echo(f"{all_pressed} Press Ctrl-C to stop.")
            elif event is False:
                connected = False
                self.release_all()
                echo(f"The link is lost. {why_no_link(board)}")
            elif event and not connected:  # the first connection is not news
                connected = True
                echo("The board is back.")
            board.show(self.frame)
        echo(f"Not pressed: {', '.join(self.missing)}." if self.missing else all_pressed)


GAP_S: Final = 0.7
"""The silence after each tune."""
TITLES: Final[Mapping[SoundName, str]] = {
    "knock": "Two low knocks: somebody opens the betting or raises",
    "chips": "Two short high beeps: other chips move",
    "claim": "Four rising beeps: a claim",
    "win": "Three rising notes: somebody wins the betting",
    "out": "Two high notes and a lower one: somebody has played the last card",
    "turn": "Two rising notes: in the betting, it is another player's turn",
    "refused": "Two falling low notes: something is refused",
    "end": "Four rising notes: the end of a night",
    "volume": "One high note: the volume was changed",
}
"""What each tune sounds like, and what it means."""


def play_tunes(board: Board, volume: float, *, echo: Echo, pause: Callable[[float], bool]) -> bool:
    """Plays every tune at the configured volume, 0 to 1; returns whether all were played.

    `pause` waits for this many seconds, and returns whether to stop. Raises BoardError if nothing
    can be heard.
    """
    _require_sound(board, volume)
    for name, title in TITLES.items():
        notes = TUNES[name]
        echo(title)
        board.play(Tune(notes, round(LOUDEST * volume)))
        if pause(sum(ms for _, ms in notes) / 1000 + GAP_S):
            return False
        if not board.link:
            raise BoardError(why_no_link(board))
        if board.sound_problem is not None:
            raise BoardError(board.sound_problem)
    return True


def _require_sound(board: Board, volume: float) -> None:
    if not volume:
        raise BoardError("volume is 0, so nothing is played. Change it in config.toml.")
    if board.has_sound:
        return
    if board.kind == "pico":
        raise BoardError(
            "The board has no piezo, or does not know about it. If one is connected, set PIEZO "
            "="
            " True in settings.py on the board's drive."
        )
    raise BoardError(
        "No piezo is configured. If one is connected, set piezo = true in [gpio] of config.toml."
    )
