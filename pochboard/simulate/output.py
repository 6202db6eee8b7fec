"""Output files: the deals as CSV (RFC 4180; columns in docs/SIMULATE.md), atomic writing."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pochboard.errors import SimulationError
from pochboard.rules.accounts import POOLS
from pochboard.simulate.bots_night import DealRecord, Plan
from pochboard.text.lazy import lazy_gettext, os_reason


def csv_header(plan: Plan) -> str:
    """The names of the columns, as a row."""
    pools = [pool for pool in POOLS if pool in plan.rules.pools]
    names = ["night", "deal", "dealer", "live", "turned"]
    for pool in pools:
        names += [pool, f"{pool}_winner", f"{pool}_won"]
    names += ["knocker", "temper", "staked", "showdown", "bets_winner", "out"]
    names += [f"cards_{seat}" for seat in plan.seats]
    names += [f"stack_{seat}" for seat in plan.seats]
    return _as_csv([names])


def csv_rows(plan: Plan, deals: Iterable[DealRecord]) -> str:
    """A row for each deal. Seats are numbers; several in one field are separated by spaces."""
    pools = [(index, pool) for index, pool in enumerate(POOLS) if pool in plan.rules.pools]
    strategies = [strategy.name for strategy in plan.strategies]

    def row(deal: DealRecord) -> list[object]:
        values: list[object] = [
            deal.night, deal.deal, deal.dealer, _seats(deal.live), deal.turned,
        ]  # fmt: skip
        for index, pool in pools:
            win = deal.wins.get(pool)
            values += [deal.sizes[index], _seats(win.seats) if win else "", win.chips if win else 0]
        knocker = deal.knocker
        values += [
            knocker or "",
            strategies[knocker - 1] if knocker else "",
            sum(deal.stakes),
            int(deal.showdown),
            _seats(deal.winners),
            deal.out,
            *[held if seat in deal.live else "" for seat, held in enumerate(deal.cards, 1)],
            *deal.stacks,
        ]
        return values

    return _as_csv(map(row, deals))


def _seats(seats: tuple[int, ...]) -> str:
    return " ".join(map(str, seats))


def _as_csv(values: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(values)
    return text.getvalue()


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file that replaces `path` on success; after an error `path` is unchanged.

    Raises SimulationError, at once if the file cannot be written.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise SimulationError(
            lazy_gettext("{path} cannot be written: it is not a regular file.", path=path)
        )
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists():
            # Renaming needs write permission for the folder only: check that for the file too.
            target.open("ab").close()
        file = part.open("xb")
    except OSError as error:
        raise SimulationError(
            lazy_gettext("{path} cannot be written: {reason}.", path=path, reason=os_reason(error))
        ) from None
    try:
        try:
            with file:
                yield file
            part.replace(target)
        except OSError as error:
            raise SimulationError(
                lazy_gettext(
                    "{path} cannot be written: {reason}.", path=path, reason=os_reason(error)
                )
            ) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
