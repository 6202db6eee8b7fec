"""The tables of the ledger and their rows: SQL, the JSON in their columns, the hash chain.

A change of the tables, or of what their columns may hold, is a new `VERSION`: docs/CONTRIBUTING.md
says what else it takes.

Each entry stores the SHA-256 of the previous value and of its own row; the first entry of a night
also covers the night's row. Value 0 is the random id of the ledger. An entry that is changed,
removed or moved therefore breaks the chain, and no two ledgers share a value. Columns are hashed as
the stored bytes, so everything that is read back has been compared.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cache, lru_cache, partial
from typing import Any, Final

import msgspec

from pochboard.errors import DamagedLedgerError, UnreadableNightError
from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.remarks import Remark
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.rules.commands import AnyCommand
from pochboard.rules.ruleset import Ruleset
from pochboard.text.lazy import LazyText, lazy_gettext

log = logging.getLogger(__name__)


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
DIGEST_BYTES: Final = 32


class Opening(msgspec.Struct, frozen=True):
    """What is saved with the first entry of a night and does not change during it."""

    ruleset: Ruleset
    last_names: dict[int, str]
    """The name last used at each place before this night."""


class Pairing(msgspec.Struct, frozen=True):
    """A phone that may make changes. Only the SHA-256 of its token is stored."""

    number: int
    label: str
    paired_ms: int
    used_ms: int


# A column on a damaged page may hold something other than its text.
_DAMAGE: Final = (msgspec.DecodeError, RecursionError, TypeError, UnicodeDecodeError)

_RULESET: Final = msgspec.json.Decoder(Ruleset)
_LAST_NAMES: Final = msgspec.json.Decoder(dict[int, str])
_COMMAND: Final[msgspec.json.Decoder[AnyCommand]] = msgspec.json.Decoder(AnyCommand)
_REMARK: Final[msgspec.json.Decoder[Remark]] = msgspec.json.Decoder(Remark)
_POSTINGS: Final = msgspec.json.Decoder(tuple[Posting, ...])
_SUMMARY: Final = msgspec.json.Decoder(NightSummary)

# Texts are read as bytes, which is what the chain covers.
NIGHT_COLUMNS: Final = (
    "SELECT number, started_ms, CAST(ruleset AS BLOB), CAST(last_names AS BLOB), imported,"
    " CAST(origin AS BLOB) FROM nights"
)
ENTRY_COLUMNS: Final = (
    "SELECT position, night, number, time_ms, CAST(command AS BLOB), CAST(id AS BLOB), ref,"
    " CAST(postings AS BLOB), chain FROM entries"
)
_ENTRIES: Final = f"{ENTRY_COLUMNS} WHERE night = ? ORDER BY number"
_MOST_DECODED: Final = 512
# By position, because an index that lost its end would hide entries. `+` keeps SQLite from using
# the index.
_ENTRIES_FROM: Final = f"{ENTRY_COLUMNS} WHERE position >= ? AND +night = ? ORDER BY position"
_NAMING: Final = (
    "SELECT CAST(command AS BLOB) FROM entries"
    """ WHERE command LIKE '%"name"%' OR command LIKE '%"players"%'"""
)
_PUT_NIGHT: Final = "INSERT INTO nights VALUES (?, ?, ?, ?, ?, ?)"
_PUT_ENTRY: Final = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
SUMMARIES: Final = "SELECT night, CAST(summary AS BLOB), digest FROM summaries"
_LISTED: Final = (
    "SELECT n.number, s.night, CAST(s.summary AS BLOB), s.digest"
    " FROM nights n LEFT JOIN summaries s ON s.night = n.number ORDER BY n.number"
)
_PUT_SUMMARY: Final = "INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)"
_REMARKS: Final = "SELECT number, time_ms, CAST(remark AS BLOB), chain FROM remarks"
_PUT_REMARK: Final = "INSERT INTO remarks VALUES (?, ?, ?, ?)"


# Tables


def create_tables(connection: sqlite3.Connection, identity: bytes | None = None) -> None:
    """Makes an empty ledger in an empty database, with this id or a new one.

    Not WAL before the end: the file itself then always has the version, which another program can
    read without the log.
    """
    identity = identity or secrets.token_bytes(DIGEST_BYTES)
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


def schema_differences(connection: sqlite3.Connection) -> list[str]:
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
        create_tables(new)
        return frozenset(new.execute(_PARTS)), _settings(new)


# Rows


def to_json(value: object) -> str:
    """A value as compact JSON."""
    return msgspec.json.encode(value).decode()


# Nights


def last_number(connection: sqlite3.Connection) -> int:
    """The number of the newest night, imported or not; 0 before the first."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM nights").fetchone()
    assert isinstance(number, int), "the schema is strict"
    return number


