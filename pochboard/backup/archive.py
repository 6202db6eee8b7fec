"""The backup file: a ZIP archive with a manifest, which any computer can open.

`manifest.json` comes first and lists every other file with its size and SHA-256. `ledger.db` is the
ledger, a SQLite database without a log; `config/config.toml` and `config/rulesets/*.toml` are the
configuration. The same contents, made at the same time, give the same bytes.

`zipfile` reads many kinds of archives, and raises whatever their decoders raise. A backup needs one
kind: members that are stored or deflated, one after another, and the list of them at the end. So
archives that anybody may have made are read here, in memory that does not depend on their contents.
Source: PKWARE's APPNOTE 6.3.10, 4.3 and 4.4.
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
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, BinaryIO, Final, NamedTuple

import msgspec

from pochboard import __version__
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


# Reading archives of others

_END: Final = struct.Struct("<4s4H2LH")
_LISTED: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_MOST_MEMBERS: Final = 1000
_MOST_LISTED_BYTES: Final = 1024 * 1024
_STORED: Final = 0
_DEFLATED: Final = 8
_ENCRYPTED: Final = 0x1
_SIZES_FOLLOW: Final = 0x8
"""The sizes stand behind the contents too, in 12 or 16 bytes."""
_UTF_8: Final = 0x800
_FLAGS: Final = 0x6 | _SIZES_FOLLOW | _UTF_8
"""Those that change nothing here; the first two bits say how hard a program has compressed."""
_PACKED_PIECE: Final = 64 * 1024


class BadArchiveError(ValueError):
    """Why an archive cannot be read, as a clause."""


class ForeignArchiveError(BadArchiveError):
    """It is not built as pochboard builds it, so another program has packed it, or damaged it."""


class NoArchiveError(BadArchiveError):
    """There is no end of an archive at the end of the file."""


class Member(NamedTuple):
    """A file in an archive."""

    name: str
    flags: int
    method: int
    crc: int
    packed: int
    """How many bytes it takes in the archive."""
    size: int
    """How many bytes it unpacks to."""
    start: int
    """Where its contents begin."""


def read_members(file: BinaryIO) -> list[Member]:
    """The members of an archive, in its order. Raises BadArchiveError."""
    length = file.seek(0, 2)
    file.seek(max(0, length - _END.size))
    end = file.read(_END.size)
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise NoArchiveError("it is cut off")
    _, disk, first_disk, here, count, size, offset, comment = _END.unpack(end)
    if (disk, first_disk, comment) != (0, 0, 0) or here != count:
        raise foreign()
    if offset + size + _END.size != length:
        raise foreign()
    if count > _MOST_MEMBERS or size > _MOST_LISTED_BYTES:
        raise ForeignArchiveError("it has more files than a backup")
    file.seek(offset)
    members = list(_listed(file, file.read(size), count))
    for member, following in zip(members, [*members[1:], None], strict=True):
        _require_end(member, offset if following is None else following[1])
    if members and members[0][1]:
        raise foreign()
    return [member for member, _ in members]


def _listed(file: BinaryIO, listing: bytes, count: int) -> Iterator[tuple[Member, int]]:
    """The members, and where each begins in the file."""
    at = 0
    for _ in range(count):
        if len(listing) < at + _LISTED.size:
            raise foreign()
        magic, _, _, flags, method, _, _, crc, packed, size, *lengths, attributes, begin = (
            _LISTED.unpack_from(listing, at)
        )
        of_name, of_extra, of_comment, disk, _ = lengths
        name = listing[at + _LISTED.size :][:of_name]
        at += _LISTED.size + of_name + of_extra + of_comment
        if magic != b"PK\x01\x02" or disk or of_comment or len(name) != of_name:
            raise foreign()
        _require_simple(flags, method, attributes >> 16)
        if method == _STORED and packed != size:
            raise foreign()
        member = Member(_member_name(name, flags), flags, method, crc, packed, size, 0)
        yield member._replace(start=_start(file, member, name, begin)), begin
    if at != len(listing):
        raise foreign()


def _require_simple(flags: int, method: int, mode: int) -> None:
    if flags & _ENCRYPTED:
        raise ForeignArchiveError("a file in it is encrypted")
    if method not in (_STORED, _DEFLATED):
        raise ForeignArchiveError("a file in it is compressed in an unusual way")
    if flags & ~_FLAGS or stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise foreign()


def _member_name(name: bytes, flags: int) -> str:
    try:
        return name.decode("utf-8" if flags & _UTF_8 else "ascii")
    except UnicodeDecodeError:
        raise foreign() from None


def _start(file: BinaryIO, member: Member, name: bytes, begin: int) -> int:
    """Where the contents begin, behind a header that repeats what the list says."""
    file.seek(begin)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size:
        raise foreign()
    magic, _, flags, method, _, _, crc, packed, size, of_name, of_extra = _LOCAL.unpack(header)
    sizes = (crc, packed, size)
    if (magic, flags, method) != (b"PK\x03\x04", member.flags, member.method):
        raise foreign()
    if sizes != (member.crc, member.packed, member.size) and not (
        flags & _SIZES_FOLLOW and sizes == (0, 0, 0)
    ):
        raise foreign()
    if file.read(of_name) != name:
        raise foreign()
    start: int = begin + _LOCAL.size + of_name + of_extra
    return start


def _require_end(member: tuple[Member, int], end: int) -> None:
    """Nothing may lie between a member and the next one, and none within another."""
    left = end - member[0].start - member[0].packed
    if left not in ((12, 16) if member[0].flags & _SIZES_FOLLOW else (0,)):
        raise foreign()


def unpacked(file: BinaryIO, member: Member) -> Iterator[bytes]:
    """The contents of a member in pieces, of its size in all. Raises BadArchiveError."""
    crc = size = 0
    for piece in _pieces(file, member):
        size += len(piece)
        if size > member.size:
            raise _other_size()
        crc = zlib.crc32(piece, crc)
        yield piece
    if size != member.size:
        raise _other_size()
    if crc != member.crc:
        raise BadArchiveError("the checksum of a file in it is wrong")


def _pieces(file: BinaryIO, member: Member) -> Iterator[bytes]:
    file.seek(member.start)
    left = member.packed
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    while left:
        packed = file.read(min(left, _PACKED_PIECE))
        if not packed:
            raise BadArchiveError("it is cut off")
        left -= len(packed)
        if member.method == _STORED:
            yield packed
            continue
        is_full = True
        while packed or is_full:
            try:
                piece = inflater.decompress(packed, _PACKED_PIECE)
            except zlib.error as error:
                raise BadArchiveError(str(error)) from None
            yield piece
            packed, is_full = inflater.unconsumed_tail, len(piece) == _PACKED_PIECE
    if member.method == _DEFLATED and (not inflater.eof or inflater.unused_data):
        raise _other_size()


def foreign() -> ForeignArchiveError:
    """The error for an archive that is not built as a backup is."""
    return ForeignArchiveError("it is not built as a backup is")


def _other_size() -> BadArchiveError:
    return BadArchiveError("a file in it has another size than it says")
