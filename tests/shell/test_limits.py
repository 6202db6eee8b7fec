"""What one client may have at once: it never locks the others out (SECURITY.md 3)."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import socket
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pochboard.exports.formats import FORMATS
from pochboard.ledger.replay import StoredNight
from pochboard.server import events, middleware, streaming
from pochboard.server.connections import Slots
from pochboard.server.errors import ApiError
from pochboard.server.routes import nights
from pochboard.server.server import READING_THREADS
from pochboard.table import journal
from tests.shell.server_kit import LONG_S, House, ask, drop_no_client, running_house, wait_until
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


def test_a_flood_from_a_few_addresses_does_not_drop_a_new_connection(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house.server.connections, "_limit", 50)
    with ExitStack() as clients:
        phone = clients.enter_context(connect(house, OTHER))
        for number in range(100):
            clients.enter_context(connect(house, f"127.0.0.{10 + number % 5}"))
        wait_until("there are no more", lambda: len(house.server.connections) == 50)
        phone.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert phone.recv(12) == b"HTTP/1.1 200"
    all_are_gone(house)


def test_waiting_requests_of_one_client_do_not_delay_others(house: House) -> None:
    house.start_night()
    stuck = threading.Event()
    with ExitStack() as clients:
        # The table is busy, so every command takes a thread until the table continues.
        house.table._worker.submit(lambda: stuck.wait(LONG_S))
        body = json.dumps({"do": "rename", "seat": 1, "name": "Zoe"})
        waiting = []
        for _ in range(16):
            client = http.client.HTTPConnection(
                "127.0.0.1", house.port, timeout=LONG_S, source_address=(STRANGER, 0)
            )
            clients.callback(client.close)
            client.request("POST", "/api/commands", body, {"Content-Type": "application/json"})
            waiting.append(client)
        wait_until("all wait", lambda: house.server._middleware.under_way == 16)
        assert ask(house.port, "GET", "/api/rulesets", source=STRANGER).status == 429
        assert ask(house.port, "GET", "/api/rulesets", source=OTHER).status == 200
        stuck.set()
        assert {client.getresponse().status for client in waiting} == {200}


def test_a_command_does_not_wait_for_pages(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.server._middleware._under_way[True], "_total", 2)
    stuck = threading.Event()
    with ExitStack() as clients:
        clients.callback(stuck.set)
        for _ in range(READING_THREADS):
            house.server._reading.executor.submit(stuck.wait)
        for _ in range(2):
            client = http.client.HTTPConnection("127.0.0.1", house.port, timeout=LONG_S)
            clients.callback(client.close)
            client.request("GET", "/")
        wait_until("two wait", lambda: house.server._middleware.under_way == 2)
        assert house.get("/api/state").status == 503
        house.start_night()


def test_one_client_holds_four_presses_at_most(house: House) -> None:
    press = {"button": "ace", "ms": 2000}
    statuses: list[int] = []
    threads = [
        threading.Thread(
            target=lambda: statuses.append(
                ask(house.port, "POST", "/api/board/press", press, source=STRANGER).status
            )
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(429) >= 1
    assert set(statuses) == {200, 429}


def test_one_client_uploads_two_sheets_at_a_time(house: House) -> None:
    head = (
        b"POST /api/nights HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        b"Content-Length: 4000000\r\n\r\n"
    )
    with ExitStack() as clients:
        for _ in range(2):
            clients.enter_context(connect(house, STRANGER)).sendall(head)
        text = {"Content-Type": "text/plain"}

        def is_full() -> bool:
            return ask(house.port, "POST", "/api/nights", "", text, source=STRANGER).status == 429

        wait_until("both are read", is_full)
        assert ask(house.port, "POST", "/api/nights", "", text, source=OTHER).status == 400


def test_an_upload_counts_until_it_is_answered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client may send the next one at once, even if the thread of the last has yet to end."""
    server, stopping = house.server._middleware, threading.Event()
    application = server._application

    async def lingering(*asgi: Any) -> None:
        await application(*asgi)
        await asyncio.to_thread(stopping.wait)

    monkeypatch.setattr(server, "_application", lingering)
    with ExitStack() as clients:
        clients.callback(stopping.set)
        for _ in range(4):
            client = http.client.HTTPConnection("127.0.0.1", house.port, timeout=LONG_S)
            clients.callback(client.close)
            client.request("POST", "/api/nights", "", {"Content-Type": "text/plain"})
            assert client.getresponse().status == 400


