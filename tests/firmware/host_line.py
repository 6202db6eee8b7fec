"""The host's end of a real serial port, for tests. It sends its line while it waits."""

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
from pochboard.boards.pico.link import Firmware, Layout, Said, said_in

LINK, OTHER_LINK = 0x1441AABB, 0xF00DF00D
PIXELS = 116
WAIT_S = 120.0
_BEAT_S = 0.25
_SAY_S = 20.0


class HostLine:
    """An open port. `edges` has those since the link, in order, whatever was lost."""

    def __init__(self, port: Path) -> None:
        self._fd = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._fd)
        self._reader = wire.LineReader()
        self._beat_s = 0.0
        self.layout: Layout | None = None
        self.heard: list[Said] = []
        self.edges: list[tuple[int, bool]] = []
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    @property
    def errors(self) -> int:
        """How many damaged lines arrived."""
        return self._reader.errors

    @property
    def said(self) -> Said:
        """The board's newest line."""
        return self.heard[-1]

    def say(self, data: bytes) -> None:
        """Sends lines; what the board has not read by the end is lost."""
        deadline = time.monotonic() + _SAY_S
        while data and time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._fd, data) :]

    def greet(self, layout: Layout | None = None) -> Firmware:
        """Takes a link, and says so until the board knows it."""
        self.layout = layout or Layout(12, 8, 3000)
        self.read_until(lambda: bool(self.heard) and self.said.link == LINK)
        self.edges.clear()
        return self.said.firmware

    def show(self, board_shows: Callable[[], bool], frame: bytes) -> None:
        """Sends a frame until the board shows it."""
        self._number += 1
        deadline = time.monotonic() + WAIT_S
        while not board_shows():
            assert time.monotonic() < deadline, "never shown"
            self.say(wire.line(wire.pack(wire.PIXELS, self._number) + frame))
            self.read(0.05)

    def read(self, for_s: float = 0.0) -> None:
        """Receives lines for this long, and sends the host's own."""
        until = time.monotonic() + for_s
        while True:
            if self.layout and time.monotonic() - self._beat_s > _BEAT_S:
                self._beat_s = time.monotonic()
                self.say(self.layout.line(LINK))
            left = max(0.0, min(until - time.monotonic(), 0.05))
            if select.select([self._fd], [], [], left)[0]:
                for message in self._reader.feed(os.read(self._fd, 4096)):
                    self._take(message)
            if time.monotonic() >= until:
                return

    def read_until(self, true: Callable[[], bool]) -> None:
        """Receives lines until a condition is true."""
        deadline = time.monotonic() + WAIT_S
        while not true():
            assert time.monotonic() < deadline, f"not within {WAIT_S} s; edges: {self.edges}"
            self.read(0.02)

    def _take(self, message: bytes) -> None:
        said = said_in(message)
        assert said is not None, "the board sends nothing else"
        if self.heard and said.boot == self.said.boot:
            pressed = zip(said.presses, self.said.presses, strict=True)
            new = 2 * sum((now - before) % 256 for now, before in pressed)
            new += self.said.contacts.bit_count() - said.contacts.bit_count()
            assert new <= len(said.edges)
            self.edges += [edge[:2] for edge in said.edges[len(said.edges) - new :]]
        self.heard.append(said)
