"""The tables of the ledger, and the migrations that bring an older ledger up to date."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from functools import cache
from typing import Final, NamedTuple

from pochboard.errors import LedgerError
from pochboard.ledger.replay import NightSummary, replay, sound_length, summarize
from pochboard.store import chain, rows
from pochboard.store.connection import transaction
from pochboard.text.lazy import lazy_gettext

APPLICATION_ID: Final = int.from_bytes(b"Poch", "big")
"""Identifies a ledger, to us and to `file`: SQLite keeps it in the header, as `application_id`."""


class Migration(NamedTuple):
    """One step to a newer version. It never changes after its release: later steps build on it."""

    script: str
    convert: Callable[[sqlite3.Connection], None] | None = None
    """What needs more than SQL, in the same transaction."""


# Entries have a rowid although their key is (night, number). Without it, SQLite moves every row
# above 231 bytes to an overflow page: the file was three times as large and a commit took a fifth
# longer. REPLACE deletes rows without firing the DELETE triggers, so the INSERT triggers refuse
# rows that would replace others.
_NIGHTS_AND_ENTRIES: Final = """
CREATE TABLE nights (
  number INTEGER PRIMARY KEY,
  started_ms INTEGER NOT NULL,
  ruleset TEXT NOT NULL,
  heard TEXT NOT NULL,
  imported INTEGER NOT NULL CHECK (imported IN (0, 1))
) STRICT;

CREATE INDEX nights_played ON nights (number) WHERE imported = 0;

CREATE TABLE entries (
  night INTEGER NOT NULL REFERENCES nights (number),
  number INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  command TEXT NOT NULL,
  id TEXT,
  ref INTEGER,
  postings TEXT NOT NULL,
  PRIMARY KEY (night, number)
) STRICT;

CREATE UNIQUE INDEX entries_by_id ON entries (night, id) WHERE id IS NOT NULL;

CREATE TRIGGER nights_insert BEFORE INSERT ON nights
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM nights)
BEGIN SELECT RAISE(ABORT, 'nights are numbered in order'); END;

CREATE TRIGGER nights_update BEFORE UPDATE ON nights
BEGIN SELECT RAISE(ABORT, 'nights are never changed'); END;

CREATE TRIGGER nights_delete BEFORE DELETE ON nights
BEGIN SELECT RAISE(ABORT, 'nights are never deleted'); END;

CREATE TRIGGER entries_insert BEFORE INSERT ON entries
WHEN NEW.number IS NOT
  (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE night = NEW.night)
BEGIN SELECT RAISE(ABORT, 'entries are numbered in order'); END;

CREATE TRIGGER entries_insert_id BEFORE INSERT ON entries
WHEN NEW.id IS NOT NULL
  AND EXISTS (SELECT 1 FROM entries WHERE night = NEW.night AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an id is used once in a night'); END;

CREATE TRIGGER entries_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;

CREATE TRIGGER entries_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;
"""

# AUTOINCREMENT: the number of a revoked pairing must not be given to another phone.
_SUMMARIES_AND_PAIRINGS: Final = """
CREATE TABLE summaries (
  night INTEGER PRIMARY KEY REFERENCES nights (number),
  ended_ms INTEGER,
  ruleset TEXT NOT NULL,
  players TEXT NOT NULL,
  deals INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  standings TEXT
) STRICT;

CREATE TABLE pairings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  paired_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL
) STRICT;
"""


# `position` counts the entries of the whole ledger in the order of recording, `number` those of a
# night. As the key of the table, `position` costs nothing.
_CHAINED_ENTRIES: Final = """
CREATE TABLE identity (id BLOB NOT NULL CHECK (length(id) = 32)) STRICT;

CREATE TABLE pairing_log (changes INTEGER NOT NULL, digest BLOB NOT NULL) STRICT;

ALTER TABLE summaries ADD COLUMN digest BLOB NOT NULL DEFAULT x'';

