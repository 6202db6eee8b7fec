"""The host's end of a real serial port, for tests. It sends beats while it waits."""

from __future__ import annotations

import contextlib
import os
import select
import time
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Self

from pochboard import wire
from tests.firmware.host_side import BEAT, HOST, PIXELS, hello

WAIT_S = 120.0
_BEAT_S = 0.25
_SAY_S = 20.0


class HostLine:
    """An open port. `heard` has the board's messages, `edges` the recorded edges in order."""

    def __init__(self, port: Path) -> None:
        self._fd = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._fd)
        self._frames = wire.FrameDecoder()
        self._beat_s = 0.0
        self.beats = True
        self.heard: list[bytes] = []
        self.edges: list[tuple[int, bool]] = []
        """Of the newest session."""
        self.session = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    @property
    def errors(self) -> int:
        """How many damaged frames arrived."""
        return self._frames.errors

    def say(self, *messages: bytes) -> None:
        """Sends messages; those that the board has not read by the end are lost."""
        data = b"".join(map(wire.frame, messages))
        deadline = time.monotonic() + _SAY_S
        while data and time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._fd, data) :]

    def greet(self, **layout: int) -> tuple[int, ...]:
        """Says hello until a greeting names it; the greeting's fields."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            self.say(hello(**layout))
            self.read(0.25)
            for message in self.heard:
                fields = wire.unpack(message)
                if fields and fields[0] == wire.GREETING and fields[2] == HOST:
                    return fields
        raise AssertionError("no greeting")

    def show(self, colour: bytes, pixels: int = PIXELS) -> None:
        """Sends a frame of one colour, and again until it is shown."""
        number = len(self.heard) % 65535 + 1
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            self.say(wire.pack_pixels(number, colour * pixels))
            self.read(0.05)
            if wire.pack(wire.SHOWN, self.session, number) in self.heard:
                return
        raise AssertionError("never shown")

    def read(self, for_s: float = 0.0) -> None:
        """Receives messages for this long, sends beats, and records edges."""
        until = time.monotonic() + for_s
        while True:
            if self.beats and time.monotonic() - self._beat_s > _BEAT_S:
                self._beat_s = time.monotonic()
                self.say(BEAT)
            left = max(0.0, min(until - time.monotonic(), 0.05))
            if select.select([self._fd], [], [], left)[0]:
                for message in self._frames.feed(os.read(self._fd, 4096)):
                    self._take(message)
            if time.monotonic() >= until:
                return

    def read_until(self, true: Callable[[], bool]) -> None:
        """Receives messages until a condition is true."""
        deadline = time.monotonic() + WAIT_S
        while not true():
            assert time.monotonic() < deadline, f"not within {WAIT_S} s; edges: {self.edges}"
            self.read(0.02)

    def _take(self, message: bytes) -> None:
        self.heard.append(message)
        fields = wire.unpack(message)
        assert fields is not None
        session = fields[3] if fields[0] == wire.GREETING else fields[1]
        if session != self.session:
            self.session = session
            self.edges = []
        edges = wire.edges_of(message) if fields[0] == wire.EDGES else None
        if edges is not None:
            first = fields[2]
            assert first <= len(self.edges) + 1, "a gap cannot be"
            self.edges += [edge[:2] for edge in edges[len(self.edges) + 1 - first :]]
            self.say(wire.pack(wire.SEEN, session, len(self.edges)))

    @property
    def dropped(self) -> int:
        """The board's last count of dropped edges."""
        for message in reversed(self.heard):
            fields = wire.unpack(message)
            if fields and fields[0] in (wire.ALIVE, wire.GREETING):
                return fields[3 if fields[0] == wire.ALIVE else 9]
        return 0
