"""The event stream: which events arrive when, and that no client delays another."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from pochboard.server import asgi, events
from tests.shell.server_kit import LONG_S, Event, House, drop_no_client, house, wait_until
from tests.shell.test_server_pairing import PROXIED, pair


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


def test_the_state_comes_on_connect_and_at_every_revision(home: House) -> None:
    with home.stream() as stream:
        assert stream.response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
        first = stream.read()
        assert first
        assert first.name == "state"
        assert first.data == home.get("/api/state").json
        home.start_night()
        home.command(do="deal")
        home.command(do="undo")
        received = [stream.next("state") for _ in range(3)]
    assert [event.data["entry"] for event in received] == [1, 2, 3]
    assert [event.data["phase"] for event in received] == ["idle", "meld", "idle"]
    assert all(event.id == event.data["revision"] for event in received)
    assert received[0].id < received[1].id < received[2].id


def test_a_client_that_has_the_newest_state_is_not_sent_it_again(home: House) -> None:
    newest = home.get("/api/state").json["revision"]

    def first(known: str, headers: dict[str, str] | None = None) -> Event:
        with home.stream(f"/api/events?known={known}", headers) as stream:
            event = stream.read()
            assert event
            return event

    beat = first(f"{newest}-paired")
    assert (beat.name, beat.id, beat.data) == ("heartbeat", newest, {"revision": newest})
    assert first(f"{newest}-watching", PROXIED).name == "heartbeat"
    # Somebody else's state, an earlier or a later one, or none at all.
    for other in (f"{newest}-watching", f"{newest - 1}-paired", f"{newest + 1}-paired", "x", ""):
        event = first(other)
        assert (event.name, event.data["pairing"]["paired"]) == ("state", True)
    assert first(f"{newest}-paired", PROXIED).data["pairing"]["paired"] is False
    with home.stream(f"/api/events?frames=1&known={newest}-paired") as stream:
        assert stream.next("frame").id == newest
        home.start_night()
        assert stream.next("state").data["entry"] == 1


def test_refusals_reach_every_stream(home: House) -> None:
    home.start_night()
    with home.stream() as stream, home.stream() as other:
        home.command(do="claim", seat=1, pool="ace")
        home.post("/api/board/press", {"button": "ace", "ms": 1})
        for one in (stream, other):
            command, press = one.next("refused").data, one.next("refused").data
            assert (command["code"], command["command"]) == ("wrong-phase", "claim")
            assert (press["code"], press["button"]) == ("no-meaning", ["ace"])
            assert press["message"]


def test_frames_are_sent_only_on_request(home: House) -> None:
    with home.stream() as without, home.stream("/api/events?frames=1") as stream:
        frame = stream.next("frame").data
        assert len(frame["pixels"]) == 116
        home.start_night()
        home.command(do="deal")
        home.command(do="next")
        wait_until("the last frame", lambda: home.table.frame != bytes(348))
        assert stream.next("frame").data["pixels"] != frame["pixels"]
        names = [event.name for event in (without.read() for _ in range(4)) if event]
    assert set(names) == {"state"}


def test_frames_may_be_skipped_but_the_newest_arrives(home: House) -> None:
    frames = [bytes([number]) * 348 for number in range(200)]
    with home.stream("/api/events?frames=1") as stream:
        stream.next("frame")
        for frame in frames:
            home.table._lighting.frame = frame
            home.server.events.on_frame(frame)
        seen: list[str] = []
        while not seen or seen[-1] != "#" + frames[-1].hex()[:6]:
            seen.append(stream.next("frame").data["pixels"][0])
    assert len(seen) < len(frames)
    assert seen == sorted(seen)


def test_heartbeats_are_sent_when_nothing_changes(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.02)
    with home.stream() as stream:
        first = stream.next("state")
        for _ in range(3):
            beat = stream.next("heartbeat")
            assert beat.id == beat.data["revision"] == first.id


def test_each_client_is_told_whether_it_is_paired(tmp_path: Path) -> None:
    with house(tmp_path, simulated=False) as home:
        cookie = {"Cookie": pair(home).cookie}
        with home.stream(headers=cookie) as own, home.stream() as foreign:
            assert own.next("state").data["pairing"]["paired"] is True
            assert foreign.next("state").data["pairing"]["paired"] is False
            home.post("/api/commands", {"do": "start", "ruleset": "modern",
                                        "players": ["A", "B", "C"]}, cookie)  # fmt: skip
            assert own.next("state").data["pairing"]["paired"] is True
            assert foreign.next("state").data["pairing"]["paired"] is False
            home.ask("DELETE", "/api/pairings/1", None, cookie)
            assert own.next("state").data["pairing"]["paired"] is False


def test_a_client_behind_a_proxy_is_not_on_this_machine(home: House) -> None:
    with home.stream(headers=PROXIED) as stream:
        assert stream.next("state").data["pairing"]["paired"] is False


def test_streams_of_clients_that_disconnect_are_removed(home: House) -> None:
    with ExitStack() as all_:
        for _ in range(20):
            all_.enter_context(home.stream("/api/events?frames=1")).next("state")
        assert len(home.server.events) == 20
    wait_until("all streams have ended", lambda: len(home.server.events) == 0)


def test_the_number_of_streams_is_limited(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_STREAMS", 3)
    with ExitStack() as all_:
        for _ in range(3):
            all_.enter_context(home.stream()).next("state")
        answer = home.get("/api/events")
        assert (answer.status, answer.code) == (503, "busy")
    wait_until("there is room again", lambda: len(home.server.events) == 0)
    with home.stream() as stream:
        assert stream.next("state").data["phase"] == "none"


def test_streams_end_when_the_server_stops(tmp_path: Path) -> None:
    ended = threading.Event()
    with ExitStack() as parts:
        home = parts.enter_context(house(tmp_path))
        stream = parts.enter_context(home.stream("/api/events?frames=1"))
        stream.next("state")

        def read_on() -> None:
            while stream.read() is not None:
                pass
            ended.set()

        reader = threading.Thread(target=read_on)
        reader.start()
        home.server.stop()
        assert ended.wait(LONG_S)
        reader.join()


def test_a_client_that_does_not_read_is_dropped_and_delays_nobody(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi, "SEND_S", 0.2)
    home.start_night()
    with socket.socket() as deaf, home.stream("/api/events?frames=1") as stream:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", home.port))
        deaf.sendall(b"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stream.next("state")
        wait_until("both follow", lambda: len(home.server.events) == 2)
        number = 0
        while len(home.server.events) == 2:
            number += 1
            assert number < 5_000, "the deaf client is still served"
            answer = home.command(do="rename", seat=1, name=f"Anna {number} " + "x" * 80)
            assert answer.status == 200
            assert stream.next("state").data["names"]["1"].startswith(f"Anna {number} ")


def test_a_slow_client_gets_the_newest_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the commands may take longer than a client may be silent.
    drop_no_client(monkeypatch)
    with house(tmp_path) as home, home.stream() as stream:
        home.start_night()
        stream.next("state")
        for number in range(200):
            home.command(do="rename", seat=1, name=f"Anna {number}")
        seen = ""
        while seen != "Anna 199":
            seen = stream.next("state").data["names"]["1"]


def test_other_requests_do_not_wait_until_all_streams_have_the_news(home: House) -> None:
    home.start_night()
    streams = 100
    told: list[int] = []
    loop = home.server.events._loop
    assert loop is not None
    with ExitStack() as clients:
        for number in range(streams):
            client = clients.enter_context(
                socket.create_connection(
                    ("127.0.0.1", home.port),
                    LONG_S,
                    source_address=(f"127.0.1.{1 + number % 10}", 0),
                )
            )
            client.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")

        def all_have(revision: int) -> bool:
            return sum(one.revision >= revision for one in home.server.events._streams) == streams

        wait_until("all follow", lambda: all_have(home.table.snapshot.revision))
        before = home.table.snapshot.revision

        def count() -> None:
            # Once per turn of the loop, which is how often it serves other clients.
            told.append(sum(one.revision > before for one in home.server.events._streams))
            if told[-1] < streams:
                loop.call_soon(count)

        loop.call_soon_threadsafe(count)
        home.command(do="deal")
        wait_until("all are told", lambda: told[-1:] == [streams])
    assert max(after - before for before, after in pairwise(told)) <= 20
