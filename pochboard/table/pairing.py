"""Pairing: which phones may change anything (BOARD.md 5)."""

from __future__ import annotations

import hashlib
import logging
import secrets
import unicodedata
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from pochboard.errors import DamagedLedgerError, LedgerError, Refusal, refuse
from pochboard.lights.render import code_format
from pochboard.messages.labels import seconds
from pochboard.runtime.threads import Change, now_us
from pochboard.store import Pairing, Store
from pochboard.table.clock import now_ms
from pochboard.table.snapshot import Setup

log = logging.getLogger(__name__)

TOUCH_MS = 3_600_000
"""The last use of a pairing is stored at most this often."""
TOKEN_BYTES = 32
MOST_WRONG = 20
"""How many wrong codes all clients together may send."""
MOST_WRONG_FROM_ONE = 5
"""How many wrong codes one address may send."""
FORGIVE_S = 300
"""After this time one more wrong code is allowed, for each address and for all together."""
_ADDRESSES_KEPT = 256

_WRONG_CODE: Final = refuse(
    "wrong-code",
    "That is not the code. Count the white lights on each ring again.",
)


class PairingWindow(msgspec.Struct, frozen=True):
    """The pairing window while it is open, on the monotonic and on the wall clock."""

    since_us: int
    end_us: int
    end_ms: int
    code: tuple[int, ...]


