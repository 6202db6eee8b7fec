"""No ruleset fills a pool that nobody can win (docs/RULES.md 2), checked by playing."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from pochboard.cards.card import card_set
from pochboard.cards.hands import hand_claims, has_set
from pochboard.ledger.book import Book, Step
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import (
    BadParameterError,
    override,
    shipped_rulesets,
)
from pochboard.rules.seating import always
from pochboard.rules.state import State
from tests.core.bots.starts import TABLE, some_pools
from tests.core.play import MELD, NAMES, RULESETS, Night

SHIPPED: Final = shipped_rulesets()

# The oracle knows nothing of the check. It takes a ruleset unseen, lets a lucky
# player play in every way that may matter, and looks where chips go and who takes them.

_HANDS: Final = ("KK", "789", "678", "KQ", "A", "K", "Q", "J", "T")
"""What the lucky player is dealt first, as far as the hand is large enough: trumps, or a pair."""


class _Evening:
    """Two deals of the night: the second is its last."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = replace(rules, deals=2, leftover="bank")
        self.filled: set[str] = set()
        self.won: set[str] = set()

    def play(self, ranks: str, *, claims: bool, betting: str) -> None:
        self._book = Book(always(self.rules))
        names = list(NAMES[: self.rules.players[0]])
        self._do("start", ruleset="", players=names, stack=10_000)
        trump = self.rules.fixed_trump or "H"
        size = max(self.rules.hand_sizes(len(names)))
        cards = ("KH", "KD") if ranks == "KK" else tuple(rank + trump for rank in ranks)
        hand = cards[:size]
        while self._state.phase != "closed":
            self._do("deal")
            if self.rules.turns_a_card:
                self._do("turn", card=("A" if ranks == "T" else "T") + trump)
            if claims:
                for pool in hand_claims(card_set(hand), trump, self.rules):
                    if self._state.pool(pool) and pool not in self._state.blocked:
                        self._do("claim", seat=1, pool=pool)
            self._do("next")
            self._bet(betting, shows=has_set(card_set(hand)))
            self._do("out", seat=1)
            others = [seat for seat in self._state.live if seat != 1]
            self._do("settle", cards={str(seat): 0 for seat in others})

    def _bet(self, betting: str, *, shows: bool) -> None:
        rules = self.rules
        may_stake = shows or not rules.bet_needs_set
        while self._state.phase == "pochen":
            seat = self._state.to_act
            assert seat is not None
            stakes = may_stake and (betting == "all" or (betting == "alone" and seat == 1))
            if not stakes:
                self._do("pass", seat=seat)
                continue
            need = self._state.highest - self._state.committed[seat - 1]
            self._do("stake", seat=seat, chips=need or 1)
        if self._state.phase == "showdown":
            self._do("showdown", ranking=[1] if shows or rules.high_card else [])

    @property
    def _state(self) -> State:
        return self._book.state

    def _do(self, name: str, **fields: Any) -> None:
        before = self._state
        step = self._book.apply({"do": name, **fields})
        assert isinstance(step, Step), (name, fields, step)
        after = step.state
        taken = {pool for pool in POOLS if after.pool(pool) < before.pool(pool)}
        self.filled |= {pool for pool in POOLS if after.pool(pool) > before.pool(pool)}
        gains = any(after.stack_of(seat) > before.stack_of(seat) for seat in before.seats)
        # Stakes that nobody matched only go back to their owner.
        if gains and fields.get("ranking") != []:
            # When the night closes, all other pools go to the bank.
            self.won |= taken & {"pinke"} if after.phase == "closed" else taken


def played(rules: Ruleset, hands: tuple[str, ...] = _HANDS) -> _Evening:
    evening = _Evening(rules)
    for ranks, claims, betting in product(hands, (False, True), ("nobody", "alone", "all")):
        evening.play(ranks, claims=claims, betting=betting)
    return evening


def refusal(rules: Ruleset) -> BadParameterError | None:
    try:
        override(rules, {})
    except BadParameterError as error:
        return error
    return None


def is_playable(rules: Ruleset) -> bool:
    """Whether a ruleset is sound, apart from pools that nobody can win."""
    refused = refusal(rules)
    return refused is None or str(refused).startswith("Nobody can win")


