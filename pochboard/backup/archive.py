"""The backup file: a ZIP archive with a manifest, which any computer can open.

`manifest.json` names every other file with its size. `ledger.db` is the ledger, a SQLite database
without a log; `config/config.toml` and `config/rulesets/*.toml` are the configuration. An archive
may come from anybody: only what its manifest names is read, and no more of it than it says.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from pochboard import __version__
from pochboard.errors import BackupError, BackupStorageError
from pochboard.store import open_regular, sync
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import os_reason

MANIFEST: Final = "manifest.json"
LEDGER: Final = "ledger.db"
CONFIG: Final = "config/"
"""The prefix of configuration files in the archive."""
_FORMAT: Final = 1
_NAME: Final = re.compile(r"ledger\.db|config/config\.toml|config/rulesets/[^/.][^/]*\.toml")
_SETTINGS_BYTES: Final = 1024 * 1024
"""The most bytes of the manifest, a configuration file or a ruleset."""
_LEDGER_BYTES: Final = 2**32 - 1
_LONGEST_NAME: Final = 240
"""The most bytes of a name, which the target disk must be able to store."""
_MOST_MEMBERS: Final = 1000
_PIECE: Final = 1024 * 1024
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError),
    *(struct.error, OverflowError, LookupError),
)
"""What `zipfile` raises for the archives of others."""

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_TimeMs = Annotated[int, msgspec.Meta(ge=-62_000_000_000_000, le=253_000_000_000_000)]
"""In the years 5 to 9987, so that it is a date in every time zone."""


class Manifest(msgspec.Struct, frozen=True):
    """The contents of a backup."""

    format: Literal[1]
    pochboard: str
    """The version of the program that made it."""
    made_ms: _TimeMs
    nights: _Count
    entries: _Count
    files: dict[str, _Count]
    """The size of each in bytes."""
    ledger: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    """The id of the ledger."""


@contextmanager
def working_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside `target`, in which to make it. Only one process can use it at a time.

    It first deletes what a killed process left there; links are not followed. Raises BackupError,
    OSError.
    """
    folder = target.with_name(f".{target.name}.partial")
    try:
        folder.mkdir(0o700, exist_ok=True)
        ours = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ELOOP, errno.ENOTDIR):
            raise
        raise BackupError(f"{folder} is in the way. Rename it, and try again.") from None
    try:
        try:
            fcntl.flock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"{target} is being written by another process.") from None
        for left in folder.iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(ours)


