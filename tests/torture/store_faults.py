"""Disks that fail under the real store: each operation once, and for good from each one on.

The store creates and recovers ledgers, records and closes. One of its file operations
fails, because the disk has an error, is full or has become read-only. On a full disk, half of a
write may have been done. Only a LedgerError may result. What was acknowledged is there after an
immediate kill, in the store that continues, and after closing. Nothing is recorded twice, and the
store works again as soon as the disk does.
"""

from __future__ import annotations

import argparse
import errno
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from pochboard.errors import LedgerError, PochboardError, Refusal
from pochboard.ledger.entry import Entry
from pochboard.rules.commands import parse_command
from pochboard.store import Store
from pochboard.table.journal import Journal
from tests.torture.disk import Image
from tests.torture.evenings import RESOLVE, content
from tests.torture.shim import (
    ALL_FILES,
    ALL_KINDS,
    FOR_GOOD,
    Control,
    Kind,
    memory_folder,
)
from tests.torture.workers import campaign, play_all

STAGES: Final = ("creation", "recovery")
ENTRIES: Final = 5
"""How many entries are tried in one stage."""
START: Final = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
REFUSALS: Final = ("not-stored", "unknown")
"""How an entry may be refused because of the disk."""


class Fault(msgspec.Struct, frozen=True):
    """How the disk fails."""

    name: str
    error: int
    kinds: Kind
    partial: bool = False


_CHANGING: Final = Kind.WRITE | Kind.SYNC | Kind.TRUNCATE | Kind.OPEN | Kind.NAME
FAULTS: Final = (
    Fault("EIO", errno.EIO, ALL_KINDS),
    Fault("ENOSPC", errno.ENOSPC, Kind.WRITE | Kind.OPEN | Kind.TRUNCATE),
    Fault("ENOSPC within a write", errno.ENOSPC, Kind.WRITE, partial=True),
    Fault("EROFS", errno.EROFS, _CHANGING),
)


class Task(msgspec.Struct, frozen=True):
    """One stage with every fault."""

    seed: str
    stage: str
    cases: int | None = None
    """How many operations are tried with each fault; None: all of them."""


class Result(msgspec.Struct):
    """The result of one task."""

    stage: str
    cases: int = 0
    refused: int = 0
    """Entries that the journal refused."""
    unknown: int = 0
    """Entries reported as unknown that were recorded although the commit failed."""
    not_opened: int = 0
    """Ledgers that could not be opened while the disk failed."""
    problems: list[str] = msgspec.field(default_factory=list)


