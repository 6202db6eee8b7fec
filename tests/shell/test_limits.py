"""What a client, or a crowd, may have at once: it never locks others out (SECURITY.md 3)."""

from __future__ import annotations

import asyncio
import http.client
import socket
from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pytest

from pochboard.server import events, web_server
from pochboard.server.arrival import Arrival
from pochboard.server.errors import ApiError
from pochboard.server.exchange import Exchange, Room
from pochboard.server.middleware import MOST_READERS
from pochboard.server.routes import nights
from pochboard.server.web_server import MOST_FROM_ONE, Connection, Connections
from tests.bench.process import resident_kb
from tests.shell.daemons import Home
from tests.shell.server_kit import LONG_S, House, Stream, wait_until
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


def test_paired_phones_keep_their_streams_and_the_oldest_of_others_makes_room(
    real: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_STREAMS", 4)
    cookie = {"Cookie": pair(real).cookie}
    with ExitStack() as streams:

        def follow(headers: dict[str, str] | None = None) -> Stream:
            stream = streams.enter_context(real.stream(headers=headers))
            stream.next("state")
            return stream

        first, *others = (follow() for _ in range(4))
        follow(cookie)
        for stream in (first, *others):
            if stream is not first:
                follow(cookie)
            while stream.read() is not None:
                pass
        wait_until("four are left", lambda: len(real.server.events) == 4)
        answer = real.ask("GET", "/api/events")
        assert (answer.status, answer.code) == (503, "busy")


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


@contextmanager
def kept_waiting(house: House, turns: asyncio.Semaphore, count: int, path: str) -> Iterator[None]:
    """Takes all turns, so that two clients wait for one."""
    loop = house.server._web.loop
    with ExitStack() as clients:
        for _ in range(count):
            asyncio.run_coroutine_threadsafe(turns.acquire(), loop).result(LONG_S)
            clients.callback(loop.call_soon_threadsafe, turns.release)
        for _ in range(2):
            client = http.client.HTTPConnection("127.0.0.1", house.port, timeout=LONG_S)
            clients.callback(client.close)
            client.request("GET", path)
        yield


def test_a_command_does_not_wait_for_pages(house: House) -> None:
    readers = house.server._middleware._readers
    with kept_waiting(house, readers, MOST_READERS, "/"):
        house.start_night()
        with house.stream() as stream:
            assert stream.next("state").data["phase"] == "idle"


def test_a_page_does_not_wait_for_long_nights(house: House) -> None:
    with kept_waiting(house, house.server._middleware._long, 1, "/api/nights"):
        assert house.get("/").status == 200


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


def test_long_answers_that_nobody_takes_leave_no_room_for_others() -> None:
    taken = asyncio.Event()

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            await taken.wait()

    async def run() -> None:
        room, long = Room(), bytes(20 * 1024 * 1024)

        def respond(body: bytes) -> asyncio.Task[None]:
            arrival, connection = Arrival(address="192.0.2.1"), Connection(Transport())
            exchange = Exchange(arrival, connection, room, cast("Any", None), send)
            return asyncio.create_task(exchange.respond(200, [], body))

        waiting = [respond(long) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="Too many requests at once"):
            await respond(long)
        waiting += [respond(bytes(1_000)) for _ in range(1_000)]
        await asyncio.sleep(0)
        taken.set()
        await asyncio.gather(*waiting, respond(long))

    asyncio.run(run())


class Transport(asyncio.WriteTransport):
    """A connection to a client, which only records that it was closed."""

    def __init__(self, address: str = "192.0.2.1") -> None:
        super().__init__({"peername": (address, 50_000)})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


@pytest.mark.parametrize(("serving", "dropped"), [(False, True), (True, False)])
def test_a_connection_is_dropped_if_its_client_is_waited_for_too_long(
    *, serving: bool, dropped: bool
) -> None:
    async def run() -> bool:
        transport = Transport()
        connection = Connections(8).add(transport)
        connection.stop_expecting()
        connection.expect()
        if serving:
            connection.stop_expecting()
        await asyncio.sleep(0.3)
        return transport.aborted

    with patch.object(web_server, "PATIENCE_S", 0.05):
        assert asyncio.run(run()) is dropped


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
        first.stop_expecting()  # a stream
        second.expect()  # now the others have been idle for longer
        held.add(transports[4])
        held.add(transports[5])
        assert left_of(held, transports[:6]) == [0, 1, 4, 5]
        for connection in held:
            connection.stop_expecting()
        held.add(transports[6])  # nobody is idle: streams go on
        assert left_of(held, transports) == [0, 1, 4, 5]

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
