"""The printed parts, as another library reads their files: closed, and fitting each other."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import trimesh

from hardware.cases import NAMES, CaseName, case, zero_board, zero_posts
from hardware.layout import layout
from hardware.printing import (
    FINGERPRINT,
    FOLDER,
    PARTS_TABLE,
    PrintedPart,
    carrier_radii,
    fingerprint,
    printed_parts,
)
from hardware.spec import BoardSpec
from pochboard.geometry.dimensions import dimensions

SIZE: Final = dimensions()
BOARD: Final = layout(BoardSpec())
PARTS: Final = {part.name: part for part in printed_parts(BOARD)}
BED_MM: Final = 180.0
"""The side of the bed of a small printer."""

PLATE, BOTTOM = SIZE.mask.plate, -SIZE.mask.height
FLOOR = -SIZE.panel.face - SIZE.panel.room
HIGHEST: Final = {
    "mask-outer": PLATE,
    "mask-centre": PLATE,
    "mask-place": PLATE,
    "inlay-ring": PLATE + SIZE.inlay.proud,
    "inlay-place": PLATE + SIZE.inlay.proud,
    "carrier-outer": BOTTOM,
    "carrier-centre": BOTTOM,
    "carrier-place": BOTTOM - SIZE.carrier.thickness + SIZE.place.carrier_height,
    "bowl-outer": -SIZE.bowl.gap,
    "bowl-centre": -SIZE.bowl.gap,
    "dealer-mark": SIZE.dealer_mark.height,
    "display-frame": SIZE.display.height,
}
"""z of the upper side of each installed part."""


@cache
def printed(name: str) -> Any:
    return trimesh.load_mesh(FOLDER / f"{name}.stl")


def installed(name: str) -> Any:
    """The part where it is on the board, around the middle of its hole."""
    mesh = printed(name).copy()
    if PARTS[name].is_flipped:
        mesh.apply_transform(turned(math.pi, (1, 0, 0)))
    mesh.apply_translation((0, 0, HIGHEST[name] - mesh.bounds[1][2]))
    return mesh


def turned(angle: float, axis: tuple[int, int, int]) -> Any:
    rotation: Any = trimesh.transformations.rotation_matrix
    return rotation(angle, axis)


def overlap(one: Any, other: Any) -> float:
    """The volume that two parts share, in mm³."""
    shared = trimesh.boolean.intersection([one, other], engine="manifold")
    # The volume of the tetrahedra between the triangles and the origin.
    return abs(float(np.linalg.det(shared.triangles).sum())) / 6


def moved(mesh: Any, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:
    copy = mesh.copy()
    copy.apply_translation((x, y, z))
    return copy


def ring_of(pool: int, mesh: Any) -> list[Any]:
    """Copies of a mesh at the pixels of a ring, turned with them."""
    well, count = BOARD.wells[pool], BOARD.spec.pixels_per_ring
    copies = []
    for inlay in BOARD.inlays[pool * count : (pool + 1) * count]:
        copy = mesh.copy()
        copy.apply_transform(turned(-2 * math.pi * inlay.turn, (0, 0, 1)))
        x, y = (a - b for a, b in zip(inlay.centre, well.centre, strict=True))
        # y points down on the board and up in the files.
        copies.append(moved(copy, x, -y))
    return copies


# Each part


def test_files_are_those_of_the_list() -> None:
    names = {f"{name}.stl" for name in PARTS}
    assert {path.name for path in FOLDER.iterdir()} == names | {
        "case.svg",
        "display.svg",
        "exploded.svg",
        "section.svg",
        FINGERPRINT,
        PARTS_TABLE,
    }


def test_files_were_made_from_the_present_data_and_program() -> None:
    made_from = (FOLDER / FINGERPRINT).read_text("ascii").strip()
    assert made_from == fingerprint(BOARD), "the parts are stale: make drawings"


@pytest.mark.parametrize("part", PARTS.values(), ids=lambda part: part.name)
def test_part_is_one_closed_body_that_fits_on_a_small_printer(part: PrintedPart) -> None:
    mesh = printed(part.name)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 0
    width, depth, height = mesh.extents
    assert max(width, depth) <= BED_MM
    assert height <= 60
    assert mesh.bounds[0][2] == pytest.approx(0, abs=1e-4)
    assert bodies(mesh.faces) == 1


def bodies(faces: Any) -> int:
    """How many bodies the triangles form that share corners."""
    joined: dict[int, int] = {}

    def root(corner: int) -> int:
        while joined.setdefault(corner, corner) != corner:
            corner = joined[corner]
        return corner

    for first, *others in faces.tolist():
        for corner in others:
            joined[root(corner)] = root(first)
    return len({root(corner) for corner in list(joined)})


@pytest.mark.parametrize(("pool", "kind"), [(0, "outer"), (8, "centre")])
def test_parts_have_the_dimensions_of_the_layout(pool: int, kind: str) -> None:
    well = BOARD.wells[pool]
    mask, carrier, bowl = (installed(f"{what}-{kind}") for what in ("mask", "carrier", "bowl"))
    assert mask.extents == pytest.approx(
        [2 * well.flange, 2 * well.flange, SIZE.mask.plate + SIZE.mask.height], abs=0.1
    )
    _, outer = carrier_radii(BOARD, well)
    assert carrier.extents == pytest.approx([2 * outer, 2 * outer, SIZE.carrier.thickness], abs=0.1)
    rim = SIZE.bowl_radius(well.bowl, PLATE + SIZE.bowl.gap) + SIZE.bowl.wall
    assert bowl.extents[:2] == pytest.approx([2 * rim, 2 * rim], abs=0.1)
    assert bowl.bounds[0][2] == pytest.approx(FLOOR, abs=0.01)
    # The hollow part of the bowl holds the chips.
    base = SIZE.bowl_radius(well.bowl, PLATE - FLOOR) + SIZE.bowl.wall
    height = -SIZE.bowl.gap - FLOOR
    whole = math.pi * height / 3 * (rim**2 + rim * base + base**2)
    chips = SIZE.chip.count * math.pi * 11**2 * SIZE.chip.thickness / SIZE.chip.packing
    assert whole - bowl.volume >= chips


# Parts together


@pytest.mark.parametrize(("pool", "kind"), [(0, "outer"), (8, "centre")])
def test_parts_of_a_pool_fit_without_overlap_and_meet(pool: int, kind: str) -> None:
    mask, carrier, bowl = (installed(f"{what}-{kind}") for what in ("mask", "carrier", "bowl"))
    inlays = ring_of(pool, installed("inlay-ring"))
    for inlay in inlays:
        assert overlap(mask, inlay) < 1e-3
        # The lip stops it: a tenth of a millimetre further up they would overlap.
        assert overlap(mask, moved(inlay, z=0.1)) > 0.5
        assert inlay.bounds[1][2] > mask.bounds[1][2]
    assert overlap(mask, carrier) < 1e-3
    assert overlap(mask, moved(carrier, z=0.1)) > 5
    for other in (mask, carrier):
        assert overlap(bowl, other) < 1e-3
    assert overlap(mask, moved(bowl, z=SIZE.bowl.gap + 0.1)) > 5
    # A bowl that is not quite in the middle still fits.
    for x, y in ((0.25, 0), (0, 0.25), (-0.25, 0)):
        assert overlap(moved(bowl, x, y), mask) < 1e-3


@pytest.mark.parametrize(("pool", "kind"), [(0, "outer"), (8, "centre")])
def test_pixels_go_through_the_carrier_up_to_the_mask_and_shine_into_their_chamber(
    pool: int, kind: str
) -> None:
    pixel = SIZE.pixel["rgb"]
    mask, carrier, bowl = (installed(f"{what}-{kind}") for what in ("mask", "carrier", "bowl"))
    body = trimesh.creation.cylinder(pixel.hole / 2, pixel.depth, sections=48)
    dome = trimesh.creation.cylinder(pixel.dome / 2, 6, sections=48)
    bodies = ring_of(pool, moved(body, z=BOTTOM - pixel.depth / 2))
    domes = ring_of(pool, moved(dome, z=BOTTOM + 3))
    for one, top in zip(bodies, domes, strict=True):
        assert overlap(one, carrier) < 1e-3
        assert overlap(one, bowl) < 1e-3
        assert overlap(top, mask) < 1e-3
        # Its shoulder closes the chamber from below.
        assert overlap(moved(one, z=0.1), mask) > 1


def test_parts_of_a_place_fit_without_overlap_and_meet() -> None:
    mask, inlay, cap = (installed(f"{what}-place") for what in ("mask", "inlay", "carrier"))
    assert overlap(mask, inlay) < 1e-3
    assert overlap(mask, moved(inlay, z=0.1)) > 0.5
    assert overlap(mask, cap) < 1e-3
    assert overlap(mask, moved(cap, z=0.1)) > 1
    # The cap is pushed on from below and must end under the plywood.
    assert cap.bounds[1][2] < -SIZE.panel.face
    below = mask.vertices[mask.vertices[:, 2] < -0.1]
    assert SIZE.place.flange > SIZE.place.hole > 2 * np.abs(below[:, :2]).max()


@pytest.mark.parametrize("name", NAMES)
def test_a_case_holds_its_board_and_its_lid_closes(name: CaseName) -> None:
    shape, size = case(name), SIZE.case
    tray, lid = (printed(f"{what}-{name}").copy() for what in ("case", "lid"))
    lid.apply_transform(turned(math.pi, (1, 0, 0)))
    closed = size.height - size.lid
    lid.apply_translation((0, 0, closed - size.lip_height - lid.bounds[0][2]))
    assert overlap(tray, lid) < 1e-3
    assert overlap(tray, moved(lid, z=-0.1)) > 5, "it lies on the walls"
    assert overlap(tray, moved(lid, x=size.clearance + 0.1)) > 1, "the lip keeps it in place"
    assert lid.bounds[1][2] == pytest.approx(size.height, abs=0.01)
    assert size.height <= SIZE.panel.room - 1
    # The board lies on its posts, within the walls and below the lid.
    parts = size.parts if name == "supply" else size.controller_parts
    top = size.floor + size.post_height
    board = trimesh.creation.box((*shape.board, size.board + parts))
    board = moved(board, *shape.board_centre, top + (size.board + parts) / 2)
    assert overlap(board, tray) < 1e-3
    assert overlap(board, lid) < 1e-3
    assert overlap(moved(board, z=-0.1), tray) > 4
    for x, y in shape.board_holes:
        screw = trimesh.creation.cylinder(size.pilot / 2, 5.0, sections=32)
        assert overlap(moved(screw, x, y, top - 2.5), tray) < 0.5
        thread = trimesh.creation.cylinder(1.25, 5.0, sections=32)
        assert overlap(moved(thread, x, y, top - 2.5), tray) > 3, "an M2.5 screw bites"
    for x, y in shape.ears:
        screw = trimesh.creation.cylinder(1.25, size.lid + size.lid_screw - 1, sections=32)
        screw = moved(screw, x, y, size.height - (size.lid + size.lid_screw - 1) / 2)
        assert overlap(screw, lid) < 1e-3
        assert overlap(screw, tray) > 3
    # The plugs fit through the openings, whose positions are those of the data.
    for opening in shape.openings:
        high = opening.high - opening.low - 0.2
        wide, (width, depth) = opening.width - 0.2, shape.inside
        if opening.is_round:
            wide = high = high / math.sqrt(2)
        middle = (opening.low + opening.high) / 2
        sides = {"outer": (0, 1), "inner": (0, -1), "left": (-1, 0), "right": (1, 0)}
        x, y = sides[opening.side]
        if x:
            through = trimesh.creation.box((12.0, wide, high))
            through = moved(through, x * width / 2, opening.across, middle)
        else:
            through = trimesh.creation.box((wide, 12.0, high))
            through = moved(through, opening.across, y * depth / 2, middle)
        posts = trimesh.creation.box((width - 1, depth - 1, size.height))
        through = trimesh.boolean.difference([through, posts], engine="manifold")
        assert overlap(through, tray) < 1e-3, opening


def test_socket_and_switch_have_room_above_the_stripboard() -> None:
    size, room = SIZE.case, SIZE.room
    top = size.floor + size.post_height + size.board + size.parts
    assert size.panel_centre - room.bodies / 2 >= top
    shape = case("supply")
    panel = [opening for opening in shape.openings if opening.side == "outer"]
    assert len(panel) == 3, "socket, switch and cable"
    *socket_and_switch, cable = panel
    for opening in socket_and_switch:
        assert opening.high <= size.height - size.lid - 1
    assert cable.high == size.height - size.lid, "a cable is laid in from above, with its plugs"
    for opening in panel:
        assert opening.low >= size.floor + 1
    for one, other in pairwise(panel):
        assert other.across - one.across - (one.width + other.width) / 2 >= 8, "room for their rims"
    assert size.wall <= 3, "a panel socket clamps no more"


def test_a_zero_stands_in_the_case_of_the_pi_on_a_bar_of_its_own() -> None:
    """Its holes are 58 × 23 mm apart; those of a Pi are 58 × 49 mm apart."""
    shape, size, zero = case("controller"), SIZE.case, SIZE.zero
    inner = [hole for hole in shape.board_holes if hole[1] < 0]
    posts = zero_posts()
    assert math.dist(*posts) == pytest.approx(zero.holes[0])
    for post in posts:
        assert min(math.dist(post, hole) for hole in inner) == pytest.approx(zero.holes[1])
    # The bar lies on the floor between the posts of the case, and carries the Zero as they do.
    tray = printed("case-controller")
    bar = moved(printed("zero-bar").copy(), z=size.floor)
    middle = (posts[0][0] + posts[1][0]) / 2 - bar.bounds.mean(axis=0)[0]
    bar = moved(bar, middle, posts[0][1] - bar.bounds.mean(axis=0)[1])
    assert overlap(bar, tray) < 1e-3
    top = size.floor + size.post_height
    assert bar.bounds[1][2] == pytest.approx(top, abs=0.01)
    (left, low), (right, high) = zero_board()
    assert (right - left, high - low) == pytest.approx(zero.board)
    board = trimesh.creation.box((*zero.board, size.board))
    board = moved(board, (left + right) / 2, (low + high) / 2, top + size.board / 2)
    assert overlap(board, tray) < 1e-3
    for x, y in posts:
        thread = trimesh.creation.cylinder(1.25, 3.9, sections=32)
        assert overlap(moved(thread, x, y, top - 2), bar) > 2, "an M2.5 screw bites"
    # What stands out below it stays clear of the bar.
    between = trimesh.creation.box((40.0, 6.0, 2.4))
    assert overlap(moved(between, (left + right) / 2, posts[0][1], top - 1.21), bar) < 1e-3
    # Its card is in front of the opening in the wall.
    (wall,) = (opening for opening in shape.openings if opening.side == "right")
    card = high - zero.card
    assert wall.across - wall.width / 2 <= card - 6
    assert wall.across + wall.width / 2 >= 10, "that of a Pi too"


def test_bezels_let_the_button_move_and_keep_chips_off_it() -> None:
    button = SIZE.button
    assert printed("bezel").extents == pytest.approx(
        [button.bezel, button.bezel, button.bezel_height], abs=0.1
    )
    assert button.bezel_height > button.head_height
    assert button.bezel < SIZE.chip.diameter + 1, "a chip lies on the ring, not in it"
    assert button.bezel - button.head > 2 * button.bezel_gap + 2


def test_frame_holds_the_display_on_the_wood_and_shows_all_that_lights() -> None:
    size, frame = SIZE.display, installed("display-frame")
    assert frame.extents == pytest.approx([*size.frame, size.height], abs=0.01)
    board = moved(trimesh.creation.box((*size.board, SIZE.case.board)), z=SIZE.case.board / 2)
    glass = trimesh.creation.box((*size.glass, 2 * size.cover))
    glass = moved(glass, y=size.glass_out, z=size.stack - size.cover)
    for part in (board, glass):
        assert overlap(part, frame) < 1e-3
    # It presses the glass down and keeps it in its place.
    assert overlap(moved(glass, z=0.1), frame) > 30
    for x, y in ((size.fit + 0.1, 0.0), (0.0, size.fit + 0.1), (0.0, -size.fit - 0.1)):
        assert overlap(moved(glass, x, y), frame) > 0.5
    # Light that leaves towards the side by up to 45° passes the window.
    lit = trimesh.creation.box((*size.active, 0.02))
    wider = tuple(side + 2 * size.lip for side in size.active)
    above = trimesh.creation.box((*wider, 0.02))
    for one, z in ((lit, size.stack + 0.01), (above, size.height - 0.01)):
        assert overlap(moved(one, y=size.active_out, z=z), frame) < 1e-3
    # The screws come through the wood and bite, and end below the upper side.
    x, y = size.screw_at
    length = 8.0 - SIZE.panel.face
    assert size.screw_depth >= length
    assert size.screw_depth <= size.height - 0.4
    screw = trimesh.creation.cylinder(1.25, length, sections=32)
    for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        assert overlap(moved(screw, a * x, b * y, length / 2), frame) > 3
    # The circuit board lies on the wood on both sides of the hole, the frame covers the hole.
    assert size.hole[0] + 6 <= size.glass[0] + 2 <= size.board[0]
    assert all(hole + 2 < side for hole, side in zip(size.hole, size.frame, strict=True))


def test_dealers_mark_fits_its_hole_and_has_a_letter() -> None:
    mark, size = installed("dealer-mark"), SIZE.dealer_mark
    assert size.peg < size.hole
    assert size.peg_length <= SIZE.panel.face
    disc = math.pi * (size.diameter / 2) ** 2 * size.height
    peg = math.pi * (size.peg / 2) ** 2 * size.peg_length
    letter = disc + peg - mark.volume
    assert 0.6 * 15 < letter < 0.6 * 60


@pytest.mark.parametrize("name", ["exploded", "section", "case", "display"])
def test_pictures_name_their_parts(name: str) -> None:
    root = ET.fromstring((FOLDER / f"{name}.svg").read_text("utf-8"))
    words = " ".join(text for text in root.itertext())
    parts = {
        "exploded": ("mask", "inlays", "plywood", "carrier", "bowl"),
        "section": ("mask", "inlay", "plywood", "pixel", "bowl", "base plate"),
        "case": ("tray", "stripboard", "lid"),
        "display": ("plywood", "module", "frame"),
    }
    assert not [part for part in parts[name] if part not in words]


def test_section_says_what_must_fit() -> None:
    text = (FOLDER / "section.svg").read_text("utf-8")
    above = SIZE.mask.height + SIZE.pixel["rgb"].depth
    assert f"= {above:g} of {SIZE.panel.room + SIZE.panel.face:g} in height" in text
    beside, ring = map(float, re.findall(r"= ([\d.]+) of ([\d.]+) to ring", text)[0])
    assert beside <= ring == pytest.approx(BOARD.wells[0].ring, abs=0.05)


def test_list_says_how_many_of_each() -> None:
    counts = {part.name: part.count for part in printed_parts(layout(BoardSpec(places=6)))}
    assert counts["inlay-ring"] == 9 * 12
    assert counts["mask-outer"] + counts["mask-centre"] == 9
    assert {counts[f"{what}-place"] for what in ("mask", "inlay", "carrier")} == {6}
    assert Path(FOLDER).name == "parts"
