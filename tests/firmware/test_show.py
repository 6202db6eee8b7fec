"""The bytes for the pixels: order, power limit, pulse of a silent host, darkness (BOARD.md 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.link import DARK, LIT, SILENT, Layout
from firmware.show import Show, limit_power
from pochboard import wire
from pochboard.lights.animation import LINK_LOST, level_at
from pochboard.lights.frame import DARK_MA, estimate_ma, limit

LAYOUT = Layout(12, 8, 3000, 3)
PIXELS = LAYOUT.pixels


def started(limit_ma: int = 3000) -> Show:
    """A show that has cleared the pixels' previous colours."""
    show = Show(limit_ma)
    assert colours_of(show.next(DARK, None, None, 0), 4) == [(0, 0, 0, 0)] * wire.MAX_PIXELS
    return show


def colours_of(wired: bytes | bytearray | None, pixel_bytes: int = 3) -> list[tuple[int, ...]]:
    """Red, green, blue (and white) of each pixel, decoded from the pixels' own order."""
    assert wired is not None, "nothing is written"
    pixels = [wired[at : at + pixel_bytes] for at in range(0, len(wired), pixel_bytes)]
    return [(pixel[1], pixel[0], *pixel[2:]) for pixel in pixels]


def laid_out(show: Show, layout: Layout = LAYOUT) -> Show:
    """The show after it has drawn the dark board of a layout."""
    while show.next(DARK, layout, None, 0) is not None:
        pass
    return show


def test_all_possible_pixels_are_cleared_once_at_the_start() -> None:
    show = started()
    assert show.next(DARK, None, None, 100) is None


def test_frame_is_written_once_as_green_red_blue() -> None:
    show = laid_out(started())
    frame = bytes((10, 20, 30)) + bytes(3 * PIXELS - 6) + bytes((1, 2, 3))
    out = show.next(LIT, LAYOUT, frame, 0)
    assert out is not None
    assert bytes(out) == bytes((20, 10, 30)) + bytes(3 * PIXELS - 6) + bytes((2, 1, 3))
    assert show.next(LIT, LAYOUT, frame, 5) is None
    assert show.next(LIT, LAYOUT, bytes(frame), 999) is None, (
        "an identical frame is not written again"
    )
    assert colours_of(show.next(LIT, LAYOUT, bytes(3 * PIXELS), 5000)) == [(0, 0, 0)] * PIXELS


def test_white_of_rgbw_pixels_stays_off() -> None:
    layout = Layout(2, 3, 3000, 4)
    show = laid_out(started(), layout)
    frame = bytes(range(1, 1 + 3 * 21))
    wired = colours_of(show.next(LIT, layout, frame, 0), 4)
    assert wired == [(n, n + 1, n + 2, 0) for n in range(1, 64, 3)]


@pytest.mark.parametrize("state", [DARK, LIT])
def test_board_is_dark_without_a_host_and_before_its_first_frame(state: int) -> None:
    show = started()
    show.next(state, LAYOUT, None, 0)
    frame = bytes((9, 9, 9)) * PIXELS if state == DARK else None
    assert colours_of(show.next(state, LAYOUT, frame, 0)) == [(0, 0, 0)] * PIXELS
    assert show.next(state, LAYOUT, frame, 999) is None
    assert colours_of(show.next(state, LAYOUT, frame, 1000)) == [(0, 0, 0)] * PIXELS
    assert show.next(state, LAYOUT, frame, 1999) is None


def test_silent_host_gives_a_slow_blue_pulse_on_the_places_only() -> None:
    show = laid_out(started())
    frame = bytes((9, 9, 9)) * PIXELS
    show.next(LIT, LAYOUT, frame, 0)
    seen: list[int] = []
    for now in range(0, 4000, 20):
        out = show.next(SILENT, LAYOUT, frame, now)
        if out is not None:
            wired = colours_of(out)
            assert wired[:-8] == [(0, 0, 0)] * (PIXELS - 8)
            assert len(set(wired[-8:])) == 1
            red, green, blue = wired[-1]
            assert (red, green) == (0, 0)
            seen.append(blue)
            # A lost link looks the same on the other boards.
            assert blue == pytest.approx(255 * level_at(LINK_LOST, now * 1000), abs=1)
    assert len(seen) > 40
    assert min(seen) > 0, "the pulse is never fully dark"
    assert max(seen) > 4 * min(seen)
    assert colours_of(show.next(LIT, LAYOUT, frame, 4000)) == [(9, 9, 9)] * PIXELS


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LAYOUT, Layout(4, 3, 3000, 3)),
        (Layout(4, 3, 3000, 3), LAYOUT),
        (Layout(12, 8, 3000, 4), LAYOUT),
        (LAYOUT, None),
        (LAYOUT, Layout(200, 8, 3000, 3)),
    ],
)
def test_new_layout_first_clears_all_pixels_of_the_old_one(
    before: Layout, after: Layout | None
) -> None:
    show = laid_out(started(), before)
    lit = show.next(LIT, before, b"\x05" * (3 * before.pixels), 0)
    assert lit is not None
    length = len(lit)
    out = show.next(LIT, after, None, 0)
    assert out is not None
    assert len(out) >= length
    assert not any(out)


frames = st.lists(st.integers(0, 255), min_size=3, max_size=60).map(
    lambda levels: bytes(levels[: len(levels) // 3 * 3])
)
limits = st.integers(0, 65535) | st.integers(1, 200) | st.integers(1000, 3500)


@given(frames, st.integers(1, 30), limits)
def test_power_limit_agrees_with_that_of_the_daemon(part: bytes, times: int, limit_ma: int) -> None:
    frame = part * times
    dark_ma = len(frame) // 3 * DARK_MA
    limited = limit_power(frame, limit_ma)
    assert len(limited) == len(frame)
    if estimate_ma(frame) <= limit_ma:
        assert limited == frame
        return
    assert estimate_ma(limited) <= max(limit_ma, dark_ma)
    # As bright as the daemon would make it, apart from rounding.
    wanted = limit(frame, limit_ma)
    assert all(abs(one - other) <= 1 for one, other in zip(limited, wanted, strict=True))


@pytest.mark.parametrize(("own_ma", "hosts_ma"), [(1000, 3000), (3000, 1000), (500, 500)])
def test_lower_limit_applies_to_frames(own_ma: int, hosts_ma: int) -> None:
    layout = Layout(12, 8, hosts_ma, 3)
    show = laid_out(started(own_ma), layout)
    out = show.next(LIT, layout, b"\xff" * 3 * PIXELS, 0)
    assert out is not None
    limit_ma = min(own_ma, hosts_ma)
    assert limit_ma * 0.95 < estimate_ma(bytes(out)) <= limit_ma


def test_power_limit_applies_to_the_pulse() -> None:
    layout = Layout(12, 8, 150, 3)
    show = laid_out(started(), layout)
    out = show.next(SILENT, layout, None, 0)
    assert out is not None
    assert 116 < estimate_ma(bytes(out)) <= 150
