"""The signs of the fields, drawn by us after old boards: suits, court cards, the goat, the fool.

Each is a list of lines in a circle of radius 1 around (0, 0); y points down. Boards of the 18th
century have them painted in their hollows: one of 1760 in Museum Aargau, *Ein Poch-Spielbrett von
1760*, calls the game "bock spill", whose goat is the sign of Poch here; one of about 1580 in the
Bayerisches Nationalmuseum (I 14 104) fills its fields with the cards that win them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final, get_args

from pochboard.config import Design
from pochboard.geometry.dimensions import Stroke, straight

DESIGNS: Final[tuple[Design, ...]] = get_args(Design)

Lines = list[Stroke]

_STEPS: Final = 36

INDEX: Final = {
    "en": {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "10"},
    "de": {"ace": "A", "king": "K", "queen": "D", "jack": "B", "ten": "10"},
}
"""The letter of each card in the language of the engraving."""


def sign_of(pool: str, design: Design, language: str) -> Lines:
    """What is in the field of a pool; nothing on a plain board."""
    if design == "plain":
        return []
    index = INDEX[language].get(pool, "")
    return (_MODERN if design == "modern" else _OLD)[pool](index)


# Transforming lines


def placed(lines: Iterable[Stroke], x: float, y: float, size: float, turn: float = 0.0) -> Lines:
    """Lines moved to (x, y), of another size, and turned clockwise."""
    cos, sin = math.cos(2 * math.pi * turn), math.sin(2 * math.pi * turn)
    return [
        tuple((x + size * (u * cos - v * sin), y + size * (u * sin + v * cos)) for u, v in line)
        for line in lines
    ]


def _mirrored(lines: Iterable[Stroke]) -> Lines:
    """Lines of the right half with those of the left half."""
    right = list(lines)
    return [*right, *(tuple((-x, y) for x, y in line) for line in right)]


def _curve(*points: tuple[float, float]) -> Stroke:
    """A smooth line through points (Catmull and Rom)."""
    padded = (points[0], *points, points[-1])
    drawn = [points[0]]
    for index in range(1, len(padded) - 2):
        before, start, end, after = padded[index - 1 : index + 3]
        for step in range(1, 7):
            t = step / 6
            drawn.append(
                tuple(  # type: ignore[arg-type]
                    0.5
                    * (
                        2 * s
                        + (e - b) * t
                        + (2 * b - 5 * s + 4 * e - a) * t * t
                        + (3 * s - b - 3 * e + a) * t**3
                    )
                    for b, s, e, a in zip(before, start, end, after, strict=True)
                )
            )
    return tuple(drawn)


def circle(x: float, y: float, radius: float, steps: int = _STEPS) -> Stroke:
    """A circle."""
    angles = (2 * math.pi * step / steps for step in range(steps + 1))
    return tuple((x + radius * math.sin(a), y - radius * math.cos(a)) for a in angles)


# Suits


def heart() -> Lines:
    """A heart."""
    points = []
    for step in range(_STEPS + 1):
        t = 2 * math.pi * step / _STEPS
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((math.sin(t) ** 3, -(y + 2.5) / 16))
    return [tuple(points)]


def spade() -> Lines:
    """A spade."""
    top = [(x, -y * 0.92 - 0.14) for x, y in heart()[0]]
    foot = _curve((0.06, 0.42), (0.12, 0.72), (0.34, 0.94))
    return [tuple(top), foot, tuple((-x, y) for x, y in foot), ((0.34, 0.94), (-0.34, 0.94))]


def diamond() -> Lines:
    """A diamond."""
    side = _curve((0, -1), (0.34, -0.42), (0.74, 0), (0.34, 0.42), (0, 1))
    return [side, tuple((-x, y) for x, y in side)]


def club() -> Lines:
    """A club."""
    leaves = [circle(0, -0.5, 0.42), circle(-0.48, 0.16, 0.42), circle(0.48, 0.16, 0.42)]
    foot = _curve((0.04, 0.1), (0.1, 0.62), (0.34, 0.94))
    return [*leaves, foot, tuple((-x, y) for x, y in foot), ((0.34, 0.94), (-0.34, 0.94))]


def leaf() -> Lines:
    """The leaf of the German cards."""
    edge = _curve((0, -1), (0.4, -0.62), (0.72, -0.1), (0.56, 0.34), (0.12, 0.3), (0, 0.18))
    veins = [((0, y), (0.34, y - 0.2)) for y in (-0.3, -0.02)]
    return [*_mirrored([edge, *veins]), _curve((0, -0.7), (0, 0.4), (0.12, 0.98))]


def acorn() -> Lines:
    """The acorn of the German cards."""
    nut = _curve((0.44, -0.12), (0.42, 0.36), (0.22, 0.74), (0, 0.96))
    cup = _curve((0.52, -0.12), (0.5, -0.44), (0.26, -0.66), (0, -0.7))
    scales = [((0.16, -0.62), (0.34, -0.12)), ((0.4, -0.5), (0.08, -0.12))]
    rim = ((-0.52, -0.12), (0.52, -0.12))
    return [*_mirrored([nut, cup, *scales]), rim, _curve((0, -0.7), (0.04, -0.86), (0.14, -1))]


def bell() -> Lines:
    """The bell of the German cards."""
    slit = _curve((-0.42, 0.28), (0, 0.36), (0.42, 0.28))
    return [
        circle(0, 0.1, 0.72),
        circle(0, -0.78, 0.16),
        *(_curve((-0.7, y), (0, y + 0.12), (0.7, y)) for y in (-0.06, 0.06)),
        slit,
        circle(0, 0.34, 0.1),
        ((0, 0.44), (0, 0.8)),
    ]


SUITS: Final[dict[str, tuple[Callable[[], Lines], ...]]] = {
    "modern": (heart, spade, diamond, club),
    "1713": (heart, leaf, bell, acorn),
}


# Modern signs: one outline, one letter


def crown(tips: int = 3, height: float = 1.0) -> Lines:
    """A crown, twice as wide as high."""
    xs = [-1 + 2 * step / (2 * tips - 2) for step in range(2 * tips - 1)]
    top = [(x * (1.0 if n % 2 else 1.08), 0.05 if n % 2 else -height) for n, x in enumerate(xs)]
    band = ((-0.92, 0.5), (0.92, 0.5), (0.92, 0.72), (-0.92, 0.72), (-0.92, 0.5))
    balls = [circle(x, y - 0.12, 0.12, 12) for n, (x, y) in enumerate(top) if n % 2 == 0]
    return [((-0.92, 0.5), *top, (0.92, 0.5)), band, *balls]


def _cap() -> Lines:
    """The cap of a jack, with its feather."""
    hat = _curve((-0.9, 0.4), (-0.7, -0.3), (0, -0.6), (0.6, -0.3), (0.9, 0.4))
    brim = _curve((-1, 0.4), (0, 0.62), (1, 0.4))
    feather = _curve((0.3, 0.1), (0.9, -0.5), (1.3, -1.1), (0.8, -0.9), (0.3, 0.1))
    return [hat, brim, feather, ((0.3, 0.1), (1.1, -0.9))]


def _with_letter(index: str, top: Lines) -> Lines:
    return [
        *placed(heart(), 0, 0.26, 0.58),
        *straight(index, 0.44, 0, 0.28),
        *placed(top, 0, -0.52, 0.25),
    ]


def _rings() -> Lines:
    return [
        *(circle(x, 0.16, r) for x in (-0.26, 0.26) for r in (0.4, 0.48)),
        *placed(heart(), 0, -0.56, 0.22),
    ]


def _card(index: str) -> Lines:
    edge = (
        *((-0.5, -0.8), (0.5, -0.8), (0.56, -0.74), (0.56, 0.74), (0.5, 0.8)),
        *((-0.5, 0.8), (-0.56, 0.74), (-0.56, -0.74), (-0.5, -0.8)),
    )
    return [
        edge,
        *straight(index, 0.5, 0, -0.34),
        *placed(heart(), 0, 0.36, 0.26),
    ]


def _fan(_: str) -> Lines:
    """Three cards of a run, side by side: a fan's cards would cover each other."""
    return [
        line
        for number, x, y, turn in (
            ("7", -0.5, 0.06, -0.03),
            ("8", 0, -0.04, 0),
            ("9", 0.5, 0.06, 0.03),
        )
        for line in placed(_card(number), x, y, 0.42, turn)
    ]


