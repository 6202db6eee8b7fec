"""What docs/STUDY.md counts, beside what the simulation counts itself."""

from __future__ import annotations

import pytest

from docs.study.study import OFTEN, Counts, counted, variants
from pochboard.bots.strategy import SENSIBLE
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import InlineExecutor, simulate
from pochboard.simulate.tally import Tally


def played(ruleset: str, *, often: bool = False) -> tuple[Tally, Counts]:
    rules = shipped_rulesets()[ruleset]
    strategies = (OFTEN if often else SENSIBLE, *(SENSIBLE,) * 3)
    plan = Plan(rules, strategies, 12, 1, rules.stack)
    return counted(plan, simulate(plan, InlineExecutor(), as_rows=True))


# Rulesets in which nobody is out before the end.
@pytest.mark.parametrize("ruleset", ["modern", "philos", "thirty-one"])
def test_what_the_first_seat_wins_is_its_net(ruleset: str) -> None:
    tally, counts = played(ruleset)
    nets = [tally.ratio("net", seat).numerator for seat in range(1, 5)]
    mean, interval = counts.first_seat.mean()
    assert mean == pytest.approx((nets[0] - sum(nets) / 4) / tally.deals)
    assert mean in interval


def test_the_luck_of_the_cards_cancels_out() -> None:
    (_, usual), (_, often) = played("modern"), played("modern", often=True)
    assert usual.forehand.mean(usual.forehand) == (0, usual.forehand.mean(usual.forehand)[1])
    alone, difference = often.first_seat.mean()[1], often.first_seat.mean(usual.first_seat)[1]
    assert 0 < difference.half_width < alone.half_width


def test_each_variant_changes_one_rule() -> None:
    rules = shipped_rulesets()["modern"]
    names = rules.__struct_fields__
    for what, changed in variants(rules):
        differ = [name for name in names if getattr(rules, name) != getattr(changed, name)]
        assert differ == [what.partition(" ")[0]]
