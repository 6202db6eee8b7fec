"""Builds the preloaded library of `shim.c`, and drives it from this process or from another."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntFlag
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self

SOURCE: Final = Path(__file__).with_name("shim.c")
BUILD: Final = Path(__file__).parents[2] / "build" / "torture"


class Kind(IntFlag):
    """Operations that can fail."""

    READ = 1
    WRITE = 2
    SYNC = 4
    TRUNCATE = 8
    OPEN = 16
    NAME = 32
    """Deleting and renaming."""


class File(IntFlag):
    """The files of a data folder."""

    LEDGER = 1
    LOG = 2
    SHARED = 4
    """The memory that readers share with the writer."""
    JOURNAL = 8
    FOLDER = 16
    OTHER = 32


ALL_KINDS: Final = Kind(63)
ALL_FILES: Final = File(63)
FOR_GOOD: Final = 2**32 - 1


@cache
def library() -> Path:
    """The compiled library; it is built when its source has changed."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "these tests need a C compiler: sudo apt install gcc libc6-dev"
    source = SOURCE.read_bytes()
    built = BUILD / f"shim-{hashlib.sha256(source).hexdigest()[:16]}.so"
    if not built.exists():
        BUILD.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:
            new = Path(folder) / built.name
            options = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
            subprocess.run([compiler, *options, "-o", new, SOURCE, "-ldl"], check=True)
            new.replace(built)
    return built


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A temporary folder in memory, where a sync costs nothing; its path has no links."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(os.path.realpath(name))


def kill_at(number: int) -> None:
    """Kills this process, in which the shim is preloaded, at its n-th change of a file from now."""
    ctypes.CDLL(None).torture_kill_at(ctypes.c_long(number))


class Operation(NamedTuple):
    """An operation that was recorded.

    The letter says which: o opened, w written, t truncated, s synced, u unlinked, r renamed, and a
    for a mark of `Recorder.mark`. `at` is an offset, a size, the flags of open, or the mark.
    """

    what: str
    descriptor: int
    at: int
    data: bytes


_HEAD: Final = struct.Struct("=ciqI")


class Recorder:
    """Records the operations of this process, which has to run with the shim preloaded."""

    def __init__(self, folder: Path) -> None:
        self._library = ctypes.CDLL(None)
        self._library.torture_take.restype = ctypes.c_size_t
        self._library.torture_folder(os.fsencode(os.path.realpath(folder)))
        self._marks = 0

    def __enter__(self) -> Self:
        self.take()
        self._library.torture_record(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._library.torture_record(0)

    def mark(self) -> None:
        """Records that a change has just been acknowledged."""
        self._marks += 1
        self._library.torture_mark(self._marks)

    def take(self) -> list[Operation]:
        """The operations since the last call."""
        data = ctypes.c_void_p()
        length = self._library.torture_take(ctypes.byref(data))
        return list(_operations(ctypes.string_at(data, length) if length else b""))


def _operations(trace: bytes) -> Iterator[Operation]:
    at = 0
    while at < len(trace):
        what, descriptor, number, length = _HEAD.unpack_from(trace, at)
        at += _HEAD.size
        yield Operation(what.decode(), descriptor, number, trace[at : at + length])
        at += length


CONTROL_BYTES: Final = 40
"""The size of the struct `control` of shim.c."""


def obey(folder: str, control: str) -> None:
    """Lets operations of this process below a folder fail, as a file of a `Control` says.

    The shim has to be preloaded. Without a call of this, it does what TORTURE_FOLDER and
    TORTURE_CONTROL say when the process is loaded.
    """
    library = ctypes.CDLL(None)
    library.torture_folder(os.fsencode(folder))
    library.torture_control(os.fsencode(control))


class Control:
    """The faults of a process that is started with `environment`, or of this one after `here`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(CONTROL_BYTES))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)

    def close(self) -> None:
        """Stops using it here."""
        self._memory.close()

    def environment(self, folder: Path) -> Mapping[str, str]:
        """The variables of a process whose operations below a folder can fail."""
        return {
            "LD_PRELOAD": str(library()),
            "TORTURE_FOLDER": os.path.realpath(folder),
            "TORTURE_CONTROL": str(self.path),
        }

    def here(self, folder: Path) -> None:
        """Applies the faults to this process, in which the shim is preloaded."""
        obey(os.path.realpath(folder), str(self.path))

    def fail(
        self,
        kinds: Kind,
        files: File,
        error: int,
        *,
        first: int = 1,
        last: int = FOR_GOOD,
        partial: bool = False,
    ) -> None:
        """Makes matching operations fail with this errno, from the `first` to the `last`.

        If the errno is 0, they wait until `heal`.
        """
        self._put(0, files, error, first, last, 0, 0, partial)
        self._put(kinds, files, error, first, last, 0, 0, partial)

    def heal(self) -> None:
        """Ends all faults."""
        struct.pack_into("=I", self._memory, 0, 0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pauses faults and counting for as long as the context lasts."""
        fields = self._fields()
        self._put(0, *fields[1:])
        try:
            yield
        finally:
            # Operations that other threads have counted meanwhile stay counted.
            struct.pack_into("=I", self._memory, 0, fields[0])

    @property
    def matched(self) -> int:
        """The number of operations since `fail` that could have failed."""
        return int(self._fields()[5])

    @property
    def failed(self) -> int:
        """The number of operations since `fail` that failed or waited."""
        return int(self._fields()[6])

    def shift_clock(self, seconds: float) -> None:
        """Shifts the process's time of day by this much; its other clocks are not affected."""
        struct.pack_into("=q", self._memory, 32, round(seconds * 1e9))

    def _fields(self) -> tuple[int, ...]:
        return struct.unpack_from("=8I", self._memory, 0)

    def _put(self, *fields: int) -> None:
        struct.pack_into("=8I", self._memory, 0, *fields)
