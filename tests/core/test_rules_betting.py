from __future__ import annotations

from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.errors import Refusal
from tests.core.oracle import Betting, from_forehand
from tests.core.play import Night, melding


@st.composite
def bettings(draw: st.DrawFn) -> tuple[Night, Betting]:
    """A night at the opening of its betting, and the oracle's view of it."""
    count = draw(st.integers(3, 6))
    chosen: dict[str, Any] = {
        "ante_from": "bank",
        "raises": draw(st.sampled_from(["free", "free", "none", "capped"])),
        "all_in": draw(st.booleans()),
        "prove_set": draw(st.booleans()),
        "bluff_penalty": draw(st.sampled_from([0, 0, 1, 2, 10])),
        "leader": draw(st.sampled_from(["poch-winner", "forehand"])),
        "direction": draw(st.sampled_from(["clockwise", "anticlockwise"])),
        "bet_pool": draw(st.sampled_from(["poch", "pinke"])),
        "bet_pool_takes_poch": draw(st.booleans()),
        # Poch and Pinke get their chips below.
        "ante_pools": ["ace"],
    }
    takes_poch = chosen["bet_pool"] == "pinke" and chosen["bet_pool_takes_poch"]
    places = draw(st.permutations(range(1, 9)))[:count]
    dealer = draw(st.integers(1, count))
    night = melding("modern", count, options=chosen, places=places, dealer=dealer, stack=10)
    stacks = {seat: draw(st.integers(0, 12)) for seat in range(1, count + 1)}
    poch, pinke = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    night.have(stacks)
    night.fill(poch=poch, pinke=pinke)
    night.do("next")
    order = from_forehand(dict(enumerate(places, 1)), dealer=dealer, direction=chosen["direction"])
    return night, Betting(
        order=order,
        stacks=stacks,
        bet_pool=pinke if chosen["bet_pool"] == "pinke" else poch,
        poch=poch if takes_poch else 0,
        raises=chosen["raises"],
        all_in=chosen["all_in"],
        prove_set=chosen["prove_set"],
        bluff_penalty=chosen["bluff_penalty"],
        leader_rule=chosen["leader"],
    )


def same(night: Night, wanted: Betting) -> None:
    state = night.all
    assert state["phase"] == wanted.phase
    assert state["to_act"] == wanted.to_act
    assert state["leader"] == wanted.leader
    assert state["knocker"] == wanted.knocker
    assert state["stacks"] == {str(seat): wanted.stacks[seat] for seat in sorted(wanted.stacks)}
    rules = night.book.state.rules
    assert state["pools"][rules.bet_pool] == wanted.bet_pool
    if rules.bet_pool == "pinke" and rules.bet_pool_takes_poch:
        assert state["pools"]["poch"] == wanted.poch
    if wanted.phase == "shed":
        assert state["committed"] == {}
    else:
        staked = {str(seat): chips for seat, chips in wanted.committed.items() if chips}
        assert state["committed"] == staked


def code_of(answer: object) -> str | None:
    return answer.code if isinstance(answer, Refusal) else None


def act(data: st.DataObject, night: Night, wanted: Betting) -> None:
    """One command of the betting, usually by the seat to act and with a legal number of chips."""
    assert wanted.to_act is not None
    seats = st.sampled_from(wanted.order)
    seat = data.draw(st.one_of(st.just(wanted.to_act), st.just(wanted.to_act), seats))
    need = max(wanted.committed.values()) - wanted.committed[seat]
    stack = wanted.stacks[seat]
    near = st.sampled_from([need, need, need + 1, need + 2, need - 1, stack, stack, stack + 1])
    chips = data.draw(st.one_of(near, st.integers(1, 13)).map(lambda chips: max(chips, 1)))
    if data.draw(st.sampled_from(["stake", "stake", "stake", "pass"])) == "pass":
        code = wanted.pass_(seat)
        answer = night.book.apply({"do": "pass", "seat": seat})
    else:
        code = wanted.stake(seat, chips)
        answer = night.book.apply({"do": "stake", "seat": seat, "chips": chips})
    assert code_of(answer) == code
    event(code or "accepted")


