"""How long the daemon takes to its first page, how much memory it needs, how idle it is."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from pochboard.server.web_files import static_path
from tests.bench.connections import Streams
from tests.bench.echo import echo_server
from tests.bench.nights import fill_with_nights
from tests.bench.process import cpu_s, daemon, free_port, open_night, resident_kb, until_answered
from tests.bench.table import Goal, Row, say, times

_PHONES: Final = 200
_DEALS: Final = 70
"""Deals of each night of a large ledger, which then has a thousand entries."""
_RESIDENT: Final = """
import flask
from pathlib import Path
print(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])
"""


def starts(folder: Path, entries: int, count: int) -> list[Row]:
    """From the start of the process to the first page, in turn with the least Flask."""
    large = folder / "large"
    large.mkdir()
    say(f"a ledger of {entries:,} entries in other nights")
    fill_with_nights(large / "ledger.db", entries // 1000, _DEALS)
    say(f"{count} starts")
    small_s, large_s, bare_s = [], [], []
    # The first one compiles.
    first_page_s(folder / "small")
    for _ in range(count):
        small_s.append(first_page_s(folder / "small"))
        large_s.append(first_page_s(large))
        with echo_server() as (_, spent_s):
            bare_s.append(spent_s)
    beside = ("a page by Flask, a2wsgi and uvicorn", bare_s)
    goals = (Goal(0.25),)
    return [
        times("start → first page", small_s, "s", beside=beside, goals=goals),
        times(
            "the same with a million entries in other nights",
            large_s,
            "s",
            beside=("with none", small_s),
            goals=(*goals, Goal(1.1, "ratio")),
        ),
    ]


def first_page_s(folder: Path) -> float:
    """Seconds from the start of the process to the first page."""
    port = free_port()
    with daemon(folder, port) as (_, begun):
        until_answered(port, "/")
        return time.perf_counter() - begun


def memory_and_load(folder: Path, idle_s: float) -> list[Row]:
    """Resident memory and load of an open night, with one phone and with many."""
    flask_kb = int(
        subprocess.run([sys.executable, "-c", _RESIDENT], capture_output=True, check=True).stdout
    )
    rows = []
    for phones, goal_mb in ((1, 45.0), (_PHONES, 55.0)):
        memory_kb, load = _measure(folder / str(phones), phones, idle_s if phones == 1 else 0.0)
        with_phones = f"with {phones} phone{'s' * (phones > 1)}"
        rows.append(
            Row(
                f"resident memory {with_phones}",
                "MB",
                memory_kb / 1024,
                None,
                "Python with Flask imported",
                flask_kb / 1024,
                (Goal(goal_mb),),
            )
        )
        if load is not None:
            what = f"load when idle, {with_phones}, share of a core"
            rows.append(Row(what, "%", load, goals=(Goal(0.3),)))
    return rows


def _measure(folder: Path, phones: int, idle_s: float) -> tuple[int, float | None]:
    """Memory in kB, and the load of so many seconds in percent of a core."""
    say(f"memory with {phones} phone{'s' * (phones > 1)}")
    with open_night(folder) as (process, port, client):
        for path in ("/", f"/{static_path()}main.js", "/api/state", "/api/nights"):
            client.ask(path)
        followers = Streams(port, phones, languages=("en", "de"), frames=True)
        try:
            followers.wait_until_all_saw(b"2")
            time.sleep(2)
            before_s, begun = cpu_s(process.pid), time.perf_counter()
            time.sleep(idle_s)
            spent_s, passed_s = cpu_s(process.pid) - before_s, time.perf_counter() - begun
            return resident_kb(process.pid), 100 * spent_s / passed_s if idle_s else None
        finally:
            followers.close()
