"""What one client may have at once, so that it cannot lock the others out (SECURITY.md 3)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from pochboard.errors import Refusal
from pochboard.server.errors import ApiError


class ClientSlots:
    """A limited number of slots for each client's address. Thread-safe."""

    def __init__(self, most: int, refusal: Refusal) -> None:
        """`refusal` is the answer when a client has no slot left."""
        self._most = most
        self._refusal = refusal
        self._lock = threading.Lock()
        self._taken: Counter[str] = Counter()

    @contextmanager
    def slot(self, address: str) -> Iterator[None]:
        """A context that takes one of the client's slots. Raises ApiError 429 if it has none."""
        with self._lock:
            if self._taken[address] >= self._most:
                raise ApiError(429, self._refusal, headers={"Retry-After": "1"})
            self._taken[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken[address] -= 1
                if not self._taken[address]:
                    del self._taken[address]
