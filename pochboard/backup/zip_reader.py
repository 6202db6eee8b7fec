"""Reads ZIP archives that anybody may have made, in memory that does not depend on their contents.

`zipfile` reads many kinds of archives, and raises whatever their decoders raise. A backup needs one
kind: members that are stored or deflated, one after another, and the list of them at the end.
Source: PKWARE's APPNOTE 6.3.10, 4.3 and 4.4.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

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
_PIECE: Final = 64 * 1024


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
        member = Member(_decoded(name, flags), flags, method, crc, packed, size, 0)
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


def _decoded(name: bytes, flags: int) -> str:
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
        packed = file.read(min(left, _PIECE))
        if not packed:
            raise BadArchiveError("it is cut off")
        left -= len(packed)
        if member.method == _STORED:
            yield packed
            continue
        is_full = True
        while packed or is_full:
            try:
                piece = inflater.decompress(packed, _PIECE)
            except zlib.error as error:
                raise BadArchiveError(str(error)) from None
            yield piece
            packed, is_full = inflater.unconsumed_tail, len(piece) == _PIECE
    if member.method == _DEFLATED and (not inflater.eof or inflater.unused_data):
        raise _other_size()


def foreign() -> ForeignArchiveError:
    """The error for an archive that is not built as a backup is."""
    return ForeignArchiveError("it is not built as a backup is")


def _other_size() -> BadArchiveError:
    return BadArchiveError("a file in it has another size than it says")
