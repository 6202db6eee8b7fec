"""Pictures of the finished board with wood, felt, chips and light, traced with Mitsuba 3.

They are computed from the same data as the parts: the face's positions, the files of parts/, the
engraving, and a frame of the lights as a board gets it. Lengths are mm; x points right, y away
from the player, z up, and z = 0 is the upper side of the plywood.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal

import click
import mitsuba as mi
import msgspec
import numpy as np
import pyoidn
import trimesh
from manifold3d import CrossSection, Manifold, OpType
from PIL import Image, ImageDraw

from hardware.chips import CHIP_COLOURS, GROUND, heaps, stacks
from hardware.engraving import art_lines, strokes
from hardware.face_picture import LOOKS
from hardware.layout import Layout, layout
from hardware.plates import room
from hardware.printing import FOLDER, printed_parts
from hardware.spec import BoardSpec
from hardware.visibility import Eye, chairs
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Point, polar

mi.set_variant("scalar_rgb")

Array = np.ndarray[Any, Any]
View = Literal["chair", "above"]
Light = Literal["day", "lamp"]
Colour = tuple[float, float, float]

SIZE: Final = dimensions()
PIXELS_PER_MM: Final = 8
"""Of the pictures on wood and felt."""
SMOOTH: Final = 96
"""Segments of a full circle."""
LED: Final = 2.4
"""The radiance of an inlay whose pixel is fully on, where a lamp lights white paper to 1."""
EYES: Final[dict[View, tuple[tuple[float, float, float], tuple[float, float, float], float]]] = {
    "chair": ((70, -810, 450), (0, -26, -10), 32.0),
    "above": ((0, -0.1, 1150), (0, 0, 0), 24.0),
}
"""From where, to where, and the angle of view in degrees."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """What lies on the board and lights on it."""

    frame: tuple[Colour, ...]
    """For each pixel of the chain, red, green and blue from 0 to 1."""
    pools: tuple[int, ...]
    """The chips in each pool, in board order."""
    stacks: tuple[int, ...] = ()
    """The chips in front of each place."""
    dealer: int | None = None
    """The place with the dealer's mark."""


def picture(
    board: Layout,
    moment: Moment,
    view: View,
    size: tuple[int, int],
    samples: int,
    light: Light = "day",
) -> Array:
    """The picture as 8-bit RGB, of shape (height, width, 3)."""
    eye, target, angle = EYES[view]
    scene = mi.load_dict(
        {
            "type": "scene",
            "integrator": {
                "type": "aov",
                "aovs": "albedo:albedo,normal:sh_normal",
                "light": {"type": "path", "max_depth": 5},
            },
            "sensor": {
                "type": "perspective",
                "fov": angle,
                "fov_axis": "x",
                "to_world": mi.ScalarTransform4f().look_at(
                    eye, target, (0, 0, 1) if view == "chair" else (0, 1, 0)
                ),
                "film": {
                    "type": "hdrfilm",
                    "width": size[0],
                    "height": size[1],
                    "rfilter": {"type": "box"},
                },
                "sampler": {"type": "multijitter", "sample_count": samples},
            },
            **_room(light),
            **dict(_things(board, moment)),
        }
    )
    # Colours and slopes of what is seen keep the lines on the wood sharp while noise is removed.
    traced = np.array(mi.render(scene, spp=samples), dtype=np.float32)
    seen, colours, slopes = np.split(traced, 3, axis=2)
    return _developed(pyoidn.denoise(seen, np.clip(colours, 0, 1), slopes, hdr=True))


