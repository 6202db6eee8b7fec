"""Backups of the ledger, the configuration and the house rulesets, and restoring one.

`archive` defines the file. Daily backups go to two folders, which keep the newest.

A restored ledger is checked and made ready beside the current one. The daemon and all commands that
write put it into place before they open the ledger. A power cut during a restore therefore leaves
either the old ledger or, after the next start, the new one.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import threading
from pathlib import Path
from typing import IO, Final, NamedTuple

import msgspec

from pochboard.backup.archive import (
    CONFIG,
    LEDGER,
    Manifest,
    belongs,
    check_archive,
    configuration_in,
    copy_from,
    damaged,
    move_into_place,
    read_manifest,
    reading,
    storing,
    unused,
    working_folder,
    write_archive,
)
from pochboard.config import Config
from pochboard.config_file import FILE
from pochboard.errors import BackupError, BackupStorageError, DamagedLedgerError, LedgerError
from pochboard.rulesets import FOLDER as RULESETS
from pochboard.store import (
    Report,
    Saved,
    Store,
    open_regular,
    read_small,
    rebuild,
    repair,
    sync,
    write_durably,
)
from pochboard.table.clock import file_stamp, now_ms
from pochboard.text.lazy import Noun, os_reason
from pochboard.text.unicode_names import encodable

log = logging.getLogger(__name__)

BACKUPS: Final = "backups"
"""The folder of daily backups within the data folder."""
_RECORD: Final = "last.json"
_SERIES_DIGITS: Final = 8
_DAILY: Final = re.compile(r"pochboard-[0-9a-f]{8}-\d{4}-\d{2}-\d{2}-\d{6}(?:-\d{1,9})?\.zip")
"""The names of daily backups; those made by `--to` have no digits of their ledger."""
RESTORED: Final = "ledger.restored"
"""A ledger that will replace the current one."""
_ASIDE: Final = ".ledger.replaced"
"""The folder of the replaced ledger until the restored one is in its place."""
UPLOAD_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a backup that a phone sends."""
_MOST_BYTES: Final = 32 * 1024 * 1024
"""The most bytes of what it unpacks to; without a limit, a small file could fill the disk."""
_SQLITE: Final = b"SQLite format 3\0"


class BackupRecord(msgspec.Struct, frozen=True):
    """How the last daily backup went."""

    time_ms: int
    file: str = ""
    problem: str = ""
    """Why it could not be made."""
    second_file: str = ""
    """The copy in the second place."""
    second_problem: str = ""


def back_up(
    store: Store,
    settings: Path,
    target: Path,
    *,
    replace: bool = False,
    made_ms: int | None = None,
    work: Path | None = None,
) -> Manifest:
    """Makes a backup of an open ledger and of the configuration in the folder `settings`.

    The file appears under its name once it is complete, checked and on the disk. An existing one is
    replaced in one step with `replace`, and refused otherwise. `work` names the folder in which it
    is made (see `working_folder`), else the target does. Raises BackupError, LedgerError.
    """
    with storing(target), working_folder(work or target) as folder:
        if target.exists() and not replace:
            raise BackupError(f"{target} exists already. Choose another name, or use --force.")
        made = folder / "backup.zip"
        manifest = _make(store, settings, made, made_ms)
        move_into_place(made, target, replace=replace)
    return manifest


def _make(store: Store, settings: Path, made: Path, made_ms: int | None = None) -> Manifest:
    ledger = made.with_name(LEDGER)
    store.copy_to(ledger)
    try:
        counted = verified(ledger)
    except LedgerError as error:
        text = str(error).replace(str(ledger), "The record of the nights")
        raise LedgerError(f"Nothing was backed up. {text}") from None
    write_archive(
        made,
        {LEDGER: ledger, **configuration_files(settings)},
        made_ms=now_ms() if made_ms is None else made_ms,
        nights=counted.nights,
        entries=counted.entries,
        ledger=store.ledger_id(),
    )
    return check_archive(made)


def verified(ledger: Path) -> Report:
    """Verifies a ledger as a whole. Raises LedgerError if it is damaged."""
    with Store.open(ledger, readonly=True) as store:
        report = store.verify()
    if report.findings:
        raise LedgerError(f"{ledger} is damaged: {report.findings[0].text}")
    return report


