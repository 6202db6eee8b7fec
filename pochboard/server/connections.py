"""The open connections, which one is closed to make room, and slots that clients share."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from pochboard.errors import Refusal, refuse
from pochboard.server.errors import ApiError
from pochboard.text.lazy import lazy_gettext

IDLE_S: Final = 15
"""How long a connection may go without a complete request head."""


MOST_FROM_ONE: Final = 100
"""How many connections one address may have open."""
_Key: TypeAlias = tuple[tuple[str, int], tuple[str, int]]
"""Address and port of both ends."""


class ClientGone(Exception):  # noqa: N818 - not an error: the client has left, or does not read
    """The client has gone, so there is nobody to respond to."""


class Connection:
    """One client's connection."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.transport = transport
        self.responses = 0
        """Responses under way. A request that is still arriving does not count."""
        self.requests = 0
        """Requests that are being answered: two for a moment, when the next one is read before
        the last one has returned."""
        self.deadline: asyncio.TimerHandle | None = None

    @contextmanager
    def responding(self) -> Iterator[None]:
        """A context in which the connection is not idle."""
        self.responses += 1
        try:
            yield
        finally:
            self.responses -= 1

    def drop(self) -> None:
        """Closes it at once and discards what the client has not read."""
        self.transport.abort()


class Connections:
    """All open connections, the one that has been idle longest first.

    Half-open connections must not keep phones out. So connections are limited, in total and for
    each address; at a limit, an idle one is dropped. Only for use on the server's event loop.
    """

    def __init__(
        self,
        limit: int,
        limit_from_one: int = MOST_FROM_ONE,
        *,
        is_shared: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`is_shared` says whether an address is that of a proxy, and so of many clients."""
        self._limit = limit
        self._is_shared = is_shared
        self._limit_from_one = limit_from_one
        self._open: dict[_Key, Connection] = {}
        self._by_host: dict[str, dict[_Key, Connection]] = {}
        """The same connections in the same order, by the client's address."""
        self._by_count: dict[int, dict[str, None]] = {}
        """The addresses with each number of connections, the one idle longest first."""

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Connection]:
        return iter(tuple(self._open.values()))

    def add(self, transport: asyncio.WriteTransport) -> None:
        """A client has connected."""
        key = _key(transport)
        host = key[0][0]
        own = len(self._by_host.get(host, ()))
        if own >= self._limit_from_one and not self._is_shared(host):
            self._make_room(host)
        elif len(self._open) >= self._limit:
            self._make_room()
        if key in self._open:
            self._remove(key)  # its client has vanished, and the loss has not been reported yet
        self._append(key, Connection(transport))

    def discard(self, transport: asyncio.WriteTransport) -> None:
        """A connection is lost. One that was dropped to make room is no longer here."""
        key = _key(transport)
        if key in self._open and self._open[key].transport is transport:
            self._remove(key)

    @contextmanager
    def request(
        self, client: tuple[str, int] | None, server: tuple[str, int] | None
    ) -> Iterator[Connection]:
        """The connection between two addresses, while a request on it is answered.

        Raises ClientGone if it no longer exists. Drops it if the body raises ClientGone.
        """
        if client is None or server is None or (client, server) not in self._open:
            raise ClientGone
        key = client, server
        connection = self._open[key]
        if connection.deadline:
            connection.deadline.cancel()
        connection.requests += 1
        try:
            yield connection
        except ClientGone:
            connection.drop()
            raise
        finally:
            connection.requests -= 1
            if self._open.get(key) is connection and not connection.requests:
                # Move it to the end: no other has been idle for a shorter time.
                self._append(key, self._remove(key))

    def _make_room(self, host: str | None = None) -> None:
        """Drops a connection, of this address if one is given, and an idle one if possible.

        Of several, it drops the one that has been idle longest, of the address with the most
        connections. So a flood does not drop a phone that has not yet sent its request.
        """
        # Each connection of a flood gets here, so look at few others.
        idle = None
        for address in [host] if host else self._fullest_first():
            idle = self._idle_of(address)
            if idle:
                break
        if idle is None:
            fullest = host or next(self._fullest_first())
            idle = next(iter(self._by_host[fullest].values()))
        # Remove it now, because its transport reports the loss only later.
        self._remove(_key(idle.transport)).drop()

    def _fullest_first(self) -> Iterator[str]:
        """All addresses, those with the most connections first."""
        for count in sorted(self._by_count, reverse=True):
            yield from self._by_count[count]

    def _idle_of(self, host: str) -> Connection | None:
        for connection in self._by_host[host].values():
            if not connection.responses:
                return connection
        return None

    def _count(self, host: str, by: int) -> None:
        """Records that an address has one connection more or less."""
        after = len(self._by_host.get(host, ()))
        before = after - by
        if before:
            del self._by_count[before][host]
            if not self._by_count[before]:
                del self._by_count[before]
        if after:
            self._by_count.setdefault(after, {})[host] = None

    def _append(self, key: _Key, connection: Connection) -> None:
        """Moves it to the end: it has been idle for the shortest time."""
        host = key[0][0]
        self._open[key] = connection
        self._by_host.setdefault(host, {})[key] = connection
        self._count(host, 1)
        self._start_deadline(connection)

    def _start_deadline(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        connection.deadline = loop.call_later(IDLE_S, connection.drop)

    def _remove(self, key: _Key) -> Connection:
        connection = self._open.pop(key)
        host = key[0][0]
        del self._by_host[host][key]
        self._count(host, -1)
        if not self._by_host[host]:
            del self._by_host[host]
        if connection.deadline:
            connection.deadline.cancel()
        return connection


def _key(transport: asyncio.WriteTransport) -> _Key:
    """Both ends of a connection. At any time no two connections have the same ones."""
    peer, local = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
    return _end(peer or ("", id(transport))), _end(local or ("", 0))


def _end(address: tuple[object, ...]) -> tuple[str, int]:
    host, port = address[:2]
    assert isinstance(host, str)
    assert isinstance(port, int)
    return host, port


_ALL_TAKEN: Final = refuse(
    "busy", lazy_gettext("Too many requests at once. Try again in a moment.")
)
_TOO_MANY_FROM_ONE: Final = refuse(
    "busy", lazy_gettext("Too many requests at once from this address. Wait a moment.")
)


class Slots:
    """A limited number of slots, so that no client can lock the others out. Thread-safe."""

    def __init__(
        self,
        total: int | None = None,
        per_client: int | None = None,
        *,
        all_taken: Refusal = _ALL_TAKEN,
        too_many_from_one: Refusal = _TOO_MANY_FROM_ONE,
    ) -> None:
        """How many there are in all, and how many one address may take; None: any number."""
        self._total = total
        self._per_client = per_client
        self._all_taken = all_taken
        self._too_many_from_one = too_many_from_one
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self._taken.total()

    @contextmanager
    def slot(self, address: str) -> Iterator[None]:
        """Takes a slot. Raises ApiError: 429 if this client has too many, 503 if none is left."""
        with self._lock:
            if self._per_client is not None and self._taken[address] >= self._per_client:
                raise ApiError(429, self._too_many_from_one, headers={"Retry-After": "1"})
            if self._total is not None and self._taken.total() >= self._total:
                raise ApiError(503, self._all_taken, headers={"Retry-After": "1"})
            self._taken[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[address] -= 1
                if not self._taken[address]:
                    del self._taken[address]