def _developed(radiance: Array) -> Array:
    """Radiance as a camera would show it: bright colours turn paler instead of being cut off."""
    light = radiance.max(axis=2, keepdims=True)
    squeezed = np.where(light > 0.6, 0.6 + 0.4 * (1 - np.exp(-(light - 0.6) / 0.4 * 0.55)), light)
    shown = radiance * (squeezed / np.maximum(light, 1e-6))
    shown += 0.16 * np.clip(light - 1.2, 0, 3) / 3  # glare
    shown = np.clip(shown, 0, 1)
    gamma = np.where(shown <= 0.0031308, 12.92 * shown, 1.055 * shown ** (1 / 2.4) - 0.055)
    return (gamma * 255 + 0.5).astype(np.uint8)


# Sight


def traced_parts(board: Layout) -> dict[str, float]:
    """How much of signs, chips and lights is seen at least, from any chair.

    Of rays from an eye to points all over a thing, it is the share that meets nothing before.
    """
    dark, count = (0.0, 0.0, 0.0), 3
    moment = Moment(frame=(dark,) * len(board.inlays), pools=(count,) * len(board.wells), dealer=1)
    scene = mi.load_dict({"type": "scene", **dict(_things(board, moment))})
    chips = list(heaps(board.wells, moment.pools))
    inside, over_mask = SIZE.chip.diameter / 2 - 0.5, SIZE.mask.plate + SIZE.inlay.proud
    things = {
        "signs": [[(one.centre, one.radius, 0.0)] for one in board.signs],
        f"tops of {count} chips in a dish": [
            [(one.at, inside, one.z + SIZE.chip.thickness) for one in chips[at : at + count]]
            for at in range(0, len(chips), count)
        ],
        "lights": [[(end, one.width / 2, over_mask) for end in one.ends] for one in board.inlays],
    }
    return {
        what: min(_seen(scene, discs, eye) for eye in chairs(board) for discs in parts)
        for what, parts in things.items()
    }


def _seen(scene: Any, discs: Sequence[tuple[Point, float, float]], eye: Eye) -> float:
    """The share of points of some discs that are seen from an eye."""
    chance, free = np.random.default_rng(1713), []
    x, y, z = eye[0], -eye[1], eye[2] + SIZE.mask.plate
    for (across, down), radius, height in discs:
        for turn, out in chance.random((120, 2)):
            at = polar(turn, radius * math.sqrt(out), (across, down))
            spot = np.array([at[0], -at[1], height + 0.05])
            ray = mi.Ray3f(o=spot, d=np.array([x, y, z]) - spot, maxt=1.0, time=0, wavelengths=[])
            free.append(not scene.ray_test(ray))
    return sum(free) / len(free)


# The room


LIGHTS: Final[dict[Light, tuple[Colour, Colour]]] = {
    "day": ((0.30, 0.29, 0.28), (7.5, 6.7, 5.6)),
    "lamp": ((0.08, 0.07, 0.06), (4.6, 3.4, 2.1)),
}
"""The radiance of the sky, and of the lamp over the table."""


def _room(light: Light) -> dict[str, Any]:
    sky, shine = LIGHTS[light]
    lamp = mi.ScalarTransform4f().look_at(
        (-260, 240, 900), (0, 0, 0), (0, 1, 0)
    ) @ mi.ScalarTransform4f().scale((240, 240, 1))
    return {
        "sky": {"type": "constant", "radiance": _rgb(sky)},
        "lamp": {
            "type": "rectangle",
            "to_world": lamp,
            "emitter": {"type": "area", "radiance": _rgb(shine)},
        },
        "table": {
            "type": "rectangle",
            "to_world": mi.ScalarTransform4f().translate((0, 0, GROUND)).scale((3000, 3000, 1)),
            "bsdf": {
                "type": "roughplastic",
                "alpha": 0.22,
                "diffuse_reflectance": {
                    "type": "bitmap",
                    "bitmap": mi.Bitmap(_grain("#a98560", 1500, 0.22, 7)),
                    "to_uv": mi.ScalarTransform4f().scale((4, 4, 1)),
                },
            },
        },
    }


# The things


