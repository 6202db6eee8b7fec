"""What can be wrong with the file of a ledger, or with those beside it, before it is opened.

Nothing here changes a file.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import DamagedLedgerError, LedgerError, UnreadableNightError
from pochboard.store import rows, schema
from pochboard.store.connection import connect, damaged, ledger_file
from pochboard.store.durable import (
    Mark,
    read_mark,
)
from pochboard.store.verify import structure
from pochboard.text.lazy import (
    Clause,
    LazyText,
    lazy_gettext,
    lazy_listed,
    lazy_ngettext,
    lazy_text,
    os_reason,
)

log = logging.getLogger(__name__)

CHECKED_BYTES: Final = 4 * 1024 * 1024
"""A ledger up to this size is checked page by page when it is opened, a larger one while it is in
use (see `Store.check_contents`).
"""

_MOST_DAMAGED_BITS: Final = 64
"""The ids of two ledgers differ in about 128 of 256 bits, a damaged id in a few."""

_MOVE_AWAY: Final = lazy_gettext("Move it away, or name another data folder.")


COMPANIONS: Final = ("-wal", "-shm", "-journal", "-head")
"""The ends of the names of the files beside a ledger that belong to it."""


def check_file(path: Path, *, check_current: bool = True) -> bool:
    """Like `_check`, but reports damage only if a second read finds it too.

    SQLite calls a schema malformed if it could not read it because the disk failed once.
    """
    try:
        return _check(path, check_current=check_current)
    except (DamagedLedgerError, sqlite3.DatabaseError) as error:
        if isinstance(error, sqlite3.OperationalError):
            raise  # not damage: the file is locked, cannot be opened, or the disk fails
        exists = _check(path, check_current=check_current)
        log.info("found once, but not when the file was read again: %s", error)
        return exists


def _check(path: Path, *, check_current: bool) -> bool:
    """Whether there is a ledger at a path.

    Without `check_current` the entries of the night in progress are not read.

    Raises LedgerError or sqlite3.Error for a file that is not a ledger, is damaged, or has another
    version than this program writes, and leaves no trace. Closing the file would end the locks that
    a Store of the same process has on it, so a process opens a ledger only once.
    """
    _check_companions(path)
    if not _size_of_regular_file(path):
        return False
    if is_schema_huge(path):
        raise damaged(path, lazy_gettext("its list of tables is not pochboard's"))
    if has_hot_journal(path):
        # Opening and closing change the header with a journal. Only a writer can roll back what a
        # crash cut short, and checks again afterwards.
        with closing(connect(path, "ro&immutable=1")) as connection:
            require_ours(path, connection)
        return True
    wal, shared_memory = companion(path, "-wal"), companion(path, "-shm")
    # Read it before the ledger, because a running daemon writes the ledger first.
    mark = read_mark(companion(path, "-head"))
    if not size_of(wal):
        # `immutable` neither needs nor creates files beside the ledger.
        with closing(connect(path, "ro&immutable=1")) as connection:
            require_ours(path, connection)
            _check_last_page(path, connection)
            _check_complete(path)
            _check_undamaged(path, connection, mark)
            if check_current:
                _check_current(path, connection)
            return True
    # Not `immutable`: it ignores the log. Also, while a daemon copies the log into the ledger, the
    # first page may count pages that are not there yet; of 196,000 such reads beside a writer at
    # full speed, 322 found the file malformed.
    _check_own_log(path)
    had_shared_memory = shared_memory.exists()
    try:
        with closing(connect(path, "ro")) as connection:
            require_ours(path, connection)
            _check_undamaged(path, connection, mark)
            if check_current:
                _check_current(path, connection)
            return True
    except BaseException:
        if not had_shared_memory:
            shared_memory.unlink(missing_ok=True)
        raise


def require_ours(path: Path, connection: sqlite3.Connection) -> None:
    """Raises LedgerError unless an open database is a ledger of this version."""
    if not _pragma(connection, "page_count"):
        raise LedgerError(
            lazy_gettext(
                "{path} holds no nights of pochboard: it is not a SQLite database. {move_away}",
                path=ledger_file(path),
                move_away=_MOVE_AWAY,
            )
        )
    if _pragma(connection, "application_id") != schema.APPLICATION_ID:
        raise LedgerError(
            lazy_gettext(
                "{path} holds no nights of pochboard: it is another program's database."
                " {move_away}",
                path=ledger_file(path),
                move_away=_MOVE_AWAY,
            )
        )
    version = _pragma(connection, "user_version")
    if version > schema.VERSION:
        raise LedgerError(
            lazy_gettext(
                "{path} was written by a newer pochboard (version {version} of the file, this"
                " program knows {newest}). Upgrade pochboard; the file was left untouched.",
                path=ledger_file(path),
                version=version,
                newest=schema.VERSION,
            )
        )
    if version < schema.VERSION:
        raise damaged(path, lazy_gettext("its file has the version {version}", version=version))


def _check_last_page(path: Path, connection: sqlite3.Connection) -> None:
    """Raises LedgerError if part of the last page is missing; SQLite would read zeros instead."""
    size, pages = size_of(path), _pragma(connection, "page_count")
    expected = pages * _pragma(connection, "page_size")
    if size < expected:
        reason = lazy_gettext(
            "only {size} of {expected} bytes are there", size=size, expected=expected
        )
        raise damaged(path, reason)


def _check_undamaged(path: Path, connection: sqlite3.Connection, mark: Mark | None) -> None:
    for reason in schema.differences(connection):
        raise damaged(path, reason)
    if size_of(path) <= CHECKED_BYTES:
        for reason in structure(connection):
            raise damaged(path, reason)
    check_end(path, connection, mark)


def _check_current(path: Path, connection: sqlite3.Connection) -> None:
    """Raises LedgerError if the night in progress is damaged."""
    current = rows.current_number(connection)
    if current is not None:
        try:
            rows.get_night(connection, current)
        except (DamagedLedgerError, UnreadableNightError) as error:
            raise damaged(path, Clause(lazy_text(error))) from None


def check_end(path: Path, connection: sqlite3.Connection, mark: Mark | None) -> Mark:
    """What a ledger holds. Raises LedgerError if its head file says something else.

    Raises sqlite3.DatabaseError like `mark_of`.
    """
    end = mark_of(connection)
    if mark is None:
        return end
    at = rows.link_at(connection, mark.position)
    if _differing_bits(end.id, mark.id) > _MOST_DAMAGED_BITS:
        raise _not_its_head(path)
    wal = companion(path, "-wal")
    lost = mark.position - end.position
    if lost > 0:
        if size_of(wal):
            reason = lazy_ngettext(
                "its last entry is missing: {wal} is damaged or out of date",
                "its last {count} entries are missing: {wal} is damaged or out of date",
                lost,
                wal=wal.name,
            )
            raise damaged(path, reason)
        raise LedgerError(
            lazy_ngettext(
                "{path} is an older copy, or {wal} beside it was deleted: its last entry is"
                " missing. Put the newer file back, and {wal} if you have it. To continue with"
                " this copy, move {head} away.",
                "{path} is an older copy, or {wal} beside it was deleted: its last {count} entries"
                " are missing. Put the newer file back, and {wal} if you have it. To continue with"
                " this copy, move {head} away.",
                lost,
                path=ledger_file(path),
                wal=wal.name,
                head=companion(path, "-head").name,
            )
        )
    if at != mark.chain:
        raise damaged(
            path,
            lazy_gettext("entry {number} is not what was stored", number=mark.position),
        )
    if end.id != mark.id:
        raise damaged(path, lazy_gettext("its id is not what was stored"))
    if end.pairing_changes < mark.pairing_changes:
        raise damaged(path, lazy_gettext("the last change to the paired phones is missing"))
    return end


def _differing_bits(first: bytes, second: bytes) -> int:
    return (int.from_bytes(first, "big") ^ int.from_bytes(second, "big")).bit_count()


def _not_its_head(path: Path) -> LedgerError:
    beside = [companion(path, suffix) for suffix in COMPANIONS]
    names = ", ".join(file.name for file in beside if file.exists())
    return LedgerError(
        lazy_gettext(
            "{path} is not the one that the files beside it belong to: another was put"
            " in its place. Put the right one back. To use this one, move {names} away.",
            path=ledger_file(path),
            names=names,
        )
    )


def _has_log_in_use(path: Path) -> bool:
    """Whether the header says that there is a log: a running daemon sets it, closing resets it."""
    return _header(path)[18:20] == b"\x02\x02"


def _check_complete(path: Path) -> None:
    """Raises LedgerError for a ledger that lacks the log mentioned in its header.

    A daemon whose log vanished has a head file, which says whether an entry is missing.
    """
    if not _has_log_in_use(path):
        return
    if companion(path, "-wal").exists() or companion(path, "-head").exists():
        return
    raise LedgerError(
        lazy_gettext(
            "{path} was copied while pochboard was running, so its newest entries are"
            " missing. Copy it again with `pochboard backup`. To continue with what it"
            " contains, use `pochboard repair`.",
            path=ledger_file(path),
        )
    )


def _check_own_log(path: Path) -> None:
    """Raises LedgerError for a log beside a ledger that was closed properly and so has no log.

    SQLite would mix its pages into the ledger.
    """
    wal, shared_memory = companion(path, "-wal"), companion(path, "-shm")
    # The size again: a daemon may just have closed it.
    if _has_our_id(path) and not _has_log_in_use(path) and size_of(wal):
        names = [wal.name, *([shared_memory.name] if shared_memory.exists() else [])]
        raise LedgerError(
            lazy_gettext(
                "{name} does not belong to {path}, which was closed properly: another one"
                " was put in place of the one it belongs to. Put the right one back. To use"
                " this one, move {names} away.",
                name=wal.name,
                path=ledger_file(path),
                names=lazy_listed(names),
            )
        )


def _has_our_id(path: Path) -> bool:
    """Whether the header says that the file is ours.

    It is not read through SQLite, which would open the foreign log, or without a log call the file
    malformed while a daemon copies its log into it (see `_check`).
    """
    return _header(path)[68:72] == schema.APPLICATION_ID.to_bytes(4, "big")


def _header(path: Path) -> bytes:
    """The header of the file. Closing it would end the locks of a Store in this process."""
    try:
        with path.open("rb") as file:
            return file.read(100)
    except OSError as error:
        raise LedgerError(
            lazy_gettext(
                "{path} cannot be read: {reason}.", path=ledger_file(path), reason=os_reason(error)
            )
        ) from None


def check_no_orphaned_log(path: Path) -> None:
    """Raises LedgerError if there is a log beside a ledger that is missing or empty.

    SQLite would delete the log, or apply it to the new file; either way its nights are lost.
    """
    for suffix in ("-wal", "-journal"):
        left = companion(path, suffix)
        if size_of(left):
            raise DamagedLedgerError(
                lazy_gettext(
                    "{path} is missing or empty, but {name} beside it holds what was written last."
                    " Put it back, or move {name} away to start a new one.",
                    path=ledger_file(path),
                    name=left.name,
                )
            )
    mark = read_mark(companion(path, "-head"))
    if mark is not None and mark.position:
        head = companion(path, "-head")
        raise DamagedLedgerError(
            lazy_gettext(
                "{path} is missing or empty, but {name} beside it shows that it had {position}"
                " entries. Put it back or restore a backup with `pochboard restore`. To"
                " start a new one, move {name} away.",
                path=ledger_file(path),
                name=head.name,
                position=mark.position,
            )
        )


def mark_of(connection: sqlite3.Connection) -> Mark:
    """What a ledger holds now, for its head file. Raises sqlite3.DatabaseError."""
    position, at = rows.head(connection)
    end = (rows.get_identity(connection), position, at, rows.pairing_changes(connection))
    try:
        return msgspec.convert(end, Mark, builtin_types=(bytes,))
    except msgspec.ValidationError:
        raise sqlite3.DatabaseError("its end is not what was stored") from None


# Files


def companion(path: Path, suffix: str) -> Path:
    """A file beside a ledger, by the end of its name (see `COMPANIONS`)."""
    return path.with_name(path.name + suffix)


def has_hot_journal(path: Path) -> bool:
    """Whether a change to the header was cut short and has to be rolled back."""
    return size_of(companion(path, "-journal")) > 0


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _size_of_regular_file(path: Path) -> int:
    """Like `size_of`. Raises LedgerError unless it is a regular file that this user may read.

    SQLite would wait for ever on a pipe, and would report a folder as a failed disk.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise LedgerError(
            lazy_gettext(
                "{path} cannot be read: {reason}.", path=ledger_file(path), reason=os_reason(error)
            )
        ) from None
    if stat.S_ISDIR(status.st_mode):
        raise LedgerError(
            lazy_gettext(
                "{path} is a folder and holds no nights. {move_away}",
                path=ledger_file(path),
                move_away=_MOVE_AWAY,
            )
        )
    if not stat.S_ISREG(status.st_mode):
        raise _not_regular(path)
    if not os.access(path, os.R_OK, effective_ids=True):
        raise LedgerError(
            lazy_gettext(
                "{path} cannot be read: {reason}.",
                path=ledger_file(path),
                reason=LazyText("Permission denied"),
            )
        )
    return status.st_size


