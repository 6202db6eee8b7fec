"""What `make bench` measures, printed as a table. Nothing is asserted on time.

Each figure comes from a real part: a real ledger file, a real daemon process, a real web client.
The goal beside it is what the project aims at on a small x86 machine with two cores.
"""

from __future__ import annotations

import argparse
import http.client
import os
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from playwright.sync_api import sync_playwright
from pokerkit import Automation, NoLimitTexasHoldem

from pochboard.buttons.press import Times
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.lights.look import Frame
from pochboard.rules.play import resolve_among
from pochboard.rules.ruleset import shipped_rulesets
from pochboard.store import Store
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table

RESOLVE = resolve_among(shipped_rulesets())
HERE = Path(__file__).parent


class Row(NamedTuple):
    """A line of the table."""

    what: str
    found: str
    goal: str


def say(text: str) -> None:
    """Progress, on the terminal alone."""
    print(f"  {text} …", file=sys.stderr, flush=True)


# Press to frame.


def press_to_frame(folder: Path, presses: int) -> list[Row]:
    """From the edge of a claim to its entry on the disk and to the frame that follows it."""
    frames: list[float] = []
    committed: list[float] = []

    class Timed(Store):
        """The real store, with the moment noted at which an entry is on the disk."""

        def append(self, *args: Any, **named: Any) -> None:
            super().append(*args, **named)
            committed.append(time.perf_counter())

    def show(_: Frame) -> None:
        frames.append(time.perf_counter())

    opened = Store.open(folder / "press.db")
    opened.__class__ = Timed
    # A stake makes the bet pool's ring and the turn's place change at once, so a frame follows.
    table = Table(
        opened, Setup(RESOLVE, Times()), BoardInfo("simulator", link=True, simulated=True), show
    )
    table.start()
    to_disk: list[float] = []
    to_frame: list[float] = []
    try:
        players = [f"P{seat}" for seat in range(1, 7)]
        table.command({"do": "start", "ruleset": "modern", "players": players, "stack": 10_000})
        table.command({"do": "deal"})
        table.command({"do": "next"})
        for _ in range(presses):
            seat = table.snapshot.state.to_act
            assert seat is not None
            button = f"seat{seat}"
            for down in (True, False):
                table.edge(button, down).result()
            table.edge("poch", True).result()
            entries, shown = len(committed), len(frames)
            begun = time.perf_counter()
            table.edge("poch", False).result()
            assert len(committed) == entries + 1, "the press was booked"
            to_disk.append(committed[-1] - begun)
            assert len(frames) > shown, "the press was shown"
            to_frame.append(frames[shown] - begun)
            table.command({"do": "undo"})
            assert table.snapshot.state.to_act == seat
            time.sleep(0.002)
    finally:
        table.stop()
        opened.close()
    return [
        Row("press → committed, p50 / p99", _ms(to_disk), ""),
        Row("press → committed → frame, p50 / p99", _ms(to_frame), "≤ 1.5 ms / ≤ 5 ms"),
    ]


def _ms(seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49] * 1e3:.2f} ms / {cuts[98] * 1e3:.2f} ms"


# Rules and book beside PokerKit.


def commands_beside_pokerkit(rounds: int) -> list[Row]:
    """Commands through rules and book, and PokerKit's player actions, in turn in one run."""
    nights = list(_nights())
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours.append(_rate(lambda: _play(nights), 0.5))
        theirs.append(_rate(_poker_hand, 0.5))
    mine, other = statistics.median(ours), statistics.median(theirs)
    return [
        Row("commands through rules and book", f"{mine:,.0f} /s", ""),
        Row("PokerKit, player actions, six players with all-ins", f"{other:,.0f} /s", ""),
        Row("ratio", f"{mine / other:.0f} times", "≥ 50 times"),
    ]


def _rate(work: Callable[[], int], seconds: float) -> float:
    done, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        done += work()
    return done / spent


def _nights() -> Iterator[list[dict[str, Any]]]:
    """The commands of the six-player nights among the score sheets, side pots and all."""
    for path in sorted((HERE.parent / "nights").glob("*-[ab].jsonl")):
        night: list[dict[str, Any]] = []
        for row in path.read_text("utf-8").splitlines():
            line = {} if row.startswith("#") else msgspec.json.decode(row)
            if line.get("do") == "start":
                night = [line]
                if len(line["players"]) == 6:
                    yield night
            elif "do" in line:
                night.append(line)


def _play(nights: list[list[dict[str, Any]]]) -> int:
    for night in nights:
        book = Book(RESOLVE)
        for command in night:
            assert isinstance(book.apply(command), Step | Repeat)
    return sum(map(len, nights))


def _poker_hand() -> int:
    """A hand with a raise, a fold, three streets at most and all-ins of different stacks."""
    hand = NoLimitTexasHoldem.create_state(
        tuple(Automation), True, 0, (1, 2), 2, (50, 80, 100, 200, 150, 120), 6
    )
    hand.complete_bet_or_raise_to(6)
    hand.check_or_call()
    hand.fold()
    actions = 3
    while hand.status and hand.actor_index is not None:
        if hand.street_index == 1 and hand.can_complete_bet_or_raise_to():
            most = hand.max_completion_betting_or_raising_to_amount
            assert most is not None
            hand.complete_bet_or_raise_to(most)
        else:
            hand.check_or_call()
        actions += 1
    return actions


