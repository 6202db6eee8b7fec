"""Proxies between clients and the daemon: what is believed of their headers, and of whom."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from pochboard.config import Config
from pochboard.server.arrival import Arrival, Proxies
from pochboard.server.hosts import HostPort
from tests.shell.server_kit import House, running_house

TRUSTED = ("10.0.0.1", "172.30.32.0/23", "2001:db8:1::/48")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)"
INGRESS = "/api/hassio_ingress/Rk3-x_9"


def arrival(
    headers: Mapping[str, str],
    *,
    peer: str = "10.0.0.1",
    path: str = "/",
    prefix: str = "",
    version: str = "1.1",
) -> Arrival:
    """The way of a request to port 8441 of 10.0.0.2, after uvicorn has read its headers."""
    sent = {"host": "10.0.0.2:8441", **headers}
    scope: dict[str, Any] = {
        "type": "http",
        "scheme": "http",
        "client": (peer, 40_000),
        "server": ("10.0.0.2", 8441),
        "http_version": version,
        "method": "GET",
        "path": path,
        "query_string": b"",
        "raw_path": path.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }
    proxies, read = Proxies(TRUSTED, prefix), []

    async def application(scope: Any, *_: object) -> None:
        read.append(proxies.arrival(scope, peer))

    asyncio.run(ProxyHeadersMiddleware(application, proxies.for_uvicorn)(scope, None, None))  # type: ignore[arg-type]
    return read[0]


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("192.168.1.7", "192.168.1.7"),
        ("192.168.1.7:5123", "192.168.1.7"),
        ("[2001:DB8:0::7]:5123", "2001:db8::7"),
        ("::ffff:192.168.1.7", "192.168.1.7"),
        # What the client has written itself comes first, and does not count.
        ("127.0.0.1,192.168.1.7", "192.168.1.7"),
        ("192.168.1.7, 172.30.32.1, 2001:db8:1::5", "192.168.1.7"),
        ("172.30.33.9", "172.30.33.9"),
        ("", "10.0.0.1"),
    ],
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(told: str, address: str) -> None:
    assert arrival({"x-forwarded-for": told}).address == address
    assert arrival({"x-forwarded-for": told}, peer="192.168.1.99").address == "192.168.1.99"


def test_only_a_trusted_proxy_says_what_the_client_speaks() -> None:
    https = {"x-forwarded-proto": "https"}
    assert arrival(https).scheme == "https"
    assert arrival(https, peer="192.168.1.99").scheme == "http"
    assert arrival({"x-forwarded-proto": "gopher"}).scheme == "http"


@pytest.mark.parametrize(
    ("headers", "host"),
    [
        ({"x-forwarded-host": "nas.local"}, HostPort("nas.local", None)),
        ({"x-forwarded-host": "nas.local:81"}, HostPort("nas.local", 81)),
        ({"host": "nas.local:81"}, HostPort("nas.local", 81)),
        ({"x-forwarded-host": "a b"}, HostPort("10.0.0.2", 8441)),
    ],
)
def test_a_trusted_proxy_says_which_host_was_asked_for(
    headers: dict[str, str], host: HostPort
) -> None:
    assert arrival(headers).host == host
    assert arrival(headers, peer="192.168.1.99").host is None


@pytest.mark.parametrize("header", ["x-forwarded-prefix", "x-ingress-path"])
@pytest.mark.parametrize(
    ("path", "inside", "root"),
    [
        ("/", "/", "./"),
        ("/nights/7", "/nights/7", "../"),
        (f"{INGRESS}/", "/", "./"),
        (f"{INGRESS}/nights/7/rules", "/nights/7/rules", "../../"),
        (INGRESS, "", "./"),
        (f"{INGRESS}x/", f"{INGRESS}x/", "../../../"),
    ],
)
def test_a_prefix_is_known_whether_or_not_the_proxy_removes_it(
    header: str, path: str, inside: str, root: str
) -> None:
    arrived = arrival({header: f"{INGRESS}/"}, path=path)
    assert (arrived.prefix, arrived.path, arrived.root) == (INGRESS, inside, root)
    assert arrival({header: INGRESS}, path=path, peer="192.168.1.99").prefix == ""
    # The configuration's applies to everybody whose path has it.
    arrived = arrival({}, path=path, prefix=INGRESS, peer="192.168.1.99")
    assert (arrived.path, arrived.root) == (inside, root)
    assert arrived.prefix == (INGRESS if path != inside else "")


@pytest.mark.parametrize(
    "prefix",
    ["//evil.example", "/a//b", "poch", "https://evil.example", "/..", "/a/../b", "/./a", "/a b",
     "/a%2f", '/a"b', "/a?b", "/" + 250 * "a", "/a\\b", "/ä"],
)  # fmt: skip
def test_a_prefix_that_could_lead_elsewhere_is_ignored(prefix: str) -> None:
    assert arrival({"x-forwarded-prefix": prefix}).prefix == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"x-forwarded-for": "127.0.0.1"},
        {"x-forwarded-server": "nas"},
        {"x-original-uri": "/"},
        {"forwarded": "for=127.0.0.1"},
        {"via": "1.1 nas"},
        {"x-real-ip": "127.0.0.1"},
        {"x-ingress-path": INGRESS},
    ],
)
def test_what_hints_at_a_proxy_is_not_from_this_machine(headers: dict[str, str]) -> None:
    direct = {"host": "localhost:8441", "user-agent": PHONE, "connection": "keep-alive"}
    if "user-agent" in headers:
        del direct["connection"]
    assert arrival({**direct, **headers}, peer="127.0.0.1").direct is False


@pytest.mark.parametrize(
    "host", ["localhost:8441", "127.0.0.1:8441", "[::1]:8441", "poch.home:8441"]
)
def test_a_browser_and_a_program_on_this_machine_are_direct(host: str) -> None:
    browser = {"host": host, "user-agent": PHONE, "connection": "keep-alive"}
    assert arrival(browser, peer="127.0.0.1").direct
    assert arrival({**browser, "origin": f"http://{host}"}, peer="127.0.0.1").direct
    assert arrival({"host": host, "user-agent": "curl/8"}, peer="127.0.0.1").direct
    # What nginx speaks by default, and what comes from an address that is called a proxy's.
    assert not arrival({"host": host}, peer="127.0.0.1", version="1.0").direct
    assert not arrival({"host": host}).direct


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    config = Config(
        data=folder,
        port=0,
        names=("nas.local:81", "poch.home"),
        prefix="/poch",
        trusted_proxies=("127.0.0.9",),
    )
    with running_house(folder, config=config) as running:
        running.start_threads()
        yield running


def proxied(house: House, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """A page as a trusted proxy asks for it."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = house.ask("GET", path, None, {"Host": "poch.home", **sent}, source="127.0.0.9")
    return answer.status, answer.headers, answer.body.decode("utf-8", "replace")


