"""What leads phones in the machine's own Wi-Fi to the page, over HTTP as phones speak it."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from pochboard.wifi import portal
from pochboard.wifi.portal import ANSWERS, Portal
from pochboard.wifi.service import OWN_ADDRESS
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
    number = listening.getsockname()[1]
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        serving = loop.create_task(Portal(8441).serve(listening))
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        yield number
        assert not serving.done()
        loop.call_soon_threadsafe(loop.stop)
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
    assert get(port, path, host) == (200 if ANSWERS[path] else 204, None, ANSWERS[path])


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


def test_slow_clients_keep_nobody_out_and_have_one_deadline(
    port: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(portal, "_LONGEST_S", 1.0)
    slow = [socket.create_connection(("127.0.0.1", port), LONG_S) for _ in range(40)]
    began = time.monotonic()
    while slow and time.monotonic() < began + LONG_S:
        assert get(port, "/", "example.org")[:2] == (302, HERE)
        for client in tuple(slow):
            try:
                client.send(b"G")
                client.settimeout(0.002)
                closed = client.recv(1) == b""
            except TimeoutError:
                closed = False
            except OSError:
                closed = True
            if closed:
                client.close()
                slow.remove(client)
    assert slow == [], "each byte has lengthened the time"
    assert time.monotonic() > began + 0.9
    assert capfd.readouterr() == ("", "")