def current_number(connection: sqlite3.Connection) -> int | None:
    """The number of the newest night that was not imported."""
    row = connection.execute(
        "SELECT number FROM nights WHERE imported = 0 ORDER BY number DESC LIMIT 1"
    ).fetchone()
    return row[0] if row else None


def put_night(
    connection: sqlite3.Connection, number: int, night: StoredNight, summary: NightSummary | None
) -> None:
    """Stores a night with its entries under a new number, and its summary if it is closed."""
    ruleset, last_names = to_json(night.ruleset), to_json(night.last_names)
    began_ms, imported = night.entries[0].time_ms, int(night.imported)
    columns = (number, began_ms, ruleset, last_names, imported, night.origin)
    connection.execute(_PUT_NIGHT, columns)
    put_entries(connection, number, night.entries)
    if summary is not None:
        put_summary(connection, number, summary)


def get_night(connection: sqlite3.Connection, number: int) -> StoredNight | None:
    """A night with its entries. Raises LedgerError if it is damaged.

    A parameter that a later version adds to rulesets gets the default in `Ruleset`, and one that it
    renames is read by its earlier name too; anything else that cannot be read is an error.
    """
    night = night_row(connection, number)
    return None if night is None else stored_night(night, chained_entries(connection, night))


def night_row(connection: sqlite3.Connection, number: int) -> Columns | None:
    """The row of a night: number, started_ms, ruleset, last_names, imported and origin."""
    row: Columns | None = connection.execute(
        f"{NIGHT_COLUMNS} WHERE number = ?", (number,)
    ).fetchone()
    return row


def chained_entries(connection: sqlite3.Connection, night: Columns) -> list[Columns]:
    """The rows of a night's entries. Raises DamagedLedgerError if the chain breaks."""
    number = night[0]
    first = connection.execute(
        "SELECT position FROM entries WHERE night = ? AND number = 1", (number,)
    ).fetchone()
    if number == current_number(connection) and first is not None:
        entries = connection.execute(_ENTRIES_FROM, (*first, number)).fetchall()
    else:
        entries = connection.execute(_ENTRIES, (number,)).fetchall()
    summary = get_summary(connection, number)
    link_of = partial(link_at, connection)
    _, reason = sound_entries(night, entries, link_of, summary.entries if summary else 0)
    if reason:
        raise DamagedLedgerError(reason)
    return entries


def sound_entries(
    night: Columns,
    entries: Sequence[Columns],
    link_of: Callable[[int], bytes | None],
    length: int,
) -> tuple[int, LazyText | None]:
    """Counts the entries of a night that the chain confirms; also says what is wrong with the next.

    `link_of` gives the hash at a position; None if it cannot be known. `length` is how many there
    are at least: the chain shows every gap but a missing end.
    """
    position: int | None = None
    before: bytes | None = None
    for number, entry in enumerate(entries, start=1):
        if entry[2] != number:
            return number - 1, _lost(night, number)
        if entry[0] - 1 != position:
            # Nights imported meanwhile lie between this entry and the previous one.
            before = link_of(entry[0] - 1)
        position = entry[0]
        first = night if number == 1 else None
        chained = before is None or link(before, entry[:-1], first) == entry[-1]
        if not chained or type(entry[-1]) is not bytes:
            return number - 1, lazy_gettext(
                "Night {night}, entry {number} is damaged: it is not what was stored.",
                night=night[0],
                number=number,
            )
        before = entry[-1]
    return len(entries), _lost(night, len(entries) + 1) if len(entries) < length else None


