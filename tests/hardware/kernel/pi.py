"""A Pi in the kernel of these tests: its pins, pixels and display, and a daemon or a board on it.

Only `boot` makes it so: gpio-sim is the chip of the header, header.ko the rest.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import threading
import time
import tty
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from pochboard.config import Gpio
from tests.firmware.board_process import FirmwareBoard

CONFIG: Final = Path("/sys/kernel/config/gpio-sim/pi")
DEBUG: Final = Path("/sys/kernel/debug/header")
PINS: Final[Mapping[str, int]] = msgspec.structs.asdict(Gpio().pins)
MODELS: Final = {
    "Pi 4": (0xC03111, "4 Model B Rev 1.1", "4-model-b:brcm,bcm2711"),
    "Zero 2 W": (0x902120, "Zero 2 W Rev 1.0", "model-zero-2-w:brcm,bcm2837"),
}  # fmt: skip


class Pi:
    """The hardware."""

    def __init__(self, model: str) -> None:
        revision, name, compatible = MODELS[model]
        module = Path(os.environ["PI_KERNEL"]) / "header.ko"
        run(
            "insmod", module, f'model="Raspberry Pi {name}"',
            f"compatible=raspberrypi,{compatible}", f"revision={revision}",
        )  # fmt: skip
        # rpi_ws281x looks here, where it is not built for ARM.
        Path("/run/cpuinfo").write_text(f"Revision\t: {revision:x}\n")
        run("mount", "--bind", "/run/cpuinfo", "/proc/cpuinfo")
        bank = CONFIG / "bank0"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text("58")
        # On all models but the first chips of gpio-sim the label decides which chip it is.
        (bank / "label").write_text(f"pinctrl-bcm{2711 if 'Pi 4' in model else 2835}")
        for number in range(28):
            line = bank / f"line{number}"
            line.mkdir()
            (line / "name").write_text(f"GPIO{number}")
        self.plug()

    def hog(self, number: int, user: str | None) -> None:
        """Has the kernel itself use a line, as a driver does."""
        self.unplug()
        hog = CONFIG / f"bank0/line{number}/hog"
        if user is None:
            hog.rmdir()
        else:
            hog.mkdir()
            (hog / "name").write_text(user)
            (hog / "direction").write_text("input")
        self.plug()

    def plug(self) -> None:
        (CONFIG / "live").write_text("1")
        (device,) = Path("/sys/devices/platform").glob("gpio-sim.*")
        (self.chip,) = device.glob("gpiochip*")
        for number in PINS.values():
            self.contact(number, closed=False)

    def unplug(self) -> None:
        (CONFIG / "live").write_text("0")

    def contact(self, number: int, *, closed: bool) -> None:
        pull = "pull-down" if closed else "pull-up"
        (self.chip / f"sim_gpio{number}/pull").write_text(pull)

    def press(self, *buttons: str, held_s: float = 0.1) -> None:
        for closed in (True, False):
            for button in buttons:
                self.contact(PINS[button], closed=closed)
            time.sleep(held_s if closed else 0.1)

    def pixels(self, driver: str) -> bytes:
        """What the newest message to the pixels says, byte by byte as it was sent."""
        stream = (DEBUG / "spi").read_bytes()
        if driver == "neopixel_spi":
            stream = stream.strip(b"\0")
            assert set(stream) <= {0xC0, 0xF0}
            ones = ["1" if byte == 0xF0 else "0" for byte in stream]
        else:  # rpi_ws281x sends three bits for each
            bits = "".join(f"{byte:08b}" for byte in stream)
            ones = []
            for at in range(0, len(bits) - 2, 3):
                if bits[at] == "0":
                    break
                ones.append({"110": "1", "100": "0"}[bits[at : at + 3]])
        return bytes(int("".join(ones[at : at + 8]), 2) for at in range(0, len(ones) - 7, 8))

    def close(self) -> None:
        self.unplug()
        for folder in (*(CONFIG / "bank0").glob("line*/hog"), *(CONFIG / "bank0").glob("line*")):
            folder.rmdir()
        (CONFIG / "bank0").rmdir()
        CONFIG.rmdir()
        run("umount", "/proc/cpuinfo")
        run("rmmod", "header")


def run(*words: str | Path) -> None:
    subprocess.run(words, check=True)


@contextmanager
def stalls(process: int, seed: int, most_s: float) -> Iterator[None]:
    """Meanwhile the process stands still again and again, for 50 ms to `most_s`, at random."""
    chance, over = random.Random(seed), threading.Event()

    def stall() -> None:
        while not over.wait(chance.uniform(0.05, 2)):
            os.kill(process, signal.SIGSTOP)
            time.sleep(0.05 * (most_s / 0.05) ** chance.random())
            os.kill(process, signal.SIGCONT)

    thread = threading.Thread(target=stall)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


GADGET: Final = Path("/sys/kernel/config/usb_gadget/pico")


class PicoOnUsb:
    """A USB device of the kernel, with the firmware behind its second port as behind a Pico's."""

    def __init__(self, board: FirmwareBoard) -> None:
        for name, value in {
            "idVendor": "0x239a", "idProduct": "0x80f4",
            "strings/0x409/manufacturer": "Raspberry Pi", "strings/0x409/product": "pochboard",
            "strings/0x409/serialnumber": "E6614C311B7D7A2F",
        }.items():  # fmt: skip
            (GADGET / name).parent.mkdir(parents=True, exist_ok=True)
            (GADGET / name).write_text(value)
        (GADGET / "configs/c.1").mkdir()
        for function in ("acm.0", "acm.1"):
            (GADGET / "functions" / function).mkdir()
            (GADGET / "configs/c.1" / function).symlink_to(GADGET / "functions" / function)
        self._board = board
        self._over = threading.Event()
        self.plug()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def plug(self) -> None:
        (GADGET / "UDC").write_text("dummy_udc.0")

    def unplug(self) -> None:
        (GADGET / "UDC").write_text("\n")

    def _run(self) -> None:
        while not self._over.wait(0.2):
            with ExitStack() as files, suppress(OSError):
                ends = [
                    os.open(port, os.O_RDWR | os.O_NOCTTY)
                    for port in ("/dev/ttyGS1", self._board.port)
                ]
                for end in ends:
                    files.callback(os.close, end)
                    tty.setraw(end)
                while not self._over.is_set():
                    for end in select.select(ends, [], [], 0.5)[0]:
                        data = os.read(end, 512)
                        if not data:
                            raise OSError("hung up")
                        os.write(ends[1 - ends.index(end)], data)

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self.unplug()
        for function in ("acm.0", "acm.1"):
            (GADGET / "configs/c.1" / function).unlink()
            (GADGET / "functions" / function).rmdir()
        for folder in ("configs/c.1", "strings/0x409", ""):
            (GADGET / folder).rmdir()
