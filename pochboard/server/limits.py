"""How much there may be of something at once, in all and for each client (SECURITY.md 3)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pochboard.errors import Refusal, refuse
from pochboard.server.errors import ApiError
from pochboard.text.lazy import lazy_gettext

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