def test_answers_that_are_not_read_keep_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "_MOST_AT_ONCE", 4)
    drop_no_client(monkeypatch)
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    with running_house(tmp_path) as house, ExitStack() as clients:

        def stuck() -> int:
            transports = [connection.transport for connection in house.server.connections]
            return sum(transport.get_write_buffer_size() > 0 for transport in transports)

        for number in range(8):
            client = clients.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.bind((f"127.0.0.{10 + number}", 0))
            client.connect(("127.0.0.1", house.port))
            client.sendall(request * 400)
            wait_until("it is stuck in sending", lambda: stuck() > number)  # noqa: B023 - at once
        wait_until("no answer is being made", lambda: house.server._middleware.under_way == 0)
        assert house.get("/").status == 200
        assert stuck() == 8, "nobody was dropped for it"


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
    for query in ("", "?pixels=1"):
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


def test_a_night_that_many_read_at_once_is_replayed_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_night(house, 10)
    replays = []
    real_night = house.table._store.night

    def night(number: int) -> StoredNight:
        replays.append(number)
        return real_night(number)

    monkeypatch.setattr(house.table._store, "night", night)
    readers = [threading.Thread(target=house.table.nights.night, args=(1,)) for _ in range(8)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert len(replays) == 1


def test_old_nights_in_memory_have_few_entries_together(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST_ENTRIES_KEPT", 25)
    for number in (1, 2, 3):
        long_night(house, 10)
        house.command(do="end")
        house.table.nights.night(2 * number - 1)
    house.start_night()
    for number in (1, 3, 5):
        house.table.nights.night(number)
    kept = house.table._journal._kept
    assert sum(len(night.states) for night in kept.values()) <= 25
    assert 5 in kept


@pytest.mark.parametrize(
    "path", ["/api/nights", "/api/nights/1/entries", *(f"/api/nights/1/{name}" for name in FORMATS)]
)
def test_a_long_answer_is_the_same_in_pieces(
    house: House, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    long_night(house, 25)
    whole = house.get(path)
    assert "content-length" in whole.headers
    monkeypatch.setattr(streaming, "_PIECE", 200)
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


def test_slots_end_for_one_client_and_for_all() -> None:
    slots = Slots(total=3, per_client=2)
    with ExitStack() as taken:
        for address in ("a", "a", "b"):
            taken.enter_context(slots.slot(address))
        assert slots.taken == 3
        for address, status in (("a", 429), ("b", 503), ("c", 503)):
            with pytest.raises(ApiError) as refused, slots.slot(address):
                pass
            assert (refused.value.status, refused.value.headers) == (status, {"Retry-After": "1"})
    assert slots.taken == 0
    with slots.slot("a"):
        assert slots.taken == 1


def test_heavy_answers_wait_without_a_thread_and_one_client_has_four_at_most(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_night(house, 5)
    first, go_on = threading.Event(), threading.Event()
    real_night = house.table.nights.night

    def slow(number: int) -> object:
        first.set()
        assert go_on.wait(LONG_S)
        return real_night(number)

    monkeypatch.setattr(house.table.nights, "night", slow)
    with ExitStack() as clients:
        clients.callback(go_on.set)
        opened = [clients.enter_context(connect(house, STRANGER)) for _ in range(4)]
        for client in opened:
            client.sendall(b"GET /api/nights/1/entries HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert first.wait(LONG_S)
        slots = house.server._middleware._heavy_answers
        wait_until("all four wait", lambda: slots._taken[STRANGER] == 4)
        wait_until("one has its turn", lambda: house.server._middleware.under_way == 1)
        for path in (
            *("/api/nights/1", "/nights/1", "/nights/1/rules", "/api/nights/1/sheet"),
            *("/api/nights/1/entries/", "/nights/1/rules/"),
        ):
            assert ask(house.port, "GET", path, source=STRANGER).status == 429
        assert ask(house.port, "GET", "/api/nights", source=STRANGER).status == 200
        assert house.command(do="rename", seat=2, name="Bea").status == 200
        go_on.set()
        for client in opened:
            assert client.recv(12) == b"HTTP/1.1 200"