def rankings(wanted: Betting) -> st.SearchStrategy[list[Any]]:
    """Rankings with ties, mostly of seats still in; some are invalid."""
    still_in = sorted(wanted.still_in)

    @st.composite
    def sensible(draw: st.DrawFn) -> list[Any]:
        left = list(draw(st.permutations(still_in)))[: draw(st.integers(0, len(still_in)))]
        found: list[Any] = []
        while left:
            size = draw(st.integers(1, len(left)))
            tied, left = left[:size], left[size:]
            found.append(tied if size > 1 or draw(st.booleans()) else tied[0])
        return found

    odd: st.SearchStrategy[Any] = st.sampled_from(
        [*wanted.order, 0, 9, True, 1.0, "1", None, {}, [], [[1]]]
    )
    return st.one_of(sensible(), sensible(), sensible(), st.lists(odd, min_size=1, max_size=4))


@settings(max_examples=150)
@given(bettings(), st.data())
def test_every_betting_goes_as_the_text_says(
    started: tuple[Night, Betting], data: st.DataObject
) -> None:
    night, wanted = started
    same(night, wanted)
    for _ in range(60):
        if wanted.phase != "pochen":
            break
        act(data, night, wanted)
        same(night, wanted)
    while wanted.phase == "showdown":
        ranking = data.draw(rankings(wanted))
        code = wanted.showdown(ranking)
        assert code_of(night.book.apply({"do": "showdown", "ranking": ranking})) == code
        same(night, wanted)
        event(f"showdown: {code or 'paid' if ranking else 'nobody showed'}")


def opened(players: int = 3, **chosen: Any) -> Night:
    """Modern, seat 1 deals, everybody has 41 chips: the betting is open, seat 2 is to act."""
    night = melding("modern", players, options=chosen)
    night.do("next")
    return night


def test_the_order_of_a_stakes_refusals() -> None:
    night = melding("modern", 3, options={"raises": "none", "ante_from": "bank"})
    night.have({1: 10, 2: 50, 3: 10})
    night.do("next")
    night.do("stake", seat=2, chips=20)
    # Not its turn, and more than it has.
    assert night.refused("stake", seat=1, chips=99) == "not-your-turn"
    # More than it has, and more than the call.
    assert night.refused("stake", seat=3, chips=21) == "not-enough-chips"
    # More than it has, and below the call.
    assert night.refused("stake", seat=3, chips=11) == "not-enough-chips"
    assert night.refused("stake", seat=3, chips=9) == "below-call"
    night.do("stake", seat=3, chips=10)
    assert (night["knocker"], night["to_act"]) == (2, 1)


def test_the_cap_is_what_the_poorest_still_in_could_match_and_rises_when_it_passes() -> None:
    night = melding("modern", 3, options={"raises": "capped", "ante_from": "bank"})
    night.have({1: 4, 2: 30, 3: 12})
    night.do("next")
    assert night.refused("stake", seat=2, chips=5) == "above-cap"
    night.do("stake", seat=2, chips=3)
    assert night.refused("stake", seat=3, chips=5) == "above-cap"
    night.do("stake", seat=3, chips=4)
    night.do("pass", seat=1)
    # Seat 1 is out: seat 3 could match 12, of which seat 2 has committed 3.
    assert night.refused("stake", seat=2, chips=10) == "above-cap"
    night.do("stake", seat=2, chips=9)
    assert night["committed"] == {"2": 12, "3": 4}


@pytest.mark.parametrize("high_card", [True, False])
def test_left_alone_where_a_set_must_be_proved(high_card: bool) -> None:
    night = opened(prove_set=True, high_card=high_card)
    night.do("stake", seat=2, chips=7)
    night.do("stake", seat=3, chips=9)
    night.do("pass", seat=1)
    night.do("pass", seat=2)
    assert (night["phase"], night["to_act"], night["knocker"]) == ("showdown", None, 3)
    assert night["committed"] == {"2": 7, "3": 9}
    assert night.refused("showdown", ranking=[2]) == "bad-ranking"
    night.do("showdown", ranking=[])
    # Section 6 returns the two chips that nobody matched.
    assert (night["pools"]["poch"], night.stacks, night["leader"]) == (17, [41, 34, 34], 2)
    night.do("undo")
    night.do("showdown", ranking=[3])
    assert (night["pools"]["poch"], night.stacks, night["leader"]) == (0, [41, 34, 51], 3)
