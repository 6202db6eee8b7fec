"""Backups for paired phones: made for a download, or uploaded for the next start."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pochboard.backup.archive import working_folder
from pochboard.backup.making import back_up_to_send
from pochboard.backup.restoring import Prepared, prepare_restore
from pochboard.errors import BackupError, BackupStorageError, LedgerError
from pochboard.store import Store
from pochboard.text.lazy import Noun


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
        except BackupStorageError as error:
            raise BackupStorageError(Noun("the backup"), error.error) from None
        except OSError as error:
            raise BackupStorageError(Noun("the backup"), error) from None

    def prepare(self, content: bytes) -> Prepared:
        """Checks an uploaded backup; its ledger replaces the current one at the next start.

        Raises BackupError, and BackupStorageError if it cannot be written.
        """
        try:
            with working_folder(self._data / "upload") as folder:
                return self._prepare(content, folder / "upload.zip")
        except OSError as error:
            raise BackupStorageError(Noun("the backup"), error) from None
        except BackupStorageError as error:
            raise BackupStorageError(Noun("the backup"), error.error) from None

    def _prepare(self, content: bytes, upload: Path) -> Prepared:
        try:
            upload.write_bytes(content)
            return prepare_restore(upload, self._data, uploaded=True)
        except BackupStorageError:
            raise
        except (BackupError, LedgerError) as error:
            # A phone has no use for the names of files here.
            raise BackupError(str(error).replace(str(upload), "this file")) from None
