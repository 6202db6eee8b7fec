"""Backups and restores, killed at each of their file operations.

Each is repeated with a copy of the same ledger, and killed one operation later each time, or within
a write. Afterwards every file has to be whole, and the action can be repeated.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from pochboard.backup import apply_restore, back_up, back_up_daily, dated_backups, prepare_restore
from pochboard.backup.archive import check_archive
from pochboard.config import Config
from pochboard.errors import PochboardError
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.table.ledger_nights import import_nights
from tests.torture.shim import kill_at, memory_folder
from tests.torture.workers import campaign, play_all

NIGHTS = Path(__file__).parents[1] / "nights"


def entries_of(ledger: Path) -> list[object]:
    with Store.open(ledger, readonly=True) as store:
        return [
            entry for night in store.all_nights() for entry in store.night(night.number).entries
        ]


def unpacked(archive: Path, into: Path) -> list[object]:
    """The entries in a backup, which must be sound."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    check_archive(archive, into)
    return entries_of(into / "ledger.db")


def leftovers(folder: Path) -> list[Path]:
    passing = (".partial", ".restored", ".replaced")
    return [path for path in folder.rglob("*") if path.name.endswith(passing)]


class Evening:
    """A home with a ledger and a configuration, and actions on copies of it."""

    def __init__(self, folder: Path, second: Path) -> None:
        self.second = second
        self.original = folder / "original"
        self.home = folder / "home"
        self.scratch = folder / "scratch"
        self.config = Config(data=self.home / "data")
        self.settings = self.home / "settings"
        first = self.original / "data"
        (self.original / "settings").mkdir(parents=True)
        (self.original / "settings/config.toml").write_text("places = 6\n")
        self._add_night(first, "modern-b.jsonl")
        self.earlier = folder / "earlier.zip"
        with Store.open(first / "ledger.db", readonly=True) as store:
            back_up(store, self.original / "settings", self.earlier)
        self.old = entries_of(first / "ledger.db")
        self._add_night(first, "modern-b.jsonl")
        self.new = entries_of(first / "ledger.db")
        assert len(self.old) < len(self.new)

    @staticmethod
    def _add_night(data: Path, sheet: str) -> None:
        content, resolve = (NIGHTS / sheet).read_bytes(), resolve_among(shipped_rulesets())
        with Store.open(data / "ledger.db") as store:
            import_nights(content, store, resolve, again=True)

    # A backup to a file, with an earlier one there or not

    def back_up(self) -> None:
        with Store.open(self.config.ledger, readonly=True) as store:
            back_up(store, self.settings, self.home / "backup.zip", replace=True)

    def check_backup(self, number: int) -> None:
        target = self.home / "backup.zip"
        if target.exists():
            assert unpacked(target, self.scratch) in (self.old, self.new), number
        self.back_up()
        assert unpacked(target, self.scratch) == self.new
        assert leftovers(self.home) == []
        assert entries_of(self.config.ledger) == self.new

    # A daily backup

    def back_up_daily(self) -> None:
        self.second.mkdir(exist_ok=True)
        config = Config(data=self.config.data, backup_to=str(self.second))
        record = back_up_daily(self.settings, config)
        assert not record.second_problem, record

    def check_daily(self, number: int) -> None:
        places = [self.config.data / "backups", self.second]
        for archive in [path for place in places for path in dated_backups(place)]:
            assert unpacked(archive, self.scratch) == self.new, number
        self.back_up_daily()
        assert all(dated_backups(place) for place in places)
        assert leftovers(self.home) == leftovers(self.second) == []
        shutil.rmtree(self.second)

    # A restore

    def restore(self) -> None:
        prepare_restore(self.earlier, self.config.data)
        apply_restore(self.config.data)

    def check_restore(self, number: int) -> None:
        apply_restore(self.config.data)
        entries = entries_of(self.config.ledger)
        replaced = [entries_of(path) for path in self.config.data.glob("replaced-*/ledger.db")]
        assert (entries, replaced) in ((self.new, []), (self.old, [self.new])), number
        self.restore()
        assert entries_of(self.config.ledger) == self.old
        assert leftovers(self.home) == []


def kill_at_each(
    original: Path,
    folder: Path,
    act: Callable[[], None],
    check: Callable[[int], None],
    *,
    every: int = 1,
    offset: int = 0,
) -> int:
    """Acts on a copy of a folder, killed at every n-th file operation from an offset; then checks.

    The last time it is not killed. Every copy is at the same path, `folder`. Returns how often it
    was killed.
    """
    kills = 0
    while True:
        number = offset + kills * every + 1
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(original, folder)
        killed = _run(act, number)
        check(number)
        if not killed:
            return kills
        kills += 1


def _run(act: Callable[[], None], number: int) -> bool:
    """Runs in a child that is killed at this operation; False if it ended first."""
    child = os.fork()
    if not child:
        status = 1
        try:
            kill_at(number)
            act()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, f"it failed at operation {number}"
    return False


# Processes


class Task(msgspec.Struct, frozen=True):
    """One of the `ACTS`, killed at every n-th operation from an offset."""

    act: str
    every: int = 1
    offset: int = 0


class Result(msgspec.Struct):
    """The result of a task."""

    act: str
    kills: int
    problem: str = ""


ACTS: Final = ("backup", "backup over an earlier one", "daily backup", "restore")


def play(task: Task) -> Result:
    """Does a task. The second place of daily backups is on another file system."""
    with memory_folder() as folder, tempfile.TemporaryDirectory() as second:
        evening = Evening(folder, Path(second) / "stick")
        original = evening.original
        match task.act:
            case "backup":
                act, check = evening.back_up, evening.check_backup
            case "backup over an earlier one":
                shutil.copy(evening.earlier, original / "backup.zip")
                act, check = evening.back_up, evening.check_backup
            case "daily backup":
                act, check = evening.back_up_daily, evening.check_daily
            case "restore":
                act, check = evening.restore, evening.check_restore
            case other:
                raise AssertionError(other)
        try:
            kills = kill_at_each(
                original, evening.home, act, check, every=task.every, offset=task.offset
            )
        except (AssertionError, PochboardError, OSError) as error:
            return Result(task.act, 0, f"{type(error).__name__}: {error}")
        return Result(task.act, kills)


def run(every: int, offset: int, jobs: int = 1) -> list[Result]:
    """The results of all `ACTS`."""
    return list(play_all(__spec__.name, [Task(act, every, offset) for act in ACTS], Result, jobs))


def main() -> None:
    """Kills everything, and fails if anything was not whole afterwards."""

    def killed(args: argparse.Namespace) -> tuple[str, list[str]]:
        results = run(args.every, int(args.seed) % args.every, args.jobs)
        problems = [f"{result.act}: {result.problem}" for result in results if result.problem]
        return f"{sum(result.kills for result in results)} kills", problems

    campaign("killed backups", killed, every=1)


if __name__ == "__main__":
    main()
