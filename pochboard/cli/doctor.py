"""`pochboard doctor`: checks of machine and board, and tests of the board."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from pochboard.cli.common import folders, read_config
from pochboard.cli.usage import Command, echo, echo_json, say
from pochboard.errors import BoardError, ConfigError
from pochboard.runtime.process import stop_event

if TYPE_CHECKING:
    from pochboard.boards.simulator import Simulator
    from pochboard.config import Config
    from pochboard.doctor.board_tests import FramePrinter
    from pochboard.doctor.check import Check
    from pochboard.lights.lights_config import LightsConfig

T = TypeVar("T")
_STEP_S: Final = {"pixels": 0.1, "count": 1.0}
_NOT_CONNECTED: Final = "Stopped before the board was found."


@click.command(cls=Command, short_help="Find problems, and how to fix them.")
@folders
@click.option("--buttons", is_flag=True, help="Test the buttons: print and light each press.")
@click.option(
    "--pixels", is_flag=True, help="Test the pixels: light one after the other, then all."
)
@click.option("--colours", is_flag=True, help="Put the order of the colours right, by asking.")
@click.option("--count", is_flag=True, help="Show 1, 2, 3 … chips on every ring.")
@click.option("--sound", is_flag=True, help="Test the sound: play every tune of the board.")
@click.option(
    "--step",
    "step_s",
    type=click.FloatRange(0.001, 60),
    metavar="SECONDS",
    help="How long each pixel or count is shown.  [default: 0.1 for --pixels, 1 for --count]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def doctor(
    data: Path | None,
    settings: Path | None,
    buttons: bool,
    pixels: bool,
    colours: bool,
    count: bool,
    sound: bool,
    step_s: float | None,
    as_json: bool,
) -> None:
    """Check the machine, the board and the ledger, and say how to fix each problem.

    The exit status is 0 if everything is fine, 1 if there is something to fix. Before you test
    buttons, pixels or sound, stop the daemon that uses the board. Ctrl-C ends a test.
    """
    flags = {
        "buttons": buttons,
        "pixels": pixels,
        "colours": colours,
        "count": count,
        "sound": sound,
    }
    chosen = [name for name, on in flags.items() if on]
    if len(chosen) + as_json > 1:
        raise click.UsageError(
            "Use only one of --buttons, --pixels, --colours, --count, --sound and --json."
        )
    if step_s is not None and chosen not in (["pixels"], ["count"]):
        raise click.UsageError("--step is for --pixels or --count.")
    from pochboard.store.durable import with_found

    with _logging_off():
        if not chosen:
            sys.exit(_report(settings, data, as_json=as_json))
        config = with_found(read_config(settings, data))
        if buttons:
            _test_buttons(config)
        elif colours:
            _test_colours(config)
        elif sound:
            _test_sound(config)
        else:
            _test_pixels(config, chosen[0], step_s or _STEP_S[chosen[0]])


@contextlib.contextmanager
def _logging_off() -> Iterator[None]:
    """Keeps the log of the boards off the terminal, where the doctor prints the same problems."""
    log, nowhere = logging.getLogger("pochboard"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


# The report.


def _report(settings: Path | None, data: Path | None, *, as_json: bool) -> int:
    """Prints the report; returns the exit status."""
    from pochboard.doctor.report import check_all, report_lines, summary

    checks = []
    for check in check_all(settings, data):
        checks.append(check)
        if not as_json:
            for line in report_lines([check]):
                say(line)
    all_ok = all(check.ok for check in checks)
    if as_json:
        report = {"ok": all_ok, "checks": list(map(_as_json, checks))}
        echo_json(json.dumps(msgspec.to_builtins(report), ensure_ascii=False, indent=2))
    else:
        echo("")
        say(summary(checks))
    return 0 if all_ok else 1


def _as_json(check: Check) -> dict[str, Any]:
    fields = {
        key: str(value) if isinstance(value, str) else value
        for key, value in msgspec.structs.asdict(check).items()
    }
    return {"state": check.state, **fields}


# The tests.


def _test_buttons(config: Config) -> None:
    from pochboard.boards.choose import lights_of
    from pochboard.doctor.board_tests import ButtonTest, pins_of
    from pochboard.doctor.checked_board import buttons_of, checked_board, opened_board
    from pochboard.doctor.recording import RecordingSink

    if config.board == "simulator":
        say("The simulated board has no real buttons: press those on the page of `pochboard run`.")
        return
    lights = lights_of(config)
    buttons = buttons_of(config)
    _require_unused(config)
    sink = RecordingSink(buttons)
    with stop_event() as stop:
        board = checked_board(config, lights)
        with opened_board(board, sink, lights, stop) as connected:
            if not connected:
                say(_NOT_CONNECTED)
                return
            say(f"Press each of the {len(buttons)} buttons. Ctrl-C ends the test.")
            ButtonTest(buttons, pins_of(config), lights).run(board, sink, say, stop)


def _test_pixels(config: Config, what: str, step_s: float) -> None:
    from pochboard.boards.choose import lights_of
    from pochboard.boards.simulator import Simulator
    from pochboard.doctor.board_tests import chain_steps, count_steps, show_steps
    from pochboard.doctor.checked_board import buttons_of, checked_board, opened_board
    from pochboard.doctor.recording import RecordingSink

    lights = lights_of(config)
    _require_unused(config)
    steps = chain_steps(lights) if what == "pixels" else count_steps(lights)
    with stop_event() as stop:
        board = checked_board(config, lights)
        screen = _screen(board, lights, what) if isinstance(board, Simulator) else None
        with opened_board(board, RecordingSink(buttons_of(config)), lights, stop) as connected:
            completed = connected and show_steps(
                board,
                steps,
                echo=screen.set_title if screen else say,
                pause=lambda step: stop.wait(step.length * step_s),
                shown=screen.refresh if screen else None,
            )
    if not completed:
        say("Stopped; the board is dark." if connected else _NOT_CONNECTED)


def _test_colours(config: Config) -> None:
    """Asks which colours people see, and keeps the order that follows for the daemon."""
    from pochboard.boards.choose import lights_of
    from pochboard.buttons.settings import BoardSettings
    from pochboard.colour_order import Colour, order_seen
    from pochboard.doctor.checked_board import buttons_of, checked_board, opened_board
    from pochboard.doctor.recording import RecordingSink
    from pochboard.lights.lights_config import lit, part_pixels
    from pochboard.store.durable import keep_settings, read_settings, settings_file

    if config.board == "simulator":
        say("The simulated board always shows the right colours.")
        return
    lights = lights_of(config)
    _require_unused(config)
    names: dict[Colour | None, str] = {
        "red": "Red",
        "green": "Green",
        "blue": "Blue",
        None: "Another, or several",
    }
    screen: dict[Colour, str] = {"red": "#ff0000", "green": "#00ff00", "blue": "#0000ff"}
    seen: dict[Colour, Colour] = {}
    with stop_event() as stop:
        board = checked_board(config, lights)
        with opened_board(board, RecordingSink(buttons_of(config)), lights, stop) as connected:
            if not connected:
                say(_NOT_CONNECTED)
                return
            for colour, value in screen.items():
                board.show(lit(lights, part_pixels(lights, "all"), value))
                answer = _choose("Which colour does the board show now?", names)
                if answer is None:
                    say(
                        "The pixels are of another kind (kind in config.toml), or some wire is"
                        " loose."
                    )
                    sys.exit(1)
                seen[colour] = answer
    order = order_seen(config.colour_order, seen)
    if order is None:
        say("Two colours cannot look the same. Look at the board again.")
        sys.exit(1)
    file = settings_file(config.ledger)
    config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = read_settings(file) or BoardSettings()
    keep_settings(file, msgspec.structs.replace(before, order=order))
    kept = read_settings(file)
    if kept is None or kept.order != order:
        raise BoardError(f'That cannot be kept in {file}. Set order = "{order}" in config.toml.')
    say(f"The pixels expect {order}. The board will keep that.")


def _test_sound(config: Config) -> None:
    from pochboard.boards.choose import lights_of
    from pochboard.doctor.board_tests import play_tunes
    from pochboard.doctor.checked_board import buttons_of, checked_board, opened_board
    from pochboard.doctor.recording import RecordingSink

    if config.board == "simulator":
        say("The simulated board has no piezo: the page of `pochboard run` plays its tunes.")
        return
    lights = lights_of(config)
    _require_unused(config)
    with stop_event() as stop:
        board = checked_board(config, lights)
        with opened_board(board, RecordingSink(buttons_of(config)), lights, stop) as connected:
            completed = connected and play_tunes(board, config.volume, echo=say, pause=stop.wait)
    if not connected:
        say(_NOT_CONNECTED)
    elif not completed:
        say("Stopped.")


def _screen(board: Simulator, lights: LightsConfig, what: str) -> FramePrinter:
    """Draws the simulated board: in place and in colour on a terminal, or else in letters."""
    from pochboard.doctor.board_tests import FramePrinter, in_colour, in_letters

    colours = (
        sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    )
    draw = in_colour(lights) if colours else in_letters(lights, counting=what == "count")
    # The colours of the frames are escapes of our own.
    output = click.echo  # noqa: TID251
    return FramePrinter(lambda: board.frame, draw, output, in_place=colours)


def _require_unused(config: Config) -> None:
    """Raises BoardError if a daemon uses the board, or if there is none."""
    from pochboard.doctor.daemon_checks import board_in_use

    if config.board == "none":
        raise BoardError('There is no board to test: board is "none".')
    problem = board_in_use(config)
    if problem is not None:
        raise BoardError(problem)


def _choose(question: str, choices: Mapping[T, str]) -> T:
    """Asks until the answer is the number of a choice. The return key takes the first one."""
    values = list(choices)
    say(question)
    for number, text in enumerate(choices.values(), 1):
        say(f"  {number}  {text}")
    while True:
        echo("[1] ", nl=False)
        line = sys.stdin.readline()
        if not line:
            raise ConfigError("The questions were not answered. Nothing was written.")
        answer = line.strip() or "1"
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(values):
            return values[int(answer) - 1]
        say(f"A number from 1 to {len(values)}, please.")
