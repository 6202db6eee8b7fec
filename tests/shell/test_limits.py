"""What a client, or a crowd, may have at once: it never locks others out (SECURITY.md 3)."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from pochboard.exports import FORMATS
from pochboard.server import asgi, connections, events
from pochboard.server.connections import MOST_FROM_ONE, Connections
from pochboard.server.routes import nights
from pochboard.server.server import READING_THREADS
from tests.bench.process import resident_kb
from tests.shell.daemons import Home
from tests.shell.server_kit import LONG_S, House, wait_until
from tests.shell.test_server_pairing import pair

STRANGER, OTHER = "127.0.0.2", "127.0.0.3"
"""Two addresses of this machine, for two clients."""


def connect(house: House, source: str) -> socket.socket:
    return socket.create_connection(
        ("127.0.0.1", house.port), timeout=LONG_S, source_address=(source, 0)
    )


def all_are_gone(house: House) -> None:
    """Waits until the server has accepted and closed all connections that clients have closed.

    One that it accepts while it stops would be left open.
    """
    assert house.get("/healthz").status == 200  # connections are accepted in order
    wait_until("all are gone", lambda: len(house.server.connections) == 0)


def test_one_client_may_follow_twenty_streams_and_no_more(house: House) -> None:
    with ExitStack() as streams:
        for _ in range(20):
            stream = streams.enter_context(house.stream(source=STRANGER))
            stream.next("state")
        for _ in range(200):
            answer = house.ask("GET", "/api/events", source=STRANGER)
            assert (answer.status, answer.code) == (429, "busy")
        with house.stream(source=OTHER) as phone:
            assert phone.next("state").data["phase"] == "none"
    wait_until("all have ended", lambda: len(house.server.events) == 0)
    with house.stream(source=STRANGER) as stream:
        assert stream.next("state").data["phase"] == "none"


def test_a_paired_phone_takes_the_place_of_an_unpaired_stream(
    real: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_STREAMS", 4)
    cookie = {"Cookie": pair(real).cookie}
    with ExitStack() as streams:
        first, *others = (
            streams.enter_context(real.stream(source=f"127.0.0.{number}")) for number in range(2, 6)
        )
        for stream in (first, *others):
            stream.next("state")
        assert real.ask("GET", "/api/events", source="127.0.0.9").status == 503
        with real.stream(headers=cookie, source="127.0.0.9") as phone:
            assert phone.next("state").data["pairing"]["paired"] is True
            while first.read() is not None:
                pass
            wait_until("four are left", lambda: len(real.server.events) == 4)


def test_one_client_may_have_a_hundred_connections_and_the_longest_idle_is_dropped(
    house: House,
) -> None:
    with ExitStack() as clients:
        opened = [clients.enter_context(connect(house, STRANGER)) for _ in range(150)]
        other = clients.enter_context(connect(house, OTHER))
        for client in opened[:50]:
            assert client.recv(1) == b""
        wait_until("the others are open", lambda: len(house.server.connections) == 101)
        other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert other.recv(12) == b"HTTP/1.1 200"
    all_are_gone(house)


def test_a_command_does_not_wait_for_pages(house: House) -> None:
    stuck = threading.Event()
    with ExitStack() as clients:
        clients.callback(stuck.set)
        for _ in range(READING_THREADS):
            house.server._reading.executor.submit(stuck.wait)
        for _ in range(2):
            client = http.client.HTTPConnection("127.0.0.1", house.port, timeout=LONG_S)
            clients.callback(client.close)
            client.request("GET", "/")
        house.start_night()
        with house.stream() as stream:
            assert stream.next("state").data["phase"] == "idle"


# Long nights.


def long_night(house: House, entries: int) -> None:
    """Night 1 with this many entries, and night 2 in progress."""
    house.start_night()
    for number in range(entries - 2):
        assert house.command(do="rename", seat=1, name=f"Anna {number}").status == 200
    house.command(do="end")
    house.start_night()


def test_long_nights_come_in_parts_that_name_the_next(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = nights.MOST_ENTRIES
    long_night(house, 25)
    all_at_once = house.get("/api/nights/1/entries")
    assert "link" not in all_at_once.headers, "a night of families comes in one answer"
    assert whole == 1000
    monkeypatch.setattr(nights, "MOST_ENTRIES", 10)
    for query in ("", "?table=1"):
        expected = house.get(f"/api/nights/1/entries{query}")
        found, path = [], f"/api/nights/1/entries{query}"
        while path:
            answer = house.get(path)
            assert len(answer.json) <= 10
            found += answer.json
            path, _, rest = answer.headers.get("link", "").removeprefix("<").partition(">")
            assert rest in ("", '; rel="next"')
        assert [entry["number"] for entry in found] == list(range(1, 26))
        assert found[:10] == expected.json
    assert len(house.get("/api/nights/1/entries?after=3&limit=4").json) == 4
    for limit in ("0", "11", "x", "-1", "1" * 5000, ""):
        answer = house.get(f"/api/nights/1/entries?limit={limit}")
        assert (answer.status, answer.code) == (400, "bad-argument")
        assert answer.json["message"].startswith('"limit" must be a whole number from 1 to 10, ')


@pytest.mark.parametrize(
    "path", ["/api/nights", "/api/nights/1/entries", *(f"/api/nights/1/{name}" for name in FORMATS)]
)
def test_a_long_answer_is_the_same_in_pieces(
    house: House, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    long_night(house, 25)
    whole = house.get(path)
    assert "content-length" in whole.headers
    monkeypatch.setattr(asgi, "_PIECE", 200)
    in_pieces, packed = house.get(path), house.get(path, {"Accept-Encoding": "gzip"})
    assert "content-length" not in in_pieces.headers
    assert in_pieces.body == whole.body
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == whole.body
    assert house.ask("HEAD", path).body == b""
    # A client that goes away in the middle keeps nobody waiting.
    with socket.create_connection(("127.0.0.1", house.port)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert client.recv(100)
    assert house.get(path).body == whole.body


class Transport(asyncio.WriteTransport):
    """A connection to a client, which only records that it was closed."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        super().__init__({"peername": (address, 50_000)})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def aborted_after(steps: Callable[[Connections, Transport], object]) -> bool:
    """Whether a connection is closed for its silence after these steps."""

    async def run() -> bool:
        transport, held = Transport(), Connections(8)
        under_way = steps(held, transport)
        await asyncio.sleep(0.3)
        aborted = transport.aborted
        del under_way  # requests that were not over yet
        return aborted

    with patch.object(connections, "IDLE_S", 0.05):
        return asyncio.run(run())