def check(rules: Ruleset, hands: tuple[str, ...] = _HANDS) -> bool:
    """Whether a ruleset is accepted; it must be if and only if each pool with chips can be won."""
    evening = played(rules, hands)
    refused = refusal(rules)
    never = evening.filled - evening.won
    assert (refused is not None) == bool(never), (rules, never, refused)
    if refused is not None:
        # One of these pools is named.
        assert any(pool in str(refused) for pool in (*never, "betting")), refused
    return refused is None


def changed(base: str, **values: Any) -> Ruleset:
    """A ruleset that is not checked."""
    return replace(SHIPPED[base], **values)


@pytest.mark.parametrize("name", RULESETS)
def test_every_pool_of_a_shipped_ruleset_can_be_won(name: str) -> None:
    assert check(SHIPPED[name])


BOTH: Final = (False, True)
BETS: Final[dict[str, tuple[Any, ...]]] = {
    "hand": (1, 5),
    "ante_pools": (("king",), ("king", "poch"), ("king", "pinke"), ("king", "poch", "pinke")),
    "bet_pool": ("poch", "pinke"),
    "bet_pool_takes_poch": BOTH,
    "bet_needs_set": BOTH,
    "high_card": BOTH,
    "prove_set": BOTH,
    "centre_to_winner": BOTH,
    "last_deal_to": ("none", "poch", "pinke"),
}
CARDS: Final[dict[str, tuple[Any, ...]]] = {
    "hand": (1, 2, 3, 4, "all"),
    "ante_pools": (
        (*MELD[:5], "marriage", "sequence"), (*MELD[:5], "marriage"), (*MELD[:5], "sequence"),
        MELD[:5],
    ),
    "trump": ("turned", "diamonds"),
    "turned_card": ("nobody", "dealer"),
    "sequence": ("trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"),
}  # fmt: skip


def combinations(values: dict[str, tuple[Any, ...]]) -> list[Ruleset]:
    """Every ruleset with these values that can be dealt."""
    rulesets = []
    for chosen in product(*values.values()):
        rules = changed("modern", **dict(zip(values, chosen, strict=True)))
        if not is_playable(rules):
            continue
        rulesets.append(rules)
    return rulesets


@pytest.mark.parametrize(("values", "hands"), [(BETS, ("KK",)), (CARDS, _HANDS)])
def test_a_combination_is_refused_if_and_only_if_a_pool_with_chips_is_never_won(
    values: dict[str, tuple[Any, ...]], hands: tuple[str, ...]
) -> None:
    rulesets = combinations(values)
    accepted = [rules for rules in rulesets if check(rules, hands)]
    assert len(rulesets) > 200
    assert 0 < len(accepted) < len(rulesets)


def test_random_rulesets_fill_no_pool_that_nobody_can_win() -> None:
    chance, seen = Random(30), set[bool]()
    for _ in range(120):
        values = {key: chance.choice(values) for key, values in TABLE.items()}
        pools = some_pools(chance)
        pools = {key: tuple(of) if isinstance(of, list) else of for key, of in pools.items()}
        pools["pool"] = ()
        values |= {"stack": 10_000, "players": (2, 4), **pools}
        rules = changed(chance.choice(RULESETS), **values)
        if not is_playable(rules):
            continue
        if rules.last_deal_to != "none" and not {*rules.ante_pools} & {*MELD}:
            continue  # it is refused although there is nothing to move
        seen.add(check(rules))
    assert seen == {False, True}


# By name, and with what to do.


@pytest.mark.parametrize(
    ("base", "options", "key", "sentence"),
    [
        (
            "modern",
            {"bet_pool": "pinke", "bet_pool_takes_poch": False},
            "bet_pool_takes_poch",
            ('Nobody can win the pool "poch", into which "ante_pools" puts chips: they would stay'
            ' there for ever. Change "bet_pool_takes_poch" or "ante_pools".'),
        ),
        (
            "modern",
            {"centre_to_winner": False},
            "centre_to_winner",
            ('Nobody can win the pool "pinke", into which "ante_pools" puts chips: they would stay'
            ' there for ever. Change "centre_to_winner" or "ante_pools".'),
        ),
    ],
)  # fmt: skip
def test_a_pool_that_nobody_can_win_is_refused_with_a_remedy(
    base: str, options: dict[str, Any], key: str, sentence: str
) -> None:
    with pytest.raises(BadParameterError) as refused:
        override(SHIPPED[base], options)
    assert (refused.value.key, str(refused.value)) == (key, sentence)
    start = {"ruleset": base, "players": list(NAMES[:3]), "options": options}
    assert Night(None).refused("start", **start) == "bad-ruleset"