def _ten(_: str) -> Lines:
    rows = ((-0.52, 3), (-0.06, 4), (0.4, 3))
    spots = [((n - (count - 1) / 2) * 0.4, y) for y, count in rows for n in range(count)]
    return [line for x, y in spots for line in placed(heart(), x, y + 0.06, 0.17)]


def goat() -> Lines:
    """The head of a goat from the front."""
    horn = _curve(
        *((0.1, -0.36), (0.2, -0.74), (0.5, -0.88), (0.76, -0.66), (0.72, -0.36), (0.52, -0.34))
    )
    inner = _curve((0.22, -0.34), (0.3, -0.6), (0.5, -0.72), (0.62, -0.58), (0.52, -0.34))
    ear = _curve((0.26, -0.22), (0.56, -0.2), (0.74, -0.02), (0.5, 0.02), (0.27, -0.1))
    face = _curve((0, -0.38), (0.22, -0.34), (0.27, -0.12), (0.2, 0.2), (0.13, 0.42), (0, 0.48))
    eye = _curve((0.09, -0.12), (0.15, -0.17), (0.21, -0.1), (0.14, -0.08), (0.09, -0.12))
    nose = _curve((0.03, 0.3), (0.08, 0.26), (0.1, 0.32))
    beard = [
        _curve((0.1, 0.46), (0.13, 0.66), (0.04, 0.94)),
        _curve((0.04, 0.5), (0.05, 0.7), (0, 0.96)),
    ]
    return [*_mirrored([horn, inner, ear, face, eye, nose, *beard]), ((-0.06, 0.4), (0.06, 0.4))]


