"""The command `simulate`."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NoReturn

import click

from pochboard.cli.common import chosen_rules, ruleset_options
from pochboard.errors import SimulationError
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.sitting import MOST_AT_START

if TYPE_CHECKING:
    from pochboard.players.temper import Temper
    from pochboard.simulate.plan import Plan
    from pochboard.simulate.tally import Tally

_BESIDE_THE_BAR: Final = 36
"""Columns that the label, the counts and the time take."""
_BY_SIGNAL: Final = 128
"""An exit status above this one names a signal, as shells have it: Ctrl-C gives 130."""
_USUAL_PLAYERS: Final = 4


@click.command()
@ruleset_options
@click.option("--players", type=int, help="How many play.  [default: 4, or what the ruleset takes]")
@click.option(
    "--tempers",
    metavar="NAMES",
    help="Temperaments from seat 1 on: sensible, bold, careful, random, with commas between;"
    " too few go round the table again.  [default: sensible,bold,careful]",
)
@click.option(
    "--stack",
    type=click.IntRange(1, MOST_AT_START),
    help="Chips of each player at the start.  [default: the ruleset's]",
)
@click.option(
    "--nights", type=click.IntRange(1), default=1000, show_default=True, help="Nights to play."
)
@click.option(
    "--jobs", type=click.IntRange(1), help="Processes to play with.  [default: one a core]"
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Another seed gives other nights."
)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="File for a row a deal; - for standard output.",
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for a picture of pools and stacks, .svg or .png.",
)
def simulate(
    settings: Path | None,
    ruleset: str,
    options: tuple[str, ...],
    players: int | None,
    tempers: str | None,
    stack: int | None,
    nights: int,
    jobs: int | None,
    seed: int,
    table: Path | None,
    picture: Path | None,
) -> None:
    """Play nights of house players without a board, and count what happens.

    It says how often each pool is won beside the exact chance, counted from the cards, how the
    betting goes, and what each seat wins or loses. The same seed gives the same nights, with any
    number of processes.
    """
    from pochboard.simulate.plan import Plan
    from pochboard.simulate.report import report

    rules = chosen_rules(settings, ruleset, options)
    count = _players(rules, players)
    chosen = _tempers(tempers, count)
    if picture is not None:
        _check_picture(picture, table)
    plan = Plan(rules, chosen, nights, seed, rules.stack if stack is None else stack)
    to_output = table is not None and str(table) == "-"
    to_file = picture is not None or (table is not None and not to_output)
    try:
        with _terminable(), ExitStack() as files:
            tally = _play(plan, jobs or _cores(), table, picture, files)
    except _Terminated:
        _say_interrupted(signal.SIGTERM, files=to_file)
    except KeyboardInterrupt:
        _say_interrupted(signal.SIGINT, files=to_file)
    click.echo(report(plan, tally), nl=False, err=to_output)


class _Terminated(BaseException):
    """The process is to end."""


def _say_interrupted(by: signal.Signals, *, files: bool) -> NoReturn:
    rest = "; nothing was written." if files else "."
    click.echo(f"pochboard: The simulation was interrupted{rest}", err=True)
    sys.exit(_BY_SIGNAL + by)


def _players(rules: Ruleset, wanted: int | None) -> int:
    least, most = rules.players
    if wanted is None:
        return min(max(least, _USUAL_PLAYERS), most)
    if not least <= wanted <= most:
        raise click.BadParameter(
            f"{rules.name} is for {least} to {most} players, not {wanted}",
            param_hint="'--players'",
        )
    return wanted


def _tempers(names: str | None, players: int) -> tuple[Temper, ...]:
    from pochboard.players.temper import HOUSE, TEMPERS

    wanted = [temper.name for temper in HOUSE]
    if names is not None:
        wanted = [name.strip() for name in names.split(",")]
        if len(wanted) > players:
            raise click.BadParameter(
                f"{len(wanted)} temperaments are more than {players} players",
                param_hint="'--tempers'",
            )
    for name in wanted:
        if name not in TEMPERS:
            raise click.BadParameter(
                f"there is no temperament {name!r}; known are {', '.join(TEMPERS)}",
                param_hint="'--tempers'",
            )
    return tuple(TEMPERS[wanted[seat % len(wanted)]] for seat in range(players))


def _check_picture(picture: Path, table: Path | None) -> None:
    if picture.suffix not in (".svg", ".png"):
        raise click.BadParameter(f"{picture} should end in .svg or .png", param_hint="'--plot'")
    if table is not None and picture.resolve() == table.resolve():
        raise click.UsageError("Say two different files for --csv and --plot.")


def _cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _play(
    plan: Plan, jobs: int, table: Path | None, picture: Path | None, files: ExitStack
) -> Tally:
    """Plays all nights and writes what was asked for; a file that cannot be is said before."""
    from pochboard.simulate.files import whole
    from pochboard.simulate.rows import header
    from pochboard.simulate.run import simulate as play
    from pochboard.simulate.tally import Tally

    draw = _artist() if picture is not None else None
    drawn = files.enter_context(whole(picture)) if picture is not None else None
    rows = files.enter_context(_output(table)) if table is not None else None
    tally = Tally()
    if rows is not None:
        rows.write(header(plan).encode())
    with closing(play(plan, jobs, as_rows=rows is not None)) as parts, _progress(plan) as step:
        for part in parts:
            tally += part.tally
            if rows is not None:
                rows.write(part.rows.encode())
            step(part.nights)
    if drawn is not None and draw is not None and picture is not None:
        draw(plan, tally, drawn, picture.suffix[1:])
    return tally


def _artist() -> Callable[[Plan, Tally, IO[bytes], str], None]:
    """What draws the picture. Raises SimulationError where matplotlib is missing."""
    try:
        from pochboard.simulate import plot
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "pochboard":
            raise
        raise SimulationError(
            "A picture needs matplotlib; install it with: pip install matplotlib"
        ) from None
    return plot.draw


@contextmanager
def _output(table: Path) -> Iterator[IO[bytes]]:
    """Where the rows go."""
    if str(table) == "-":
        yield sys.stdout.buffer
        return
    from pochboard.simulate.files import whole

    with whole(table) as file:
        yield file


@contextmanager
def _progress(plan: Plan) -> Iterator[Callable[[int], None]]:
    """Says on a terminal how many nights have been played."""
    if not sys.stderr.isatty():
        yield lambda _nights: None
        return
    # On a narrow terminal a bar of the usual width would begin a new line each time.
    room = shutil.get_terminal_size().columns - _BESIDE_THE_BAR
    with click.progressbar(
        length=plan.nights, label="Playing", file=sys.stderr, width=max(1, min(36, room))
    ) as bar:
        yield bar.update


@contextmanager
def _terminable() -> Iterator[None]:
    """While it plays, being terminated ends it as Ctrl-C does: nothing half done stays behind."""

    def end(_signal: int, _frame: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
