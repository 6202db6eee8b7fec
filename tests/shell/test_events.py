"""The event stream: which events arrive when, and that no client delays another."""

from __future__ import annotations

import socket
import threading
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from pochboard.server import web_server
from tests.shell.server_kit import LONG_S, Event, House, drop_no_client, running_house, wait_until
from tests.shell.test_server_pairing import PROXIED, pair


def test_the_state_comes_on_connect_and_at_every_revision(house: House) -> None:
    with house.stream() as stream:
        assert stream.response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
        first = stream.read()
        assert first
        assert first.name == "state"
        assert first.data == house.get("/api/state").json
        house.start_night()
        house.command(do="deal")
        house.command(do="undo")
        received = [stream.next("state") for _ in range(3)]
    assert [event.data["entry"] for event in received] == [1, 2, 3]
    assert [event.data["phase"] for event in received] == ["idle", "meld", "idle"]
    assert all(event.id == event.data["revision"] for event in received)
    assert received[0].id < received[1].id < received[2].id


def test_a_client_that_has_the_newest_state_is_not_sent_it_again(house: House) -> None:
    newest = house.get("/api/state").json["revision"]

    def first(known: str, headers: dict[str, str] | None = None) -> Event:
        with house.stream(f"/api/events?known={known}", headers) as stream:
            event = stream.read()
            assert event
            return event

    beat = first(f"{newest}-paired")
    assert (beat.name, beat.id, beat.data["revision"]) == ("heartbeat", newest, newest)
    assert first(f"{newest}-watching", PROXIED).name == "heartbeat"
    # Somebody else's state, an earlier or a later one, or none at all.
    for other in (f"{newest}-watching", f"{newest - 1}-paired", f"{newest + 1}-paired", "x", ""):
        event = first(other)
        assert (event.name, event.data["pairing"]["paired"]) == ("state", True)
    assert first(f"{newest}-paired", PROXIED).data["pairing"]["paired"] is False
    with house.stream(f"/api/events?frames=1&known={newest}-paired") as stream:
        assert stream.next("frame").id == newest
        house.start_night()
        assert stream.next("state").data["entry"] == 1


def test_frames_are_sent_only_on_request(house: House) -> None:
    with house.stream() as without, house.stream("/api/events?frames=1") as stream:
        frame = stream.next("frame").data
        assert len(frame["pixels"]) == 116
        house.start_night()
        house.command(do="deal")
        house.command(do="next")
        wait_until("the last frame", lambda: house.table.lighting.frame != bytes(348))
        assert stream.next("frame").data["pixels"] != frame["pixels"]
        names = [event.name for event in (without.read() for _ in range(4)) if event]
    assert set(names) == {"state"}


def test_each_client_is_told_whether_it_is_paired(tmp_path: Path) -> None:
    with running_house(tmp_path, simulated=False) as house:
        cookie = {"Cookie": pair(house).cookie}
        with house.stream(headers=cookie) as own, house.stream() as foreign:
            assert own.next("state").data["pairing"]["paired"] is True
            assert foreign.next("state").data["pairing"]["paired"] is False
            house.post("/api/commands", {"do": "start", "ruleset": "modern",
                                        "players": ["A", "B", "C"]}, cookie)  # fmt: skip
            assert own.next("state").data["pairing"]["paired"] is True
            assert foreign.next("state").data["pairing"]["paired"] is False
            house.ask("DELETE", "/api/pairings/1", None, cookie)
            assert own.next("state").data["pairing"]["paired"] is False


def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    ended = threading.Event()
    with ExitStack() as parts:
        house = parts.enter_context(running_house(tmp_path))
        stream = parts.enter_context(house.stream("/api/events?frames=1"))
        stream.next("state")

        def read_on() -> None:
            while stream.read() is not None:
                pass
            ended.set()

        reader = threading.Thread(target=read_on)
        reader.start()
        house.server.stop()
        assert ended.wait(LONG_S)
        reader.join()


def test_a_client_that_does_not_read_is_dropped_and_delays_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "_VANISHED_MS", 200)
    with running_house(tmp_path) as house, socket.socket() as deaf:
        house.start_night()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", house.port))
        deaf.sendall(b"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until("it follows", lambda: len(house.server.events) == 1)
        with house.stream("/api/events?frames=1") as stream:
            stream.next("state")
            number = 0
            while len(house.server.events) == 2:
                number += 1
                assert number < 5_000, "the deaf client is still served"
                answer = house.command(do="rename", seat=1, name=f"Anna {number} " + "x" * 80)
                assert answer.status == 200
                assert stream.next("state").data["names"]["1"].startswith(f"Anna {number} ")


def test_a_slow_client_gets_the_newest_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the commands may take longer than a client may be silent.
    drop_no_client(monkeypatch)
    with running_house(tmp_path) as house, house.stream() as stream:
        house.start_night()
        stream.next("state")
        for number in range(200):
            house.command(do="rename", seat=1, name=f"Anna {number}")
        seen = ""
        while seen != "Anna 199":
            seen = stream.next("state").data["names"]["1"]


def test_other_requests_do_not_wait_until_all_streams_have_the_news(house: House) -> None:
    house.start_night()
    streams = 100
    told: list[int] = []
    loop = house.server.events._loop
    assert loop is not None
    with ExitStack() as clients:
        for number in range(streams):
            client = clients.enter_context(
                socket.create_connection(
                    ("127.0.0.1", house.port),
                    LONG_S,
                    source_address=(f"127.0.1.{1 + number % 10}", 0),
                )
            )
            client.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

        def all_have(revision: int) -> bool:
            return (
                sum(client.revision >= revision for client in house.server.events._streams)
                == streams
            )

        wait_until("all follow", lambda: all_have(house.table.snapshot.revision))
        before = house.table.snapshot.revision

        def count() -> None:
            # Once per turn of the loop, which is how often it serves other clients.
            told.append(sum(client.revision > before for client in house.server.events._streams))
            if told[-1] < streams:
                loop.call_soon(count)

        loop.call_soon_threadsafe(count)
        house.command(do="deal")
        wait_until("all are told", lambda: told[-1:] == [streams])
    assert max(after - before for before, after in pairwise(told)) <= 20
