"""What frames cost: rendered while the board is animated, and sent over the line.

`python -m tests.bench.frames COUNT` renders and packs this many frames and nothing else; `make
count` counts the instructions of one by it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import cycle
from typing import Final

from pochboard import wire
from pochboard.boards.pico.pico import Pico
from pochboard.buttons.pending import Pending
from pochboard.lights.animation import effects_of_entry
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.prompts import Scene
from pochboard.lights.render import next_change_us, render
from pochboard.rules.commands import AnyCommand
from pochboard.rules.registry import play
from pochboard.rules.state import State
from pochboard.table.lighting import Lighting
from tests.bench.nights import commands_of_bots
from tests.bench.press import wait_for
from tests.bench.serial_line import LAYOUT, Board, Nobody, thread_time_s
from tests.bench.table import RESOLVE, Goal, Row, say

_A_SECOND: Final = 60
_STEP_US: Final = 1_000_000 // _A_SECOND
_EACH: Final = 30
"""After so many frames the next command is recorded, which starts new effects."""


def steps() -> Iterator[tuple[State, State, AnyCommand]]:
    """The commands of an evening that move chips, over and over."""
    state, made = State(), []
    for command in commands_of_bots("frames", 5):
        after = play(state, command, RESOLVE)
        assert isinstance(after, State), after
        made.append((state, after, command))
        state = after
    yield from cycle(made[1:])


def frames_a_second(seconds: float) -> list[Row]:
    """60 frames a second over a line, rendered while chips move: the share of a core."""
    say(f"60 frames a second, {seconds:.0f} s")
    board = Board()
    pico = Pico(LAYOUT, ports=lambda: [board.port])
    try:
        pico.start(Nobody())
        wait_for(lambda: pico.link)
        lighting = Lighting(LightsConfig(), pico.show)
        recorded = steps()
        begun_s = time.monotonic()
        before_s = time.thread_time() + thread_time_s(pico)
        count = shown = 0
        frame, state = lighting.frame, State()
        while (passed_s := time.monotonic() - begun_s) < seconds:
            if count % _EACH == 0:
                before, state, command = next(recorded)
                lighting.recorded(before, state, command)
            lighting.light(state, Pending(), link=True, pairing=None)
            shown += lighting.frame != frame
            frame = lighting.frame
            count += 1
            time.sleep(max(0.0, begun_s + count / _A_SECOND - time.monotonic()))
        spent_s = time.thread_time() + thread_time_s(pico) - before_s
    finally:
        pico.close()
        board.close()
    assert shown > count / 10, "hardly anything moved"
    return [
        Row(
            "60 frames a second while animating, share of a core",
            "%",
            100 * spent_s / passed_s,
            goals=(Goal(3.0),),
        ),
        Row(
            "frames a second that a core renders and sends",
            "/s",
            count / spent_s,
            None,
            "what the line takes, 3.5 ms each",
            1 / 0.0035,
        ),
    ]


def draw(count: int) -> int:
    """Renders this many frames in a time of its own, packs each, and returns their bytes."""
    lights, recorded, clock_us, sent = LightsConfig(), steps(), 0, 0
    scene = Scene(state=State(), pending=Pending(), link=True)
    for number in range(count):
        if number % _EACH == 0:
            before, after, command = next(recorded)
            effects = effects_of_entry(before, after, command, clock_us, {})
            scene = Scene(state=after, pending=Pending(), link=True, effects=effects)
        frame = render(scene, lights, clock_us)
        next_change_us(scene, lights, clock_us)
        sent += len(wire.frame(wire.pack_pixels(number % wire.MAX_NUMBER + 1, frame)))
        clock_us += _STEP_US
    return sent


if __name__ == "__main__":
    print(draw(int(sys.argv[1])))
