"""How long connections stay open, and what many of them cost."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pochboard.server import connections
from pochboard.server.connections import Connections
from tests.shell.server_kit import LONG_S, running_house, wait_until

CLIENT, SERVER = ("192.0.2.1", 50000), ("192.0.2.2", 8080)


class Transport(asyncio.WriteTransport):
    """A connection to a client, which only records that it was closed."""

    def __init__(self, client: tuple[str, int] = CLIENT) -> None:
        super().__init__({"peername": client, "sockname": SERVER})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def aborted_after(seconds: float, steps: Any) -> bool:
    """Whether a connection has been closed so long after these steps, with a deadline of 50 ms."""

    async def run() -> bool:
        transport = Transport()
        held = Connections(8)
        held.add(transport)
        under_way = steps(held)
        await asyncio.sleep(seconds)
        aborted = transport.aborted
        del under_way  # requests that were not over yet
        return aborted

    with patch.object(connections, "IDLE_S", 0.05):
        return asyncio.run(run())


def test_a_connection_without_a_request_is_closed() -> None:
    assert aborted_after(0.3, lambda _: None)


def test_a_connection_is_closed_when_no_request_follows_the_last_one() -> None:
    def steps(held: Connections) -> None:
        with held.request(CLIENT, SERVER):
            pass

    assert aborted_after(0.3, steps)


def test_a_stream_stays_open_though_the_request_before_it_returns_later() -> None:
    def steps(held: Connections) -> object:
        # The server reads the next request as soon as it has sent the last response.
        page, stream = held.request(CLIENT, SERVER), held.request(CLIENT, SERVER)
        page.__enter__()
        stream.__enter__()
        page.__exit__(None, None, None)
        return stream

    assert not aborted_after(0.3, steps)


def cpu_s_of_flood(limit: int) -> float:
    """The CPU time for 2000 connections, eight from each address, at the limit."""

    async def run() -> float:
        held = Connections(limit)
        for number in range(limit):
            held.add(Transport((f"192.0.2.{number // 8}", number)))
        begun_s = time.thread_time()
        for number in range(2000):
            held.add(Transport((f"198.51.100.{number // 8}", number)))
        assert len(held) == limit
        return time.thread_time() - begun_s

    return min(asyncio.run(run()) for _ in range(3))


def test_a_further_connection_costs_the_same_however_many_are_open() -> None:
    assert cpu_s_of_flood(512) < 6 * cpu_s_of_flood(8)


def test_an_address_whose_client_vanished_can_connect_again() -> None:
    async def run() -> None:
        held = Connections(8)
        lost, again = Transport(), Transport()
        held.add(lost)
        held.add(again)
        held.discard(lost)
        assert [connection.transport for connection in held] == [again]
        held.discard(again)
        assert len(held) == 0

    asyncio.run(run())


def test_many_waiting_connections_are_accepted_a_few_at_a_time(tmp_path: Path) -> None:
    with running_house(tmp_path) as house, ExitStack() as clients:
        loop = house.server.events._loop
        assert loop is not None
        assert house.get("/healthz").status == 200  # it has started
        gate = threading.Event()
        loop.call_soon_threadsafe(gate.wait, LONG_S)
        opened: list[int] = []

        def count() -> None:
            opened.append(len(house.server.connections))
            if opened[-1] < 200:
                loop.call_soon(count)

        loop.call_soon_threadsafe(count)
        for number in range(200):
            # They wait for the loop; none is refused or has to try again.
            address = (f"127.0.1.{1 + number // 50}", 0)
            clients.enter_context(
                socket.create_connection(("127.0.0.1", house.port), LONG_S, source_address=address)
            )
        gate.set()
        wait_until("all are accepted", lambda: opened[-1:] == [200])
        assert max(after - before for before, after in pairwise(opened)) < 20