def _things(board: Layout, moment: Moment) -> Iterator[tuple[str, Any]]:
    black = {"type": "roughplastic", "alpha": 0.28, "diffuse_reflectance": _hex("#1b1918")}
    smoke = {"type": "roughplastic", "alpha": 0.2, "diffuse_reflectance": _hex("#3b3733")}
    metal = {"type": "roughconductor", "alpha": 0.16, "material": "Al"}
    yield (
        "face",
        _mesh(
            _face(board), {"type": "twosided", "bsdf": _wood(board)}, picture=((0, 0), board.radius)
        ),
    )
    for name, solid, colour in _sides(board):
        yield name, _mesh(solid, {"type": "diffuse", "reflectance": _hex(colour)})
    parts = {
        part.name: _printed(part.name, is_flipped=any(part.turned))
        for part in printed_parts(board)
        if not part.name.startswith(("spacer", "post", "panel", "display"))
    }
    for index, well in enumerate(board.wells):
        kind = "centre" if index == len(board.wells) - 1 else "outer"
        yield f"mask{index}", _mesh(_at(parts[f"mask-{kind}"], well.centre), black)
        yield f"bowl{index}", _mesh(_at(parts[f"bowl-{kind}"], well.centre), black)
    yield from _felt(board)
    for index, hole in enumerate(board.places):
        turn = board.place_inlays[index].turn
        yield f"place{index}", _mesh(_at(parts["mask-place"], hole.centre, turn), black)
    for index, (inlay, colour) in enumerate(zip(board.inlays, moment.frame, strict=True)):
        name = "inlay-place" if index >= len(board.inlays) - board.spec.places else "inlay-ring"
        yield f"inlay{index}", _mesh(_at(parts[name], inlay.centre, inlay.turn), smoke, glow=colour)
    for index, hole in enumerate(board.buttons):
        yield f"bezel{index}", _mesh(_at(parts["bezel"], hole.centre), black)
        yield (
            f"button{index}",
            _mesh(
                _at(_turned(SIZE.button.head / 2, SIZE.button.head_height, 0.4), hole.centre), metal
            ),
        )
    if moment.dealer is not None:
        at = board.dealers[moment.dealer - 1]
        yield "dealer", _mesh(_at(parts["dealer-mark"], at), black)
        # The paint in its letter.
        paint = _turned(SIZE.dealer_mark.diameter / 2 - 1, SIZE.dealer_mark.height - 0.55, 0.4)
        brass = {"type": "diffuse", "reflectance": _hex(LOOKS["modern"][1])}
        yield "paint", _mesh(_at(paint, at), brass)
    chip = _turned(SIZE.chip.diameter / 2, SIZE.chip.thickness, 0.4)
    chips = [*heaps(board.wells, moment.pools), *stacks(board, moment.stacks)]
    for colour in CHIP_COLOURS:
        coloured = [_at(chip, one.at, z=one.z) for one in chips if one.colour == colour]
        if coloured:
            paint = {"type": "roughplastic", "alpha": 0.2, "diffuse_reflectance": _hex(colour)}
            yield f"chips{colour[1:]}", _mesh(trimesh.util.concatenate(coloured), paint)


def _sides(board: Layout) -> Iterator[tuple[str, trimesh.Trimesh, str]]:
    """The edge strip, the base plate and its feet."""
    panel, edge = SIZE.panel, board.radius - 1.0
    whole = Manifold.cylinder(panel.room + panel.base, edge, edge, 4 * SMOOTH)
    hollow = Manifold.cylinder(panel.room + panel.base, edge - 1.2, edge - 1.2, 4 * SMOOTH)
    strip = (whole - hollow).translate((0, 0, -panel.face - panel.room - panel.base))
    yield "edge", _trimesh(strip), "#6b4327"
    foot = _trimesh(Manifold.cylinder(panel.feet, 5, 5, SMOOTH))
    feet = [_at(foot, block.at(0, 0), z=GROUND) for block in room(board).spacers]
    yield "feet", trimesh.util.concatenate(feet), "#222222"


