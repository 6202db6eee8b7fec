"""The stripboard connects what the wiring diagram connects, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from hardware.spec import BoardSpec
from hardware.stripboard import nets, stripboard
from pochboard.geometry.dimensions import dimensions
from tests.some import some

FOLDER = Path(__file__).resolve().parents[2] / "hardware"
SHIFTER = "74AHCT125"


def test_stripboard_connects_what_it_should_and_nothing_else() -> None:
    branches = [f"branch {number}" for number in range(1, len(BoardSpec().branches) + 1)]
    five = {"supply 5 V", *(f"{branch} 5 V" for branch in branches), f"{SHIFTER} 14", "100 nF a"}
    zero = {"supply 0 V", *(f"{branch} 0 V" for branch in branches), "100 nF b", "10 kΩ b"}
    zero |= {"ring ace 0 V", "Pi or Pico 0 V"}
    zero |= {f"{SHIFTER} {pin}" for pin in (1, 4, 5, 7, 9, 10, 12, 13)}
    wanted = [
        five,
        zero,
        {"Pi or Pico data", f"{SHIFTER} 2", "10 kΩ a"},
        {f"{SHIFTER} 3", "390 Ω a"},
        {"390 Ω b", "ring ace data"},
        *({f"{SHIFTER} {pin}"} for pin in (6, 8, 11)),
    ]
    assert sorted(map(sorted, nets(stripboard()))) == sorted(map(sorted, wanted))


def test_every_hole_is_used_once_and_is_on_the_board() -> None:
    board = stripboard()
    used = Counter(hole for part in board.part for hole in part.pins.values())
    used.update(hole for link in board.links for hole in link)
    used.update(board.cuts)
    assert max(used.values()) == 1, used.most_common(3)
    assert all(1 <= column <= board.columns and 1 <= row <= board.rows for column, row in used)


def test_parts_have_their_real_size() -> None:
    pins = {part.name: part.pins for part in stripboard().part}
    # A 14-pin DIP case: pins 1 to 7 down one side, 14 to 8 down the other, three holes apart.
    chip = pins[SHIFTER]
    column, row = chip["1"]
    for step in range(7):
        assert chip[f"{1 + step}"] == (column, row + step)
        assert chip[f"{14 - step}"] == (column + 3, row + step)
    # Terminals have their poles two holes apart, a quarter-watt resistor needs three or four.
    for name, holes in pins.items():
        if len(holes) == 2:
            (c1, r1), (c2, r2) = holes.values()
            assert c1 == c2
            assert abs(r1 - r2) == {"100 nF": 1, "10 kΩ": 3, "390 Ω": 4}.get(name, 2), name
    for one, other in some(stripboard().links):
        assert one[0] == other[0]
    board = stripboard()
    assert board.columns * board.pitch_mm <= 70
    assert board.rows * board.pitch_mm <= 50
    # The holes for the posts of its case are beyond the outer strips.
    room = dimensions().room
    outermost = (board.rows - 1) / 2 * board.pitch_mm
    assert room.stripboard_holes[1] / 2 - 2.7 / 2 >= outermost + 0.5
    assert all(
        side / 2 - hole / 2 >= 2.7
        for side, hole in zip(room.stripboard, room.stripboard_holes, strict=True)
    )


def test_picture_shows_all_pins_links_and_cuts() -> None:
    root = ET.fromstring((FOLDER / "stripboard.svg").read_text("utf-8"))
    names = Counter(element.get("data-name") for element in root.iter())
    board = stripboard()
    assert names["link"] == len(board.links)
    assert names["cut"] == len(board.cuts)
    for part in board.part:
        assert all(names[f"{part.name} {pin}"] == 1 for pin in part.pins)
