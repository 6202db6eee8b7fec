"""Raw levels become edges once they have been stable for 8 ms (BOARD.md 2 and 6)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pochboard.buttons.press import Debouncer, Edge

STABLE_US = 8_000


def played(levels: list[tuple[str, bool, int]], looks: list[int] | None = None) -> list[Edge]:
    """The edges from raw levels read at these times, with calls of `due` in between at `looks`."""
    debouncer = Debouncer()
    edges: list[Edge] = []
    moments: list[tuple[int, int, tuple[str, bool, int] | None]] = [
        (level[2], number, level) for number, level in enumerate(levels)
    ]
    moments += [(at_us, -1, None) for at_us in looks or []]
    for at_us, _, level in sorted(moments, key=lambda moment: moment[:2]):
        edges += debouncer.feed(*level) if level else debouncer.due(at_us)
    while (due_us := debouncer.next_us()) is not None:
        edges += debouncer.due(due_us)
    return edges


def test_an_edge_comes_when_the_level_has_been_stable_for_eight_milliseconds() -> None:
    debouncer = Debouncer()
    assert debouncer.feed("ace", True, 1_000) == []
    assert debouncer.next_us() == 9_000
    assert debouncer.due(8_999) == []
    assert debouncer.due(9_000) == [("ace", True, 1_000)]
    assert debouncer.due(20_000) == []
    assert debouncer.next_us() is None


def test_a_down_comes_before_the_up_that_followed_it() -> None:
    debouncer = Debouncer()
    debouncer.feed("ace", True, 0)
    debouncer.feed("next", True, 10_000)
    debouncer.feed("ace", False, 10_001)
    edges = [("next", True, 10_000), ("ace", False, 10_001)]
    assert debouncer.due(20_000) == edges


@st.composite
def bursts(draw: st.DrawFn) -> tuple[list[tuple[str, bool, int]], list[Edge]]:
    """Presses that bounce for up to 5 ms at every change, and the edges they stand for."""
    levels: list[tuple[str, bool, int]] = []
    edges: list[Edge] = []
    for button in draw(st.lists(st.sampled_from(["ace", "next", "seat2"]), unique=True)):
        at_us = draw(st.integers(0, 50_000))
        down = False
        for _ in range(draw(st.integers(1, 6))):
            down = not down
            bounces = draw(st.lists(st.integers(1, 5_000), max_size=4, unique=True).map(sorted))
            if len(bounces) % 2:
                bounces = bounces[1:]
            level = down
            for after_us in [0, *bounces]:
                levels.append((button, level, at_us + after_us))
                level = not level
            began_us = at_us + (bounces[-1] if bounces else 0)
            edges.append((button, down, began_us))
            at_us = began_us + draw(st.integers(STABLE_US, 900_000))
    return sorted(levels, key=lambda level: level[2]), sorted(edges, key=lambda edge: edge[2])


@given(bursts(), st.lists(st.integers(0, 3_000_000), max_size=30))
def test_a_bouncing_contact_gives_one_edge_when_its_level_began(
    burst: tuple[list[tuple[str, bool, int]], list[Edge]], looks: list[int]
) -> None:
    levels, edges = burst
    reported = played(levels, looks)
    assert sorted(reported) == sorted(edges)
    assert [at_us for *_, at_us in reported] == [at_us for *_, at_us in edges]


@given(
    st.lists(
        st.tuples(st.sampled_from(["ace", "next", "seat2"]), st.booleans(), st.integers(0, 60_000)),
        max_size=60,
    ),
    st.lists(st.integers(0, 70_000), max_size=30),
)
def test_edges_alternate_are_in_order_and_end_at_the_last_level(
    levels: list[tuple[str, bool, int]], looks: list[int]
) -> None:
    levels = sorted(levels, key=lambda level: level[2])
    reported = played(levels)
    times = [at_us for *_, at_us in reported]
    assert times == sorted(times)
    last: dict[str, bool] = {}
    for button, down, _ in reported:
        assert last.get(button, False) != down
        last[button] = down
    for button, level in {button: level for button, level, _ in levels}.items():
        assert last.get(button, False) == level
    # Calling `due` more often changes nothing.
    assert played(levels, looks) == reported
