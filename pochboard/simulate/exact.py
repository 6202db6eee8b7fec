"""How likely each pool is to be won in a deal, counted from the cards (RULES.md 3 and 10)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import perm
from typing import Final

from pochboard.rules.melding import RANK_POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.simulate.runless import can_be_counted, no_run

_SINGLE: Final = frozenset(RANK_POOLS.values())


@cache
def chances(rules: Ruleset, live: int) -> Mapping[str, Fraction]:
    """The chance that each meld pool is won in a deal of so many live seats, all of them claiming.

    A pool that is not anted holds nothing to win. The sequence pool is missing where any run of
    three wins it and the hands are too many or too large to count.
    """
    found = {}
    for pool in rules.meld_pools:
        chance = _chance(pool, rules, live) if pool in rules.ante_pools else Fraction(0)
        if chance is not None:
            found[pool] = chance
    return found


def _chance(pool: str, rules: Ruleset, live: int) -> Fraction | None:
    if pool in _SINGLE:
        ranks = rules.deck_for(live) // 4
        turned = Fraction(1, ranks) if rules.turned_card == "dealer" else Fraction(0)
        return turned + _in_one_hand(1, rules, live)
    if pool == "sequence" and rules.sequence != "trump-789":
        hands = rules.hand_sizes(live)
        ranks = rules.deck_for(live) // 4
        return 1 - no_run(hands, ranks) if can_be_counted(hands) else None
    return _in_one_hand({"marriage": 2, "sequence": 3}[pool], rules, live)


def _in_one_hand(cards: int, rules: Ruleset, live: int) -> Fraction:
    """The chance that one hand holds so many given ranks of the suit turned up.

    No card of them may be the one turned up itself, which is as likely to be any rank; the others
    lie in the rest of the deck in any order, and a hand is so many places in it.
    """
    deck = rules.deck_for(live)
    ranks = deck // 4
    not_turned = Fraction(ranks - cards, ranks)
    ways = sum(perm(hand, cards) for hand in rules.hand_sizes(live))
    return not_turned * Fraction(ways, perm(deck - 1, cards))


def expected(rules: Ruleset, deals: Mapping[int, int]) -> dict[str, float]:
    """The mean chance of each pool over deals as they were played, given by their live seats.

    A pool is missing if its chance could not be counted for each of them.
    """
    whole = sum(deals.values())
    found = {live: chances(rules, live) for live in deals}
    return {
        pool: float(sum(deals[live] * found[live][pool] for live in deals) / whole)
        for pool in rules.meld_pools
        if all(pool in of_live for of_live in found.values())
    }