class FailingDisk:
    """Plays one stage again and again, each time with another operation failing.

    Runs in a process with the shim preloaded and this control.
    """

    def __init__(self, task: Task, folder: Path, control: Control) -> None:
        self._task = task
        self._folder = folder / "data"
        self._copy = folder / "copy"
        self._control = control
        self._result = Result(task.stage)
        for one in (self._folder, self._copy):
            one.mkdir()
        self._image = self._begun()
        with Store.open(self._folder / "ledger.db") as store:
            self._content = content(store)

    def run(self) -> Result:
        """Tries the operations in order, with each fault."""
        for fault in FAULTS:
            operations = self._play(fault, FOR_GOOD, FOR_GOOD)
            numbers: Sequence[int] = range(1, operations + 1)
            if self._task.cases is not None and self._task.cases < operations:
                chance = Random(f"{self._task.seed} {fault.name}")
                numbers = sorted(chance.sample(numbers, self._task.cases))
            for number in numbers:
                for last in (number, FOR_GOOD):
                    self._try(fault, number, last)
        return self._result

    def _try(self, fault: Fault, number: int, last: int) -> None:
        self._result.cases += 1
        try:
            self._play(fault, number, last)
        except (AssertionError, sqlite3.Error, PochboardError, OSError) as error:
            how = "once" if last == number else "for good"
            self._result.problems.append(
                f"{self._task.stage}, operation {number} {how}, {fault.name}: "
                f"{type(error).__name__}: {error}"
            )

    def _begun(self) -> Image:
        """The files that the stage begins with; they are in the folder too."""
        path = self._folder / "ledger.db"
        if self._task.stage == "recovery":
            with Store.open(path) as store:
                journal = Journal(store, RESOLVE)
                for number in range(4):
                    journal.apply(_command(journal, f"before {number}"))
                # What a kill leaves: a log that was not copied into the ledger.
                return _files(self._folder)
        return _files(self._folder)

    def _play(self, fault: Fault, first: int, last: int) -> int:
        """The stage with one fault; returns how many operations could have failed."""
        _put(self._folder, self._image)
        control = self._control
        control.fail(
            fault.kinds, ALL_FILES, fault.error, first=first, last=last, partial=fault.partial
        )
        try:
            self._evening()
        finally:
            control.heal()
        return control.matched

    def _evening(self) -> None:
        try:
            store = Store.open(self._folder / "ledger.db")
        except LedgerError:
            self._result.not_opened += 1
            self._control.heal()
            with Store.open(self._folder / "ledger.db") as store:
                assert content(store) == self._content
            return
        with store:
            try:
                journal = Journal(store, RESOLVE)
            except LedgerError:
                self._control.heal()
                assert content(store) == self._content
                return
            self._book(store, journal)
        self._control.heal()
        with Store.open(self._folder / "ledger.db") as store:
            _require(store, journal.book.entries, "after closing")

    def _book(self, store: Store, journal: Journal) -> None:
        refused: list[str] = []
        for number in range(ENTRIES):
            step = journal.apply(_command(journal, f"{number}"))
            if isinstance(step, Refusal):
                assert step.code in REFUSALS, step
                if not refused or step.code == "unknown":
                    self._kill(journal.book.entries, step.code, f"{number}")
                refused.append(f"{number}")
        self._result.refused += len(refused)
        self._control.heal()
        for id_ in refused:
            again = journal.apply(_command(journal, id_))
            assert not isinstance(again, Refusal), f"refused on a disk that works again: {again}"
        _require(store, journal.book.entries, "in the store that continued")
        self._kill(journal.book.entries, None, None)

    def _kill(self, recorded: Sequence[Entry], code: str | None, id_: str | None) -> None:
        """After a kill now, everything recorded is there, and nothing else.

        The refused entry may be there too, but only if it was reported as unknown.
        """
        with self._control.paused():
            _put(self._copy, _files(self._folder))
            with Store.open(self._copy / "ledger.db") as store:
                night = store.current()
            entries = night.entries if night else []
            if code == "unknown" and entries and entries[-1].id == id_:
                entries = entries[:-1]
                self._result.unknown += 1
            assert entries == list(recorded), (
                f"after a kill {len(entries)} of {len(recorded)} entries;"
                f" the last was refused: {code}"
            )


def _command(journal: Journal, id_: str) -> Any:
    playing = journal.state.phase not in {"none", "closed"}
    raw = {"do": "rename", "seat": 1, "name": f"Anna {id_}"} if playing else START
    return parse_command({**raw, "id": id_})


def _require(store: Store, recorded: Sequence[Entry], when: str) -> None:
    night = store.current()
    entries = night.entries if night else []
    assert entries == list(recorded), f"{len(entries)} instead of {len(recorded)} entries {when}"
    content(store)


def _files(folder: Path) -> Image:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _put(folder: Path, image: Image) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, data in image.items():
        (folder / name).write_bytes(data)


# Processes


def play(task: Task) -> Result:
    """Does a task."""
    with memory_folder() as folder:
        control = Control(folder / "control")
        control.here(folder / "data")
        try:
            return FailingDisk(task, folder, control).run()
        finally:
            control.heal()
            control.close()


def run(tasks: Sequence[Task], jobs: int = 1) -> list[Result]:
    """The results of all tasks."""
    return list(play_all(__spec__.name, tasks, Result, jobs))


def main() -> None:
    """Fails every operation, and fails itself if anything was lost."""

    def tried(args: argparse.Namespace) -> tuple[str, list[str]]:
        results = run([Task(args.seed, stage, args.cases) for stage in STAGES], args.jobs)
        cases, refused, unknown = (
            sum(getattr(result, name) for result in results)
            for name in ("cases", "refused", "unknown")
        )
        done = f"{cases:,} faults, {refused:,} entries refused, of which {unknown:,} were recorded"
        return done, [problem for result in results for problem in result.problems]

    campaign("failing disks", tried, cases=None)


if __name__ == "__main__":
    main()
