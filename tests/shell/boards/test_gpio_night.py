"""A whole night, pressed on the pins of the board on the header, bouncing as contacts do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.sheets import PressLine
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.boards.evening import Between, SheetClock, play_night, sheet_clock
from tests.shell.boards.gpio_rig import PINS, GpioRig
from tests.shell.boards.kit import LOOK
from tests.shell.server_kit import wait_until

BOUNCE_US = 5_000
STABLE_US = 8_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SheetClock:
    return sheet_clock(monkeypatch, "pochboard.table")


class Players:
    """Presses the lines of a sheet on bouncing contacts."""

    def __init__(
        self, table: Table, rig: GpioRig, between: Between, clock: SheetClock, seed: int
    ) -> None:
        self.table = table
        self._rig = rig
        self._between = between
        self._clock = clock
        self._chance = random.Random(seed)

    def until(self, at_us: int) -> None:
        self._clock.until(at_us)

    def move(self, button: str, down: bool) -> None:
        """Moves a contact, which bounces and settles, and waits until the table has handled it."""
        expected = [*self._between.edges, (button, down)]
        end_us = self._clock.us + self._chance.randint(0, BOUNCE_US)
        while self._clock.us < end_us:
            self._rig.copper.close(PINS[button], self._chance.random() < 0.5)
            self._clock.us = min(end_us, self._clock.us + self._chance.randint(1, 1_500))
        self._rig.copper.close(PINS[button], down)
        self._clock.us += STABLE_US
        wait_until("the table has handled it", lambda: len(self._between.done) == len(expected))
        assert self._between.edges == expected

    def press(self, line: PressLine) -> list[str]:
        """Presses as a line says; the codes of what was refused."""
        self._between.refused.clear()
        self.until(line.at_us)
        for button in line.buttons:
            self.move(button, down=True)
        # The first of these moves takes up to 13 ms of the press, which lasts 50 ms at least.
        self.until(line.at_us + line.for_us)
        for button in line.buttons:
            self.move(button, down=False)
        return list(self._between.refused)


@pytest.fixture
def players(tmp_path: Path, clock: SheetClock, request: pytest.FixtureRequest) -> Iterator[Players]:
    rig = GpioRig(clock=clock)
    setup = Setup(resolve=resolve_among(shipped_rulesets()))
    with Store.open(tmp_path / "ledger.db") as store:
        table = Table(store, setup, BoardInfo("gpio", link=True, simulated=False), rig.board.show)
        table.start()
        between = Between(table)
        rig.board.start(between)
        try:
            yield Players(table, rig, between, clock, request.param)
        finally:
            rig.board.close()
            table.stop()
            rig.close()
        assert rig.shown()[-1] == bytes(3 * LOOK.pixels)


@pytest.mark.parametrize(
    ("players", "night"), [(1, "banker"), (2, "thirty-one")], indirect=["players"]
)
def test_a_night_comes_out_as_the_sheet_says(players: Players, night: str) -> None:
    play_night(players, f"{night}-presses")
