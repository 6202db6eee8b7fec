"""The store: entries are read back exactly, never changed, and a full disk loses nothing."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pochboard.errors import DamagedLedgerError, LedgerError, UnknownNightError
from pochboard.ledger.book import Book, Step
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import StoredNight, replay, summarize
from pochboard.rules.commands import (
    Adjust,
    AnyCommand,
    Claim,
    Next,
    Rename,
    Settle,
    Showdown,
    Start,
    parse_command,
)
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Opening, Store
from pochboard.store import connection as store_connection
from pochboard.store.verify import verify
from tests.shell.unguarded import unguarded

NIGHTS = Path(__file__).parent.parent / "nights"
SHEETS = sorted(path.stem for path in NIGHTS.glob("*.jsonl") if "press" not in path.stem)
MODERN = shipped_rulesets()["modern"]
START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Eva"]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db") as opened:
        yield opened


def new_book() -> Book:
    return Book(resolve_among(shipped_rulesets()))


def played(*commands: dict[str, Any]) -> Book:
    book = new_book()
    for number, command in enumerate(commands):
        step = book.apply(command, 1_000 + number)
        assert isinstance(step, Step), step
    return book


def book_night(store: Store, book: Book, heard: dict[int, str] | None = None) -> int:
    """Appends the entries one by one, as the table does; returns the night's number."""
    night = store.next_number()
    rules = book.states[0].rules
    for entry in book.entries:
        opening = Opening(rules, heard or {}) if entry.number == 1 else None
        store.append(night, entry, opening=opening)
    return night


def books_of(sheet: str) -> list[Book]:
    """The nights of a sheet."""
    books = [new_book()]
    for line in (NIGHTS / f"{sheet}.jsonl").read_text("utf-8").splitlines():
        command = json.loads(line) if line.startswith("{") else {}
        if "do" not in command:
            continue
        if command["do"] == "start" and books[-1].entries:
            books.append(new_book())
        books[-1].apply(command, 1_700_000_000_000 + len(books[-1].entries))
    return books


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_night_is_read_back_exactly(tmp_path: Path, sheet: str) -> None:
    books = [book for book in books_of(sheet) if book.entries]
    with Store.open(tmp_path / "ledger.db") as store:
        numbers = [book_night(store, book, {2: "Jörg"}) for book in books]
    with Store.open(tmp_path / "ledger.db") as store:
        for number, book in zip(numbers, books, strict=True):
            stored = store.night(number)
            again = replay(stored)
            assert stored.entries == book.entries
            assert stored.last_names == {2: "Jörg"}
            assert again.states == book.states
            assert again.undoes() == book.undoes()
            assert again.redoes() == book.redoes()
        current = store.current()
        assert current is None or current.number == numbers[-1]


def test_ids_are_known_after_a_restart(store: Store) -> None:
    book = played(START, {"do": "deal", "id": "a\u200dü"})
    night = book_night(store, book)
    again = replay(store.night(night))
    assert again.consider(parse_command({"do": "anything", "id": "a\u200dü"})) == book.consider(
        parse_command({"do": "deal", "id": "a\u200dü"})
    )


def test_a_closed_night_is_listed_until_its_end_is_undone(store: Store) -> None:
    book = played(START, {"do": "end"}, {"do": "undo"}, {"do": "rename", "seat": 1, "name": "Ida"})
    first, *rest = book.entries
    store.append(1, first, opening=Opening(MODERN, {}))
    assert store.all_nights()[0].standings is None
    closed = replay(StoredNight(1, MODERN, {}, False, book.entries[:2]))
    summary = summarize(1, closed.entries, closed.state)
    store.append(1, rest[0], summary=summary)
    assert store.all_nights() == [summary]
    assert (summary.started_ms, summary.ended_ms) == (1_000, 1_001)
    assert summary.standings == [(1, 50, 0), (2, 50, 0), (3, 50, 0)]
    store.append(1, rest[1], summary=None)
    assert store.all_nights()[0].standings is None
    store.append(1, rest[2])
    assert store.all_nights()[0].standings is None


def test_a_night_keeps_its_identity_wherever_it_is_stored(tmp_path: Path) -> None:
    book = played(START, {"do": "deal"}, {"do": "void"}, {"do": "end"})
    summary = summarize(0, book.entries, book.state, imported=True)
    with Store.open(tmp_path / "one.db") as store:
        book_night(store, book)
        identity = store.identity(1)
        assert store.identities() == {identity: 1}
    with Store.open(tmp_path / "other.db") as store:
        paper = StoredNight(0, MODERN, {}, True, book.entries)
        assert store.add_nights([(paper, summary)]) == [1]
        own = store.identity(1)
        brought = msgspec.structs.replace(paper, origin=identity)
        assert store.add_nights([(brought, summary), (brought, summary)]) == [2, 3]
        assert [store.identity(number) for number in (2, 3)] == [identity] * 2
        assert store.identities() == {own: 1, identity: 2}
        assert own != identity
        assert store.night(2).origin == identity
        with pytest.raises(UnknownNightError):
            store.identity(4)


