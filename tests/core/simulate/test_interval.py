"""Intervals: values from the literature, and how often they contain the true value."""

from __future__ import annotations

from math import comb, sqrt
from statistics import NormalDist

import pytest

from pochboard.history.people import wilson
from pochboard.simulate.tally import Ratio

Z = NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # The same with hits and misses swapped.
        (20, 20, 0.8389, 1.0000),
        (28, 29, 0.8282, 0.9939),
    ],
)
def test_wilson(hits: int, trials: int, low: float, high: float) -> None:
    interval = wilson(hits, trials)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@pytest.mark.parametrize("trials", [100, 400])
@pytest.mark.parametrize("chance", [0.05, 0.1694, 0.5, 0.875])
def test_wilson_holds_the_truth_as_often_as_it_should(chance: float, trials: int) -> None:
    held = sum(
        comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
        for hits in range(trials + 1)
        if chance in wilson(hits, trials)
    )
    assert 0.93 < held < 0.97


def ratio(nights: list[tuple[int, int]]) -> Ratio:
    total = Ratio()
    for top, bottom in nights:
        total = total.with_night(top, bottom)
    return total


def test_the_mean_of_nights() -> None:
    nets = [2, 4, 4, 4, 5, 5, 7, 9]
    net_ratio = ratio([(net, 1) for net in nets])
    assert net_ratio.mean == 5
    assert net_ratio.interval is not None
    # The squares of the differences sum to 32, over 7 degrees of freedom.
    half = Z * sqrt(32 / 7 / 8)
    assert net_ratio.interval.low == pytest.approx(5 - half)
    assert net_ratio.interval.high == pytest.approx(5 + half)
    assert net_ratio.interval.half_width == pytest.approx(half)


def test_a_share_of_deals_that_hang_together_is_wider() -> None:
    # All deals of a night have the same result, so 40 nights say no more than 40 deals would.
    together = ratio([(10 * (night % 2), 10) for night in range(40)]).proportion_interval
    apart = ratio([(5, 10), *[(4, 10), (6, 10)] * 20]).proportion_interval
    assert together is not None
    assert apart is not None
    assert together.half_width == pytest.approx(wilson(19.5, 39).half_width)
    assert apart.half_width < wilson(205, 410).half_width < together.half_width
