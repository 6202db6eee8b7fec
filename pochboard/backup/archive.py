"""The backup file: a ZIP archive with a manifest, which any computer can open.

`manifest.json` comes first and lists every other file with its size and SHA-256. `ledger.db` is the
ledger, a SQLite database without a log; `config/config.toml` and `config/rulesets/*.toml` are the
configuration. The same contents, made at the same time, give the same bytes.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, BinaryIO, Final

import msgspec

from pochboard import __version__
from pochboard.backup.zip_reader import (
    BadArchiveError,
    ForeignArchiveError,
    Member,
    NoArchiveError,
    foreign,
    read_members,
    unpacked,
)
from pochboard.errors import BackupError, BackupStorageError
from pochboard.store import open_regular, sync
from pochboard.text.decoding import check_depth
from pochboard.text.lazy import os_reason

MANIFEST: Final = "manifest.json"
LEDGER: Final = "ledger.db"
CONFIG: Final = "config/"
"""The prefix of configuration files in the archive."""
PARTIAL: Final = ".partial"
_MARK: Final = "made-by-pochboard"
"""The file in a working folder that shows whose it is."""
_FORMAT: Final = 1
_NAME: Final = re.compile(
    r"ledger\.db|config/config\.toml|config/rulesets/[^/\x00-\x1f.][^/\x00-\x1f]*\.toml"
)
_MANIFEST_BYTES: Final = 1024 * 1024
_SETTINGS_BYTES: Final = 1024 * 1024
"""The most bytes of a configuration file or ruleset."""
_LEDGER_BYTES: Final = 2**32 - 1
_LONGEST_NAME: Final = 240
"""The most bytes of a name, which the target disk must be able to store."""
_PIECE: Final = 1024 * 1024


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
_TimeMs = Annotated[int, msgspec.Meta(ge=-62_000_000_000_000, le=253_000_000_000_000)]
"""In the years 5 to 9987, so that it is a date in every time zone."""


class FileSum(msgspec.Struct, frozen=True):
    """Size and SHA-256 of a file."""

    bytes: _Count
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Version(msgspec.Struct):
    """The field that every version of a manifest has."""

    format: Annotated[int, msgspec.Meta(ge=1)]


class Manifest(msgspec.Struct, frozen=True):
    """The contents of a backup."""

    format: int
    pochboard: str
    """The version of the program that made it."""
    made_ms: _TimeMs
    """When, in milliseconds since 1970, UTC."""
    nights: _Count
    entries: _Count
    files: dict[str, FileSum]
    ledger: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    """The id of the ledger."""


@contextmanager
def working_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside `target`, in which to make it. Only one process can use it at a time.

    It first deletes what a killed process left there. A folder of this name that is not pochboard's
    is refused: it has a mark inside that nobody else makes. Raises BackupError, OSError.
    """
    folder = target.with_name(f".{target.name}{PARTIAL}")
    parent = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with closing_descriptor(parent), closing_descriptor(_opened(parent, folder)) as ours:
        try:
            fcntl.flock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"{target} is being written by another process.") from None
        if _names_in(ours) and not _is_marked(ours):
            raise _not_ours(folder)
        _empty(ours)
        try:
            os.close(os.open(_MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=ours))
            yield folder
        finally:
            _empty(ours)
            # Whatever has its name meanwhile and is not an empty folder stays.
            with contextlib.suppress(OSError):
                os.rmdir(folder.name, dir_fd=parent)


