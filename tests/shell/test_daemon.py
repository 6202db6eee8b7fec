"""The daemon as a process: it starts, stops when told to, and resumes after being killed."""

from __future__ import annotations

import http.client
import io
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import segno

from pochboard.errors import LedgerInUseError
from pochboard.runtime.process import SWITCHED_OFF, DaemonInfo, DaemonLock, find_daemon
from tests.shell.daemons import PROGRAM, Daemon, Home
from tests.shell.server_kit import LONG_S, stacks, wait_until

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}
# The tests press `next` faster than people do, and a short press may last up to 3 s.
QUICK = "[times]\ntoo_soon_s = 0\nlong_s = 3\nselect_s = 60\nlobby_s = 60\n"


def kept(daemon: Daemon) -> dict[str, Any]:
    """The state that a restart restores: all but the revision."""
    return {key: value for key, value in daemon.state.items() if key != "revision"}


# Starting.


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
        assert daemon.state["pending"]["chips"] == 3, daemon.state["pending"]
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


def test_a_kill_loses_no_answered_command_and_repeats_none(home: Home) -> None:
    chance = random.Random(1441)
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
        assert stacks(daemon.state)["1"] == 50 + recorded - 1
        assert len(answered) <= recorded - 1 <= sent
        # A command without an answer is sent again; an answered one gets the same answer.
        entries = [
            daemon.do(do="rebuy", seat=1, chips=1, id=f"chip {number}")
            for number in range(1, sent + 1)
        ]
        assert {number: entries[number - 1] for number in answered} == answered
        assert sorted(entries) == list(range(2, sent + 2))
        assert stacks(daemon.state)["1"] == 50 + sent
        rows = daemon.get("/api/nights/1/entries")
        assert [row["number"] for row in rows] == list(range(1, sent + 2))
        assert daemon.errors == ""


# Several nights.


INTERRUPTED = "pochboard: Interrupted.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after_s", [0.15, 0.3, 0.5, 0.8])
def test_a_signal_at_any_moment_ends_the_daemon(
    home: Home, number: signal.Signals, after_s: float
) -> None:
    daemon = home.launch("--port", "0")
    try:
        time.sleep(after_s)
        daemon.process.send_signal(number)
        status = daemon.process.wait(LONG_S)
        assert status in (0, 130, -number), daemon.errors
        assert "Traceback" not in daemon.errors or "/pochboard/" not in daemon.errors
        assert find_daemon(home.data) is None
    finally:
        daemon.close()


def test_a_second_signal_while_it_stops_does_no_harm(home: Home) -> None:
    with home.daemon() as daemon, daemon.stream() as stream:
        stream.next("state")
        for _ in range(50):
            daemon.process.send_signal(signal.SIGINT)
            daemon.process.send_signal(signal.SIGTERM)
        assert daemon.stop(signal.SIGINT) == (0, "Good night.\n")
        assert daemon.errors == ""


def test_a_closed_terminal_does_not_end_the_daemon(home: Home) -> None:
    with home.daemon() as daemon:
        for _ in range(5):
            daemon.process.send_signal(signal.SIGHUP)
        assert daemon.get("/healthz")["status"] == "ok"
        assert daemon.stop() == (0, "Good night.\n")
        assert daemon.errors == ""


@pytest.mark.parametrize("words", [("nights",), ("rulesets",), ("run", "--port", "0")])
def test_ctrl_c_while_commands_are_imported_is_one_line(
    home: Home, tmp_path: Path, words: tuple[str, ...]
) -> None:
    # Python runs the handler in the middle of importing this module, which the commands need.
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [PROGRAM, *words],
        env=home.environment({"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}),
        capture_output=True,
        check=False,
        timeout=LONG_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", INTERRUPTED.encode())


@pytest.mark.parametrize("status", [1, SWITCHED_OFF])
def test_a_daemon_that_hangs_while_it_stops_still_ends(tmp_path: Path, status: int) -> None:
    program = tmp_path / "hangs.py"
    program.write_text(
        textwrap.dedent(f"""
            import threading
            from pochboard.runtime.process import SWITCHED_OFF, stop_event

            with stop_event(grace_s=0.2) as stop:
                print("ready", flush=True)
                stop.wait()
                if {status} != 1:
                    stop.forced_status = {status}
                hanging = threading.Lock()
                hanging.acquire()
                hanging.acquire()
        """)
    )
    with subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=LONG_S)
    assert child.returncode == status
    assert b"The daemon has not stopped within 0.2 s, so it is forced to end." in errors
    assert b'hangs.py", line' in errors, "it prints where each thread was"


ME = DaemonInfo(os.getpid(), None, "secret")

HOLD = """
import sys
from pathlib import Path
from pochboard.runtime.process import DaemonInfo, DaemonLock
with DaemonLock(Path(sys.argv[1]), DaemonInfo(4711, "http://127.0.0.1:8441", "t")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_daemon_is_told_who_holds_it(tmp_path: Path) -> None:
    with DaemonLock(tmp_path, ME) as lock:
        with pytest.raises(LedgerInUseError, match=f"process id {os.getpid()}. Use that one"):
            DaemonLock(tmp_path, DaemonInfo(1))
        lock.update("http://poch.local:8441")
        with pytest.raises(LedgerInUseError, match=r"at http://poch\.local:8441\. Use that one"):
            DaemonLock(tmp_path, DaemonInfo(1))
        assert find_daemon(tmp_path) == lock.daemon
        assert lock.daemon == DaemonInfo(os.getpid(), "http://poch.local:8441", "secret")
    assert find_daemon(tmp_path) is None
    DaemonLock(tmp_path, ME).close()


def test_killing_the_daemon_releases_the_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert find_daemon(tmp_path) == DaemonInfo(4711, "http://127.0.0.1:8441", "t")
        with pytest.raises(LedgerInUseError, match="process id 4711 at http://127"):
            DaemonLock(tmp_path, ME)
        child.send_signal(signal.SIGKILL)
    assert (tmp_path / "daemon.lock").read_bytes() != b"", "it had no chance to clean up"
    assert find_daemon(tmp_path) is None
    with DaemonLock(tmp_path, ME):
        assert find_daemon(tmp_path) == ME
