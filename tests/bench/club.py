"""Fifty boards at once and a million entries at a club: `python -m tests.bench.club docs/club.svg`.

Each board sends every entry in a chain of its own, of nights that are the same at all boards.
Prints the figures of docs/CLUB.md, and draws how the club grows. That takes some minutes. Nothing
fails because of a time.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, cast

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from pochboard.club.archive import ClubArchive
from pochboard.club.connection import open_club
from pochboard.club.exchange import compare, push
from pochboard.club.keeper import keep_up
from pochboard.club.tournaments import add
from pochboard.config import ClubTable
from pochboard.history.league import league
from pochboard.history.people import overview
from pochboard.ledger.times import utc_time
from pochboard.store import End, Outbox, Piece, Row, Store, chain
from tests.bench.nights import bot_night
from tests.bench.table import say
from tests.outside.postgres import ClubDatabase, Postgres

_DIFFERENT: Final = 40
_DAY_MS: Final = 24 * 3600 * 1000
_BEGAN_MS: Final = 1_735_750_800_000
_STAGES: Final = 10
_ROUNDS: Final = [
    tuple(tuple(f"{round_}.{table}.{seat}" for seat in range(4)) for table in range(8))
    for round_ in range(7)
]
"""A tournament of people who play none of the nights, which are all compared with it."""
_SETTINGS: Final = "fsync = on\nshared_buffers = 256MB\nmax_wal_size = 2GB\nlog_statement = none\n"


class Derived:
    """The outbox of a board whose nights are those of another one, with a ledger of its own."""

    def __init__(self, piece: Piece, count: int) -> None:
        self.ledger = secrets.token_bytes(32)
        self._nights: dict[int, Row] = {}
        self._entries: list[Row] = []
        self.limit = 0
        before, first = self.ledger, 0
        while len(self._entries) < count:
            for number, *columns in piece.nights:
                self._nights[first + number] = (first + number, *columns)
            for row in piece.entries[: count - len(self._entries)]:
                night = first + row[1]
                time_ms = _BEGAN_MS + 7 * night * _DAY_MS + row[2] * 20_000
                entry = (len(self._entries) + 1, night, row[2], time_ms, *row[4:8])
                opening = _as_bytes(self._nights[night]) if row[2] == 1 else None
                before = chain.link(before, _as_bytes(entry), opening)
                self._entries.append((*entry, before))
            first += len(piece.nights)

    def end(self) -> End:
        """Up to the limit."""
        return self.upto(End(self.limit, b"", 0, b""))

    def upto(self, end: End) -> End:
        """As `Outbox.upto`."""
        position = min(end.position, self.limit)
        link = self._entries[position - 1][-1] if position else self.ledger
        return End(position, link, 0, self.ledger)

    def after(self, end: End, count: int) -> Piece:
        """As `Outbox.after`."""
        entries = self._entries[end.position : min(end.position + count, self.limit)]
        return Piece([self._nights[row[1]] for row in entries if row[2] == 1], entries, [])


def _as_bytes(row: Row) -> Row:
    return tuple([value.encode() if type(value) is str else value for value in row])


def _timed(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """The median time of some work in seconds, and what it last returned."""
    spent, result = [], None
    for _ in range(times):
        begun_s = time.perf_counter()
        result = work()
        spent.append(time.perf_counter() - begun_s)
    return median(spent), result


def _nights(folder: Path) -> Piece:
    with Store.open(folder / "ledger.db") as store:
        store.add_nights([bot_night(number) for number in range(_DIFFERENT)])
        with store.outbox() as outbox:
            return outbox.after(End(0, outbox.ledger, 0, outbox.ledger), 1_000_000)


def measure(club: ClubDatabase, folder: Path, boards: int, entries: int, plot: Path | None) -> None:
    """Fills a club, measures what is asked of it, and prints that."""
    say(f"{boards} boards with {entries:,} entries together")
    piece, each = _nights(folder), entries // boards
    outboxes = [Derived(piece, each) for _ in range(boards)]
    tables = [club.add(f"board-{number}") for number in range(boards)]

    def send(table: ClubTable, derived: Derived) -> float:
        begun_s = time.perf_counter()
        with open_club(table) as reached:
            push(reached, cast("Outbox", derived))
        return time.perf_counter() - begun_s

    totals, rates, looks = [0], [], []
    with ThreadPoolExecutor(boards) as pool:
        for stage in range(1, _STAGES + 1):
            for derived in outboxes:
                derived.limit = each * stage // _STAGES
            begun_s = time.perf_counter()
            list(pool.map(send, tables, outboxes))
            totals.append(boards * (each * stage // _STAGES))
            rates.append((totals[-1] - totals[-2]) / (time.perf_counter() - begun_s))
            with open_club(tables[0]) as reached:
                spent_s, _ = _timed(lambda: _compare(reached, outboxes[0]), 20)
            looks.append(1000 * spent_s)
            say(f"{totals[-1]:,} entries: {rates[-1]:,.0f} a second, a look {looks[-1]:.1f} ms")
    with open_club(club.owner) as owner:
        query = "SELECT pg_total_relation_size('club.entries')"
        size = cast("tuple[int]", owner.connection.execute(query).fetchone())[0]
        say("the keeper")
        kept_s, nights = _timed(lambda: keep_up(owner))
        idle_s, _ = _timed(lambda: keep_up(owner), 20)
        with owner.work() as connection:
            add(connection, "Cup", "modern", 8, utc_time(_BEGAN_MS), _ROUNDS)
    grown_mb = _kept_mb(club)
    archive = ClubArchive(club.owner)
    try:
        load_s, counted = _timed(archive.statistics)
        # Without what is remembered for a second.
        first_ms = _BEGAN_MS + 20 * _DAY_MS
        season = [n for n in counted.nights if first_ms <= n.started_ms < first_ms + 91 * _DAY_MS]
        table_s, _ = _timed(lambda: league(archive.statistics().nights, {}), 5)
        season_s, _ = _timed(lambda: league(season, {}), 5)
        cup_s, _ = _timed(archive.tournaments, 5)
        over_s, _ = _timed(lambda: overview(archive.statistics().nights, {}), 3)
        numbers = [night.number for night in archive.each()][:: max(1, nights // 20)][:20]
        open_s = median(_timed(partial(archive.night, number))[0] for number in numbers)
    finally:
        archive.close()
    rows = [
        (f"entries a second, {boards} boards at once, at first", f"{rates[0]:,.0f}"),
        (f"the same with {entries:,} entries", f"{rates[-1]:,.0f}"),
        ("a board looks whether the club lacks something", f"{looks[-1]:.1f} ms"),
        ("on the disk, with indexes, for each entry", f"{size / entries:.0f} bytes"),
        (
            "entries a second that the keeper replays",
            f"{entries / kept_s:,.0f}",
        ),
        ("the keeper finds nothing new", f"{1000 * idle_s:.1f} ms"),
        (f"the pages load {len(counted.nights):,} nights", f"{1000 * load_s:.0f} ms"),
        ("the memory that takes", f"{grown_mb:.0f} MB"),
        ("the league of all time", f"{1000 * table_s:.0f} ms"),
        (f"the league of {len(season):,} of them", f"{1000 * season_s:.0f} ms"),
        ("the standings of a tournament of 7 rounds at 8 tables", f"{1000 * cup_s:.0f} ms"),
        ("the statistics of all nights", f"{1000 * over_s:.0f} ms"),
        ("a night is opened for the first time", f"{1000 * open_s:.0f} ms"),
    ]
    wide = max(len(what) for what, _ in rows)
    for what, figure in rows:
        print(f"{what:<{wide}}  {figure}")
    if plot:
        _draw(plot, totals[1:], rates, looks, boards)


def _kept_mb(club: ClubDatabase) -> float:
    """The memory of what the pages keep of all nights."""
    tracemalloc.start()
    archive = ClubArchive(club.owner)
    try:
        archive.statistics()
        return tracemalloc.get_traced_memory()[0] / 2**20
    finally:
        archive.close()
        tracemalloc.stop()


def _compare(reached: Any, derived: Derived) -> None:
    with reached.work() as connection:
        compare(connection, cast("Outbox", derived))


def _draw(
    file: Path, totals: list[int], rates: list[float], looks: list[float], boards: int
) -> None:
    mpl.rcParams["svg.hashsalt"] = "pochboard"
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    millions = [total / 1e6 for total in totals]
    above.plot(millions, rates, marker="o", color="#00796b")
    above.set_ylabel(f"entries a second,\n{boards} boards at once")
    above.set_ylim(bottom=0)
    below.plot(millions, looks, marker="o", color="#b4530a")
    below.set_ylabel("a board looks, ms")
    below.set_ylim(bottom=0)
    below.set_xlabel("million entries at the club")
    FigureCanvasSVG(figure).print_svg(str(file), metadata={"Date": None})


def main() -> None:
    """Starts a server, and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=50)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("plot", type=Path, nargs="?", help="where to draw the growth")
    args = parser.parse_args()
    server = Postgres(_SETTINGS)
    try:
        with server, tempfile.TemporaryDirectory() as name:
            club = server.make_club(Path(name))
            club.init()
            measure(club, Path(name), args.boards, args.entries, args.plot)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
