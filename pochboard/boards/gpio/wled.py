"""Pixels on an ESP32 with WLED: frames over DDP (UDP), set up through WLED's JSON API.

The Distributed Display Protocol sends at most 1440 bytes of colours in a packet; the last packet of
a frame has the flag PUSH. WLED shows such frames until none has arrived for 2.5 s, and then returns
to its own state. This program sets that state to off, so the pixels turn dark whatever happens to
it.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import select
import socket
import struct
import time
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pochboard.config import Wled
from pochboard.lights.frame import Frame
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import lazy_gettext

_VERSION_1: Final = 0x40
_PUSH: Final = 0x01
_RGB_8_BIT: Final = 0x0B
_DISPLAY: Final = 1
_HEADER: Final = ">BBBBIH"
_MOST_BYTES: Final = 1440
_UNNUMBERED: Final = 0
"""Frames have no sequence number: WLED would drop the first ones of the next daemon as outdated."""
_HTTP_S: Final = 2.0
"""How long connecting may take, and then the whole answer."""
_MOST_ANSWER: Final = 65_536
_LOOK_S: Final = 2.0
"""How often to check for WLED, and how long that may take: UDP does not confirm frames."""
_BYES: Final = 3
# With brightness 255 and then off, WLED shows frames at full brightness, and is dark without them.
_STATE: Final = {"on": False, "bri": 255, "transition": 0}


class _Leds(msgspec.Struct):
    count: Annotated[int, Meta(ge=0)]


class _Info(msgspec.Struct):
    """What is read of WLED's /json/info."""

    leds: _Leds


class UnreachableError(OSError):
    """WLED does not answer, which may change at any time."""


def packets(frame: Frame) -> list[bytes]:
    """The DDP packets of a frame of red, green, blue."""
    out = []
    for at in range(0, len(frame), _MOST_BYTES):
        data = frame[at : at + _MOST_BYTES]
        flags = _VERSION_1 | (_PUSH if at + len(data) == len(frame) else 0)
        header = struct.pack(_HEADER, flags, _UNNUMBERED, _RGB_8_BIT, _DISPLAY, at, len(data))
        out.append(header + data)
    return out


class WledStrip:
    """The open pixels. Raises OSError, whose message is a sentence.

    After an exception from `write`, close the strip and make a new one. Brightness, gamma and
    power limit have already been applied to the frames. WLED knows the order of the colours.
    """

    refresh_s: Final = 0.25
    """How often to send a frame again: on a wireless network some packets are lost."""

    def __init__(self, wled: Wled, pixels: int) -> None:
        self._wled = wled
        self._pixels = pixels
        count = led_count(wled)
        if count < pixels:
            raise OSError(
                lazy_gettext(
                    "WLED at {host} is set up for {count} pixels, but the board has {pixels}:"
                    " correct the length in its LED preferences.",
                    host=wled.host,
                    count=count,
                    pixels=pixels,
                )
            )
        _request(wled, "POST", "/json/state", _STATE)
        self._address = _address_of(wled)
        self._looking: tuple[socket.socket, float] | None = None
        self._look_at_s = time.monotonic() + _LOOK_S
        self._line = socket.socket(self._address[0], socket.SOCK_DGRAM)
        try:
            self._line.setblocking(False)
            self._line.connect(self._address[1])
        except OSError:
            self._line.close()
            raise

    def write(self, frame: Frame) -> None:
        """Sends a frame."""
        try:
            for packet in packets(frame):
                # If the buffer is full, the newest frame follows soon anyway.
                with contextlib.suppress(BlockingIOError):
                    self._line.send(packet)
            self._look()
        except OSError as error:
            raise _unreachable(self._wled, error) from error

    def close(self) -> None:
        """Darkens the pixels and closes the socket. Raises nothing."""
        with contextlib.suppress(OSError):
            for _ in range(_BYES):
                for packet in packets(bytes(3 * self._pixels)):
                    self._line.send(packet)
        self._stop_looking()
        self._line.close()

    def _look(self) -> None:
        """Connects to WLED's web server now and then, without waiting for it. Raises OSError."""
        now_s = time.monotonic()
        if self._looking is None:
            if now_s < self._look_at_s:
                return
            probe = socket.socket(self._address[0], socket.SOCK_STREAM)
            self._looking = probe, now_s + _LOOK_S
            probe.setblocking(False)
            host, _, *more = self._address[1]
            probe.connect_ex((host, self._wled.http_port, *more))
        probe, until_s = self._looking
        _, writable, _ = select.select([], [probe], [], 0)
        if writable:
            number = probe.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            self._stop_looking()
            self._look_at_s = now_s + _LOOK_S
            if number:
                raise OSError(number, "its web server refuses connections")
        elif now_s >= until_s:
            raise TimeoutError("it does not take connections")

    def _stop_looking(self) -> None:
        if self._looking is not None:
            self._looking[0].close()
            self._looking = None


def led_count(wled: Wled) -> int:
    """For how many pixels WLED is set up. Raises UnreachableError."""
    try:
        return decode_json(_request(wled, "GET", "/json/info"), _Info).leds.count
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise _no_wled(wled) from None


def darken(wled: Wled, pixels: int) -> None:
    """Turns the pixels dark, without asking WLED anything. Raises OSError."""
    family, address = _address_of(wled)
    with socket.socket(family, socket.SOCK_DGRAM) as line:
        for packet in packets(bytes(3 * pixels)) * _BYES:
            line.sendto(packet, address)


def _address_of(wled: Wled) -> tuple[socket.AddressFamily, Any]:
    try:
        addresses = socket.getaddrinfo(wled.host, wled.port, type=socket.SOCK_DGRAM)
    except UnicodeError:
        raise _no_wled(wled) from None
    except OSError as error:
        raise _unreachable(wled, error) from error
    family, _, _, _, address = addresses[0]
    return family, address


class _Answer(io.RawIOBase):
    """What arrives on a connection until a deadline, after which reading raises TimeoutError."""

    def __init__(self, line: socket.socket, until_s: float) -> None:
        self._line = line
        self._until_s = until_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._line.settimeout(left_s)
        return self._line.recv_into(buffer)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """The answer as `HTTPResponse` asks a socket for it."""
        return io.BufferedReader(self)


def _request(wled: Wled, method: str, path: str, body: object = None) -> bytes:
    """The body of WLED's answer, up to `_MOST_ANSWER` bytes. Raises UnreachableError."""
    connection = http.client.HTTPConnection(wled.host, wled.http_port, timeout=_HTTP_S)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"})
        assert connection.sock is not None, "the request has been sent on it"
        # A time limit of the socket would begin again with each byte that trickles in.
        answer: Any = _Answer(connection.sock, time.monotonic() + _HTTP_S)
        response = http.client.HTTPResponse(answer, method=method)
        response.begin()
        return response.read(_MOST_ANSWER)
    except OSError as error:
        raise _unreachable(wled, error) from error
    except (ValueError, http.client.HTTPException):
        raise _no_wled(wled) from None
    finally:
        connection.close()


def _no_wled(wled: Wled) -> UnreachableError:
    return UnreachableError(lazy_gettext("The device at {host} does not run WLED.", host=wled.host))


def _unreachable(wled: Wled, error: OSError) -> UnreachableError:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return UnreachableError(
        lazy_gettext(
            "WLED at {host} does not answer ({reason}).", host=wled.host, reason=why.lower()
        )
    )
