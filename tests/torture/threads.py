"""Each thread of a real daemon frozen, and dead, in turn.

This program takes systemd's place: it receives the watchdog's messages, and restarts a daemon that
stops sending them. Whichever thread is gone, the daemon either keeps playing, or stops feeding the
watchdog and continues the night after the restart. A frozen thread that thaws does no harm.
"""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

from pochboard.runtime.process import find_daemon
from tests.shell.daemons import Daemon
from tests.shell.server_kit import LONG_S, wait_until
from tests.torture.faulty_home import FaultyHome
from tests.torture.shim import Control
from tests.torture.workers import campaign

Fate = Literal["frozen", "thawed", "dead"]
FATES: Final[tuple[Fate, ...]] = ("frozen", "thawed", "dead")
WATCHDOG_S: Final = 6.0
"""A daemon that is silent for this long is restarted."""
POOLS: Final = frozenset({"WSGI_0", "asyncio_0", "health-store_0"})
"""Threads that start with the first request, stream and round trip."""


START: Final = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}


class Supervised(FaultyHome):
    """A home whose daemons have a supervisor."""

    def __init__(self, folder: Path, control: Control) -> None:
        super().__init__(folder, control)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))

    def close(self) -> None:
        """Ends the supervision."""
        self._socket.close()

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        variables = super().environment(more)
        variables["NOTIFY_SOCKET"] = str(self.folder / "notify")
        variables["WATCHDOG_USEC"] = str(round(WATCHDOG_S * 1e6))
        return variables

    def fed(self, within_s: float) -> bool:
        """Whether the watchdog is fed now, or within so many seconds."""
        self._socket.setblocking(False)
        while True:  # ignore earlier messages
            try:
                self._socket.recv(4096)
            except BlockingIOError:
                break
        end_s = time.monotonic() + within_s
        while (left_s := end_s - time.monotonic()) > 0:
            self._socket.settimeout(left_s)
            try:
                if b"WATCHDOG=1" in self._socket.recv(4096):
                    return True
            except TimeoutError:
                break
        return False


def threads(pid: int) -> dict[str, int]:
    """The threads of a daemon by name; one of each name. Waits until pools' threads have theirs."""
    found: dict[str, int] = {}

    def named() -> bool:
        found.clear()
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # it may have ended
                found.setdefault((task / "comm").read_text().strip(), int(task.name))
        # Until then they have the name of the thread that started them.
        return found.keys() >= POOLS

    wait_until("its threads have names", named)
    return found


@contextmanager
def _begun(home: Supervised) -> Iterator[Daemon]:
    with home.daemon() as daemon:
        if daemon.state["entry"] == 0:
            daemon.do(**START)
        with daemon.stream() as stream:
            stream.next("state")
            daemon.get("/api/nights")
            yield daemon


def plays(daemon: Daemon) -> bool:
    """Whether a command and a press are answered, and the page is served.

    Each is repeated, as people do: a request may be waiting for the thread that hangs.
    """
    probe = (
        "import json, sys, urllib.request as u\n"
        "at = sys.argv[1]\n"
        "def ask(path, body=None, tries=3):\n"
        "    data = body and json.dumps(body).encode()\n"
        "    kind = {'Content-Type': 'application/json'}\n"
        "    try:\n"
        "        return u.urlopen(u.Request(at + path, data, kind), timeout=5).read()\n"
        "    except OSError:\n"
        "        if tries == 1: raise\n"
        "        return ask(path, body, tries - 1)\n"
        "ask('/')\n"
        "ask('/api/commands', {'do': 'rebuy', 'seat': 1, 'chips': 1})\n"
        "ask('/api/board/press', {'button': 'seat1', 'ms': 50})\n"
    )
    words = [sys.executable, "-c", probe, f"http://127.0.0.1:{daemon.port}"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def play(home: Supervised, name: str, fate: Fate) -> str:
    """Does this to a thread; returns the outcome. Raises AssertionError."""
    with _begun(home) as daemon:
        pid = daemon.process.pid
        entries = daemon.state["entry"]
        assert home.fed(LONG_S), "the watchdog is not fed to begin with"
        number = threads(pid).get(name)
        if number is None:
            return "not there this time"
        if fate == "dead":
            home.control.end_thread(pid, number)
        else:
            home.control.freeze(pid, number)
        try:
            noticed = not home.fed(WATCHDOG_S)
            playing = plays(daemon)
            assert noticed or playing, "it does not play, and nobody is told"
            if noticed and fate == "thawed":
                home.control.thaw()
                assert home.fed(LONG_S), "it does not recover"
                assert plays(daemon)
        finally:
            home.control.thaw()
            daemon.kill()
    assert find_daemon(home.data) is None
    with _begun(home) as daemon:
        assert daemon.state["entry"] >= entries
        assert plays(daemon), "the night does not go on after the restart"
        wait_until("the watchdog is fed", lambda: home.fed(WATCHDOG_S))
    return "noticed, and restarted" if noticed else "the daemon plays on"


def names(home: Supervised) -> list[str]:
    """The threads of a daemon in the middle of a night."""
    with _begun(home) as daemon:
        return sorted(threads(daemon.process.pid))


def main() -> None:
    """Freezes and ends each thread, and fails if a daemon neither plays on nor is restarted."""

    def tried(_: argparse.Namespace) -> tuple[str, list[str]]:
        outcomes, problems = Counter[str](), []
        with (
            tempfile.TemporaryDirectory() as name,
            closing(Control(Path(os.path.realpath(name)) / "control")) as control,
            closing(Supervised(Path(os.path.realpath(name)), control)) as home,
        ):
            for thread in names(home):
                for fate in FATES:
                    try:
                        outcomes[play(home, thread, fate)] += 1
                    except (AssertionError, OSError, http.client.HTTPException) as error:
                        problems.append(f"{thread} {fate}: {error!r}")
        return f"{outcomes.total()} frozen or dead ({dict(outcomes)})", problems

    campaign("threads", tried)


if __name__ == "__main__":
    main()
