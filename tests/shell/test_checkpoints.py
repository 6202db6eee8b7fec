"""When the write-ahead log is copied into the ledger, read from the files themselves."""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pochboard.errors import DamagedLedgerError
from pochboard.ledger.entry import Entry
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.store import Opening, Store, connection
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until
from tests.shell.test_store import START, played
from tests.torture.faulty_home import FaultyHome
from tests.torture.shim import FOR_GOOD, File, Kind

NIGHT: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
FRAME = 24 + 1024
"""The bytes of a page in the log, with its header. The log has a header of 32 bytes."""


def entries_without_log(ledger: Path) -> int:
    """How many entries are in the file itself, as they would be after the log was lost."""
    copied = ledger.with_name("copied.db")
    copied.write_bytes(ledger.read_bytes())
    with closing(sqlite3.connect(f"{copied.as_uri()}?immutable=1", uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


def test_the_log_is_copied_into_the_ledger_between_deals_and_not_during_one(
    home: Home,
) -> None:
    with home.daemon() as daemon:
        daemon.do(**NIGHT)
        wait_until("the start is copied", lambda: entries_without_log(home.ledger) == 1)
        daemon.do(do="deal")
        daemon.do(do="rename", seat=1, name="Berta")
        time.sleep(2)  # twice as long as between deals
        assert entries_without_log(home.ledger) == 1
        daemon.do(do="void")
        wait_until("the deal is copied", lambda: entries_without_log(home.ledger) == 4)
        daemon.do(do="end")
        wait_until("the end is copied", lambda: entries_without_log(home.ledger) == 5)
        daemon.kill()
    with home.daemon() as daemon:
        assert daemon.state["entry"] == 5


def test_the_log_stays_short_however_long_a_deal_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    renames = [{"do": "rename", "seat": 1, "name": f"Anna {number}"} for number in range(1000)]
    book = played(START, {"do": "deal"}, *renames)
    sizes = []
    with Store.open(path) as store:
        for entry in book.entries:
            first = entry.number == 1
            opening = Opening(shipped_rulesets()["modern"], {}) if first else None
            store.append(1, entry, opening=opening)
            sizes.append(path.with_name("ledger.db-wal").stat().st_size)
        assert entries_without_log(path) >= 1000 - 250
    # It is written from its beginning again once it was copied.
    assert max(sizes) < 2 * sizes[249]


def test_a_change_that_a_power_cut_lost_does_not_return_with_the_next_one(tmp_path: Path) -> None:
    """Checksums do not tell two changes apart that begin with the same pages."""
    path, log = tmp_path / "ledger.db", tmp_path / "ledger.db-wal"
    # Once the entries fill a page, their index comes first in the log: the same for any change.
    names = [{"do": "rename", "seat": 1, "name": f"Anna {number}"} for number in range(9)]
    *recorded, lost = played(START, *names, {"do": "rename", "seat": 1, "name": "Clara"}).entries
    following = played(START, *names, {"do": "rename", "seat": 1, "name": "Berta"}).entries[-1]
    with Store.open(path) as store:
        for number, entry in enumerate(recorded):
            opening = None if number else Opening(shipped_rulesets()["modern"], {})
            store.append(1, entry, opening=opening)
        files = {file: file.read_bytes() for file in tmp_path.iterdir() if file != log}
        complete = log.stat().st_size
        store.append(1, lost)
        torn = bytearray(log.read_bytes())
    torn[complete : complete + FRAME] = bytes(FRAME)
    write_files(tmp_path, {**files, log: bytes(torn)})
    with Store.open(path) as store:
        assert entries(store) == recorded
        before, ledger = log.read_bytes(), path.read_bytes()
        store.append(1, following)
        after = log.read_bytes()
    for cut in range(32, len(after) + 1, FRAME):
        write_files(tmp_path, {path: ledger, log: after[:cut] + before[cut:]})
        with Store.open(path) as store:
            assert entries(store) in (recorded, [*recorded, following])


def test_what_a_kill_left_in_the_log_is_recorded_only_once_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be in the page cache only, and then a power cut takes it away again."""
    path, log = tmp_path / "ledger.db", tmp_path / "ledger.db-wal"
    first, second = played(START, {"do": "rename", "seat": 1, "name": "Clara"}).entries
    with Store.open(path) as store:
        store.append(1, first, opening=Opening(shipped_rulesets()["modern"], {}))
        synced = {file: file.read_bytes() for file in tmp_path.iterdir()}
        store.append(1, second)
        cached = log.read_bytes()
    write_files(tmp_path, {**synced, log: cached})
    monkeypatch.setattr(connection, "BUSY_S", 0.05)
    with closing(sqlite3.connect(path)) as reader:
        # Its transaction keeps the log from being copied, so that the test can look in between.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        with Store.open(path) as store:
            assert entries(store) == [first, second]
            head = Path(f"{path}-head").read_bytes()
            reader.rollback()
            store.recover()
            recorded = Path(f"{path}-head").read_bytes()
    write_files(tmp_path, {**synced, Path(f"{path}-head"): head})
    with Store.open(path) as store:
        assert entries(store) == [first]
    write_files(tmp_path, {**synced, Path(f"{path}-head"): recorded})
    with pytest.raises(DamagedLedgerError, match="Entries missing at its end: 1"):
        Store.open(path)


def entries(store: Store) -> Sequence[Entry]:
    night = store.current()
    assert night
    return night.entries


def write_files(folder: Path, files: dict[Path, bytes]) -> None:
    """Makes these the only files of a folder."""
    for file in folder.iterdir():
        file.unlink()
    for file, content in files.items():
        file.write_bytes(content)


def test_what_a_crash_left_in_the_log_is_copied_at_the_start(faulty: FaultyHome) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**NIGHT)
        daemon.do(do="deal")
        daemon.do(do="rename", seat=2, name="Berta")
        daemon.kill()
    faulty.control.fail(Kind.WRITE | Kind.SYNC, File.LEDGER, errno.EIO, first=1, last=FOR_GOOD)
    with faulty.daemon() as daemon:
        assert daemon.state["entry"] == 3
        says = f"the write-ahead log of {faulty.ledger} cannot be copied into it: disk I/O error"
        assert says in daemon.errors
        assert daemon.send(do="void").status == 503
        faulty.control.heal()
        assert daemon.do(do="void") == 4
        assert entries_without_log(faulty.ledger) >= 3
        daemon.kill()
    with faulty.daemon() as daemon:
        assert daemon.state["entry"] == 4
        assert entries_without_log(faulty.ledger) == 4


def test_a_log_that_cannot_be_copied_is_reported_and_copied_later(faulty: FaultyHome) -> None:
    with faulty.daemon() as daemon:
        daemon.do(**NIGHT)
        wait_until("the start is copied", lambda: entries_without_log(faulty.ledger) == 1)
        faulty.control.fail(Kind.WRITE | Kind.SYNC, File.LEDGER, errno.EIO, first=1, last=FOR_GOOD)
        assert daemon.do(do="rename", seat=2, name="Berta") == 2
        says = f"the write-ahead log of {faulty.ledger} cannot be copied into it: disk I/O error"
        wait_until("it is reported", lambda: says in daemon.errors)
        assert daemon.do(do="deal") == 3
        assert entries_without_log(faulty.ledger) == 1
        faulty.control.heal()
        assert daemon.do(do="void") == 4
        wait_until("all is copied", lambda: entries_without_log(faulty.ledger) == 4)
        assert daemon.state["fault"] is None
        assert daemon.stop()[0] == 0
    with faulty.daemon() as daemon:
        assert daemon.state["entry"] == 4
