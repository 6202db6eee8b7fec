"""The daemon as a process: it starts, stops when told to, and resumes after being killed."""

from __future__ import annotations

import http.client
import io
import random
import re
import signal
import socket
import threading
from typing import Any

import pytest
import segno

from pochboard.runtime.process import find_daemon
from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import LONG_S, wait_until

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}
# The tests press `next` faster than people do, and a short press may last up to 3 s.
QUICK = "[times]\ntoo_soon_s = 0\nlong_s = 3\nselect_s = 60\nlobby_s = 60\n"


def kept(daemon: Daemon) -> dict[str, Any]:
    """The state that a restart restores: all but the revision."""
    return {key: value for key, value in daemon.state.items() if key != "revision"}


# Starting.


def test_it_prints_its_address(home: Home) -> None:
    with home.daemon() as daemon:
        first, second = daemon.greeting.splitlines()
        assert first == f"The table is set: http://localhost:{daemon.port}"
        assert "--lan" in second
        assert daemon.get("/healthz")["status"] == "ok"
        assert daemon.ask("GET", "/").headers["content-type"].startswith("text/html")
        assert daemon.port > 0, "port 0 takes a free one"
        assert daemon.stop() == (0, "Good night.\n")
        assert daemon.errors == ""


def test_on_the_lan_it_prints_a_qr_code_for_phones(home: Home) -> None:
    with home.daemon("--lan") as daemon:
        urls = re.findall(rf"^  (http://\S+:{daemon.port})$", daemon.greeting, re.MULTILINE)
        assert urls
        codes = []
        for url in urls:
            code = io.StringIO()
            segno.make(url, micro=False).terminal(code, compact=True)
            codes.append(code.getvalue().rstrip("\n"))
        assert sum(code in daemon.greeting for code in codes) == 1
        addresses = [url for url in urls if re.match(r"http://\d", url)]
        if addresses:
            assert codes[urls.index(addresses[0])] in daemon.greeting, "not all phones find names"
        for url in urls:
            host = url.removeprefix("http://")
            assert daemon.ask("GET", "/healthz", headers={"Host": host}).status == 200
        assert daemon.stop() == (0, "Good night.\n")


def test_a_second_daemon_on_the_same_data_is_refused(home: Home) -> None:
    with home.daemon() as daemon:
        daemon.do(**START)
        before = daemon.state
        ran = home.cli("run", "--port", "0")
        assert ran.status == 1
        assert f"process id {daemon.process.pid} at http://127.0.0.1:{daemon.port}. " in ran.said
        assert str(home.data) in ran.said
        assert daemon.state == before
        daemon.do(do="deal")
    # That one was killed just now, and its name is still in the file.
    with home.daemon() as daemon:
        assert daemon.state["phase"] == "meld"


