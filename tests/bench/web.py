"""Requests and commands over HTTP, beside an echo by the same packages in the same run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from pochboard.server.web_files import static_path
from tests.bench.connections import Streams
from tests.bench.echo import echo_server
from tests.bench.nights import fill_with_nights
from tests.bench.process import Client, open_night
from tests.bench.table import Goal, Row, say, times

PHONES: Final = (1, 8, 200)
_GETS: Final = {"/": 1.2, "/api/state": 1.2, "/api/nights": 1.2, f"/{static_path()}base.css": 1.2}
"""What is asked for, and how many times an echo it may take."""
_REST_S: Final = 0.002


def requests(folder: Path, count: int) -> list[Row]:
    """Each kind of request in turn with an echo, this many times."""
    say(f"{count} requests of each kind")
    taken: dict[str, list[float]] = {path: [] for path in [*_GETS, "command"]}
    echoes: list[float] = []
    fill_with_nights(folder / "ledger.db", 5)
    with (
        open_night(folder) as (_, _, phone),
        echo_server() as (echo_port, _),
        Client(echo_port) as other,
    ):
        for number in range(count):
            echoes.append(other.ask("/", _rename(number))[0])
            time.sleep(_REST_S)
            for path in _GETS:
                taken[path].append(phone.ask(path)[0])
                time.sleep(_REST_S)
            taken["command"].append(phone.command(**_rename(number))[0])
            time.sleep(_REST_S)
    names = {path: f"GET {path}" for path in _GETS}
    names[f"/{static_path()}base.css"] = "GET a file of the page"
    names["/api/nights"] += ", five nights"
    names["command"] = "a command, stored and answered"
    beside = ("an echo of JSON by Flask, a2wsgi and uvicorn", echoes)
    return [
        times(names[path], spent, beside=beside, goals=(Goal(_GETS.get(path, 1.5), "ratio"),))
        for path, spent in taken.items()
    ]


def events(folder: Path, count: int) -> list[Row]:
    """From a command over HTTP to the event that it causes on phones in two languages."""
    rows = []
    for phones in PHONES:
        say(f"{count} commands, followed by {phones} phone{'s' * (phones > 1)}")
        echoes: list[float] = []
        sent: dict[bytes, float] = {}
        with (
            open_night(folder / str(phones)) as (_, port, phone),
            echo_server() as (echo_port, _),
            Client(echo_port) as other,
        ):
            followers = Streams(port, phones, languages=("de", "en"))
            try:
                followers.wait_until_all_saw(b"2")
                for number in range(count):
                    echoes.append(other.ask("/", _rename(number))[0])
                    time.sleep(_REST_S)
                    begun = time.perf_counter()
                    _, answer = phone.command(**_rename(number))
                    sent[str(answer["entry"]).encode()] = begun
                    followers.wait_until_all_saw(str(answer["entry"]).encode())
                    time.sleep(_REST_S)
                late = [at - sent[entry] for entry in sent for at in followers.seen[entry]]
            finally:
                followers.close()
        goals = {8: (Goal(1.5, "ratio"),), 200: (Goal(30.0, "p99"),)}.get(phones, ())
        each = "the phone" if phones == 1 else f"each of {phones} phones in two languages"
        beside = ("an echo of JSON by Flask, a2wsgi and uvicorn", echoes)
        rows.append(times(f"command over HTTP → event on {each}", late, beside=beside, goals=goals))
    return rows


def _rename(number: int) -> dict[str, object]:
    """A command that is possible at any time, and changes what every phone shows."""
    return {"do": "rename", "seat": 1, "name": f"Anna {number}"}