DROP TRIGGER entries_insert;
DROP TRIGGER entries_insert_id;
DROP TRIGGER entries_update;
DROP TRIGGER entries_delete;
DROP INDEX entries_by_id;
ALTER TABLE entries RENAME TO entries_2;

CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  night INTEGER NOT NULL REFERENCES nights (number),
  number INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  command TEXT NOT NULL,
  id TEXT,
  ref INTEGER,
  postings TEXT NOT NULL,
  chain BLOB NOT NULL,
  UNIQUE (night, number)
) STRICT;

INSERT INTO entries (night, number, time_ms, command, id, ref, postings, chain)
SELECT night, number, time_ms, command, id, ref, postings, x'' FROM entries_2 ORDER BY rowid;

DROP TABLE entries_2;

CREATE UNIQUE INDEX entries_by_id ON entries (night, id) WHERE id IS NOT NULL;
"""

_ENTRY_TRIGGERS: Final = """
CREATE TRIGGER entries_insert BEFORE INSERT ON entries
WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM entries)
  OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE night = NEW.night)
BEGIN SELECT RAISE(ABORT, 'entries are numbered in order'); END;

CREATE TRIGGER entries_insert_id BEFORE INSERT ON entries
WHEN NEW.id IS NOT NULL
  AND EXISTS (SELECT 1 FROM entries WHERE night = NEW.night AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an id is used once in a night'); END;

CREATE TRIGGER entries_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;

CREATE TRIGGER entries_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;

CREATE TRIGGER identity_update BEFORE UPDATE ON identity
BEGIN SELECT RAISE(ABORT, 'the id of a ledger is never changed'); END;

CREATE TRIGGER identity_delete BEFORE DELETE ON identity
BEGIN SELECT RAISE(ABORT, 'the id of a ledger is never deleted'); END;
"""

_REMARKS: Final = """
CREATE TABLE remarks (
  number INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  remark TEXT NOT NULL,
  chain BLOB NOT NULL
) STRICT;

CREATE TRIGGER remarks_insert BEFORE INSERT ON remarks
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM remarks)
BEGIN SELECT RAISE(ABORT, 'remarks are numbered in order'); END;

CREATE TRIGGER remarks_update BEFORE UPDATE ON remarks
BEGIN SELECT RAISE(ABORT, 'remarks are never changed'); END;

