"""The program: connects the hardware to the logic (docs/BOARD.md 6).

It passes edges, received bytes and the time to the logic, and writes the results to the serial line
and the pixels. Only this module uses the hardware.
"""

import os
import time

import board
import busio
import chip
import digitalio
import keypad
import microcontroller
import neopixel_write
import pins
import pwmio
import supervisor
import usb_cdc
import version
from watchdog import WatchDogMode

from firmware.buzzer import Buzzer, Tone
from firmware.link import DEBOUNCE_MS, LIT, UNDO, Layout, Link
from firmware.oled import Bus, Oled
from firmware.selftest import SelfTest
from firmware.show import Show
from pochboard import ssd1306, wire

settings: object = None
try:
    import settings
except Exception as error:  # noqa: BLE001 - a user's file can fail in any way
    print("settings.py cannot be read, so the defaults apply:", error)

WATCHDOG_S = 8.0
STABLE_MS = 600_000
"""After this long without a crash, earlier ones no longer count."""


def setting(name: str, default: int, maximum: int) -> int:
    """A setting; the default if it is missing or not between 0 and the maximum."""
    value = getattr(settings, name, default)
    return value if isinstance(value, int) and 0 <= value <= maximum else default


def start_self_test() -> SelfTest | None:
    """The self-test, if `undo` is held; otherwise None."""
    if not chip.is_held(pins.BUTTONS[UNDO]):
        return None
    ring = setting("PIXELS_PER_RING", 12, 64)
    size, order = setting("BYTES_PER_PIXEL", 3, 4), chip.order()
    layout = Layout(ring, setting("PLACES", 8, 8), 65535, size, DEBOUNCE_MS, order)
    return SelfTest(layout, supervisor.ticks_ms())


