"""The order of the colours put right by a phone or the doctor, on the real NeoPixel class."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import pytest

from pochboard.boards.gpio.strip import Strip
from pochboard.boards.simulator import Simulator
from pochboard.colour_order import Colour, ColourOrder
from pochboard.config import Gpio
from pochboard.errors import Refusal
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.commands import parse_command
from pochboard.store import Store
from pochboard.store.durable import read_settings, settings_file
from pochboard.table import showing
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.showing import TestColour
from pochboard.table.table import Table
from tests.shell.daemons import Home
from tests.shell.server_kit import running_house, wait_until
from tests.shell.test_settings import NOBODY
from tests.shell.test_table import RESOLVE, START, sitting

ORDERS: tuple[ColourOrder, ...] = get_args(ColourOrder)
ASKED: tuple[Colour, ...] = get_args(Colour)
SHOWN: tuple[TestColour, ...] = get_args(TestColour)
LIT = {"R": "red", "G": "green", "B": "blue", "RGB": "white"}


@contextmanager
def board_of(
    folder: Path, gpio: Gpio, expected: ColourOrder, sent: list[bytes]
) -> Iterator[tuple[Table, Any]]:
    """A table whose board sends to pixels that expect another order, and what its pixels show."""
    strip = Strip(gpio, LightsConfig().pixels)
    setup = Setup(resolve=RESOLVE)
    with Store.open(folder / "ledger.db") as store:
        info = BoardInfo("gpio", link=True, simulated=False, order=gpio.order)
        table = Table(store, setup, info, strip.write)
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
        seen: dict[Colour, Colour] = {}
        for colour in ASKED:
            assert table.showing.show_colour(colour) is None
            seen[colour] = looks()
        assert table.set_colours(seen) is None
        assert looks() == "blue", "at once"
        assert table.snapshot.settings.order == expected
    with board_of(tmp_path, gpio, expected, sent) as (table, looks):
        for shown in SHOWN:
            assert table.showing.show_colour(shown) is None
            assert looks() == shown
        table.showing.end_colours()
        assert not any(sent[-1]), "the table is dark"


def test_the_test_ends_with_a_press_which_acts_as_always(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, _, _):
        dark = table.frame
        assert table.showing.show_colour("red") is None
        assert table.frame[:3] == bytes([table.frame[0], 0, 0]) != dark[:3]
        table.edge("seat1", True).result()
        table.edge("seat1", False).result()
        assert table.frame[:3] == dark[:3]
        assert table.snapshot.pending is not None, "the place is taken"


def test_the_test_ends_when_pairing_opens_or_the_phone_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sitting(tmp_path) as (table, _, ear):
        table.showing.show_colour("white")
        white = table.frame
        assert min(white) == max(white) > 0
        monkeypatch.setattr(showing, "TEST_SILENCE_US", 50_000)
        table.showing.show_colour("white")
        wait_until("it ends", lambda: table.frame != white)
        monkeypatch.undo()
        table.showing.show_colour("white")
        table.pairings.open()
        assert table.frame != white
        assert ear.frames.count(white) == 2


def test_during_a_night_the_table_is_shown(tmp_path: Path) -> None:
    with sitting(tmp_path) as (table, _, _):
        table.command(parse_command(START))
        before = table.frame
        refused = table.showing.show_colour("red")
        assert isinstance(refused, Refusal)
        assert refused.code == "wrong-phase"
        assert table.frame == before


def test_only_a_paired_phone_may_ask(tmp_path: Path) -> None:
    with running_house(tmp_path) as house:
        assert house.get("/api/state").json["board"]["order"] == "", "the drawn board needs none"
        shown = {"colour": "blue"}
        assert house.ask("PUT", "/api/board/colours", shown, NOBODY).code == "not-paired"
        assert house.ask("PUT", "/api/board/colours", shown).status == 204
        assert max(house.table.frame[:2]) == 0 < house.table.frame[2]
        same = {"red": "red", "green": "red", "blue": "blue"}
        assert house.ask("POST", "/api/board/colours", same).code == "bad-argument"
        assert house.ask("POST", "/api/board/colours", {**same, "green": "mauve"}).status == 400
        swapped = {"red": "green", "green": "red", "blue": "blue"}
        assert house.ask("POST", "/api/board/colours", swapped, NOBODY).code == "not-paired"
        assert house.ask("POST", "/api/board/colours", swapped).status == 204
        assert house.ask("DELETE", "/api/board/colours").status == 204
        assert house.table.snapshot.settings.order == "GRB"


def test_the_doctor_asks_too_and_the_board_keeps_it(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.configure('board = "gpio"\n[gpio]\norder = "GRB"\n')
    board = "pochboard.doctor.checked_board.checked_board"
    monkeypatch.setattr(board, lambda *_: Simulator(debounce_us=8000))
    file = settings_file(home.ledger)
    ran = home.here("doctor", "--colours", answers="2\n1\n3\n")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.count("Which colour does the board show now?") == 3
    kept = read_settings(file)
    assert kept is not None
    assert kept.order == "RGB"
    # It now begins with that order. Answers that cannot be true change nothing.
    for answers in ("1\n1\n3\n", "1\n4\n", "1\n"):
        assert home.here("doctor", "--colours", answers=answers).status != 0
    assert home.here("doctor", "--colours", answers="1\n2\n3\n").status == 0
    assert read_settings(file) == kept
    file.unlink()
    file.mkdir()
    ran = home.here("doctor", "--colours", answers="2\n1\n3\n")
    assert ran.status == 1
    assert 'Set order = "RGB" in config.toml.' in ran.err
