"""The backup file: a ZIP archive with a manifest, which any computer can open.

`manifest.json` comes first and lists every other file with its size and SHA-256. `ledger.db` is the
ledger, a SQLite database without a log; `config/config.toml` and `config/rulesets/*.toml` are the
configuration. The same contents, made at the same time, give the same bytes.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec

from pochboard import __version__
from pochboard.decoding import decode_json
from pochboard.errors import BackupError, BackupStorageError
from pochboard.lazy_text import lazy_gettext, os_reason
from pochboard.store import sync

MANIFEST: Final = "manifest.json"
LEDGER: Final = "ledger.db"
CONFIG: Final = "config/"
"""The prefix of configuration files in the archive."""
PARTIAL: Final = ".partial"
_FORMAT: Final = 1
_NAME: Final = re.compile(
    r"ledger\.db|config/config\.toml|config/rulesets/[^/\x00-\x1f.][^/\x00-\x1f]*\.toml"
)
_MANIFEST_BYTES: Final = 1024 * 1024
_PIECE: Final = 1024 * 1024


class FileSum(msgspec.Struct, frozen=True):
    """Size and SHA-256 of a file."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """The contents of a backup."""

    format: int
    pochboard: str
    """The version of the program that made it."""
    made_ms: int
    """When, in milliseconds since 1970, UTC."""
    nights: int
    entries: int
    files: dict[str, FileSum]


@contextmanager
def working_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside `target`, in which to make it. Only one process can use it at a time.

    It first deletes what a killed process left there. Raises BackupError, OSError.
    """
    folder = target.with_name(f".{target.name}{PARTIAL}")
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(
                lazy_gettext("{target} is being written by another process.", target=target)
            ) from None
        _empty(folder)
        try:
            yield folder
        finally:
            if folder.exists():
                shutil.rmtree(folder)
    finally:
        os.close(descriptor)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def remove_leftovers(folder: Path) -> None:
    """Deletes the working folders of backups that were killed."""
    for left in folder.glob(f".*.zip{PARTIAL}"):
        with working_folder(left.with_name(left.name[1 : -len(PARTIAL)])):
            pass


def write_archive(
    path: Path, files: Mapping[str, Path], *, made_ms: int, nights: int, entries: int
) -> Manifest:
    """Writes an archive of these files by their names in it, and waits until it is on the disk."""
    sums = {name: sum_of_file(file) for name, file in sorted(files.items())}
    manifest = Manifest(_FORMAT, __version__, made_ms, nights, entries, sums)
    with path.open("xb") as output:
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            text = msgspec.json.format(msgspec.json.encode(manifest))
            archive.writestr(_member(MANIFEST), text)
            for name, file in sorted(files.items()):
                with file.open("rb") as source, archive.open(_member(name), "w") as member:
                    shutil.copyfileobj(source, member, _PIECE)
        output.flush()
        os.fsync(output.fileno())
        # The check that follows must read from the disk, not from the cache.
        os.posix_fadvise(output.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return manifest


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3
    member.external_attr = 0o600 << 16
    return member


def sum_of_file(path: Path) -> FileSum:
    """Size and SHA-256 of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return FileSum(file.tell(), digest.hexdigest())


def check_archive(
    path: Path, into: Path | None = None, *, most_bytes: int | None = None
) -> Manifest:
    """Checks every byte of an archive against its manifest, and unpacks it if `into` is a folder.

    Raises BackupError if it is damaged, is not a backup, or unpacks to more than `most_bytes`, and
    BackupStorageError if there is no room for the unpacked files.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _checked(path, archive, into, most_bytes)
    except BackupError:
        raise  # it is a ValueError too
    except FileNotFoundError:
        raise BackupError(lazy_gettext("There is no file {path}.", path=path)) from None
    except OSError as error:
        raise BackupError(
            lazy_gettext("{path} cannot be read: {reason}.", path=path, reason=os_reason(error))
        ) from None
    # zipfile or zlib raises each of these for damaged bytes.
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, zlib.error) as error:
        if not zipfile.is_zipfile(path):
            raise BackupError(
                lazy_gettext("{path} is not a backup, or it is cut off.", path=path)
            ) from None
        raise _damaged(path, str(error) or lazy_gettext("it is cut off")) from None


def _checked(
    path: Path, archive: zipfile.ZipFile, into: Path | None, most_bytes: int | None
) -> Manifest:
    manifest = _read_manifest(path, archive)
    unpacked = sum(one.bytes for one in manifest.files.values())
    if most_bytes is not None and unpacked > most_bytes:
        raise BackupError(
            lazy_gettext(
                "{path} unpacks to more than {most} MB. Restore it on the command line.",
                path=path,
                most=most_bytes // 1024**2,
            )
        )
    for name, expected in manifest.files.items():
        target = into / name if into else None
        if _read_member(archive, name, expected, target) != expected:
            raise _damaged(path, lazy_gettext("{name} differs from the manifest", name=name))
    return manifest


def _read_manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    names = archive.namelist()
    if not names or names[0] != MANIFEST:
        raise BackupError(
            lazy_gettext(
                "{path} is not a backup of pochboard: it has no {manifest}.",
                path=path,
                manifest=MANIFEST,
            )
        )
    with archive.open(MANIFEST) as member:
        text = member.read(_MANIFEST_BYTES)
    try:
        manifest = decode_json(text, Manifest)
    except msgspec.DecodeError:
        raise _damaged(
            path, lazy_gettext("its {manifest} cannot be read", manifest=MANIFEST)
        ) from None
    if manifest.format > _FORMAT:
        raise BackupError(
            lazy_gettext(
                "{path} was made by a newer pochboard. Upgrade pochboard first.", path=path
            )
        )
    if sorted(names[1:]) != sorted(manifest.files) or LEDGER not in manifest.files:
        raise _damaged(path, lazy_gettext("its files are not those in the manifest"))
    if not all(map(_NAME.fullmatch, manifest.files)):
        raise _damaged(path, lazy_gettext("it contains a file that does not belong in a backup"))
    return manifest


def _read_member(
    archive: zipfile.ZipFile, name: str, expected: FileSum, target: Path | None
) -> FileSum:
    """Reads a file of the archive, up to the size in the manifest, and returns its checksum."""
    digest, size = hashlib.sha256(), 0
    with archive.open(name) as member, _output(target) as output:
        while size <= expected.bytes and (piece := member.read(_PIECE)):
            size += len(piece)
            digest.update(piece)
            if output:
                with _stored(output.name):
                    output.write(piece)
                    output.flush()
    return FileSum(size, digest.hexdigest())


@contextmanager
def _output(target: Path | None) -> Iterator[IO[bytes] | None]:
    if target is None:
        yield None
        return
    with _stored(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("xb")
    with file:
        yield file


@contextmanager
def _stored(target: str | Path) -> Iterator[None]:
    """Raises BackupStorageError for errors of the target disk, unlike those of the archive."""
    try:
        yield
    except OSError as error:
        raise BackupStorageError(target, error) from None


def _damaged(path: Path, reason: str) -> BackupError:
    return BackupError(
        lazy_gettext("{path} is damaged ({reason}). Use another backup.", path=path, reason=reason)
    )


def move_into_place(made: Path, target: Path, *, replace: bool) -> None:
    """Gives a finished file its name, durably. Raises BackupError if the name is taken."""
    # The caller holds the working folder, so nobody else can create the file meanwhile.
    if target.exists() and not replace:
        raise BackupError(
            lazy_gettext("{target} exists already. Choose another name.", target=target)
        )
    made.replace(target)
    sync(target.parent)
