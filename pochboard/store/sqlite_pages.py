"""The pages of a database, read without SQLite.

Source: the file format of SQLite, 1.3, "The Database Header", and 1.6, "B-tree Pages".
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
