"""The open line to a board: a serial port, or an encrypted TCP connection (PROTOCOL.md 7)."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import termios
from typing import Final, Protocol

import serial

from pochboard.boards.pico.ports import Port
from pochboard.secure_line import ForgedError, SecureLine

SPEED: Final = 115_200
"""Has no effect on USB, but opening a port requires one."""
CONNECT_S: Final = 2.0
"""How long connecting over the network may take."""
_CHUNK: Final = 4096


class Line(Protocol):
    """An open line that does not block. Raises OSError once the other end has gone."""

    def fileno(self) -> int:
        """The file descriptor, for `select`."""

    @property
    def is_ready(self) -> bool:
        """Whether it may take output at all."""

    @property
    def is_waiting(self) -> bool:
        """Whether output waits in the line itself until `write` is called again."""

    def read(self) -> bytes:
        """Received bytes; may be empty although the descriptor is readable."""

    def write(self, data: bytes) -> int:
        """Sends bytes; returns how many of them it has taken."""

    def discard_input(self) -> None:
        """Discards what has arrived and was not read."""

    def close(self) -> None:
        """Closes it. Raises nothing."""


def open_line(port: Port) -> Line:
    """The open line to a port. Raises OSError."""
    if port.is_network:
        return NetworkLine(port)
    return SerialLine(port.device)


class SerialLine:
    """A serial port."""

    is_ready: Final = True
    is_waiting: Final = False

    def __init__(self, device: str) -> None:
        self._port = serial.Serial(device, SPEED, timeout=0, write_timeout=0, exclusive=True)

    def fileno(self) -> int:
        """The file descriptor."""
        number = self._port.fileno()
        assert isinstance(number, int)
        return number

    def read(self) -> bytes:
        """Received bytes."""
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            raise OSError(errno.EIO, "the other end has closed the port")
        return data

    def write(self, data: bytes) -> int:
        """Sends bytes; returns how many the system has taken."""
        return os.write(self.fileno(), data)

    def discard_input(self) -> None:
        """Discards what the system has received."""
        termios.tcflush(self.fileno(), termios.TCIFLUSH)

    def close(self) -> None:
        """Closes the port, even one that has disappeared."""
        with contextlib.suppress(OSError):
            self._port.close()


class NetworkLine:
    """An encrypted connection to a board on Wi-Fi."""

    def __init__(self, port: Port) -> None:
        if not port.key:
            raise OSError(errno.EPROTO, "there is no key")
        host, _, number = port.device.rpartition(":")
        self._secure = SecureLine(bytes.fromhex(port.key), is_host=True, nonce=os.urandom(16))
        self._out = self._secure.opening
        try:
            self._socket = socket.create_connection((host.strip("[]"), int(number)), CONNECT_S)
        except UnicodeError:  # what Python's resolver raises for a name that cannot be one
            raise OSError(errno.EINVAL, "there is no such name") from None
        self._socket.setblocking(False)
        # Frames are small and urgent: do not wait to fill a packet.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def fileno(self) -> int:
        """The file descriptor."""
        return self._socket.fileno()

    @property
    def is_ready(self) -> bool:
        """Whether the board has opened its end, so that bytes can be encrypted for it."""
        return self._secure.is_open and not self._out

    @property
    def is_waiting(self) -> bool:
        """Whether encrypted bytes still wait to be sent."""
        return bool(self._out)

    def read(self) -> bytes:
        """Received and decrypted bytes."""
        data = self._socket.recv(_CHUNK)
        if not data:
            # A board closes the connection of somebody who does not have its key. One that has not
            # even sent its opening had no room.
            wrong_key = self._secure.is_open and not self._secure.is_proved
            number = errno.EPROTO if wrong_key else errno.ECONNRESET
            raise OSError(number, "the board has closed the connection")
        try:
            return self._secure.receive(data)
        except ForgedError as error:
            raise OSError(errno.EPROTO, str(error)) from None

    def write(self, data: bytes) -> int:
        """Sends bytes; takes all of them, or none unless it is ready."""
        self._send()
        if not self.is_ready or not data:
            return 0
        self._out = self._secure.seal(data)
        self._send()
        return len(data)

    def _send(self) -> None:
        if self._out:
            with contextlib.suppress(BlockingIOError):
                self._out = self._out[self._socket.send(self._out) :]

    def discard_input(self) -> None:
        """Reads and drops what has arrived, because decryption needs all of it."""
        while select.select([self._socket], [], [], 0)[0]:
            self.read()

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()
