"""The sentence of every kind of entry, in singular and plural."""

from __future__ import annotations

from typing import Any

from pochboard.messages.entries import sentences
from tests.core.play import Night, melding


def last(night: Night) -> str:
    """The sentence of the newest entry."""
    return sentences(night.book.entries, night.book.states)[-1]


def said(night: Night, name: str, /, **fields: Any) -> str:
    """The sentence of a command that must be accepted."""
    night.do(name, **fields)
    return last(night)


def betting(**options: Any) -> Night:
    """A night of Anna, Ben and Clara in the betting; Anna has dealt, Ben acts first."""
    night = Night(options=options) if options else Night()
    night.do("deal")
    night.do("next")
    return night


def played(**options: Any) -> Night:
    """The same night in the shedding, after nobody has bet."""
    night = Night(options=options) if options else Night()
    night.shed()
    return night


def test_a_night_begins() -> None:
    assert last(Night()) == (
        "A night begins: modern. Anna, Ben and Clara start with 50 chips each. Anna deals first."
    )
    assert last(Night(players=3, stack=1, dealer=3)) == (
        "A night begins: modern. Anna, Ben and Clara start with 1 chip each. Clara deals first."
    )


def test_claims() -> None:
    night = melding()
    night.fill(ace=1)
    assert said(night, "claim", seat=2, pool="ace") == "Ben takes Ace: 1 chip."
    assert said(night, "claim", seat=3, pool="jack") == "Clara takes Jack: 3 chips."
    assert said(night, "claim", seat=1, pool="marriage") == (
        "Anna takes Marriage with King and Queen: 9 chips."
    )


def test_a_deal_names_those_who_cannot_ante() -> None:
    night = Night("modern", 4, dealer=2, options={"short_seats": "retire"})
    night.have({2: 8})
    assert said(night, "deal") == (
        "Deal 1: Clara deals, and everybody puts in 9 chips. Ben cannot ante and is out."
    )
    night.do("undo")
    night.have({1: 0})
    assert said(night, "deal") == (
        "Deal 1: Clara deals, and everybody puts in 9 chips. Anna and Ben cannot ante and are out."
    )


def test_a_banker_pays_for_all_and_hands_over() -> None:
    night = Night(options={"ante_from": "banker"}, dealer=2)
    assert said(night, "deal") == ("Deal 1: Ben deals, and Ben, the banker, puts in 9 chips.")
    night.do("void")
    assert said(night, "banker", seat=3) == "Clara is the banker from now on."
    assert said(night, "deal") == "Deal 1: Ben deals, and Clara, the banker, puts in 9 chips."


def test_with_a_chip_left_nobody_is_all_in() -> None:
    night = melding()
    night.have({1: 9, 2: 4, 3: 4})
    night.do("next")
    assert said(night, "stake", seat=2, chips=3) == "Ben knocks with 3 chips."
    assert said(night, "stake", seat=3, chips=3) == "Clara stays in with 3 chips."
    assert said(night, "stake", seat=1, chips=8) == "Anna puts in 8 chips and raises by 5."


def test_passes() -> None:
    night = betting()
    assert said(night, "pass", seat=2) == "Ben passes."
    assert said(night, "pass", seat=3) == "Clara passes."
    assert said(night, "pass", seat=1) == "Anna passes. Nobody knocked. Ben leads."


def at_the_showdown(**options: Any) -> Night:
    """Ben has knocked with 4, Clara and Anna have held."""
    night = betting(**options)
    for seat in (2, 3, 1):
        night.do("stake", seat=seat, chips=4)
    return night


def test_showdowns() -> None:
    assert said(at_the_showdown(), "showdown", ranking=[3]) == (
        "Clara wins the betting. Clara gets 15 chips and leads."
    )
    assert said(at_the_showdown(), "showdown", ranking=[[3]]) == (
        "Clara wins the betting. Clara gets 15 chips and leads."
    ), "nobody ties alone"
    assert said(at_the_showdown(), "showdown", ranking=[[1, 3]]) == (
        "Anna and Clara tie in the betting. Anna gets 7 chips. Clara gets 8 chips. Clara leads."
    )


def test_a_bluff_costs_a_penalty() -> None:
    assert said(at_the_showdown(bluff_penalty=2), "showdown", ranking=[3]) == (
        "Clara wins the betting. Ben pays a penalty of 8 chips. Clara gets 23 chips. Clara leads."
    )
    night = betting(bluff_penalty=1)
    for seat in (2, 3, 1):
        night.do("stake", seat=seat, chips=1)
    assert "Ben pays a penalty of 1 chip." in said(night, "showdown", ranking=[3])


def test_run_bonuses() -> None:
    night = Night("thirty-one")
    night.shed()
    assert said(night, "go", seat=3) == "Clara ends the run and gets 2 chips."
    night.have({1: 0})
    assert said(night, "go", seat=3) == "Clara ends the run and gets 1 chip."


def test_the_last_card_and_the_settlement() -> None:
    night = played()
    assert said(night, "out", seat=2) == "Ben has played the last card."
    assert said(night, "settle", cards={"1": 2, "3": 1}) == (
        "Deal 1 is settled: Ben gets 2 from Anna and 1 from Clara. Ben takes Pinke: 3 chips."
        " Ben deals next."
    )


def test_several_go_out_and_the_night_ends() -> None:
    night = played(out_when_broke=True)
    night.have({1: 3, 3: 3})
    night.do("out", seat=2)
    sentences = said(night, "settle", cards={"1": 5, "3": 5})
    assert sentences == (
        "Deal 1 is settled: Ben gets only 3 of 5 from Anna and only 3 of 5 from Clara. Ben"
        " takes Pinke: 3 chips. Anna and Clara have no chips left and are out. The night is over."
    )


def test_coming_and_going() -> None:
    night = Night()
    assert said(night, "rebuy", seat=2, chips=1) == "Ben buys in for 1 chip."
    assert said(night, "rebuy", seat=2, chips=20) == "Ben buys in for 20 chips."
    assert said(night, "join", name="Dora") == "Dora joins at place 4 with 50 chips."
    assert said(night, "rename", seat=4, name="Hans") == "Dora is now called Hans."
    assert said(night, "dealer", seat=4) == "Hans deals next."
    assert said(night, "sit_out", seat=4) == "Hans sits out. Anna deals next."
    assert said(night, "sit_out", seat=2) == "Ben sits out."
    assert said(night, "sit_in", seat=2) == "Ben plays again."
    assert said(night, "dealer", seat=3) == "Clara deals next."
    night.have({3: 1})
    assert said(night, "leave", seat=3) == "Clara goes home with 1 chip. Anna deals next."
    night = Night(stack=1)
    assert said(night, "join", name="Dora", place=8) == "Dora joins at place 8 with 1 chip."


def test_recounts() -> None:
    night = melding()
    recount = {"from": "bank", "to": "seat:2", "chips": 1, "reason": " one fell down "}
    assert said(night, "adjust", **recount) == (
        "Recount: 1 chip from the bank to Ben (one fell down)."
    )
    recount = {"from": "seat:2", "to": "pool:ace", "chips": 3, "reason": "wrong bowl"}
    assert said(night, "adjust", **recount) == "Recount: 3 chips from Ben to Ace (wrong bowl)."


def test_undo_and_redo_quote_what_they_concern() -> None:
    night = melding()
    night.do("claim", seat=2, pool="ace")
    assert said(night, "undo") == "Undone: Ben takes Ace: 3 chips."
    assert said(night, "redo") == "Redone: Ben takes Ace: 3 chips."
    assert said(night, "undo") == "Undone: Ben takes Ace: 3 chips."
