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
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.bench.process import daemon, free_port, resident_kb, until_answered
from tests.bench.table import Goal, Row, Run, say, times

_BODY_MISSING = (
    b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9\r\n\r\n{"
)
_HALF_OPEN = (b"", b"GET / HT", _BODY_MISSING)
"""What half-open clients send before they fall silent."""


class Streams:
    """Clients that follow the events. Records when each of them sees an entry."""

    def __init__(
        self, port: int, count: int, languages: tuple[str, ...] = ("en",), *, frames: bool = False
    ) -> None:
        self._count = count
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
            language = languages[number % len(languages)]
            client.sendall(
                f"GET /api/events?frames={frames:d} HTTP/1.1\r\nHost: localhost:{port}\r\n"
                f"Accept-Language: {language}\r\n\r\n".encode()
            )
            client.setblocking(False)
            self._selector.register(client, selectors.EVENT_READ)
            self._unread[client] = b""
        self._open = True
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def __len__(self) -> int:
        return len(self._unread)

    def wait_until_all_saw(self, entry: bytes) -> None:
        """Returns once every client has seen an entry."""
        deadline = time.monotonic() + 60
        while len(self.seen.get(entry, ())) < self._count:
            assert time.monotonic() < deadline, f"nobody tells all streams of entry {entry!r}"
            time.sleep(0.001)

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


def _timed(act: Callable[[int], object], count: int) -> list[float]:
    times_s = []
    for number in range(count):
        begun = time.perf_counter()
        act(number)
        times_s.append(time.perf_counter() - begun)
        time.sleep(0.02)
    return times_s


def connection_figures(folder: Path, *, half_open: int, streams: int, count: int) -> list[Row]:
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
        until_answered(port)
        start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
        _ask(port, "POST", "/api/commands", start)
        calm = _timed(lambda _: _ask(port, "GET", "/"), count)
        before = resident_kb(process.pid)
        followers = Streams(port, streams)
        clients.callback(followers.close)
        followers.wait_until_all_saw(b"1")
        opened = _half_open(port, half_open, clients)
        pages = _timed(lambda _: _ask(port, "GET", "/"), count)
        commands = _timed(rename, count)
        time.sleep(1)
        after, alive, following = resident_kb(process.pid), _still_open(opened), len(followers)
        late = [at - sent[entry] for entry in sent for at in followers.seen.get(entry, ())]
    under = f"{half_open} half-open connections and {streams} streams"
    return [
        times(f"page, under {under}", pages, beside=("alone", calm), goals=(Goal(50.0, "p99"),)),
        times(f"command, under {under}", commands, goals=(Goal(100.0, "p99"),)),
        times("command → event in each of these streams", late, goals=(Goal(150.0, "p99"),)),
        Row(
            "streams that follow at the end",
            "",
            following,
            None,
            "streams that were opened",
            streams,
            (Goal(1.0, "ratio", at_least=True),),
        ),
        Row("half-open connections left", "", alive, goals=(Goal(512.0),)),
        Row("memory that they all take", "MB", (after - before) / 1024, goals=(Goal(40.0),)),
    ]


def main() -> None:
    """Measures and prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half-open", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--times", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        run = Run.begin()
        run.groups["connections"] = connection_figures(
            Path(name), half_open=args.half_open, streams=args.streams, count=args.times
        )
        print(run.text())


if __name__ == "__main__":
    main()
