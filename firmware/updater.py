"""Receives a new firmware over the line, into the folder that is not in use (docs/PROTOCOL.md 6).

Each file is read back and compared with the checksum from the host. The folder counts as complete
once its last file is there.

Runs on CPython, MicroPython and CircuitPython.
"""

import os
from binascii import crc32

from pochboard import wire

_BLOCK = 512


class Updater:
    """The reception of one firmware. `last` is the file that makes its folder complete."""

    def __init__(self, folder: str, last: str) -> None:
        self.complete = False
        """Whether everything has been received, so that the new firmware can be tried."""
        self._folder = folder
        self._last = last
        self._stored: dict[str, tuple[int, int]] = {}
        self._name = ""
        self._about = 0, 0
        self._at = 0
        try:
            os.remove(folder + "/" + last)
        except OSError:
            pass  # there is none

    def handle(self, message: bytes) -> bytes | None:
        """The answer to a message of the host; None if it is of another kind."""
        fields = wire.unpack(message)
        if fields is None:
            return None
        try:
            if fields[0] == wire.FILE:
                return self._begin(wire.data_of(message).decode(), fields[1], fields[2])
            if fields[0] == wire.DATA:
                return self._take(fields[1], wire.data_of(message))
        except (OSError, ValueError) as error:
            print("The new firmware cannot be stored:", error)
            self._name = ""
            return wire.pack(wire.PROGRESS, wire.FAILED, 0)
        if fields[0] == wire.SWITCH:
            self.complete = len(self._stored) == fields[1] and self._last in self._stored
            return wire.pack(wire.PROGRESS, wire.STORED if self.complete else wire.FAILED, 0)
        return None

    def _begin(self, name: str, size: int, crc: int) -> bytes:
        about = size, crc
        if self._stored.get(name) == about:
            return wire.pack(wire.PROGRESS, wire.STORED, size)
        if (name, about) != (self._name, self._about):
            if ".." in name or name.startswith("/"):
                raise ValueError(name)
            self._stored.pop(name, None)
            self._name, self._about, self._at = name, about, 0
            self._make_folders()
            with open(self._folder + "/" + name, "wb"):
                pass
        return wire.pack(wire.PROGRESS, wire.READY, self._at)

    def _take(self, offset: int, data: bytes) -> bytes:
        name, (size, crc) = self._name, self._about
        if self._stored.get(name) == self._about:
            return wire.pack(wire.PROGRESS, wire.STORED, size)
        if not name:
            return wire.pack(wire.PROGRESS, wire.FAILED, 0)
        if offset == self._at:
            # Close the file after each block, so that a reset cannot leave one half written.
            with open(self._folder + "/" + name, "ab") as file:
                file.write(data)
            self._at += len(data)
        if self._at < size:
            return wire.pack(wire.PROGRESS, wire.READY, self._at)
        if checksum(self._folder + "/" + name) != (size, crc):
            self._name = ""
            return wire.pack(wire.PROGRESS, wire.FAILED, 0)
        self._stored[name] = self._about
        return wire.pack(wire.PROGRESS, wire.STORED, size)

    def _make_folders(self) -> None:
        path = self._folder
        for part in [""] + self._name.split("/")[:-1]:
            path += "/" + part if part else ""
            try:
                os.mkdir(path)
            except OSError:
                pass  # it exists; otherwise opening the file fails


def checksum(path: str) -> tuple[int, int]:
    """Size and CRC-32 of a file, as read from the drive."""
    size = crc = 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            size += len(block)
            crc = crc32(block, crc)
    return size, crc & 0xFFFFFFFF
