"""Exact chances, compared with a count of all places where the cards in question may lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import pytest

from pochboard.cards.card import card_set, deal_out, deck_of
from pochboard.cards.exact import chances, expected
from pochboard.cards.hands import hand_claims
from pochboard.rules.commands import AnyCommand, Deal, Start, Turn
from pochboard.rules.melding import claimable
from pochboard.rules.registry import play
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.rules.seating import always
from pochboard.rules.state import State
from tests.not_empty import not_empty

CARDS = {
    "ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T",
    "marriage": "KQ", "sequence": "789",
}  # fmt: skip


def ruleset(name: str, **options: Any) -> Ruleset:
    options = {"players": [2, 6], **options}
    return override(shipped_rulesets()[name], options)


def meld(rules: Ruleset, live: int, card: str | None) -> State:
    """A deal, played by the rules, in which this card (if any) is turned up."""
    state = State()
    players = tuple(f"P{seat}" for seat in range(live))
    start = Start(ruleset=rules.name, players=players, stack=10_000)
    commands: list[AnyCommand] = [start, Deal()]
    if card:
        commands.append(Turn(card))
    for command in commands:
        after = play(state, command, always(rules))
        assert isinstance(after, State), after
        state = after
    return state


def counted(rules: Ruleset, live: int) -> dict[str, Fraction]:
    """The chance of each pool: every rank turned up, every place of the cards that win it."""
    deck = rules.deck_for(live)
    # Deal the numbers of the places, to see which hand gets which place of the deck.
    dealt = deal_out([str(place) for place in range(deck)], rules, range(live))
    owner: dict[str, int] = {place: seat for seat, hand in dealt.hands.items() for place in hand}
    places = [str(place) for place in range(deck) if str(place) != dealt.turned]

    @cache
    def together(cards: int, beside_turned: bool) -> Fraction:
        """How often this many cards are in one hand, which may hold the card turned up."""
        lone = {owner[dealt.turned]} if beside_turned and dealt.turned else set()
        hits = whole = 0
        for spots in permutations(places, cards):
            whole += 1
            hands = {owner.get(spot) for spot in spots} | lone
            hits += len(hands) == 1 and None not in hands
        return Fraction(hits, whole)

    def with_card(pool: str, rank: str | None) -> Fraction:
        """The chance of a pool if the heart of this rank, or no card, is turned up."""
        state = meld(rules, live, rank and f"{rank}H")
        cards = CARDS[pool]
        if pool in dict(state.claims):
            # The dealer has taken the chips.
            return Fraction(pool in rules.ante_pools)
        if pool not in claimable(state):
            return Fraction(0)
        turned = rank is not None and rank in cards
        return together(len(cards) - turned, turned)

    ranks = [card[0] for card in deck_of(deck) if card[1] == "H"] if dealt.turned else [None]
    return {
        pool: sum((with_card(pool, rank) for rank in ranks), Fraction(0)) / len(ranks)
        for pool in rules.meld_pools
    }


SOME = ["king", "marriage", "poch", "pinke"]
CASES: list[tuple[str, int, Mapping[str, Any]]] = [
    ("modern", 2, {}),
    ("modern", 4, {"turned_card": "dealer"}),
    ("modern", 5, {"hand": 2, "ante_pools": ["ace"], "deck": 32, "turned_card": "dealer"}),
    ("modern", 4, {"pools": SOME, "ante_pools": ["poch"], "turned_card": "dealer"}),
    ("banker", 2, {"sequence": "trump-789"}),
    ("thirty-one", 6, {"direction": "anticlockwise"}),
    ("modern", 3, {"hand": "all"}),
    ("modern", 3, {"hand": "all", "packets": [3]}),
    ("modern", 6, {"hand": "all", "pools": SOME, "ante_pools": SOME}),
    ("thirty-one", 3, {"trump": "hearts"}),
    ("thirty-one", 6, {"deck": 40, "packets": [2, 3]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "live", "options"), CASES)
def test_chances_are_those_of_a_count_of_places(
    name: str, live: int, options: Mapping[str, Any]
) -> None:
    rules = ruleset(name, **options)
    wanted = counted(rules, live)
    assert chances(rules, live) == wanted


@pytest.mark.parametrize(
    ("live", "options"),
    [
        (3, {"hand": "all"}),
        (3, {"hand": "all", "deck": 40, "packets": [3]}),
        (4, {"hand": "all", "deck": 36, "trump": "clubs"}),
        (4, {"hand": "all", "sequence": "longest-run"}),
        (3, {"hand": 5, "deck": 36, "trump": "spades", "sequence": "longest-run"}),
    ],
)
def test_chances_agree_with_claims_of_shuffled_deals(live: int, options: dict[str, Any]) -> None:
    """Within four standard errors."""
    rules = ruleset("modern", **options)
    shuffle, cards, trials = Random(3), list(deck_of(rules.deck_for(live))), 4000
    won: Counter[str] = Counter()
    for _ in range(trials):
        shuffle.shuffle(cards)
        dealt = deal_out(cards, rules, range(live))
        trump = rules.trump_suit(dealt.turned)
        hands = dealt.hands.values()
        won.update(set().union(*(hand_claims(card_set(hand), trump, rules) for hand in hands)))
    for pool, exact in not_empty(chances(rules, live).items()):
        chance = float(exact)
        assert abs(won[pool] / trials - chance) <= 4 * (chance * (1 - chance) / trials) ** 0.5


def test_what_would_take_too_long_is_not_counted() -> None:
    for live in (2, 3, 4):
        assert "sequence" in chances(ruleset("modern", sequence="longest-run"), live)
    for live in (5, 6):
        assert "sequence" not in chances(ruleset("modern", sequence="longest-run"), live)
        assert "sequence" in chances(ruleset("modern"), live)
    rules = ruleset("modern", sequence="longest-run")
    assert "sequence" in expected(rules, {3: 5, 4: 5})
    assert "sequence" not in expected(rules, {4: 5, 5: 5})
    none = ruleset("modern", sequence="longest-run", ante_pools=["poch", "pinke"])
    assert chances(none, 6)["sequence"] == 0