@cache
def _face(board: Layout) -> trimesh.Trimesh:
    """The plywood on top with its holes."""
    thick = SIZE.panel.face
    disc = Manifold.cylinder(thick, board.radius, board.radius, 8 * SMOOTH)
    holes = [
        Manifold.cylinder(thick + 2, hole.diameter / 2, hole.diameter / 2, SMOOTH).translate(
            (hole.centre[0], -hole.centre[1], -1)
        )
        for hole in board.holes
    ]
    return _trimesh((disc - Manifold.batch_boolean(holes, OpType.Add)).translate((0, 0, -thick)))


def _felt(board: Layout) -> Iterator[tuple[str, Any]]:
    """The felt in each dish."""
    floor = -SIZE.mask.height + SIZE.bowl.floor
    cloth = {"type": "bitmap", "bitmap": mi.Bitmap(_cloth(LOOKS[board.design][2]))}
    for index, well in enumerate(board.wells):
        radius = SIZE.bowl_radius(well.bowl, SIZE.mask.plate - floor) - SIZE.bowl.fillet * 0.35
        solid = _trimesh(Manifold.cylinder(SIZE.bowl.felt, radius, radius, SMOOTH))
        look = {"type": "diffuse", "reflectance": cloth}
        yield (
            f"felt{index}",
            _mesh(_at(solid, well.centre, z=floor), look, picture=(well.centre, well.bowl)),
        )


# Pictures on wood and felt


@cache
def _wood(board: Layout) -> dict[str, Any]:
    side = 2 * board.radius
    wood, engraved, _ = LOOKS[board.design]
    image = Image.fromarray(_grain(wood, round(side * PIXELS_PER_MM), 0.10, 3))
    pen = _Pen(image, board.radius)
    for stroke in art_lines(board):
        pen.draw(stroke, engraved, 0.8)
    for engraving in board.engravings:
        for stroke in strokes(engraving):
            pen.draw(stroke, engraved, 0.9)
    return {
        "type": "roughplastic",
        "alpha": 0.3,
        "nonlinear": True,
        "diffuse_reflectance": {"type": "bitmap", "bitmap": mi.Bitmap(np.array(image))},
    }


def _cloth(colour: str) -> Array:
    size = 1024
    chance = np.random.default_rng(5)
    base = np.array(_bytes(colour), dtype=np.float32)
    nap = chance.normal(1, 0.09, (size, size, 1)).astype(np.float32)
    return np.clip(base * nap, 0, 255).astype(np.uint8)


class _Pen:
    """Draws lines given in mm on a square picture that reaches `radius` from `centre`."""

    def __init__(self, image: Image.Image, radius: float, centre: Point = (0.0, 0.0)) -> None:
        self._draw = ImageDraw.Draw(image)
        self._unit = image.width / 2 / radius
        self._middle = (radius - centre[0], radius - centre[1])

    def draw(self, stroke: Sequence[Point], colour: str, width: float) -> None:
        points = [
            ((x + self._middle[0]) * self._unit, (y + self._middle[1]) * self._unit)
            for x, y in stroke
        ]
        self._draw.line(points, fill=colour, width=max(1, round(width * self._unit)), joint="curve")


