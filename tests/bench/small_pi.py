"""How long a user of a small Pi waits, estimated from instructions (docs/BENCHMARKS.md).

Somebody publishes how long a Raspberry Pi 5 takes for the benchmarks of pyperformance. Here their
instructions are counted, as those of our own program are. The two together say how many of the
instructions that are counted here a Pi 5 carries out in a second. Nobody has
published that for the smaller boards; they are taken to be slower by as much as sbc-bench finds for
one thread of 7-zip, which, like an interpreter, branches a lot and computes on integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import geometric_mean
from typing import Final, NamedTuple


class Published(NamedTuple):
    """A benchmark of pyperformance on a Raspberry Pi 5."""

    seconds: float
    loops: int
    """So many loops are counted here, and then twice as many."""
    inner: int = 1
    """How often each loop does what takes `seconds`."""


# CPython 3.15.0a1 (421a475) without its JIT on the machine "blueberry", 25 October 2025:
# github.com/savannahostrowski/pyperf_bench; which machine that is:
# savannah.dev/posts/i-run-a-server-farm-in-my-closet.
PI_5: Final[Mapping[str, Published]] = {
    "go": Published(0.155, 1),
    "hexiom": Published(8.43e-3, 5),
    "json_dumps": Published(14.0e-3, 5),
    "logging_format": Published(8.81e-6, 100, 10),
    "pickle_pure_python": Published(442e-6, 5, 20),
    "regex_compile": Published(0.146, 1),
    "richards": Published(62.7e-3, 1),
    "sqlite_synth": Published(4.51e-6, 2000),
}
# 7-zip, one thread, at the clock rates that these boards are sold with:
# github.com/ThomasKaiser/sbc-bench, Results.md.
SEVEN_ZIP: Final[Mapping[str, int]] = {
    "Pi Zero 2 W": 838,
    "Pi 4 B": 1769,
    "Pi 5": 3305,
}

NAMES: Final = {
    "start": "start → first page, with the interpreter",
    "page": "the page, `/`",
    "state": "`/api/state`",
    "command": "a command of a phone → stored → answered",
    "press": "a press of 50 ms at the simulated board, over HTTP",
    "frame": "a frame, rendered and packed while chips move",
    "deal": "a deal of four bots, `modern`",
}


def rates(counted: Mapping[str, int]) -> dict[str, float]:
    """Instructions a second of each Pi, from those of a loop of each benchmark."""
    of_pi_5 = geometric_mean(
        counted[name] / (published.seconds * published.inner) for name, published in PI_5.items()
    )
    return {board: of_pi_5 * score / SEVEN_ZIP["Pi 5"] for board, score in SEVEN_ZIP.items()}


def estimates(instructions: Mapping[str, int], counted: Mapping[str, int]) -> str:
    """A table: what was counted, and how many milliseconds it takes on each Pi."""
    boards = rates(counted)
    head = ("what", "million instructions, counted", *(f"{board}, estimated" for board in boards))
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for what, count in instructions.items():
        cells = [_time(count / rate) for rate in boards.values()]
        lines.append(f"| {NAMES[what]} | {count / 1e6:,.1f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _time(seconds: float) -> str:
    """Two digits: nothing here is known better."""
    if seconds >= 0.1:
        return f"{seconds:.2g} s"
    return f"{1000 * seconds:.2g} ms"
