"""The daemon as a process: its start, its memory and its load."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pochboard.ledger.book import Book, Step
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.store import Store
from tests.bench.table import RESOLVE, Row, say


@contextmanager
def daemon(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A daemon on a data folder, and when it was started."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [
            Path(sys.executable).with_name("pochboard"),
            *("run", "--port", str(port), "--data", str(folder)),
        ],
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    try:
        yield process, begun
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _get(port: int, path: str) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def first_page(folder: Path, times: int) -> float:
    """Seconds from the start of the process to the first page, at the median."""
    measured_s = []
    for _ in range(times):
        port = free_port()
        with daemon(folder, port) as (_, begun):
            while True:
                try:
                    response, page = _get(port, "/")
                except OSError:
                    time.sleep(0.002)
                    continue
                measured_s.append(time.perf_counter() - begun)
                assert response.status == 200, page
                break
    return statistics.median(measured_s)


def fill_ledger(path: Path, entries: int) -> None:
    """A ledger with this many entries in closed nights, stored as an import would store them."""
    book = Book(RESOLVE)
    commands: list[dict[str, Any]] = [
        {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]},
        *({"do": "rename", "seat": 1, "name": f"Anna {i}"} for i in range(998)),
        {"do": "end"},
    ]
    for command in commands:
        assert isinstance(book.apply(command, 1_000_000), Step)
    night = StoredNight(0, book.state.rules, {}, imported=False, entries=book.entries)
    summary = summarize(0, book.entries, book.state)
    with Store.open(path) as store:
        store.add_nights([(night, summary)] * (entries // 1000))


def process_figures(folder: Path, *, idle_s: float, entries: int) -> list[Row]:
    """Start, memory and idle load."""
    say("process start to first page")
    small = first_page(folder / "small", 5)
    say(f"a ledger of {entries:,} entries in other nights")
    large_folder = folder / "large"
    large_folder.mkdir()
    fill_ledger(large_folder / "ledger.db", entries)
    large = first_page(large_folder, 5)
    say(f"memory and load, {idle_s:.0f} s")
    memory, load = idle(folder / "small", idle_s)
    return [
        Row("process start → first page", f"{small:.2f} s", "≤ 0.5 s"),
        Row(f"the same with {entries:,} entries in other nights", f"{large:.2f} s", "≤ 0.5 s"),
        Row("resident memory with one phone", f"{memory / 1024:.1f} MB", "≤ 50 MB"),
        Row("load when idle, with one phone", f"{load:.2f} %", "≤ 0.3 %"),
    ]


class Phone:
    """One phone: it has the page, and follows the events and the frames."""

    def __init__(self, port: int) -> None:
        for path in ("/", "/static/main.js", "/static/page.css", "/api/state", "/api/nights"):
            _get(port, path)
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.sendall(
            f"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode()
        )
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while self._socket.recv(65536):
            pass

    def close(self) -> None:
        """The phone goes away."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()


def idle(folder: Path, seconds: float) -> tuple[int, float]:
    """Resident memory in kB and load in percent of a core, of an open night between deals."""
    port = free_port()
    with daemon(folder, port) as (process, _):
        wait_for(port)
        _start_a_night(port)
        phone = Phone(port)
        time.sleep(2)
        before = _cpu_s(process.pid)
        begun = time.perf_counter()
        time.sleep(seconds)
        load = 100 * (_cpu_s(process.pid) - before) / (time.perf_counter() - begun)
        memory = resident_kb(process.pid)
        phone.close()
    return memory, load


def _start_a_night(port: int) -> None:
    start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara", "David"]}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    body = msgspec.json.encode(start)
    connection.request("POST", "/api/commands", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert response.status == 200, response.read()
    connection.close()


def wait_for(port: int) -> None:
    """Returns once the daemon answers."""
    while True:
        try:
            _get(port, "/healthz")
        except OSError:
            time.sleep(0.01)
        else:
            return


def resident_kb(pid: int) -> int:
    """Memory of a process that is in RAM."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def _cpu_s(pid: int) -> float:
    """Processor time of a process; schedstat counts nanoseconds, where stat counts ticks."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks) / 1e9
