"""The tables of the ledger, and the steps that carry an older ledger forward."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final, NamedTuple

from pochboard.errors import LedgerError
from pochboard.ledger.replay import NightSummary, replay, summarize
from pochboard.store import reading
from pochboard.store.connect import transaction
from pochboard.store.header import APPLICATION_ID
from pochboard.store.records import summary_row


class Migration(NamedTuple):
    """One step forward. Once released it never changes: later steps build on what it made."""

    script: str
    then: Callable[[sqlite3.Connection], None] | None = None
    """What takes more than SQL; part of the same transaction."""


# Entries have a rowid although their key is (night, number): without one, SQLite spills every row
# above 231 bytes to a page of its own, which trebled the file and cost a fifth more a commit.
# REPLACE would delete rows without asking the triggers on DELETE, so what it could replace is
# refused on INSERT already.
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

# AUTOINCREMENT: the number of a revoked pairing must not come to mean another phone.
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


def _summarise_closed_nights(connection: sqlite3.Connection) -> None:
    """The summaries of all nights that are over, from their entries."""
    current = reading.current_number(connection)
    for (number,) in connection.execute("SELECT number FROM nights").fetchall():
        summary = _summary(connection, number)
        if summary.standings is not None or number != current:
            connection.execute(reading.PUT_SUMMARY, summary_row(number, summary))


def _summary(connection: sqlite3.Connection, number: int) -> NightSummary:
    try:
        stored = reading.night(connection, number)
        assert stored is not None, "its number was just read"
        return summarize(number, stored.entries, replay(stored).state)
    except LedgerError:
        # One night that does not add up must not lock away all others: it is listed, and says
        # what is wrong when it is opened.
        return NightSummary(number, 0, None, "damaged", [], 0, 0, False, None)


MIGRATIONS: Final = (
    Migration(_NIGHTS_AND_ENTRIES),
    Migration(_SUMMARIES_AND_PAIRINGS, _summarise_closed_nights),
)
"""Step n makes version n, which is `user_version` in the header, out of version n - 1."""

NEWEST: Final = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, steps: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Carries a database forward, each step in a transaction with its version.

    The connection must be in rollback mode: the header in the file itself then names the version
    at any moment, also to a program that is older than the file.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for number, step in enumerate(steps[version:], start=version + 1):
        with transaction(connection):
            _run(connection, step.script)
            if step.then:
                step.then(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")


def _run(connection: sqlite3.Connection, script: str) -> None:
    """Runs a script statement by statement; `executescript` would commit what is under way."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    assert not statement.strip(), "the last statement ends in a semicolon"


def differences(connection: sqlite3.Connection, version: int) -> list[str]:
    """The tables, indexes and triggers of a version that a database lacks or has otherwise."""
    asked = "SELECT type, name, sql FROM sqlite_schema"
    model = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(model, MIGRATIONS[:version])
        expected = set(model.execute(asked))
    finally:
        model.close()
    return sorted(f"{row[0]} {row[1]}" for row in expected - set(connection.execute(asked)))
