"""Pairing: which phones may change anything (BOARD.md 5)."""

from __future__ import annotations

import hashlib
import logging
import secrets

import msgspec

from pochboard.errors import LedgerError
from pochboard.store import Pairing, Store
from pochboard.table.clock import now_ms, now_us

log = logging.getLogger(__name__)

TOUCH_MS = 3_600_000
"""The last use of a pairing is stored at most this often."""
TOKEN_BYTES = 32


class PairingWindow(msgspec.Struct, frozen=True):
    """The pairing window while it is open, on the monotonic and on the wall clock."""

    since_us: int
    end_us: int
    end_ms: int


class PairingService:
    """The pairing window and the paired phones. Not thread-safe."""

    def __init__(self, store: Store, window_s: float) -> None:
        self._store = store
        self._window_s = window_s
        self._known: dict[bytes, Pairing] = {}
        self.window: PairingWindow | None = None
        self.changes = 0
        """How often a phone was paired or a pairing revoked."""
        store.drop_ended_pairings(now_ms())

    def open(self) -> None:
        """Opens the window, or opens it for its full time again."""
        since_us = now_us()
        self.window = PairingWindow(
            since_us,
            since_us + round(self._window_s * 1_000_000),
            now_ms() + round(self._window_s * 1_000),
        )

    def close_if_due(self) -> bool:
        """Closes the window when its time is over. Returns whether it did."""
        if self.window is None or now_us() < self.window.end_us:
            return False
        self.window = None
        return True

    def pair(self, label: str) -> str | None:
        """A new token for the first phone that asks while the window is open, else None."""
        if self.window is None:
            return None
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._store.pair(_digest(token), label, now_ms())
        self.window = None
        self.changes += 1
        return token

    def known(self, token: str) -> Pairing | None:
        """A pairing that was in force within the last hour; safe to ask from any thread."""
        pairing = self._known.get(_digest(token))
        return pairing if pairing and now_ms() - pairing.used_ms < TOUCH_MS else None

    def use(self, token: str) -> Pairing | None:
        """The pairing of a token, if it is in force; notes that it was used."""
        digest = _digest(token)
        pairing = self._store.pairing(digest)
        if pairing is None or pairing.ended(now_ms()):
            return None
        used = msgspec.structs.replace(pairing, used_ms=now_ms())
        try:
            self._store.touch(used.number, used.used_ms)
        except LedgerError as error:
            # A full disk must not lock anybody out; a later use will be stored.
            log.warning("the use of a pairing is not noted: %s", error)
            return pairing
        self._known[digest] = used
        return used

    def all(self) -> list[Pairing]:
        """All pairings in force, oldest first."""
        return [pairing for pairing in self._store.pairings() if not pairing.ended(now_ms())]

    def revoke(self, number: int) -> bool:
        """Ends a pairing. Returns whether there was one."""
        self._known.clear()
        gone = self._store.unpair(number)
        self.changes += gone
        return gone


def _digest(token: str) -> bytes:
    """The part of a token that is stored."""
    return hashlib.sha256(token.encode()).digest()
