"""Who is asking: paired clients are known by a cookie that pairing gave them (BOARD.md 5)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Final

import msgspec

from pochboard.server.hosts import is_loopback, plain_address
from pochboard.store import Pairing
from pochboard.table.table import Table

COOKIE: Final = "pochboard"
_MAX_AGE_S: Final = 90 * 24 * 3600
# The size bounds what is hashed and looked up; the table decides what is a token.
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{20,200}")
_FORWARDED: Final = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
)  # fmt: skip


class RequestSource(msgspec.Struct, frozen=True):
    """Where a request came from, and its headers."""

    headers: Mapping[str, str]
    """By name in lower case."""
    peer: str
    """The address it came from."""
    own: str
    """The address of this machine that it came to."""


class Client(msgspec.Struct, frozen=True):
    """Who sent a request, and what they may do."""

    address: str
    paired: bool
    """Whether it may change anything."""
    pairing: Pairing | None = None
    token: str | None = None
    """The cookie's token, if the pairing is by cookie and valid."""


def token_of(headers: Mapping[str, str]) -> str | None:
    """The token in the cookie, if there is one that looks like one."""
    for part in headers.get("cookie", "").replace(",", ";").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE and _TOKEN.fullmatch(value):
            return value
    return None


def set_cookie(token: str) -> str:
    """The Set-Cookie header that keeps a client paired for 90 days from now.

    It is not `Secure`: on the LAN the page is served over plain HTTP.
    """
    return f"{COOKIE}={token}; Max-Age={_MAX_AGE_S}; Path=/; HttpOnly; SameSite=Strict"


CLEAR_COOKIE: Final = f"{COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict"


class Authenticator:
    """Tells who may change anything.

    `local_token` is what the daemon hands to the command line on the same machine, by a file that
    only its user can read.
    """

    def __init__(self, table: Table, *, local_token: str | None = None) -> None:
        self._table = table
        self._local_token = local_token

    def client(self, source: RequestSource) -> Client:
        """Who is asking. May wait for the table."""
        token = token_of(source.headers)
        pairing = self._table.pairing_of(token) if token else None
        if token and pairing:
            return Client(source.peer, paired=True, pairing=pairing, token=token)
        local = self._holds_local_token(source) or self._is_at_the_simulator(source)
        return Client(source.peer, paired=local)

    def _holds_local_token(self, source: RequestSource) -> bool:
        scheme, _, given = source.headers.get("authorization", "").partition(" ")
        if not self._local_token or scheme.lower() != "bearer":
            return False
        return secrets.compare_digest(given.strip().encode(), self._local_token.encode())

    def _is_at_the_simulator(self, source: RequestSource) -> bool:
        """On the simulated board clients on this machine count as paired (BOARD.md 5).

        A proxy on this machine speaks for somebody else, so its clients do not.
        """
        if not self._table.snapshot.board.simulated:
            return False
        if any(name in source.headers for name in _FORWARDED):
            return False
        # A machine that calls itself by its address on the LAN has that address at both ends.
        return is_loopback(source.peer) or plain_address(source.peer) == plain_address(source.own)


_DEVICES: Final = (
    ("iphone", "iPhone"),
    ("ipad", "iPad"),
    ("android", "Android"),
    ("cros", "Chromebook"),
    ("windows", "Windows"),
    ("macintosh", "Mac"),
    ("linux", "Linux"),
)
# In this order: most browsers also name those they descend from.
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


def label_of(user_agent: str) -> str:
    """What a client is called in the list of pairings: `iPhone, Safari`."""
    text = user_agent.lower()
    device = next((label for sign, label in _DEVICES if sign in text), None)
    browser = next((label for sign, label in _BROWSERS if sign in text), None)
    known = [label for label in (device, browser) if label]
    if known:
        return ", ".join(known)
    plain = "".join(c for c in user_agent[:40] if c.isprintable()).strip()
    return plain or "a client without a name"
