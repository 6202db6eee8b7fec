"""A whole night, pressed on the buttons of the real firmware, over a line with noise on it.

The table runs on the clock of the sheet, the board and its line on that of the machine. So the
night takes as long as its presses need to be scanned and sent, however long they last on sink.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from pochboard.boards.pico.pico import Pico
from pochboard.boards.pico.ports import Port
from pochboard.errors import RefusedInput
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.runtime.threads import now_us
from pochboard.sheets import PressLine
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.evening import Between, SheetClock, play_night, sheet_clock
from tests.shell.boards.kit import LOOK
from tests.shell.boards.noisy_line import NoisyLine
from tests.shell.boards.pico_rig import LAYOUT, accept_late_edges
from tests.shell.server_kit import wait_until

NIGHT = "banker-presses"
NOISE = 0.001
SLACK_US = 2_000
"""How far the time of an edge may be off: clocks are compared in milliseconds, rounded."""


class OnSheetTime(Between):
    """Gives edges the time of the sheet, and records the board's own."""

    def __init__(self, table: Table, clock: SheetClock) -> None:
        super().__init__(table)
        self._clock = clock
        self.board_us: list[int] = []

        # What the line says of held buttons has the time of the machine.
        self.known_down = lambda button, until_us: table.known_down(button, 1 << 62)

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        assert at_us is not None, "the board says when an edge happened"
        self.board_us.append(at_us)
        return super().edge(button, down, self._clock.us)


class Evening:
    """The table, the board at the other end of the line, and the sheet's clock."""

    def __init__(
        self, table: Table, firmware: FirmwareBoard, between: OnSheetTime, clock: SheetClock
    ) -> None:
        self.table = table
        self.firmware = firmware
        self.until = clock.until
        self._between = between

    def press(self, line: PressLine) -> list[str]:
        """Presses as a line says; the codes of what was refused."""
        self._between.refused.clear()
        self.until(line.at_us)
        for button in line.buttons:
            self._move(button, down=True)
        self.until(line.at_us + line.for_us)
        for button in line.buttons:
            self._move(button, down=False)
        return list(self._between.refused)

    def _move(self, button: str, *, down: bool) -> None:
        done = self._between.done
        count, moved_us = len(done), now_us()
        (self.firmware.press if down else self.firmware.release)(button, bounces_ms=3)
        wait_until("the table has handled it", lambda: len(done) > count)
        assert done[count:] == [(button, down)]
        assert moved_us - SLACK_US <= self._between.board_us[-1] <= now_us()


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Evening]:
    clock = sheet_clock(monkeypatch, "pochboard.table")
    accept_late_edges(monkeypatch)
    setup = Setup(resolve=resolve_among(shipped_rulesets()))
    firmware = FirmwareBoard(tmp_path)
    firmware.start()
    line = NoisyLine(firmware.port, tmp_path / "line", seed=1441)
    pico = Pico(LAYOUT, ports=lambda: [Port(str(line.port))])
    with Store.open(tmp_path / "ledger.db") as store:
        board = BoardInfo("pico", link=False, simulated=False)
        table = Table(store, setup, board, pico.show)
        table.start()
        between = OnSheetTime(table, clock)
        try:
            pico.start(between)
            wait_until("the link is up", lambda: table.snapshot.board.link)
            line.noise = NOISE
            yield Evening(table, firmware, between, clock)
            assert line.spoiled > 10
            line.noise = 0.0
        finally:
            pico.close()
            table.stop()
            line.close()
        firmware.wait_pixels(lambda colours: colours == bytes(3 * LOOK.pixels))
        firmware.stop()


def test_a_night_comes_out_as_the_sheet_says(evening: Evening) -> None:
    play_night(evening, NIGHT)
    # The pixels show the frame that the table wants.
    evening.firmware.wait_pixels(lambda colours: colours == evening.table.lighting.frame)
