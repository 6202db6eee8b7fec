"""A request as it arrived: its headers, its language, and the client that a proxy names.

Anybody can forge the headers of a proxy, so they count only from the addresses that
`trusted_proxies` of the configuration names.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import parse_qs

import msgspec
from flask import Response, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header, parse_cookie

from pochboard.config import PREFIX
from pochboard.server.hosts import (
    HostPort,
    is_address,
    is_loopback,
    parse_host,
    parse_origin,
    plain_address,
)
from pochboard.text.translator import ENGLISH, Translator, languages, table_translator

READING: Final = ("GET", "HEAD")
"""Methods of requests that change nothing."""
_PAIRING_COOKIE: Final = "pochboard"
# This bounds what is hashed and looked up; the table decides whether a token is valid.
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{20,200}")
_SIGN: Final = re.compile(
    r"(x-)?forwarded(-.*)?|x-original-.*|(.*-)?(client|connecting|real|remote)-?(ip|addr)|via"
    r"|cdn-loop|x-(host|ingress-path|scheme|script-name)|x-(envoy|proxy)-.*"
)
"""Headers of proxies."""
_PREFIX: Final = re.compile(PREFIX)
_LONGEST_PREFIX: Final = 200
_DEEPEST: Final = 50
"""No page is as far below the root. A path of nothing but slashes would make one of megabytes."""


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """A request without its body, and the way that it took."""

    method: str = "GET"
    path: str = "/"
    """The path without the prefix, as the application takes it: `//api` is `/api`."""
    query: bytes = b""
    headers: Mapping[str, str] = {}
    """By name in lower case; repeated ones are joined as HTTP defines it."""
    address: str
    """The client's address: what a trusted proxy says, else the other end of the connection."""
    own_address: str = ""
    """The address of this machine that the client connected to."""
    own_port: int = 0
    root: str = "./"
    """From the address of the request to that of the table, such as `./` or `../`.

    Pages link relatively to it. So they also work below a path that a proxy removes.
    """
    direct: bool = True
    """Whether nothing hints at a proxy."""
    proxied: bool = False
    """Whether it came from a trusted proxy."""
    ingress: bool = False
    """Whether it came through Home Assistant's ingress, whose addresses need a login there."""
    prefix: str = ""
    """The path below which a proxy serves the page, as far as that is known."""
    scheme: Literal["http", "https"] = "http"
    """What the client speaks, as far as that is known."""
    host: HostPort | None = None
    """The host that the client asked a trusted proxy for, if the proxy says it."""

    @property
    def t(self) -> Translator:
        """The translator: of the query, else the cookie of the switch, else Accept-Language.

        A page names its own language, because the cookie may have been changed in another window.
        """
        chosen = _asked(self.query) or self.cookie(LANGUAGE_COOKIE)
        if chosen in languages():
            return table_translator(chosen)
        return _accepted(self.headers.get("accept-language", ""))

    @property
    def is_api(self) -> bool:
        """Whether it asks for something of the API, not for a page."""
        return f"{self.path}/".startswith("/api/")

    def cookie(self, name: str) -> str:
        """The value of a cookie, or nothing."""
        # Those of other programs on this host may hold any bytes; parse_cookie takes only UTF-8.
        sent = self.headers.get("cookie", "").encode("ascii", "replace").decode("ascii")
        return parse_cookie(sent).get(name, "")

    @property
    def token(self) -> str | None:
        """The token in the cookie of pairing, if there is one that could be valid."""
        value = self.cookie(_PAIRING_COOKIE)
        return value if _TOKEN.fullmatch(value) else None


class Proxies:
    """Which proxies are trusted, and what they say about requests beside uvicorn's own reading.

    uvicorn takes the client's address and scheme from the headers of these (`for_uvicorn`).
    """

    def __init__(self, trusted: Iterable[str] = (), prefix: str = "") -> None:
        """`trusted` are addresses and networks, `prefix` is that of the configuration."""
        self._trusted = [ipaddress.ip_network(network, strict=False) for network in trusted]
        self._prefix = prefix

    @property
    def for_uvicorn(self) -> list[str]:
        """What uvicorn's `forwarded_allow_ips` should be."""
        return list(map(str, self._trusted))

    def trusts(self, address: str) -> bool:
        """Whether the headers from this address count."""
        try:
            ip = ipaddress.ip_address(plain_address(address))
        except ValueError:
            return False
        return any(ip in network for network in self._trusted)

    def arrival(self, scope: Mapping[str, Any], peer: str) -> Arrival:
        """An ASGI request. `peer` is the other end of the connection: the client, or a proxy."""
        headers = _joined(scope["headers"])
        trusted, path = self.trusts(peer), _with_one_slash(scope["path"])
        prefix = (_forwarded_prefix(headers) if trusted else "") or self._prefix
        below = bool(prefix) and f"{path}/".startswith(f"{prefix}/")
        depth = scope["raw_path"].count(b"/") - 1 - (prefix.count("/") if below else 0)
        return Arrival(
            method=scope["method"],
            path=_with_one_slash(path[len(prefix) :]) if below else path,
            query=scope["query_string"],
            headers=headers,
            address=plain_address(scope["client"][0]),
            own_address=scope["server"][0],
            own_port=scope["server"][1],
            root="../" * min(depth, _DEEPEST) or "./",
            direct=not trusted and _is_direct(scope, peer, headers),
            proxied=trusted,
            ingress=trusted and "x-ingress-path" in headers,
            prefix=prefix if below or trusted else "",
            scheme="https" if scope["scheme"] == "https" else "http",
            host=_forwarded_host(headers) if trusted else None,
        )


