"""The names and addresses this machine is reached by; Host and Origin are held against them.

A page from elsewhere can have its own name point at this machine (DNS rebinding) and would then
share our origin; it cannot make the browser send one of our names. So every request must name the
machine as itself, pages included.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from pochboard.errors import Refusal

WRONG_HOST: Final = 421
"""Misdirected Request: the status made for “this server does not answer for that name” (RFC 9110).

403 would say that somebody may not; here nobody is refused, only a name.
"""

_HOST: Final = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)(?:%(?:25)?[\w.-]+)?\]|(?P<name>[\w.-]{1,253}))(?::(?P<port>\d{0,5}))?",
    re.ASCII | re.IGNORECASE,
)
_ORIGIN: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@]+)", re.ASCII)
_DEFAULT_PORT: Final = {"http": 80, "https": 443}
_REREAD_S: Final = 1.0


class Asked(NamedTuple):
    """What a Host header or an Origin names: host in its plain form, and port if one is given."""

    host: str
    port: int | None


def parse_host(value: str) -> Asked | None:
    """Host and port of a Host header, or None for what is none.

    The host comes in lower case, without brackets, zone and trailing dot, an address in its
    shortest form.
    """
    found = _HOST.fullmatch(value)
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else None
    name = (found["v6"] or found["name"]).lower().removesuffix(".")
    if not name or (port is not None and port > 65535):
        return None
    address = _address(name)
    if address is None and found["v6"]:
        return None
    return Asked(str(address) if address else name, port)


def parse_origin(value: str) -> Asked | None:
    """Host and port of an Origin header, or None for `null` and what is none.

    The port of the scheme itself counts as none, as browsers leave it out.
    """
    found = _ORIGIN.fullmatch(value)
    asked = parse_host(found["host"]) if found else None
    if found and asked and asked.port == _DEFAULT_PORT[found["scheme"]]:
        return Asked(asked.host, None)
    return asked


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine's loopback (`::ffff:127.0.0.1` too)."""
    address = _address(host)
    return address is not None and address.is_loopback


def plain_address(host: str) -> str:
    """An address in its shortest form; IPv4 in IPv6 clothes as IPv4."""
    address = _address(host.partition("%")[0])
    return str(address) if address else host


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


class Network(NamedTuple):
    """What the machine is called and which addresses its interfaces have now."""

    names: tuple[str, ...]
    """Best first: `raspberrypi.local` before `raspberrypi`."""
    addresses: tuple[str, ...]
    """The one of the default route first; loopback left out."""


