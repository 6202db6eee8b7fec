"""The surroundings of the fake hardware: pressed buttons, the cable, power.

Commands arrive on standard input, one per line; the pixels' bytes go to a file. A thread plays the
role of interrupts: it scans the buttons and transfers bytes while the firmware runs.
"""

from __future__ import annotations

import os
import pty
import select
import sys
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path
from random import Random


class World:
    """The one world of this process."""

    def __init__(self, folder: Path) -> None:
        self.port = folder / "port"
        self.pixels = folder / "pixels"
        self.console = False
        self.home = Path.cwd()
        """Where this process was started; the board's own folder is its drive."""
        self.shows_drive = True
        """Whether the computer sees the drive."""
        self.was_reset = bool(os.environ.get("FAKE_WAS_RESET"))
        """Whether the chip was reset, and not switched on."""
        self.levels = dict.fromkeys(os.environ.get("FAKE_HELD", "").split(), True)
        """Pins that a button closes to ground."""
        self.lock = threading.RLock()
        self.every_ms: list[Callable[[], None]] = []
        self.at_reload: list[Callable[[], None]] = []
        """Objects that end with the program that made them."""
        self.line: Line | None = None
        self.frozen = False
        """Whether the firmware is frozen: whatever it calls waits."""
        self.turns = 0
        """Milliseconds for which this process has run; fewer than have passed on a busy machine."""
        self._bounces: dict[str, tuple[int, bool]] = {}
        """For each bouncing pin, the turn in which it settles, and its level from then on."""
        # As on the board, the clock wraps 65 seconds after the start.
        self._ticks_at_0 = (1 << 29) - 65_000
        self._began_s = time.monotonic()
        self._chance = Random(0)

    def ticks_ms(self) -> int:
        self.wait()
        return self._ticks_now()

    def _ticks_now(self) -> int:
        passed = int((time.monotonic() - self._began_s) * 1000)
        return (self._ticks_at_0 + passed) % (1 << 29)

    scan_ticks = _ticks_now

    def wait(self) -> None:
        """Called wherever the firmware calls the hardware; waits there while it is frozen."""
        while self.frozen:
            time.sleep(0.002)

    def plug_in(self) -> None:
        """USB comes up: a port appears."""
        with self.lock:
            if self.line is None:
                self.line = Line(self.port)

    def unplug(self) -> None:
        """Pulls the cable; the board keeps running on its own supply."""
        with self.lock:
            if self.line is not None:
                self.line.close()
                self.line = None

    def show(self, data: bytes) -> None:
        """The pixels have received these bytes."""
        with self.pixels.open("a") as log:
            log.write(f"{self._ticks_now()} {data.hex()}\n")

    def let_go(self) -> None:
        """The program is run again: everything that it started ends, except the watchdog."""
        with self.lock:
            for end in self.at_reload:
                end()
            self.at_reload.clear()

    def start(self) -> None:
        threading.Thread(target=self._interrupts, daemon=True).start()
        threading.Thread(target=self._orders, daemon=True).start()

    def _interrupts(self) -> None:
        while True:
            with self.lock:
                self._bounce()
                for work in list(self.every_ms):
                    work()
                if self.line is not None:
                    self.line.carry()
            self.turns += 1
            time.sleep(0.001)

    def _bounce(self) -> None:
        for pin, (settles, closed) in list(self._bounces.items()):
            if self.turns >= settles:
                self.levels[pin] = closed
                del self._bounces[pin]
            else:
                self.levels[pin] = self._chance.random() < 0.5

    def _orders(self) -> None:
        for order in sys.stdin:
            self._do(*order.split())
        os._exit(0)

    def _do(self, verb: str, *words: str) -> None:
        if verb in {"press", "release"}:
            pin, bounces_ms = words[0], int(words[1])
            with self.lock:
                self._bounces[pin] = self.turns + bounces_ms, verb == "press"
            while pin in self._bounces:
                time.sleep(0.0005)
        elif verb == "answer":
            self.port.with_name("answer").write_text(words[0])
        elif verb == "unplug":
            self.unplug()
        elif verb == "plug":
            self.plug_in()
        elif verb == "freeze":
            self.frozen = True
        elif verb == "thaw":
            self.frozen = False
        elif verb == "console":
            self.console = words[0] == "open"
        elif verb == "pause":
            # So that a press is as long as it should be for the scanner too, on a busy machine.
            until = self.turns + int(float(words[0]) * 1000)
            time.sleep(float(words[0]))
            while self.turns < until:
                time.sleep(0.001)
        else:
            raise ValueError(verb)

    def reset(self) -> None:
        """The chip starts again: the port goes and comes back, the pixels keep their light."""
        self.unplug()
        os.environ["FAKE_WAS_RESET"] = "yes"
        os.chdir(self.home)
        os.environ["FAKE_HELD"] = " ".join(pin for pin, down in self.levels.items() if down)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


class Line:
    """The daemon's serial line on USB: a pseudo-terminal with TinyUSB's buffers before it."""

    BUFFER = 256
    PACKET = 64

    def __init__(self, port: Path) -> None:
        self._port = port
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        name = os.ttyname(slave)
        # With nobody at the other end the terminal hangs up, which is how DTR reads here.
        os.close(slave)
        os.set_blocking(self._master, False)
        self._poll = select.poll()
        self._poll.register(self._master, select.POLLIN)
        self.connected = False
        """Whether somebody was at the other end a millisecond ago."""
        self.incoming = bytearray()
        self.outgoing = bytearray()
        new = port.with_name("port.new")
        new.unlink(missing_ok=True)
        new.symlink_to(name)
        new.replace(port)

    def carry(self) -> None:
        """A millisecond's packets, each way."""
        events = self._events()
        # What the host wrote before it left has arrived, as on USB.
        for _ in range(8 if events & select.POLLIN else 0):
            room = self.BUFFER - len(self.incoming)
            if room < self.PACKET:
                break
            try:
                data = os.read(self._master, self.PACKET)
            except OSError:
                break
            if not data:
                break
            self.incoming += data
        # TinyUSB overwrites the oldest bytes while nobody listens; this board does not write then.
        while self.outgoing and self.connected:
            try:
                done = os.write(self._master, bytes(self.outgoing[: self.PACKET]))
            except OSError:
                return
            del self.outgoing[:done]
            self._events()

    def _events(self) -> int:
        """What the terminal reports now."""
        ((_, events),) = self._poll.poll(0) or [(self._master, 0)]
        self.connected = not events & select.POLLHUP
        return events

    def close(self) -> None:
        self._port.unlink(missing_ok=True)
        os.close(self._master)


HERE = World(Path(os.environ["FAKE_BOARD"]))