def _coins(_: str) -> Lines:
    """Three stacks of chips."""
    half, lines = 0.25, []
    for x, count in ((-0.56, 3), (0, 5), (0.56, 2)):
        for n in range(count):
            y = 0.56 - 0.2 * n
            lines.append(tuple((x + half * u, y + 0.1 * v) for u, v in circle(0, 0, 1)[9:28]))
            lines += [((x + side * half, y), (x + side * half, y - 0.2)) for side in (-1, 1)]
        top = 0.56 - 0.2 * count
        lines.append(tuple((x + half * u, top + 0.1 * v) for u, v in circle(0, 0, 1)))
    return lines


_MODERN: Final[dict[str, Callable[[str], Lines]]] = {
    "ace": lambda index: [*placed(heart(), 0, 0.02, 0.74), *straight(index, 0.6, 0, 0.02)],
    "king": lambda index: _with_letter(index, crown()),
    "queen": lambda index: _with_letter(index, crown(5, 0.7)),
    "jack": lambda index: _with_letter(index, _cap()),
    "ten": _ten,
    "marriage": lambda _: _rings(),
    "sequence": _fan,
    "poch": lambda _: placed(goat(), 0, 0, 0.84),
    "pinke": _coins,
}


# Old signs: busts


def _face(beard: bool) -> Lines:
    eye = _curve((0.06, -0.22), (0.12, -0.26), (0.18, -0.21), (0.12, -0.19), (0.06, -0.22))
    brow = _curve((0.05, -0.29), (0.12, -0.33), (0.2, -0.29))
    side = _curve((0.27, -0.4), (0.28, -0.2), (0.24, 0.02), (0.12, 0.17), (0, 0.21))
    lines = _mirrored([eye, brow, side])
    lines += [_curve((0.02, -0.22), (0.06, -0.06), (-0.03, -0.04))]
    lines += [_curve((-0.08, 0.07), (0, 0.1), (0.08, 0.07))]
    if beard:
        whisker = _curve((0, 0.0), (0.1, 0.0), (0.2, 0.08), (0.26, 0.04))
        edge = _curve((0.26, -0.1), (0.3, 0.12), (0.2, 0.36), (0, 0.52))
        strands = [_curve((x, 0.2), (x * 1.05, 0.32), (x * 0.7, 0.44)) for x in (0.06, 0.15)]
        lines += _mirrored([whisker, edge, *strands])
    return lines


def _shoulders(low: float = 0.72) -> Lines:
    cloak = _curve((0.16, 0.24), (0.3, 0.36), (0.58, 0.46), (0.7, low))
    seam = _curve((0.1, 0.3), (0.16, 0.5), (0.12, low + 0.06))
    return _mirrored([cloak, seam])


