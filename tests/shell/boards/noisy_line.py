"""A line with noise on it, between the board's port and the one that the host opens."""

from __future__ import annotations

import os
import pty
import select
import termios
import threading
import tty
from pathlib import Path
from random import Random

from tests.core.wire.noise import spoil

CHUNK = 4096


class NoisyLine:
    """Carries bytes between two ports, and flips, doubles, inserts and drops some of them."""

    def __init__(self, board: Path, port: Path, seed: int) -> None:
        """`board` is the port that the board has; `port` will be what the host opens."""
        self.noise = 0.0
        self.cut = False
        """While true, nothing gets through, although both ports stay open."""
        self.port = port
        self.spoiled = 0
        """How often some of the carried bytes were corrupted."""
        self._random = Random(seed)
        self._board = os.open(board, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._board, termios.TCSANOW)
        self._host, self._slave = pty.openpty()
        tty.setraw(self._slave, termios.TCSANOW)
        port.symlink_to(os.ttyname(self._slave))
        self._over, self._tell = os.pipe()
        self._thread = threading.Thread(target=self._run, name="line")
        self._thread.start()

    def close(self) -> None:
        os.write(self._tell, b"!")
        self._thread.join()
        self.port.unlink()
        for end in (self._board, self._host, self._slave, self._over, self._tell):
            os.close(end)

    def _run(self) -> None:
        ways = {self._board: self._host, self._host: self._board}
        while True:
            readable, _, _ = select.select([*ways, self._over], [], [])
            if self._over in readable:
                return
            for end in readable:
                try:
                    data = os.read(end, CHUNK)
                except OSError:
                    return  # the board is gone
                if not data or self.cut:
                    continue
                spoiled = spoil(data, self.noise, self._random)
                self.spoiled += spoiled != data
                os.write(ways[end], spoiled)
