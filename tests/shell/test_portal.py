"""What leads phones in the machine's own Wi-Fi to the page, over HTTP as phones speak it."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator

import pytest

from pochboard.wifi import portal
from pochboard.wifi.nmcli import OWN_ADDRESS
from pochboard.wifi.portal import ANSWERS, Portal
from tests.shell.server_kit import LONG_S

HERE = f"http://{OWN_ADDRESS}/"
PROBES = {
    "/hotspot-detect.html": "captive.apple.com",
    "/generate_204": "connectivitycheck.gstatic.com",
    "/connecttest.txt": "www.msftconnecttest.com",
    "/canonical.html": "detectportal.firefox.com",
    "/success.txt": "detectportal.firefox.com",
}


@pytest.fixture
def port() -> Iterator[int]:
    """A portal on a socket as systemd hands it over."""
    listening = socket.create_server(("127.0.0.1", 0))
    with Portal(listening, 8441) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield listening.getsockname()[1]
        server.shutdown()
        thread.join()


def get(port: int, path: str, host: str, **headers: str) -> tuple[int, str | None, str]:
    """Status, redirect and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG_S)
    try:
        connection.putrequest("GET", path, skip_host=True)
        for name, value in {"Host": host, **headers}.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location"), answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize(("path", "host"), PROBES.items())
def test_a_phone_is_led_to_the_page_and_then_told_that_all_is_well(
    port: int, path: str, host: str
) -> None:
    assert get(port, path, host)[:2] == (302, HERE)
    status, _, page = get(port, "/", OWN_ADDRESS)
    assert status == 200
    assert f'href="http://{OWN_ADDRESS}:8441/"' in page
    assert "stay connected" in page
    assert get(port, path, host) == (ANSWERS[path][0], None, ANSWERS[path][1])


@pytest.mark.parametrize(
    ("path", "host"),
    [
        ("/", "example.org"),
        ("//example.org/", OWN_ADDRESS),
        ("/?to=http://example.org/", "example.org"),
        ("http://example.org/", "example.org"),
        ("/%0d%0aLocation:http://example.org/", OWN_ADDRESS),
        ("/../etc/passwd", OWN_ADDRESS),
    ],
)
def test_it_leads_nowhere_else(port: int, path: str, host: str) -> None:
    get(port, "/", OWN_ADDRESS)
    assert get(port, path, host) == (302, HERE, "")


def test_it_speaks_german_to_a_german_phone(port: int) -> None:
    page = get(port, "/", f"{OWN_ADDRESS}:80", Accept_Language="de-DE,de;q=0.9")[2]
    assert '<html lang="de">' in page
    assert "verbunden" in page


def test_without_a_request_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Portal, "timeout", 0.05)
    with Portal(socket.create_server(("127.0.0.1", 0)), 8441) as server:
        server.serve_until_quiet()
    assert portal.QUIET_S == 600
