"""A press is decided at its down, even if the table moves on while it is held (BOARD.md 2)."""

from __future__ import annotations

import pytest

from tests.core.hands import Hands


@pytest.fixture
def hands() -> Hands:
    hands = Hands()
    hands.start()
    return hands


def betting(hands: Hands) -> None:
    """Pochen; A at place 2 deals, so B at place 4 is to act."""
    hands.phone("deal")
    hands.phone("next")


# The phase or the seat to act has changed, and the press would mean something else: refused.


def test_next_meant_to_deal_is_refused_once_a_phone_has_dealt(hands: Hands) -> None:
    hands.down("next")
    hands.wait(0.5)
    hands.phone("deal")
    hands.up("next")
    assert hands.codes() == ["no-meaning"]
    assert hands.phase == "meld"


def test_next_still_means_deal_when_a_deal_has_come_and_gone(hands: Hands) -> None:
    hands.down("next")
    hands.phone("deal")
    hands.phone("void")
    hands.up("next")
    assert hands.codes() == []
    assert hands.phase == "meld"


def test_the_long_press_of_next_opens_pairing_in_whatever_phase(hands: Hands) -> None:
    hands.down("next")
    hands.phone("deal")
    hands.wait(3)
    assert (hands.codes(), hands.desk.pairings, hands.phase) == ([], 1, "meld")


def test_a_pass_is_refused_once_a_phone_has_passed_for_the_seat(hands: Hands) -> None:
    betting(hands)
    hands.down("seat4")
    hands.wait(0.5)
    hands.phone("pass", seat=2)
    hands.wait(0.5)
    hands.up("seat4")
    assert hands.codes() == ["no-meaning"]
    assert hands.commands[-1] == {"do": "pass", "seat": 2}
    assert hands.state.to_act == 3


def test_a_chip_is_refused_once_a_phone_has_staked_for_the_seat(hands: Hands) -> None:
    betting(hands)
    hands.down("seat4")
    hands.phone("stake", seat=2, chips=2)
    hands.up("seat4")
    assert (hands.codes(), hands.pending) == (["no-meaning"], {})


def test_a_stake_is_refused_once_a_phone_has_passed_for_the_seat(hands: Hands) -> None:
    betting(hands)
    hands.press("seat4", "seat4")
    hands.down("poch")
    hands.phone("pass", seat=2)
    hands.up("poch")
    assert hands.codes() == ["no-meaning"]
    assert hands.state.pool("poch") == 4


def test_a_stake_never_becomes_that_of_the_next_seat(hands: Hands) -> None:
    betting(hands)
    hands.press("seat4")
    hands.wait(0.2)
    hands.down("poch")
    hands.phone("pass", seat=2)
    hands.wait(0.4)
    hands.down("seat5")
    hands.wait(0.05)
    hands.up("seat5")
    assert hands.pending == {"chips": 1}
    hands.up("poch")
    assert (hands.codes(), hands.pending) == (["no-meaning"], {"chips": 1})


def test_undo_meant_for_chips_is_refused_once_a_phone_has_passed_for_the_seat(hands: Hands) -> None:
    betting(hands)
    hands.press("seat4", "seat4")
    hands.down("undo")
    hands.phone("pass", seat=2)
    hands.up("undo")
    assert hands.codes() == ["no-meaning"]
    assert hands.commands[-1] == {"do": "pass", "seat": 2}


def test_undo_meant_for_counted_cards_is_refused_once_a_phone_has_settled(hands: Hands) -> None:
    betting(hands)
    for seat in (2, 3, 4, 1):
        hands.phone("pass", seat=seat)
    hands.phone("out", seat=1)
    hands.press("seat4")
    hands.down("undo")
    hands.phone("settle", cards={"2": 1, "3": 0, "4": 0})
    hands.up("undo")
    assert (hands.codes(), hands.phase) == (["no-meaning"], "idle")


def test_undo_that_means_undo_in_both_phases_takes_back_what_was_done_meanwhile(
    hands: Hands,
) -> None:
    hands.down("undo")
    hands.phone("deal")
    hands.up("undo")
    assert (hands.codes(), hands.phase) == ([], "idle")
    assert hands.commands[-1] == {"do": "undo"}


def test_a_count_is_refused_once_a_phone_has_taken_back_who_is_out(hands: Hands) -> None:
    betting(hands)
    for seat in (2, 3, 4, 1):
        hands.phone("pass", seat=seat)
    hands.phone("out", seat=1)
    hands.down("seat4")
    hands.phone("undo")
    hands.up("seat4")
    assert (hands.codes(), hands.pending) == (["no-meaning"], {})


def test_an_empty_ranking_is_refused_once_a_phone_has_decided(hands: Hands) -> None:
    betting(hands)
    for seat in (2, 3, 4, 1):
        hands.phone("stake", seat=seat, chips=2)
    hands.down("poch")
    hands.phone("showdown", ranking=[2])
    hands.wait(1)
    hands.up("poch")
    assert (hands.codes(), hands.phase) == (["no-meaning"], "shed")


def test_a_hold_to_leave_is_refused_once_a_phone_has_dealt(hands: Hands) -> None:
    hands.down("seat4")
    hands.wait(1)
    hands.phone("deal")
    hands.wait(2)
    hands.up("seat4")
    assert (hands.codes(), hands.state.live) == (["no-meaning"], (1, 2, 3, 4))


def test_a_place_in_the_lobby_is_refused_once_a_phone_has_started() -> None:
    hands = Hands()
    hands.down("seat1")
    hands.start()
    hands.up("seat1")
    assert (hands.codes(), hands.pending) == (["no-meaning"], {})


