"""The memory that a real daemon keeps after crowds of clients have gone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.bench.process import resident_kb
from tests.shell.daemons import Home
from tests.shell.server_kit import LONG_S, wait_until

HALF_OPEN, STREAMS, DEAF = 300, 150, 10
MOST_CROWDS = 10
KEPT_KB = 200
"""Half a kilobyte per connection; a transport that is not freed takes 1.6 kB."""
RESERVED = 16 * 1024 * 1024
"""Thread stacks have guard pages, which are smaller; glibc reserves 64 MiB for a heap."""


def open_files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def heaps_of_threads(pid: int) -> list[str]:
    """The address space that glibc has reserved for heaps other than the main one."""
    heaps = []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        addresses, access, *rest = line.split()
        first, end = (int(address, 16) for address in addresses.split("-"))
        if access == "---p" and len(rest) == 3 and end - first > RESERVED:
            heaps.append(line)
    return heaps


@contextmanager
def crowd(port: int, half_open: int, streams: int, deaf: int) -> Iterator[None]:
    """Half-open connections, streams and clients that do not read, from many addresses."""
    events = b"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    page = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
    sends = [(b"", b"GET / HT", b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\n")[n % 3]
             for n in range(half_open)]  # fmt: skip
    sends += [events] * streams + [page] * deaf
    with ExitStack() as clients:
        for number, data in enumerate(sends):
            source = f"127.0.4.{1 + number % 250}"
            with suppress(ConnectionError):
                client = clients.enter_context(
                    socket.create_connection(
                        ("127.0.0.1", port), timeout=LONG_S, source_address=(source, 0)
                    )
                )
                client.sendall(data)
        yield


def test_memory_does_not_grow_with_each_crowd(tmp_path: Path) -> None:
    with Home(tmp_path).daemon() as daemon:
        pid = daemon.process.pid
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        calm_files = open_files(pid)
        everybody = calm_files + HALF_OPEN + STREAMS
        grown_kb: list[int] = []
        before_kb = 0
        for number in range(MOST_CROWDS):
            with crowd(daemon.port, HALF_OPEN, STREAMS, DEAF):
                wait_until("they are in", lambda: open_files(pid) >= everybody)
                daemon.do(do="rename", seat=1, name=f"Anna {number}")
            wait_until("they have gone", lambda: open_files(pid) <= calm_files + 1)
            after_kb = resident_kb(pid)
            grown_kb.append(after_kb - before_kb)
            before_kb = after_kb
            # Python keeps the memory that the largest crowd needed. This depends on how busy the
            # machine is, so a later crowd may need a little more.
            if number and grown_kb[-1] <= KEPT_KB:
                break
        # The thread that reads signals starts before the setting, and has its own.
        heaps = heaps_of_threads(pid)
        assert len(heaps) <= 1, "what one thread frees, no other could use"
        assert grown_kb[-1] <= KEPT_KB, grown_kb
        assert daemon.ask("GET", "/healthz").status == 200
