"""The bytes that the real NeoPixel libraries send for a frame, their order, and their errors."""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from pochboard.boards.gpio.strip import Strip
from pochboard.config import ColourOrder, Gpio
from pochboard.lights.frame import Frame, estimate_ma
from pochboard.lights.lights_config import LightsConfig
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.boards.gpio_rig import GpioRig
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.server_kit import wait_until
from tests.shell.test_table import RESOLVE

FRAME: Frame = bytes([1, 2, 3, 250, 128, 0, 7, 7, 7])
"""Three pixels: each colour another value, bright, and grey."""


def ordered(frame: Frame, order: str, white: bytes = b"") -> bytes:
    """The bytes of a frame in the order in which its pixels want their colours."""
    out = b""
    for at in range(0, len(frame), 3):
        colour = dict(zip("RGB", frame[at : at + 3], strict=True))
        out += bytes(colour[letter] for letter in order) + white
    return out


@pytest.mark.parametrize("order", ["".join(letters) for letters in itertools.permutations("RGB")])
@pytest.mark.parametrize(("kind", "white"), [("rgb", b""), ("rgbw", b"\0")])
def test_pixels_get_their_colours_in_their_order(
    order: Any, kind: Any, white: bytes, sent: list[bytes]
) -> None:
    strip = Strip(Gpio(order=order, kind=kind), 3)
    strip.write(FRAME)
    strip.write(bytes(9))
    strip.close()
    assert sent == [ordered(FRAME, order, white), ordered(bytes(9), order, white)]


