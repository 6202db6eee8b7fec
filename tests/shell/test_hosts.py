"""Which hosts and origins are answered, as functions and over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import ifaddr
import pytest

from pochboard.config import Config
from pochboard.server.arrival import Arrival
from pochboard.server.errors import ApiError
from pochboard.server.hosts import (
    HostPort,
    KnownHosts,
    Network,
    is_loopback,
    parse_host,
    parse_origin,
    read_network,
)
from pochboard.server.middleware import admit
from pochboard.server.web_files import static_path
from tests.shell.server_kit import LONG_S, House, running_house

HOME = Network(("pi.local", "pi", "pi.fritz.box"), ("192.168.1.20", "2001:db8::20"))


def check(hosts: KnownHosts, method: str, **headers: str) -> None:
    """Raises ApiError if a request of the API with these headers is not admitted on port 8441."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    admit(arrival(method, "/api/state", named), hosts)


def arrival(method: str, path: str, headers: dict[str, str]) -> Arrival:
    return Arrival(method=method, path=path, headers=headers, address="192.168.1.77", own_port=8441)


@pytest.mark.parametrize(
    ("header", "asked"),
    [
        ("localhost", HostPort("localhost", None)),
        ("LocalHost:8441", HostPort("localhost", 8441)),
        ("pi.local.:8441", HostPort("pi.local", 8441)),
        ("pi.local:", HostPort("pi.local", None)),
        ("192.168.1.20:80", HostPort("192.168.1.20", 80)),
        ("[::1]:8441", HostPort("::1", 8441)),
        ("[2001:DB8:0::20]", HostPort("2001:db8::20", None)),
        ("[fe80::1%25eth0]", HostPort("fe80::1", None)),
        ("[::ffff:127.0.0.1]", HostPort("127.0.0.1", None)),
    ],
)
def test_a_host_is_normalized(header: str, asked: HostPort) -> None:
    assert parse_host(header) == asked


@pytest.mark.parametrize(
    "header",
    [
        "", ".", ":", ":8441", "pi local", "pi/x", "a@b", "::1", "[::1", "[]", "[pi]", "[1::2::3]",
        "pi:port", "pi:70000", "pi:-1", "pi:8441:1", "pï", "pi\x00", "pi\n", "x" * 300,
        "pi,localhost",
    ],
)  # fmt: skip
def test_an_invalid_host_is_refused(header: str) -> None:
    assert parse_host(header) is None
    with pytest.raises(ApiError) as error:
        check(KnownHosts(read=lambda: HOME), "GET", host=header)
    assert error.value.status == 421


def test_an_origin_has_a_scheme_and_omits_its_default_port() -> None:
    assert parse_origin("http://pi.local:8441") == HostPort("pi.local", 8441)
    assert parse_origin("http://pi.local:80") == HostPort("pi.local", None)
    assert parse_origin("https://pi.local:443") == HostPort("pi.local", None)
    for none in ("null", "", "pi.local", "file://", "http://", "http://a@pi", "ftp://pi"):
        assert parse_origin(none) is None


def test_a_changed_network_is_noticed_at_most_once_a_second() -> None:
    now, reads, network = 100.0, 0, HOME

    def read() -> Network:
        nonlocal reads
        reads += 1
        return network

    hosts = KnownHosts(read=read, clock=lambda: now)
    network = Network(("pi.local",), ("10.0.0.5",))
    assert not hosts.allows("10.0.0.5")
    assert reads == 1
    now += 1
    assert hosts.allows("10.0.0.5")
    assert not hosts.allows("192.168.1.20")
    for _ in range(100):
        hosts.allows("evil.example")
        with pytest.raises(ApiError, match="is not a name of this board"):
            check(hosts, "GET", host="evil.example")
    assert reads == 2


def test_urls_match_the_address_listened_on() -> None:
    def urls(bound: str, *names: str, port: int = 8441) -> list[str]:
        return KnownHosts(names, bound=bound, read=lambda: HOME).urls(port)

    assert urls("127.0.0.1") == ["http://localhost:8441"]
    assert urls("0.0.0.0") == ["http://pi.local:8441", "http://192.168.1.20:8441"]
    assert urls("::", port=80)[-1] == "http://[2001:db8::20]"
    linked = HOME._replace(addresses=(*HOME.addresses, "fe80::20"))
    assert KnownHosts(bound="::", read=lambda: linked).urls(8441) == urls("::")
    assert urls("0.0.0.0", "poch.test")[0] == "http://poch.test:8441"
    assert urls("192.168.1.20") == ["http://192.168.1.20:8441"]


