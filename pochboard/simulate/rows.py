"""The deals of a simulation as CSV (RFC 4180), one row a deal (docs/SIMULATE.md)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from pochboard.rules.board import POOLS
from pochboard.simulate.plan import Plan
from pochboard.simulate.watch import Played


def header(plan: Plan) -> str:
    """The first row: the names of the columns."""
    pools = [pool for pool in POOLS if pool in plan.rules.pools]
    names = ["night", "deal", "dealer", "live", "turned"]
    for pool in pools:
        names += [pool, f"{pool}_winner", f"{pool}_won"]
    names += ["knocker", "temper", "staked", "showdown", "bets_winner", "out"]
    names += [f"cards_{seat}" for seat in plan.seats]
    names += [f"stack_{seat}" for seat in plan.seats]
    return _text([names])


def rows(plan: Plan, deals: Iterable[Played]) -> str:
    """The rows of these deals. Seats are numbers; several in one field stand apart by a space."""
    pools = [(index, pool) for index, pool in enumerate(POOLS) if pool in plan.rules.pools]
    tempers = [temper.name for temper in plan.tempers]

    def row(deal: Played) -> list[object]:
        values: list[object] = [
            deal.night, deal.deal, deal.dealer, _seats(deal.live), deal.turned,
        ]  # fmt: skip
        for index, pool in pools:
            win = deal.wins.get(pool)
            values += [deal.sizes[index], _seats(win.seats) if win else "", win.chips if win else 0]
        knocker = deal.knocker
        values += [
            knocker or "",
            tempers[knocker - 1] if knocker else "",
            sum(deal.stakes),
            int(deal.showdown),
            _seats(deal.winners),
            deal.out,
            *[held if seat in deal.live else "" for seat, held in enumerate(deal.cards, 1)],
            *deal.stacks,
        ]
        return values

    return _text(map(row, deals))


def _seats(seats: tuple[int, ...]) -> str:
    return " ".join(map(str, seats))


def _text(values: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(values)
    return text.getvalue()