def _king(_: str = "") -> Lines:
    locks = _curve((0.28, -0.4), (0.4, -0.24), (0.34, -0.06), (0.44, 0.08), (0.36, 0.2))
    return [
        *placed(crown(), 0, -0.62, 0.3),
        *_face(beard=True),
        *_mirrored([locks]),
        *_shoulders(),
        *placed(heart(), -0.58, -0.3, 0.15),
    ]


def _queen(_: str = "") -> Lines:
    locks = [
        _curve((0.27, -0.42), (0.42, -0.2), (0.36, 0.02), (0.46, 0.2), (0.38, 0.4)),
        _curve((0.28, -0.3), (0.32, -0.1), (0.29, 0.1), (0.34, 0.3)),
    ]
    pearls = [circle(x, 0.34 - 0.6 * x * x + 0.06, 0.035, 8) for x in (-0.2, -0.1, 0, 0.1, 0.2)]
    return [
        *placed(crown(5, 0.7), 0, -0.6, 0.28),
        *_face(beard=False),
        *_mirrored(locks),
        *pearls,
        *_shoulders(),
        *placed(heart(), -0.6, -0.3, 0.15),
    ]


def _jack(_: str = "") -> Lines:
    locks = _curve((0.27, -0.36), (0.36, -0.22), (0.3, -0.06), (0.38, 0.02))
    axe = [
        ((0.66, -0.74), (0.66, 0.5)),
        _curve((0.66, -0.6), (0.84, -0.62), (0.86, -0.36), (0.66, -0.4)),
        _curve((0.66, -0.56), (0.54, -0.5), (0.66, -0.44)),
    ]
    return [
        *placed(_cap(), 0, -0.54, 0.34),
        *_face(beard=False),
        *_mirrored([locks]),
        *_shoulders(),
        *axe,
        *placed(heart(), -0.58, -0.3, 0.15),
    ]


def _fool(_: str = "") -> Lines:
    horn = _curve((0.28, -0.36), (0.4, -0.72), (0.7, -0.7), (0.78, -0.4))
    under = _curve((0.3, -0.3), (0.5, -0.5), (0.72, -0.42))
    middle = _curve((0.16, -0.5), (0.14, -0.76), (0, -0.9))
    points = [((x, 0.3), (x + 0.12, 0.56), (x + 0.24, 0.3)) for x in (0.0, 0.24)]
    return [
        *_face(beard=False),
        *_mirrored([horn, under, middle, circle(0.78, -0.32, 0.08, 12), *points]),
        circle(0, -0.95, 0.06, 12),
        _curve((-0.28, -0.4), (0, -0.46), (0.28, -0.4)),
        *_mirrored([circle(0.12, 0.62, 0.05, 10), circle(0.36, 0.62, 0.05, 10)]),
        _curve((-0.46, 0.3), (0, 0.24), (0.46, 0.3)),
    ]


def _wreath() -> Lines:
    """Leaves around the middle, open at the bottom."""
    blade = [_curve((0, -1), (0.4, -0.2), (0, 0.8)), _curve((0, -1), (-0.4, -0.2), (0, 0.8))]
    turns = [n / 18 for n in range(18) if n != 9]
    return [
        line
        for turn in turns
        for line in placed(
            blade,
            0.78 * math.sin(2 * math.pi * turn),
            -0.78 * math.cos(2 * math.pi * turn),
            0.15,
            turn + (0.2 if turn < 0.5 else -0.2),
        )
    ]


def _old_ace(_: str) -> Lines:
    return [*placed(heart(), 0, 0.02, 0.5), *placed(heart(), 0, 0.02, 0.37), *_wreath()]


_OLD: Final[dict[str, Callable[[str], Lines]]] = {
    "ace": _old_ace,
    "king": lambda _: placed(_king(), 0, 0.06, 0.86),
    "queen": lambda _: placed(_queen(), 0, 0.06, 0.86),
    "jack": lambda _: placed(_jack(), 0, 0.06, 0.86),
    "ten": lambda _: [*placed(_ten(""), 0, 0, 0.86)],
    "marriage": lambda _: [
        *placed(_king()[:-1], -0.4, 0.12, 0.56),
        *placed(_queen()[:-1], 0.4, 0.12, 0.56),
        *placed(heart(), 0, -0.62, 0.16),
    ],
    "sequence": _fan,
    "poch": lambda _: placed(goat(), 0, 0, 0.88),
    "pinke": lambda _: placed(_fool(), 0, 0.1, 0.9),
}