# The daemon as a process.


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


def _free_port() -> int:
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
    found = []
    for _ in range(times):
        port = _free_port()
        with daemon(folder, port) as (_, begun):
            while True:
                try:
                    response, page = _get(port, "/")
                except OSError:
                    time.sleep(0.002)
                    continue
                found.append(time.perf_counter() - begun)
                assert response.status == 200, page
                break
    return statistics.median(found)


def fill_ledger(path: Path, entries: int) -> None:
    """A ledger with so many entries in closed nights, written with the store's own schema."""
    with Store.open(path):
        pass
    book = Book(RESOLVE)
    commands: list[dict[str, Any]] = [
        {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]},
        *({"do": "rename", "seat": 1, "name": f"Anna {i}"} for i in range(998)),
        {"do": "end"},
    ]
    for command in commands:
        assert isinstance(book.apply(command, 1_000_000), Step)
    rules = msgspec.json.encode(book.state.rules).decode()
    connection = sqlite3.connect(path)
    with connection:
        for night in range(1, entries // 1000 + 1):
            connection.execute(
                "INSERT INTO nights (number, started_ms, ruleset, heard, imported)"
                " VALUES (?, ?, ?, '{}', 0)",
                (night, 1_000_000, rules),
            )
            connection.executemany(
                "INSERT INTO entries (night, number, time_ms, command, id, ref, postings)"
                " VALUES (?, ?, ?, ?, NULL, NULL, ?)",
                (
                    (
                        night,
                        entry.number,
                        entry.time_ms,
                        msgspec.json.encode(entry.command).decode(),
                        msgspec.json.encode(entry.postings).decode(),
                    )
                    for entry in book.entries
                ),
            )
    connection.close()


def process_figures(folder: Path, *, idle_s: float, entries: int) -> list[Row]:
    """Start, memory, idle load and the weight of the page."""
    say("process start to first page")
    small = first_page(folder / "small", 5)
    say(f"a ledger of {entries:,} entries in other nights")
    large_folder = folder / "large"
    large_folder.mkdir()
    fill_ledger(large_folder / "ledger.db", entries)
    large = first_page(large_folder, 5)
    say(f"memory and load, {idle_s:.0f} s")
    memory, load = idle(folder / "small", idle_s)
    weight, requests = page_weight(folder / "small")
    return [
        Row("process start → first page", f"{small:.2f} s", "≤ 0.5 s"),
        Row(f"the same with {entries:,} entries in other nights", f"{large:.2f} s", "≤ 0.5 s"),
        Row("resident memory with one phone", f"{memory / 1024:.1f} MB", "≤ 50 MB"),
        Row("load when idle, with one phone", f"{load:.2f} %", "≤ 0.3 %"),
        Row("page, compressed", f"{weight / 1000:.1f} kB", "≤ 60 kB"),
        Row("requests of the page", str(requests), "≤ 10"),
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
    port = _free_port()
    with daemon(folder, port) as (process, _):
        _wait_for(port)
        _start_a_night(port)
        phone = Phone(port)
        time.sleep(2)
        before = _cpu_s(process.pid)
        begun = time.perf_counter()
        time.sleep(seconds)
        load = 100 * (_cpu_s(process.pid) - before) / (time.perf_counter() - begun)
        status = Path(f"/proc/{process.pid}/status").read_text("ascii")
        memory = int(status.partition("VmRSS:")[2].split()[0])
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


def _wait_for(port: int) -> None:
    while True:
        try:
            _get(port, "/healthz")
        except OSError:
            time.sleep(0.01)
        else:
            return


def _cpu_s(pid: int) -> float:
    """Processor time of a process; schedstat counts nanoseconds, where stat counts ticks."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks) / 1e9


def page_weight(folder: Path) -> tuple[int, int]:
    """Bytes as sent, headers too, and requests, of the first page in a browser that is new."""
    port = _free_port()
    sent = 0
    requests: list[str] = []

    def weigh(event: dict[str, Any]) -> None:
        nonlocal sent
        sent += event["encodedDataLength"]

    with daemon(folder, port), sync_playwright() as playwright:
        _wait_for(port)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", weigh)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"http://localhost:{port}/")
        page.wait_for_selector("body.live")
        page.wait_for_timeout(1000)
        browser.close()
    return sent, len(requests)


def main() -> None:
    """Measures everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle", type=float, default=30.0, help="seconds")
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where to measure; its disk counts")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        say(f"{args.presses} presses")
        rows = press_to_frame(folder, args.presses)
        say("rules and book beside PokerKit")
        rows += commands_beside_pokerkit(args.rounds)
        rows += process_figures(folder, idle_s=args.idle, entries=args.entries)
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    print(f"\n{'':<{wide[0]}}  {'measured':>{wide[1]}}  goal")
    for row in rows:
        print(f"{row.what:<{wide[0]}}  {row.found:>{wide[1]}}  {row.goal}")


if __name__ == "__main__":
    main()
