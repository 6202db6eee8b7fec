"""The report of a simulation: tables for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pochboard.cards.exact import expected
from pochboard.history.people import Interval, wilson
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.tally import Ratio, Tally
from pochboard.text.translator import ENGLISH

_NONE: Final = "–"
"""Stands in a cell without a value."""


def report(plan: Plan, tally: Tally) -> str:
    """All tables, as text."""
    blocks = [
        _heading(plan, tally),
        _pools(plan, tally),
        _betting(tally),
        _seats(plan, tally),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def pool_interval(tally: Tally, pool: str) -> Interval | None:
    """The interval of how often a pool is won per deal.

    Claims depend on the cards alone, so their deals are independent. Betting and shedding depend
    on the stacks too, so their deals are correlated within a night.
    """
    if pool in MELD_POOLS:
        return wilson(tally.count("won", pool), tally.deals)
    return tally.ratio("won", pool).proportion_interval


def pools_within_interval(tally: Tally, exact: Mapping[str, float]) -> list[str]:
    """The pools whose interval contains the exact chance.

    Pools with a chance of 0 are left out: their interval could not miss.
    """
    pools = []
    for pool, chance in exact.items():
        interval = pool_interval(tally, pool)
        if chance and interval and chance in interval:
            pools.append(pool)
    return pools


def _heading(plan: Plan, tally: Tally) -> list[str]:
    rules = plan.rules
    nights, deals = tally.nights, tally.deals
    counted = f"{nights:,} {'night' if nights == 1 else 'nights'}"
    counted += f", {deals:,} {'deal' if deals == 1 else 'deals'}"
    heading = f"{rules.name} with {len(plan.strategies)} players, seed {plan.seed}: {counted}"
    a_night, most = ENGLISH.number(deals / nights, ".2f"), tally.maximum("deals")
    rows = [
        (
            "deals a night",
            f"{a_night}, at most {most}",
        )
    ]
    rebuys, broke, left = (tally.count(key) for key in ("rebuys", "broke", "left"))
    if rebuys:
        times = f"{ENGLISH.number(rebuys / nights, '.2f')} times a night"
        rows.append(("bought in again", times))
    if broke:
        seats = f"{ENGLISH.number(broke / nights, '.2f')} a night"
        rows.append(("seats out at the end", seats))
    number = ENGLISH.number(left / nights, ".2f")
    if not left:
        chips = f"{number} a night"
    elif rules.leftover == "split":
        chips = f"{number} a night, shared out"
    else:
        chips = f"{number} a night, to the bank"
    rows.append(("chips left on the board", chips))
    wide = max(25, *(len(label) + 2 for label, _ in rows))
    return [heading, *(f"  {label:<{wide}}{text}" for label, text in rows)]


def _pools(plan: Plan, tally: Tally) -> list[str]:
    exact = expected(plan.rules, tally.deals_by_live)
    deals = tally.deals
    inside = pools_within_interval(tally, exact)
    rows = []
    for pool in POOLS:
        if pool not in plan.rules.pools:
            continue
        won = tally.count("won", pool)
        chance = exact.get(pool)
        rows.append((
            pool,
            _percent(won / deals),
            _range(pool_interval(tally, pool)),
            _NONE if chance is None else _percent(chance),
            # Blank where there is no exact chance to compare with.
            "" if not chance else ("in" if pool in inside else "out"),
            ENGLISH.number(tally.count("size", pool) / deals, ".2f"),
            str(tally.maximum("size", pool)),
            ENGLISH.number(tally.count("chips", pool) / won, ".2f") if won else _NONE,
        ))  # fmt: skip
    counted = [pool for pool, chance in exact.items() if chance]
    closing = "There is no exact chance for any pool here."
    if counted:
        closing = (
            (
                f"{len(inside)} of {len(counted)} interval contains the exact chance; 95 of 100"
                " do in the long run."
            )
            if len(counted) == 1
            else (
                f"{len(inside)} of {len(counted)} intervals contain the exact chance; 95 of 100"
                " do in the long run."
            )
        )
    columns = (
        "Pool",
        "won a deal",
        "95 % interval",
        "exact",
        "",
        "size",
        "largest",
        "a win",
    )
    return [*_table(columns, rows, left=(0, 4)), closing]


def _betting(tally: Tally) -> list[str]:
    rows = []
    for key, label in (
        ("knocked", "somebody stakes"),
        ("unseen", "won unseen"),
        ("shown", "won at a showdown"),
        ("kept", "nobody shows a set"),
    ):
        ratio = tally.ratio(key)
        share = _percent(ratio.mean or 0.0)
        rows.append((label, share, _range(ratio.proportion_interval), "of all deals", ""))
    for key, label, over in (
        ("staked", "chips staked", "a deal with stakes"),
        ("cards", "cards left", "each loser"),
    ):
        ratio = tally.ratio(key)
        mean = _NONE if ratio.mean is None else ENGLISH.number(ratio.mean, ".2f")
        rows.append((label, mean, _range(ratio.interval, 1), over, str(tally.maximum(key))))
    columns = (
        "Betting and shedding",
        "mean",
        "95 % interval",
        "",
        "largest",
    )
    return _table(columns, rows, left=(0, 3))


def _seats(plan: Plan, tally: Tally) -> list[str]:
    names = [strategy.name for strategy in plan.strategies]
    rows = []
    for seat, name in zip(plan.seats, names, strict=True):
        rows.append((str(seat), name, *_net(tally.ratio("net", seat)), *_ways(tally, [seat])))
    strategies = list(dict.fromkeys(names))
    if 1 < len(strategies) < len(names):
        rows.append(("",) * 8)
        for name in strategies:
            seats = [seat for seat in plan.seats if names[seat - 1] == name]
            rows.append(
                (
                    "all",
                    name,
                    *_net(tally.ratio("net", name)),
                    *_ways(tally, seats, len(seats)),
                )
            )
    columns = (
        "Seat",
        "strategy",
        "net a night",
        "first",
        "knocks",
        "poch",
        "out",
        "cards",
    )
    return [
        *_table(columns, rows, left=(0, 1)),
        (
            "net: chips won or lost, with the 95 % interval; first: nights in which nobody\n"
            "had more; knocks, poch, out: deals in which the seat stakes first, wins the\n"
            "betting, goes out first; cards: how many it has left on average if it does not."
        ),
    ]


def _net(ratio: Ratio) -> tuple[str]:
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    mean, interval = round(ratio.mean or 0.0, 1) + 0.0, ratio.interval
    text = ENGLISH.number(mean, "+.1f")
    return (f"{text} ± {ENGLISH.number(interval.half_width, '.1f')}" if interval else text,)


def _ways(tally: Tally, seats: Sequence[int], share: int = 1) -> tuple[str, ...]:
    """The shares of nights and deals in which these seats come first, knock, win and go out."""

    def total(key: str) -> int:
        return sum(tally.count(key, seat) for seat in seats)

    plays, out = total("plays"), total("out")
    lost = plays - out
    return (
        _percent(total("best") / tally.nights / share, 1),
        *(_percent(total(key) / plays, 1) for key in ("opens", "wins", "out")),
        ENGLISH.number(total("cards") / lost, ".2f") if lost else _NONE,
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Lines of columns as wide as needed; those in `left` are aligned left, the others right."""
    cells_by_row = [columns, *rows]
    lines = []
    widths = [max(len(row[index]) for row in cells_by_row) for index in range(len(columns))]
    for row in cells_by_row:
        cells = [
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _percent(share: float, digits: int = 2) -> str:
    return f"{ENGLISH.number(100 * share, f'.{digits}f')} %"


def _range(interval: Interval | None, scale: int = 100) -> str:
    if interval is None:
        return _NONE
    low, high = (ENGLISH.number(scale * bound, ".2f") for bound in (interval.low, interval.high))
    return f"{low} – {high}"
