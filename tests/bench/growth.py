"""What grows with the nights of a ledger, and what does not: from one night to 10,000."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from pochboard.history.people import overview
from pochboard.simulate.plot import STYLE
from pochboard.store import Store
from tests.bench.accounts import run_s
from tests.bench.nights import fill_with_nights
from tests.bench.press import TimedRig
from tests.bench.process import open_night, resident_kb
from tests.bench.starting import first_page_s
from tests.bench.table import Row, say

NIGHTS: Final = (1, 10, 100, 1000, 10_000)
_DEALS: Final = 7
"""Deals of a short evening, which has a hundred entries: 10,000 nights have a million."""
_ROUNDS: Final = 3
_TIMES: Final = 7
_POCHBOARD: Final = str(Path(sys.executable).with_name("pochboard"))
_PANELS: Final = (
    (
        "At the table",
        "ms",
        ("press → stored → frame", "a command over HTTP", "GET /", "GET /api/state"),
    ),
    (
        "Looking back",
        "ms",
        ("GET /api/nights", "GET /api/statistics", "GET /api/nights/1", "statistics, kept"),
    ),
    (
        "The whole ledger",
        "s",
        ("start → first page", "statistics, first time", "pochboard verify", "pochboard backup"),
    ),
    ("Sizes", "MB", ("resident memory", "the ledger on the disk")),
)
# Distinct for all kinds of colour vision (Okabe and Ito, 2008).
_COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#D55E00")


def growth(folder: Path, most: int) -> list[Row]:
    """A grid of figures by numbers of nights; the ledgers take turns."""
    ledgers: dict[int, Path] = {}
    for nights in NIGHTS:
        if nights <= most:
            say(f"a ledger of {nights:,} nights")
            ledgers[nights] = folder / str(nights)
            ledgers[nights].mkdir()
            fill_with_nights(ledgers[nights] / "ledger.db", nights, _DEALS)
    found: dict[tuple[str, int], list[float]] = {}
    for number in range(_ROUNDS):
        say(f"round {number + 1} of {_ROUNDS}")
        for nights, ledger in ledgers.items():
            for what, value in _measure(ledger).items():
                found.setdefault((what, nights), []).append(value)
    rows = []
    for _, unit, names in _PANELS:
        for what in names:
            for nights in ledgers:
                column = f"{nights:,} night{'s' * (nights > 1)}"
                figure = median(found[what, nights])
                rows.append(Row(f"{what}, {column}", unit, figure, cell=(what, column)))
    return rows


def _measure(folder: Path) -> dict[str, float]:
    """Each figure once, on a ledger that stays as it is."""
    ledger = folder / "ledger.db"

    def statistics() -> None:
        with Store.open(ledger, readonly=True) as store:
            overview(store.statistics().nights)

    found = {"the ledger on the disk": ledger.stat().st_size / 1e6}
    if not ledger.with_suffix(".statistics").exists():
        found["statistics, first time"] = _seconds(statistics)
    found["statistics, kept"] = 1000 * _seconds(statistics)
    found["pochboard verify"] = run_s(_POCHBOARD, "verify", "--data", str(folder))
    with tempfile.TemporaryDirectory(dir=folder) as name:
        copy = Path(name)
        backup = copy / "backup.zip"
        found["pochboard backup"] = run_s(_POCHBOARD, "backup", str(backup), "--data", str(folder))
        for file in (ledger, ledger.with_suffix(".statistics")):
            shutil.copyfile(file, copy / file.name)
        found["start → first page"] = first_page_s(copy)
        with open_night(copy) as (process, _, phone):
            for path in ("/", "/api/state", "/api/nights", "/api/statistics", "/api/nights/1"):
                found[f"GET {path}"] = 1000 * median(phone.ask(path)[0] for _ in range(_TIMES))
            found["a command over HTTP"] = 1000 * median(
                phone.command(do="rename", seat=1, name=f"Anna {number}")[0]
                for number in range(_TIMES)
            )
            found["resident memory"] = resident_kb(process.pid) / 1024
            phone.command(do="void")
            phone.command(do="end")
        with TimedRig(copy / "ledger.db") as rig:
            taken = [rig.taken()[1] for _ in range(_TIMES)]
            found["press → stored → frame"] = 1000 * median(taken)
    return found


def _seconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def draw(rows: list[Row], file: Path) -> None:
    """Draws the grid into an SVG file, a panel for each kind of figure."""
    by_figure: dict[str, list[float]] = {}
    for row in rows:
        assert row.cell is not None
        assert row.median is not None
        by_figure.setdefault(row.cell[0], []).append(row.median)
    with mpl.rc_context({**STYLE, "font.size": 10.0}):
        figure = Figure(figsize=(10, 8), layout="constrained")
        for axes, (title, unit, names) in zip(figure.subplots(2, 2).flat, _PANELS, strict=True):
            axes.set_title(title, loc="left")
            for name, colour in zip(names, _COLOURS, strict=False):
                values = by_figure[name]
                axes.plot(NIGHTS[: len(values)], values, marker="o", color=colour, label=name)
            axes.set_xscale("log")
            axes.set_yscale("log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
                axis.set_minor_formatter(NullFormatter())
            axes.set_xlabel("nights in the ledger")
            axes.set_ylabel(unit)
            axes.legend(loc="upper left", fontsize=8.5)
            low, high = axes.get_ylim()
            # Noise must not look like growth; and room for the legend above the lines.
            axes.set_ylim(low, max(high, 30 * low) * (high / low) ** 0.5)
        FigureCanvasSVG(figure).print_svg(str(file), metadata={"Date": None})
