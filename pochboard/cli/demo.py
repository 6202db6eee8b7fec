"""`pochboard demo`: bots at the simulated board."""

from __future__ import annotations

import math
from pathlib import Path

import click

from pochboard.cli.common import (
    chosen_rules,
    data_option,
    listening,
    listening_at,
    read_catalog,
    read_config,
    read_options,
    ruleset_options,
)
from pochboard.cli.usage import Command, print_line
from pochboard.demo.session import FASTEST, LONGEST_SEED, SLOWEST, DemoOptions
from pochboard.runtime.process import stop_event
from pochboard.text.translator import ENGLISH


def _number(_: click.Context, __: click.Parameter, value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("The speed must be a number, such as 2 or 0.5.")
    return value


def _short(_: click.Context, __: click.Parameter, value: str) -> str:
    if len(value) > LONGEST_SEED:
        raise click.BadParameter(f"A seed has at most {LONGEST_SEED} characters.")
    return value


@click.command(cls=Command)
@data_option
@ruleset_options
@click.option("--players", default=4, show_default=True, help="Number of players.")
@click.option("--seed", default="", callback=_short, help="The same seed gives the same night.")
@click.option(
    "--speed",
    type=click.FloatRange(SLOWEST, FASTEST),
    callback=_number,
    default=1.0,
    show_default=True,
    help="Speed of play: 1 is the speed of people, 2 twice as fast.",
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
    """Watch bots play a night at the simulated board.

    They press its buttons, and the page shows their cards. You can take over any seat. The demo
    has its own ledger, in the subfolder demo of the data folder, so it does not touch your nights.
    Ctrl-C stops it.
    """
    config = listening_at(read_config(settings, data), lan=lan, host=host, port=port)
    chosen_rules(settings, ruleset, options)
    demo_options = DemoOptions(
        ruleset=ruleset, players=players, seed=seed, speed=speed, options=read_options(options)
    )
    with stop_event() as stop:
        from pochboard.daemon.daemon import run_demo

        run_demo(
            config.for_demo(),
            read_catalog(settings),
            demo_options,
            ENGLISH,
            print_line,
            stop,
        )
