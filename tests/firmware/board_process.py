"""Runs the firmware, as installed on a drive, in a process with a real serial port.

The hardware is fake (tests/firmware/fakes). Use it as a context manager:

    with FirmwareBoard(tmp_path) as board:
        ... open board.port ...
        board.press("seat1")
        board.wait_pixels(lambda colours: any(colours))
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from pochboard.boards.pico.firmware_installer import write_firmware

ROOT = Path(__file__).parents[2]
BUTTONS = (
    *("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"),
    *(f"seat{place}" for place in range(1, 9)),
    *("next", "undo"),
)
"""The buttons, in the order of their pins GP0 to GP18."""
WAIT_S = 120.0
SILENCE_S = 6.0
"""How long this board waits to hear from its host: three times as long as a real one, so that it
does not give up on a host on a busy machine."""


class FirmwareBoard:
    """A connected board, with its own folder for all its files.

    `keypad` selects the scanner's behaviour ("9.1" is CircuitPython before 9.2.1), `safe_mode` the
    reasons for which the first starts are in safe mode, `silence_s` how long it waits for a word of
    its host, `displays` the addresses of its displays in hexadecimal.
    """

    def __init__(
        self,
        folder: Path,
        *,
        pixels: int = 116,
        pixel_bytes: int = 3,
        keypad: str = "",
        safe_mode: str = "",
        silence_s: float = SILENCE_S,
        displays: str = "",
    ) -> None:
        self.folder = folder / "board"
        self.drive = self.folder / "drive"
        self.port = self.folder / "port"
        """What the host opens. It is there while the board is plugged in and runs."""
        self.pixels_count = pixels
        self._pixel_bytes = pixel_bytes
        self._env = {
            "FAKE_KEYPAD": keypad,
            "FAKE_DISPLAYS": displays,
        }
        self._process: subprocess.Popen[str] | None = None
        self._strip = bytearray(pixels * pixel_bytes)
        self._frames = [self._seen()]
        self._read = 0
        self._orders = 0
        self.writes = 0
        """How often the pixels have been written to."""
        self.drive.mkdir(parents=True)
        (self.folder / "safe_mode").write_text(safe_mode)
        write_firmware(self.drive)
        self.change("firmware/link.py", "_SILENCE_MS = 2000", f"_SILENCE_MS = {silence_s:.0f}000")
        self.change("firmware/link.py", "_EDGE_MS = 2000", "_EDGE_MS = 60_000")

    def change(self, file: str, before: str, after: str) -> None:
        """Changes a line of a program on the drive."""
        program = self.drive / file
        text = program.read_text()
        assert text.count(before) == 1, f"{file} has no {before!r}"
        program.write_text(text.replace(before, after))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Power.

    def start(self, *held: str) -> None:
        """Switches it on, with these buttons held, and waits for its port."""
        env = os.environ | self._env | {"FAKE_BOARD": str(self.folder)}
        with (self.folder / "console").open("a") as console:
            self._process = subprocess.Popen(
                [sys.executable, "-u", "-m", "tests.firmware.fakes.power_on", self.drive],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=subprocess.STDOUT,
                text=True,
                env=env | {"FAKE_HELD": " ".join(map(_pin, held)), "PYTHONDONTWRITEBYTECODE": "1"},
            )
        self.wait_for(self.port.exists)

    def stop(self) -> None:
        """Switches it off. The pixels have their own supply and keep their light."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
        self.port.unlink(missing_ok=True)

    def restart(self, *held: str) -> None:
        """Switches it off and on again."""
        self.stop()
        self.start(*held)

    # The cable. The board keeps running, because it has its own supply.

    def unplug(self) -> None:
        """Pulls the cable; the port is gone when this returns."""
        self._order("unplug")
        self.wait_for(lambda: not self.port.exists())

    def replug(self) -> None:
        """Plugs it in again; the port is there when this returns."""
        self._order("plug")
        self.wait_for(self.port.exists)

    # Buttons.

    def press(self, button: str, *, bounces_ms: int = 0) -> None:
        """Presses a button; its contact may chatter for some milliseconds."""
        self._order("press", _pin(button), str(bounces_ms))

    def release(self, button: str, *, bounces_ms: int = 0) -> None:
        """Releases it."""
        self._order("release", _pin(button), str(bounces_ms))

    def tap(self, button: str, *, hold_s: float = 0.05) -> None:
        """A press and a release, and a rest as long after it."""
        self.press(button)
        self.rest(hold_s)
        self.release(button)
        self.rest(hold_s)

    def rest(self, for_s: float) -> None:
        """Delays the next order by this time. Returns at once."""
        self._order("pause", str(for_s))

    def wait_until_idle(self) -> None:
        """Waits until all orders given so far are carried out."""
        self._orders += 1
        answer = self.folder / "answer"
        self._order("answer", str(self._orders))
        self.wait_for(lambda: answer.exists() and answer.read_text() == str(self._orders))

    # Other events.

    def freeze(self) -> None:
        """Stops the program until `thaw`; buttons are still scanned."""
        self._order("freeze")

    def thaw(self) -> None:
        """Lets it continue, once all earlier orders are carried out."""
        self._order("thaw")

    def open_console(self) -> None:
        """Somebody opens the console."""
        self._order("console", "open")

    # Lights, display and sound.

    @property
    def colours(self) -> bytes:
        """The light of the pixels now: red, green, blue of each."""
        self._take_in()
        return self._frames[-1]

    @property
    def frames(self) -> list[bytes]:
        """The light after each write to the pixels, as `colours`, and that before the first."""
        self._take_in()
        return list(self._frames)

    @property
    def whites(self) -> bytes:
        """The white light of pixels that have it."""
        self._take_in()
        return bytes(self._strip[3::4]) if self._pixel_bytes == 4 else b""

    def wait_pixels(self, wanted: Callable[[bytes], bool]) -> bytes:
        """Waits until the light is as wanted."""
        self.wait_for(lambda: wanted(self.colours))
        return self.colours

    def screen(self, address: int = 0x3C) -> bytes:
        """What somebody sees on a display; dark before anything was written to it."""
        seen = self.folder / f"display{address:x}"
        return seen.read_bytes() if seen.exists() else bytes(1024)

    def contrast(self, address: int = 0x3C) -> int:
        """How bright the lit pixels of a display are."""
        (told,) = (self.folder / f"contrast{address:x}").read_bytes()
        return told

    def sounds(self) -> list[int]:
        """The pitches of the piezo in order; 0 when it falls silent."""
        heard = self.folder / "sounds"
        return [int(hz) for hz in heard.read_text().split()] if heard.exists() else []

    def unplug_display(self, gone: bool) -> None:
        """The plug of the displays comes loose, or is put in again."""
        mark = self.folder / "display_unplugged"
        mark.touch() if gone else mark.unlink()

    # For tests.

    @property
    def console(self) -> str:
        """The output on its console."""
        return (self.folder / "console").read_text()

    @property
    def identity(self) -> str:
        """Manufacturer and product, as USB tells them."""
        return (self.folder / "identity").read_text()

    @property
    def shows_drive(self) -> bool:
        """Whether a computer sees the drive."""
        return (self.folder / "shows_drive").read_text() == "True"

    def wait_for(self, true: Callable[[], bool]) -> None:
        """Waits until it is true; fails with the console's last words."""
        deadline = time.monotonic() + WAIT_S
        while not true():
            process = self._process
            assert process is None or process.poll() is None, f"it has ended: {self.console}"
            assert time.monotonic() < deadline, f"not within {WAIT_S} s: {self.console[-2000:]}"
            time.sleep(0.005)

    def _order(self, *words: str) -> None:
        assert self._process is not None, "the board is switched off"
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(words) + "\n")
        self._process.stdin.flush()

    def _seen(self) -> bytes:
        """Red, green, blue of each pixel, which gets green first."""
        strip, size = self._strip, self._pixel_bytes
        out = bytearray(3 * self.pixels_count)
        out[0::3], out[1::3], out[2::3] = strip[1::size], strip[0::size], strip[2::size]
        return bytes(out)

    def _take_in(self) -> None:
        log = self.folder / "pixels"
        if not log.exists():
            return
        with log.open("rb") as file:
            file.seek(self._read)
            whole = file.read().rpartition(b"\n")[0]
        self._read += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            data = bytes.fromhex(line.split()[1].decode())[: len(self._strip)]
            # Further down the chain the pixels keep what they show.
            self._strip[: len(data)] = data
            self._frames.append(self._seen())
            self.writes += 1


def _pin(button: str) -> str:
    return f"GP{BUTTONS.index(button)}"
