"""`pochboard doctor`: is everything there and allowed, and does the board work?"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from pochboard.cli.common import configured, folders, one_line

if TYPE_CHECKING:
    from pochboard.boards.simulator import Simulator
    from pochboard.config import Config
    from pochboard.doctor.draw import Screen
    from pochboard.lights.display import DisplayConfig

_STEP_S: Final = {"pixels": 0.1, "count": 1.0}
_NOT_FOUND: Final = "Stopped before the board was found."


@click.command()
@folders
@click.option("--buttons", is_flag=True, help="Show presses live, until Ctrl-C.")
@click.option("--pixels", is_flag=True, help="Light every pixel in turn, then all.")
@click.option("--count", is_flag=True, help="Show 1, 2, 3 … chips on every ring.")
@click.option(
    "--step",
    "step_s",
    type=click.FloatRange(0.001, 60),
    metavar="SECONDS",
    help="How long a pixel or a count is shown.  [default: 0.1 for pixels, 1 for counts]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def doctor(
    data: Path | None,
    settings: Path | None,
    buttons: bool,
    pixels: bool,
    count: bool,
    step_s: float | None,
    as_json: bool,
) -> None:
    """DisplayConfig whether machine and board are as they should be, and say what mends it.

    Exit status 0 if all is well, 1 if something is to be mended. The options that try the board
    out want it for themselves: a daemon that has it is to be stopped first.
    """
    chosen = [name for name, on in _named(buttons, pixels, count) if on]
    if len(chosen) + as_json > 1:
        raise click.UsageError("Say one of --buttons, --pixels, --count and --json.")
    if step_s is not None and chosen not in (["pixels"], ["count"]):
        raise click.UsageError("--step goes with --pixels or --count.")
    with _said_once():
        if not chosen:
            sys.exit(_report(settings, data, as_json=as_json))
        config = configured(settings, data)
        if buttons:
            _buttons(config)
        else:
            _walk(config, chosen[0], step_s or _STEP_S[chosen[0]])


@contextlib.contextmanager
def _said_once() -> Iterator[None]:
    """Keeps what boards log off the terminal: the doctor says it, with its mend."""
    log, nowhere = logging.getLogger("pochboard"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


def _named(buttons: bool, pixels: bool, count: bool) -> list[tuple[str, bool]]:
    return [("buttons", buttons), ("pixels", pixels), ("count", count)]


# The report.


def _report(settings: Path | None, data: Path | None, *, as_json: bool) -> int:
    """Prints what there is; the exit status."""
    from pochboard.doctor.report import examine_all, summed_up, told

    checks = []
    for check in examine_all(settings, data):
        checks.append(check)
        if not as_json:
            for line in told([check]):
                click.echo(one_line(line))
    if as_json:
        rows = [{"state": check.state, **msgspec.structs.asdict(check)} for check in checks]
        all_well = all(check.ok for check in checks)
        click.echo(msgspec.json.format(msgspec.json.encode({"ok": all_well, "checks": rows})))
    else:
        click.echo(f"\n{summed_up(checks)}")
    return 0 if all(check.ok for check in checks) else 1


# Trying the board out.


def _buttons(config: Config) -> None:
    from pochboard.boards.choose import make_board, make_display
    from pochboard.doctor.hands import Ear, Trial, at_work, try_buttons
    from pochboard.doctor.pins import pins_of

    if config.board == "simulator":
        click.echo(
            "The simulated board has no contacts: its buttons are on the page of `pochboard run`."
        )
        return
    look = make_display(config)
    buttons = _buttons_of(config)
    _have_to_ourselves(config)
    ear = Ear(buttons)
    with _until_told() as over:
        board = make_board(config, look)
        with at_work(board, ear, look, over) as found:
            if not found:
                click.echo(_NOT_FOUND)
                return
            click.echo(f"Press each of the {len(buttons)} buttons. Ctrl-C ends it.")
            try_buttons(board, ear, Trial(buttons, pins_of(config), look), click.echo, over)


def _walk(config: Config, what: str, step_s: float) -> None:
    from pochboard.boards.choose import make_board, make_display
    from pochboard.boards.simulator import Simulator
    from pochboard.doctor.hands import Ear, at_work, walk
    from pochboard.doctor.walk import chain_steps, count_steps

    look = make_display(config)
    _have_to_ourselves(config)
    steps = chain_steps(look) if what == "pixels" else count_steps(look)
    with _until_told() as over:
        board = make_board(config, look)
        screen = _screen(board, look, what) if isinstance(board, Simulator) else None
        with at_work(board, Ear(_buttons_of(config)), look, over) as found:
            ended = found and walk(
                board,
                steps,
                say=screen.say if screen else click.echo,
                pause=lambda step: over.wait(step.lasts * step_s),
                shown=screen.shown if screen else None,
            )
    if not ended:
        click.echo("Stopped; the board is dark." if found else _NOT_FOUND)


def _buttons_of(config: Config) -> tuple[str, ...]:
    """The buttons that the board has."""
    from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
    from pochboard.rules.board import POOLS

    return (*POOLS, *SEAT_BUTTONS[: config.places], *CONTROLS)


def _screen(board: Simulator, look: DisplayConfig, what: str) -> Screen:
    """Draws what the simulated board shows: anew in its place on a terminal, else in letters."""
    from pochboard.doctor.draw import Screen, in_colour, in_letters

    colours = (
        sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    )
    draw = in_colour(look) if colours else in_letters(look, counting=what == "count")
    return Screen(lambda: board.frame, draw, click.echo, in_place=colours)


def _have_to_ourselves(config: Config) -> None:
    from pochboard.doctor.house import in_the_way
    from pochboard.errors import BoardError

    why = in_the_way(config)
    if why is not None:
        raise BoardError(why)


@contextlib.contextmanager
def _until_told() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set meanwhile."""
    over = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: over.set()) for number in numbers]
    try:
        yield over
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
