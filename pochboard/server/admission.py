"""Which requests are answered: those that name this machine and do not come from another site.

Another site's page can point its own name at this machine (DNS rebinding) and would then share our
origin. But it cannot make the browser send one of our names. So every request, also for a page,
must name this machine. A page that does not do that can still make browsers ask for things here,
and browsers say so in `Sec-Fetch-Site`, at least to https and to their own machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from pochboard.errors import Refusal, refuse
from pochboard.server.asgi import READING
from pochboard.server.errors import ApiError
from pochboard.server.forwarding import Arrival
from pochboard.server.hosts import HostPort, KnownHosts, parse_host, parse_origin, url_of
from pochboard.text.lazy import lazy_gettext

WRONG_HOST: Final = 421
"""Misdirected Request: this server does not answer for that name (RFC 9110)."""
_OWN_SITES: Final = ("same-origin", "none")
"""What browsers say of requests from our own pages, and of addresses that somebody has typed."""


class Admission:
    """Decides which requests are answered."""

    def __init__(self, hosts: KnownHosts) -> None:
        self._hosts = hosts

    def check(self, method: str, headers: Mapping[str, str], arrival: Arrival, port: int) -> None:
        """Raises ApiError if a request must not be answered.

        `headers` have names in lower case; `port` is the one listened on.
        """
        asked = parse_host(headers.get("host", ""))
        if asked is None or not self._hosts.allows(asked.host):
            raise self._wrong_host(headers.get("host", ""), port)
        if arrival.host is not None and not self._hosts.allows(arrival.host.host):
            raise self._wrong_host(arrival.host.host, port)
        refused = (
            refuse("wrong-origin", lazy_gettext("Pages from other sites may not read this board."))
            if method in READING
            else refuse(
                "wrong-origin", lazy_gettext("Pages from other sites may not change anything.")
            )
        )
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, *_OWN_SITES) and not _opens_page(method, headers, arrival):
            raise ApiError(403, refused)
        # Our pages send no referrer, so their requests may have the origin `null`, and a proxy may
        # have replaced the host. Then we rely on Sec-Fetch-Site, which only browsers themselves
        # can set.
        if origin is not None and site != "same-origin":
            known = parse_origin(origin)
            if known is None:
                raise ApiError(403, refused)
            if not self._is_own(known, asked, arrival):
                raise ApiError(403, _not_proxied(known, asked))
        # Browsers from before Sec-Fetch-Site may name the page that asks.
        referrer = headers.get("referer")
        if site is None and origin is None and referrer is not None and _is_api(arrival):
            known = _origin_of(referrer)
            if known is None or not self._is_own(known, asked, arrival):
                raise ApiError(403, refused)

    def _is_own(self, origin: HostPort, asked: HostPort, arrival: Arrival) -> bool:
        """Whether an origin is ours. Its port must be the one that the client sees."""
        if self._hosts.names_port(origin):
            return True
        default = 443 if arrival.scheme == "https" else 80
        ports = {host_port.port for host_port in (asked, arrival.host) if host_port is not None}
        seen = {None if port == default else port for port in ports}
        return origin.port in seen and self._hosts.allows(origin.host)

    def _wrong_host(self, value: str, port: int) -> ApiError:
        urls = tuple(self._hosts.known_urls(port)[:3])
        shown = "".join(c for c in value[:80] if c.isascii() and c.isprintable())
        if not shown:
            return ApiError(
                WRONG_HOST,
                refuse(
                    "wrong-host",
                    lazy_gettext(
                        "The request does not say whom it is for. Use {urls}.", urls=", ".join(urls)
                    ),
                ),
            )
        return ApiError(
            WRONG_HOST,
            refuse(
                "wrong-host",
                lazy_gettext(
                    "{host} is not a name of this board. Use {urls}, or list it in config.toml"
                    " under names.",
                    host=f"“{shown}”",
                    urls=", ".join(urls),
                ),
            ),
        )


def _opens_page(method: str, headers: Mapping[str, str], arrival: Arrival) -> bool:
    """Whether somebody follows a link to a page, in a window of its own and not in advance."""
    return (
        method in READING
        and not _is_api(arrival)
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
        and "prefetch" not in headers.get("sec-purpose", "")
    )


def _origin_of(url: str) -> HostPort | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return parse_origin(f"{parts.scheme}://{parts.netloc}")


def _is_api(arrival: Arrival) -> bool:
    return f"{arrival.path}/".startswith("/api/")


def _not_proxied(origin: HostPort, asked: HostPort) -> Refusal:
    """The refusal for an origin that is another site's, or that of a proxy that is not named."""
    seen, reached = (
        url_of(host_port.host, host_port.port).partition("//")[2] for host_port in (origin, asked)
    )
    return refuse(
        "wrong-origin",
        lazy_gettext(
            "The page is at {origin}, but its request is for {host}. A proxy in between must pass"
            " on Host, or names in config.toml must list “{origin}”.",
            origin=seen,
            host=reached,
        ),
    )