@pytest.mark.parametrize("path", ["/poch/nights", "/nights"])
def test_every_address_of_a_page_is_below_the_prefix(house: House, path: str) -> None:
    status, headers, page = proxied(house, path)
    assert status == 200
    links = re.findall(r'(?:href|src)="([^"#]+)', page)
    assert len(links) > 8
    assert [link for link in links if not link.startswith(("./", "?"))] == []
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    for link in links:
        assert proxied(house, f"/poch/{link.removeprefix('./')}")[0] in (200, 303)


def test_the_language_is_kept_below_the_prefix_and_over_https_alone(house: House) -> None:
    status, headers, _ = proxied(house, "/poch/nights?lang=de", X_Forwarded_Proto="https")
    assert (status, headers["location"]) == (303, "./nights")
    assert re.search("; Secure; HttpOnly; Path=/poch;", headers["set-cookie"])
    plain = house.get("/nights?lang=de").headers["set-cookie"]
    assert "; HttpOnly; Path=/;" in plain
    assert "Secure" not in plain


@pytest.mark.parametrize("path", ["//api/backup", "/%2fapi/backup", "/poch//api/backup"])
def test_another_site_cannot_link_to_a_backup_by_further_slashes(house: House, path: str) -> None:
    link = {
        "Authorization": "Bearer the-local-token",
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert house.get(path, link).status == 403
    assert house.get(path, {**link, "Sec-Fetch-Site": "none"}).status == 200


def handed_on(house: House, **headers: str) -> tuple[str | None, str | None]:
    """The address for other phones, and the one with a name, as somebody behind a proxy sees it."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    source = sent.pop("source", "127.0.0.9")
    token = {"Authorization": "Bearer the-local-token"}
    reach = house.ask("GET", "/api/reach", None, {**token, **sent}, source=source).json
    assert (reach["qr"] is None) == (reach["url"] is None)
    return reach["url"], reach["named"]


def test_what_is_handed_on_is_how_a_trusted_proxy_is_seen(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, numeric = f"http://pi.local:{house.port}", f"http://192.168.1.20:{house.port}"
    monkeypatch.setattr(house.server.context.hosts, "urls", lambda *_: [name, numeric])
    lan = f"{numeric}/", f"{name}/"
    seen = {"Host": "poch.home", "X_Forwarded_Proto": "https", "X_Forwarded_Prefix": "/p"}
    assert handed_on(house, **seen) == ("https://poch.home/p/", None)
    assert handed_on(house, Host="nas.local:81") == ("http://nas.local:81/poch/", None)
    named = {"X_Forwarded_Host": "poch.home:8443"}
    assert handed_on(house, Host="127.0.0.1:1", **named) == ("http://poch.home:8443/poch/", None)
    # A name that means something only here, that of somebody who is not trusted, and one that
    # needs a login.
    assert handed_on(house, Host="localhost") == lan
    assert handed_on(house, **seen, source="127.0.0.1") == lan
    assert handed_on(house, **seen, X_Ingress_Path="/api/hassio_ingress/x") == lan


def test_a_proxy_before_a_daemon_that_only_this_machine_reaches_is_handed_on(house: House) -> None:
    unknown = {"Host": "poch.home:81", "source": "127.0.0.1"}
    assert handed_on(house, **unknown) == ("http://poch.home:81/", None)
    # Over http to another machine, no browser sends this.
    https = {**unknown, "Host": "poch.home", "Sec_Fetch_Site": "same-origin"}
    assert handed_on(house, **https) == ("https://poch.home/", None)
    assert handed_on(house, Host="localhost:81", source="127.0.0.1") == (None, None)
