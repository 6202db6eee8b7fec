"""`pochboard simulate`: lets bots play nights, and counts the results."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NoReturn

import click

from pochboard.cli.common import chosen_rules, cores, ruleset_options
from pochboard.cli.usage import Command, echo, say_problem
from pochboard.errors import SimulationError
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import MOST_AT_START
from pochboard.runtime.process import missing_package
from pochboard.text.allowed_values import quoted

if TYPE_CHECKING:
    from pochboard.bots.strategy import Strategy
    from pochboard.simulate.bots_night import Plan
    from pochboard.simulate.runner import Batch
    from pochboard.simulate.tally import Tally

_BESIDE_THE_BAR: Final = 36
"""The columns that the progress bar's label, counts and time take."""
_BY_SIGNAL: Final = 128
"""Added to the number of the signal that ended a command, as shells do: Ctrl-C gives 130."""
_USUAL_PLAYERS: Final = 4


@click.command(cls=Command, short_help="Let bots play many nights, and count the results.")
@ruleset_options
@click.option(
    "--players",
    type=click.INT,
    help="Number of players.  [default: 4, or the nearest that the ruleset allows]",
)
@click.option(
    "--strategies",
    metavar="NAMES",
    help="How the seats bet, from seat 1 on: sensible, bold, careful or random, separated by"
    " commas; repeated if there are more seats.  [default: sensible,bold,careful]",
)
@click.option(
    "--stack",
    type=click.IntRange(1, MOST_AT_START),
    help="Starting chips of each player.  [default: as in the ruleset]",
)
@click.option(
    "--nights", type=click.IntRange(1), default=1000, show_default=True, help="Number of nights."
)
@click.option(
    "--jobs", type=click.IntRange(1), help="Number of processes.  [default: one per core]"
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on a Dask cluster: the address of its scheduler, such as tls://host:8786.",
)
@click.option(
    "--cluster-ca",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The certificate of the authority that the cluster trusts (PEM).",
)
@click.option(
    "--cluster-cert",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The certificate of this machine (PEM).",
)
@click.option(
    "--cluster-key",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The key of that certificate (PEM).",
)
@click.option(
    "--seed",
    type=click.INT,
    default=1,
    show_default=True,
    help="The same seed gives the same nights.",
)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write a CSV file with one row per deal; - is standard output.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw pools and stacks to an .svg or .png file (needs matplotlib).",
)
def simulate(
    settings: Path | None,
    ruleset: str,
    options: tuple[str, ...],
    players: int | None,
    strategies: str | None,
    stack: int | None,
    nights: int,
    jobs: int | None,
    cluster: str | None,
    cluster_ca: Path | None,
    cluster_cert: Path | None,
    cluster_key: Path | None,
    seed: int,
    table: Path | None,
    plot: Path | None,
) -> None:
    """Let bots play many nights without a board, and count the results.

    The report compares how often each pool is won with the exact chance. It also shows how the
    betting goes and what each seat wins or loses. It does not depend on the number of processes,
    or on the machines of a cluster.
    """
    from pochboard.simulate.bots_night import Plan
    from pochboard.simulate.report import report

    rules = chosen_rules(settings, ruleset, options)
    count = _players(rules, players)
    chosen = _strategies(strategies, count)
    if plot is not None:
        _check_plot(plot, table)
    plan = Plan(rules, chosen, nights, seed, rules.stack if stack is None else stack)
    if cluster is None:
        if cluster_ca or cluster_cert or cluster_key:
            raise click.UsageError("--cluster-ca, --cluster-cert and --cluster-key need --cluster.")
        place = _local(plan, jobs or cores())
    elif jobs is not None:
        raise click.UsageError("A cluster has its own processes: leave out --jobs.")
    else:
        place = _on_cluster(cluster, _tls(cluster, cluster_ca, cluster_cert, cluster_key))
    to_output = table is not None and str(table) == "-"
    to_file = plot is not None or (table is not None and not to_output)
    try:
        with _raise_on_signals() as raise_if_interrupted, ExitStack() as files:
            tally = _play(plan, place, table, plot, files, raise_if_interrupted)
    except _Terminated:
        _exit_interrupted(signal.SIGTERM, files=to_file)
    except KeyboardInterrupt:
        _exit_interrupted(signal.SIGINT, files=to_file)
    echo(report(plan, tally), nl=False, err=to_output)


class _Terminated(BaseException):
    """The process has received SIGTERM."""


def _exit_interrupted(by: signal.Signals, *, files: bool) -> NoReturn:
    if files:
        say_problem("The simulation was interrupted; nothing was written.")
    else:
        say_problem("The simulation was interrupted.")
    sys.exit(_BY_SIGNAL + by)


def _players(rules: Ruleset, wanted: int | None) -> int:
    least, most = rules.players
    if wanted is None:
        return min(max(least, _USUAL_PLAYERS), most)
    if not least <= wanted <= most:
        raise click.BadParameter(
            f"The ruleset {rules.name} is for {least} to {most} players, not {wanted}.",
            param_hint="'--players'",
        )
    return wanted


def _strategies(names: str | None, players: int) -> tuple[Strategy, ...]:
    from pochboard.bots.strategy import DEFAULT_STRATEGIES, STRATEGIES

    wanted = [strategy.name for strategy in DEFAULT_STRATEGIES]
    if names is not None:
        wanted = [name.strip() for name in names.split(",")]
        if len(wanted) > players:
            raise click.BadParameter(
                f"{len(wanted)} strategies are too many for {players} players.",
                param_hint="'--strategies'",
            )
    for name in wanted:
        if name not in STRATEGIES:
            raise click.BadParameter(
                (
                    f"There is no strategy {quoted(name)}. The strategies are"
                    f" {', '.join(STRATEGIES)}."
                ),
                param_hint="'--strategies'",
            )
    return tuple(STRATEGIES[wanted[seat % len(wanted)]] for seat in range(players))