class _Tries:
    """How many wrong codes may still be sent; grows by one every `FORGIVE_S`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = float(most)
        self._at_us = now_us()

    def left(self) -> float:
        """The number now."""
        clock_us = now_us()
        forgiven = (clock_us - self._at_us) / 1_000_000 / FORGIVE_S
        self._left = min(self._most, self._left + forgiven)
        self._at_us = clock_us
        return self._left

    def use(self) -> None:
        """Takes one."""
        self._left = self.left() - 1


def pairing_closed(hold_us: int) -> Refusal:
    """The refusal while no window is open. Holding `next` for `hold_us` opens one."""
    return refuse(
        "pairing-closed",
        "Pairing is closed. Hold “next” on the board for {seconds} s, then try again.",
        seconds=seconds(hold_us),
    )


def not_paired(hold_us: int) -> Refusal:
    """The refusal of what only a paired phone may do. Holding `next` this long opens pairing."""
    return refuse(
        "not-paired",
        "This phone is not paired. Hold “next” on the board for {seconds} s, then type the code"
        " that the rings show.",
        seconds=seconds(hold_us),
    )


class Pairings:
    """The pairing window and the paired phones.

    `of` and what comes after it is for any thread, the rest for the table's.
    """

    def __init__(
        self,
        store: Store,
        setup: Setup,
        change: Change,
        on_wrong_code: Callable[[Refusal, int], None],
    ) -> None:
        """`on_wrong_code` gets the refusal and the number of digits of the code."""
        self._change = change
        self._on_wrong_code = on_wrong_code
        self._hold_us = setup.times.next_long_us
        self._store = store
        self._window_s = setup.window_s
        self._digits, self._highest = code_format(setup.lights)
        self._tries = _Tries(MOST_WRONG)
        self._tries_by: OrderedDict[str, _Tries] = OrderedDict()
        self._known: dict[bytes, Pairing] = {}
        self._unstored: dict[bytes, Pairing] = {}
        """Pairings made while the ledger can only be read. They last as long as the daemon."""
        self.window: PairingWindow | None = None
        self.changes = 0
        """How often a phone was paired or a pairing revoked."""

    def open_window(self) -> None:
        """Opens the window. If it is open, restarts its time with the same code."""
        since_us = now_us()
        length_ms = round(self._window_s * 1000)
        code = (
            self.window.code
            if self.window
            else tuple(1 + secrets.randbelow(self._highest) for _ in range(self._digits))
        )
        self.window = PairingWindow(
            since_us, since_us + length_ms * 1000, now_ms() + length_ms, code
        )

    def close(self) -> None:
        """Closes the window."""
        self.window = None

    def due_us(self) -> int | None:
        """When the window has to be closed; None if it is."""
        return self.window.end_us if self.window else None

    def _pair(self, label: str, code: str, address: str) -> tuple[str, Pairing] | Refusal:
        if self.window is None:
            return pairing_closed(self._hold_us)
        if not code:
            return refuse("wrong-code", "Type the code that the rings show.")
        tries = self._tries_from(address)
        if min(tries.left(), self._tries.left()) < 1:
            return refuse(
                "too-many-codes",
                "There have been too many wrong codes. Try again in {minutes} minutes.",
                minutes=FORGIVE_S // 60,
            )
        expected = "".join(map(str, self.window.code))
        typed = "".join(str(unicodedata.decimal(char, char)) for char in code)
        if not secrets.compare_digest(typed.encode(), expected.encode()):
            tries.use()
            self._tries.use()
            log.info("a wrong pairing code from %s", address)
            self._on_wrong_code(_WRONG_CODE, self._digits)
            return _WRONG_CODE
        token = secrets.token_urlsafe(TOKEN_BYTES)
        digest = _digest(token)
        pairing = self._known[digest] = self._add(digest, label)
        self.window = None
        self.changes += 1
        return token, pairing

    @property
    def is_used(self) -> bool:
        """Whether a paired phone has been used since the daemon started."""
        return bool(self._known)

    def _add(self, digest: bytes, label: str) -> Pairing:
        """Stores a new pairing, or keeps it in memory if the ledger is damaged.

        Otherwise no phone could restore a backup if the pairings cannot be read either.
        """
        try:
            return self._store.pair(digest, label, now_ms())
        except DamagedLedgerError:
            number = 1 + max((pairing.number for pairing in self.all()), default=0)
            pairing = self._unstored[digest] = Pairing(number, label, now_ms(), now_ms())
            return pairing

    def _tries_from(self, address: str) -> _Tries:
        tries = self._tries_by.setdefault(address, _Tries(MOST_WRONG_FROM_ONE))
        self._tries_by.move_to_end(address)
        while len(self._tries_by) > _ADDRESSES_KEPT:
            self._tries_by.popitem(last=False)
        return tries

    def _use(self, token: str) -> Pairing | None:
        digest = _digest(token)
        pairing = self._unstored.get(digest) or self._store.pairing(digest)
        if pairing is None:
            return None
        used = msgspec.structs.replace(pairing, used_ms=now_ms())
        if digest in self._unstored:
            self._unstored[digest] = self._known[digest] = used
            return used
        try:
            self._store.touch(used.number, used.used_ms)
        except LedgerError as error:
            # A full disk must not lock anybody out; a later use will be stored.
            log.warning("the use of a pairing is not noted: %s", error)
            return pairing
        self._known[digest] = used
        return used

    # From any thread.

    def of(self, token: str) -> Pairing | None:
        """The pairing of a token, if there is one; its last use is noted."""
        pairing = self._known.get(_digest(token))
        if pairing and now_ms() - pairing.used_ms < TOUCH_MS:
            return pairing
        return self._change(lambda: self._use(token))

    def all(self) -> list[Pairing]:
        """All pairings, oldest first."""
        return [*self._store.pairings(), *self._unstored.values()]

    def open(self) -> None:
        """Opens the pairing window, as holding `next` on the board does."""
        self._change(self.open_window)

    def pair(self, label: str, code: str, address: str) -> tuple[str, Pairing] | Refusal:
        """Pairs the first phone that sends the code of the open window, which closes, by a token.

        Wrong codes are counted by `address`, from which the code came.
        """
        return self._change(lambda: self._pair(label, code, address))

    def name(self, number: int, label: str) -> bool:
        """Changes what a pairing is called. Returns whether there is one."""

        def name() -> bool:
            self._known.clear()
            return self._store.name_pairing(number, label)

        return self._change(name)

    def revoke(self, number: int) -> bool:
        """Ends a pairing. Returns whether there was one."""

        def revoke() -> bool:
            self._known.clear()
            unstored = [one for one, other in self._unstored.items() if other.number == number]
            for digest in unstored:
                del self._unstored[digest]
            gone = bool(unstored) or self._store.unpair(number)
            self.changes += gone
            return gone

        return self._change(revoke)


def _digest(token: str) -> bytes:
    """The part of a token that is stored."""
    return hashlib.sha256(token.encode()).digest()
