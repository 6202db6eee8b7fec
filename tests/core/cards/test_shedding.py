"""The shedding: what may be played, who is next, who wins a run, and when it is over."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.cards.card import (
    CARD_OF,
    Dealt,
    card_set,
    cards_of,
    deal_out,
    deck_of,
)
from pochboard.cards.shedding import Shedding, begin_shedding, play_card
from pochboard.errors import CardError
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import override, shipped_rulesets
from tests.core.cards.oracle import Shed, full_deck
from tests.core.oracle import from_forehand
from tests.core.play import RULESETS

RULES = shipped_rulesets()
VARIANTS = (
    "sequence", "domino", "rising", "tricks", "thirty-one nobody-can", "thirty-one next-cannot",
)  # fmt: skip
SEQUENCE_VARIANTS = ("sequence", "domino")


def rules_of(variant: str) -> Ruleset:
    shedding, _, run_ends = variant.partition(" ")
    return override(
        RULES["thirty-one"], {"shedding": shedding, "run_ends": run_ends or "nobody-can"}
    )


# Worked cases. Seats stand in the order of play; the first hand named leads.


def started(
    variant: str, hands: Mapping[int, str], turned: str = "AD", leader: int | None = None
) -> Shedding:
    dealt = {seat: tuple(cards.split()) for seat, cards in hands.items()}
    first = next(iter(hands)) if leader is None else leader
    return begin_shedding(rules_of(variant), Dealt(dealt, turned, ()), first)


def played(game: Shedding, story: str) -> Shedding:
    """Plays a story such as `2:7H 3:8H!`: who lays which card, with `!` if it ends the run.

    The seat that laid the card takes the run, unless another is named, as in `8H!2`. In `8H/9H`,
    the card before the stroke is laid, and those after it may not be.
    """
    for step in story.split():
        seat, _, rest = step.partition(":")
        choice, ends, taker = rest.partition("!")
        card, *others = choice.split("/")
        assert game.tableau.to_play == int(seat), f"before {step}"
        assert card in game.legal(), f"{step} of {game.legal()}"
        for other in others:
            assert other not in game.legal()
            with pytest.raises(CardError):
                play_card(game, other)
        game = play_card(game, card)
        assert game.run_winner == (int(taker or seat) if ends else None), f"after {step}"
    if game.run_winner is not None and game.winner is None:
        # The seat that took the run leads, and may lay any card.
        assert game.tableau.to_play == game.run_winner
        assert card_set(game.legal()) == game.hands[game.run_winner]
    return game


def test_the_highest_card_wins_a_trick_cut_short_by_the_last_card() -> None:
    # Seat 2 lays its last card, a lower one.
    game = played(started("tricks", {1: "QH 7S", 2: "8H", 3: "AH 9S"}), "1:QH 2:8H!1")
    assert game.winner == 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_cards_that_may_not_be_played(variant: str) -> None:
    game = started(variant, {1: "7H 9S", 2: "8H 9D", 3: "TH TS"})
    for card in ("8H", "TS", "AD", "AC", "XX", ""):
        with pytest.raises(CardError) as missing:
            play_card(game, card)
        assert str(missing.value) == f"{card} is not in this hand"
    done = play_card(started(variant, {1: "7H", 2: "8H 9D"}), "7H")
    assert done.winner == 1
    assert done.legal() == ()
    assert done.cards_left(1) == {2: 2}
    with pytest.raises(CardError, match=r"^The last card of this deal has been played$"):
        play_card(done, "8H")


# Whole sheddings, compared with the oracle at each step.


def mirror(variant: str, hands: Mapping[int, tuple[str, ...]], leader: int) -> Shed:
    return Shed(
        variant=variant,
        order=list(hands),
        hands={seat: set(cards) for seat, cards in hands.items()},
        turn=leader,
    )


def hands_of(game: Shedding) -> dict[int, set[str]]:
    return {seat: set(cards_of(hand)) for seat, hand in game.hands.items()}


def same(game: Shedding, wanted: Shed) -> None:
    tableau = game.tableau
    assert tableau.to_play == wanted.turn
    assert game.run_winner == wanted.taken
    assert hands_of(game) == wanted.hands
    run = [CARD_OF[card] for card in tableau.run]
    assert [*zip(tableau.players, run, strict=True)] == wanted.run
    assert tableau.hand_sizes == tuple(len(wanted.hands[seat]) for seat in wanted.order)
    legal = game.legal()
    assert len(legal) == len(set(legal))
    if wanted.turn is None:
        assert legal == ()
    else:
        assert set(legal) == wanted.playable(wanted.turn)
        assert legal


def conserved(game: Shedding, dealt: Mapping[int, tuple[str, ...]]) -> None:
    """No card is lost or duplicated, and none moves to another hand."""
    hands = hands_of(game)
    for seat, hand in hands.items():
        assert hand <= set(dealt[seat])
    cards = [card for hand in dealt.values() for card in hand]
    held = [card for hand in hands.values() for card in hand]
    assert sorted([*held, *cards_of(game.tableau.played)]) == sorted(cards)
    assert not sum(game.tableau.run) & ~game.tableau.played


def shed(rules: Ruleset, dealt: Dealt, leader: int, chance: Any) -> list[Shedding]:
    """Every moment of a random shedding, each compared with the oracle."""
    variant = rules.shedding
    wanted = mirror(
        f"{variant} {rules.run_ends}" if variant == "thirty-one" else variant, dealt.hands, leader
    )
    game = begin_shedding(rules, dealt, leader)
    same(game, wanted)
    moments = [game]
    while wanted.turn is not None:
        hand = sorted(wanted.hands[wanted.turn])
        may = sorted(wanted.playable(wanted.turn))
        for card in hand:
            if card not in may:
                with pytest.raises(CardError, match=rf"^{card} may not be played now$"):
                    play_card(game, card)
        card = chance.choice(may)
        before = game
        game = play_card(game, card)
        wanted.lay(card)
        same(game, wanted)
        conserved(game, dealt.hands)
        # The earlier state is unchanged.
        assert card in hands_of(before)[before.tableau.to_play or 0]
        moments.append(game)
    assert [seat for seat, hand in game.hands.items() if not hand] == [game.winner]
    assert game.winner is not None
    assert game.cards_left(game.winner) == {
        seat: len(hand) for seat, hand in hands_of(game).items() if seat != game.winner
    }
    # Each move lays a card, so there are never more moves than cards.
    assert len(moments) - 1 == game.tableau.played.bit_count()
    return moments


@st.composite
def deals(draw: st.DrawFn) -> tuple[Ruleset, Dealt, int]:
    """A deal of any ruleset, sometimes with another way to shed, and its leader."""
    rules = RULES[draw(st.sampled_from(RULESETS))]
    rules = override(rules, draw(st.sampled_from([
        {}, {}, {"hand": "all"}, {"hand": "all", "trump": "hearts", "deck": 36},
        {"trump": "spades", "hand": 4}, {"deck": 40, "hand": "all", "packets": [3, 2]},
    ])))  # fmt: skip
    if draw(st.booleans()):
        variant = draw(st.sampled_from(VARIANTS))
        shedding, _, run_ends = variant.partition(" ")
        rules = override(rules, {"shedding": shedding, "run_ends": run_ends or "nobody-can"})
    count = draw(st.integers(2, rules.players[1]))
    places = dict(enumerate(draw(st.permutations(range(1, 9)))[:count], 1))
    direction = draw(st.sampled_from(["clockwise", "anticlockwise"]))
    order = from_forehand(places, draw(st.integers(1, count)), direction)
    deck = list(deck_of(rules.deck_for(count)))
    random.Random(draw(st.integers(0, 2**32))).shuffle(deck)
    return rules, deal_out(deck, rules, order), draw(st.sampled_from(order))


@settings(max_examples=250)
@given(deals(), st.integers(0, 2**32))
def test_whole_sheddings_follow_the_rules(deal: tuple[Ruleset, Dealt, int], seed: int) -> None:
    rules, dealt, leader = deal
    moments = shed(rules, dealt, leader, random.Random(seed))
    event(f"{rules.shedding}: {'in mid-run' if len(moments[-1].tableau.run) > 1 else 'alone'}")
    # No card of the talon was played. The card turned up was played only if it was in a hand.
    turned_is_held = any(dealt.turned in hand for hand in dealt.hands.values())
    assert turned_is_held == (rules.hand == "all" and rules.trump == "turned")
    turned_up = {dealt.turned} if dealt.turned and not turned_is_held else set()
    assert moments[0].tableau.gone == card_set(turned_up)
    assert not moments[-1].tableau.played & card_set({*turned_up, *dealt.talon})
    if rules.shedding in SEQUENCE_VARIANTS:
        for moment in moments:
            suits = {CARD_OF[card][1] for card in moment.tableau.run}
            assert len(suits) <= 1


@settings(max_examples=400)
@given(
    variant=st.sampled_from(VARIANTS),
    deck=st.permutations(full_deck(32)),
    sizes=st.lists(st.integers(1, 4), min_size=2, max_size=5),
    few=st.sampled_from(["CDHS", "CD", "H"]),
    seed=st.integers(0, 2**32),
)
def test_small_sheddings_follow_the_rules(
    variant: str, deck: list[str], sizes: list[int], few: str, seed: int
) -> None:
    # Few suits and small hands: runs are long, and the last card of a hand often ends them.
    deck = [card for card in deck if card[1] in few]
    hands: dict[int, tuple[str, ...]] = {}
    for seat, size in enumerate(sizes, 1):
        if len(deck) > size:
            hands[seat] = tuple(deck[:size])
            deck = deck[size:]
    if len(hands) < 2:
        return
    chance = random.Random(seed)
    dealt = Dealt(hands, deck[-1], ())
    moments = shed(rules_of(variant), dealt, chance.choice(list(hands)), chance)
    event(f"{variant}: {'in mid-run' if len(moments[-1].tableau.run) > 1 else 'alone'}")


# Booking the bonus of a run.