def _check_plot(plot: Path, table: Path | None) -> None:
    if plot.suffix not in (".svg", ".png"):
        raise click.BadParameter(
            f"The file must end in .svg or .png, not {plot.name}.",
            param_hint="'--plot'",
        )
    if table is not None and plot.resolve() == table.resolve():
        raise click.UsageError("--csv and --plot need two different files.")


def _tls(
    address: str, ca: Path | None, certificate: Path | None, key: Path | None
) -> tuple[Path, Path, Path] | None:
    """The files for TLS, after checking that they fit the address."""
    from pochboard.server.hosts import is_loopback, parse_host

    scheme, _, rest = address.partition("://")
    host = parse_host(rest)
    if scheme not in {"tls", "tcp"} or host is None or host.port is None:
        raise click.BadParameter(
            f"Write the address of the scheduler as tls://HOST:8786, not {quoted(address)}.",
            param_hint="'--cluster'",
        )
    if scheme == "tls":
        if ca is None or certificate is None or key is None:
            raise click.UsageError("tls:// needs --cluster-ca, --cluster-cert and --cluster-key.")
        return ca, certificate, key
    if ca or certificate or key:
        raise click.UsageError(
            "--cluster-ca, --cluster-cert and --cluster-key are for tls:// only."
        )
    if host.host != "localhost" and not is_loopback(host.host):
        raise click.BadParameter(
            (
                "Without TLS, whoever reaches a scheduler can run programs on its machines, so"
                " tcp:// is for this machine only. Use tls://."
            ),
            param_hint="'--cluster'",
        )
    return None


_Play = Callable[..., "Generator[Batch]"]
"""Plays a plan, with or without rows, and yields the batches in order."""


@contextmanager
def _local(plan: Plan, jobs: int) -> Iterator[_Play]:
    """Plays on this machine."""
    from pochboard.simulate import runner

    with runner.make_executor(plan, jobs) as executor:
        yield partial(runner.simulate, executor=executor, jobs=jobs)


@contextmanager
def _on_cluster(address: str, tls: tuple[Path, Path, Path] | None) -> Iterator[_Play]:
    """Plays on a cluster."""
    try:
        from pochboard.simulate.cluster import connect
    except ImportError as error:
        raise SimulationError(missing_package(error, "--cluster", "distributed")) from None
    with connect(address, tls) as cluster:
        yield cluster.simulate


def _play(
    plan: Plan,
    place: AbstractContextManager[_Play],
    table: Path | None,
    plot: Path | None,
    files: ExitStack,
    raise_if_interrupted: Callable[[], None],
) -> Tally:
    """Plays all nights and writes the files. Raises at once if a file cannot be written."""
    from pochboard.simulate.runner import atomic_write, csv_header
    from pochboard.simulate.tally import Tally

    draw = _drawing() if plot is not None else None
    drawing = files.enter_context(atomic_write(plot)) if plot is not None else None
    rows = files.enter_context(_rows_file(table)) if table is not None else None
    tally = Tally()
    if rows is not None:
        rows.write(csv_header(plan).encode())
    with (
        place as play,
        closing(play(plan, as_rows=rows is not None)) as batches,
        _progress(plan) as advance,
    ):
        for batch in batches:
            tally += batch.tally
            if rows is not None:
                rows.write(batch.rows.encode())
            advance(batch.nights)
            raise_if_interrupted()
    if drawing is not None and draw is not None and plot is not None:
        draw(plan, tally, drawing, plot.suffix[1:])
    return tally


def _drawing() -> Callable[[Plan, Tally, IO[bytes], str], None]:
    """The function that draws the plot. Raises SimulationError if matplotlib is missing."""
    try:
        from pochboard.simulate import plot
    except ImportError as error:
        raise SimulationError(missing_package(error, "--plot", "matplotlib")) from None
    return plot.draw


@contextmanager
def _rows_file(table: Path) -> Iterator[IO[bytes]]:
    """The file for the CSV rows."""
    if str(table) == "-":
        yield sys.stdout.buffer
        return
    from pochboard.simulate.runner import atomic_write

    with atomic_write(table) as file:
        yield file


@contextmanager
def _progress(plan: Plan) -> Iterator[Callable[[int], None]]:
    """A progress bar, if standard error is a terminal: a function that advances it by nights."""
    if not sys.stderr.isatty():
        yield lambda _nights: None
        return
    # A line wider than the terminal could not be redrawn in place.
    room = shutil.get_terminal_size().columns - _BESIDE_THE_BAR
    with click.progressbar(
        length=plan.nights,
        label="Playing",
        file=sys.stderr,
        width=max(1, min(36, room)),
    ) as bar:
        yield bar.update


@contextmanager
def _raise_on_signals() -> Iterator[Callable[[], None]]:
    """Lets the first SIGINT or SIGTERM unwind the stack, so that temporary files are removed.

    Yields a function to call now and then. It raises the exception again, because one that is
    raised within a callback of the interpreter is lost.
    """
    received: list[int] = []

    def raise_if_received() -> None:
        if received:
            raise KeyboardInterrupt if received[0] == signal.SIGINT else _Terminated

    def end(number: int, _frame: object) -> None:
        received.append(number)
        if len(received) == 1:
            raise_if_received()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, end) for number in numbers]
    yield raise_if_received
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