def _lost(night: Columns, number: int) -> LazyText:
    return lazy_gettext("Night {night}, entry {number} is lost.", night=night[0], number=number)


def stored_night(night: Columns, entries: list[Columns]) -> StoredNight:
    """A night from the columns of its rows. Raises UnreadableNightError if they cannot be read."""
    number, _, ruleset, last_names, imported, origin = night
    decoded = [stored_entry(columns) for columns in entries]
    try:
        return StoredNight(
            number,
            _RULESET.decode(ruleset),
            _LAST_NAMES.decode(last_names),
            bool(imported),
            decoded,
            None if origin is None else origin.decode(),
        )
    except _DAMAGE as error:
        log.info("night %s cannot be read: %s", number, error)
        raise UnreadableNightError(
            lazy_gettext(
                "Night {number} cannot be read: its ruleset or names are damaged, or were"
                " written by another version of pochboard.",
                number=number,
            )
        ) from None


# The chain


def link_at(connection: sqlite3.Connection, position: int) -> bytes:
    """The chain's value at a position: the ledger's id at 0, b"" if there is no entry."""
    if position == 0:
        return get_identity(connection)
    row = connection.execute("SELECT chain FROM entries WHERE position = ?", (position,)).fetchone()
    return row[0] if row else b""


def head(connection: sqlite3.Connection) -> tuple[int, bytes]:
    """The newest entry's position, and the chain's value there."""
    row = connection.execute(
        "SELECT position, chain FROM entries ORDER BY position DESC LIMIT 1"
    ).fetchone()
    return row or (0, get_identity(connection))


def get_identity(connection: sqlite3.Connection) -> bytes:
    """The random id of the ledger, at which its chain begins."""
    row = connection.execute("SELECT id FROM identity").fetchone()
    return row[0] if row else b""


# Entries


def put_entries(connection: sqlite3.Connection, night: int, entries: Iterable[Entry]) -> None:
    """Appends entries to their night, which must exist."""
    position, before = head(connection)
    for entry in entries:
        position += 1
        command, postings = to_json(entry.command), to_json(entry.postings)
        columns = (
            *(position, night, entry.number, entry.time_ms, command, entry.id, entry.ref),
            postings,
        )
        first = night_row(connection, night) if entry.number == 1 else None
        chained = link(before, _as_bytes(columns), first)
        assert chained is not None, "the columns have their types"
        before = chained
        connection.execute(_PUT_ENTRY, (*columns, before))


def _as_bytes(columns: Columns) -> Columns:
    return tuple([value.encode() if type(value) is str else value for value in columns])


def stored_entry(columns: Columns) -> Entry:
    """An entry from the columns of its row. Raises UnreadableNightError if they cannot be read."""
    _, night, number, time_ms, command, id_, ref, postings, _ = columns
    try:
        decoded, moved = _command(command), _postings(postings)
        named = None if id_ is None else id_.decode()
    except _DAMAGE as error:
        log.info("night %s, entry %s cannot be read: %s", night, number, error)
        raise UnreadableNightError(
            lazy_gettext(
                "Night {night}, entry {number} cannot be read: its command or its postings are"
                " damaged, or were written by another version of pochboard.",
                night=night,
                number=number,
            )
        ) from None
    return Entry(number, time_ms, decoded, moved, ref, named)


# Many commands are equal, and so are their postings; both are immutable.


@lru_cache(_MOST_DECODED)
def _command(column: bytes) -> AnyCommand:
    return _COMMAND.decode(column)


@lru_cache(_MOST_DECODED)
def _postings(column: bytes) -> tuple[Posting, ...]:
    return _POSTINGS.decode(column)


def get_names(connection: sqlite3.Connection) -> set[str]:
    """The names that players have or had, as far as they can be read."""
    found: set[str] = set()
    with suppress(sqlite3.DatabaseError):
        for (column,) in connection.execute(_NAMING):
            with suppress(*_DAMAGE):
                command = _command(column)
                found.update((getattr(command, "name", ""), *getattr(command, "players", ())))
    return found - {""}


# Summaries


