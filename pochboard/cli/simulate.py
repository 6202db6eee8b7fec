"""`pochboard simulate`: lets bots play nights, and counts the results."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pochboard.cli import INTERRUPTED
from pochboard.cli.common import chosen_rules, echo, ruleset_options, say_problem
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import MOST_AT_START
from pochboard.text.allowed_values import quoted

if TYPE_CHECKING:
    from pochboard.bots.betting import Strategy

_USUAL_PLAYERS: Final = 4


@click.command(short_help="Let bots play many nights, and count the results.")
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
    "--seed",
    type=click.INT,
    default=1,
    show_default=True,
    help="The same seed gives the same nights.",
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
    seed: int,
) -> None:
    """Let bots play many nights without a board, and count the results.

    The report compares how often each pool is won with the exact chance. It also shows how the
    betting goes and what each seat wins or loses. It does not depend on the number of processes.
    """
    from pochboard.simulate import Plan, Tally
    from pochboard.simulate import simulate as play
    from pochboard.simulate.report import report

    rules = chosen_rules(settings, ruleset, options)
    count = _players(rules, players)
    chosen = _strategies(strategies, count)
    plan = Plan(rules, chosen, nights, seed, rules.stack if stack is None else stack)
    # An exception ends the processes, too; see `exit_on_interrupt`.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tally = Tally()
    try:
        with (
            closing(play(plan, jobs or len(os.sched_getaffinity(0)))) as tallies,
            click.progressbar(
                length=nights,
                label="Playing",
                file=sys.stderr,
                width=0,
                hidden=not sys.stderr.isatty(),
            ) as bar,
        ):
            for batch in tallies:
                tally.add(batch)
                bar.update(batch.count("nights"))
    except KeyboardInterrupt:
        say_problem("Interrupted.")
        sys.exit(INTERRUPTED)
    echo(report(plan, tally), nl=False)


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
    from pochboard.bots.betting import DEFAULT_STRATEGIES, STRATEGIES

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
