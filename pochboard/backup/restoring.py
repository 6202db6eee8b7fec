"""Restoring a ledger: it is checked and made ready, then it replaces the current one.

A ledger that is ready lies in the folder `restore` beside the current one. The daemon and all
commands that write put it into place before they open the ledger. A power cut during a restore
therefore leaves either the old ledger or, after the next start, the new one.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec

from pochboard.backup.archive import (
    CONFIG,
    LEDGER,
    Manifest,
    check_archive,
    configuration_in,
    copy_from,
    damaged,
    reading,
    unused,
    working_folder,
)
from pochboard.backup.making import back_up_to_send, verified
from pochboard.errors import (
    BackupError,
    BackupStorageError,
    DamagedLedgerError,
    LedgerError,
)
from pochboard.store import (
    Report,
    Store,
    open_regular,
    read_regular,
    rebuild,
    sync,
    write_durably,
)
from pochboard.table.clock import file_stamp
from pochboard.text.lazy import Noun, os_reason

READY: Final = "restore"
"""The folder of a ledger that will replace the current one."""
_REPLACED: Final = "replaced"
"""The file in `READY` that names the folder for the replaced ledger."""
_REPLACED_NAME: Final = re.compile(r"replaced-[0-9-]+")
_NAME_BYTES: Final = 255
UPLOAD_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a backup that a phone sends."""
_MOST_BYTES: Final = 32 * 1024 * 1024
"""The most bytes of what it unpacks to; without a limit, a small file could fill the disk."""
_SQLITE: Final = b"SQLite format 3\0"


class Prepared(msgspec.Struct, frozen=True):
    """A ledger that is ready to replace the current one."""

    counted: Report
    manifest: Manifest | None
    """None if it came from a ledger file instead of a backup."""


