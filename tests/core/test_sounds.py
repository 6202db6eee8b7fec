"""What entries sound like: who opens or raises knocks, and only moved chips are heard."""

from __future__ import annotations

from pochboard.ledger.sounds import Sound, betting_winners, passes_turn, sound_of_entry
from tests.core.play import Night, melding


def heard(night: Night, name: str, /, **fields: object) -> Sound | None:
    """The sound of a command."""
    before = night.book.state
    step = night.do(name, **fields)
    return sound_of_entry(before, night.book.state, step.entry.command)


def test_a_night_is_heard() -> None:
    night = Night()
    assert heard(night, "deal") == "chips"
    assert heard(night, "turn", card="QH") is None
    assert heard(night, "claim", seat=1, pool="ace") == "claim"
    assert heard(night, "next") is None
    assert heard(night, "stake", seat=2, chips=2) == "knock"  # opens
    assert heard(night, "stake", seat=3, chips=2) == "chips"  # holds
    assert heard(night, "stake", seat=1, chips=5) == "knock"  # raises
    assert heard(night, "undo") is None
    assert heard(night, "redo") is None
    assert heard(night, "pass", seat=2) is None
    assert heard(night, "stake", seat=3, chips=3) == "chips"
    assert heard(night, "showdown", ranking=[3]) == "win"
    assert heard(night, "out", seat=2) == "out"
    assert heard(night, "settle", cards={"1": 2, "3": 0}) == "chips"
    assert heard(night, "deal") == "chips"
    assert heard(night, "void") is None
    assert heard(night, "rename", seat=1, name="Andrea") is None
    assert heard(night, "end") == "end"


def winners(night: Night, name: str, /, **fields: object) -> tuple[int, ...]:
    before = night.book.state
    step = night.do(name, **fields)
    return betting_winners(before, night.book.state, step.entry.command)


def test_a_knocker_who_loses_takes_back_what_nobody_has_matched() -> None:
    night = melding(players=3, dealer=3, options={"all_in": True})
    night.have({2: 2})
    night.do("next")
    before = night.stacks[0]
    night.do("stake", seat=1, chips=9)
    night.do("stake", seat=2, chips=2)
    night.do("pass", seat=3)
    assert winners(night, "showdown", ranking=[2, 1]) == (2,)
    assert night.stacks[0] == before - 2, "it has taken back seven of nine"


def test_the_turn_passes_to_another_player() -> None:
    night = Night()

    def passes(name: str, /, **fields: object) -> bool:
        before = night.book.state
        night.do(name, **fields)
        return passes_turn(before, night.book.state)

    assert not passes("deal")
    assert passes("next"), "the betting begins"
    assert not passes("rename", seat=2, name="Benjamin")
    assert passes("stake", seat=2, chips=2)
    assert passes("undo"), "it is the other player's turn again"
    assert passes("redo")
    assert passes("pass", seat=3)
    assert not passes("pass", seat=1), "nobody is to act"
