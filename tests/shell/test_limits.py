"""What one client may have at once: it never locks the others out (SECURITY.md 3)."""

from __future__ import annotations

import gzip
import http.client
import socket
import threading
from contextlib import ExitStack

import pytest

from pochboard.exports import FORMATS
from pochboard.server import asgi, events
from pochboard.server.routes import nights
from pochboard.server.server import READING_THREADS
from tests.shell.server_kit import LONG_S, House, wait_until
from tests.shell.test_server_pairing import pair

STRANGER, OTHER = "127.0.0.2", "127.0.0.3"
"""Two addresses of this machine, for two clients."""


def connect(house: House, source: str) -> socket.socket:
    return socket.create_connection(
        ("127.0.0.1", house.port), timeout=LONG_S, source_address=(source, 0)
    )


def all_are_gone(house: House) -> None:
    """Waits until the server has accepted and closed all connections that clients have closed.

    One that it accepts while it stops would be left open.
    """
    assert house.get("/healthz").status == 200  # connections are accepted in order
    wait_until("all are gone", lambda: len(house.server.connections) == 0)


def test_one_client_may_follow_twenty_streams_and_no_more(house: House) -> None:
    with ExitStack() as streams:
        for _ in range(20):
            stream = streams.enter_context(house.stream(source=STRANGER))
            stream.next("state")
        for _ in range(200):
            answer = house.ask("GET", "/api/events", source=STRANGER)
            assert (answer.status, answer.code) == (429, "busy")
        with house.stream(source=OTHER) as phone:
            assert phone.next("state").data["phase"] == "none"
    wait_until("all have ended", lambda: len(house.server.events) == 0)
    with house.stream(source=STRANGER) as stream:
        assert stream.next("state").data["phase"] == "none"


def test_a_paired_phone_takes_the_place_of_an_unpaired_stream(
    real: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MOST_STREAMS", 4)
    cookie = {"Cookie": pair(real).cookie}
    with ExitStack() as streams:
        first, *others = (
            streams.enter_context(real.stream(source=f"127.0.0.{number}")) for number in range(2, 6)
        )
        for stream in (first, *others):
            stream.next("state")
        assert real.ask("GET", "/api/events", source="127.0.0.9").status == 503
        with real.stream(headers=cookie, source="127.0.0.9") as phone:
            assert phone.next("state").data["pairing"]["paired"] is True
            while first.read() is not None:
                pass
            wait_until("four are left", lambda: len(real.server.events) == 4)


def test_one_client_may_have_a_hundred_connections_and_the_longest_idle_is_dropped(
    house: House,
) -> None:
    with ExitStack() as clients:
        opened = [clients.enter_context(connect(house, STRANGER)) for _ in range(150)]
        other = clients.enter_context(connect(house, OTHER))
        for client in opened[:50]:
            assert client.recv(1) == b""
        wait_until("the others are open", lambda: len(house.server.connections) == 101)
        other.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert other.recv(12) == b"HTTP/1.1 200"
    all_are_gone(house)


def test_a_command_does_not_wait_for_pages(house: House) -> None:
    stuck = threading.Event()
    with ExitStack() as clients:
        clients.callback(stuck.set)
        for _ in range(READING_THREADS):
            house.server._reading.executor.submit(stuck.wait)
        for _ in range(2):
            client = http.client.HTTPConnection("127.0.0.1", house.port, timeout=LONG_S)
            clients.callback(client.close)
            client.request("GET", "/")
        house.start_night()
        with house.stream() as stream:
            assert stream.next("state").data["phase"] == "idle"


# Long nights.


def long_night(house: House, entries: int) -> None:
    """Night 1 with this many entries, and night 2 in progress."""
    house.start_night()
    for number in range(entries - 2):
        assert house.command(do="rename", seat=1, name=f"Anna {number}").status == 200
    house.command(do="end")
    house.start_night()


def test_long_nights_come_in_parts_that_name_the_next(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = nights.MOST_ENTRIES
    long_night(house, 25)
    all_at_once = house.get("/api/nights/1/entries")
    assert "link" not in all_at_once.headers, "a night of families comes in one answer"
    assert whole == 1000
    monkeypatch.setattr(nights, "MOST_ENTRIES", 10)
    for query in ("", "?table=1"):
        expected = house.get(f"/api/nights/1/entries{query}")
        found, path = [], f"/api/nights/1/entries{query}"
        while path:
            answer = house.get(path)
            assert len(answer.json) <= 10
            found += answer.json
            path, _, rest = answer.headers.get("link", "").removeprefix("<").partition(">")
            assert rest in ("", '; rel="next"')
        assert [entry["number"] for entry in found] == list(range(1, 26))
        assert found[:10] == expected.json
    assert len(house.get("/api/nights/1/entries?after=3&limit=4").json) == 4
    for limit in ("0", "11", "x", "-1", "1" * 5000, ""):
        answer = house.get(f"/api/nights/1/entries?limit={limit}")
        assert (answer.status, answer.code) == (400, "bad-argument")
        assert answer.json["message"] == '"limit" must be a whole number from 1 to 10.'


@pytest.mark.parametrize(
    "path", ["/api/nights", "/api/nights/1/entries", *(f"/api/nights/1/{name}" for name in FORMATS)]
)
def test_a_long_answer_is_the_same_in_pieces(
    house: House, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    long_night(house, 25)
    whole = house.get(path)
    assert "content-length" in whole.headers
    monkeypatch.setattr(asgi, "_PIECE", 200)
    in_pieces, packed = house.get(path), house.get(path, {"Accept-Encoding": "gzip"})
    assert "content-length" not in in_pieces.headers
    assert in_pieces.body == whole.body
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == whole.body
    assert house.ask("HEAD", path).body == b""
    # A client that goes away in the middle keeps nobody waiting.
    with socket.create_connection(("127.0.0.1", house.port)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert client.recv(100)
    assert house.get(path).body == whole.body
