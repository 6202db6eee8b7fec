"""A few of the evenings with faults that `make soak` plays by the thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.soak import PER_HOUSE, plan_of, play_house


@pytest.mark.usefixtures("forked_with_shim")
@pytest.mark.parametrize(
    ("seed", "house", "board", "evenings", "faults"),
    [
        ("156", 1, "simulator", 6, {"undo", "sleep", "fill_disk", "kill", "stop"}),
        ("79", 2, "pico", 4, {"undo", "sleep", "noise", "lose_link", "stop"}),
    ],
    ids=["restarts", "pico"],
)
def test_after_each_evening_everything_agrees(
    tmp_path: Path, seed: str, house: int, board: str, evenings: int, faults: set[str]
) -> None:
    first = house * PER_HOUSE
    assert plan_of(seed, first).board == board
    happened = play_house(seed, first, evenings, tmp_path, print)
    assert faults <= happened.keys()
    assert (happened["starts"] > 1) == ("stop" in faults)