@pytest.mark.parametrize(
    ("arrived", "best"),
    [
        (None, "192.168.1.20"),
        ("127.0.0.1", "192.168.1.20"),
        ("192.168.1.20", "192.168.1.20"),
        # Its own Wi-Fi.
        ("10.42.0.1", "10.42.0.1"),
        ("::ffff:10.42.0.1", "10.42.0.1"),
        ("192.168.99.99", "192.168.1.20"),
    ],
)
def test_the_best_address_is_that_of_the_network_of_whoever_asks(
    arrived: str | None, best: str
) -> None:
    addresses = ("2001:db8::20", "192.168.1.20", "fe80::5", "169.254.7.7", "10.42.0.1", "fd00::1")
    network = Network(("pi.local",), addresses)
    for bound in ("0.0.0.0", "::"):
        urls = KnownHosts(bound=bound, read=lambda: network).urls(8441, arrived)
        assert urls[:2] == ["http://pi.local:8441", f"http://{best}:8441"]
        assert len(urls) == len(set(urls)) == (4 if bound == "0.0.0.0" else 6)


def test_names_come_from_the_host_name_and_resolv_conf(tmp_path: Path) -> None:
    name = socket.gethostname().lower()
    label = name.partition(".")[0]
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/resolv.conf").write_text("# x\nsearch fritz.box. example.org\n")
    network = read_network(tmp_path)
    assert {f"{label}.local", f"{label}.fritz.box", f"{label}.example.org"} <= {*network.names}
    assert "localhost" not in network.names
    assert read_network(tmp_path / "nowhere").names


def test_addresses_are_those_of_the_interfaces_that_other_machines_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def adapter(name: str, *ips: str | tuple[str, int, int]) -> ifaddr.Adapter:
        return ifaddr.Adapter(name, name, [ifaddr.IP(ip, 24, name) for ip in ips])

    adapters = [
        adapter("lo", "127.0.0.1", ("::1", 0, 0)),
        adapter("eth0", "192.168.1.20", ("2001:db8::20", 0, 0), ("fe80::20", 0, 2)),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    addresses = read_network().addresses
    assert {"192.168.1.20", "2001:db8::20", "fe80::20"} <= set(addresses)
    assert not any(map(is_loopback, addresses))


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_origins_must_be_our_own(method: str) -> None:
    hosts = KnownHosts(read=lambda: HOME)

    def status(**headers: str) -> int | None:
        try:
            check(hosts, method, host="pi.local:8441", **headers)
        except ApiError as error:
            return error.status
        return None

    assert status() is None
    assert status(origin="http://pi.local:8441") is None
    assert status(origin="http://192.168.1.20:8441") is None
    assert status(origin="http://pi.local") == 403
    assert status(origin="http://pi.local:9000") == 403
    assert status(origin="http://evil.example:8441") == 403
    assert status(origin="null") == 403
    assert status(origin="") == 403
    # Our own pages ask for no referrer, which may hide their origin; the browser vouches then.
    assert status(origin="null", sec_fetch_site="same-origin") is None
    for site in ("cross-site", "same-site", "cross-site, same-origin", ""):
        assert status(sec_fetch_site=site) == 403
    assert status(sec_fetch_site="none") is None


@pytest.mark.parametrize(
    ("path", "site", "admitted"),
    [
        ("/", "cross-site", True),
        ("/nights/7", "same-site", True),
        # Somebody may follow a link to a backup without knowing it.
        ("/api/backup", "cross-site", False),
        ("/api/backup/", "cross-site", False),
        ("/api", "same-site", False),
        ("/api/backup", "none", True),
        ("/api/backup", "same-origin", True),
    ],
)
def test_other_sites_may_only_link_to_pages(path: str, site: str, admitted: bool) -> None:
    hosts = KnownHosts(read=lambda: HOME)
    headers = {"host": "pi.local:8441", "sec-fetch-site": site}
    for method, says in (("GET", "may not read"), ("POST", "may not change anything")):
        with nullcontext() if admitted else pytest.raises(ApiError, match=says):
            admit(arrival(method, path, headers), hosts)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(
        tmp_path, config=Config(data=tmp_path, port=0, names=("poch.test",))
    ) as running:
        yield running


@pytest.mark.parametrize(
    "path", ["/", f"/{static_path()}main.js", "/healthz", "/api/state", "/api/events", "/api/nope"]
)
def test_every_address_refuses_a_foreign_host(house: House, path: str) -> None:
    answer = house.get(path, {"Host": "evil.example"})
    assert answer.status == 421
    assert answer.code == "wrong-host"
    assert f"http://localhost:{house.port}" in answer.json["message"]
    assert "http://poch.test" in answer.json["message"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "request_", [b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n"]
)
def test_a_request_without_one_host_is_refused(house: House, request_: bytes) -> None:
    with socket.create_connection(("127.0.0.1", house.port), timeout=LONG_S) as client:
        client.sendall(request_)
        first = client.makefile("rb").readline()
    assert first.split()[1] in (b"400", b"421")