def read_spi(data: bytes) -> bytes:
    """The pixels' bytes out of an SPI stream: a byte a bit, long high for 1, short for 0."""
    bits = data.strip(b"\0")
    assert set(bits) <= {0b11000000, 0b11110000}
    assert len(bits) % 8 == 0
    text = "".join("1" if bit == 0b11110000 else "0" for bit in bits)
    return int(text, 2).to_bytes(len(bits) // 8, "big")


@pytest.mark.parametrize(("kind", "white"), [("rgb", b""), ("rgbw", b"\0")])
def test_over_spi_the_same_bytes_go_out(
    kind: Any, white: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from adafruit_blinka.microcontroller.generic_agnostic_board.spi import SPI

    data: list[bytes] = []
    monkeypatch.setattr(SPI, "write", lambda self, buffer, *_, **__: data.append(bytes(buffer)))
    strip = Strip(Gpio(driver="neopixel_spi", kind=kind), 3)
    strip.write(FRAME)
    strip.close()
    assert [read_spi(written) for written in data] == [ordered(FRAME, "GRB", white)]
    # 50 µs of silence end a frame, 6.4 MHz are 0.8 bytes a µs.
    assert data[0].endswith(bytes(round(50 * 0.8)))


def test_the_limit_is_the_last_word(sent: list[bytes]) -> None:
    rig = GpioRig(Gpio(order="BRG"))
    try:
        sink = FakeSink()
        rig.board.start(sink)
        rig.board.show(bytes([255, 255, 0]) * LOOK.pixels)
        wait_until("it is shown", lambda: any(rig.shown()[-1]))
        shown = rig.shown()[-1]
        ((red, green, blue),) = {shown[at : at + 3] for at in range(0, len(shown), 3)}
        assert (red, blue) == (green, 0)
        # As bright as it may be: one step more in each colour would be too much.
        assert estimate_ma(shown) <= LOOK.limit_ma
        assert estimate_ma(bytes([red + 2, green + 2, 0]) * LOOK.pixels) > LOOK.limit_ma
    finally:
        rig.board.close()
        rig.close()


# Blinka's driver of a Pi 3 or 4, over a stand-in for the C library. That is as unforgiving.


class Crash(BaseException):
    """Stands for a broken pointer in C, or for closing somebody else's file."""


class Ws281x(types.ModuleType):
    """The C extension `_rpi_ws281x`: what it sends, and what it must not be asked for."""

    WS2811_SUCCESS = 0
    WS2811_STRIP_RGB = 0x100800
    SK6812_STRIP_RGBW = 0x18100800

    def __init__(self) -> None:
        super().__init__("_rpi_ws281x")
        self.set_up = 0
        """What the set-up of a strip returns, and what showing it does."""
        self.shows = 0
        self.frames: list[list[int]] = []
        self.open = 0

    def new_ws2811_t(self) -> Any:
        channels = [types.SimpleNamespace(leds=None) for _ in range(2)]
        return types.SimpleNamespace(device=False, channels=channels)

    def ws2811_channel_get(self, strip: Any, number: int) -> Any:
        return strip.channels[number]

    def __getattr__(self, name: str) -> Any:
        for start in ("ws2811_channel_t_", "ws2811_t_"):
            if name.startswith(start) and name.endswith("_set"):
                return lambda of, value: setattr(of, name[len(start) : -4], value)
            if name.startswith(start) and name.endswith("_get"):
                return lambda of: getattr(of, name[len(start) : -4])
        raise AttributeError(name)

    def ws2811_init(self, strip: Any) -> int:
        if not self.set_up:
            strip.device = True
            self.open += 1
            strip.channels[0].leds = [0] * strip.channels[0].count
        return self.set_up

    def ws2811_get_return_t_str(self, code: int) -> str:
        return {-13: "Unable to initialize SPI", -14: "SPI transfer error"}[code]

    def ws2811_led_set(self, channel: Any, number: int, value: int) -> None:
        if channel.leds is None:
            raise Crash("written through a null pointer")
        channel.leds[number] = value

    def ws2811_render(self, strip: Any) -> int:
        if not strip.device:
            raise Crash("shown without a device")
        if not self.shows:
            self.frames.append(list(strip.channels[0].leds))
        return self.shows

    def ws2811_fini(self, strip: Any) -> None:
        if not strip.device:
            raise Crash("file 0 closed")
        strip.device = False
        self.open -= 1

    def delete_ws2811_t(self, strip: Any) -> None:
        assert not strip.device


@pytest.fixture
def ws281x(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ws281x]:
    """The way from NeoPixel down to the C extension, as on a Pi."""
    import board
    import neopixel
    import neopixel_write

    extension = Ws281x()
    name = "adafruit_blinka.microcontroller.bcm283x.neopixel"
    monkeypatch.setitem(sys.modules, "_rpi_ws281x", extension)
    monkeypatch.delitem(sys.modules, name, raising=False)
    import adafruit_blinka.microcontroller.bcm283x.neopixel as driver

    monkeypatch.setattr(neopixel_write, "_neopixel", driver)
    assert neopixel.neopixel_write is neopixel_write.neopixel_write
    pin = types.SimpleNamespace(id=10)
    assert not hasattr(board, "D10")
    monkeypatch.setattr(board, "D10", pin, raising=False)
    yield extension
    driver.neopixel_cleanup()
    sys.modules.pop(name, None)
    assert extension.open == 0


def packed(frame: Frame) -> list[int]:
    """Pixels as the C library takes them. It sends the highest byte first."""
    data = ordered(frame, "GRB")
    return [int.from_bytes(data[at : at + 3], "big") for at in range(0, len(data), 3)]


def test_on_a_pi_the_c_library_gets_the_frame(ws281x: Ws281x) -> None:
    strip = Strip(Gpio(), 3)
    strip.write(FRAME)
    strip.write(bytes(9))
    assert ws281x.frames == [packed(FRAME), [0, 0, 0]]
    assert ws281x.open == 1
    strip.close()
    assert ws281x.open == 0


def test_a_set_up_that_failed_is_never_touched_again(ws281x: Ws281x) -> None:
    ws281x.set_up = -13
    for _ in range(3):
        strip = Strip(Gpio(), 3)
        with pytest.raises(RuntimeError, match="Unable to initialize SPI"):
            strip.write(FRAME)
        strip.close()
    ws281x.set_up = 0
    strip = Strip(Gpio(), 3)
    strip.write(FRAME)
    assert ws281x.frames == [packed(FRAME)]
    strip.close()


@pytest.mark.parametrize("worked", [0, 1])
def test_a_transfer_that_failed_is_set_up_again(ws281x: Ws281x, worked: int) -> None:
    strip = Strip(Gpio(), 3)
    for _ in range(worked):
        strip.write(FRAME)
    ws281x.shows = -14
    for _ in range(3):
        with pytest.raises(RuntimeError, match="SPI transfer error"):
            strip.write(FRAME)
        strip.close()
        # No more than one of its files is open, however often it fails.
        assert ws281x.open == 1
        strip = Strip(Gpio(), 3)
    ws281x.shows = 0
    strip.write(FRAME)
    strip.close()
    assert ws281x.frames == [packed(FRAME)] * (worked + 1)
    assert ws281x.open == 0


ORDERS: tuple[ColourOrder, ...] = get_args(ColourOrder)
LIT = {"R": "red", "G": "green", "B": "blue"}


@contextmanager
def board_of(
    folder: Path, gpio: Gpio, expected: ColourOrder, sent: list[bytes]
) -> Iterator[tuple[Table, Any]]:
    """A table whose board sends to pixels that expect another order, and what its pixels show."""
    strip = Strip(gpio, LightsConfig().pixels)
    with Store.open(folder / "ledger.db") as store:
        info = BoardInfo("gpio", link=True, simulated=False, order=gpio.order)
        table = Table(store, Setup(resolve=RESOLVE), info, strip.write)
        table.start()

        def looks() -> str:
            size = 4 if gpio.kind == "rgbw" else 3
            (pixel,) = {sent[-1][at : at + size] for at in range(0, len(sent[-1]), size)}
            if size == 4:
                assert pixel[3] == 0, "the white of the pixel stays dark"
            return LIT["".join(c for c in "RGB" if pixel[expected.index(c)])]

        try:
            yield table, looks
        finally:
            table.stop()
            strip.close()


@pytest.mark.parametrize("kind", ["rgb", "rgbw"])
@pytest.mark.parametrize(("order", "expected"), [*itertools.product(("GRB", "RGB"), ORDERS)])
def test_what_people_see_puts_the_colours_right_also_after_a_restart(
    tmp_path: Path, sent: list[bytes], kind: Any, order: ColourOrder, expected: ColourOrder
) -> None:
    gpio = Gpio(order=order, kind=kind)
    with board_of(tmp_path, gpio, expected, sent) as (table, looks):
        test = table.first_light
        test.answer("rest", "absent", frozenset())
        for colour in ("red", "green"):
            assert test.show() is None
            assert test.answer(colour, looks(), frozenset()) is None
        found = test.learnt()
        assert found == expected
        table.set_order(found)
        assert table.snapshot.settings.order == expected
    with board_of(tmp_path, gpio, expected, sent) as (table, looks):
        table.first_light.again("chain")
        for colour in ("red", "green"):
            table.first_light.show()
            assert looks() == colour
            table.first_light.answer(colour, colour, frozenset())
        table.first_light.leave()
        assert not any(sent[-1]), "the table is dark"