def test_a_connection_without_a_request_is_closed() -> None:
    assert aborted_after(lambda held, transport: held.add(transport))


def test_a_connection_is_closed_when_no_request_follows_the_last_one() -> None:
    def steps(held: Connections, transport: Transport) -> None:
        with held.request(held.add(transport)):
            pass

    assert aborted_after(steps)


def test_a_stream_stays_open_though_the_request_before_it_returns_later() -> None:
    def steps(held: Connections, transport: Transport) -> object:
        # The server reads the next request as soon as it has sent the last response.
        connection = held.add(transport)
        page, stream = held.request(connection), held.request(connection)
        page.__enter__()
        stream.__enter__()
        page.__exit__(None, None, None)
        return stream

    assert not aborted_after(steps)


def left_of(held: Connections, transports: list[Transport]) -> list[int]:
    """Which of these connections are still held, and whether the others were closed."""
    known = [connection.transport for connection in held]
    assert all(transport.aborted == (transport not in known) for transport in transports)
    return [number for number, transport in enumerate(transports) if transport in known]


def test_at_the_limit_the_connection_that_has_been_idle_longest_makes_room() -> None:
    async def run() -> None:
        held = Connections(4)
        transports = [Transport(f"192.0.2.{number}") for number in range(7)]
        first, second, *_ = [held.add(transport) for transport in transports[:4]]
        with ExitStack() as answered:
            answered.enter_context(first.responding())  # a stream
            with held.request(second):  # now the others have been idle for longer
                pass
            held.add(transports[4])
            held.add(transports[5])
            assert left_of(held, transports[:6]) == [0, 1, 4, 5]
            for connection in held:
                answered.enter_context(connection.responding())
            held.add(transports[6])  # nobody is idle: the oldest goes
            assert len(held) == 4
            assert transports[0].aborted

    asyncio.run(run())


def test_one_address_takes_only_its_own_share_unless_it_is_a_proxy_s() -> None:
    async def run() -> None:
        held = Connections(512, is_shared=lambda address: address == "192.0.2.9")
        phone = Transport("192.0.2.7")
        held.add(phone)
        flood = [Transport("192.0.2.8") for _ in range(MOST_FROM_ONE + 20)]
        for transport in flood:
            held.add(transport)
        assert sum(transport.aborted for transport in flood) == 20
        assert not phone.aborted
        for _ in range(MOST_FROM_ONE + 20):
            held.add(Transport("192.0.2.9"))
        assert len(held) == 1 + MOST_FROM_ONE + MOST_FROM_ONE + 20

    asyncio.run(run())


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
