"""The lobby: a night put together by presses between nights (BOARD.md 3)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.hands import Hands


def lobby(hands: Hands) -> tuple[list[int], int | None, bool]:
    """Places that are in, the one that deals first, and whether a first next has shown them."""
    found = hands.pending["lobby"]
    return found["in"], found["deals"], found["armed"]


def start_of(hands: Hands) -> dict[str, Any]:
    """Starts the night by two presses of next; returns the command that began it."""
    assert hands.press("next") is None
    assert hands.press("next") is None
    assert hands.phase == "idle"
    return hands.commands[0]


def ended(**fields: Any) -> Hands:
    hands = Hands()
    hands.start(**fields)
    hands.phone("end")
    return hands


# Who is in.


def test_before_the_first_night_no_place_is_in() -> None:
    assert lobby(Hands()) == ([], None, False)


def test_after_a_night_those_of_its_end_are_in() -> None:
    hands = Hands()
    hands.start(places=(2, 4, 5, 7))
    hands.phone("leave", seat=2)
    hands.phone("join", name="New", place=8)
    hands.phone("end")
    assert lobby(hands) == ([2, 5, 7, 8], 2, False)


def test_places_that_this_board_lacks_are_not_in() -> None:
    hands = Hands(places=6)
    hands.start(places=(2, 4, 5, 8))
    hands.phone("end")
    assert lobby(hands) == ([2, 4, 5], 2, False)
    assert "seat6" in hands.panel.buttons
    assert "seat7" not in hands.panel.buttons


def test_a_place_is_put_in_and_out_by_its_button() -> None:
    hands = Hands()
    hands.press("seat5", "seat2", "seat8")
    assert lobby(hands) == ([2, 5, 8], 2, False)
    hands.press("seat2", "seat8")
    assert lobby(hands) == ([5], 5, False)


def test_the_lobby_never_expires() -> None:
    hands = Hands()
    hands.press("seat5", "seat2")
    hands.long("seat8")
    hands.wait(3600)
    assert lobby(hands) == ([2, 5, 8], 8, False)


# Who deals first.


def test_a_long_press_puts_a_place_in_and_has_it_deal_first() -> None:
    hands = Hands()
    hands.press("seat5", "seat2")
    hands.down("seat8")
    hands.wait(0.8)
    assert lobby(hands) == ([2, 5, 8], 8, False)
    hands.up("seat8")
    assert lobby(hands) == ([2, 5, 8], 8, False)
    assert hands.long("seat5") is None
    assert lobby(hands) == ([2, 5, 8], 5, False)


def test_the_first_dealer_stays_when_others_come_and_go() -> None:
    hands = Hands()
    hands.press("seat5", "seat2")
    hands.long("seat8")
    hands.press("seat3", "seat5")
    assert lobby(hands) == ([2, 3, 8], 8, False)


def test_when_the_first_dealer_goes_out_the_first_place_deals() -> None:
    hands = Hands()
    hands.press("seat5", "seat2")
    hands.long("seat5")
    hands.press("seat5")
    assert lobby(hands) == ([2], 2, False)
    # Joining again does not make the player the first dealer again.
    hands.press("seat5")
    assert lobby(hands) == ([2, 5], 2, False)


def test_the_lot_is_drawn_from_the_places_that_are_in() -> None:
    hands = Hands()
    hands.press("seat5", "seat2", "seat7")
    hands.desk.lot = 1
    assert hands.press("pinke") is None
    assert hands.desk.drawn_from == [(2, 5, 7)]
    assert lobby(hands) == ([2, 5, 7], 5, False)
    hands.desk.lot = 2
    hands.press("pinke")
    assert lobby(hands) == ([2, 5, 7], 7, False)


def test_nobody_can_be_drawn_from_an_empty_lobby() -> None:
    hands = Hands()
    assert hands.press("pinke") == "no-meaning"
    assert hands.desk.drawn_from == []


def test_the_first_dealer_starts_the_night() -> None:
    hands = Hands()
    hands.press("seat5", "seat2", "seat7")
    hands.desk.lot = 2
    hands.press("pinke")
    assert start_of(hands)["dealer"] == 3
    assert hands.state.dealer == 3


# The two presses of next.


def test_next_twice_starts_a_modern_night_before_there_was_one() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4")
    hands.press("next")
    assert (lobby(hands), hands.phase) == (([2, 4, 7], 2, True), "none")
    hands.press("next")
    assert hands.commands == [
        {
            "do": "start",
            "ruleset": "modern",
            "players": ["Place 2", "Place 4", "Place 7"],
            "places": [2, 4, 7],
            "dealer": 1,
        }
    ]
    assert hands.state.stack == 50
    assert hands.pending == {}


def test_a_second_next_within_a_second_is_too_soon_and_the_first_one_stays() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    assert hands.hold("next", 0.05, gap_s=0.2) == "too-soon"
    assert lobby(hands)[2] is True
    assert hands.hold("next", 0.05, gap_s=0.8) is None
    assert hands.phase == "idle"


def test_a_second_next_counts_within_ten_seconds_of_the_first() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    hands.wait(9.949_999)
    hands.down("next")
    hands.wait(0.05)
    hands.up("next")
    assert hands.phase == "idle"


def test_after_ten_seconds_it_is_a_first_one_again() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    hands.skip(10)
    hands.down("next")
    hands.up("next")
    assert (lobby(hands), hands.phase) == (([2, 4, 7], 2, True), "none")


def test_the_ten_seconds_run_from_the_first_next_whatever_is_pressed_meanwhile() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    hands.wait(9)
    hands.press("pinke")
    assert lobby(hands)[2] is True
    hands.wait(0.75)
    assert lobby(hands)[2] is False


@pytest.mark.parametrize("kind", ["short", "long"])
def test_a_place_takes_back_a_first_next(kind: str) -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    if kind == "long":
        hands.long("seat7")
        assert lobby(hands) == ([2, 4, 7], 7, False)
    else:
        hands.press("seat5")
        assert lobby(hands) == ([2, 4, 5, 7], 2, False)
    hands.press("next")
    assert hands.phase == "none"
    hands.press("next")
    assert hands.phase == "idle"


def test_the_lot_does_not_take_back_a_first_next() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    hands.desk.lot = 1
    hands.press("pinke", "next")
    assert (hands.phase, hands.state.dealer) == ("idle", 2)


@pytest.mark.parametrize(
    ("places", "code"),
    [((), "bad-players"), ((1, 2), "bad-players"), ((1, 2, 3, 4, 5, 6, 7), "bad-players")],
)
def test_a_start_that_is_refused_changes_nothing(places: tuple[int, ...], code: str) -> None:
    hands = Hands()
    hands.press(*(f"seat{place}" for place in places), "next")
    before = hands.pending
    assert hands.press("next") == code
    assert (hands.pending, hands.phase) == (before, "none")
    # Its ten seconds still count from the first next.
    hands.wait(8.75)
    assert lobby(hands)[2] is False


def test_one_next_held_in_the_lobby_opens_pairing_and_starts_nothing() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next")
    assert hands.hold("next", 3.1) is None
    assert (hands.desk.pairings, hands.phase, lobby(hands)[2]) == (1, "none", True)


def test_a_deal_right_after_the_start_is_too_soon() -> None:
    hands = Hands()
    hands.press("seat7", "seat2", "seat4", "next", "next")
    assert hands.hold("next", 0.05) == "too-soon"
    assert hands.press("next") is None
    assert hands.phase == "meld"


# Undo.


def test_undo_first_brings_everything_back_as_it_was_and_then_undoes() -> None:
    hands = ended()
    hands.press("seat1", "seat2")
    hands.long("seat4")
    hands.press("next")
    assert lobby(hands) == ([1, 4, 5, 7], 4, True)
    assert hands.press("undo") is None
    assert lobby(hands) == ([2, 4, 5, 7], 2, False)
    assert hands.phase == "closed"
    assert hands.press("undo") is None
    assert (hands.commands[-1], hands.phase, hands.pending) == ({"do": "undo"}, "idle", {})


@pytest.mark.parametrize("change", ["next", "pinke", "seat4"])
def test_each_single_change_is_something_to_bring_back(change: str) -> None:
    hands = ended()
    hands.desk.lot = 1
    if change == "seat4":
        hands.long("seat4")
    else:
        hands.press(change)
    hands.press("undo")
    assert (lobby(hands), hands.phase) == (([2, 4, 5, 7], 2, False), "closed")


def test_a_place_put_out_and_in_again_is_as_at_first() -> None:
    hands = ended()
    hands.press("seat4", "seat4", "undo")
    assert hands.phase == "idle"


def test_undo_meant_for_a_first_next_never_reopens_the_night_when_that_expires() -> None:
    hands = ended()
    hands.press("next")
    hands.wait(9.8)
    hands.down("undo")
    hands.wait(0.5)
    hands.up("undo")
    assert (hands.codes(), hands.phase) == ([], "closed")


def test_redo_closes_again_a_night_that_undo_reopened() -> None:
    hands = ended()
    hands.press("undo")
    assert hands.phase == "idle"
    hands.press("seat1")
    hands.long("undo")
    assert hands.phase == "closed"
    assert lobby(hands) == ([2, 4, 5, 7], 2, False)


def test_before_the_first_night_there_is_nothing_to_undo_or_redo() -> None:
    hands = Hands()
    assert hands.press("undo") == "wrong-phase"
    assert hands.long("undo") == "wrong-phase"


def test_a_night_started_from_a_phone_clears_the_lobby() -> None:
    hands = Hands()
    hands.press("seat1", "seat3")
    hands.start()
    assert hands.pending == {}
    hands.phone("end")
    assert lobby(hands) == ([2, 4, 5, 7], 2, False)


# What the next night is made of.


def test_ruleset_options_and_stack_are_those_of_the_last_night() -> None:
    hands = ended(ruleset="thirty-one", options={"run_bonus": 2, "raises": "none"}, stack=77)
    assert start_of(hands) == {
        "do": "start",
        "ruleset": "thirty-one",
        "options": {"run_bonus": 2, "raises": "none"},
        "stack": 77,
        "players": ["A", "B", "C", "D"],
        "places": [2, 4, 5, 7],
        "dealer": 1,
    }
    assert (hands.state.stack, hands.state.rules.run_bonus) == (77, 2)


def test_the_stack_of_the_last_night_is_kept_where_it_was_the_rulesets() -> None:
    hands = ended(ruleset="banker")
    assert start_of(hands)["stack"] == 10
    assert hands.state.stack == 10


def test_several_nights_on_end_keep_what_they_were_made_of() -> None:
    hands = ended(ruleset="philos", options={"bluff_penalty": 3}, stack=20)
    first = start_of(hands)
    assert hands.both() is None
    hands.wait(1)
    assert start_of(hands) == first


def test_names_are_those_last_heard_at_the_places() -> None:
    hands = Hands()
    hands.start(places=(2, 4, 5, 7))
    hands.phone("rename", seat=2, name="Bert")
    hands.phone("leave", seat=4)
    hands.phone("end")
    assert lobby(hands)[0] == [2, 4, 5]
    hands.press("seat7", "seat1")
    assert start_of(hands)["players"] == ["Place 1", "A", "Bert", "C", "D"]


def test_whoever_sat_last_at_a_place_is_heard_there() -> None:
    hands = Hands()
    hands.start(places=(2, 4, 5, 7))
    hands.phone("leave", seat=2)
    hands.phone("join", name="Emma", place=4)
    hands.phone("end")
    assert start_of(hands)["players"] == ["A", "Emma", "C", "D"]


def test_names_are_heard_over_several_nights() -> None:
    hands = ended(places=(2, 4, 5, 7))
    hands.press("seat2", "seat1")
    assert start_of(hands)["players"] == ["Place 1", "B", "C", "D"]
    hands.phone("rename", seat=1, name="Zoe")
    hands.both()
    hands.wait(1)
    hands.press("seat2", "seat4")
    assert start_of(hands)["players"] == ["Zoe", "A", "C", "D"]


def test_a_name_that_an_earlier_place_has_becomes_the_places() -> None:
    hands = Hands()
    hands.start(places=(2, 4, 5, 7))
    # A moves from place 2 to place 8, so both places last used its name.
    hands.phone("leave", seat=1)
    hands.phone("join", name="A", place=8)
    hands.phone("end")
    hands.press("seat2")
    assert start_of(hands)["players"] == ["A", "B", "C", "D", "Place 8"]


def test_names_taken_back_by_undo_are_what_was_heard_before() -> None:
    hands = Hands()
    hands.start(places=(2, 4, 5, 7))
    hands.phone("rename", seat=2, name="Bert")
    hands.phone("undo")
    hands.phone("end")
    assert start_of(hands)["players"] == ["A", "B", "C", "D"]


def test_those_who_are_out_at_the_end_are_in_for_the_next_night() -> None:
    hands = Hands()
    hands.start(ruleset="banker", places=(2, 4, 5, 7), stack=1)
    hands.phone("deal")
    hands.phone("next")
    hands.phone("stake", seat=2, chips=1)
    hands.phone("stake", seat=3, chips=1)
    hands.phone("pass", seat=4)
    hands.phone("pass", seat=1)
    hands.phone("showdown", ranking=[2])
    hands.phone("out", seat=2)
    hands.phone("settle", cards={"1": 0, "3": 1, "4": 0})
    assert hands.state.live == (1, 2, 4)
    hands.phone("end")
    assert lobby(hands) == ([2, 4, 5, 7], 2, False)
