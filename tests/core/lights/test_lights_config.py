"""The power limit, and what a LightsConfig refuses because it cannot work (BOARD.md 4)."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.lights.frame import estimate_ma, limit
from pochboard.lights.lights_config import LightsConfig

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
        ({"brightness": 0.0}, "The brightness is above 0 and at most 1, not 0."),
        ({"brightness": float("nan")}, "The brightness is above 0 and at most 1, not nan."),
        ({"gamma": 0.2}, "The gamma is between 1 and 4, not 0.2."),
        ({"places": 2}, "The board has 3 to 8 places, not 2."),
        ({"pixels_per_ring": 0}, "A ring has 4 to 64 pixels, not 0."),
        ({"limit_ma": 200}, UNREADABLE.format(brightness="1", limit=200)),
        ({"palette": ("#ff0000",)}, "The palette has 6 colours, not 1."),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        LightsConfig(**settings)  # type: ignore[arg-type]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(settings, LightsConfig)
