"""Exact chances, compared with a count of all places where the cards in question may lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb
from random import Random
from typing import Any

import pytest

from pochboard.cards.card import deal_out, deck_of
from pochboard.cards.exact import can_be_counted, chances, expected, no_run
from pochboard.cards.hands import hand_claims, sequence_winner
from pochboard.rules.commands import AnyCommand, Deal, Start, Turn
from pochboard.rules.melding import claimable
from pochboard.rules.registry import play
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
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
    ("modern", 3, {}),
    ("modern", 4, {}),
    ("modern", 4, {"turned_card": "dealer"}),
    ("modern", 4, {"hand": 1, "ante_pools": ["ace"]}),
    ("modern", 4, {"hand": 2, "ante_pools": ["ace"], "deck": 52}),
    ("modern", 5, {"hand": 2, "ante_pools": ["ace"], "deck": 32, "turned_card": "dealer"}),
    ("modern", 3, {"hand": 10, "deck": 52, "players": [2, 5]}),
    ("modern", 4, {"pools": SOME, "ante_pools": SOME}),
    ("modern", 4, {"pools": SOME, "ante_pools": ["poch"], "turned_card": "dealer"}),
    ("modern", 4, {"ante_pools": ["ace", "queen", "marriage", "pinke"]}),
    ("modern", 6, {"pools": SOME, "ante_pools": SOME}),
    ("banker", 2, {"sequence": "trump-789"}),
    ("banker", 6, {"turned_card": "dealer", "pools": [*SOME], "ante_pools": SOME[:2]}),
    ("thirty-one", 3, {}),
    ("thirty-one", 6, {"direction": "anticlockwise"}),
    ("alvensleben-1853", 6, {"pools": ["king", "queen", "marriage", "poch"],
                             "ante_pools": ["queen", "marriage"]}),
    # All cards dealt: the one turned up is in a hand.
    ("modern", 2, {"hand": "all"}),
    ("modern", 3, {"hand": "all"}),
    ("modern", 4, {"hand": "all"}),
    ("modern", 5, {"hand": "all", "deck": 32}),
    ("modern", 3, {"hand": "all", "packets": [3]}),
    ("modern", 3, {"hand": "all", "deck": 40}),
    ("modern", 5, {"hand": "all", "deck": 36, "packets": [3, 2]}),
    ("modern", 6, {"hand": "all", "pools": SOME, "ante_pools": SOME}),
    # Always the same trump suit, with and without a talon.
    ("modern", 4, {"hand": "all", "trump": "hearts"}),
    ("modern", 3, {"hand": "all", "trump": "hearts", "deck": 36}),
    ("thirty-one", 3, {"trump": "hearts"}),
    ("thirty-one", 4, {"trump": "hearts", "deck": 40, "hand": 6, "players": [2, 6]}),
    # Other decks.
    ("modern", 4, {"deck": 36}),
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
        won.update(set().union(*(hand_claims(hand, trump, rules) for hand in hands)))
    for pool, exact in not_empty(chances(rules, live).items()):
        chance = float(exact)
        assert abs(won[pool] / trials - chance) <= 4 * (chance * (1 - chance) / trials) ** 0.5


LAWS = ("best-run-trump-first", "best-run-height-first", "longest-run")
each_law = pytest.mark.parametrize("law", LAWS)


def lone_runs(ranks: int, turned: int) -> list[frozenset[tuple[int, int]]]:
    """Every run of three, by suit and rank, that leaves out one card of the first suit."""
    runs = [
        frozenset((suit, low + step) for step in range(3))
        for suit in range(4)
        for low in range(ranks - 2)
    ]
    return [run for run in runs if (0, turned) not in run]


@each_law
@pytest.mark.parametrize("deck", [32, 52])
def test_any_run_of_three_in_hands_of_three(law: str, deck: int) -> None:
    """A hand of three that has a run consists of it, so runs can be listed one by one."""
    rules = ruleset("banker", sequence=law, deck=deck, hand=3)
    ranks = deck // 4
    one = two = 0
    for turned in range(ranks):
        listed = lone_runs(ranks, turned)
        one += len(listed)
        two += sum(not run & other for run in listed for other in listed)
    # With two hands: the sum of their chances, less the chance that both have a run.
    first = Fraction(one, ranks * comb(deck - 1, 3))
    both = Fraction(two, ranks * comb(deck - 1, 3) * comb(deck - 4, 3))
    assert chances(rules, 2)["sequence"] == 2 * first - both


@each_law
def test_any_run_of_three_with_all_cards_dealt(law: str) -> None:
    """Counts pairs of hands without a run, suit by suit: each card goes to one of the two hands."""
    rules = ruleset("modern", sequence=law)

    def ways(turned: int | None) -> Counter[int]:
        """In how many ways the first hand gets each number of cards of a suit, and nobody a run."""
        found: Counter[int] = Counter()
        for owners in product("ab", repeat=8):
            row = "".join("-" if rank == turned else who for rank, who in enumerate(owners))
            if (turned is None or owners[turned] == "a") and "aaa" not in row and "bbb" not in row:
                found[row.count("a")] += 1
        return found

    whole = ways(None)
    runless = sum(
        whole[a] * whole[b] * whole[c] * ways(turned)[16 - a - b - c]
        for turned in range(8)
        for a, b, c in product(whole, repeat=3)
    )
    # Of 31 cards forehand gets 16.
    assert chances(rules, 2)["sequence"] == 1 - Fraction(runless, 8 * comb(31, 16))


@pytest.mark.parametrize(("sizes", "deck"), [((4, 3), 32), ((5, 5, 5), 52), ((8, 8, 8, 7), 32)])
def test_any_run_of_three_beside_shuffled_decks(sizes: tuple[int, ...], deck: int) -> None:
    """Counts runs in shuffled cards by the rules, within four standard errors."""
    chance, longest = float(1 - no_run(sizes, deck)), ruleset("modern", sequence="longest-run")
    shuffle, cards, trials = Random(5), list(deck_of(deck)), 4000
    hits = 0
    for _ in range(trials):
        shuffle.shuffle(cards)
        hands, top = {}, 1
        for seat, size in enumerate(sizes):
            hands[seat] = cards[top : top + size]
            top += size
        hits += sequence_winner(hands, cards[0][1], longest) is not None
    assert abs(hits / trials - chance) < 4 * (chance * (1 - chance) / trials) ** 0.5


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


def test_the_mean_goes_by_the_deals_as_they_were_played() -> None:
    rules = ruleset("banker", hand=5, sequence="trump-789")
    four, six = chances(rules, 4), chances(rules, 6)
    assert four["ace"] == Fraction(7, 8) * Fraction(20, 31)
    assert six["ace"] == Fraction(12, 13) * Fraction(30, 51)
    mean = expected(rules, {4: 30, 6: 10})
    assert mean.keys() == four.keys()
    for pool, value in mean.items():
        assert value == pytest.approx(float((3 * four[pool] + six[pool]) / 4))


@pytest.mark.parametrize(
    ("hands", "most"),
    # Up to four hands, that is all cards of the largest deck.
    [(2, 26), (3, 18), (4, 13), (5, 7), (6, 4), (7, 3), (8, 2)],
)
def test_runs_are_counted_for_the_hands_that_simulate_md_names(hands: int, most: int) -> None:
    assert can_be_counted((most,) * hands)
    if hands > 4:
        assert not can_be_counted((most + 1,) * hands)
