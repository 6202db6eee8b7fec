"""Exact chances, beside a count of all places where the cards in question may lie."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from pochboard.cards.card import deck_of
from pochboard.cards.dealing import deal_out
from pochboard.rules.commands import Deal, Start, Turn
from pochboard.rules.melding import claimable
from pochboard.rules.play import play
from pochboard.rules.ruleset import Ruleset, override, shipped_rulesets
from pochboard.rules.state import State
from pochboard.simulate.exact import chances, expected

CARDS = {
    "ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T",
    "marriage": "KQ", "sequence": "789",
}  # fmt: skip


def ruleset(name: str, **options: Any) -> Ruleset:
    return override(shipped_rulesets()[name], {"players": [2, 6], **options})


def turned_up(rules: Ruleset, live: int, card: str) -> State:
    """A deal in which this card lies turned up, by the rules themselves."""
    state = State()
    players = tuple(f"P{seat}" for seat in range(live))
    start = Start(ruleset=rules.name, players=players, stack=10_000)
    for command in (start, Deal(), Turn(card)):
        after = play(state, command, lambda _name, _options: rules)
        assert isinstance(after, State), after
        state = after
    return state


def counted(rules: Ruleset, live: int) -> dict[str, Fraction]:
    """The chance of each pool: every rank turned up, every place of the cards that win it."""
    deck = rules.deck_for(live)
    seats = range(live)
    # Dealing out the numbers of the places tells which hand gets which place of the deck.
    dealt = deal_out([str(place) for place in range(deck)], rules, seats)
    owner: dict[str, int] = {place: seat for seat, hand in dealt.hands.items() for place in hand}
    places = [str(place) for place in range(deck) if str(place) != dealt.turned]
    ranks = [card[0] for card in deck_of(deck) if card[1] == "H"]
    found = {}
    for pool in rules.meld_pools:
        cards = CARDS[pool]
        together = whole = 0
        for spots in permutations(places, len(cards)):
            whole += 1
            hands = {owner.get(spot) for spot in spots}
            together += len(hands) == 1 and None not in hands
        won = Fraction(0)
        for rank in ranks:
            state = turned_up(rules, live, f"{rank}H")
            if pool in dict(state.claims):
                # The dealer has taken what was there.
                won += bool(pool in rules.ante_pools)
            elif rank not in cards and pool in claimable(state):
                won += Fraction(together, whole)
        found[pool] = won / len(ranks)
    return found


SOME = ["king", "marriage", "poch", "pinke"]
CASES: list[tuple[str, int, Mapping[str, Any]]] = [
    ("modern", 2, {}),
    ("modern", 3, {}),
    ("modern", 4, {}),
    ("modern", 4, {"turned_card": "dealer"}),
    ("modern", 4, {"hand": 1}),
    ("modern", 4, {"hand": 2, "deck": 52}),
    ("modern", 5, {"hand": 2, "deck": 32, "turned_card": "dealer"}),
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
]  # fmt: skip


@pytest.mark.parametrize(("name", "live", "options"), CASES)
def test_chances_are_those_of_a_count_of_places(
    name: str, live: int, options: Mapping[str, Any]
) -> None:
    rules = ruleset(name, **options)
    wanted = counted(rules, live)
    if rules.sequence != "trump-789":
        wanted.pop("sequence", None)
    assert chances(rules, live) == wanted


def test_seven_eight_nine_in_a_deck_of_52() -> None:
    # 10 of 13 turned cards leave it open; then 3 named cards of 51 lie in one hand of five.
    rules = ruleset("thirty-one", deck=52)
    assert chances(rules, 4)["sequence"] == Fraction(10, 13) * 4 * Fraction(5 * 4 * 3, 51 * 50 * 49)


def test_with_all_cards_dealt_a_single_card_is_held_unless_turned_up() -> None:
    for live, ranks in ((2, 8), (3, 8), (4, 8), (5, 13), (6, 13)):
        for turned_card, chance in (
            ("nobody", Fraction(ranks - 1, ranks)),
            ("dealer", Fraction(1)),
        ):
            rules = ruleset("modern", turned_card=turned_card)
            assert {chances(rules, live)[pool] for pool in ("ace", "ten")} == {chance}


@pytest.mark.parametrize("law", ["best-run-trump-first", "best-run-height-first", "longest-run"])
def test_any_run_of_three_is_not_counted(law: str) -> None:
    assert "sequence" not in chances(ruleset("modern", sequence=law), 4)


def test_the_mean_goes_by_the_deals_as_they_were_played() -> None:
    rules = ruleset("banker", hand=5)
    four, six = chances(rules, 4), chances(rules, 6)
    assert four["ace"] == Fraction(7, 8) * Fraction(20, 31)
    assert six["ace"] == Fraction(12, 13) * Fraction(30, 51)
    mean = expected(rules, {4: 30, 6: 10})
    assert mean.keys() == four.keys()
    for pool, value in mean.items():
        assert value == pytest.approx(float((3 * four[pool] + six[pool]) / 4))