@pytest.mark.parametrize("origin", ["'somewhere else'", "NULL"])
def test_the_origin_of_a_night_is_protected_by_the_chain(tmp_path: Path, origin: str) -> None:
    book = played(START, {"do": "end"})
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        summary = summarize(0, book.entries, book.state, imported=True)
        store.add_nights([(StoredNight(0, MODERN, {}, True, book.entries, "elsewhere"), summary)])
    with unguarded(path) as connection:
        connection.execute(f"UPDATE nights SET origin = {origin}")
    with closing(sqlite3.connect(path)) as connection:
        assert [finding.night for finding in verify(connection).findings] == [1]


def test_a_night_that_is_as_long_as_can_be_restored_can_only_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.store.store.MOST_ENTRIES", 6)
    monkeypatch.setattr("pochboard.store.verify.MOST_ENTRIES", 6)
    renames = [{"do": "rename", "seat": 1, "name": f"Anna {number}"} for number in range(5)]
    long, ended = played(START, *renames), played(START, *renames[:3], {"do": "end"})
    with Store.open(tmp_path / "ledger.db") as store:
        store.append(1, *long.entries[:4], opening=Opening(MODERN, {}))
        for more in (long.entries[4:5], long.entries[4:6]):
            with pytest.raises(LedgerError, match="at most 6 entries: end this one"):
                store.append(1, *more)
        store.append(1, *ended.entries[4:])
        assert store.verify().ok


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE nights SET imported = 1",
        "DELETE FROM nights",
        "UPDATE entries SET postings = '[]'",
        "DELETE FROM entries WHERE number = 2",
        "INSERT OR REPLACE INTO nights VALUES (1, 0, '', '', 0, NULL)",
        "INSERT OR REPLACE INTO entries VALUES (1, 1, 1, 0, '', NULL, NULL, '', x'')",
        "INSERT OR REPLACE INTO entries VALUES (3, 1, 1, 0, '', NULL, NULL, '', x'')",
        "INSERT OR REPLACE INTO entries VALUES (2, 1, 3, 0, '', NULL, NULL, '', x'')",
        "INSERT OR REPLACE INTO entries VALUES (3, 1, 3, 0, '', 'deal-1', NULL, '', x'')",
        "INSERT INTO entries VALUES (3, 1, 4, 0, '', NULL, NULL, '', x'')",
        "INSERT INTO entries VALUES (4, 1, 3, 0, '', NULL, NULL, '', x'')",
        "INSERT INTO entries VALUES (3, 9, 1, 0, '', NULL, NULL, '', x'')",
        "UPDATE identity SET id = zeroblob(32)",
        "DELETE FROM identity",
        "INSERT INTO nights VALUES (3, 0, '', '', 0, NULL)",
    ],
)
def test_stored_rows_can_be_neither_changed_nor_deleted(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        book_night(store, played(START, {"do": "deal", "id": "deal-1"}))
        before = store.night(1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    with Store.open(path) as store:
        assert store.night(1) == before
        assert store.next_number() == 2


@pytest.mark.parametrize(
    "damage", [b'{"do": "rename", "name": 5', b'{"name": "\xff"}', b'{"name": 5}']
)
def test_a_command_that_cannot_be_read_hides_no_other_names(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "ledger.db"
    rename = {"do": "rename", "seat": 1}
    book = played(START, {**rename, "name": "Anja"}, {**rename, "name": "Ania"})
    with Store.open(path) as store:
        book_night(store, book)
        book_night(store, played({**START, "players": ["Zoe", "Ben", "Eva"]}))
    with unguarded(path) as connection:
        connection.execute(
            "UPDATE entries SET command = CAST(? AS TEXT) WHERE position = 2", [damage]
        )
    with Store.open(path, readonly=True) as store:
        assert store.names() == {"Anna", "Ben", "Eva", "Ania", "Zoe"}


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
seats = st.integers(1, 2**40)
commands: st.SearchStrategy[AnyCommand] = st.one_of(
    st.builds(
        Start,
        ruleset=words,
        players=st.lists(words, max_size=3).map(tuple),
        options=st.dictionaries(words, values, max_size=3),
    ),
    st.just(Next()),
    st.builds(Claim, seats, words),
    st.builds(Showdown, st.lists(seats | st.lists(seats, max_size=2), max_size=3)),
    st.builds(Settle, st.dictionaries(seats.map(str), st.integers(0, 2**40), max_size=3)),
    st.builds(Rename, seats, words),
    st.builds(
        Adjust, from_=st.just("bank"), to=seats.map("seat:{}".format), chips=seats, reason=words
    ),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.builds(
            Entry,
            st.just(0),
            st.integers(0, 2**62),
            commands,
            st.lists(st.tuples(words, st.integers(-(10**12), 10**12)), max_size=4).map(tuple),
            st.none() | st.integers(1, 2**40),
            st.none() | words,
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda entry: entry.id or object(),
    ),
    st.dictionaries(st.integers(1, 8), words, max_size=8),
)
def test_any_entry_is_stored_exactly(
    store: Store, drawn: list[Entry], heard: dict[int, str]
) -> None:
    entries = [msgspec.structs.replace(e, number=i) for i, e in enumerate(drawn, start=1)]
    entries = [e if e.id else msgspec.structs.replace(e, id=None) for e in entries]
    night = store.next_number()
    for entry in entries:
        opening = Opening(MODERN, heard) if entry.number == 1 else None
        store.append(night, entry, opening=opening)
    assert store.night(night) == StoredNight(night, MODERN, heard, False, entries)


# Damaged ledgers


@pytest.mark.parametrize(
    ("table", "column", "value", "says"),
    [
        ("entries", "command", "{", "Night 1, entry 1 is damaged"),
        ("entries", "postings", '[["bank"]]', "Night 1, entry 1 is damaged"),
        ("nights", "last_names", "[]", "Night 1, entry 1 is damaged"),
        ("nights", "ruleset", '{"name": "modern"}', "Night 1, entry 1 is damaged"),
    ],
)
def test_damaged_columns_are_reported(
    tmp_path: Path, table: str, column: str, value: str, says: str
) -> None:
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        book_night(store, played(START))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        trigger = f"{table}_update"
        asked = "SELECT sql FROM sqlite_schema WHERE name = ?"
        (script,) = connection.execute(asked, (trigger,)).fetchone()
        connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
        connection.execute(script)
    with pytest.raises(DamagedLedgerError, match=says) as refused:
        Store.open(path)
    with Store.open_damaged(path, refused.value) as store:
        with pytest.raises(LedgerError, match=says):
            store.night(1)
        with pytest.raises(LedgerError, match=says):
            store.current()
        with pytest.raises(DamagedLedgerError, match="`pochboard restore`"):
            store.pair(b"1" * 32, "phone", 1)


# Failing commits, threads, concurrent readers


def test_a_lock_of_another_program_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.store.connection.BUSY_S", 0.05)
    path = tmp_path / "ledger.db"
    book = played(START, {"do": "deal"})
    with Store.open(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        store.append(1, book.entries[0], opening=Opening(MODERN, {}))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is locked by another program"):
            store.append(1, book.entries[1])
        assert len(store.night(1).entries) == 1
        other.execute("ROLLBACK")
        store.append(1, book.entries[1])
        assert len(store.night(1).entries) == 2


def test_threads_read_old_nights_while_the_table_writes(store: Store) -> None:
    book = played(START, *[{"do": "dealer", "seat": 1 + n % 3} for n in range(150)])
    book_night(store, played(START, {"do": "deal"}))
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                entries = store.night(2).entries if store.next_number() > 2 else []
                assert entries == book.entries[: len(entries)]
                assert len(store.night(1).entries) == 2
                store.all_nights()
                store.pairings()
        except BaseException as error:  # noqa: BLE001 - shown by the test
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for thread in readers:
        thread.start()
    try:
        book_night(store, book)
    finally:
        done.set()
        for thread in readers:
            thread.join()
    assert failures == []
    assert store.night(2).entries == book.entries


# Pairings


def test_pairings(store: Store) -> None:
    first = store.pair(b"1" * 32, "Annas Handy", 5_000)
    second = store.pair(b"2" * 32, "tablet", 6_000)
    assert store.pairings() == [first, second]
    assert store.pairing(b"1" * 32) == first
    assert store.pairing(b"3" * 32) is None
    store.touch(first.number, 9_000)
    store.touch(first.number, 8_000)
    assert store.pairing(b"1" * 32) == msgspec.structs.replace(first, used_ms=9_000)
    assert store.unpair(second.number)
    assert not store.unpair(second.number)
    assert not store.unpair(10**30)
    assert store.pairing(b"2" * 32) is None
    assert store.pair(b"4" * 32, "other", 7_000).number > second.number


def test_what_sqlite_calls_corrupt_is_damage_only_if_it_can_be_read_and_is_not_sound(
    tmp_path: Path,
) -> None:
    """SQLite says the same of a page that it could not read from the disk."""
    path = tmp_path / "ledger.db"
    with Store.open(path) as store:
        book_night(store, played(START))

    def said() -> LedgerError:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorname = "SQLITE_CORRUPT"
        with pytest.raises(LedgerError) as raised, store_connection.ledger_errors(path):
            raise error
        return raised.value

    assert type(said()) is LedgerError
    assert "The disk failed" in str(said())
    unreadable = path.with_name("ledger.db-wal")
    unreadable.mkdir()
    assert "(Is a directory)" in str(said())
    unreadable.rmdir()
    path.write_bytes(path.read_bytes()[:2048] + bytes(1024) + path.read_bytes()[3072:])
    assert type(said()) is DamagedLedgerError