def prepare_restore(source: Path, data: Path, *, uploaded: bool = False) -> Prepared:
    """Checks a backup, or a ledger file, and makes its ledger ready; `apply_restore` does the rest.

    An upload must be a backup of limited size. If this raises BackupError or LedgerError, nothing
    has changed.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with working_folder(data / READY) as folder:
            unpacked, ready = folder / "unpacked", folder / "ready"
            unpacked.mkdir(mode=0o700)
            ready.mkdir(mode=0o700)
            manifest = _unpack(source, unpacked, uploaded=uploaded)
            counted = _rebuilt(source, unpacked / LEDGER, ready / LEDGER)
            (ready / _REPLACED).write_text(unused(data, f"replaced-{file_stamp()}").name, "utf-8")
            for path in (*ready.iterdir(), ready):
                give_to_owner(path, data)
                sync(path)
            earlier = data / READY
            if earlier.exists():
                _require_ours(earlier)
                earlier.replace(folder / "earlier")
            ready.replace(data / READY)
            sync(data)
    except (BackupStorageError, OSError) as error:
        raise _no_room(Noun("the contents of {source}", source=source), error) from None
    return Prepared(counted, manifest)


def _unpack(source: Path, into: Path, *, uploaded: bool) -> Manifest | None:
    """Unpacks a backup, or copies a ledger file with its log."""
    with reading(source), open_regular(source) as file:
        bare = file.read(len(_SQLITE)) == _SQLITE
    if uploaded or not bare:
        return check_archive(source, into, most_bytes=_MOST_BYTES if uploaded else None)
    for suffix in ("", "-wal"):
        companion = source.with_name(source.name + suffix)
        if companion.exists():
            copy_from(companion, into / f"{LEDGER}{suffix}")
    journal = source.with_name(f"{source.name}-journal")
    if journal.exists() and not (journal.is_file() and not journal.stat().st_size):
        # SQLite may delete a file that it names.
        raise BackupError(
            f"{source} cannot be restored with {journal.name} beside it, which pochboard never"
            " leaves. Move that away, and try again."
        )
    return None


def _no_room(what: Noun, error: BackupStorageError | OSError) -> BackupStorageError:
    return BackupStorageError(what, error if isinstance(error, OSError) else error.error)


def _rebuilt(source: Path, unpacked: Path, ledger: Path) -> Report:
    """Makes a new ledger from the rows of another one, and verifies it.

    It pairs no phone: a forged file must not add one, nor an old one bring a revoked one back.
    """
    try:
        rebuild(unpacked, ledger)
        # As when a backup is made. A later program may know other rules, so nothing is replayed.
        return verified(ledger)
    except LedgerError as error:
        text = str(error)
        if isinstance(error, DamagedLedgerError) and error.reason is not None:
            # Without what to do about a ledger in use, which may be sound.
            text = str(damaged(unpacked, error.reason))
        for path in (ledger, unpacked):
            text = text.replace(str(path), f"The ledger in {source}")
        raise LedgerError(text) from None


def is_prepared(data: Path) -> bool:
    """Whether a ledger is ready to replace the current one at the next start."""
    return (data / READY / _REPLACED).is_file()


def _require_ours(ready: Path) -> None:
    """Raises BackupError if somebody uses this folder for other files."""
    if not (ready / _REPLACED).is_file() and (not ready.is_dir() or any(ready.iterdir())):
        raise BackupError(
            f"The data folder has something else under the name {READY}. Rename that, and"
            " try again."
        )


def apply_restore(data: Path) -> Path | None:
    """Puts a ledger that is ready into place; the caller holds the lock of the data folder.

    The current ledger moves to a separate folder, which is returned; None if there was nothing to
    do, or no ledger before. Raises BackupError.
    """
    ready, replaced = data / READY, None
    try:
        if not is_prepared(data):
            if ready.is_dir() and not any(ready.iterdir()):
                ready.rmdir()  # a crash ended `rmtree` below
            return None
        # Until the new ledger is in place, the files there belong to the replaced one. After a
        # crash, the next call completes the move.
        if (ready / LEDGER).exists():
            name = read_regular(ready / _REPLACED, _NAME_BYTES).decode("utf-8", "replace")
            replaced = data / name
            if not _REPLACED_NAME.fullmatch(name):
                replaced = unused(data, f"replaced-{file_stamp()}")
            _move_aside(data, replaced)
            (ready / LEDGER).replace(data / LEDGER)
            sync(data)
            sync(ready)
        shutil.rmtree(ready)
    except OSError as error:
        raise BackupError(
            f"The ledger in {ready} cannot be put into place: {os_reason(error)}."
        ) from None
    return replaced if replaced and replaced.exists() else None


def _move_aside(data: Path, replaced: Path) -> None:
    """Moves the current ledger and its companions to a folder; the ledger itself comes last."""
    ledger = data / LEDGER
    present = [*sorted(data.glob(f"{LEDGER}?*")), *([ledger] if ledger.exists() else [])]
    if not present:
        return
    replaced.mkdir(mode=0o700, exist_ok=True)
    give_to_owner(replaced, data)
    for path in present:
        path.replace(replaced / path.name)
    sync(replaced)
    sync(data)


def give_to_owner(path: Path, folder: Path) -> None:
    """Gives a file that root has made to the user whose folder it is in."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def restore_configuration(source: Path, settings: Path) -> tuple[list[Path], list[Path]]:
    """Restores configuration files that are missing.

    Returns which those are, and which differ from the backup and were left as they are. Raises
    BackupError.
    """
    restored, kept = [], []
    try:
        for name, content in configuration_in(source):
            target = settings / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
                write_durably(target, content)
                restored.append(target)
            elif target.read_bytes() != content:
                kept.append(target)
    except OSError as error:
        raise BackupError(
            f"The configuration cannot be restored to {settings}: {os_reason(error)}. Its"
            f" files are in the folder {CONFIG} of {source}, which is a ZIP file."
        ) from None
    return restored, kept


# For phones


class BackupService:
    """Makes backups of an open ledger, and accepts uploads. Thread-safe; one at a time."""

    def __init__(self, store: Store, data: Path, settings: Path) -> None:
        self._store = store
        self._data = data
        self._settings = settings
        self._busy = threading.Lock()

    @contextmanager
    def one_at_a_time(self) -> Iterator[bool]:
        """Yields True if no other backup or upload is in progress, and then keeps others out."""
        free = self._busy.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._busy.release()

    def make(self) -> IO[bytes]:
        """A new backup, open for reading; closing it deletes it.

        Raises BackupError, LedgerError.
        """
        try:
            return back_up_to_send(self._store, self._settings, self._data)
        except (BackupStorageError, OSError) as error:
            raise _no_room(Noun("the backup"), error) from None

    def prepare(self, content: bytes) -> Prepared:
        """Checks an uploaded backup; its ledger replaces the current one at the next start.

        Raises BackupError, and BackupStorageError if it cannot be written.
        """
        try:
            with working_folder(self._data / "upload") as folder:
                upload = folder / "upload.zip"
                upload.write_bytes(content)
                try:
                    return prepare_restore(upload, self._data, uploaded=True)
                except BackupStorageError:
                    raise
                except (BackupError, LedgerError) as error:
                    # A phone has no use for the names of files here.
                    raise BackupError(str(error).replace(str(upload), "this file")) from None
        except (BackupStorageError, OSError) as error:
            raise _no_room(Noun("the backup"), error) from None