def configuration_files(settings: Path) -> dict[str, Path]:
    """The files of the configuration by their names in a backup."""
    files = {}
    if (settings / FILE).is_file():
        files[f"{CONFIG}{FILE}"] = settings / FILE
    for path in sorted((settings / RULESETS).glob("*.toml")):
        if path.is_file() and not path.name.startswith("."):
            name = f"{CONFIG}{RULESETS}/{path.name}"
            if not belongs(name):  # a restore would not write it
                digest = hashlib.sha256(os.fsencode(path.name)).hexdigest()
                name = f"{CONFIG}{RULESETS}/ruleset-{digest[:16]}.toml"
            files[name] = path
    return files


def dated(folder: Path, ledger: str = "") -> Path:
    """An unused name for a backup made now: a daily one of this ledger, if one is named."""
    series = f"{ledger[:_SERIES_DIGITS]}-" if ledger else ""
    return unused(folder, f"pochboard-{series}{file_stamp()}", ".zip")


def repair_ledger(config: Config, target: Path | None) -> tuple[Path, Saved]:
    """Saves what is sound in the ledger to a new file. Raises BackupError, LedgerError.

    The caller holds the lock of the data folder, so that nobody writes meanwhile.
    """
    if target is None:
        target = config.data / f"repaired-{file_stamp()}.db"
    if not config.ledger.exists():
        raise LedgerError(f"There is no ledger at {config.ledger}.")
    with storing(target), working_folder(target) as folder:
        damaged, new = folder / LEDGER, folder / "repaired.db"
        for suffix in ("", "-wal", "-journal", "-head"):
            companion = config.ledger.with_name(f"{LEDGER}{suffix}")
            if companion.exists():
                copy_from(companion, folder / f"{LEDGER}{suffix}")
        saved = repair(damaged, new)
        verified(new)
        sync(new)
        move_into_place(new, target, replace=False)
    return target, saved


# Every day