def write_archive(
    path: Path, files: Mapping[str, Path], *, made_ms: int, nights: int, entries: int, ledger: str
) -> None:
    """Writes an archive of these files by their names in it, and waits until it is on the disk."""
    sizes = {name: file.stat().st_size for name, file in sorted(files.items())}
    manifest = Manifest(_FORMAT, __version__, made_ms, nights, entries, sizes, ledger)
    with path.open("xb") as output:
        # A clock that was never set may have dated the files before ZIP's first year, 1980.
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            archive.writestr(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
            for name in sizes:
                archive.write(files[name], name)
        output.flush()
        os.fsync(output.fileno())
        # The check that follows must read from the disk, not from the cache.
        os.posix_fadvise(output.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def check_archive(
    path: Path, into: Path | None = None, *, most_bytes: int | None = None
) -> Manifest:
    """Checks every byte of an archive, and unpacks it if `into` is a folder.

    Raises BackupError if it is damaged, is not a backup, or unpacks to more than `most_bytes`, and
    BackupStorageError if there is no room for the unpacked files.
    """
    with _opened(path) as (archive, manifest):
        if most_bytes is not None and sum(manifest.files.values()) > most_bytes:
            raise BackupError(
                f"{path} unpacks to more than {most_bytes // 1024**2} MB. Restore it on the"
                " command line."
            )
        for name, size in manifest.files.items():
            pieces = _pieces(path, archive, name, size)
            if into is None:
                deque(pieces, maxlen=0)
            else:
                _write(into / name, pieces)
    return manifest


def read_manifest(path: Path) -> Manifest:
    """What a backup says about itself; the rest of it is not read. Raises BackupError."""
    with _opened(path) as (_, manifest):
        return manifest


def configuration_in(path: Path) -> Iterator[tuple[str, bytes]]:
    """The files of the configuration, each with its name below `CONFIG`. Raises BackupError."""
    with _opened(path) as (archive, manifest):
        for name, size in sorted(manifest.files.items()):
            if name.startswith(CONFIG):
                yield name.removeprefix(CONFIG), b"".join(_pieces(path, archive, name, size))


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """An open backup. Raises BackupError for whatever is wrong with the file."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield archive, _read_manifest(path, archive)
    except BackupError:
        raise
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {os_reason(error)}.") from None
    except _DAMAGE as error:
        if not zipfile.is_zipfile(path):
            raise BackupError(f"{path} is not a backup, or it is cut off.") from None
        raise damaged(path, " ".join(str(error).split())) from None


def _read_manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    names = archive.namelist()
    if len(names) > _MOST_MEMBERS or len(set(names)) < len(names):
        raise damaged(path, "it has too many files, or one twice")
    if MANIFEST not in names:
        raise BackupError(
            f"{path} is not a backup of pochboard: it has no {MANIFEST}. If another program has"
            f" packed it again, unpack it, and restore its {LEDGER} on the command line."
        )
    size = archive.getinfo(MANIFEST).file_size
    if size > _SETTINGS_BYTES:
        raise damaged(path, f"its {MANIFEST} is too large")
    content = b"".join(_pieces(path, archive, MANIFEST, size))
    try:
        values = decode_json(content)
        version = values.get("format") if isinstance(values, dict) else None
        if isinstance(version, int) and version > _FORMAT:
            raise BackupError(f"{path} was made by a newer pochboard. Upgrade pochboard first.")
        manifest = msgspec.convert(values, Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise damaged(path, f"its {MANIFEST} cannot be read") from None
    for name, size in manifest.files.items():
        if not belongs(name):
            raise damaged(path, "it contains a file that does not belong in a backup")
        if name not in names:
            raise damaged(path, f"it lacks {name}")
        if size > (_LEDGER_BYTES if name == LEDGER else _SETTINGS_BYTES):
            raise damaged(path, f"{name} is too large")
    if LEDGER not in manifest.files:
        raise damaged(path, f"it lacks {LEDGER}")
    return manifest


def belongs(name: str) -> bool:
    """Whether a backup can have a file of this name, and a restore writes it."""
    return (
        _NAME.fullmatch(name) is not None
        and name.isprintable()
        and len(name.encode()) <= _LONGEST_NAME
    )


def _pieces(path: Path, archive: zipfile.ZipFile, name: str, size: int) -> Iterator[bytes]:
    """The contents of a file of this size. `zipfile` reads no more than the archive says it has."""
    info = archive.getinfo(name)
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
        raise damaged(path, f"{name} is encrypted, or packed in an unusual way")
    read = 0
    if info.file_size == size:
        with archive.open(info) as member:
            while piece := member.read(_PIECE):
                read += len(piece)
                yield piece
    if read != size:
        raise damaged(path, f"{name} has another size")


def _write(target: Path, pieces: Iterator[bytes]) -> None:
    with storing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("xb")
    with file:
        for piece in pieces:
            with storing(target):
                file.write(piece)
                file.flush()


@contextmanager
def storing(what: str | Path) -> Iterator[None]:
    """Raises BackupStorageError, about `what`, for errors of the disk that is written to."""
    try:
        yield
    except BackupStorageError as error:
        raise BackupStorageError(what, error.error) from None
    except OSError as error:
        raise BackupStorageError(what, error) from None


def damaged(path: Path, reason: str) -> BackupError:
    """The error for a damaged backup, or for a damaged file in one."""
    return BackupError(f"{path} is damaged ({reason}). Use another backup.")


def copy_from(source: Path, target: Path) -> None:
    """Copies a regular file. Raises BackupError if it cannot be read, OSError for the copy."""
    with reading(source), open_regular(source) as file:
        content = file.read()
    target.write_bytes(content)


@contextmanager
def reading(source: Path) -> Iterator[None]:
    """Raises BackupError for a file that cannot be read."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{source} cannot be read: {os_reason(error)}.") from None


def unused(folder: Path, name: str, suffix: str = "") -> Path:
    """A path that nothing has: the name, or the name with a number."""
    target, number = folder / f"{name}{suffix}", 1
    while target.exists():
        number += 1
        target = folder / f"{name}-{number}{suffix}"
    return target


def move_into_place(made: Path, target: Path, *, replace: bool) -> None:
    """Gives a finished file its name, durably. Raises BackupError if the name is taken."""
    # The caller holds the working folder, so nobody else can create the file meanwhile.
    if target.exists() and not replace:
        raise BackupError(f"{target} exists already. Choose another name.")
    made.replace(target)
    sync(target.parent)
