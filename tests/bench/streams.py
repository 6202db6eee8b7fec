"""Phones that follow the events of a daemon."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from typing import Self


class Streams:
    """Records when each of them sees an entry."""

    def __init__(self, port: int, count: int, languages: tuple[str, ...] = ("en",)) -> None:
        self._count = count
        self._selector = selectors.DefaultSelector()
        self._unread: dict[socket.socket, bytes] = {}
        self.seen: dict[bytes, list[float]] = {}
        """When each client saw a state, by the state's entry."""
        for number in range(count):
            client = socket.create_connection(("127.0.0.1", port), timeout=20)
            language = languages[number % len(languages)]
            client.sendall(
                f"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost:{port}\r\n"
                f"Accept-Language: {language}\r\n\r\n".encode()
            )
            client.setblocking(False)
            self._selector.register(client, selectors.EVENT_READ)
            self._unread[client] = b""
        self._open = True
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        self._thread.join()
        for client in self._unread:
            client.close()
        self._selector.close()

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
        received = client.recv(262144)
        assert received, "the daemon has closed a stream"
        now = time.perf_counter()
        *events, self._unread[client] = (self._unread[client] + received).split(b"\n\n")
        for event in events:
            if b"event: state" in event:
                entry = event.partition(b'"entry":')[2].partition(b",")[0]
                self.seen.setdefault(entry, []).append(now)
