"""Backups, restores and migrations, killed at each of their file operations.

python -m tests.torture.backups [--every N] [--seed S]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pochboard.backup.archive import check_archive
from pochboard.backup.making import back_up, back_up_daily, dated_backups
from pochboard.backup.restoring import apply_restore, prepare_restore
from pochboard.catalog import load_catalog
from pochboard.config import Config
from pochboard.importing import import_sheet
from pochboard.store import Store, schema
from tests.shell.kill_kit import SHIM, kill_at_each, run_preloaded

NIGHTS = Path(__file__).parents[1] / "nights"


def entries_of(ledger: Path) -> list[object]:
    with Store.open(ledger, readonly=True) as store:
        return [entry for night in store.all_nights() for entry in store.entries(night.number)]


def unpacked(archive: Path, into: Path) -> list[object]:
    """The entries in a backup, which must be sound."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    check_archive(archive, into)
    return entries_of(into / "ledger.db")


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if ".partial" in path.name or path.name == "restore"]


class Evening:
    """A home with a ledger and a configuration, and what is done to copies of it."""

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
        catalog = load_catalog(data / "none")
        import_sheet(Config(data=data), catalog, (NIGHTS / sheet).read_bytes(), None)

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
        found = entries_of(self.config.ledger)
        replaced = [entries_of(path) for path in self.config.data.glob("replaced-*/ledger.db")]
        assert (found, replaced) in ((self.new, []), (self.old, [self.new])), number
        self.restore()
        assert entries_of(self.config.ledger) == self.old
        assert leftovers(self.home) == []

    # A migration

    def make_first_version(self, folder: Path) -> None:
        """A ledger of version 1 with the same entries."""
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "data").mkdir(parents=True)
        with (
            closing(sqlite3.connect(self.original / "data/ledger.db")) as newest,
            closing(sqlite3.connect(folder / "data/ledger.db", isolation_level=None)) as first,
        ):
            first.execute("PRAGMA page_size = 1024")
            schema.migrate(first, schema.MIGRATIONS[:1])
            first.execute("PRAGMA journal_mode = WAL")
            for table in ("nights", "entries"):
                names = [row[1] for row in first.execute(f"PRAGMA table_info({table})")]
                rows = newest.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
                marks = ", ".join("?" * len(names))
                first.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def migrate(self) -> None:
        Store.open(self.config.ledger).close()

    def check_migration(self, number: int) -> None:
        with closing(sqlite3.connect(self.config.ledger)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        kept = sorted(self.config.data.glob("ledger.db.v1*.bak"))
        assert version == 1 or kept, number
        self.migrate()
        assert entries_of(self.config.ledger) == self.new
        for backup in [*kept, *self.config.data.glob("ledger.db.v1*.bak")]:
            copy = self.scratch / "ledger.db"
            shutil.rmtree(self.scratch, ignore_errors=True)
            self.scratch.mkdir()
            shutil.copy(backup, copy)
            with closing(sqlite3.connect(copy)) as connection:
                assert connection.execute("PRAGMA user_version").fetchone() == (1,), number
            Store.open(copy).close()
            assert entries_of(copy) == self.new
        assert not list(self.config.data.glob("*.partial"))


def kill_everything(folder: Path, second: Path, every: int, seed: int) -> None:
    """Prints how often each was killed. `second` is a folder on another disk."""
    evening = Evening(folder, second)
    home, original, first = evening.home, evening.original, folder / "first"

    offset = seed % every

    def kill(what: str, at: Path, act: Callable[[], None], check: Callable[[int], None]) -> None:
        kills = kill_at_each(at, home, act, check, every=every, offset=offset)
        print(f"{what}: killed {kills} times", flush=True)

    kill("backup", original, evening.back_up, evening.check_backup)
    shutil.copy(evening.earlier, original / "backup.zip")
    kill("backup over an earlier one", original, evening.back_up, evening.check_backup)
    (original / "backup.zip").unlink()
    kill("daily backup", original, evening.back_up_daily, evening.check_daily)
    kill("restore", original, evening.restore, evening.check_restore)
    evening.make_first_version(first)
    kill("migration", first, evening.migrate, evening.check_migration)
    print("OK: each time the ledger and its backups were whole")


def main() -> None:
    """In the preloaded process kills; before that starts it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every n-th operation")
    parser.add_argument("--seed", type=int, default=0, help="chooses which ones")
    args = parser.parse_args()
    # In memory, where a sync costs nothing; the second place has to be on another file system.
    with (
        tempfile.TemporaryDirectory(dir="/dev/shm") as folder,
        tempfile.TemporaryDirectory() as second,
    ):
        if SHIM in os.environ.get("LD_PRELOAD", ""):
            kill_everything(Path(folder), Path(second) / "stick", args.every, args.seed)
        else:
            run_preloaded(__spec__.name, "--every", str(args.every), "--seed", str(args.seed))


if __name__ == "__main__":
    main()
