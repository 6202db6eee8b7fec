"""Who sent a request: pairing gives a client the cookie that identifies it (BOARD.md 5)."""

from __future__ import annotations

import re
import secrets
from typing import Final

import msgspec
from flask import Response

from pochboard.server.arrival import Arrival, cookie_scope
from pochboard.server.hosts import is_loopback, plain_address
from pochboard.store import Pairing
from pochboard.table.table import Table
from pochboard.text.unicode_names import fitted

COOKIE: Final = "pochboard"
_MAX_AGE_S: Final = 90 * 24 * 3600
# This bounds what is hashed and looked up; the table decides whether a token is valid.
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{20,200}")


class Client(msgspec.Struct, frozen=True):
    """Who sent a request, and what they may do."""

    address: str
    paired: bool
    """Whether it may change anything."""
    pairing: Pairing | None = None
    token: str | None = None
    """The cookie's token, if the pairing is by cookie and valid."""


def token_of(arrival: Arrival) -> str | None:
    """The token in the cookie, if there is one that could be valid."""
    value = arrival.cookie(COOKIE)
    return value if _TOKEN.fullmatch(value) else None


def set_cookie(response: Response, token: str) -> None:
    """Keeps a client paired for 90 days from now."""
    response.set_cookie(
        COOKIE, token, max_age=_MAX_AGE_S, httponly=True, samesite="Strict", **cookie_scope()
    )


def forget_cookie(response: Response) -> None:
    """Takes the cookie from a client."""
    response.delete_cookie(COOKIE, httponly=True, samesite="Strict", **cookie_scope())


class Authenticator:
    """Decides which clients may change anything.

    `local_token` admits the command line on the same machine. It gets the token from a file that
    only the daemon's user can read.
    """

    def __init__(self, table: Table, *, local_token: str | None = None) -> None:
        self._table = table
        self._local_token = local_token

    def client(self, arrival: Arrival) -> Client:
        """The client that sent a request. May wait for the table."""
        token = token_of(arrival)
        pairing = self._table.pairings.of(token) if token else None
        if token and pairing:
            return Client(arrival.address, paired=True, pairing=pairing, token=token)
        local = self._holds_local_token(arrival) or self._is_at_the_simulator(arrival)
        return Client(arrival.address, paired=local)

    def _holds_local_token(self, arrival: Arrival) -> bool:
        scheme, _, given = arrival.headers.get("authorization", "").partition(" ")
        if not self._local_token or scheme.lower() != "bearer":
            return False
        return secrets.compare_digest(given.strip().encode(), self._local_token.encode())

    def _is_at_the_simulator(self, arrival: Arrival) -> bool:
        """Whether it is a client on this machine, which is as paired without a board of wood.

        Clients of a proxy on this machine are elsewhere, so they do not count (BOARD.md 5).
        """
        board = self._table.snapshot.board
        if not board.simulated and board.kind != "none":
            return False
        if not arrival.direct:
            return False
        # A connection to this machine's own address on the LAN has that address at both ends.
        address, own = plain_address(arrival.address), plain_address(arrival.own_address)
        return is_loopback(address) or address == own


_DEVICES: Final = (
    ("iphone", "iPhone"),
    ("ipad", "iPad"),
    ("android", "Android"),
    ("cros", "Chromebook"),
    ("windows", "Windows"),
    ("macintosh", "Mac"),
    ("linux", "Linux"),
)
# The order matters, because most browsers also name the ones that they descend from.
_BROWSERS: Final = (
    ("edg", "Edge"),
    ("opr/", "Opera"),
    ("samsungbrowser", "Samsung Internet"),
    ("firefox", "Firefox"),
    ("fxios", "Firefox"),
    ("crios", "Chrome"),
    ("chromium", "Chromium"),
    ("chrome", "Chrome"),
    ("safari", "Safari"),
)


def device_label(user_agent: str) -> str:
    """What a client is called in the list of pairings, as in `iPhone, Safari`."""
    text = user_agent.lower()
    device = next((label for sign, label in _DEVICES if sign in text), None)
    browser = next((label for sign, label in _BROWSERS if sign in text), None)
    known = [label for label in (device, browser) if label]
    if known:
        return ", ".join(known)
    return fitted(user_agent[:40]) or "a client without a name"
