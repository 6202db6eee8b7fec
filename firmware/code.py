"""The board: hands buttons, bytes and time to the logic, and its bytes to the line and the pixels.

All that touches hardware stands here (docs/BOARD.md 6), and next to nothing else.
"""

import os
import time
import traceback

import board
import digitalio
import keypad
import microcontroller
import neopixel_write
import pins
import supervisor
import usb_cdc
import version
from watchdog import WatchDogMode

from firmware.selftest import UNDO, SelfTest
from firmware.session import LIT, Layout, Session
from firmware.show import Show

settings: object = None
try:
    import settings
except Exception as error:  # noqa: BLE001 - whatever a person may have written there
    print("settings.py cannot be read; the usual settings hold:", error)

WATCHDOG_S = 8.0


def setting(name: str, usual: int, most: int) -> int:
    """A setting from 0 to `most`, or the usual one where it is none."""
    value = getattr(settings, name, usual)
    return value if isinstance(value, int) and 0 <= value <= most else usual


def is_held(name: str) -> bool:
    """Whether the button at a pin is down now. Nothing else may use the pin yet."""
    pin = digitalio.DigitalInOut(getattr(board, name))
    pin.switch_to_input(digitalio.Pull.UP)
    time.sleep(0.01)
    held = not pin.value
    pin.deinit()
    return held


def begin_test() -> SelfTest | None:
    """The self-test, where it is wanted."""
    if not is_held(pins.BUTTONS[UNDO]):
        return None
    ring = setting("PIXELS_PER_RING", 12, 64)
    layout = Layout(ring, setting("PLACES", 8, 8), 65535, setting("BYTES_PER_PIXEL", 3, 4))
    return SelfTest(layout, supervisor.ticks_ms())


def begin_scan() -> keypad.Keys:
    """The scanner of the buttons, which works in the background from now on."""
    return keypad.Keys(
        [getattr(board, name) for name in pins.BUTTONS],
        value_when_pressed=False,
        pull=True,
        interval=0.005,
        debounce_threshold=3,
    )


def read_buttons(keys: keypad.Keys, session: Session, test: SelfTest | None) -> None:
    """Hands on what the scanner has found."""
    if keys.events.overflowed:
        lost = len(keys.events) + 1
        keys.events.clear()
        # Whatever it then says of its own of what is held or not, the session passes over.
        keys.reset()
        session.scanner_lost(lost, supervisor.ticks_ms())
    take = test.edge if test else session.edge
    while event := keys.events.get():
        take(event.key_number, event.pressed, event.timestamp)


def guard() -> None:
    """Has the watchdog restart a board that hangs. Nothing can stop it once it runs."""
    watchdog = microcontroller.watchdog
    if watchdog is not None and setting("WATCHDOG", True, True):
        watchdog.timeout = WATCHDOG_S
        watchdog.mode = WatchDogMode.RESET


def feed() -> None:
    """Tells the watchdog, where it runs, that all is well."""
    watchdog = microcontroller.watchdog
    if watchdog is not None and watchdog.mode is not None:
        watchdog.feed()


def run(line: usb_cdc.Serial) -> None:
    """The board's life, until it is switched off."""
    # Else a host that does not read would stop the board for ever.
    line.timeout = 0
    line.write_timeout = 0
    pixels = digitalio.DigitalInOut(getattr(board, pins.PIXELS))
    pixels.switch_to_output(False)
    test = begin_test()
    keys = begin_scan()
    number = int.from_bytes(os.urandom(4), "little")
    session = Session(number, version.VERSION, supervisor.ticks_ms())
    show = Show(setting("LIMIT_MA", 3000, 65535))
    connected = guarded = False

    while True:
        if line.connected != connected:
            connected = line.connected
            session.line_lost()
        if line.in_waiting:
            session.receive(line.read(line.in_waiting) or b"", supervisor.ticks_ms())
        read_buttons(keys, session, test)
        # Read anew each time: no edge may be younger than the message that tells of it.
        now = supervisor.ticks_ms()
        session.tick(now)

        if test and (test.over or session.state == LIT):
            test = None
        if test:
            light = show.next(LIT, test.layout, test.frame(now), now)
        else:
            light = show.next(session.state, session.layout, session.frame, now)
        if light is not None:
            neopixel_write.neopixel_write(pixels, light)
        session.shown()

        if connected and session.waiting():
            # Short where the line's buffer is full; the rest goes in the next turn.
            session.sent(line.write(session.waiting()) or 0)

        if session.state == LIT and not guarded and not supervisor.runtime.serial_connected:
            # Not before a host is there, and not under somebody's hands at the console.
            guarded = True
            guard()
        feed()
        time.sleep(0.001)


# What is written to the drive must not restart the board in the middle of a night.
supervisor.runtime.autoreload = False
try:
    if usb_cdc.data is None:
        print("There is no line for the daemon yet: unplug the board and plug it in again.")
    else:
        run(usb_cdc.data)
except Exception as error:  # noqa: BLE001 - anything but a person's Ctrl-C at the console
    traceback.print_exception(error)
    time.sleep(2)
    supervisor.reload()
