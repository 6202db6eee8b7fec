"""Ledgers that were copied, mixed up, cut off or moved are refused, and the refusal says why.

Each state is one that `cp`, `mv`, `rm` or a bad disk can produce under a real process.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pochboard.errors import DamagedLedgerError, LedgerError, LedgerGoneError
from pochboard.store import Opening, Store
from tests.shell.test_store import MODERN, START, played
from tests.shell.test_store_files import WRITER, crash, traces

DEALER = [{"do": "dealer", "seat": 1 + n % 3} for n in range(11)]
MANY = played(START, *DEALER)


def fill(store: Store, first: int, last: int, night: int = 1) -> None:
    """Records entries of a night."""
    for entry in MANY.entries[first - 1 : last]:
        store.append(night, entry, opening=Opening(MODERN, {}) if entry.number == 1 else None)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def copy(source: Path, target: Path, *suffixes: str) -> None:
    target.parent.mkdir(exist_ok=True)
    for suffix in suffixes:
        shutil.copy(beside(source, suffix), beside(target, suffix))


def refused(path: Path) -> str:
    """Why a ledger is refused, by a daemon and by a reader, with every file left as it was.

    This excludes the memory that SQLite shares between processes and makes from the log.
    """
    beside(path, "-shm").unlink(missing_ok=True)
    before = traces(path.parent)
    sentences = []
    for readonly in (False, True):
        with pytest.raises(DamagedLedgerError) as error:
            Store.open(path, readonly=readonly)
        sentences.append(str(error.value))
        assert traces(path.parent) == before
    assert sentences[0] == sentences[1]
    return sentences[0]


def test_a_copy_of_a_running_ledger_without_its_log_has_every_deal_that_is_over(
    tmp_path: Path,
) -> None:
    path, other = tmp_path / "ledger.db", tmp_path / "copy" / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 5)
        store.checkpoint()  # as the table does after each deal
        fill(store, 6, 8)
        copy(path, other, "")
    with Store.open(other) as store:
        assert store.night(1).entries == MANY.entries[:5]


def test_an_older_copy_is_refused_in_the_place_of_the_ledger(tmp_path: Path) -> None:
    path, old = tmp_path / "ledger.db", tmp_path / "old" / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 5)
    copy(path, old, "")
    with Store.open(path) as store:
        fill(store, 6, 7)
    copy(old, path, "")
    sentence = refused(path)
    assert sentence.startswith(f"{path} is an older copy, or ledger.db-wal beside it is damaged or")
    assert "Entries missing at its end: 2." in sentence
    assert sentence.endswith("To continue with this copy, move ledger.db-head away.")
    beside(path, "-head").unlink()
    with Store.open(path) as store:
        assert store.night(1).entries == MANY.entries[:5]


def test_a_ledger_whose_log_was_deleted_after_a_crash_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    crash(path)
    for suffix in ("-wal", "-shm"):
        beside(path, suffix).unlink()
    assert "ledger.db-wal beside it is damaged or was deleted" in refused(path)


def test_a_missing_ledger_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 3)
    path.unlink()
    before = traces(tmp_path)
    with pytest.raises(LedgerError) as error:
        Store.open(path)
    assert traces(tmp_path) == before
    assert "ledger.db-head beside it shows that it had entries" in str(error.value)
    assert str(error.value).endswith("To start a new one, move ledger.db-head away.")


def closed_ledger(path: Path) -> None:
    with Store.open(path) as store:
        fill(store, 1, 12)


def crashed_ledger(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    crash(path)


@pytest.mark.parametrize("make", [closed_ledger, crashed_ledger])
def test_another_ledger_beside_an_old_log_is_refused(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path, other = tmp_path / "ledger.db", tmp_path / "other" / "ledger.db"
    crash(path)
    make(other)
    copy(other, path, "")
    assert "ledger.db is damaged" in refused(path)
    beside(path, "-wal").unlink()
    if make is crashed_ledger:
        return  # its own log is missing too
    # The crashed one may have had more entries.
    sentence = refused(path)
    assert "do not belong together" in sentence or "is an older copy" in sentence
    assert sentence.endswith("move ledger.db-head away.")
    beside(path, "-head").unlink()
    with Store.open(path) as store:
        assert store.night(1).entries == MANY.entries


def test_a_damaged_log_is_found_at_every_sampled_position(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 8)
        copy(path, tmp_path / "cut" / "ledger.db", "", "-wal", "-head")
    path = tmp_path / "cut" / "ledger.db"
    wal = beside(path, "-wal")
    whole = wal.read_bytes()
    for offset in range(0, len(whole), len(whole) // 40):
        for length in (offset, len(whole)):
            data = bytearray(whole[:length])
            if length == len(whole):
                data[offset] ^= 1 << offset % 8
            wal.write_bytes(data)
            with pytest.raises(LedgerError, match="Entries missing at its end"):
                Store.open(path)
            beside(path, "-shm").unlink(missing_ok=True)
    wal.write_bytes(whole)
    with Store.open(path) as store:
        assert store.night(1).entries == MANY.entries[:8]


def test_a_kill_at_any_time_never_leaves_a_head_ahead_of_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as one:
            assert one.stdout is not None
            for _ in range(25):
                one.stdout.readline()
            one.kill()
        with Store.open(path) as store:
            assert len(store.night(1).entries) >= 25


# A ledger that is taken away while it is open


TAKEN: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "moved": lambda path: path.rename(path.with_name("elsewhere.db")),
    "its folder moved": lambda path: path.parent.rename(path.parent.with_name("away")),
    "its folder deleted": lambda path: shutil.rmtree(path.parent),
    "its log deleted": lambda path: beside(path, "-wal").unlink(),
    "replaced": lambda path: Path(shutil.copy(path, f"{path}.2")).replace(path),
}


@pytest.mark.parametrize("how", TAKEN)
def test_nothing_is_recorded_into_a_ledger_that_was_taken_away(tmp_path: Path, how: str) -> None:
    path = tmp_path / "data" / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 5)
        TAKEN[how](path)
        with pytest.raises(LedgerGoneError):
            store.pair(b"1" * 32, "phone", 1)
        with pytest.raises(LedgerGoneError) as error:
            fill(store, 6, 6)
        assert store.night(1).entries == MANY.entries[:5]
        sentence = str(error.value)
        if how == "replaced":
            assert sentence == (
                f"{path} was replaced by another file while pochboard was running. Stop pochboard,"
                " put the right file back, and start it again."
            )
        else:
            gone = beside(path, "-wal") if how == "its log deleted" else path
            assert sentence == (
                f"{gone} is missing: it was deleted or moved away while pochboard was running. Put"
                " it back, or stop pochboard and restore a backup with `pochboard restore`."
            )


@pytest.mark.parametrize(
    ("take", "put_back"),
    [
        (TAKEN["moved"], lambda path: path.with_name("elsewhere.db").rename(path)),
        (
            TAKEN["its folder moved"],
            lambda path: path.parent.with_name("away").rename(path.parent),
        ),
    ],
)
def test_a_ledger_that_comes_back_can_be_used_again(
    tmp_path: Path, take: Callable[[Path], object], put_back: Callable[[Path], object]
) -> None:
    path = tmp_path / "data" / "ledger.db"
    with Store.open(path) as store:
        fill(store, 1, 5)
        take(path)
        with pytest.raises(LedgerGoneError):
            fill(store, 6, 6)
        with pytest.raises(LedgerGoneError):
            store.recover()
        put_back(path)
        store.recover()
        fill(store, 6, 12)
    with Store.open(path) as store:
        assert store.night(1).entries == MANY.entries
