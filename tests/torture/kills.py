"""Kills (SIGKILL) of a real daemon at random moments: while it starts, records and stops.

Several phones keep sending commands, each with an id. A command answered before a kill has to be
recorded once, and gets the same answer when it is sent again. A command without an answer is sent
again and recorded once. After every kill the ledger is verified.
"""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, get_args

from pochboard.runtime.process import find_daemon
from pochboard.store import Store
from pochboard.store.verify import verify
from tests.shell.daemons import Daemon, Home
from tests.shell.server_kit import stacks
from tests.torture.workers import campaign

When = Literal["starting", "recording", "stopping"]
PHONES: Final = 4
HOME_KILLS: Final = 50
"""How often the daemon is killed with one ledger."""
START: Final[dict[str, Any]] = {
    "do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"], "id": "start",
}  # fmt: skip
QUICK: Final = "[times]\ntoo_soon_s = 0\n"


class Phones:
    """Threads that send rebuys until the daemon is gone, and remember what it answered."""

    def __init__(self, daemon: Daemon, first: int) -> None:
        self._daemon = daemon
        self._next = first
        self._lock = threading.Lock()
        self.answered: dict[int, int] = {}
        """The entries by the numbers of the commands."""
        self.problems: list[str] = []
        self._threads = [threading.Thread(target=self._run) for _ in range(PHONES)]
        for thread in self._threads:
            thread.start()

    def join(self) -> int:
        """Waits until they have noticed that the daemon is gone; returns the next number."""
        for thread in self._threads:
            thread.join()
        return self._next

    def _run(self) -> None:
        while True:
            with self._lock:
                number = self._next
                self._next += 1
            try:
                answer = self._daemon.send(**rebuy(number))
            except (OSError, http.client.HTTPException):
                return
            if answer.status == 503:  # it is stopping
                continue
            with self._lock:
                if answer.status == 200:
                    self.answered[number] = answer.json["entry"]
                else:
                    self.problems.append(f"command {number}: {answer.status} {answer.body!r}")


def rebuy(number: int) -> dict[str, Any]:
    """A command that differs from all others."""
    return {"do": "rebuy", "seat": 1, "chips": 1, "id": f"chip {number}"}


class Killed:
    """One ledger whose daemon is killed repeatedly."""

    def __init__(self, folder: Path, chance: Random) -> None:
        self._home = Home(folder)
        self._home.installed = True
        self._home.configure(QUICK)
        self._chance = chance
        self._answered: dict[int, int] = {}
        self._sent = 1
        self.kills: Counter[When] = Counter()
        self._home.book(START)

    def kill(self, when: When) -> None:
        """Starts the daemon, kills it, and verifies the ledger."""
        daemon = self._home.launch("--port", "0")
        try:
            if when == "starting":
                time.sleep(self._chance.uniform(0.0, 0.8))
            else:
                daemon.wait_for_address()
                self._book(daemon, stop=when == "stopping")
            daemon.kill()
        finally:
            daemon.close()
        assert daemon.errors == "", daemon.errors
        self.kills[when] += 1
        self._verify()

    def _book(self, daemon: Daemon, *, stop: bool) -> None:
        phones = Phones(daemon, self._sent)
        try:
            time.sleep(self._chance.uniform(0.0, 0.3))
            if stop:
                daemon.process.send_signal(signal.SIGTERM)
                time.sleep(self._chance.uniform(0.0, 0.1))
        finally:
            daemon.kill()
            self._sent = phones.join()
        assert not phones.problems, phones.problems
        self._answered |= phones.answered

    def _verify(self) -> None:
        assert find_daemon(self._home.data) is None
        with Store.open(self._home.ledger) as store:
            report = verify(store._reader)
            assert report.ok, report
            night = store.current()
        assert night
        recorded = {entry.id: entry.number for entry in night.entries}
        assert len(recorded) == len(night.entries), "a command was recorded twice"
        assert set(recorded) <= {"start", *(f"chip {number}" for number in range(1, self._sent))}
        lost = [n for n, entry in self._answered.items() if recorded.get(f"chip {n}") != entry]
        assert not lost, f"answered and lost: {lost}"

    def ask_again(self) -> None:
        """Answered commands get the same answer again, and the others are recorded once."""
        with self._home.daemon() as daemon:
            for number in range(1, self._sent):
                entry = daemon.do(**rebuy(number))
                assert self._answered.get(number, entry) == entry
            state = daemon.state
            assert state["entry"] == self._sent
            assert stacks(state)["1"] == 50 + self._sent - 1
            assert daemon.stop()[0] == 0
        self._verify()


def run(seed: str, kills: int, folder: Path) -> Counter[When]:
    """Kills a daemon this many times with one ledger. Raises AssertionError."""
    chance = Random(seed)
    killed = Killed(folder, chance)
    moments: tuple[When, ...] = get_args(When)
    for number in range(kills):
        killed.kill(moments[number % 3] if number < 3 else chance.choice(moments))
    killed.ask_again()
    return killed.kills


def _run(seed: str, kills: int) -> Counter[When]:
    with tempfile.TemporaryDirectory() as name:
        return run(seed, kills, Path(os.path.realpath(name)))


def main() -> None:
    """Kills the daemon, and fails if anything was lost or recorded twice."""

    def killed(args: argparse.Namespace) -> tuple[str, list[str]]:
        done: Counter[When] = Counter()
        problems = []
        with ThreadPoolExecutor(args.jobs) as executor:
            runs = {
                executor.submit(
                    _run, f"{args.seed} {first}", min(HOME_KILLS, args.kills - first)
                ): first
                for first in range(0, args.kills, HOME_KILLS)
            }
            for one in as_completed(runs):
                try:
                    done += one.result()
                except Exception as error:  # noqa: BLE001 - reported, and the others follow
                    problems.append(f"ledger {runs[one]}: {error!r}")
        when = ", ".join(f"{moment} {count:,}" for moment, count in sorted(done.items()))
        return f"{done.total():,} kills ({when})", problems

    campaign("kills", killed, kills=2000)


if __name__ == "__main__":
    main()