def put_summary(connection: sqlite3.Connection, night: int, summary: NightSummary) -> None:
    """Stores the summary of a closed night, replacing an earlier one."""
    text = msgspec.json.encode(msgspec.structs.replace(summary, number=night))
    connection.execute(_PUT_SUMMARY, (night, text.decode(), hashlib.sha256(text).digest()))


def delete_summary(connection: sqlite3.Connection, night: int) -> None:
    """Deletes the summary of a night whose end was undone."""
    connection.execute("DELETE FROM summaries WHERE night = ?", (night,))


def summaries(connection: sqlite3.Connection) -> Iterator[tuple[int, NightSummary | None]]:
    """The number and the summary of each night, None where it is missing or damaged."""
    for number, *row in connection.execute(_LISTED):
        yield number, summary_of(row)


def get_summary(connection: sqlite3.Connection, number: int) -> NightSummary | None:
    """The summary of a night; None if it is missing or damaged."""
    row = connection.execute(f"{SUMMARIES} WHERE night = ?", (number,)).fetchone()
    return row and summary_of(row)


def summary_of(row: Sequence[Any]) -> NightSummary | None:
    """The summary in a row, if it is the one that was stored."""
    night, text, stored = row
    try:
        summary = _SUMMARY.decode(text)
        same = summary.number == night and hashlib.sha256(text).digest() == stored
    except _DAMAGE:
        return None
    return summary if same else None


# Remarks


def put_remark(connection: sqlite3.Connection, time_ms: int, remark: Remark) -> None:
    """Adds a remark."""
    last = connection.execute(f"{_REMARKS} ORDER BY number DESC LIMIT 1").fetchone()
    number, before = (last[0] + 1, last[-1]) if last else (1, get_identity(connection))
    columns = (number, time_ms, to_json(remark))
    connection.execute(_PUT_REMARK, (*columns, remark_link(before, _as_bytes(columns))))


def get_remarks(connection: sqlite3.Connection) -> tuple[list[Remark], bool]:
    """The remarks up to the first one that is not what was stored, and whether that is all."""
    before = get_identity(connection)
    found: list[Remark] = []
    for expected, row in enumerate(connection.execute(f"{_REMARKS} ORDER BY number"), start=1):
        try:
            if row[0] != expected or remark_link(before, row[:-1]) != row[-1]:
                return found, False
            found.append(_REMARK.decode(row[2]))
        except _DAMAGE:
            return found, False
        before = row[-1]
    return found, True


Columns = tuple[Any, ...]
"""Columns of one row: numbers, None, and texts as bytes."""


def link(before: bytes, entry: Columns, night: Columns | None = None) -> bytes | None:
    """The hash of an entry, chained to the one before.

    `entry` has position, night, number, time_ms, command, id, ref and postings; `night`, for the
    first entry of a night, has number, started_ms, ruleset, last_names, imported and origin.
    Returns None if a column has the wrong type.
    """
    # As `_framed`, but in a fifth of the time: this is done for every entry that is read.
    position, of_night, number, time_ms, command, named, ref, postings = entry
    try:
        if night is not None:
            before += _framed(night)
        named_bytes = -1 if named is None else len(named)
        head = (
            f"{position},{of_night},{number},{time_ms}"
            f",{len(command)},{named_bytes},{ref},{len(postings)}\n"
        )
        hashed = b"".join((before, head.encode(), command, named or b"", postings))
    except TypeError:
        return None  # in a damaged page, a text may have become something else
    return hashlib.sha256(hashed).digest()


def remark_link(before: bytes, remark: Columns) -> bytes:
    """The hash of a remark, which has number, time_ms and the remark itself.

    Remarks have their own chain, which also begins at the ledger's id.
    """
    return hashlib.sha256(before + _framed(remark)).digest()


def _framed(columns: Columns) -> bytes:
    """A row as bytes. Lengths precede texts, so that no two rows have the same bytes."""
    sizes = [f"b{len(value)}" if type(value) is bytes else str(value) for value in columns]
    texts = [value for value in columns if type(value) is bytes]
    return b"".join([",".join(sizes).encode(), b"\n", *texts])
