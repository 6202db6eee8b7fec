"""The order of the colours put right at first light, on the real NeoPixel class."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from pochboard.boards.gpio.strip import Strip
from pochboard.config import ColourOrder, Gpio
from pochboard.lights.lights_config import LightsConfig
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.test_table import RESOLVE

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
        table.showing.end_test()
        assert not any(sent[-1]), "the table is dark"
