"""The tables of the ledger.

A change of them, or of what their columns may hold, is a new `VERSION`: docs/CONTRIBUTING.md says
what else it takes.
"""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from functools import cache
from typing import Final

from pochboard.store import rows
from pochboard.text.lazy import lazy_gettext

APPLICATION_ID: Final = int.from_bytes(b"Poch", "big")
"""Identifies a ledger, to us and to `file`: SQLite keeps it in the header, as `application_id`."""
VERSION: Final = 1
"""Of the tables and their contents, which SQLite keeps as `user_version`."""

# Entries have a rowid although they could be found by night and number alone. Without it, SQLite
# moves every row above 231 bytes to an overflow page: the file was three times as large and a
# commit took a fifth longer. `position` counts the entries of the whole ledger in the order of
# recording, `number` those of a night; as the key of the table, `position` costs nothing.
#
# The `origin` of a night is the identity that it brought along from another ledger. NULL: the night
# began here, and its identity is the chain's value at its first entry.
#
# AUTOINCREMENT: the number of a revoked pairing must not be given to another phone.
#
# REPLACE deletes rows without firing the DELETE triggers, so the INSERT triggers refuse rows that
# would replace others.
_SCHEMA: Final = """
CREATE TABLE identity (id BLOB NOT NULL CHECK (length(id) = 32)) STRICT;

CREATE TABLE nights (
  number INTEGER PRIMARY KEY,
  started_ms INTEGER NOT NULL,
  ruleset TEXT NOT NULL,
  last_names TEXT NOT NULL,
  imported INTEGER NOT NULL CHECK (imported IN (0, 1)),
  origin TEXT
) STRICT;

CREATE INDEX nights_played ON nights (number) WHERE imported = 0;

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

CREATE UNIQUE INDEX entries_by_id ON entries (night, id) WHERE id IS NOT NULL;

CREATE TABLE summaries (
  night INTEGER PRIMARY KEY REFERENCES nights (number),
  summary TEXT NOT NULL,
  digest BLOB NOT NULL
) STRICT;

CREATE TABLE remarks (
  number INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  remark TEXT NOT NULL,
  chain BLOB NOT NULL
) STRICT;

CREATE TABLE pairings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  paired_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER nights_insert BEFORE INSERT ON nights
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM nights)
BEGIN SELECT RAISE(ABORT, 'nights are numbered in order'); END;

CREATE TRIGGER entries_insert BEFORE INSERT ON entries
WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM entries)
  OR NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE night = NEW.night)
  OR EXISTS (SELECT 1 FROM entries WHERE night = NEW.night AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'entries are numbered in order'); END;

CREATE TRIGGER remarks_insert BEFORE INSERT ON remarks
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM remarks)
BEGIN SELECT RAISE(ABORT, 'remarks are numbered in order'); END;
"""
_TRIGGERS: Final = "".join(
    f"CREATE TRIGGER {table}_{event.lower()} BEFORE {event} ON {table}\n"
    f"BEGIN SELECT RAISE(ABORT, '{table}: what is stored is never changed'); END;\n"
    for table in ("identity", "nights", "entries", "remarks")
    for event in ("UPDATE", "DELETE")
)


def create(connection: sqlite3.Connection, identity: bytes | None = None) -> None:
    """Makes an empty ledger in an empty database, with this id or a new one.

    Not WAL before the end: the file itself then always has the version, which another program can
    read without the log.
    """
    identity = identity or secrets.token_bytes(rows.DIGEST_BYTES)
    connection.execute("PRAGMA page_size = 1024")
    connection.executescript(
        f"BEGIN; {_SCHEMA} {_TRIGGERS}"  # noqa: S608 - our own script, and hexadecimal digits
        f"INSERT INTO identity (id) VALUES (x'{identity.hex()}');"
        f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    )
    connection.execute("PRAGMA journal_mode = WAL")


_Part = tuple[object, object, object, object]
"""A row of the schema: type, name, table and SQL. In a forged file, each may be anything."""
_PARTS: Final = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
_SETTINGS: Final = ("encoding", "auto_vacuum", "default_cache_size")
"""What a database keeps for all who open it, by the names of the `PRAGMA`s. A large cache would let
a small file take all memory.
"""
_LONGEST_NAME: Final = 60


def differences(connection: sqlite3.Connection) -> list[str]:
    """How a database differs from one that pochboard has made, as clauses.

    Whatever is there beyond our own parts counts too: a trigger changes what is stored, and views,
    generated columns and indexes on expressions compute while they are read. So call this before
    anything else is read from a file that somebody may have forged.
    """
    parts, settings = _usual()
    changed: list[str] = [
        lazy_gettext("its {part} was changed", part=name)
        for name, value, usual in zip(_SETTINGS, _settings(connection), settings, strict=True)
        if value != usual
    ]
    found = connection.execute(_PARTS).fetchall()
    names, known = {part[:2] for part in found}, {part[:2] for part in parts}
    changed += [
        lazy_gettext("it lacks the {part}", part=_named(part))
        for part in sorted(parts, key=_named)
        if part[:2] not in names
    ]
    for part in found:
        if part[:2] not in known:
            changed.append(
                lazy_gettext("it has the {part}, which is not pochboard's", part=_named(part))
            )
        elif part not in parts or found.count(part) > 1:
            changed.append(lazy_gettext("its {part} was changed", part=_named(part)))
    return changed


def _named(part: _Part) -> str:
    """As in `trigger entries_update`, whatever the name is."""
    kind = part[0] if part[0] in ("table", "index", "trigger", "view") else "object"
    name = "".join(char if char.isprintable() else "?" for char in str(part[1]))
    return f"{kind} {name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + '…'}"


def is_plain(connection: sqlite3.Connection) -> bool:
    """Whether rows can be read, even from a forged file, without running what somebody put there.

    That is so if our tables are tables whose columns are all stored, and all indexes are ours.
    """
    ours, _ = _usual()
    indexes = connection.execute(f"{_PARTS} WHERE type = 'index'").fetchall()
    kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_list")}
    tables = [str(name) for kind, name, *_ in ours if kind == "table"]
    return (
        ours.issuperset(indexes)
        and all(kinds.get(name, "table") == "table" for name in tables)
        and not any(
            hidden
            for name in tables
            for *_, hidden in connection.execute(f"PRAGMA table_xinfo({name})")
        )
    )


def _settings(connection: sqlite3.Connection) -> list[object]:
    return [connection.execute(f"PRAGMA {name}").fetchone() for name in _SETTINGS]


@cache
def _usual() -> tuple[frozenset[_Part], list[object]]:
    """The parts and the settings of a new ledger; SQLite can be built with others than its own."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        create(new)
        return frozenset(new.execute(_PARTS)), _settings(new)