@cache
def _grain(colour: str, size: int, contrast: float, seed: int) -> Array:
    """A board of wood: stripes along x that wander, in two finenesses, and short pores."""
    chance = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
    bent = (
        y
        + 0.012 * np.sin(2 * np.pi * (x * 1.3 + 0.2))
        + 0.005 * np.sin(2 * np.pi * (3.1 * x + 2 * y))
    )
    shade = np.zeros((size, size), dtype=np.float32)
    for stripes, weight in ((23, 0.5), (90, 0.3), (420, 0.2)):
        row = np.interp(bent * stripes, np.arange(stripes + 4), chance.normal(0, 1, stripes + 4))
        shade += weight * row.astype(np.float32)
    pores = np.repeat(chance.normal(0, 1, (size, size // 40 + 1)), 40, axis=1)[:, :size]
    shade += 0.15 * pores.astype(np.float32)
    base = np.array(_bytes(colour), dtype=np.float32)
    return np.clip(base * (1 + contrast * shade[..., None] * (0.8, 1.0, 1.2)), 0, 255).astype(
        np.uint8
    )


# Meshes


@cache
def _printed(name: str, *, is_flipped: bool) -> trimesh.Trimesh:
    """A printed part as it is installed."""
    solid = trimesh.load_mesh(FOLDER / f"{name}.stl")
    if is_flipped:
        solid.apply_transform(trimesh.transformations.rotation_matrix(math.pi, (1, 0, 0)))
    top = {
        "mask": SIZE.mask.plate,
        "bowl": -SIZE.bowl.gap,
        "inlay": SIZE.mask.plate + SIZE.inlay.proud,
        "bezel": SIZE.button.bezel_height,
        "dealer": SIZE.dealer_mark.height,
    }
    solid.apply_translation((0, 0, top.get(name.split("-", maxsplit=1)[0], 0) - solid.bounds[1][2]))
    return solid


def _turned(radius: float, height: float, bevel: float) -> trimesh.Trimesh:
    """A disc with bevelled edges, on z = 0."""
    outline = [
        (0, 0),
        (radius - bevel, 0),
        (radius, bevel),
        (radius, height - bevel),
        (radius - bevel, height),
        (0, height),
    ]
    return _trimesh(CrossSection([outline]).revolve(SMOOTH // 2))


def _at(solid: trimesh.Trimesh, at: Point, turn: float = 0.0, z: float = 0.0) -> trimesh.Trimesh:
    """A part at a position of the face, turned clockwise."""
    moved = solid.copy()
    moved.apply_transform(trimesh.transformations.rotation_matrix(-2 * math.pi * turn, (0, 0, 1)))
    moved.apply_translation((at[0], -at[1], z))
    return moved


def _trimesh(solid: Manifold) -> trimesh.Trimesh:
    mesh = solid.to_mesh()
    return trimesh.Trimesh(mesh.vert_properties[:, :3], mesh.tri_verts, process=False)


def _mesh(
    solid: trimesh.Trimesh,
    material: dict[str, Any],
    *,
    picture: tuple[Point, float] | None = None,
    glow: Colour | None = None,
) -> Any:
    """A solid for the tracer, with flat faces; a picture on it reaches so far from a point."""
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(material)
    if glow is not None and max(glow) > 0:
        radiance = [LED * part for part in glow]
        props["emitter"] = mi.load_dict({"type": "area", "radiance": _rgb(radiance)})
    props["face_normals"] = True
    mesh = mi.Mesh(
        "solid",
        len(solid.vertices),
        len(solid.faces),
        props=props,
        has_vertex_texcoords=picture is not None,
    )
    values = mi.traverse(mesh)
    values["vertex_positions"] = np.ravel(solid.vertices).astype(np.float32)
    values["faces"] = np.ravel(solid.faces).astype(np.uint32)
    if picture is not None:
        (x, y), radius = picture
        uv = 0.5 + (solid.vertices[:, :2] - (x, -y)) * (1, -1) / (2 * radius)
        values["vertex_texcoords"] = np.ravel(uv).astype(np.float32)
    values.update()
    return mesh


def _bytes(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _rgb(value: Sequence[float]) -> dict[str, Any]:
    return {"type": "rgb", "value": list(value)}


def _hex(colour: str) -> dict[str, Any]:
    """A colour as reflectance: linear."""
    parts = [value / 255 for value in _bytes(colour)]
    return _rgb(
        [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in parts]
    )


if __name__ == "__main__":
    for name, part in traced_parts(layout(BoardSpec())).items():
        click.echo(f"{name}: at least {part:.1%} seen from every chair")
