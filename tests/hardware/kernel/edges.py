"""Prints what the board on the header reports, a line for each edge, until its input ends."""

import sys
from concurrent.futures import Future

import msgspec

from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.config import Gpio
from pochboard.errors import RefusedInput
from tests.shell.boards.kit import LOOK, FakeSink


class Printer(FakeSink):
    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        sys.stdout.write(f'["{button}", {str(down).lower()}, {at_us}]\n')
        sys.stdout.flush()
        return super().edge(button, down, at_us)


board = GpioBoard(msgspec.structs.replace(Gpio(), driver="neopixel_spi"), LOOK)
board.start(Printer())
sys.stdout.write("null\n")
sys.stdout.flush()
sys.stdin.read()
board.close()
