"""How long connections stay open, and which one is closed to make room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from unittest.mock import patch

from pochboard.server import connections
from pochboard.server.connections import MOST_FROM_ONE, Connections


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
