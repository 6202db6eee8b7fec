"""`pochboard bench`: how fast this machine is."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import click

from pochboard.cli.common import data_option
from pochboard.cli.language import (
    clear_progress,
    echo,
    padded,
    show_progress,
)
from pochboard.cli.usage import Command
from pochboard.config import data_dir
from pochboard.text.lazy import lazy_gettext, translated
from pochboard.text.translator import ENGLISH
from pochboard.text.visible import columns


@click.command(cls=Command, short_help="Measure how fast this machine is.")
@data_option
@click.option(
    "--presses", type=click.IntRange(2), default=500, show_default=True, help="Number of presses."
)
@click.option(
    "--nights",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Nights of each ruleset.",
)
def bench(data: Path | None, presses: int, nights: int) -> None:
    """Measure how long a press and a start take on this machine, and how fast bots play.

    The ledger is left alone: presses and start use another one on the same disk, which is deleted
    afterwards. docs/BENCHMARKS.md has the figures of other machines.
    """
    from pochboard.doctor.speed import measure_presses, measure_start
    from pochboard.simulate.speed import slowest_ruleset

    t = ENGLISH
    folder = data or data_dir()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix="bench-") as name:
            figures = measure_presses(Path(name), presses, partial(show_progress, "bench"))
            start = measure_start(Path(name))
        ruleset, rate = slowest_ruleset(nights)
    finally:
        clear_progress()

    def ms(seconds: float) -> str:
        return t.number(seconds * 1e3, ".2f") + " ms"

    press, commit = figures.press, figures.commit
    rows = (
        (lazy_gettext("from a press to the disk and the lights"), ms(press.median)),
        (lazy_gettext("the slowest of a hundred"), ms(press.slowest)),
        (lazy_gettext("a bare commit on this disk"), ms(commit.median)),
        (lazy_gettext("the slowest of a hundred"), ms(commit.slowest)),
        (
            lazy_gettext("from the start of a daemon to its first page"),
            t.number(start.first_page, ".2f") + " s",
        ),
        (
            lazy_gettext("memory that it takes then"),
            t.number(start.memory / 1024**2, ".1f") + " MB",
        ),
        (
            lazy_gettext("deals of bots a second, the slowest ruleset ({name})", name=ruleset),
            t.number(rate, ",.0f"),
        ),
    )
    said = [(str(translated(what, t)), figure) for what, figure in rows]
    width = max(columns(what) for what, _ in said)
    for what, figure in said:
        echo(f"{padded(what, width)}  {figure:>10}")
