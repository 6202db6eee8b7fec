"""Making backups: to a file, or daily to two folders, from which old ones are deleted."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

import msgspec

from pochboard.backup.archive import (
    CONFIG,
    LEDGER,
    Manifest,
    belongs,
    check_archive,
    copy_from,
    move_into_place,
    read_manifest,
    unused,
    working_folder,
    write_archive,
)
from pochboard.config import Config
from pochboard.config_file import FILE
from pochboard.errors import (
    BackupError,
    BackupStorageError,
    LedgerError,
    PochboardError,
)
from pochboard.rulesets.catalog import FOLDER as RULESETS
from pochboard.store import Report, Saved, Store, read_regular, repair, sync, write_durably
from pochboard.table.clock import file_stamp, now_ms
from pochboard.text.decoding import decode_json
from pochboard.text.unicode_names import encodable

log = logging.getLogger(__name__)

BACKUPS: Final = "backups"
"""The folder of daily backups within the data folder."""
_RECORD: Final = "last.json"
_RECORD_BYTES: Final = 64 * 1024
_SERIES_DIGITS: Final = 8
_DAILY: Final = re.compile(r"pochboard-[0-9a-f]{8}-(\d{4}-\d{2}-\d{2})-\d{6}(?:-\d{1,9})?\.zip")
"""The names of daily backups; those made by `--to` have no digits of their ledger."""
_KEPT: Final = (("%Y-%m-%d", 7), ("%G-%V", 4), ("%Y-%m", 12))
"""How many days, weeks and months keep their last backup."""


class Copied(msgspec.Struct, frozen=True):
    """A backup that has been made, checked and synced."""

    file: Path
    manifest: Manifest


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
) -> Copied:
    """Makes a backup of an open ledger and of the configuration in the folder `settings`.

    The file appears under its name once it is complete, checked and on the disk. An existing one is
    replaced in one step with `replace`, and refused otherwise. `work` names the folder in which it
    is made (see `working_folder`), else the target does. Raises BackupError, LedgerError.
    """
    try:
        with working_folder(work or target) as folder:
            if target.exists() and not replace:
                raise BackupError(f"{target} exists already. Choose another name, or use --force.")
            made = _make(store, settings, folder, made_ms)
            move_into_place(made.file, target, replace=replace)
    except OSError as error:
        raise BackupStorageError(target, error) from None
    return Copied(target, made.manifest)


def back_up_to_send(store: Store, settings: Path, data: Path) -> IO[bytes]:
    """Makes a backup without a name, open for reading; closing it deletes it.

    Raises BackupError, LedgerError, OSError.
    """
    with working_folder(data / "download") as folder:
        return _make(store, settings, folder, None).file.open("rb")


def _make(store: Store, settings: Path, folder: Path, made_ms: int | None) -> Copied:
    ledger, made = folder / LEDGER, folder / "backup.zip"
    store.copy_to(ledger)
    try:
        counted = verified(ledger)
    except LedgerError as error:
        text = str(error).replace(str(ledger), "The record of the nights")
        raise LedgerError(f"Nothing was backed up. {text}") from None
    manifest = write_archive(
        made,
        {LEDGER: ledger, **configuration_files(settings)},
        made_ms=now_ms() if made_ms is None else made_ms,
        nights=counted.nights,
        entries=counted.entries,
        ledger=store.ledger_id(),
    )
    check_archive(made)
    return Copied(made, manifest)


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
            files[_in_backup(path)] = path
    return files


def _in_backup(ruleset: Path) -> str:
    """The name of a ruleset's file, or another if a restore would not write that."""
    name = f"{CONFIG}{RULESETS}/{ruleset.name}"
    if belongs(name):
        return name
    digest = hashlib.sha256(os.fsencode(ruleset.name)).hexdigest()
    return f"{CONFIG}{RULESETS}/ruleset-{digest[:16]}.toml"


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
    try:
        with working_folder(target) as folder:
            damaged, new = folder / LEDGER, folder / "repaired.db"
            for suffix in ("", "-wal", "-journal", "-head"):
                companion = config.ledger.with_name(f"{LEDGER}{suffix}")
                if companion.exists():
                    copy_from(companion, folder / f"{LEDGER}{suffix}")
            saved = repair(damaged, new)
            verified(new)
            sync(new)
            move_into_place(new, target, replace=False)
    except OSError as error:
        raise BackupStorageError(target, error) from None
    return target, saved


# Every day


