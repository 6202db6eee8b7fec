"""The plot of a simulation: how the pools grow, and how the stacks spread (matplotlib)."""

from __future__ import annotations

from typing import IO, Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pochboard.history.people import LEVEL
from pochboard.rules.accounts import POOLS
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.tally import Tally, bin_width

_COLOURS: Final = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#8C6D1F",
    "#7F7F7F",
)  # fmt: skip
"""Distinct for all kinds of colour vision (Okabe and Ito, 2008), plus a brown and a grey."""
_MARKS: Final = "osD^vPXph"
_RARE: Final = 20
"""Deals reached by fewer than one in this many nights are left out: their means are noisy."""

STYLE: Final[dict[Any, Any]] = {
    "font.size": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    # Element ids come from this salt, so that the same nights give the same file.
    "svg.hashsalt": "pochboard",
    "svg.fonttype": "path",
}
"""How plots of the program and of its documents look."""


def draw(plan: Plan, tally: Tally, file: IO[bytes], form: str) -> None:
    """Draws the plot into a file, as `svg` or `png`, 1,000 pixels wide."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(10, 9), dpi=100, layout="constrained")
        FigureCanvasAgg(figure)
        players = len(plan.strategies)
        figure.suptitle(
            f"{plan.rules.name}, {players} players, {tally.nights:,}"
            f" night{'' if tally.nights == 1 else 's'}, seed {plan.seed}"
        )
        above, below = figure.subplots(2, 1)
        deals = _deals(tally)
        _draw_pools(above, plan, tally, deals)
        _draw_stacks(below, plan, tally, deals)
        metadata = {"Date": None} if form == "svg" else {}
        figure.savefig(file, format=form, metadata=metadata)


def _deals(tally: Tally) -> list[int]:
    """The numbers of the deals that enough nights have reached."""
    reached = {key[1]: count for key, count in tally.counts.items() if key[0] == "reached"}
    return sorted(int(deal) for deal, count in reached.items() if count * _RARE >= tally.nights)


def _draw_pools(axes: Axes, plan: Plan, tally: Tally, deals: list[int]) -> None:
    axes.set_title("Chips in each pool after the antes, on average", loc="left")
    pools = [pool for pool in POOLS if pool in plan.rules.pools]
    for index, pool in enumerate(pools):
        means = [tally.count("size", pool, deal) / tally.count("reached", deal) for deal in deals]
        axes.plot(
            deals,
            means,
            color=_COLOURS[index],
            linewidth=1.6,
            label=pool,
            **_marks(index, len(pools), deals),
        )
    _finish(axes, deals)


def _draw_stacks(axes: Axes, plan: Plan, tally: Tally, deals: list[int]) -> None:
    percent = round(100 * LEVEL)
    axes.set_title(
        f"Stack of each seat: mean, and dashed the range of {percent} % of the nights",
        loc="left",
    )
    for index, seat in enumerate(plan.seats):
        colour = _COLOURS[index]
        means = [tally.count("stack", seat, deal) / tally.count("reached", deal) for deal in deals]
        bands = [_band(plan, tally, seat, deal) for deal in deals]
        for ends in zip(*bands, strict=True):
            axes.plot(deals, ends, color=colour, linewidth=1, linestyle=(0, (4, 3)))
        axes.plot(
            deals,
            means,
            color=colour,
            linewidth=2.2,
            label=f"seat {seat}, {plan.strategies[index].name}",
            **_marks(index, len(plan.strategies), deals),
        )
    _finish(axes, deals)


def _band(plan: Plan, tally: Tally, seat: int, deal: int) -> tuple[float, float]:
    """The stacks between which the middle 95 % of the nights lie, to the width of a bin."""
    width = bin_width(plan)
    counts = sorted(
        (int(key[3]), count)
        for key, count in tally.counts.items()
        if len(key) == 4 and key[:3] == ("stack", seat, deal)
    )
    tail = (1 - LEVEL) / 2 * sum(count for _, count in counts)
    ends = []
    for order in (counts, reversed(counts)):
        passed = 0
        for place, count in order:
            passed += count
            if passed > tail:
                ends.append(place * width + (width - 1) / 2)
                break
    low, high = ends
    return low, high


def _marks(index: int, lines: int, deals: list[int]) -> dict[str, Any]:
    """The markers of a line, offset and sized so that lines that coincide stay visible."""
    return {
        "marker": _MARKS[index],
        "markersize": 9 - 3 * index / lines,
        "markeredgecolor": "white",
        "markeredgewidth": 0.6,
        "markevery": (index, lines) if len(deals) > 2 * lines else 1,
    }


def _finish(axes: Axes, deals: list[int]) -> None:
    axes.set_xlabel("deal of the night")
    axes.set_ylabel("chips")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(deals[0] - 0.4, deals[-1] + 0.4)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
