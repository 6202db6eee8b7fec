"""Sockets of a Pico W: as on the board, those that do not wait raise EAGAIN."""

from __future__ import annotations

import socket as real

from tests.firmware.fakes.wifi import Radio
from tests.firmware.fakes.world import HERE


class Socket:
    def __init__(self, under: real.socket) -> None:
        self._under = under

    def setsockopt(self, level: int, name: int, value: int) -> None:
        self._under.setsockopt(level, name, value)

    def settimeout(self, seconds: float) -> None:
        self._under.settimeout(seconds)

    def bind(self, address: tuple[str, int]) -> None:
        # Port 0 stands for a free one, which the file tells the test.
        self._under.bind(("127.0.0.1", address[1]))
        HERE.port.with_name("tcp_port").write_text(str(self._under.getsockname()[1]))

    def listen(self, backlog: int) -> None:
        self._under.listen(backlog)

    def accept(self) -> tuple[Socket, tuple[str, int]]:
        HERE.wait()
        socket, address = self._under.accept()
        return Socket(socket), address

    def recv_into(self, buffer: bytearray, size: int = 0) -> int:
        return self._under.recv_into(buffer, size)

    def send(self, data: bytes) -> int:
        return self._under.send(data)

    def close(self) -> None:
        self._under.close()


class SocketPool:
    AF_INET = real.AF_INET
    SOCK_STREAM = real.SOCK_STREAM
    SOL_SOCKET = real.SOL_SOCKET
    SO_REUSEADDR = real.SO_REUSEADDR

    def __init__(self, radio: Radio) -> None:
        assert radio.connected

    def socket(self, family: int, kind: int) -> Socket:
        return Socket(real.socket(family, kind))
