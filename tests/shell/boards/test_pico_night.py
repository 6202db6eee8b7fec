"""A whole night, pressed on the buttons of the real firmware, over a line with noise on it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pochboard.boards.pico.board import Pico
from pochboard.boards.pico.ports import Port
from pochboard.buttons.press import Times
from pochboard.rules.play import resolve_among
from pochboard.rules.ruleset import shipped_rulesets
from pochboard.sheets.lines import Press
from pochboard.store import Store
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.evening import Between, play_night
from tests.shell.boards.kit import LOOK
from tests.shell.boards.noisy_line import NoisyLine
from tests.shell.boards.pico_rig import LAYOUT
from tests.shell.server_kit import wait_until

NIGHT = "banker-presses"
FASTER = 4
"""The night's clock and all times of presses run so many times faster than on paper."""
LEAST_S = 0.04
"""A press is held at least so long: the scanner wants to see it three times."""
NOISE = 0.001


class Evening:
    """The table, the board at the other end of the line, and the clock on the wall."""

    def __init__(self, table: Table, firmware: FirmwareBoard, between: Between) -> None:
        self.table = table
        self.firmware = firmware
        self._between = between
        self._begin_s = time.monotonic()

    def until(self, at_us: int) -> None:
        """Waits until the sheet's clock is there; where we are late the rest is later too."""
        left_s = self._begin_s + at_us / 1_000_000 / FASTER - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)
        else:
            self._begin_s -= left_s

    def press(self, line: Press) -> list[str]:
        """Presses as a line says; the codes of what was refused."""
        self._between.refused.clear()
        self.until(line.at_us)
        for button in line.buttons:
            self._move(button, down=True)
        time.sleep(max(LEAST_S, line.for_us / 1_000_000 / FASTER))
        for button in line.buttons:
            self._move(button, down=False)
        return list(self._between.refused)

    def _move(self, button: str, *, down: bool) -> None:
        count = len(self._between.done)
        (self.firmware.press if down else self.firmware.release)(button, bounces_ms=3)
        wait_until("the table has heard of it", lambda: len(self._between.done) > count)
        assert self._between.done[count:] == [(button, down)]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    paper = msgspec.structs.asdict(Times())
    times = Times(**{name: us // FASTER for name, us in paper.items()})
    setup = Setup(resolve=resolve_among(shipped_rulesets()), times=times)
    firmware = FirmwareBoard(tmp_path)
    firmware.start()
    line = NoisyLine(firmware.port, tmp_path / "line", seed=1441)
    pico = Pico(LAYOUT, ports=lambda: [Port(str(line.port))])
    with Store.open(tmp_path / "ledger.db") as store:
        board = BoardInfo("pico", link=False, simulated=False)
        table = Table(store, setup, board, pico.show)
        table.start()
        between = Between(table)
        try:
            pico.start(between)
            wait_until("the link is up", lambda: table.snapshot.board.link)
            line.noise = NOISE
            yield Evening(table, firmware, between)
            assert line.spoiled > 10
            line.noise = 0.0
        finally:
            pico.close()
            table.stop()
            line.close()
        firmware.wait_pixels(lambda colours: colours == bytes(3 * LOOK.pixels))
        firmware.stop()


@pytest.mark.timeout(300)
def test_a_night_comes_out_as_the_sheet_says(evening: Evening) -> None:
    play_night(evening, NIGHT)
    # What the pixels show is what the table means them to show.
    evening.firmware.wait_pixels(lambda colours: colours == evening.table.frame)