def _check_companions(path: Path) -> None:
    """Raises LedgerError for a pipe, a folder or a device where SQLite expects a log."""
    for suffix in ("-wal", "-shm", "-journal"):
        beside = companion(path, suffix)
        if beside.exists() and not beside.is_file():
            raise _not_regular(beside)


def _not_regular(path: Path) -> LedgerError:
    return LedgerError(
        lazy_gettext(
            "{path} is not a regular file. {move_away}",
            path=ledger_file(path),
            move_away=_MOVE_AWAY,
        )
    )


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    assert isinstance(value, int), f"{name} is a number"
    return value


HEADER_BYTES: Final = 100
"""The length of the header at the beginning of a database."""
INTERIOR: Final = 5
"""The type of a page of a table that names other pages."""
_LEAF: Final = 13
_MOST_PAGES: Final = 100
_MOST_BYTES: Final = 256 * 1024
"""Our own schema has 3 kB."""


def children(page: bytes, start: int = 0) -> Iterator[int]:
    """The pages below an interior page of a table, whose own header is at `start`."""
    yield int.from_bytes(page[start + 8 : start + 12], "big")
    for cell in _cells(page, start, start + 12):
        yield int.from_bytes(page[cell : cell + 4], "big")


def is_schema_huge(path: Path) -> bool:
    """Whether a file has a schema far larger than ours. No, if it cannot be read now.

    SQLite reads the whole schema into memory before the first statement, so a small archive could
    otherwise take all of it.
    """
    try:
        return _is_schema_huge(path)
    except OSError:
        return False  # SQLite says what is wrong with the disk


def _is_schema_huge(path: Path) -> bool:
    with path.open("rb") as file:
        size = int.from_bytes(file.read(HEADER_BYTES)[16:18], "big")
        size = 65536 if size == 1 else size
        waiting, pages, total = [1], 0, 0
        while waiting:
            number = waiting.pop()
            pages += 1
            file.seek(max(number - 1, 0) * size)
            page, start = file.read(size), HEADER_BYTES if number == 1 else 0
            kind = page[start : start + 1]
            if kind == bytes((INTERIOR,)):
                waiting += children(page, start)
            elif kind == bytes((_LEAF,)):
                total += sum(_varint(page, cell) for cell in _cells(page, start, start + 8))
            if pages > _MOST_PAGES or total > _MOST_BYTES:
                return True
    return False


def _cells(page: bytes, start: int, pointers: int) -> Iterator[int]:
    """Where the cells of a page begin."""
    for number in range(int.from_bytes(page[start + 3 : start + 5], "big")):
        at = pointers + 2 * number
        yield int.from_bytes(page[at : at + 2], "big")


def _varint(page: bytes, at: int) -> int:
    value = 0
    for byte in page[at : at + 9]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value
