"""The palette for every colour vision, and the limit of the power (BOARD.md 4)."""

from itertools import combinations, pairwise, product
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.lights.frame import FULL, NORMAL, PALETTE, QUARTER, WHITE, estimate_ma, limit
from pochboard.lights.lights_config import LightsConfig, pixel
from tests.not_empty import not_empty

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

NORMAL_VISION: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
MACHADO: dict[str, Matrix] = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
BRETTEL_TRITAN: tuple[Matrix, Matrix] = (
    ((1.01277, 0.13548, -0.14826), (-0.01243, 0.86812, 0.14431), (0.07589, 0.80500, 0.11911)),
    ((0.93678, 0.18979, -0.12657), (0.06154, 0.81526, 0.12320), (-0.37562, 1.12767, 0.24796)),
)
BRETTEL_NORMAL: Triple = (0.03901, -0.02788, -0.01113)
XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
EYES = ["normal", *MACHADO, "brettel-tritan"]
LEVELS = [FULL, NORMAL, QUARTER]


def times(matrix: Matrix, vector: Triple) -> Triple:
    x, y, z = (sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)
    return x, y, z


def seen_by(eye: str, light: Triple) -> Triple:
    if eye == "brettel-tritan":
        side = sum(a * b for a, b in zip(BRETTEL_NORMAL, light, strict=True)) < 0
        seen = times(BRETTEL_TRITAN[side], light)
    else:
        seen = times(MACHADO.get(eye, NORMAL_VISION), light)
    red, green, blue = (min(1.0, max(0.0, part)) for part in seen)
    return red, green, blue


def lab(light: Triple) -> Triple:
    white = times(XYZ, (1, 1, 1))
    x, y, z = (part / full for part, full in zip(times(XYZ, light), white, strict=True))
    fx, fy, fz = (
        t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z)
    )
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def difference(one: Triple, other: Triple) -> float:
    """CIEDE2000 between two colours in CIELAB, after Sharma, Wu and Dalal (2005)."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    mean7 = ((hypot(a1, b1) + hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * sqrt(mean7 / (mean7 + 25**7))
    c1, c2 = hypot(a1 * stretch, b1), hypot(a2 * stretch, b2)
    h1 = degrees(atan2(b1, a1 * stretch)) % 360 if c1 else 0.0
    h2 = degrees(atan2(b2, a2 * stretch)) % 360 if c2 else 0.0
    turn = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    delta_h = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    rotation = (
        -2
        * sqrt(chroma**7 / (chroma**7 + 25**7))
        * sin(radians(60 * exp(-((((hue % 360) - 275) / 25) ** 2))))
    )
    p, q, r = (l2 - l1) / s_l, (c2 - c1) / s_c, delta_h / s_h
    return sqrt(p * p + q * q + r * r + rotation * q * r)


def shades(level: float, eye: str, colours: tuple[str, ...] = PALETTE) -> list[Triple]:
    """The colours as this eye sees the pixels of the default board at this level, in CIELAB."""
    shades_seen = []
    for colour in colours:
        red, green, blue = (value / 255 for value in pixel(LightsConfig(), colour, level))
        shades_seen.append(lab(seen_by(eye, (red, green, blue))))
    return shades_seen


@pytest.mark.parametrize(("eye", "level"), list(product(EYES, LEVELS)))
def test_any_two_colours_can_be_told_apart(eye: str, level: float) -> None:
    for one, other in not_empty(combinations(shades(level, eye), 2)):
        assert difference(one, other) > 9


@pytest.mark.parametrize(("eye", "level"), list(product(EYES, LEVELS)))
def test_neighbours_are_far_apart_and_differ_in_brightness(eye: str, level: float) -> None:
    for one, other in not_empty(pairwise(shades(level, eye))):
        assert difference(one, other) > 20
        assert abs(one[0] - other[0]) > 10


@pytest.mark.parametrize(("eye", "level"), list(product(EYES, LEVELS)))
def test_white_can_be_told_from_every_colour(eye: str, level: float) -> None:
    white, *colours = shades(level, eye, (WHITE, *PALETTE))
    for colour in not_empty(colours):
        assert difference(white, colour) > 7


frames = st.integers(1, 232).flatmap(
    lambda pixels: st.binary(min_size=3 * pixels, max_size=3 * pixels)
)


def test_the_estimate_is_the_formula() -> None:
    assert estimate_ma(bytes(348)) == 116
    assert estimate_ma(b"\xff" * 348) == 116 * 55 + 116
    assert estimate_ma(bytes((10, 20, 30, 0, 0, 0))) == pytest.approx(60 * 55 / 765 + 2)


@given(frame=frames, limit_ma=st.floats(1, 12_000))
def test_no_frame_is_above_the_limit(frame: bytes, limit_ma: float) -> None:
    limited = limit(frame, limit_ma)
    assert len(limited) == len(frame)
    if limit_ma >= len(frame) // 3:
        assert estimate_ma(limited) <= limit_ma
    else:
        assert limited == bytes(len(frame))


@given(
    frame=st.binary(min_size=348, max_size=348).filter(lambda frame: sum(frame) > 5000),
    share=st.floats(0.05, 0.95),
)
def test_all_pixels_are_scaled_alike_and_the_limit_is_used(frame: bytes, share: float) -> None:
    limit_ma = 116 + (estimate_ma(frame) - 116) * share
    limited = limit(frame, limit_ma)
    # Rounding costs half a step. Staying below the limit in spite of it costs a few hundredths.
    for was, now in zip(frame, limited, strict=True):
        assert share * was * 0.9 - 1 <= now <= share * was + 0.6


UNREADABLE = (
    "With a brightness of {brightness} and {limit} mA for 116 pixels, chips in the colour #00adee"
    " could not always be read at night, in blocked pools or on a full board: raise the brightness"
    " or the power limit."
)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"limit_ma": 200}, UNREADABLE.format(brightness="1", limit=200)),
        ({"limit_ma": 116}, "A power limit of 116 mA leaves nothing for light.*"),
        ({"palette": (*PALETTE[:5], "#00aeef")}, "#00adee and #00aeef are too similar.*"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        LightsConfig(**settings)  # type: ignore[arg-type]