def _joined(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        between = "; " if name == "cookie" else ", "
        headers[name] = f"{headers[name]}{between}{value}" if name in headers else value
    return headers


def _with_one_slash(path: str) -> str:
    """A path as Werkzeug takes it, which ignores further slashes at the beginning."""
    return re.sub(r"\A/{2,}", "/", path)


def _is_direct(scope: Mapping[str, Any], peer: str, headers: Mapping[str, str]) -> bool:
    """Whether nothing hints at a proxy, not even at one that writes no header of its own."""
    if any(_SIGN.fullmatch(name) for name in headers):
        return False
    # What nginx before 1.29.7 speaks to its upstream by default, and no browser.
    if scope["http_version"] != "1.1":
        return False
    # Every browser sends this with HTTP/1.1, and every proxy removes it (RFC 9110 7.6.1).
    is_browser = "mozilla/" in headers.get("user-agent", "").lower()
    if is_browser and "keep-alive" not in headers.get("connection", "").lower():
        return False
    asked = parse_host(headers.get("host", ""))
    if asked is None or (asked.port or 80) != scope["server"][1]:
        return False
    # A name of this machine may lead to loopback, but another address of it does not.
    if is_loopback(peer) and is_address(asked.host) and not is_loopback(asked.host):
        return False
    origin = parse_origin(headers.get("origin", ""))
    return origin is None or (origin.host, origin.port or 80) == (asked.host, asked.port or 80)


def _forwarded_host(headers: Mapping[str, str]) -> HostPort | None:
    named = headers.get("x-forwarded-host", "").split(",")[0].strip()
    return parse_host(named) or parse_host(headers.get("host", ""))


def _forwarded_prefix(headers: Mapping[str, str]) -> str:
    """The path of `X-Forwarded-Prefix`, else that of Home Assistant's ingress, or nothing."""
    for name in ("x-forwarded-prefix", "x-ingress-path"):
        prefix = headers.get(name, "").split(",")[0].strip().rstrip("/")
        if len(prefix) <= _LONGEST_PREFIX and _PREFIX.fullmatch(prefix):
            return prefix
    return ""


LANGUAGE_COOKIE: Final = "language"
LANGUAGE_QUERY: Final = "lang"
"""The parameter of a query that names the language. That of a page also sets the cookie."""


@lru_cache(64)
def _asked(query: bytes) -> str | None:
    (chosen, *_) = parse_qs(query.decode("latin-1")).get(LANGUAGE_QUERY, [""])
    return chosen if chosen in languages() else None


@lru_cache(64)
def _accepted(header: str) -> Translator:
    accepted = parse_accept_header(header, LanguageAccept)
    return table_translator(accepted.best_match(languages(), ENGLISH.language))


# The current request of Flask.


def current_arrival() -> Arrival:
    """The arrival of the current request."""
    arrival = request.environ["pochboard.arrival"]
    assert isinstance(arrival, Arrival), "the middleware sets it"
    return arrival


def request_translator() -> Translator:
    """The translator for the request."""
    return current_arrival().t


def chosen_language() -> str | None:
    """The language that the request asks to switch to, if there is such a language."""
    return _asked(current_arrival().query)


def remember_language(response: Response, language: str) -> None:
    """Makes a language the client's choice for a year. `Lax`, because a link may have set it."""
    _set_cookie(response, LANGUAGE_COOKIE, language, days=365, samesite="Lax")


def keep_token(response: Response, token: str) -> None:
    """Keeps a client paired for 90 days from now."""
    _set_cookie(response, _PAIRING_COOKIE, token, days=90, samesite="Strict")


def forget_token(response: Response) -> None:
    """Takes the cookie of pairing from a client."""
    _set_cookie(response, _PAIRING_COOKIE, "", days=0, samesite="Strict")


def _set_cookie(response: Response, name: str, value: str, *, days: int, samesite: str) -> None:
    """Sets a cookie hidden from scripts, and from anything else that the proxy serves.

    It cannot always be `Secure`, because on the LAN the page is served over plain HTTP.
    """
    arrival = current_arrival()
    response.set_cookie(
        name,
        value,
        max_age=days * 24 * 3600,
        httponly=True,
        samesite=samesite,
        path=arrival.prefix or "/",
        secure=arrival.scheme == "https",
    )
