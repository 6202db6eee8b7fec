"""The ledger file: unusable files stay untouched."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pochboard.errors import LedgerError
from pochboard.ledger.book import Book
from pochboard.store import Opening, Store, rows
from tests.shell.test_store import MODERN, START, book_night, played

DEALER = [{"do": "dealer", "seat": 1 + n % 3} for n in range(60)]
NOBODY = 65_534


def fill(path: Path, *commands: dict[str, Any]) -> Book:
    """Makes a ledger with one night and closes it."""
    book = played(START, *commands)
    with Store.open(path) as store:
        book_night(store, book)
    return book


def traces(folder: Path) -> dict[str, bytes | None]:
    """All files of a folder, byte for byte."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def plain_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of an unprivileged user, who can neither read nor write anything else here."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp())
    try:
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        yield folder
    finally:
        os.seteuid(0)
        shutil.rmtree(folder)


# Files that are refused


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE moz_places (id INTEGER)")


def header_with(offset: int, value: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        fill(path)
        data = bytearray(path.read_bytes())
        data[offset : offset + len(value)] = value
        path.write_bytes(data)

    return make


def cut_to(length: Callable[[int], int]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        fill(path, *DEALER)
        os.truncate(path, length(path.stat().st_size))

    return make


def scribbled(page: int) -> Callable[[Path], None]:
    """One page overwritten, all others intact."""

    def make(path: Path) -> None:
        fill(path, *DEALER)
        data = bytearray(path.read_bytes())
        data[page * 1024 + (100 if page == 0 else 0) : (page + 1) * 1024] = b"\xa5" * (
            924 if page == 0 else 1024
        )
        path.write_bytes(data)

    return make


def without_trigger(path: Path) -> None:
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER entries_delete")


def mistyped(change: str) -> Callable[[Path], None]:
    """Values in the log that the STRICT tables do not accept, as on a damaged page."""

    def make(path: Path) -> None:
        fill(path)
        path.with_name("ledger.db-head").unlink()
        log = path.with_name("ledger.db-wal")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            set_schema(connection, "replace(sql, ') STRICT', ')')")
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("PRAGMA ignore_check_constraints = ON")
                other.execute(change)
                set_schema(other, "sql || ' STRICT'")
                for _, sql in triggers:
                    other.execute(sql)
            files = {file: file.read_bytes() for file in (path, log)}
        for file, content in files.items():
            file.write_bytes(content)

    return make


def set_schema(connection: sqlite3.Connection, sql: str) -> None:
    """Changes the text of all tables, but not what is in them."""
    connection.execute("PRAGMA writable_schema = ON")
    ours = "type = 'table' AND name NOT LIKE 'sqlite_%'"
    connection.execute(f"UPDATE sqlite_schema SET sql = {sql} WHERE {ours}")
    connection.execute("PRAGMA writable_schema = OFF")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda p: p.write_text("Anna 5, Ben 3\n" * 50), "not a SQLite database"),
    "one byte": (lambda p: p.write_bytes(b"x"), "not a SQLite database"),
    "zeros": (lambda p: p.write_bytes(bytes(4096)), "not a SQLite database"),
    "the magic alone": (
        lambda p: p.write_bytes(b"SQLite format 3\0"),
        "or its first bytes are damaged",
    ),
    "half a magic": (lambda p: p.write_bytes(b"SQLite"), "not a SQLite database"),
    "foreign": (foreign, "another program's database"),
    "newer": (header_with(60, (99).to_bytes(4, "big")), "written by a newer pochboard"),
    "newer by one": (
        header_with(60, (rows.VERSION + 1).to_bytes(4, "big")),
        "Upgrade pochboard; the file was left untouched",
    ),
    "version 0": (header_with(60, bytes(4)), r"is damaged \(its file has the version 0\)"),
    "page size": (header_with(16, b"\x03\x00"), "its first bytes are damaged"),
    "cut in the middle": (cut_to(lambda size: size // 2), "is damaged"),
    "cut in the header's page": (cut_to(lambda _: 500), "is damaged"),
    "last byte": (cut_to(lambda size: size - 1), "its last page is cut off"),
    "first page": (scribbled(0), "is damaged"),
    "a page of the schema": (scribbled(1), "is damaged"),
    "a page of entries": (scribbled(11), "is damaged"),
    "a missing trigger": (without_trigger, r"it lacks the trigger entries_delete\)"),
    "a chain of text": (mistyped("UPDATE entries SET chain = 'x'"), "is damaged"),
    "an id of text": (mistyped("UPDATE identity SET id = 'x'"), "is damaged"),
    "a short id": (mistyped("UPDATE identity SET id = x'00'"), "is damaged"),
    "a negative position": (mistyped("UPDATE entries SET position = -position"), "is damaged"),
    "folder": (lambda p: p.mkdir(), "is not a regular file"),
    "pipe": (os.mkfifo, "is not a regular file"),
}


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("name", BAD)
def test_an_unusable_file_is_refused_and_left_untouched(
    tmp_path: Path, name: str, readonly: bool
) -> None:
    make, says = BAD[name]
    path = tmp_path / "ledger.db"
    make(path)
    before = traces(tmp_path)
    with pytest.raises(LedgerError, match=says) as raised:
        Store.open(path, readonly=readonly)
    assert str(path) in str(raised.value)
    assert str(raised.value).endswith(".")
    assert "\n" not in str(raised.value)
    assert traces(tmp_path) == before


def test_a_ledger_cut_off_anywhere_is_refused_and_left_untouched(tmp_path: Path) -> None:
    whole = tmp_path / "whole.db"
    fill(whole, *DEALER)
    data = whole.read_bytes()
    for length in (1, 15, 16, 17, 99, 100, 101, 511, 512, 1023, 1024, 1025, len(data) - 1):
        folder = tmp_path / str(length)
        folder.mkdir()
        path = folder / "ledger.db"
        path.write_bytes(data[:length])
        with pytest.raises(LedgerError):
            Store.open(path)
        assert traces(folder) == {"ledger.db": data[:length]}


# Creating a ledger


def test_a_ledger_that_was_taken_out_of_wal_mode_gets_back_into_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    with Store.open(path):
        assert path.read_bytes()[18:20] == b"\x02\x02"


# Folders and permissions


def test_a_ledger_in_a_folder_that_cannot_be_written_to_is_read(plain_folder: Path) -> None:
    path = plain_folder / "ledger.db"
    book = fill(path, *DEALER)
    plain_folder.chmod(0o500)
    with Store.open(path, readonly=True) as store:
        assert store.night(1).entries == book.entries
    plain_folder.chmod(0o700)
    with Store.open(path) as store:
        store.pair(b"1" * 32, "phone", 1)
        for name in ("ledger.db-wal", "ledger.db"):
            shutil.copy(path.with_name(name), path.with_name(f"crashed{name[6:]}"))
    path = plain_folder / "crashed.db"
    plain_folder.chmod(0o500)
    with pytest.raises(LedgerError, match="Check the permissions of the file and of its folder"):
        Store.open(path, readonly=True)
    plain_folder.chmod(0o700)


# Reading beside a running daemon


def test_a_reader_in_another_process_sees_what_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    script = (
        "import sys; from pathlib import Path; from pochboard.store import Store\n"
        "with Store.open(Path(sys.argv[1]), readonly=True) as store:\n"
        "    print(len(store.night(1).entries))\n"
    )
    book = played(START, *DEALER)
    with Store.open(path) as store:
        for entry in book.entries:
            opening = Opening(MODERN, {}) if entry.number == 1 else None
            store.append(1, entry, opening=opening)
            if entry.number in (1, 30, 61):
                shown = subprocess.check_output([sys.executable, "-c", script, path], text=True)
                assert int(shown) == entry.number
    with Store.open(path) as store:
        assert store.night(1).entries == book.entries


# Versions


def test_a_journal_beside_a_ledger_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    fill(path, *DEALER)
    path.with_name("ledger.db-journal").write_bytes(bytes.fromhex("d9d505f920a163d7") * 100)
    before = traces(tmp_path)
    for readonly in (False, True):
        with pytest.raises(LedgerError, match=r"ledger\.db-journal beside it is not pochboard's"):
            Store.open(path, readonly=readonly)
    assert traces(tmp_path) == before


# kill -9

WRITER = """
import sys
from pathlib import Path
from pochboard.ledger.book import Book
from pochboard.rules.commands import parse_command
from pochboard.rules.seating import resolve_among
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.ledger.replay import replay
from pochboard.store import Opening, Store

with Store.open(Path(sys.argv[1])) as store:
    stored = store.current()
    book = replay(stored) if stored else Book(resolve_among(shipped_rulesets()))
    n = len(book.entries)
    while True:
        n += 1
        do = {"do": "dealer", "seat": 1 + n % 3} if n > 1 else {
            "do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Eva"]}
        step = book.consider(parse_command({**do, "id": f"id-{n}"}), n)
        opening = Opening(step.state.rules, {}) if step.opens else None
        store.append(1, step.entry, opening=opening)
        book.accept(step)
        print(n, flush=True)
"""


def crash(path: Path) -> None:
    """A ledger whose writer was killed, so that its log is still there."""
    child = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child, child.stdout:
        child.stdout.readline()
        time.sleep(0.02)
        child.kill()
    assert path.with_name("ledger.db-wal").stat().st_size > 0
