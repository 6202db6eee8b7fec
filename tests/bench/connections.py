"""The page while the daemon has 2,000 half-open connections and 200 event streams.

Run by itself: `python -m tests.bench.connections`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import resource
import selectors
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.bench.process import daemon, free_port, resident_kb, wait_for
from tests.bench.table import Row, say

_BODY_MISSING = (
    b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9\r\n\r\n{"
)
_HALF_OPEN = (b"", b"GET / HT", _BODY_MISSING)
"""What half-open clients send before they fall silent."""


class Streams:
    """Clients that follow the events. Records when each of them sees an entry."""

    def __init__(self, port: int, count: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._unread: dict[socket.socket, bytes] = {}
        self.seen: dict[bytes, list[float]] = {}
        """When each client saw a state, by the state's entry."""
        for number in range(count):
            # Ten phones at each address, because one address may have 20 streams.
            source = f"127.0.1.{1 + number // 10}"
            client = socket.create_connection(
                ("127.0.0.1", port), timeout=20, source_address=(source, 0)
            )
            client.sendall(f"GET /api/events HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
            client.setblocking(False)
            self._selector.register(client, selectors.EVENT_READ)
            self._unread[client] = b""
        self._open = True
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._unread)

    def _read(self) -> None:
        while self._open:
            for key, _ in self._selector.select(0.1):
                client = key.fileobj
                assert isinstance(client, socket.socket)
                self._take(client)

    def _take(self, client: socket.socket) -> None:
        try:
            received = client.recv(262144)
        except OSError:
            received = b""
        if not received:
            self._selector.unregister(client)
            del self._unread[client]
            client.close()
            return
        now = time.perf_counter()
        *events, self._unread[client] = (self._unread[client] + received).split(b"\n\n")
        for event in events:
            if b"event: state" in event:
                entry = event.partition(b'"entry":')[2].partition(b",")[0]
                self.seen.setdefault(entry, []).append(now)

    def close(self) -> None:
        self._open = False
        self._thread.join()
        for client in self._unread:
            client.close()
        self._selector.close()


def _half_open(port: int, count: int, clients: ExitStack) -> list[socket.socket]:
    """Connections that send a part of a request, and then nothing."""
    opened = []
    for number in range(count):
        # As many addresses as needed, because one may have 100 connections.
        source = f"127.0.2.{1 + number // 50}"
        client = clients.enter_context(
            socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))
        )
        client.sendall(_HALF_OPEN[number % len(_HALF_OPEN)])
        opened.append(client)
    return opened


def _still_open(opened: list[socket.socket]) -> int:
    alive = 0
    for client in opened:
        client.setblocking(False)
        try:
            alive += client.recv(65536) != b""
        except BlockingIOError:
            alive += 1
        except OSError:
            pass
    return alive


def _ask(port: int, method: str, path: str, body: object = None) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        assert response.status == 200, answer
        return answer
    finally:
        connection.close()


def _timed(act: Callable[[int], object], times: int) -> list[float]:
    times_s = []
    for number in range(times):
        begun = time.perf_counter()
        act(number)
        times_s.append(1000 * (time.perf_counter() - begun))
        time.sleep(0.02)
    return times_s


def _said(found: list[float]) -> str:
    return f"{statistics.median(found):.1f} / {statistics.quantiles(found, n=100)[98]:.1f} ms"


def connection_figures(folder: Path, *, half_open: int, streams: int, times: int) -> list[Row]:
    """Response times of the page and of commands, under half-open connections and streams."""
    say(f"{half_open} half-open connections and {streams} event streams")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 16384), most))
    port = free_port()
    sent: dict[bytes, float] = {}

    def rename(number: int) -> None:
        before = time.perf_counter()
        name = f"Anna {number}"
        answer = _ask(port, "POST", "/api/commands", {"do": "rename", "seat": 1, "name": name})
        sent[str(json.loads(answer)["entry"]).encode()] = before

    with daemon(folder, port) as (process, _), ExitStack() as clients:
        wait_for(port)
        start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
        _ask(port, "POST", "/api/commands", start)
        calm = _timed(lambda _: _ask(port, "GET", "/"), times)
        before = resident_kb(process.pid)
        followers = Streams(port, streams)
        clients.callback(followers.close)
        while len(followers.seen.get(b"1", ())) < streams:
            time.sleep(0.01)
        opened = _half_open(port, half_open, clients)
        pages = _timed(lambda _: _ask(port, "GET", "/"), times)
        commands = _timed(rename, times)
        time.sleep(1)
        after, alive, following = resident_kb(process.pid), _still_open(opened), len(followers)
        late = [1000 * (at - sent[entry]) for entry in sent for at in followers.seen.get(entry, ())]
    under = f"{half_open} half-open, {streams} streams"
    return [
        Row("page, alone: median / p99", _said(calm), ""),
        Row(f"page, {under}: median / p99", _said(pages), "≤ 50 ms p99"),
        Row(f"command, {under}: median / p99", _said(commands), "≤ 100 ms p99"),
        Row("command → event in each stream: median / p99", _said(late), "≤ 150 ms p99"),
        Row("streams that follow at the end", str(following), f"{streams}"),
        Row("half-open connections left", str(alive), "≤ 512"),
        Row("memory that they take", f"{(after - before) / 1024:.1f} MB", "≤ 40 MB"),
    ]


def main() -> None:
    """Measures and prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half-open", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--times", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for row in connection_figures(
            Path(name), half_open=args.half_open, streams=args.streams, times=args.times
        ):
            print(f"{row.what:<60}  {row.found:>18}  {row.goal}")


if __name__ == "__main__":
    main()
