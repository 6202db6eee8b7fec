"""The board on a serial line: how long a press takes, and what noise does."""

from __future__ import annotations

import os
import pty
import queue
import select
import threading
import time
import tty
from pathlib import Path
from random import Random
from typing import Any

from pochboard import wire
from pochboard.boards.pico.link import Layout
from pochboard.boards.pico.pico import Pico
from pochboard.boards.pico.ports import Port
from pochboard.buttons.press import BUTTONS, PressTimes
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from tests.bench.press import Extras, presses_at_a_board, wait_for
from tests.bench.table import RESOLVE, Goal, Row, say, timed_store, times

LAYOUT = Layout(12, 8, 3000)
PIXELS = 116
SESSION = 7
_EDGE = wire.frame(wire.pack_edges(SESSION, 1, 1000, [(1, True, 1000)]))
_FRAME = wire.frame(wire.pack_pixels(1, bytes(range(1, 117)) * 3))
_STOP = b"stop"


class Board:
    """The other end of a pseudo-terminal: answers at once, and records when frames arrive."""

    def __init__(self, *, display: bool = False, sound: bool = False) -> None:
        self._line, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = Port(os.ttyname(self._slave))
        self.frames: list[float] = []
        self.bands = 0
        self.tunes = 0
        self._capabilities = wire.DISPLAY * display | wire.SOUND * sound
        self._edges: list[tuple[int, bool, int]] = []
        self._first = 1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="board")
        self._thread.start()

    def edge(self, button: str, down: bool) -> None:
        """A contact has moved: its message goes out."""
        now = round(time.monotonic() * 1000) % wire.TICKS
        edges = [(BUTTONS.index(button), down, now)]
        os.write(self._line, wire.frame(wire.pack_edges(SESSION, self._first, now, edges)))
        self._first += 1

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        os.close(self._line)
        os.close(self._slave)

    def _run(self) -> None:
        frames, due_s = wire.FrameDecoder(), 0.0
        while not self._over.is_set():
            readable, _, _ = select.select([self._line], [], [], 0.05)
            came_s = time.perf_counter()
            for message in frames.feed(os.read(self._line, 65_536)) if readable else []:
                self._answer(message, came_s)
            if time.monotonic() >= due_s:
                due_s = time.monotonic() + 0.25
                self._say(wire.pack(wire.ALIVE, SESSION, 0, 0, 0))

    def _answer(self, message: bytes, came_s: float) -> None:
        fields = wire.unpack(message)
        assert fields is not None
        if fields[0] == wire.HELLO:
            greeting = wire.VERSION, fields[2], SESSION, 0, 1, 0, 8, 584, 0
            self._say(wire.pack(wire.GREETING, *greeting, self._capabilities, 1, 0, 12, 3))
        elif fields[0] == wire.PIXELS:
            self.frames.append(came_s)
            self._say(wire.pack(wire.SHOWN, SESSION, fields[1]))
        elif fields[0] == wire.BAND:
            self.bands += 1
            self._say(wire.pack(wire.DONE, SESSION, fields[1]))
        elif fields[0] == wire.TUNE:
            self.tunes += 1
            self._say(wire.pack(wire.PLAYED, SESSION, fields[1]))

    def _say(self, message: bytes) -> None:
        os.write(self._line, wire.frame(message))


def press_over_the_line(
    folder: Path, presses: int, *, display: bool = False, sound: bool = False
) -> list[Row]:
    """From the bytes of a press on the line to those of the frame that follows its commit.

    With a display or sound, pictures and tunes change with every press and go over the same line.
    """
    say(f"{presses} presses over a serial line")
    opened, committed = timed_store(folder / f"line{display:d}{sound:d}.db")
    board = Board(display=display, sound=sound)
    pico = Pico(LAYOUT, ports=lambda: [board.port])
    table = Table(
        opened,
        Setup(RESOLVE, PressTimes()),
        BoardInfo("pico", link=False, simulated=False),
        pico.show,
    )
    table.start()
    try:
        with Extras(table, pico, display=display, sound=sound):
            pico.start(table)
            wait_for(lambda: pico.link)
            taken = presses_at_a_board(table, board.edge, board.frames, committed, presses)
        assert (bool(board.bands), bool(board.tunes)) == (display, sound)
    finally:
        pico.close()
        table.stop()
        opened.close()
        board.close()
    what = (
        "press on the line → stored → frame on it"
        + {
            (False, False): "",
            (True, False): ", with a display",
            (True, True): ", with a display and sound",
        }[display, sound]
    )
    beside = ("an echo of as many bytes through the same threads", echoes(presses))
    return [times(what, taken, beside=beside, goals=(Goal(1.5), Goal(8.0, "p99")))]


