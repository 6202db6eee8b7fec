"""The referee at a showdown: the ranking it gives, and what that pays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.cards.hands import Ranking, settle_showdown
from tests.core.cards.oracle import Showdown, best_set, full_deck
from tests.core.oracle import from_forehand
from tests.core.play import RULESETS, Night, melding


def apply(night: Night, hands: Mapping[int, list[str]], trump: str | None) -> Ranking:
    """Lets the referee settle the hands shown, and records its ranking."""
    verdict = settle_showdown(night.book.state, hands, trump)
    night.do("showdown", ranking=[list(tied) for tied in verdict.ranking])
    assert night["phase"] == "shed"
    return verdict


def chips_in_pots(night: Night) -> int:
    state = night.book.state
    return state.pool("poch") + (state.pool("pinke") if state.rules.bet_pool == "pinke" else 0)


def bet(ruleset: str, stacks: dict[int, int], poch: int = 0, **chosen: Any) -> Night:
    """Seat 1 deals and seat 2 opens; each stakes all it has, up to what seat 2 has."""
    night = melding(ruleset, len(stacks), options={"ante_from": "bank", **chosen})
    night.have(stacks)
    night.fill(poch=poch)
    if "pinke" in night["pools"]:
        night.fill(pinke=0)
    night.do("next")
    while night["phase"] == "pochen":
        seat = night["to_act"]
        night.do("stake", seat=seat, chips=min(stacks[seat], stacks[2]))
    assert night["phase"] == "showdown"
    return night


def shown(hands: dict[int, str]) -> dict[int, list[str]]:
    return {seat: cards.split() for seat, cards in hands.items()}


# Worked cases.


def test_a_stake_without_a_set_is_named_and_changes_no_chips() -> None:
    hands = shown({1: "KC KD", 2: "AC QD", 3: "JH"})
    stacks = []
    for needs_set in (True, False):
        night = bet("alvensleben-1853", {1: 5, 2: 5, 3: 5}, poch=1, bet_needs_set=needs_set)
        verdict = apply(night, hands, "H")
        assert verdict.without_set == ((2, 3) if needs_set else ())
        stacks.append(night.stacks)
    assert stacks == [[16, 0, 0]] * 2


# Random betting rounds.


@st.composite
def at_showdown(draw: st.DrawFn) -> Night:
    """A night at a showdown, usually with some seats all-in."""
    ruleset = draw(st.sampled_from(RULESETS))
    count = draw(st.integers(3, 6))
    chosen = {
        "ante_from": "bank",
        "high_card": draw(st.booleans()),
        "tie_break": draw(st.sampled_from(["trump", "side-cards", "suits", "split"])),
        "prove_set": draw(st.booleans()),
        "bluff_penalty": draw(st.sampled_from([0, 0, 1, 2, 10])),
        "direction": draw(st.sampled_from(["clockwise", "anticlockwise"])),
        "leader": draw(st.sampled_from(["poch-winner", "forehand"])),
    }
    places = draw(st.permutations(range(1, 9)))[:count]
    dealer = draw(st.integers(1, count))
    night = melding(ruleset, count, options=chosen, places=places, dealer=dealer, stack=10)
    night.have({seat: draw(st.integers(0, 12)) for seat in range(1, count + 1)})
    night.fill(poch=draw(st.integers(0, 5)))
    night.do("next")
    for _ in range(40):
        if night["phase"] != "pochen":
            break
        seat = night["to_act"]
        need = night.book.state.need(seat)
        stack = night.book.state.stack_of(seat)
        chips = draw(st.sampled_from([need, need + 1, need + 3, stack]))
        if draw(st.integers(0, 5)) == 0 or chips == 0:
            night.do("pass", seat=seat)
        else:
            night.do("stake", seat=seat, chips=min(chips, stack))
    return night


@settings(max_examples=300)
@given(at_showdown(), st.data())
def test_every_showdown_pays_as_the_rules_say(night: Night, data: st.DataObject) -> None:
    if night["phase"] != "showdown":
        event(f"no showdown: {night['phase']}")
        return
    state = night.book.state
    ranks = data.draw(st.sampled_from(["AKQJT987", "AK", "89", "T987"]))
    deck = data.draw(st.permutations([card for card in full_deck(32) if card[0] in ranks]))
    trump = data.draw(st.sampled_from(["C", "D", "H", "S", None]))
    size = data.draw(st.integers(1, len(deck) // len(state.live)))
    hands = {
        seat: deck[index * size : (index + 1) * size]
        for index, seat in enumerate(state.live)
        # Sometimes a hand is not shown, and sometimes a seat that has passed shows one.
        if data.draw(st.integers(0, 5))
    }
    order = from_forehand(
        {seat: state.places[seat - 1] for seat in state.live},
        state.dealer or 0,
        state.rules.direction,
    )
    staked = sum(state.committed)
    before = chips_in_pots(night)
    stacks, stays = Showdown(
        order=order,
        committed=dict(enumerate(state.committed, 1)),
        still_in=set(state.still_in),
        knocker=state.knocker or 0,
        base=before - staked,
        shown=hands,
        trump=trump,
        tie_break=state.rules.tie_break,
        high_card=state.rules.high_card,
        bluff_penalty=state.rules.bluff_penalty,
    ).settle({seat: state.stack_of(seat) for seat in state.seats})
    verdict = apply(night, hands, trump)
    assert night.stacks == [stacks[seat] for seat in sorted(stacks)]
    assert chips_in_pots(night) == stays
    sets_shown = {seat for seat in state.still_in if best_set(hands.get(seat, []))}
    if state.rules.bet_needs_set:
        assert {*verdict.without_set, *sets_shown} == set(state.still_in) & set(hands)
    else:
        assert verdict.without_set == ()
    named = [seat for tied in verdict.ranking for seat in tied]
    assert len(named) == len(set(named))
    assert set(named) <= set(state.still_in)
    if state.rules.high_card:
        assert set(named) >= {seat for seat in hands if hands[seat] and seat in state.still_in}
    else:
        assert set(named) >= sets_shown
        assert bool(named) is bool(sets_shown)
    event(
        "stays" if not named
        else "split" if verdict.split
        else "side pots" if len({state.committed[seat - 1] for seat in state.still_in}) > 1
        else "one pot"
    )  # fmt: skip
