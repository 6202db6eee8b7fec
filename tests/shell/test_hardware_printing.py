"""The printed parts, as another library reads their files: closed, and fitting each other."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
import trimesh
from shapely import Polygon, union_all

from hardware.layout import layout
from hardware.printing import (
    FINGERPRINT,
    FOLDER,
    PrintedPart,
    fingerprint,
    printed_parts,
)
from hardware.spec import BoardSpec
from pochboard.geometry.dimensions import dimensions
from tests.not_empty import not_empty

SIZE: Final = dimensions()
BOARD: Final = layout(BoardSpec())
PARTS: Final = {part.name: part for part in printed_parts(BOARD)}
BED_MM: Final = 180.0
"""The side of the bed of a small printer."""

PLATE, BOTTOM = SIZE.mask.plate, -SIZE.mask.height
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
    "spacer": -SIZE.panel.face,
    "post": SIZE.room.post[1],
}
"""z of the upper side of each installed part."""


@cache
def printed(name: str) -> Any:
    return trimesh.load_mesh(FOLDER / f"{name}.stl")


def installed(name: str) -> Any:
    """The part where it is on the board, around the middle of its hole."""
    mesh = printed(name).copy()
    if any(PARTS[name].turned):
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
    assert overlap(carrier, moved(bowl, z=-0.1)) > 5, "it stands on the carrier"
    # A bowl that is not quite in the middle still fits.
    for x, y in ((0.25, 0), (0, 0.25), (-0.25, 0)):
        assert overlap(moved(bowl, x, y), mask) < 1e-3


@pytest.mark.parametrize(("pool", "kind"), [(0, "outer"), (8, "centre")])
def test_pixels_go_through_the_carrier_up_to_the_mask_and_shine_into_their_chamber(
    pool: int, kind: str
) -> None:
    pixel = SIZE.pixel
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


def test_bezels_let_the_button_move_and_keep_chips_off_it() -> None:
    button = SIZE.button
    assert printed("bezel").extents == pytest.approx(
        [button.bezel, button.bezel, button.bezel_height], abs=0.1
    )
    assert button.bezel_height > button.head_height
    assert button.bezel < SIZE.chip.diameter + 1, "a chip lies on the ring, not in it"
    assert button.bezel - button.head > 2 * button.bezel_gap + 1.6, "two lines wide"


def test_the_stand_holds_the_display_and_shows_all_that_lights() -> None:
    size, stand = SIZE.display, printed("display-stand")
    # As it is printed: its front down, so that z is the depth behind it.
    board = moved(trimesh.creation.box((*size.board, 1.6)), z=size.lip + size.glass_height + 0.81)
    glass = trimesh.creation.box((*size.glass, size.glass_height))
    glass = moved(glass, y=size.glass_up, z=size.lip + size.glass_height / 2 + 0.01)
    middle = stand.bounds.mean(axis=0)
    stand = moved(stand, -middle[0], -middle[1])
    for part in (board, glass):
        assert overlap(part, stand) < 1e-3
    assert overlap(moved(glass, z=-0.2), stand) > 30, "the glass lies behind the front"
    lit = trimesh.creation.box((*size.active, 4.0))
    assert overlap(moved(lit, y=size.glass_up + size.active_up), stand) < 1e-3
    # It leans, and does not fall over: the foot reaches behind the middle of the module.
    foot = stand.bounds[1][2]
    assert foot > math.tan(math.radians(size.lean_degrees)) * size.frame[1]


def test_no_part_needs_a_bridge_of_more_than_25_mm() -> None:
    """As they are printed: what hangs is narrow, or begins on the bed."""
    for name in not_empty(PARTS):
        mesh = printed(name)
        down = mesh.face_normals[:, 2] < -0.99
        hanging = down & (mesh.triangles_center[:, 2] > 0.5)
        if not hanging.any():
            continue
        # A bridge spans the shorter side of what hangs; a ring spans its width.
        under = union_all([Polygon(one[:, :2]) for one in mesh.triangles[hanging]])
        assert under.buffer(-12.5).is_empty, name
