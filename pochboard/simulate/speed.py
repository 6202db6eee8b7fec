"""How many deals bots play a second, on one core."""

from __future__ import annotations

import time

from pochboard.bots.strategy import DEFAULT_STRATEGIES
from pochboard.rules.ruleset_files import SHIPPED, shipped_rulesets
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import play_batch

PLAYERS = 4


def deals_a_second(name: str, nights: int) -> float:
    """Plays nights of a shipped ruleset, as `pochboard simulate` counts them; the rate of deals."""
    rules = shipped_rulesets()[name]
    strategies = tuple(
        DEFAULT_STRATEGIES[seat % len(DEFAULT_STRATEGIES)] for seat in range(PLAYERS)
    )
    plan = Plan(rules, strategies, nights, 1, rules.stack)
    begun_s = time.process_time()
    batch = play_batch(plan, range(1, nights + 1), as_rows=False)
    return batch.tally.deals / (time.process_time() - begun_s)


def slowest_ruleset(nights: int) -> tuple[str, float]:
    """The shipped ruleset whose deals take longest, and how many of them are played a second."""
    rates = {name: deals_a_second(name, nights) for name in SHIPPED}
    slowest = min(rates, key=lambda name: rates[name])
    return slowest, rates[slowest]