def start_scanner(debounce_ms: int) -> keypad.Keys:
    """The scanner of the buttons, which runs in the background from now on.

    A contact counts once all scans over this many milliseconds have been equal.
    """
    interval_ms = min(5, max(1, debounce_ms // 2))
    scans = 1 + (debounce_ms + interval_ms - 1) // interval_ms
    return keypad.Keys(
        [getattr(board, name) for name in pins.BUTTONS],
        value_when_pressed=False,
        pull=True,
        # CircuitPython rounds it down to ticks of 1/1024 s.
        interval=(interval_ms + 0.5) / 1024,
        debounce_threshold=scans,
    )


class I2cBus(Bus):
    """The bus of the displays. Raises RuntimeError if nothing pulls its wires up."""

    def __init__(self) -> None:
        scl, sda = getattr(board, pins.DISPLAY_SCL), getattr(board, pins.DISPLAY_SDA)
        self._i2c = busio.I2C(scl, sda, frequency=400_000)
        self._i2c.try_lock()

    def displays(self) -> list[int]:
        """The addresses of the displays on it."""
        return [address for address in self._i2c.scan() if address in ssd1306.ADDRESSES]

    def writeto(self, address: int, buffer: bytes) -> None:
        """Writes to a device. Raises OSError if that does not answer."""
        self._i2c.writeto(address, buffer)


def find_displays() -> Oled | None:
    """The displays, if they are connected."""
    try:
        bus = I2cBus()
    except RuntimeError:
        return None
    addresses = bus.displays()
    return Oled(bus, addresses) if addresses else None


class PwmTone(Tone):
    """A piezo at a pin. Its volume is the part of each period for which the pin is high."""

    def __init__(self) -> None:
        self._pwm = pwmio.PWMOut(
            getattr(board, pins.PIEZO), duty_cycle=0, frequency=440, variable_frequency=True
        )

    def sound(self, hz: int, volume: int) -> None:
        """Sounds at this pitch until the next call; 0 Hz is silence."""
        self._pwm.duty_cycle = 0
        if hz:
            self._pwm.frequency = hz
            self._pwm.duty_cycle = wire.high_share(volume)


def describe_board(display: Oled | None, buzzer: Buzzer | None) -> tuple[int, ...]:
    """What the board tells the host about itself."""
    # The board cannot detect whether a piezo is connected.
    capabilities = (wire.DISPLAY if display else 0) | (wire.SOUND if buzzer else 0)
    major, minor, patch = version.VERSION
    chip_number = int.from_bytes(microcontroller.cpu.uid[:8], "big")
    ring, pixel_bytes = setting("PIXELS_PER_RING", 12, 64), setting("BYTES_PER_PIXEL", 3, 4)
    return major, minor, patch, capabilities, chip_number, ring, pixel_bytes


def read_buttons(keys: keypad.Keys, link: Link, test: SelfTest | None) -> None:
    """Passes the scanner's edges to the self-test or the link."""
    if keys.events.overflowed:
        keys.events.clear()
        # After a reset it reports the state of the buttons; the link ignores these reports.
        keys.reset()
        link.scanner_reset(supervisor.ticks_ms())
    handle = test.edge if test else link.edge
    while event := keys.events.get():
        handle(event.key_number, event.pressed, event.timestamp)


def start_watchdog() -> None:
    """Starts the watchdog, which restarts a board that hangs. It cannot be stopped again."""
    watchdog = microcontroller.watchdog
    if watchdog is not None and setting("WATCHDOG", True, True):
        watchdog.timeout = WATCHDOG_S
        watchdog.mode = WatchDogMode.RESET


def feed_watchdog() -> None:
    """Resets the timer of the watchdog, if it runs."""
    watchdog = microcontroller.watchdog
    if watchdog is not None and watchdog.mode is not None:
        watchdog.feed()


def draw_and_play(link: Link, display: Oled | None, buzzer: Buzzer | None, now: int) -> None:
    """Passes the host's pictures and tunes on, and continues their work."""
    lit = link.state == LIT
    if buzzer:
        if link.tune is not None:
            buzzer.take(link.tune)
            link.tune = None
        buzzer.step(now, lit=lit)
    if display:
        if link.picture is not None:
            display.take(link.picture)
            link.picture = None
        display.step(now, lit=lit)


def run(line: "usb_cdc.Serial") -> None:
    """The main loop."""
    pixels = digitalio.DigitalInOut(getattr(board, pins.PIXELS))
    pixels.switch_to_output(False)
    test = start_self_test()
    debounce_ms, order = DEBOUNCE_MS, chip.order()
    keys = start_scanner(debounce_ms)
    display = find_displays()
    buzzer = Buzzer(PwmTone()) if setting("PIEZO", False, True) else None
    boot = int.from_bytes(os.urandom(4), "little")
    link = Link(boot, describe_board(display, buzzer), supervisor.ticks_ms())
    show = Show(setting("LIMIT_MA", 3000, 65535))
    started, connected, has_watchdog, is_stable = supervisor.ticks_ms(), False, False, False

    while True:
        if line.connected != connected:
            connected = line.connected
            link.line_lost()
        if line.in_waiting:
            link.receive(line.read(line.in_waiting) or b"", supervisor.ticks_ms())
        if link.layout and link.layout.debounce_ms != debounce_ms:
            debounce_ms = link.layout.debounce_ms
            keys.deinit()
            keys = start_scanner(debounce_ms)
            link.scanner_reset(supervisor.ticks_ms())
        if link.layout and link.layout.order != order:
            order = link.layout.order
            chip.set_order(order)
        read_buttons(keys, link, test)
        # Read the clock after the edges: no edge may be newer than the line that reports it.
        now = supervisor.ticks_ms()
        link.tick(now)
        if connected and link.waiting():
            # The write is short if the buffer is full; the next iteration sends the rest.
            link.sent(line.write(link.waiting()) or 0)
        lit = link.state == LIT

        if test and (test.over or lit):
            test = None
        if test:
            light = show.next(LIT, test.layout, test.frame(now), now)
        else:
            light = show.next(link.state, link.layout, link.frame, now)
        if light is not None:
            neopixel_write.neopixel_write(pixels, light)
        draw_and_play(link, display, buzzer, now)

        if lit and not has_watchdog and not supervisor.runtime.serial_connected:
            # Only with a host, and not while someone uses the console.
            has_watchdog = True
            start_watchdog()
        feed_watchdog()
        if not is_stable and wire.ticks_between(started, now) >= STABLE_MS:
            is_stable = True
            chip.set_restarts(0)
        time.sleep(0.001)


def start() -> None:
    """Runs the board until it fails."""
    line = usb_cdc.data
    if line is None:
        print("The daemon's serial port does not exist yet: unplug the board and plug it in again.")
        return
    # Never block: a host that does not read must not stop the board.
    line.timeout = 0
    line.write_timeout = 0
    run(line)