# Stopping.


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_on_a_signal_in_the_middle_of_everything(home: Home, how: signal.Signals) -> None:
    with home.daemon() as daemon:
        daemon.do(**START)
        with (
            daemon.stream() as stream,
            daemon.stream() as other,
            socket.create_connection(("127.0.0.1", daemon.port), LONG_S) as half,
            socket.create_connection(("127.0.0.1", daemon.port), LONG_S),
        ):
            half.sendall(b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Le")
            first = stream.next("state")
            other.next("state")
            daemon.ask("POST", "/api/board/edge", {"button": "next", "down": True})
            status, output = daemon.stop(how)
            assert (status, output) == (0, "Good night.\n")
            assert first.data["phase"] == "idle"
            while stream.read():
                pass  # what was on its way, then the end of the stream
        assert daemon.errors == ""
    assert find_daemon(home.data) is None
    assert sorted(path.name for path in home.data.iterdir()) == [
        "daemon.lock",
        "ledger.db",
        "ledger.db-head",
        "ledger.revision",
    ]


# The power fails.


def test_a_restart_resumes_the_night_exactly(home: Home) -> None:
    home.configure(QUICK)
    with home.daemon() as daemon:
        daemon.do(**START)
        daemon.do(do="deal")
        daemon.do(do="turn", card="KH")
        daemon.do(do="claim", seat=2, pool="ace")
        daemon.do(do="next")
        daemon.do(do="stake", seat=2, chips=3, id="knock")
        assert daemon.press("seat3") == []
        assert daemon.state["pending"] == {"seat": 3, "chips": 3}, daemon.state["pending"]
        before = kept(daemon)
        sheet = daemon.ask("GET", "/api/nights/1/sheet").body
        entries = daemon.get("/api/nights/1/entries")
        daemon.kill()
    with home.daemon() as daemon:
        assert daemon.state["pending"] is None, "chips in the hand are not stored"
        assert daemon.press("seat3") == []
        assert kept(daemon) == before
        assert daemon.ask("GET", "/api/nights/1/sheet").body == sheet
        assert daemon.get("/api/nights/1/entries") == entries
        daemon.do(do="pass", seat=3)
        assert daemon.errors == ""


class Chatter:
    """Sends rebuys from several threads until the daemon is gone; remembers the answers."""

    def __init__(self, daemon: Daemon, first: int) -> None:
        self._daemon = daemon
        self._numbers = iter(range(first, first + 1_000_000))
        self._lock = threading.Lock()
        self.sent: list[int] = []
        self.answered: dict[int, int] = {}
        self._threads = [threading.Thread(target=self._run) for _ in range(3)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                number = next(self._numbers)
                self.sent.append(number)
            try:
                answer = self._daemon.send(do="rebuy", seat=1, chips=1, id=f"chip {number}")
            except (OSError, http.client.HTTPException):
                return
            assert answer.status == 200, answer
            with self._lock:
                self.answered[number] = answer.json["entry"]


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_loses_no_answered_command_and_repeats_none(home: Home, seed: int) -> None:
    chance = random.Random(seed)
    answered: dict[int, int] = {}
    sent = 0
    for _ in range(3):
        with home.daemon() as daemon:
            if not sent:
                daemon.do(**START)
            chatter = Chatter(daemon, sent + 1)
            chatter.start()
            enough = chance.randrange(1, 60)
            wait_until("some were answered", lambda c=chatter, n=enough: len(c.answered) >= n)
            daemon.kill()
            chatter.join()
            answered |= chatter.answered
            sent += len(chatter.sent)
    with home.daemon() as daemon:
        recorded = daemon.state["entry"]
        assert daemon.state["stacks"]["1"] == 50 + recorded - 1
        assert len(answered) <= recorded - 1 <= sent
        # A command without an answer is sent again; an answered one gets the same answer.
        entries = [
            daemon.do(do="rebuy", seat=1, chips=1, id=f"chip {number}")
            for number in range(1, sent + 1)
        ]
        assert {number: entries[number - 1] for number in answered} == answered
        assert sorted(entries) == list(range(2, sent + 2))
        assert daemon.state["stacks"]["1"] == 50 + sent
        rows = daemon.get("/api/nights/1/entries")
        assert [row["number"] for row in rows] == list(range(1, sent + 2))
        assert daemon.errors == ""


# Several nights.


def test_the_lobby_offers_the_last_places_and_knows_the_names_of_all_nights(home: Home) -> None:
    home.configure(QUICK)
    with home.daemon() as daemon:
        daemon.do(**START, places=[2, 5, 7])
        daemon.do(do="end")
        daemon.kill()
    with home.daemon() as daemon:
        daemon.do(
            do="start", ruleset="banker", players=["Ida", "Otto", "Paula"], places=[1, 2, 3],
            stack=30, options={"ante": 2},
        )  # fmt: skip
        daemon.do(do="rename", seat=1, name="Ilse")
        daemon.do(do="join", name="Uwe", place=8)
        daemon.do(do="end")
        daemon.kill()
    with home.daemon() as daemon:
        assert daemon.state["pending"] is None
        for button in ("seat3", "seat5", "next"):
            assert daemon.press(button) == []
        state = daemon.state
        lobby = state["pending"]["lobby"]
        assert (lobby["places"], lobby["armed"]) == ([1, 2, 5, 8], True)
        daemon.kill()
    with home.daemon() as daemon:
        assert daemon.state["pending"] is None, "a lobby half filled is as it was at first"
        for button in ("seat3", "seat5", "next", "next"):
            assert daemon.press(button) == []
        state = daemon.state
        assert list(state["names"].values()) == ["Ilse", "Otto", "Jörg", "Uwe"]
        assert state["places"] == {"1": 1, "2": 2, "3": 5, "4": 8}
        assert state["ruleset"]["name"] == "banker"
        assert state["ruleset"]["parameters"]["ante"] == 2
        assert set(state["stacks"].values()) == {30}
