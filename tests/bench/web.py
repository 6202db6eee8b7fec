"""A daemon as a process, beside an echo by the packages that it consists of."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from tests.bench.echo import echo_server
from tests.bench.process import (
    Client,
    cpu_s,
    daemon,
    free_port,
    open_night,
    resident_kb,
    until_answered,
)
from tests.bench.streams import Streams
from tests.bench.table import Row, say, times

_PHONES: Final = 8
_PATHS: Final = ("/", "/api/state")
_ECHO: Final = "an echo of JSON by Flask, a2wsgi and uvicorn"
_REST_S: Final = 0.002


def requests(folder: Path, count: int) -> list[Row]:
    """Each kind of request in turn with an echo, while phones follow in two languages."""
    say(f"{count} requests of each kind")
    names = {path: f"GET {path}" for path in _PATHS} | {"command": "a command, stored and answered"}
    taken: dict[str, list[float]] = {kind: [] for kind in names}
    echoes: list[float] = []
    late: list[float] = []
    with (
        open_night(folder) as (_, port, phone),
        echo_server() as (echo_port, _, _),
        Client(echo_port) as other,
        Streams(port, _PHONES, languages=("de", "en")) as followers,
    ):
        followers.wait_until_all_saw(b"2")
        for number in range(count):
            # Possible at any time, and it changes what every phone shows.
            rename = {"do": "rename", "seat": 1, "name": f"Anna {number}"}
            echoes.append(other.ask("/", rename)[0])
            time.sleep(_REST_S)
            for path in _PATHS:
                taken[path].append(phone.ask(path)[0])
                time.sleep(_REST_S)
            begun = time.perf_counter()
            spent, answer = phone.command(**rename)
            taken["command"].append(spent)
            entry = str(answer["entry"]).encode()
            followers.wait_until_all_saw(entry)
            late += [at - begun for at in followers.seen[entry]]
            time.sleep(_REST_S)
    beside = (_ECHO, echoes)
    return [
        *(times(names[kind], spent, beside=beside) for kind, spent in taken.items()),
        times(f"command → event on each of {_PHONES} phones in two languages", late, beside=beside),
    ]


def starts(folder: Path, count: int) -> list[Row]:
    """From the start of the process to the first page, in turn with the echo."""
    say(f"{count} starts")
    # The first one compiles.
    _first_page_s(folder)
    ours, echoes = [], []
    for _ in range(count):
        ours.append(_first_page_s(folder))
        with echo_server() as (_, _, spent_s):
            echoes.append(spent_s)
    beside = ("a page by Flask, a2wsgi and uvicorn", echoes)
    return [times("start → first page", ours, "s", beside=beside)]


def _first_page_s(folder: Path) -> float:
    port = free_port()
    with daemon(folder, port) as (_, begun):
        until_answered(port, "/")
        return time.perf_counter() - begun


def memory_and_load(folder: Path, idle_s: float) -> list[Row]:
    """Resident memory and load of an open night that a phone follows."""
    say(f"memory, and {idle_s:.0f} s of rest")
    with (
        open_night(folder) as (process, port, client),
        echo_server() as (echo_port, echo_pid, _),
        Client(echo_port) as other,
        Streams(port, 1) as follower,
    ):
        for path in ("/", "/api/state", "/api/nights"):
            client.ask(path)
        other.ask("/", {})
        follower.wait_until_all_saw(b"2")
        time.sleep(2)
        before_s, begun = cpu_s(process.pid), time.perf_counter()
        time.sleep(idle_s)
        load = (cpu_s(process.pid) - before_s) / (time.perf_counter() - begun)
        ours_mb, other_mb = (resident_kb(pid) / 1024 for pid in (process.pid, echo_pid))
    return [
        Row("resident memory with a phone", "MB", ours_mb, None, "the echo", other_mb),
        Row("load when idle, with a phone, share of a core", "%", 100 * load),
    ]