def back_up_daily(settings: Path, config: Config) -> BackupRecord:
    """Makes a backup in the data folder, copies it to `backup_to`, and deletes old ones.

    A second place that is missing does not keep the first copy from being made: the record says
    so. Raises BackupError, LedgerError, after recording it if the disk allows that.
    """
    folder = config.data / BACKUPS
    try:
        with Store.open(config.ledger, readonly=True) as store:
            folder.mkdir(mode=0o700, exist_ok=True)
            made = back_up(store, settings, dated(folder, store.ledger_id()), work=folder / "daily")
        rotate(folder, made)
        second_file = second_problem = ""
        if config.backup_to:
            try:
                second_file = str(_second_copy(made, Path(config.backup_to), config.data))
            except BackupError as error:
                second_problem = str(error)
        record = BackupRecord(now_ms(), str(made.file), "", second_file, second_problem)
        write_record(config.data, record)
    except OSError as error:
        raise _recorded(config.data, BackupStorageError(folder, error)) from None
    except (BackupError, LedgerError) as error:
        raise _recorded(config.data, error) from None
    return record


def _recorded(data: Path, error: PochboardError) -> PochboardError:
    """Records the error of a daily backup, if the disk allows that, and returns it."""
    try:
        (data / BACKUPS).mkdir(mode=0o700, exist_ok=True)
        write_record(data, BackupRecord(now_ms(), problem=str(error)))
    except OSError as failed:
        log.warning("the failed backup cannot be recorded: %s", failed.strerror)
    return error


def _second_copy(made: Copied, folder: Path, data: Path) -> Path:
    """Copies a backup to a folder on another disk. Raises BackupError."""
    try:
        if not folder.is_dir():
            raise BackupError(
                f"{folder} is missing. Is the USB stick or disk plugged in and mounted?"
            )
        if folder.stat().st_dev == data.stat().st_dev:
            raise BackupError(
                f"{folder} is on the same disk as the ledger. Is the USB stick or disk mounted"
                " there?"
            )
        # Another board may use this place too, even for a copy of the same ledger.
        target = unused(folder, made.file.stem, ".zip")
        with working_folder(folder / f"daily-{made.manifest.ledger[:_SERIES_DIGITS]}") as work:
            copy = work / "backup.zip"
            shutil.copyfile(made.file, copy)
            sync(copy)
            check_archive(copy)
            move_into_place(copy, target, replace=False)
        rotate(folder, Copied(target, made.manifest))
    except OSError as error:
        raise BackupStorageError(folder, error) from None
    return target


def rotate(folder: Path, made: Copied) -> list[Path]:
    """Deletes daily backups of a ledger but the last of each of 7 days, 4 weeks and 12 months.

    Only days, weeks and months with a backup count, so a clock that jumps ahead deletes no more
    backups than one day does. The one just made always stays, and so does what may hold more than
    that: another ledger's, or one with more entries. Returns the deleted files.
    """
    backups = dated_backups(folder, made.manifest.ledger)
    kept = {made.file, *_kept(backups)}
    deleted = [path for path in backups if path not in kept and _is_outdated(path, made.manifest)]
    for path in deleted:
        path.unlink()
    return deleted


def _is_outdated(path: Path, newest: Manifest) -> bool:
    """Whether everything in a backup is in a newer one, as far as its manifest says."""
    try:
        manifest = read_manifest(path)
    except BackupError as error:
        log.info("it was left alone: %s", error)
        return False
    return manifest.ledger == newest.ledger and manifest.entries <= newest.entries


def dated_backups(folder: Path, ledger: str = "") -> list[Path]:
    """The daily backups in a folder, of this ledger or of all, the newest first."""
    return sorted(
        (
            path
            for path in folder.glob(f"pochboard-{ledger[:_SERIES_DIGITS]}*.zip")
            if _day(path) and path.is_file() and not path.is_symlink()
        ),
        key=lambda path: path.stem.removeprefix("pochboard-")[_SERIES_DIGITS:],
        reverse=True,
    )


def _kept(newest_first: list[Path]) -> Iterator[Path]:
    for form, most in _KEPT:
        seen: set[str] = set()
        for path in newest_first:
            day = _day(path)
            period = day.strftime(form) if day else ""
            if period not in seen and len(seen) < most:
                seen.add(period)
                yield path


def _day(path: Path) -> datetime | None:
    """The day of a daily backup, by its name; None for another file."""
    match = _DAILY.fullmatch(path.name)
    try:
        return datetime.strptime(match[1], "%Y-%m-%d").replace(tzinfo=UTC) if match else None
    except ValueError:
        return None  # somebody else named it, with a day that does not exist


def write_record(data: Path, record: BackupRecord) -> None:
    """Notes how the last daily backup went. Raises OSError."""
    fields = msgspec.to_builtins(record, enc_hook=str)
    texts = {key: encodable(text) for key, text in fields.items() if isinstance(text, str)}
    write_durably(data / BACKUPS / _RECORD, msgspec.json.encode(fields | texts))


def read_record(data: Path) -> BackupRecord | None:
    """How the last daily backup went; None if there was none, or its record cannot be read."""
    try:
        content = read_regular(data / BACKUPS / _RECORD, _RECORD_BYTES)
        return decode_json(content, BackupRecord)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
