"""The report of a simulation: tables for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pochboard.cards.exact import expected
from pochboard.history.intervals import Interval, wilson
from pochboard.messages.labels import pool_name
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.tally import Ratio, Tally
from pochboard.text.translator import ENGLISH, Translator

_NONE: Final = "–"
"""Stands in a cell without a value."""


def report(plan: Plan, tally: Tally, t: Translator = ENGLISH) -> str:
    """All tables, as text."""
    blocks = [
        _heading(plan, tally, t),
        _pools(plan, tally, t),
        _betting(tally, t),
        _seats(plan, tally, t),
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


def _heading(plan: Plan, tally: Tally, t: Translator) -> list[str]:
    rules = plan.rules
    nights, deals = tally.nights, tally.deals
    heading = t.gettext(
        "{ruleset} with {players} players, seed {seed}: {nights}, {deals}",
        ruleset=rules.name,
        players=len(plan.strategies),
        seed=plan.seed,
        nights=t.ngettext("{count:,} night", "{count:,} nights", nights),
        deals=t.ngettext("{count:,} deal", "{count:,} deals", deals),
    )
    a_night, most = t.number(deals / nights, ".2f"), tally.maximum("deals")
    rows = [
        (
            t.gettext("deals a night"),
            t.gettext("{number}, at most {most}", number=a_night, most=most),
        )
    ]
    rebuys, broke, left = (tally.count(key) for key in ("rebuys", "broke", "left"))
    if rebuys:
        times = t.gettext("{number} times a night", number=t.number(rebuys / nights, ".2f"))
        rows.append((t.gettext("bought in again"), times))
    if broke:
        seats = t.gettext("{number} a night", number=t.number(broke / nights, ".2f"))
        rows.append((t.gettext("seats out at the end"), seats))
    number = t.number(left / nights, ".2f")
    if not left:
        chips = t.gettext("{number} a night", number=number)
    elif rules.leftover == "split":
        chips = t.gettext("{number} a night, shared out", number=number)
    else:
        chips = t.gettext("{number} a night, to the bank", number=number)
    rows.append((t.gettext("chips left on the board"), chips))
    wide = max(25, *(len(label) + 2 for label, _ in rows))
    return [heading, *(f"  {label:<{wide}}{text}" for label, text in rows)]


def _pools(plan: Plan, tally: Tally, t: Translator) -> list[str]:
    exact = expected(plan.rules, tally.deals_by_live)
    deals = tally.deals
    inside = pools_within_interval(tally, exact)
    rows = []
    for pool in POOLS:
        if pool not in plan.rules.pools:
            continue
        won = tally.count("won", pool)
        size = sum(n for key, n in tally.counts.items() if key[:2] == ("size", pool))
        chance = exact.get(pool)
        rows.append((
            _pool(pool, t),
            _percent(won / deals, t),
            _range(pool_interval(tally, pool), t),
            _NONE if chance is None else _percent(chance, t),
            # Blank where there is no exact chance to compare with.
            "" if not chance else _verdict(pool in inside, t),
            t.number(size / deals, ".2f"),
            str(tally.maximum("size", pool)),
            t.number(tally.count("chips", pool) / won, ".2f") if won else _NONE,
        ))  # fmt: skip
    counted = [pool for pool, chance in exact.items() if chance]
    closing = t.gettext("There is no exact chance for any pool here.")
    if counted:
        closing = t.ngettext(
            "{inside} of {count} interval contains the exact chance; 95 of 100 do in the long run.",
            "{inside} of {count} intervals contain the exact chance; 95 of 100 do in the long run.",
            len(counted),
            inside=len(inside),
        )
    columns = (
        t.gettext("Pool"),
        t.gettext("won a deal"),
        t.gettext("95 % interval"),
        t.gettext("exact"),
        "",
        t.gettext("size"),
        t.gettext("largest"),
        t.gettext("a win"),
    )
    return [*_table(columns, rows, left=(0, 4)), closing]


def _betting(tally: Tally, t: Translator) -> list[str]:
    rows = []
    for key, label in (
        ("knocked", t.gettext("somebody stakes")),
        ("unseen", t.gettext("won unseen")),
        ("shown", t.gettext("won at a showdown")),
        ("kept", t.gettext("nobody shows a set")),
    ):
        ratio = tally.ratio(key)
        share = _percent(ratio.mean or 0.0, t)
        rows.append(
            (label, share, _range(ratio.proportion_interval, t), t.gettext("of all deals"), "")
        )
    for key, label, over in (
        ("staked", t.gettext("chips staked"), t.gettext("a deal with stakes")),
        ("cards", t.gettext("cards left"), t.gettext("each loser")),
    ):
        ratio = tally.ratio(key)
        mean = _NONE if ratio.mean is None else t.number(ratio.mean, ".2f")
        rows.append((label, mean, _range(ratio.interval, t, 1), over, str(tally.maximum(key))))
    columns = (
        t.gettext("Betting and shedding"),
        t.gettext("mean"),
        t.gettext("95 % interval"),
        "",
        t.gettext("largest"),
    )
    return _table(columns, rows, left=(0, 3))


def _seats(plan: Plan, tally: Tally, t: Translator) -> list[str]:
    names = [strategy.name for strategy in plan.strategies]
    rows = []
    for seat, name in zip(plan.seats, names, strict=True):
        rows.append((str(seat), name, *_net(tally.ratio("net", seat), t), *_ways(tally, [seat], t)))
    strategies = list(dict.fromkeys(names))
    if 1 < len(strategies) < len(names):
        rows.append(("",) * 8)
        for name in strategies:
            seats = [seat for seat in plan.seats if names[seat - 1] == name]
            rows.append(
                (
                    t.gettext("all"),
                    name,
                    *_net(tally.ratio("net", name), t),
                    *_ways(tally, seats, t, len(seats)),
                )
            )
    columns = (
        t.gettext("Seat"),
        t.gettext("strategy"),
        t.gettext("net a night"),
        t.gettext("first"),
        t.gettext("knocks"),
        t.gettext("poch"),
        t.pgettext("column", "out"),
        t.gettext("cards"),
    )
    return [
        *_table(columns, rows, left=(0, 1)),
        t.gettext(
            "net: chips won or lost, with the 95 % interval; first: nights in which nobody\n"
            "had more; knocks, poch, out: deals in which the seat stakes first, wins the\n"
            "betting, goes out first; cards: how many it has left on average if it does not."
        ),
    ]


def _net(ratio: Ratio, t: Translator) -> tuple[str]:
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    mean, interval = round(ratio.mean or 0.0, 1) + 0.0, ratio.interval
    text = t.number(mean, "+.1f")
    return (f"{text} ± {t.number(interval.half_width, '.1f')}" if interval else text,)


def _ways(tally: Tally, seats: Sequence[int], t: Translator, share: int = 1) -> tuple[str, ...]:
    """The shares of nights and deals in which these seats come first, knock, win and go out."""

    def total(key: str) -> int:
        return sum(tally.count(key, seat) for seat in seats)

    plays, out = total("plays"), total("out")
    lost = plays - out
    return (
        _percent(total("best") / tally.nights / share, t, 1),
        *(_percent(total(key) / plays, t, 1) for key in ("opens", "wins", "out")),
        t.number(total("cards") / lost, ".2f") if lost else _NONE,
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


def _percent(share: float, t: Translator, digits: int = 2) -> str:
    return f"{t.number(100 * share, f'.{digits}f')} %"


def _range(interval: Interval | None, t: Translator, scale: int = 100) -> str:
    if interval is None:
        return _NONE
    low, high = (t.number(scale * bound, ".2f") for bound in (interval.low, interval.high))
    return f"{low} – {high}"


def _verdict(inside: bool, t: Translator) -> str:
    return t.pgettext("interval", "in") if inside else t.pgettext("interval", "out")


def _pool(pool: str, t: Translator) -> str:
    """A pool as the options name it; in other languages than English, as the board does."""
    return pool if t.language == ENGLISH.language else pool_name(pool, t)
