"""How many deals bots play a second, on one core."""

from __future__ import annotations

import time

from pochboard.bots.strategy import DEFAULT_STRATEGIES
from pochboard.rules.ruleset_files import SHIPPED, shipped_rulesets
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import play_batch
from tests.bench.table import Row

PLAYERS = 4


def deals_a_second(nights: int) -> list[Row]:
    """This many nights of each ruleset, counted as in `pochboard simulate`; reports the slowest."""
    rates = {}
    for name in SHIPPED:
        rules = shipped_rulesets()[name]
        strategies = tuple(
            DEFAULT_STRATEGIES[seat % len(DEFAULT_STRATEGIES)] for seat in range(PLAYERS)
        )
        plan = Plan(rules, strategies, nights, 1, rules.stack)
        begun_s = time.process_time()
        batch = play_batch(plan, range(1, nights + 1), as_rows=False)
        rates[name] = batch.tally.deals / (time.process_time() - begun_s)
    slowest = min(rates, key=lambda name: rates[name])
    rate = f"{rates[slowest]:,.0f} /s"
    return [Row(f"deals of bots, the slowest ruleset ({slowest})", rate, "≥ 1,000 /s")]