CREATE TRIGGER remarks_delete BEFORE DELETE ON remarks
BEGIN SELECT RAISE(ABORT, 'remarks are never deleted'); END;
"""

# The identity that a night brought along from another ledger. NULL: the night began here, and its
# identity is the chain's value at its first entry.
_ORIGINS: Final = "ALTER TABLE nights ADD COLUMN origin TEXT;"


def _chain_entries(connection: sqlite3.Connection) -> None:
    """Gives the ledger its id, and adds the chain and digests to existing rows."""
    before = secrets.token_bytes(chain.DIGEST_BYTES)
    connection.execute("INSERT INTO identity (id) VALUES (?)", (before,))
    nights = {row[0]: row for row in rows.night_rows(connection)}
    unsound = {(number, _first_unsound(connection, number)) for number in nights}
    links = []
    for entry in connection.execute(f"{rows.ENTRY_COLUMNS} ORDER BY position"):
        columns = entry[:-1]
        before = chain.link(before, columns, nights.get(entry[1]) if entry[2] == 1 else None)
        if entry[1:3] in unsound:
            before = _NO_LINK
        links.append((before, entry[0]))
    connection.executemany("UPDATE entries SET chain = ? WHERE position = ?", links)
    rows.put_summary_digests(connection)
    connection.execute("INSERT INTO pairing_log (changes, digest) VALUES (0, x'')")
    rows.log_pairings(connection)
    _run(connection, _ENTRY_TRIGGERS)


def _first_unsound(connection: sqlite3.Connection, night: int) -> int | None:
    """The first entry of a night that does not follow from earlier ones; None if all do.

    It gets a value that no entry has, so that damage that predates the chain is not chained as
    sound.
    """
    try:
        stored = rows.get_unchained_night(connection, night)
    except LedgerError:
        return 1
    length, _ = sound_length(stored)
    return length + 1 if length < len(stored.entries) else None


def _summarize_closed_nights(connection: sqlite3.Connection) -> None:
    """Stores the summaries of all nights that are over, made from their entries."""
    current = rows.current_number(connection)
    for (number,) in connection.execute("SELECT number FROM nights").fetchall():
        summary = _summary(connection, number)
        if summary.standings is not None or number != current:
            _put_summary_2(connection, number, summary)


def _put_summary_2(connection: sqlite3.Connection, night: int, summary: NightSummary) -> None:
    """Stores a summary as in version 2."""
    connection.execute(
        "INSERT INTO summaries (night, ended_ms, ruleset, players, deals, entries, standings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        rows.summary_row(night, summary),
    )


def _summary(connection: sqlite3.Connection, number: int) -> NightSummary:
    try:
        stored = rows.get_unchained_night(connection, number)
        return summarize(number, stored.entries, replay(stored).state)
    except LedgerError:
        # One damaged night must not make the others inaccessible: it is listed, and opening it
        # says what is wrong.
        return NightSummary(number, 0, None, "damaged", [], 0, 0, False, None)


MIGRATIONS: Final = (
    Migration(_NIGHTS_AND_ENTRIES),
    Migration(_SUMMARIES_AND_PAIRINGS, _summarize_closed_nights),
    Migration(_CHAINED_ENTRIES, _chain_entries),
    Migration(_REMARKS),
    Migration(_ORIGINS),
)
"""Step n makes version n, which SQLite keeps as `user_version`, from version n - 1."""

NEWEST: Final = len(MIGRATIONS)

_NO_LINK: Final = bytes(chain.DIGEST_BYTES)

FIRST_CHAINED: Final = 3
"""From this version on there is a chain, and the header says whether a log is in use."""


def create(connection: sqlite3.Connection, version: int = NEWEST) -> None:
    """Makes an empty ledger in an empty database."""
    connection.execute("PRAGMA page_size = 1024")
    migrate(connection, MIGRATIONS[:version])


def migrate(connection: sqlite3.Connection, steps: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Migrates a database, each step and its version in one transaction.

    The connection must be in rollback mode, not WAL: the file itself then always has the version,
    which an older program can read without the log.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for number, step in enumerate(steps[version:], start=version + 1):
        with transaction(connection):
            _run(connection, step.script)
            if step.convert:
                step.convert(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Runs a script statement by statement; `executescript` would commit the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    assert not statement.strip(), "the last statement ends in a semicolon"


class SchemaPart(NamedTuple):
    """A row of the schema. In a forged file, each column may hold anything."""

    type: object
    name: object
    table: object
    sql: object

    def __str__(self) -> str:
        """As in `trigger entries_update`, whatever the name is."""
        kind = self.type if self.type in ("table", "index", "trigger", "view") else "object"
        name = "".join(char if char.isprintable() else "?" for char in str(self.name))
        return f"{kind} {name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + '…'}"


_PARTS: Final = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_NUMBERED_PARTS: Final = "SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema"
_SETTINGS: Final = ("encoding", "auto_vacuum", "default_cache_size")
"""What a database keeps for all who open it, by the names of the `PRAGMA`s. A large cache would let
a small file take all memory.
"""
_LONGEST_NAME: Final = 60
DIGESTS: Final = {
    1: "d2f5bd50a111e6d99acf3d4f328dcdd619847feb9ce724d9d12e0c8a5713959d",
    2: "16e4ef77f2e68442c0815499daf6e6b082983dee5ee928d94d05fe969eca3165",
    3: "f60186c384da1466314be322a36d305b687370def38db8c60ef8a6ae115d82df",
    4: "6f66a9d291856d12bbe7e0f21a5edff604a451a41e5b5b98d43191c4a320654d",
    5: "8ed43f42504feb8ce97a5202222494d8630e1fe8648f5cca83613791a83900ac",
}
"""The digest of each version's parts. Making a database with these parts would take 3 ms."""


