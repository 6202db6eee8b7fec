"""The names and addresses this machine is reached by."""

from __future__ import annotations

import ipaddress
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import ifaddr

_HOST: Final = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)(?:%(?:25)?[\w.-]+)?\]|(?P<name>[\w.-]{1,253}))(?::(?P<port>\d{0,5}))?",
    re.ASCII | re.IGNORECASE,
)
_ORIGIN: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@]+)", re.ASCII)
_DEFAULT_PORT: Final = {"http": 80, "https": 443}
_REREAD_S: Final = 1.0
_AVAHI_S: Final = 10.0
"""How often to ask Avahi, which takes some milliseconds."""
_ASK_AVAHI: Final = (
    "busctl", "--system", "--auto-start=no", "call",
    "org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn",
)  # fmt: skip
_KEPT: Final = 64
"""How many values are not parsed again: each request brings the same ones several times."""
_EVERY_ADDRESS: Final = ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound


class HostPort(NamedTuple):
    """The host of a Host or Origin header in its plain form, and the port if there is one."""

    host: str
    port: int | None


@lru_cache(_KEPT)
def parse_host(value: str) -> HostPort | None:
    """Host and port of a Host header, or None if it is not valid.

    The host comes in lower case, without brackets, zone and trailing dot, an address in its
    shortest form.
    """
    match = _HOST.fullmatch(value)
    if match is None:
        return None
    port = int(match["port"]) if match["port"] else None
    name = (match["v6"] or match["name"]).lower().removesuffix(".")
    if not name or (port is not None and port > 65535):
        return None
    address = _address(name)
    if address is None and match["v6"]:
        return None
    return HostPort(str(address) if address else name, port)


def parse_origin(value: str) -> HostPort | None:
    """Host and port of an Origin header, or None if it is `null` or not valid.

    The default port of the scheme becomes None, because browsers leave it out.
    """
    match = _ORIGIN.fullmatch(value)
    named = parse_host(match["host"]) if match else None
    if match and named and named.port == _DEFAULT_PORT[match["scheme"]]:
        return HostPort(named.host, None)
    return named


def is_address(host: str) -> bool:
    """Whether it is an address and no name."""
    return _address(host) is not None


def is_loopback(host: str) -> bool:
    """Whether it is a loopback address; `::ffff:127.0.0.1` is one too."""
    address = _address(host)
    return address is not None and address.is_loopback


def plain_address(host: str) -> str:
    """An address in its shortest form and without zone; an IPv4-mapped one as IPv4."""
    address = _address(host.partition("%")[0])
    return str(address) if address else host


@lru_cache(_KEPT)
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


def read_network(root: Path = Path("/")) -> Network:
    """The names and addresses this machine has now. Asks no name server.

    Names: what Avahi announces, and the host name alone, with `.local` and with the search domains
    of resolv.conf. `root` is the folder that holds `etc` and `run`.
    """
    full = socket.gethostname().lower().removesuffix(".")
    label = full.partition(".")[0]
    names = [_avahi_name(root, int(time.monotonic() / _AVAHI_S)), f"{label}.local", full, label]
    with suppress(OSError):
        for line in (root / "etc/resolv.conf").read_text("utf-8", "replace").splitlines():
            if line.startswith(("search", "domain")):
                domains = line.lower().split()[1:]
                names += [f"{label}.{domain.removesuffix('.')}" for domain in domains]
    ips = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips]
    # An IPv6 address comes with its flow and zone.
    addresses = [_default_address(), *(ip if isinstance(ip, str) else ip[0] for ip in ips)]
    plain = [plain_address(address) for address in addresses if not is_loopback(address)]
    return Network(
        tuple(name for name in dict.fromkeys(names) if name and name != "localhost"),
        tuple(dict.fromkeys(plain)),
    )


@lru_cache(1)
def _avahi_name(root: Path, _period: int) -> str:
    """What Avahi calls this machine: `poch-2.local` if another one is `poch.local`; or nothing."""
    if not (root / "run/avahi-daemon/socket").exists():
        return ""
    try:
        asked = subprocess.run(  # noqa: S603 - a constant
            _ASK_AVAHI, capture_output=True, timeout=_AVAHI_S / 10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    named = re.fullmatch(rb's "([\w.-]+)"\n', asked.stdout)
    return named[1].decode().lower() if named else ""


def _default_address() -> str:
    """The address that packets to the internet would leave from; none is sent. Else loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


class KnownHosts:
    """The hosts that stand for this machine. Every request is checked against them."""

    def __init__(
        self,
        names: Iterable[str] = (),
        *,
        bound: str = "127.0.0.1",
        read: Callable[[], Network] = read_network,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`names` are further names, with a port if a proxy listens on another one.

        `bound` is the address listened on.
        """
        named = [name.lower().partition(":") for name in names]
        self._named = [
            HostPort(name.removesuffix("."), int(port or 0) or None) for name, _, port in named
        ]
        self._names = {host for host, _ in self._named}
        self._bound = bound
        self._read = read
        self._clock = clock
        self._read_s = clock()
        self._network = read()

    def allows(self, host: str) -> bool:
        """Whether a host, as `parse_host` gives it, is this machine."""
        if host == "localhost" or host in self._names or is_loopback(host):
            return True
        # The network may have changed.
        return self._has(host) or (self._read_again() and self._has(host))

    def names_port(self, origin: HostPort) -> bool:
        """Whether the configuration names this host with this port."""
        return any(
            host == origin.host and port is not None and origin.port in (port, _omitted(port))
            for host, port in self._named
        )

    def urls(self, port: int, arrived: str | None = None) -> list[str]:
        """The addresses to type in, best first.

        `arrived` is the address of this machine at which the client came in that asks: others are
        probably in the same network.
        """
        self._read_again()
        if is_loopback(self._bound) or self._bound == "localhost":
            hosts = ["localhost"]
        elif self._bound in _EVERY_ADDRESS:
            near = plain_address(arrived or "")
            # A link-local address needs a zone, which browsers do not accept.
            addresses = sorted(
                (a for a in self._network.addresses if not a.startswith("fe80:")),
                key=lambda a: (a.startswith("169.254."), ":" in a, a != near),
            )
            if self._bound == "0.0.0.0":  # noqa: S104 - compared, not bound
                addresses = [address for address in addresses if ":" not in address]
            hosts = [*self._network.names[:1], *addresses]
        else:
            hosts = [plain_address(self._bound)]
            if arrived and not is_address(self._bound):
                hosts.append(plain_address(arrived))
        named = [url_of(host, own or port) for host, own in self._named]
        return list(dict.fromkeys([*named, *(url_of(host, port) for host in hosts)]))

    def _has(self, host: str) -> bool:
        return host in self._network.names or host in self._network.addresses

    def _read_again(self) -> bool:
        """Reads the network, at most once a second: a client may keep asking under wrong names."""
        now = self._clock()
        if now - self._read_s < _REREAD_S:
            return False
        self._read_s = now
        self._network = self._read()
        return True


def url_of(host: str, port: int | None, scheme: str = "") -> str:
    """An address of a page without its path. The scheme follows from the port if none is given."""
    scheme = scheme or ("https" if port == _DEFAULT_PORT["https"] else "http")
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}" + ("" if port in (None, _DEFAULT_PORT[scheme]) else f":{port}")


def _omitted(port: int) -> int | None:
    """The port as browsers write it, who leave the default port of a scheme out."""
    return None if port in _DEFAULT_PORT.values() else port
