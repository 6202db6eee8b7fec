"""The carrier board as a KiCad board, and KiCad's own rule checks of it.

The file is in the format of KiCad 6, which later versions read too. The checks run where KiCad's
Python module is: `apt install kicad` on Debian. kicad_check.py runs in the system's Python.
"""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import click

from hardware.carrier_board import GROUND, CarrierBoard, Pad
from hardware.gerber import EDGE, RELIEF, SPOKE, outline, silk
from pochboard.geometry.face import Point

FILE: Final = "carrier/carrier.kicad_pcb"
PYTHON: Final = "/usr/bin/python3"
"""The Python that has the module `pcbnew`."""
CHECK: Final = Path(__file__).with_name("kicad_check.py")
_NOT_INSTALLED: Final = 77
_MIDDLE: Final = 100.0
"""Of the sheet, in mm. y points down there."""
_LAYERS: Final = (
    '(0 "F.Cu" signal) (31 "B.Cu" signal) (36 "B.SilkS" user) (37 "F.SilkS" user)'
    ' (38 "B.Mask" user) (39 "F.Mask" user) (44 "Edge.Cuts" user) (49 "F.Fab" user)'
)


def kicad_board(board: CarrierBoard) -> str:
    """The file of the board."""
    nets = ["", GROUND, *sorted({part.net for part in board.pads} - {"", GROUND})]
    number = {net: index for index, net in enumerate(nets)}
    rows = [
        "(kicad_pcb (version 20211014) (generator pochboard)",
        "(general (thickness 1.6))",
        f"(layers {_LAYERS})",
        "(setup (pad_to_mask_clearance 0.1))",
        *(f'(net {index} "{net}")' for net, index in number.items()),
    ]
    for name in dict.fromkeys(pad.part for pad in board.pads):
        rows += _footprint(name, [pad for pad in board.pads if pad.part == name], number)
    for index, hole in enumerate(board.holes, start=1):
        size = f"(size {board.hole:g} {board.hole:g}) (drill {board.hole:g})"
        pad = f'(pad "" np_thru_hole circle (at 0 0) {size} (layers *.Cu *.Mask))'
        rows.append(f"{_head(f'screw {index}', hole)} {pad})")
    for trace in board.traces:
        net = number[trace.net]
        for step, (start, end) in enumerate(pairwise(trace.points)):
            ends = f"(start {_at(start)}) (end {_at(end)})"
            stamp = _stamp(f"{trace.net} {trace.points} {step}")
            rows.append(
                f'(segment {ends} (width {trace.width:g}) (layer "F.Cu") (net {net}) {stamp})'
            )
    edge = list(outline(board).exterior.coords)
    for start, end in pairwise(edge):
        ends = f"(start {_at(start)}) (end {_at(end)})"
        stamp = _stamp(f"edge {start}")
        rows.append(f'(gr_line {ends} (layer "Edge.Cuts") (width 0.1) {stamp})')
    for row, (stroke, width) in enumerate(silk(board)):
        for step, (start, end) in enumerate(pairwise(stroke)):
            ends = f"(start {_at(start)}) (end {_at(end)})"
            stamp = _stamp(f"silk {row} {step}")
            rows.append(f'(gr_line {ends} (layer "F.SilkS") (width {width:g}) {stamp})')
    inside = outline(board).buffer(-EDGE).exterior.coords
    points = " ".join(f"(xy {_at(point)})" for point in inside)
    rows.append(
        f'(zone (net {number[GROUND]}) (net_name "{GROUND}") (layer "B.Cu") {_stamp("plane")}'
        " (hatch edge 0.5) (connect_pads (clearance 0.25)) (min_thickness 0.2)"
        f" (fill yes (thermal_gap {RELIEF:g}) (thermal_bridge_width {SPOKE:g}))"
        f" (polygon (pts {points})))"
    )
    return "\n".join([*rows, ")", ""])


def _footprint(name: str, pads: list[Pad], number: dict[str, int]) -> Iterator[str]:
    """A part with all its pins."""
    origin = pads[0].at
    yield _head(name, origin)
    for pad in pads:
        x, y = pad.at[0] - origin[0], origin[1] - pad.at[1]
        size = f"(size {pad.copper:g} {pad.copper:g}) (drill {pad.drill:g})"
        net = f' (net {number[pad.net]} "{pad.net}")' if pad.net else ""
        shape = f'(pad "{pad.pin}" thru_hole circle (at {x:.4f} {y:.4f}) {size}'
        yield f"{shape} (layers *.Cu *.Mask){net} {_stamp(f'{name} {pad.pin}')})"
    yield ")"


def _head(name: str, at: Point) -> str:
    font = "(effects (font (size 1 1) (thickness 0.15)))"
    texts = " ".join(
        f'(fp_text {kind} "{name}" (at 0 0) (layer "F.Fab") {font} {_stamp(f"{name} {kind}")})'
        for kind in ("reference", "value")
    )
    place = f'(layer "F.Cu") {_stamp(name)} (at {_at(at)})'
    return f'(footprint "pochboard:{name}" {place} (attr through_hole) {texts}'


def _at(point: tuple[float, ...]) -> str:
    return f"{_MIDDLE + point[0]:.4f} {_MIDDLE - point[1]:.4f}"


def _stamp(name: str) -> str:
    return f"(tstamp {uuid.uuid5(uuid.NAMESPACE_URL, f'pochboard {name}')})"


def check_board(folder: Path) -> str:
    """Runs KiCad's rule checks; returns the message to print.

    Raises ClickException for a violation.
    """
    if not Path(PYTHON).exists():
        return _skipped()
    done = subprocess.run(  # noqa: S603 - no shell
        [PYTHON, CHECK, folder / FILE], check=False, capture_output=True, text=True
    )
    if done.returncode == _NOT_INSTALLED:
        return _skipped()
    if done.returncode:
        raise click.ClickException(f"KiCad's rule checks:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def _skipped() -> str:
    return "KiCad is not installed, so its rule checks were skipped: apt install kicad"