class KnownHosts:
    """Who this machine is: asked at every request, read again when the network has changed."""

    def __init__(
        self,
        names: Iterable[str] = (),
        *,
        bound: str = "127.0.0.1",
        read: Callable[[], Network] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`names` are further names that may be used, `bound` is the address listened on."""
        self._names = tuple(name.lower().removesuffix(".") for name in names)
        self._bound = bound
        self._read = read or read_network
        self._clock = clock
        self._read_s = clock()
        self._network = self._read()

    def allows(self, host: str) -> bool:
        """Whether a host, as `parse_host` gives it, is this machine."""
        if host == "localhost" or host in self._names or is_loopback(host):
            return True
        if host in self._network.names or host in self._network.addresses:
            return True
        # Reading costs about a millisecond, and somebody may ask under wrong names all day.
        now = self._clock()
        if now - self._read_s < _REREAD_S:
            return False
        self._read_s = now
        self._network = self._read()
        return host in self._network.names or host in self._network.addresses

    def urls(self, port: int) -> list[str]:
        """The addresses to type in, best first; read anew."""
        network = self._network = self._read()
        if is_loopback(self._bound) or self._bound == "localhost":
            hosts = [*self._names, "localhost"]
        elif self._bound in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
            # An address of the link alone needs a zone, which browsers do not take.
            reached = [host for host in network.addresses if not host.startswith("fe80:")]
            hosts = [*self._names, *network.names[:1], *reached]
            if self._bound == "0.0.0.0":  # noqa: S104 - compared, not bound
                hosts = [host for host in hosts if ":" not in host]
        else:
            hosts = [*self._names, plain_address(self._bound)]
        shown = [f"[{host}]" if ":" in host else host for host in dict.fromkeys(hosts)]
        end = "" if port == 80 else f":{port}"
        return [f"http://{host}{end}" for host in shown]

    def refusal(
        self, method: str, headers: Mapping[str, str], port: int
    ) -> tuple[int, Refusal] | None:
        """Why a request may not be answered, with its status, or None if it may.

        `headers` have names in lower case; `port` is the one listened on.
        """
        asked = parse_host(headers.get("host", ""))
        if asked is None or not self.allows(asked.host):
            return WRONG_HOST, Refusal(
                "wrong-host",
                f"This board does not go by {_quoted(headers.get('host'))};"
                f" reach it as {' or '.join(self.urls(port)[:3])}.",
            )
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site")
        # Browsers write the Sec-Fetch headers themselves. Our own requests can carry the origin
        # `null`, since our pages ask for no referrer; only then does this header vouch for them.
        foreign = origin is not None and not (origin == "null" and site == "same-origin")
        if foreign and not self._same(parse_origin(origin or ""), asked):
            return 403, Refusal("wrong-origin", "Pages of other sites may not ask this board.")
        if method not in ("GET", "HEAD") and site in ("cross-site", "same-site"):
            return 403, Refusal("wrong-origin", "Pages of other sites may not change anything.")
        return None

    def _same(self, origin: Asked | None, asked: Asked) -> bool:
        if origin is None:
            return False
        # The port as the client sees it, which a tunnel may have changed.
        port = None if asked.port == 80 else asked.port
        return origin.port == port and self.allows(origin.host)


def _quoted(value: str | None) -> str:
    shown = "".join(c for c in (value or "")[:80] if c.isascii() and c.isprintable())
    return f"“{shown}”" if shown else "a name left out"


def read_network(root: Path = Path("/")) -> Network:
    """Names and addresses from what Linux shows of itself; asks no name server, never blocks.

    Names: the host name alone, with `.local` and with the search domains of resolv.conf, and its
    other names in /etc/hosts. Addresses: those that /proc/net/fib_trie calls local (IPv4) and
    /proc/net/if_inet6; elsewhere than on Linux the one of the default route alone.
    """
    full = socket.gethostname().lower().removesuffix(".")
    label = full.partition(".")[0]
    names = [f"{label}.local", full, label]
    for words in _lines(root / "etc/resolv.conf"):
        if words[0] in ("search", "domain"):
            names += [f"{label}.{domain.lower().removesuffix('.')}" for domain in words[1:]]
    for words in _lines(root / "etc/hosts"):
        called = [word.lower() for word in words[1:]]
        if label in called or full in called:
            names += called
    usual = _default_address()
    addresses = [usual] if usual else []
    addresses += [*_ipv4(root / "proc/net/fib_trie"), *_ipv6(root / "proc/net/if_inet6")]
    return Network(
        tuple(name for name in dict.fromkeys(names) if name and name != "localhost"),
        tuple(address for address in dict.fromkeys(addresses) if not is_loopback(address)),
    )


def _lines(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [words for line in text.splitlines() if (words := line.partition("#")[0].split())]


def _ipv4(trie: Path) -> list[str]:
    found, last = [], ""
    for words in _lines(trie):
        if words[0] == "|--":
            last = words[-1]
        elif words[:3] == ["/32", "host", "LOCAL"]:
            found.append(last)
    return found


def _ipv6(table: Path) -> list[str]:
    return [
        str(ipaddress.IPv6Address(int(words[0], 16)))
        for words in _lines(table)
        if re.fullmatch("[0-9a-f]{32}", words[0])
    ]


def _default_address() -> str | None:
    """The address that a packet to the world would leave from; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
