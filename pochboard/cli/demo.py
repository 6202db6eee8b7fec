"""`pochboard demo`: house players at the simulated board."""

from __future__ import annotations

from pathlib import Path

import click

from pochboard.cli.common import (
    chosen_rules,
    configured,
    data_option,
    listening,
    listening_at,
    read_options,
    read_shelf,
    ruleset_options,
    tell,
)


@click.command()
@data_option
@ruleset_options
@click.option("--players", default=4, show_default=True, help="How many play.")
@click.option("--seed", default="", help="The same seed gives the same night.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="How many times faster than people they play.",
)
@listening
def demo(
    data: Path | None,
    settings: Path | None,
    ruleset: str,
    options: tuple[str, ...],
    players: int,
    seed: str,
    speed: float,
    lan: bool,
    host: str | None,
    port: int | None,
) -> None:
    """Watch house players play a night at the simulated board.

    They press its buttons; the page shows their cards, and any seat can be taken over. The demo
    keeps a ledger of its own, in the folder demo of the ledger's: a night in progress stays as it
    is. Stop it with Ctrl-C.
    """
    from pochboard.daemon import run_demo
    from pochboard.demo.wish import Wish

    config = listening_at(configured(settings, data), lan=lan, host=host, port=port)
    chosen_rules(settings, ruleset, options)
    wish = Wish(
        ruleset=ruleset, players=players, seed=seed, speed=speed, options=read_options(options)
    )
    run_demo(config.for_demo(), read_shelf(settings), wish, tell)
