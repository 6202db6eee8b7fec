"""What a hand may claim in the meld (RULES.md 3 and 10)."""

from __future__ import annotations

from collections.abc import Collection

from pochboard.cards.card import Card
from pochboard.cards.runs import best_run
from pochboard.rules.melding import RANK_POOLS
from pochboard.rules.ruleset import Ruleset


def due_pools(hand: Collection[Card], trump: str | None, rules: Ruleset) -> tuple[str, ...]:
    """The meld pools that a hand may claim, marriage and sequence before the single cards.

    Who holds the marriage or a sequence takes the pools of the single cards too, so they are
    named as well. What the card turned up blocks, no hand can hold. For `sequence` another hand
    may have a better run: `runs.best_hand` decides.
    """
    if trump is None:
        due = []
    else:
        due = [pool for rank, pool in RANK_POOLS.items() if rank + trump in hand]
    if "king" in due and "queen" in due:
        due.insert(0, "marriage")
    if best_run(hand, trump, rules.sequence):
        due.insert(0, "sequence")
    return tuple([pool for pool in due if pool in rules.pools])


def pool_cards(pool: str, hand: Collection[Card], trump: str, law: str) -> tuple[Card, ...]:
    """The cards that a hand shows to claim a pool, by a ruleset's `sequence`; perhaps none."""
    if pool == "sequence":
        run = best_run(hand, trump, law)
        return run.cards if run else ()
    needed = ("king", "queen") if pool == "marriage" else (pool,)
    cards = tuple(rank + trump for rank, name in RANK_POOLS.items() if name in needed)
    return cards if all(card in hand for card in cards) else ()
