"""The names and addresses this machine is reached by, and the check of Host and Origin.

Another site's page can point its own name at this machine (DNS rebinding) and would then share our
origin. But it cannot make the browser send one of our names. So every request, also for a page,
must name this machine.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import ifaddr

from pochboard.errors import refuse
from pochboard.server.errors import ApiError

READING: Final = ("GET", "HEAD")
"""Methods of requests that change nothing."""
WRONG_HOST: Final = 421
"""Misdirected Request: this server does not answer for that name (RFC 9110)."""

_HOST: Final = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)(?:%(?:25)?[\w.-]+)?\]|(?P<name>[\w.-]{1,253}))(?::(?P<port>\d{0,5}))?",
    re.ASCII | re.IGNORECASE,
)
_ORIGIN: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@]+)", re.ASCII)
_DEFAULT_PORT: Final = {"http": 80, "https": 443}
_REREAD_S: Final = 1.0


class HostPort(NamedTuple):
    """The host of a Host or Origin header in its plain form, and the port if there is one."""

    host: str
    port: int | None


def parse_host(value: str) -> HostPort | None:
    """Host and port of a Host header, or None if it is not valid.

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
    return HostPort(str(address) if address else name, port)


def parse_origin(value: str) -> HostPort | None:
    """Host and port of an Origin header, or None if it is `null` or not valid.

    The default port of the scheme becomes None, because browsers leave it out.
    """
    found = _ORIGIN.fullmatch(value)
    named = parse_host(found["host"]) if found else None
    if found and named and named.port == _DEFAULT_PORT[found["scheme"]]:
        return HostPort(named.host, None)
    return named


def is_loopback(host: str) -> bool:
    """Whether it is a loopback address; `::ffff:127.0.0.1` is one too."""
    address = _address(host)
    return address is not None and address.is_loopback


def plain_address(host: str) -> str:
    """An address in its shortest form and without zone; an IPv4-mapped one as IPv4."""
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
    """The names of this machine and the addresses of its interfaces."""

    names: tuple[str, ...]
    """Best first: `raspberrypi.local` before `raspberrypi`."""
    addresses: tuple[str, ...]
    """That of the default route first; without loopback."""


class KnownHosts:
    """The hosts that stand for this machine. Every request is checked against them."""

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
        # The network may have changed. Reading it takes about a millisecond, so do not read it for
        # every request: a client may keep asking under wrong names.
        now = self._clock()
        if now - self._read_s < _REREAD_S:
            return False
        self._read_s = now
        self._network = self._read()
        return host in self._network.names or host in self._network.addresses

    def urls(self, port: int) -> list[str]:
        """The addresses to type in, best first. Reads the network again."""
        self._network = self._read()
        return self._urls(port)

    def _urls(self, port: int) -> list[str]:
        network = self._network
        if is_loopback(self._bound) or self._bound == "localhost":
            hosts = [*self._names, "localhost"]
        elif self._bound in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
            # A link-local address needs a zone, which browsers do not accept.
            reached = [host for host in network.addresses if not host.startswith("fe80:")]
            hosts = [*self._names, *network.names[:1], *reached]
            if self._bound == "0.0.0.0":  # noqa: S104 - compared, not bound
                hosts = [host for host in hosts if ":" not in host]
        else:
            hosts = [*self._names, plain_address(self._bound)]
        shown = [f"[{host}]" if ":" in host else host for host in dict.fromkeys(hosts)]
        end = "" if port == 80 else f":{port}"
        return [f"http://{host}{end}" for host in shown]

    def check(self, method: str, headers: Mapping[str, str], port: int) -> None:
        """Raises ApiError if a request must not be answered.

        `headers` have names in lower case; `port` is the one listened on.
        """
        asked = parse_host(headers.get("host", ""))
        if asked is None or not self.allows(asked.host):
            host, urls = _quoted(headers.get("host")), tuple(self._urls(port)[:3])
            raise ApiError(WRONG_HOST, refuse("wrong-host", host=host, urls=urls))
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site")
        # Our pages send no referrer, so their requests may have the origin `null`. Then we rely on
        # Sec-Fetch-Site, which only browsers themselves can set.
        foreign = origin is not None and not (origin == "null" and site == "same-origin")
        if foreign and not self._same(parse_origin(origin or ""), asked):
            raise ApiError(403, refuse("wrong-origin", "read"))
        if method not in READING and site in ("cross-site", "same-site"):
            raise ApiError(403, refuse("wrong-origin"))

    def _same(self, origin: HostPort | None, asked: HostPort) -> bool:
        if origin is None:
            return False
        # Compare with the port that the client sees: a tunnel may have changed it.
        port = None if asked.port == 80 else asked.port
        return origin.port == port and self.allows(origin.host)


def _quoted(value: str | None) -> str:
    shown = "".join(c for c in (value or "")[:80] if c.isascii() and c.isprintable())
    return f"“{shown}”" if shown else "An empty host"


def read_network(root: Path = Path("/")) -> Network:
    """The names and addresses this machine has now. Asks no name server and never blocks.

    Names: the host name alone, with `.local` and with the search domains of resolv.conf, and its
    other names in /etc/hosts. `root` is the folder that holds these files' `etc`.
    """
    full = socket.gethostname().lower().removesuffix(".")
    label = full.partition(".")[0]
    names = [f"{label}.local", full, label]
    for words in _lines(root / "etc/resolv.conf"):
        if words[0] in ("search", "domain"):
            names += [f"{label}.{domain.lower().removesuffix('.')}" for domain in words[1:]]
    for words in _lines(root / "etc/hosts"):
        aliases = [word.lower() for word in words[1:]]
        if label in aliases or full in aliases:
            names += aliases
    usual = _default_address()
    addresses = [usual] if usual else []
    for adapter in ifaddr.get_adapters():
        # An IPv6 address comes with its flow and zone.
        addresses += [ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips]
    plain = [plain_address(address) for address in addresses]
    return Network(
        tuple(name for name in dict.fromkeys(names) if name and name != "localhost"),
        tuple(address for address in dict.fromkeys(plain) if not is_loopback(address)),
    )


def _lines(path: Path) -> list[list[str]]:
    """The words of each line, without comments."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [words for line in text.splitlines() if (words := line.partition("#")[0].split())]


def _default_address() -> str | None:
    """The address that packets to the internet would leave from; none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])