def back_up_daily(settings: Path, config: Config) -> BackupRecord:
    """Makes a backup in the data folder, copies it to `backup_to`, and deletes old ones.

    A second place that is missing does not keep the first copy from being made: the record says
    so. Raises BackupError, LedgerError, after recording it if the disk allows that.
    """
    folder = config.data / BACKUPS
    try:
        with Store.open(config.ledger, readonly=True) as store, storing(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            made = dated(folder, store.ledger_id())
            back_up(store, settings, made, work=folder / "daily")
            delete_old(folder, made, config.backups_kept)
        second_file = second_problem = ""
        if config.backup_to:
            try:
                second_file = str(_second_copy(made, Path(config.backup_to), config))
            except BackupError as error:
                second_problem = str(error)
        record = BackupRecord(now_ms(), str(made), "", second_file, second_problem)
        with storing(folder):
            write_record(config.data, record)
    except (BackupError, LedgerError) as error:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            write_record(config.data, BackupRecord(now_ms(), problem=str(error)))
        except OSError as failed:
            log.warning("the failed backup cannot be recorded: %s", failed.strerror)
        raise
    return record


def _second_copy(made: Path, folder: Path, config: Config) -> Path:
    """Copies a backup to a folder on another disk. Raises BackupError."""
    with storing(folder):
        if not folder.is_dir():
            raise BackupError(
                f"{folder} is missing. Is the USB stick or disk plugged in and mounted?"
            )
        if folder.stat().st_dev == config.data.stat().st_dev:
            raise BackupError(
                f"{folder} is on the same disk as the ledger. Is the USB stick or disk mounted"
                " there?"
            )
        # Another board may use this place too, even for a copy of the same ledger.
        target = unused(folder, made.stem, ".zip")
        series = read_manifest(made).ledger[:_SERIES_DIGITS]
        with working_folder(folder / f"daily-{series}") as work:
            copy = work / "backup.zip"
            shutil.copyfile(made, copy)
            sync(copy)
            check_archive(copy)
            move_into_place(copy, target, replace=False)
        delete_old(folder, target, config.backups_kept)
    return target


def delete_old(folder: Path, made: Path, most: int) -> list[Path]:
    """Deletes all but the newest daily backups of a ledger. Returns the deleted files.

    The one just made always stays, whatever the clock says, and so does what may hold more: another
    ledger's, or one with more entries.
    """
    newest, deleted = read_manifest(made), []
    for path in dated_backups(folder, newest.ledger)[most:]:
        try:
            old = read_manifest(path)
        except BackupError as error:
            log.info("it was left alone: %s", error)
            continue
        if path != made and old.ledger == newest.ledger and old.entries <= newest.entries:
            path.unlink()
            deleted.append(path)
    return deleted


def dated_backups(folder: Path, ledger: str = "") -> list[Path]:
    """The daily backups in a folder, of this ledger or of all, the newest first."""
    return sorted(
        (
            path
            for path in folder.glob(f"pochboard-{ledger[:_SERIES_DIGITS]}*.zip")
            if _DAILY.fullmatch(path.name) and path.is_file() and not path.is_symlink()
        ),
        key=lambda path: path.stem.removeprefix("pochboard-")[_SERIES_DIGITS:],
        reverse=True,
    )


def write_record(data: Path, record: BackupRecord) -> None:
    """Notes how the last daily backup went. Raises OSError."""
    fields = msgspec.to_builtins(record, enc_hook=str)
    texts = {key: encodable(text) for key, text in fields.items() if isinstance(text, str)}
    write_durably(data / BACKUPS / _RECORD, msgspec.json.encode(fields | texts))


def read_record(data: Path) -> BackupRecord | None:
    """How the last daily backup went; None if there was none, or its record cannot be read."""
    return read_small(data / BACKUPS / _RECORD, BackupRecord)


# Restoring


class Prepared(NamedTuple):
    """A ledger that is ready to replace the current one."""

    counted: Report
    manifest: Manifest | None
    """None if it came from a ledger file instead of a backup."""


def prepare_restore(source: Path, data: Path, *, uploaded: bool = False) -> Prepared:
    """Checks a backup, or a ledger file, and makes its ledger ready; `apply_restore` does the rest.

    An upload must be a backup of limited size. If this raises BackupError or LedgerError, nothing
    has changed.
    """
    with storing(Noun("the contents of {source}", source=source)):
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        restored = data / RESTORED
        if restored.is_dir():
            raise BackupError(f"{restored} is in the way. Rename it, and try again.")
        with working_folder(data / "restore") as folder:
            ready = folder / "ready.db"
            manifest = _unpack(source, folder, uploaded=uploaded)
            counted = _rebuilt(source, folder / LEDGER, ready)
            give_to_owner(ready, data)
            sync(ready)
            ready.replace(restored)
            sync(data)
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
    return (data / RESTORED).is_file()


def apply_restore(data: Path) -> Path | None:
    """Puts a ledger that is ready into place; the caller holds the lock of the data folder.

    The current ledger moves to a separate folder, which is returned; None if there was nothing to
    do, or no ledger before. Raises BackupError.
    """
    ledger, aside = data / LEDGER, data / _ASIDE
    try:
        # After a crash, the next call completes what is left of these steps.
        if is_prepared(data):
            # The ledger itself comes last.
            for path in (*sorted(data.glob(f"{LEDGER}?*")), ledger):
                if path.exists():
                    aside.mkdir(mode=0o700, exist_ok=True)
                    path.replace(aside / path.name)
            if aside.exists():
                give_to_owner(aside, data)
                sync(aside)
            sync(data)
            (data / RESTORED).replace(ledger)
            sync(data)
        if not aside.exists():
            return None
        replaced = unused(data, f"replaced-{file_stamp()}")
        aside.replace(replaced)
        sync(data)
    except OSError as error:
        raise BackupError(
            f"The ledger in {data / RESTORED} cannot be put into place: {os_reason(error)}."
        ) from None
    return replaced


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
    """Makes backups of an open ledger, and accepts uploads."""

    def __init__(self, store: Store, data: Path, settings: Path) -> None:
        self._store = store
        self._data = data
        self._settings = settings
        self.busy = threading.Lock()
        """Held by the thread that makes or restores a backup."""

    def make(self) -> IO[bytes]:
        """A new backup, open for reading; closing it deletes it.

        Raises BackupError, LedgerError.
        """
        with storing(Noun("the backup")), working_folder(self._data / "download") as folder:
            made = folder / "backup.zip"
            _make(self._store, self._settings, made)
            return made.open("rb")

    def prepare(self, content: bytes) -> Prepared:
        """Checks an uploaded backup; its ledger replaces the current one at the next start.

        Raises BackupError, and BackupStorageError if it cannot be written.
        """
        with storing(Noun("the backup")), working_folder(self._data / "upload") as folder:
            upload = folder / "upload.zip"
            upload.write_bytes(content)
            try:
                return prepare_restore(upload, self._data, uploaded=True)
            except BackupStorageError:
                raise
            except (BackupError, LedgerError) as error:
                # A phone has no use for the names of files here.
                raise BackupError(str(error).replace(str(upload), "this file")) from None