def echoes(count: int) -> list[float]:
    """Seconds from bytes on a line to others on it that come back through another thread.

    As in the daemon, one thread reads and writes the line, and one decides. Nothing is stored.
    """
    line, slave = pty.openpty()
    tty.setraw(slave)
    wake_read, wake_write = os.pipe()
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def decide() -> None:
        while asked.get():
            os.write(wake_write, b"!")

    def serve() -> None:
        while True:
            readable, _, _ = select.select([slave, wake_read], [], [])
            if wake_read in readable:
                os.read(wake_read, 1)
                os.write(slave, _FRAME)
            if slave in readable:
                got = os.read(slave, 4096)
                asked.put(b"" if got == _STOP else got)
                if got == _STOP:
                    return

    threads = [threading.Thread(target=decide), threading.Thread(target=serve)]
    for thread in threads:
        thread.start()
    taken = []
    try:
        for _ in range(count):
            time.sleep(0.005)
            begun, left = time.perf_counter(), len(_FRAME)
            os.write(line, _EDGE)
            while left:
                left -= len(os.read(line, left))
            taken.append(time.perf_counter() - begun)
    finally:
        os.write(line, _STOP)
        for thread in threads:
            thread.join()
        for descriptor in (line, slave, wake_read, wake_write):
            os.close(descriptor)
    return taken


class Nobody:
    """A sink for a board whose buttons nobody presses."""

    buttons = BUTTONS

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Any:
        raise AssertionError(f"nobody presses {button}")

    def edges_at_once(self, edges: Any, *, wanted: Any = None) -> Any:
        raise AssertionError(f"nobody presses {edges}")

    def known_down(self, button: str, until_us: int | None) -> Any:
        raise AssertionError(f"no client holds {button} until {until_us}")

    def release(self, button: str) -> None:
        raise AssertionError(f"no client holds {button}")

    def release_all(self) -> None:
        """Nothing is held."""

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        """Seen at the board itself."""


def thread_time_s(pico: Pico) -> float:
    """The processor time of the board's thread."""
    ident = pico._thread.ident
    assert ident is not None
    return time.clock_gettime(time.pthread_getcpuclockid(ident))


def corrupted_frames(count: int) -> list[Row]:
    """How many frames pass with one to four bytes changed, dropped, doubled or inserted.

    None may.
    """
    say(f"{count:,} corrupted frames")
    chance = Random(1441)
    kinds = [
        wire.pack(wire.BEAT, 0x1441AABB),
        wire.pack_edges(SESSION, 1, 1000, [(9, True, 990), (9, False, 999)]),
        wire.pack(wire.SEEN, SESSION, 2),
        wire.pack_pixels(7, chance.randbytes(3 * PIXELS)),
    ]
    sent = [wire.frame(message) for message in kinds]
    accepted = 0
    for number in range(count):
        whole = sent[number % len(sent)]
        spoiled = _spoil(whole[:-1], chance)
        if spoiled == whole[:-1]:
            continue
        accepted += len(wire.FrameDecoder().feed(spoiled + wire.END))
    return [Row("corrupted frames accepted", "", accepted, goals=(Goal(0.0),))]


def _spoil(frame: bytes, chance: Random) -> bytes:
    out = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(out))
        match chance.randrange(4):
            case 0:
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                del out[at]
            case 2:
                out.insert(at, out[at])
            case _:
                out.insert(at, chance.randrange(1, 256))
    return bytes(out)
