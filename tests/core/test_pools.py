"""What a place of the board means is data (docs/RULES.md 2), and what follows from its cards."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards.card import card_set, deal_out, deck_of
from pochboard.cards.exact import hand_chances
from pochboard.cards.hands import cards_for_claim, hand_claims
from pochboard.messages.labels import what_wins
from pochboard.messages.rules_text import rules_text
from pochboard.rules.commands import Claim
from pochboard.rules.registry import verify
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import BadParameterError, override, shipped_rulesets
from pochboard.rules.state import public_state
from pochboard.text.translator import ENGLISH, translator
from pochboard.views.board import pool_details
from pochboard.views.screen import pool_letters
from tests.core.bots.checker import needed_for
from tests.core.play import MELD, Night

TRIO: Final = {"at": "pinke", "name": {"en": "Trio", "de": "Drilling"}, "cards": ["6*", "7*", "8*"]}
LADY: Final = {"at": "ten", "name": "Lady", "cards": ["QS"]}
COUPLE: Final = {"at": "jack", "cards": ["QS", "K*"], "from": 4}
BOARD: Final[dict[str, Any]] = {
    "deck": 36, "hand": 5, "centre_to_winner": False, "players": [2, 6],
    "ante_pools": [*MELD, "poch", "pinke"], "pool": [TRIO, LADY, COUPLE],
}  # fmt: skip


def ruleset(**options: Any) -> Ruleset:
    return override(shipped_rulesets()["modern"], {**BOARD, **options})


def night(players: int = 4, **options: Any) -> Night:
    night = Night("modern", players, options={**BOARD, **options}, dealer=1)
    night.do("deal")
    return night


def needed(pool: str, rules: Ruleset, trump: str) -> set[str]:
    return needed_for(pool, rules, trump) or set()


def test_the_card_turned_up_blocks_every_pool_that_needs_it() -> None:
    rules = ruleset()
    for card in deck_of(36):
        table = night()
        table.do("turn", card=card)
        blocked = {pool for pool in rules.meld_pools if card in needed(pool, rules, card[1])}
        assert set(public_state(table.book.state)["blocked"]) == blocked, card


def test_the_dealer_takes_each_pool_whose_only_card_is_turned_up() -> None:
    table = night(turned_card="dealer", pool=[TRIO, {"at": "ten", "cards": ["QS"]}, COUPLE])
    table.do("turn", card="QS")
    assert dict(table.book.state.claims) == {"queen": 1, "ten": 1}
    assert table.book.state.blocked == ("jack", "marriage")


@pytest.mark.parametrize(
    ("turned", "first", "second", "code"),
    [
        # The queen of spades is needed for both, whatever suit is trumps.
        (None, "ten", "jack", "conflict"),
        (None, "jack", "ten", "empty-pool"),
        # Only with spades as trumps is it the trump queen.
        (None, "ten", "queen", None),
        (None, "ten", "marriage", None),
        ("AS", "ten", "queen", "conflict"),
        ("AS", "ten", "marriage", "conflict"),
        ("AH", "ten", "marriage", None),
        # 7 and 8 of trumps.
        (None, "pinke", "sequence", "conflict"),
        (None, "sequence", "pinke", "conflict"),
        (None, "pinke", "king", None),
    ],
)
def test_claims_that_need_the_same_card(
    turned: str | None, first: str, second: str, code: str | None
) -> None:
    table = night()
    if turned:
        table.do("turn", card=turned)
    table.do("claim", seat=2, pool=first)
    if code:
        assert table.refused("claim", seat=3, pool=second) == code
        if code == "conflict":
            assert table.would("claim", seat=2, pool=second)
    else:
        table.do("claim", seat=3, pool=second)


def test_with_too_few_nobody_fills_or_wins_a_pool() -> None:
    table = night(3)
    assert table.book.state.pool("jack") == 0
    assert table.book.state.stack_of(2) == 50 - 8
    assert list(table.book.state.blocked) == ["jack"]
    table.do("turn", card="7S")
    assert list(table.book.state.blocked) == ["jack", "sequence", "pinke"]
    # Chips of an earlier deal wait, and do not come with another pool either.
    table.do("adjust", **{"from": "bank"}, to="pool:jack", chips=3, reason="carried over")
    assert table.refused("claim", seat=2, pool="jack") == "blocked-pool"
    refusal = verify(table.book.state, Claim(2, "jack"))
    assert refusal is not None
    assert refusal.sentence == "Too few play for Jack in this deal."
    four = night(4)
    assert (four.book.state.pool("jack"), four.book.state.stack_of(2)) == (4, 50 - 9)


def test_the_others_fill_only_the_pools_for_which_enough_are_left() -> None:
    table = Night("modern", 4, options={**BOARD, "short_seats": "retire"}, dealer=1)
    table.have({3: 8})  # nine pools with four seats, eight with three
    table.do("deal")
    assert table["live"] == [1, 2, 4]
    assert table.stacks == [42, 42, 8, 42]
    assert table.pools("ten", "jack") == [3, 0]


@given(
    st.lists(st.sampled_from(deck_of(36)), max_size=12, unique=True),
    st.sampled_from("CDHS"),
    st.sampled_from(["trump-789", "longest-run"]),
)
def test_a_hand_may_claim_what_it_holds(hand: list[str], trump: str, sequence: str) -> None:
    rules = ruleset(sequence=sequence)
    claims = hand_claims(card_set(hand), trump, rules)
    by_cards = [pool for pool in rules.meld_pools if pool != "sequence" or sequence == "trump-789"]
    assert set(claims) - {"sequence"} == {
        pool for pool in by_cards if needed(pool, rules, trump) <= set(hand)
    } - {"sequence"}
    for pool in claims:
        shown = set(cards_for_claim(pool, hand, trump, rules))
        assert shown <= set(hand)
        if pool in by_cards:
            assert shown == needed(pool, rules, trump)
    # Whoever claims in this order gets with a pool what comes with it.
    assert [len(needed(pool, rules, trump)) for pool in claims if pool in by_cards] == sorted(
        (len(needed(pool, rules, trump)) for pool in claims if pool in by_cards), reverse=True
    )


def counted(rules: Ruleset, live: int, pool: str) -> tuple[Fraction, ...]:
    """The chance of each seat: every card turned up, every place of the cards that are needed."""
    deck = rules.deck_for(live)
    dealt = deal_out([str(place) for place in range(deck)], rules, range(live))
    owner = {place: seat for seat, hand in dealt.hands.items() for place in hand}
    won, whole = [Fraction(0)] * live, 0
    for turned in deck_of(deck) if dealt.turned else (None,):
        trump = turned[1] if turned else "H"
        wanted = needed(pool, rules, trump)
        whole += 1
        if wanted == {turned} and rules.turned_card == "dealer":
            won[live - 1] += 1
            continue
        holder = owner.get(dealt.turned or "") if turned in wanted else None
        if turned in wanted and holder is None:
            continue
        places = [str(place) for place in range(deck) if str(place) != dealt.turned]
        ways = list(permutations(places, len(wanted - {turned})))
        for seat in range(live):
            if holder in (None, seat):
                hits = sum(all(owner.get(spot) == seat for spot in spots) for spots in ways)
                won[seat] += Fraction(hits, len(ways))
    return tuple(chance / whole for chance in won)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"turned_card": "dealer"},
        {"trump": "hearts"},
        {"hand": "all", "deck": 36},
        {"hand": "all", "packets": [3]},
    ],
)
def test_the_chances_are_those_of_a_count(options: Mapping[str, Any]) -> None:
    rules = ruleset(**options)
    for pool in ("ace", "ten", "jack", "marriage", "pinke"):
        assert hand_chances(rules, 4)[pool] == counted(rules, 4, pool), pool
    assert hand_chances(rules, 3)["jack"] == (Fraction(0),) * 3


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ([{"at": "ace"}, {"at": "ace"}], 'twice what "ace" means'),
        ([{"at": "ace", "name": "King"}], 'calls two pools "King"'),
        ([{"at": place, "name": {"en": place, "de": "X"}} for place in ("ace", "ten")],
         'calls two pools "X"'),
        ([{"at": "ace", "name": "Ober"}, {"at": "king", "name": {"en": "A", "de": "Ober"}}],
         'calls two pools "Ober"'),
        ([{"at": "poch", "cards": ["AH"]}], '"poch" cannot have "cards"'),
        ([{"at": "poch", "from": 4}], '"poch" cannot have "from"'),
        ([{"at": "ace", "cards": ["5H"]}], "5H"),
    ],
)  # fmt: skip
def test_what_a_place_cannot_mean(pool: Any, said: str) -> None:
    with pytest.raises(BadParameterError) as refused:
        ruleset(pool=pool)
    assert refused.value.key == "pool"
    assert said in str(refused.value)


def test_a_pool_that_no_hand_can_win_is_refused_if_it_is_filled() -> None:
    four = {"at": "marriage", "cards": ["A*", "K*", "Q*", "J*"]}
    assert ruleset(hand=4, pool=[four, TRIO]).cards_shown("marriage") == 4
    with pytest.raises(BadParameterError, match=r'win the pool "marriage".* Change "hand"'):
        ruleset(hand=3, pool=[four, TRIO])
    with pytest.raises(BadParameterError, match=r'"pinke".* Change "pool"'):
        ruleset(pool=[{**TRIO, "cards": []}])


def test_pools_are_called_by_their_names_in_both_languages() -> None:
    state = night().book.state
    german = translator("de")
    for t, trio in ((ENGLISH, "Trio"), (german, "Drilling")):
        names = {row.pool: row.name for row in pool_details(state, {}, t)}
        assert (names["pinke"], names["ten"]) == (trio, "Lady")
        terms = [line.term for part in rules_text(state.rules, t) for line in part.lines]
        assert {trio, "Lady"} <= set(terms)
    assert pool_letters(ENGLISH, state.rules)["pinke"] == "Tr"
    assert pool_letters(german, state.rules)["pinke"] == "Dr"
    assert pool_letters(german, state.rules)["queen"] == "D"


def test_what_wins_a_pool_is_said_of_its_cards() -> None:
    rules = ruleset()
    assert what_wins("pinke", rules, ENGLISH) == [
        "Whoever shows the 6, 7 and 8 of trumps takes this pool."
    ]
    assert what_wins("jack", rules, ENGLISH) == [
        (
            "Whoever shows the queen of spades and the king of trumps takes this pool, and King and"
            " Lady as well."
        ),
        "With fewer than 4 players nobody fills or wins it.",
    ]
    assert what_wins("ten", rules, translator("de")) == [
        "Wer Pik-Dame zeigt, kassiert diese Mulde."
    ]
    run = ruleset(sequence="longest-run", pool=[{"at": "sequence", "from": 4}, TRIO])
    assert what_wins("sequence", run, ENGLISH)[-1] == (
        "With fewer than 4 players nobody fills or wins it."
    )
