"""The report of a simulation (docs/SIMULATE.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pochboard.cards.exact import expected
from pochboard.history import Interval, wilson
from pochboard.rules.accounts import MELD_POOLS
from pochboard.simulate import Plan, Ratio, Tally
from pochboard.text.translator import ENGLISH

_NONE: Final = "–"
"""Stands in a cell without a value."""


def report(plan: Plan, tally: Tally) -> str:
    """All tables, as text."""
    blocks = (_heading, _pools, _betting, _seats)
    return "\n\n".join("\n".join(block(plan, tally)) for block in blocks) + "\n"


def pool_interval(tally: Tally, pool: str) -> Interval | None:
    """The interval of how often a pool is won per deal.

    Claims depend on the cards alone, so their deals are independent. Betting and shedding depend
    on the stacks too, so their deals are correlated within a night.
    """
    if pool in MELD_POOLS:
        return wilson(tally.count("won", pool), tally.count("deals"))
    return tally.ratio("won", pool).proportion_interval


def _heading(plan: Plan, tally: Tally) -> list[str]:
    nights, deals = tally.count("nights"), tally.count("deals")
    counted = f"{nights:,} {'night' if nights == 1 else 'nights'}"
    counted += f", {deals:,} {'deal' if deals == 1 else 'deals'}"

    def a_night(number: int) -> str:
        return ENGLISH.number(number / nights, ".2f")

    rebuys, broke, left = map(tally.count, ("rebuys", "broke", "left"))
    goes = ", shared out" if plan.rules.leftover == "split" else ", to the bank"
    rows = {"deals a night": f"{a_night(deals)}, at most {tally.maximum('deals')}"}
    if rebuys:
        rows["bought in again"] = f"{a_night(rebuys)} times a night"
    if broke:
        rows["seats out at the end"] = f"{a_night(broke)} a night"
    rows["chips left on the board"] = f"{a_night(left)} a night{goes if left else ''}"
    return [
        f"{plan.rules.name} with {len(plan.strategies)} players, seed {plan.seed}: {counted}",
        *(f"  {label:<25}{text}" for label, text in rows.items()),
    ]


def _pools(plan: Plan, tally: Tally) -> list[str]:
    exact = expected(plan.rules, tally.deals_by_live)
    deals, inside, rows = tally.count("deals"), [], []
    for pool in plan.rules.pools:
        won, chance = tally.count("won", pool), exact.get(pool)
        interval, hit = pool_interval(tally, pool), ""
        # Blank where there is no exact chance, or one that no interval could miss.
        if chance:
            inside.append(interval is not None and chance in interval)
            hit = "in" if inside[-1] else "out"
        rows.append((
            str(plan.rules.pool_name(pool)),
            _percent(won / deals),
            _range(interval),
            _NONE if chance is None else _percent(chance),
            hit,
            ENGLISH.number(tally.count("size", pool) / deals, ".2f"),
            str(tally.maximum("size", pool)),
            ENGLISH.number(tally.count("chips", pool) / won, ".2f") if won else _NONE,
        ))  # fmt: skip
    closing = "There is no exact chance for any pool here."
    if inside:
        contain = "interval contains" if len(inside) == 1 else "intervals contain"
        closing = f"{sum(inside)} of {len(inside)} {contain} the exact chance; "
        closing += "95 of 100 do in the long run."
    columns = ("Pool", "won a deal", "95 % interval", "exact", "", "size", "largest", "a win")
    return [*_table(columns, rows, left=(0, 4)), closing]


def _betting(_: Plan, tally: Tally) -> list[str]:
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
    columns = ("Betting and shedding", "mean", "95 % interval", "", "largest")
    return _table(columns, rows, left=(0, 3))


def _seats(plan: Plan, tally: Tally) -> list[str]:
    names = [strategy.name for strategy in plan.strategies]
    rows = [
        (str(seat), name, _net(tally.ratio("net", seat)), *_ways(tally, [seat]))
        for seat, name in zip(plan.seats, names, strict=True)
    ]
    strategies = list(dict.fromkeys(names))
    if 1 < len(strategies) < len(names):
        rows.append(("",) * 8)
        for name in strategies:
            seats = [seat for seat in plan.seats if names[seat - 1] == name]
            rows.append(("all", name, _net(tally.ratio("net", name)), *_ways(tally, seats)))
    columns = ("Seat", "strategy", "net a night", "first", "knocks", "poch", "out", "cards")
    return [
        *_table(columns, rows, left=(0, 1)),
        (
            "net: chips won or lost, with the 95 % interval; first: nights in which nobody\n"
            "had more; knocks, poch, out: deals in which the seat stakes first, wins the\n"
            "betting, goes out first; cards: how many it has left on average if it does not."
        ),
    ]


def _net(ratio: Ratio) -> str:
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    mean, interval = round(ratio.mean or 0.0, 1) + 0.0, ratio.interval
    text = ENGLISH.number(mean, "+.1f")
    return f"{text} ± {ENGLISH.number(interval.half_width, '.1f')}" if interval else text


def _ways(tally: Tally, seats: Sequence[int]) -> tuple[str, ...]:
    """The shares of nights and deals in which these seats come first, knock, win and go out."""
    best, plays, opens, wins, out, cards = (
        sum(tally.count(key, seat) for seat in seats)
        for key in ("best", "plays", "opens", "wins", "out", "cards")
    )
    return (
        _percent(best / tally.count("nights") / len(seats), 1),
        *(_percent(count / plays, 1) for count in (opens, wins, out)),
        ENGLISH.number(cards / (plays - out), ".2f") if plays > out else _NONE,
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
