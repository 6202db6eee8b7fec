"""A few of the evenings with faults that `make soak` plays by the thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.soak import PER_HOUSE, plan_of, play_house


@pytest.mark.parametrize(
    ("seed", "house", "board", "evenings"),
    [("3", 0, "simulator", 10), ("3", 1, "simulator", 6), ("7", 0, "pico", 4)],
    ids=["calm", "restarts", "pico"],
)
def test_after_each_evening_everything_agrees(
    tmp_path: Path, seed: str, house: int, board: str, evenings: int
) -> None:
    first = house * PER_HOUSE
    assert plan_of(seed, first).board == board
    happened = play_house(seed, first, evenings, tmp_path, print)
    assert (happened["starts"] > 1) == (house == 1)
    assert happened["fill_disk"] + happened["jump_clock"] > 2


def test_a_seed_determines_the_plans() -> None:
    plans = [[str(plan_of(seed, number)) for number in range(100)] for seed in ("1", "1", "2")]
    assert plans[0] == plans[1] != plans[2]
    assert {plan.split()[0] for plan in plans[0]} == {"simulator", "pico"}
