"""How long connections stay open."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import patch

from pochboard.server import connections
from pochboard.server.connections import Connections

CLIENT, SERVER = ("192.0.2.1", 50000), ("192.0.2.2", 8080)


class Transport(asyncio.WriteTransport):
    """A connection to a client, which only notes that it was closed."""

    def __init__(self) -> None:
        super().__init__({"peername": CLIENT, "sockname": SERVER})
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
