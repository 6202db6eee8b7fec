"""Disks that fail under a real daemon: each operation once, and for good from each one on.

A night is played on the simulated board while one kind of operation on one of the files fails.
Every press and command is answered: recorded, or refused with a sentence. The page is always
served, and shows what is recorded and nothing else. When the disk works again, so does the daemon,
and every refused command that is sent again is recorded once. Half of the daemons are killed before
that.
"""

from __future__ import annotations

import argparse
import errno
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from tests.shell.daemons import Daemon
from tests.shell.server_kit import wait_until
from tests.torture.faulty_home import FaultyHome, faulty_home
from tests.torture.shim import ALL_FILES, FOR_GOOD, File, Kind

START: Final[dict[str, Any]] = {
    "do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"], "id": "start",
}  # fmt: skip
REFUSALS: Final = ("not-stored", "unknown")
"""How a command may be refused because of the disk."""
COMMANDS: Final = 3
"""Commands that are sent while the disk fails."""


class Case(msgspec.Struct, frozen=True):
    """A fault: from the first-th matching operation to the last-th."""

    kinds: Kind
    files: File
    error: int
    first: int
    last: int
    partial: bool
    killed: bool

    def __str__(self) -> str:
        many = "once" if self.first == self.last else "for good"
        half = " after half of a write" if self.partial else ""
        return (
            f"{errno.errorcode[self.error]}{half} on {self.kinds!r} of {self.files!r}, "
            f"operation {self.first} {many}{', killed' if self.killed else ''}"
        )


def cases(most: int) -> Iterator[Case]:
    """All faults, each of the first `most` operations."""
    every = [(kind, file) for kind in Kind for file in File] + [
        (kind_of_all, ALL_FILES) for kind_of_all in Kind
    ]
    for kind, file in every:
        errors = [errno.EIO]
        if kind in Kind.WRITE | Kind.OPEN | Kind.TRUNCATE:
            errors.append(errno.ENOSPC)
        if kind is not Kind.READ:
            errors.append(errno.EROFS)
        for error in errors:
            for first in range(1, most + 1):
                for last in (first, FOR_GOOD):
                    partial = error == errno.ENOSPC and first % 2 == 0
                    yield Case(kind, file, error, first, last, partial, killed=first % 2 == 1)


class FaultyNight:
    """A daemon whose disk fails, case after case, in one night."""

    def __init__(self, home: FaultyHome) -> None:
        self._home = home
        self._daemon: Daemon | None = None
        self._recorded = ["start"]
        """The ids of all entries in order."""
        self.counts: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the daemon."""
        if self._daemon:
            self._daemon.close()
            self._daemon = None

    def _running(self) -> Daemon:
        if self._daemon is None:
            daemon = self._home.launch("--port", "0")
            self._daemon = daemon
            daemon.wait_for_address()
            if daemon.state["entry"] == 0:
                daemon.do(**START)
        return self._daemon

    def play(self, number: int, case: Case) -> bool:
        """Plays a case. Returns whether an operation has failed. Raises AssertionError."""
        daemon, control = self._running(), self._home.control
        control.fail(
            case.kinds, case.files, case.error,
            first=case.first, last=case.last, partial=case.partial,
        )  # fmt: skip
        try:
            refused = {}
            for id_ in (f"{number} {one}" for one in range(COMMANDS)):
                code = self._send(daemon, id_)
                if code:
                    refused[id_] = code
            self._show(daemon)
            failed = control.failed > 0
            if failed and case.killed:
                daemon.kill()
        finally:
            control.heal()
        self.counts += Counter(refused.values())
        unsure = [id_ for id_, code in refused.items() if code == "unknown"]
        if failed and case.killed:
            self.close()
            daemon = self._running()
            self.counts["killed"] += 1
            # Commands reported as not recorded are absent; those reported as unknown may be there.
            entries = daemon.state["entry"]
            assert entries - len(self._recorded) in range(len(unsure[:1]) + 1), (entries, refused)
        for id_ in sorted(refused, key=lambda one: one not in unsure):
            wait_until(f"{id_} is recorded", lambda one=id_: not self._send(daemon, one))
        self._show(daemon)
        self._require(daemon)
        assert "Traceback" not in daemon.errors, daemon.errors
        return failed

    def _send(self, daemon: Daemon, id_: str) -> str:
        """Sends a command; returns the code with which it was refused, or nothing."""
        answer = daemon.send(do="rebuy", seat=1, chips=1, id=id_)
        if answer.status == 200:
            if id_ not in self._recorded:
                self._recorded.append(id_)
            assert answer.json["entry"] == self._recorded.index(id_) + 1, (id_, answer)
            return ""
        assert answer.status == 503, answer
        assert answer.code in REFUSALS, answer
        return answer.code

    def _show(self, daemon: Daemon) -> None:
        """What the page shows is what is recorded."""
        assert daemon.ask("GET", "/").status == 200
        state = daemon.state
        assert state["entry"] == len(self._recorded), (state["entry"], len(self._recorded))
        assert state["stacks"]["1"] == 50 + len(self._recorded) - 1

    def _require(self, daemon: Daemon) -> None:
        """The ledger has every entry once, in order."""
        rows = daemon.get("/api/nights/1/entries")
        assert [row["number"] for row in rows] == list(range(1, len(self._recorded) + 1))


def main() -> None:
    """Plays all cases, and fails if one of them has a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=6, help="of each kind")
    parser.add_argument("--cases", type=int, help="how many; by default all")
    parser.add_argument("--seed", default=f"{Random().randrange(10**9)}", help="for their order")
    args = parser.parse_args()
    every = list(cases(args.operations))
    Random(args.seed).shuffle(every)
    every = every[: args.cases]
    print(f"failing disks under a daemon, --seed {args.seed}, {len(every)} cases", flush=True)
    begun, found, failing = time.monotonic(), 0, 0
    counts: Counter[str] = Counter()
    for start in range(0, len(every), 100):
        with tempfile.TemporaryDirectory() as name, faulty_home(Path(name)) as home:
            night = FaultyNight(home)
            try:
                for number, case in enumerate(every[start : start + 100]):
                    try:
                        failing += night.play(number, case)
                    except AssertionError as error:
                        found += 1
                        print(f"{case}: {error}", flush=True)
                        break  # the rest of this night would fail too
            finally:
                night.close()
            counts += night.counts
        print(
            f"  {min(start + 100, len(every))} cases, {time.monotonic() - begun:.0f} s", flush=True
        )
    verdict = "FAILED" if found else "passed"
    print(
        f"failing disks under a daemon: {failing} of {len(every)} faults struck, "
        f"{counts['not-stored']:,} commands were not recorded, the outcome of "
        f"{counts['unknown']:,} was unknown, {counts['killed']} kills, "
        f"{found} nights with a problem: {verdict}"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
