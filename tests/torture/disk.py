"""What a disk may hold after a power cut.

The model is harsher than most disks and file systems. Until a file is synced, each 512-byte sector
of each write may be present or missing, in any order. Where the file was extended, a missing sector
may hold zeros or anything else. Until a folder is synced, a file that was created, renamed or
deleted may still have, or lack, its old name. Syncing a file does not sync its name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Final, Literal, TypeVar

import msgspec

from tests.torture.shim import Operation

T = TypeVar("T")

SECTOR: Final = 512
Image = dict[str, bytes]
"""The files of a folder by name."""

Order = Literal["none", "all", "first", "any", "sectors"]


class _Write(msgspec.Struct, frozen=True):
    at: int
    data: bytes


class _Resize(msgspec.Struct, frozen=True):
    size: int


class _File(msgspec.Struct):
    durable: bytes
    pending: list[_Write | _Resize]


class _Name(msgspec.Struct, frozen=True):
    """A change of the folder: a name given to a file or, with None, taken from it."""

    changes: dict[str, int | None]


class Fate(msgspec.Struct, frozen=True):
    """What happens to operations that were not synced when the power failed."""

    data: Order
    names: Order
    kept: float = 0.5
    """The share of them that reaches the disk if the order is `any` or `sectors`."""
    noise: bool = False
    """Whether a lost sector of an extended file holds something other than zeros."""


ALL: Final = Fate("all", "all")
"""Everything reaches the disk, as when only the process is killed."""
NONE: Final = Fate("none", "none")
FIXED: Final = (ALL, NONE, Fate("all", "none"), Fate("none", "all"))


def random_fate(chance: Random) -> Fate:
    """A fate worth trying; most often operations reach the disk in any order."""
    data: tuple[Order, ...] = ("first", "any", "sectors", "sectors")
    names: tuple[Order, ...] = ("none", "all", "first", "any")
    return Fate(
        chance.choice(data),
        chance.choice(names),
        chance.choice((0.05, 0.3, 0.5, 0.7, 0.95)),
        chance.random() < 0.3,
    )


class Disk:
    """One folder on a disk, as the operations of a process change it."""

    def __init__(self, image: Mapping[str, bytes]) -> None:
        """Begins with files that are durable."""
        self._files = [_File(content, []) for content in image.values()]
        self._names = {name: number for number, name in enumerate(image)}
        self._durable_names = dict(self._names)
        self._pending_names: list[_Name] = []
        self._opened: dict[int, int | None] = {}
        """Files by descriptor; None is the folder."""
        self._live = [bytearray(content) for content in image.values()]

    def apply(self, operation: Operation) -> None:
        """The next operation of the process."""
        number = self._opened.get(operation.descriptor)
        match operation.what:
            case "o":
                self._open(operation)
            case "w":
                assert number is not None
                live, end = self._live[number], operation.at + len(operation.data)
                live.extend(bytes(max(0, end - len(live))))
                live[operation.at : end] = operation.data
                self._files[number].pending.append(_Write(operation.at, operation.data))
            case "t":
                assert number is not None
                self._resize(number, operation.at)
            case "s" if number is None:
                self._durable_names, self._pending_names = dict(self._names), []
            case "s":
                assert number is not None
                self._files[number] = _File(bytes(self._live[number]), [])
            case "u":
                self._rename({_name(operation.data): None})
            case "r":
                old, new = operation.data.split(b"\n")
                self._rename({_name(old): None, _name(new): self._names[_name(old)]})
            case "a":
                pass  # a mark
            case what:
                raise AssertionError(f"an unknown operation {what}")

    def _open(self, operation: Operation) -> None:
        name = _name(operation.data)
        if name not in self._names:
            if not operation.at & os.O_CREAT:
                self._opened[operation.descriptor] = None  # the folder itself
                return
            self._files.append(_File(b"", []))
            self._live.append(bytearray())
            self._rename({name: len(self._files) - 1})
        number = self._opened[operation.descriptor] = self._names[name]
        if operation.at & os.O_TRUNC:
            self._resize(number, 0)

    def _resize(self, number: int, size: int) -> None:
        live = self._live[number]
        del live[size:]
        live.extend(bytes(size - len(live)))
        self._files[number].pending.append(_Resize(size))

    def _rename(self, changes: dict[str, int | None]) -> None:
        _change(self._names, changes)
        self._pending_names.append(_Name(changes))

    def image(self, fate: Fate, chance: Random) -> Image:
        """What the disk holds if the power fails now."""
        names = dict(self._durable_names)
        for change in _survivors(self._pending_names, fate.names, fate.kept, chance):
            _change(names, change.changes)
        return {name: _content(self._files[number], fate, chance) for name, number in names.items()}


def _name(path: bytes) -> str:
    return path.rpartition(b"/")[2].decode()


def _change(names: dict[str, int], changes: Mapping[str, int | None]) -> None:
    for name, number in changes.items():
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number


def _survivors(pending: list[T], order: Order, kept: float, chance: Random) -> list[T]:
    match order:
        case "none":
            return []
        case "all":
            return pending
        case "first":
            return pending[: chance.randint(0, len(pending))]
        case "any" | "sectors":
            return [change for change in pending if chance.random() < kept]


def _content(file: _File, fate: Fate, chance: Random) -> bytes:
    if not file.pending or fate.data == "none":
        return file.durable
    content = bytearray(file.durable)
    if fate.data == "sectors":
        for one in file.pending:
            if isinstance(one, _Resize):
                if chance.random() < fate.kept:
                    _resize(content, one.size, fate, chance)
            else:
                for at, data in _sectors(one):
                    if chance.random() < fate.kept:
                        _put(content, at, data, fate, chance)
        return bytes(content)
    kept = _survivors(file.pending, fate.data, fate.kept, chance)
    for one in kept:
        if isinstance(one, _Resize):
            _resize(content, one.size, fate, chance)
        else:
            _put(content, one.at, one.data, fate, chance)
    if fate.data == "first" and len(kept) < len(file.pending):
        torn = file.pending[len(kept)]
        if isinstance(torn, _Write):
            for at, data in _sectors(torn)[: chance.randint(0, 3)]:
                _put(content, at, data, fate, chance)
    return bytes(content)


def _sectors(write: _Write) -> list[tuple[int, bytes]]:
    """A write in pieces that lie in one sector each."""
    end = write.at + len(write.data)
    borders = [write.at, *range(write.at - write.at % SECTOR + SECTOR, end, SECTOR), end]
    return [(low, write.data[low - write.at : high - write.at]) for low, high in pairwise(borders)]


def _put(content: bytearray, at: int, data: bytes, fate: Fate, chance: Random) -> None:
    if at > len(content):
        _resize(content, at, fate, chance)
    content[at : at + len(data)] = data


def _resize(content: bytearray, size: int, fate: Fate, chance: Random) -> None:
    missing = size - len(content)
    if missing > 0:
        content += chance.randbytes(missing) if fate.noise else bytes(missing)
    else:
        del content[size:]