def differences(connection: sqlite3.Connection, version: int) -> list[str]:
    """How a database differs from one of this version that pochboard has made, as clauses.

    Whatever is there beyond our own parts counts too: a trigger changes what is stored, and views,
    generated columns and indexes on expressions compute while they are read. So call this before
    anything else is read from a file that somebody may have forged.
    """
    changed: list[str] = [
        lazy_gettext("its {part} was changed", part=name)
        for name, value, usual in zip(_SETTINGS, _settings(connection), _usual(), strict=True)
        if value != usual
    ]
    parts = [SchemaPart(*row) for row in connection.execute(_PARTS)]
    if digest(parts) == DIGESTS.get(version):
        return changed
    return [*changed, *_different_parts(parts, schema_parts(version))]


def _different_parts(found: list[SchemaPart], ours: frozenset[SchemaPart]) -> Iterator[str]:
    theirs = Counter(found) - Counter(ours)
    replaced = {part[:2] for part in theirs}
    for part in sorted(ours - set(found), key=str):
        if part[:2] not in replaced:
            yield lazy_gettext("it lacks the {part}", part=str(part))
    known = {part[:2] for part in ours}
    for part in sorted(theirs, key=str):
        if part[:2] in known:
            yield lazy_gettext("its {part} was changed", part=str(part))
        else:
            yield lazy_gettext("it has the {part}, which is not pochboard's", part=str(part))


def is_plain(connection: sqlite3.Connection) -> bool:
    """Whether rows can be read, even from a forged file, without running what somebody put there.

    That is so if our tables are tables whose columns are all stored, and all indexes are ours.
    """
    ours = schema_parts(*connection.execute("PRAGMA user_version").fetchone())
    indexes = (SchemaPart(*row) for row in connection.execute(f"{_PARTS} WHERE type = 'index'"))
    kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_list")}
    tables = [str(part.name) for part in ours if part.type == "table"]
    return (
        ours.issuperset(indexes)
        and all(kinds.get(name, "table") == "table" for name in tables)
        and not any(
            hidden
            for name in tables
            for *_, hidden in connection.execute(f"PRAGMA table_xinfo({name})")
        )
    )


def restore_parts(connection: sqlite3.Connection, version: int) -> None:
    """Replaces parts that were changed, and removes those that are not ours, in a copy.

    The rows stay as they are. Open the copy again afterwards.
    """
    ours = {part[:2]: part for part in schema_parts(version)}
    connection.execute("PRAGMA writable_schema = ON")
    for rowid, *row in connection.execute(_NUMBERED_PARTS).fetchall():
        part = ours.get((row[0], row[1]))
        if part is None:
            connection.execute("DELETE FROM sqlite_schema WHERE rowid = ?", (rowid,))
        elif part != SchemaPart(*row):
            connection.execute(
                "UPDATE sqlite_schema SET tbl_name = ?, sql = ? WHERE rowid = ?",
                (part.table, part.sql, rowid),
            )


def _settings(connection: sqlite3.Connection) -> list[object]:
    return [connection.execute(f"PRAGMA {name}").fetchone() for name in _SETTINGS]


@cache
def _usual() -> list[object]:
    """The settings of a new database; SQLite can be built with others than its own."""
    with closing(sqlite3.connect(":memory:")) as new:
        return _settings(new)


def digest(found: Collection[SchemaPart]) -> str:
    """The SHA-256 of the parts of a schema, as hexadecimal digits."""
    rows = sorted(map(tuple, found), key=repr)
    return hashlib.sha256(repr(rows).encode()).hexdigest()


@cache
def schema_parts(version: int) -> frozenset[SchemaPart]:
    """The tables, indexes and triggers of a version; of the newest one if there is no such."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model, MIGRATIONS[:version] if 0 < version <= NEWEST else MIGRATIONS)
        return frozenset(SchemaPart(*row) for row in model.execute(_PARTS))