@contextmanager
def closing_descriptor(descriptor: int) -> Iterator[int]:
    """Closes a descriptor at the end."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _opened(parent: int, folder: Path) -> int:
    """The folder, which is made if needed, but not one that a link leads to."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder.name, 0o700, dir_fd=parent)
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(folder.name, flags, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _not_ours(folder) from None
        raise


def _is_marked(folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(_MARK, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _empty(folder: int) -> None:
    """Deletes everything in an open folder, and the mark last. Links are not followed."""
    for name in sorted(_names_in(folder), key=lambda name: name == _MARK):
        if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)


def _names_in(folder: int) -> list[str]:
    return os.listdir(folder)


def _not_ours(folder: Path) -> BackupError:
    return BackupError(
        f"{folder} is in the way, and pochboard did not make it. Rename it, and try again."
    )


def write_archive(
    path: Path,
    files: Mapping[str, Path],
    *,
    made_ms: int,
    nights: int,
    entries: int,
    ledger: str,
) -> Manifest:
    """Writes an archive of these files by their names in it, and waits until it is on the disk."""
    sums = {name: sum_of_file(file) for name, file in sorted(files.items())}
    manifest = Manifest(_FORMAT, __version__, made_ms, nights, entries, sums, ledger)
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
    with _opened_archive(path) as file:
        return _checked(path, file, into, most_bytes)


def read_manifest(path: Path) -> Manifest:
    """What a backup says about itself; the rest of it is not read. Raises BackupError."""
    with _opened_archive(path) as file:
        return _read_manifest(path, file, read_members(file))


@contextmanager
def _opened_archive(path: Path) -> Iterator[BinaryIO]:
    """An open backup. Raises BackupError for whatever is wrong with the file."""
    try:
        with open_regular(path) as file:
            yield file
    except FileNotFoundError:
        raise BackupError(f"There is no file {path}.") from None
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {os_reason(error)}.") from None
    except NoArchiveError:
        raise BackupError(f"{path} is not a backup, or it is cut off.") from None
    except ForeignArchiveError as error:
        raise BackupError(
            f"{path} was packed by another program, or is damaged ({error!s}). Use the"
            f" original file; or unpack it, and restore its {LEDGER} on the command line."
        ) from None
    except BadArchiveError as error:
        raise damaged(path, str(error)) from None


def _checked(path: Path, file: BinaryIO, into: Path | None, most_bytes: int | None) -> Manifest:
    members = read_members(file)
    manifest = _read_manifest(path, file, members)
    if most_bytes is not None and sum(member.size for member in members) > most_bytes:
        raise BackupError(
            f"{path} unpacks to more than {most_bytes // 1024**2} MB. Restore it on the"
            " command line."
        )
    for member in members[1:]:
        expected = manifest.files[member.name]
        if member.size != expected.bytes or expected.bytes > _most_bytes(member.name):
            raise damaged(path, f"{member.name} has another size")
        target = into / member.name if into else None
        if _read_member(file, member, target) != expected:
            raise damaged(path, f"{member.name} differs from the manifest")
    return manifest


def _most_bytes(name: str) -> int:
    return _LEDGER_BYTES if name == LEDGER else _SETTINGS_BYTES


def _read_manifest(path: Path, file: BinaryIO, members: Sequence[Member]) -> Manifest:
    if not members or members[0].name != MANIFEST:
        if any(re.split(r"[/\\]", member.name)[-1] == MANIFEST for member in members):
            raise foreign()
        raise BackupError(f"{path} is not a backup of pochboard: it has no {MANIFEST}.")
    manifest = _decoded(path, file, members[0])
    names = [member.name for member in members[1:]]
    if sorted(names) != sorted(manifest.files) or LEDGER not in manifest.files:
        raise ForeignArchiveError("its files are not those in the manifest")
    if not all(map(belongs, names)):
        raise damaged(path, "it contains a file that does not belong in a backup")
    return manifest


def _decoded(path: Path, file: BinaryIO, member: Member) -> Manifest:
    unreadable = damaged(path, f"its {MANIFEST} cannot be read")
    if member.size > _MANIFEST_BYTES:
        raise unreadable
    text = b"".join(unpacked(file, member))
    try:
        values = check_depth(json.loads(text, object_pairs_hook=_without_repetition))
        version = msgspec.convert(values, _Version).format
    except (ValueError, RecursionError):
        raise unreadable from None
    if version > _FORMAT:
        raise BackupError(f"{path} was made by a newer pochboard. Upgrade pochboard first.")
    try:
        return msgspec.convert(values, Manifest)
    except ValueError:
        raise unreadable from None


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON. Raises ValueError if a name stands in it twice.

    Programs disagree on which of the two counts.
    """
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError
    return values


def belongs(name: str) -> bool:
    """Whether a backup can have a file of this name, and a restore writes it."""
    return (
        _NAME.fullmatch(name) is not None
        and name.isprintable()
        and len(name.encode()) <= _LONGEST_NAME
    )


def _read_member(file: BinaryIO, member: Member, target: Path | None) -> FileSum:
    """Reads a file of the archive and returns its checksum."""
    digest = hashlib.sha256()
    with _output(target) as output:
        for piece in unpacked(file, member):
            digest.update(piece)
            if output:
                with _stored(output.name):
                    output.write(piece)
                    output.flush()
    return FileSum(member.size, digest.hexdigest())


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


def damaged(path: Path, reason: str) -> BackupError:
    """The error for a damaged backup, or for a damaged file in one."""
    return BackupError(f"{path} is damaged ({reason}). Use another backup.")


def copy_from(source: Path, target: Path) -> None:
    """Copies a regular file. Raises BackupError if it cannot be read, OSError for the copy."""
    with reading(source):
        file = open_regular(source)
    with file, target.open("xb") as copy:
        while True:
            with reading(source):
                piece = file.read(_PIECE)
            if not piece:
                return
            copy.write(piece)


@contextmanager
def reading(source: Path) -> Iterator[None]:
    """Raises BackupError for a file that cannot be read."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{source} cannot be read: {os_reason(error)}.") from None


def move_into_place(made: Path, target: Path, *, replace: bool) -> None:
    """Gives a finished file its name, durably. Raises BackupError if the name is taken."""
    # The caller holds the working folder, so nobody else can create the file meanwhile.
    if target.exists() and not replace:
        raise BackupError(f"{target} exists already. Choose another name.")
    made.replace(target)
    sync(target.parent)
