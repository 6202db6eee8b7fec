"""The open connections, which one is closed to make room, and slots that clients share."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pochboard.errors import Refusal, refuse
from pochboard.server.errors import ApiError
from pochboard.server.hosts import plain_address
from pochboard.text.lazy import lazy_gettext

IDLE_S: Final = 15
"""How long a connection may go without a complete request head."""
MOST_FROM_ONE: Final = 100
"""How many connections one address may have open."""


class ClientGone(Exception):  # noqa: N818 - not an error: the client has left
    """The client has gone, so there is nobody to respond to."""


class Connection:
    """One client's connection. Only for use on the server's event loop."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.transport = transport
        self.address = plain_address((transport.get_extra_info("peername") or ("",))[0])
        """Of the other end: the client, or a proxy."""
        self.responses = 0
        """Responses under way. A request that is still arriving does not count."""
        self.requests = 0
        """Requests whose head is complete: two for a moment, when the next one is read before the
        last one has returned."""
        self.deadline: asyncio.TimerHandle | None = None

    @contextmanager
    def responding(self) -> Iterator[None]:
        """A context in which the connection is not idle."""
        self.responses += 1
        try:
            yield
        finally:
            self.responses -= 1

    def await_head(self) -> None:
        """Drops the connection if no request comes in time."""
        self.deadline = asyncio.get_running_loop().call_later(IDLE_S, self.drop)

    def stop_waiting(self) -> None:
        """A request has come, or the connection is lost."""
        if self.deadline is not None:
            self.deadline.cancel()

    def drop(self) -> None:
        """Closes it at once and discards what the client has not read."""
        self.transport.abort()


class Connections:
    """All open connections, the one that has been idle longest first.

    Without a limit, descriptors run out, and the ledger cannot be opened any more. At the limit, in
    total or for one address, an idle connection is dropped: half-open ones keep no phone out.
    """

    def __init__(self, limit: int, *, is_shared: Callable[[str], bool] = lambda _: False) -> None:
        """`is_shared` says whether an address is that of a proxy, and so of many clients."""
        self._limit = limit
        self._is_shared = is_shared
        self._open: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Connection]:
        return iter(tuple(self._open))

    def add(self, transport: asyncio.WriteTransport) -> Connection:
        """A client has connected."""
        new = Connection(transport)
        own = [one for one in self._open if one.address == new.address]
        if len(own) >= MOST_FROM_ONE and not self._is_shared(new.address):
            self._drop_idle(own)
        elif len(self._open) >= self._limit:
            self._drop_idle(list(self._open))
        self._open[new] = None
        new.await_head()
        return new

    def discard(self, connection: Connection) -> None:
        """A connection is lost. One that was dropped to make room is no longer here."""
        self._open.pop(connection, None)
        connection.stop_waiting()

    @contextmanager
    def request(self, connection: Connection) -> Iterator[None]:
        """A context in which a request on the connection is answered."""
        connection.stop_waiting()
        connection.requests += 1
        try:
            yield
        finally:
            connection.requests -= 1
            if connection in self._open and not connection.requests:
                # Move it to the end: no other has been idle for a shorter time.
                del self._open[connection]
                self._open[connection] = None
                connection.await_head()

    def _drop_idle(self, crowd: list[Connection]) -> None:
        """Drops the connection that has been idle longest, or else the oldest."""
        idle = next((one for one in crowd if not one.responses), crowd[0])
        # Its transport reports the loss only later.
        self.discard(idle)
        idle.drop()


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
        too_many_from_one: Refusal = _TOO_MANY_FROM_ONE,
    ) -> None:
        """How many there are in all, and how many one address may take; None: any number."""
        self._total = total
        self._per_client = per_client
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
                raise ApiError(503, _ALL_TAKEN, headers={"Retry-After": "1"})
            self._taken[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[address] -= 1
                if not self._taken[address]:
                    del self._taken[address]