def test_void_is_refused_once_a_phone_has_voided(hands: Hands) -> None:
    betting(hands)
    hands.down("next", "undo")
    hands.wait(1)
    hands.phone("void")
    hands.wait(1.5)
    hands.up("next", "undo")
    # In idle both together would end the night.
    assert (hands.codes(), hands.phase) == (["no-meaning"], "idle")


def test_end_is_refused_once_a_phone_has_dealt(hands: Hands) -> None:
    hands.down("next", "undo")
    hands.phone("deal")
    hands.wait(2.5)
    hands.up("next", "undo")
    assert (hands.codes(), hands.phase) == (["no-meaning"], "meld")


def test_void_means_void_in_the_next_phase_too(hands: Hands) -> None:
    hands.phone("deal")
    hands.down("undo", "next")
    hands.phone("next")
    hands.wait(2)
    hands.up("next", "undo")
    assert (hands.codes(), hands.commands[-1]) == ([], {"do": "void"})


# The phase and the seat to act are the same: what was decided at the down holds.


def test_undo_meant_for_a_selected_seat_is_no_undo_when_the_seat_expires_meanwhile(
    hands: Hands,
) -> None:
    hands.phone("deal")
    hands.press("seat2")
    hands.wait(4.7)
    hands.down("undo")
    hands.wait(0.6)
    assert hands.pending == {}
    hands.up("undo")
    assert (hands.codes(), hands.commands[-1]) == ([], {"do": "deal"})


def test_undo_meant_for_chips_is_no_undo_when_a_phone_has_undone_meanwhile(hands: Hands) -> None:
    betting(hands)
    hands.phone("rename", seat=1, name="Z")
    hands.press("seat4")
    hands.down("undo")
    hands.phone("undo")
    assert hands.pending == {}
    hands.up("undo")
    assert (hands.codes(), len(hands.commands)) == ([], 5)


def test_letting_go_of_chips_never_becomes_a_pass(hands: Hands) -> None:
    betting(hands)
    hands.phone("rename", seat=1, name="Z")
    hands.press("seat4", "seat4")
    hands.down("seat4")
    hands.wait(0.5)
    hands.phone("undo")
    hands.wait(0.5)
    hands.up("seat4")
    assert (hands.pending, hands.state.to_act) == ({}, 2)


def test_no_count_again_never_becomes_no_cards(hands: Hands) -> None:
    betting(hands)
    for seat in (2, 3, 4, 1):
        hands.phone("pass", seat=seat)
    hands.phone("out", seat=1)
    hands.press("seat4")
    hands.wait(0.2)
    hands.down("seat4")
    hands.wait(0.4)
    hands.down("undo")
    hands.wait(0.05)
    hands.up("undo")
    assert hands.pending == {}
    hands.wait(0.5)
    hands.up("seat4")
    assert (hands.codes(), hands.pending) == ([], {})


def test_dropping_a_seat_never_selects_it_when_it_expires_meanwhile(hands: Hands) -> None:
    hands.press("seat2")
    hands.wait(4.7)
    hands.down("seat2")
    hands.wait(0.6)
    hands.up("seat2")
    assert (hands.codes(), hands.pending) == ([], {})


def test_undo_held_over_other_presses_still_undoes(hands: Hands) -> None:
    betting(hands)
    hands.down("undo")
    hands.wait(0.4)
    hands.down("seat4")
    hands.wait(0.05)
    hands.up("seat4")
    hands.wait(0.05)
    hands.up("undo")
    assert (hands.codes(), hands.pending, hands.phase) == ([], {}, "meld")


def test_a_hold_to_leave_never_sends_home_whoever_sits_there_now(hands: Hands) -> None:
    hands.down("seat4")
    hands.wait(1)
    hands.phone("leave", seat=2)
    hands.phone("join", name="New", place=4)
    hands.wait(2.5)
    hands.up("seat4")
    assert len(hands.codes()) == 1
    assert hands.state.live == (1, 3, 4, 5)


def test_counts_of_other_seats_made_during_a_hold_are_kept(hands: Hands) -> None:
    betting(hands)
    for seat in (2, 3, 4, 1):
        hands.phone("pass", seat=seat)
    hands.phone("out", seat=1)
    hands.down("seat4")
    hands.wait(0.5)
    hands.press("seat5", "seat5")
    hands.wait(0.4)
    hands.up("seat4")
    assert (hands.codes(), hands.pending) == ([], {"cards": {2: 0, 3: 2}})


def test_a_stake_puts_in_the_chips_that_are_in_the_hand_when_it_is_made(hands: Hands) -> None:
    betting(hands)
    hands.phone("rename", seat=1, name="Z")
    hands.press("seat4")
    hands.wait(0.2)
    hands.down("poch")
    hands.phone("undo")
    hands.up("poch")
    assert (hands.codes(), hands.state.pool("poch")) == (["seat-first"], 4)


def test_an_empty_ranking_is_refused_once_a_hand_was_pressed_during_the_hold(hands: Hands) -> None:
    hands.phone("adjust", **{"from": "seat:2", "to": "bank", "chips": 10, "reason": "less"})
    betting(hands)
    hands.phone("stake", seat=2, chips=31)
    hands.phone("stake", seat=3, chips=41)
    hands.phone("stake", seat=4, chips=41)
    hands.phone("pass", seat=1)
    assert hands.phase == "showdown"
    hands.down("poch")
    hands.wait(0.4)
    hands.down("seat4")
    hands.wait(0.05)
    hands.up("seat4")
    assert hands.pending == {"hands": [2]}
    hands.wait(1)
    hands.up("poch")
    assert (hands.codes(), hands.pending) == (["no-meaning"], {"hands": [2]})
