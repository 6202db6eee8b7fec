"""Selected seats, chips, hands and cards: how they come and what drops them (BOARD.md 3)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.hands import Hands


def idle(**fields: Any) -> Hands:
    hands = Hands()
    hands.start(**fields)
    return hands


def melding(**fields: Any) -> Hands:
    hands = idle(**fields)
    hands.phone("deal")
    return hands


def betting(**fields: Any) -> Hands:
    """A at place 2 deals, so B at place 4 is to act."""
    hands = melding(**fields)
    hands.phone("next")
    return hands


def shedding(**fields: Any) -> Hands:
    hands = betting(**fields)
    for seat in (2, 3, 4, 1):
        hands.phone("pass", seat=seat)
    return hands


def counting(**fields: Any) -> Hands:
    hands = shedding(**fields)
    hands.phone("out", seat=1)
    return hands


# A selected seat.


@pytest.mark.parametrize("make", [idle, melding, shedding])
def test_a_selected_seat_is_dropped_after_five_seconds(make: Any) -> None:
    hands = make()
    hands.down("seat2")
    hands.up("seat2")
    hands.wait(4.999_999)
    assert hands.pending == {"place": 2}
    hands.wait(0.000_001)
    assert (hands.pending, hands.codes()) == ({}, [])


def test_the_five_seconds_run_from_when_the_press_was_accepted() -> None:
    hands = idle()
    hands.down("seat2")
    hands.wait(2)
    hands.up("seat2")  # in idle it acts at up
    hands.wait(4.999_999)
    assert hands.pending == {"place": 2}
    hands.wait(0.000_001)
    assert hands.pending == {}
    hands = melding()
    hands.down("seat2")  # in the meld at down
    hands.wait(4.999_999)
    assert hands.pending == {"place": 2}
    hands.wait(0.000_001)
    assert hands.pending == {}


def test_every_accepted_press_restarts_the_five_seconds() -> None:
    hands = melding()
    hands.press("seat2")
    for pool in ("ace", "king", "queen"):
        hands.wait(4.7)
        assert hands.press(pool) is None
    assert hands.pending == {"place": 2, "kept": True}
    hands.wait(4)
    assert hands.press("ace") == "empty-pool"
    hands.wait(0.8)
    assert hands.pending == {}


def test_a_pool_at_the_very_moment_of_the_drop_comes_too_late() -> None:
    hands = melding()
    hands.down("seat2")
    hands.skip(5)
    hands.down("ace")
    assert hands.codes() == ["seat-first"]


def test_commands_from_phones_leave_the_selected_seat_and_its_time() -> None:
    hands = melding()
    hands.down("seat2")
    hands.wait(3)
    hands.phone("turn", card="7H")
    hands.phone("claim", seat=2, pool="ace")
    hands.phone("rename", seat=1, name="Z")
    hands.phone("adjust", **{"from": "bank", "to": "seat:1", "chips": 1, "reason": "found"})
    assert hands.pending == {"place": 2}
    hands.wait(2)
    assert hands.pending == {}


@pytest.mark.parametrize("make", [idle, melding, shedding])
def test_the_same_button_drops_it_and_another_seat_is_selected_instead(make: Any) -> None:
    hands = make()
    hands.press("seat2", "seat2")
    assert hands.pending == {}
    hands.press("seat2", "seat5")
    assert hands.pending == {"place": 5}
    hands.press("seat5")
    assert hands.pending == {}


def test_a_seat_kept_after_its_claim_is_dropped_by_its_button() -> None:
    hands = melding()
    hands.press("seat2", "ace", "seat2")
    assert hands.pending == {}
    assert hands.press("king") == "seat-first"


def test_a_claim_keeps_the_seat_and_a_refused_one_keeps_the_selection() -> None:
    hands = melding()
    hands.phone("claim", seat=1, pool="king")
    assert hands.press("seat4", "marriage") == "conflict"
    assert hands.pending == {"place": 4}
    assert hands.press("king") == "empty-pool"
    assert hands.press("ace") is None
    assert hands.press("marriage") == "conflict"
    assert hands.pending == {"place": 4, "kept": True}


def test_a_claim_of_a_blocked_pool_is_refused() -> None:
    hands = melding()
    hands.phone("turn", card="KH")
    assert hands.press("seat2", "king") == "blocked-pool"
    assert hands.press("marriage") == "blocked-pool"
    assert hands.press("queen") is None


def test_a_meld_pool_that_the_ruleset_lacks_is_unknown() -> None:
    pools = ["ace", "king", "queen", "jack", "ten", "poch", "pinke"]
    hands = melding(options={"pools": pools, "ante_pools": pools})
    assert hands.press("sequence") == "seat-first"
    assert hands.press("seat2", "sequence") == "unknown-pool"
    assert hands.pending == {"place": 2}


def test_undo_first_drops_a_selected_seat_and_then_undoes() -> None:
    hands = melding()
    hands.press("seat2", "undo")
    assert (hands.pending, hands.phase) == ({}, "meld")
    hands.press("undo")
    assert hands.phase == "idle"


def test_undo_takes_back_the_claim_after_which_a_seat_stayed_selected() -> None:
    hands = melding()
    hands.press("seat2", "ace", "undo")
    assert (hands.pending, hands.state.pool("ace")) == ({}, 4)
    # A seat that was selected after the claim has not claimed, so undo only deselects it.
    hands.press("seat2", "ace", "seat4", "undo")
    assert (hands.pending, hands.state.pool("ace")) == ({}, 0)


@pytest.mark.parametrize(
    ("make", "do", "fields"),
    [
        (idle, "deal", {}),
        (idle, "end", {}),
        (melding, "next", {}),
        (melding, "void", {}),
        (shedding, "out", {"seat": 2}),
        (shedding, "void", {}),
    ],
)
def test_a_new_phase_or_winner_drops_a_selected_seat_whoever_sends_it(
    make: Any, do: str, fields: dict[str, Any]
) -> None:
    hands = make()
    hands.press("seat4")
    hands.phone(do, **fields)
    assert "place" not in hands.pending


def test_next_at_the_board_drops_a_selected_seat() -> None:
    hands = idle()
    hands.press("seat2", "next")
    assert (hands.pending, hands.phase) == ({}, "meld")
    hands.press("seat2", "ace", "next")
    assert (hands.pending, hands.phase) == ({}, "pochen")


def test_a_refused_deal_keeps_the_selected_seat() -> None:
    hands = idle(stack=5)
    hands.press("seat2")
    assert hands.press("next") == "short-ante"
    assert hands.pending == {"place": 2}


# Buying in.


def test_a_seat_that_cannot_ante_buys_the_stack_of_the_night() -> None:
    hands = idle(stack=8)
    assert hands.press("seat4", "pinke") is None
    assert hands.commands[-1] == {"do": "rebuy", "seat": 2, "chips": 8}
    assert hands.pending == {}
    # Sixteen chips are enough for the nine chips of the ante.
    assert hands.press("seat4", "pinke") == "no-meaning"
    assert hands.pending == {"place": 4}


def test_a_seat_with_just_the_ante_needs_no_chips() -> None:
    hands = idle(stack=9)
    assert hands.press("seat4", "pinke") == "no-meaning"


def test_where_the_bank_antes_only_a_seat_without_chips_buys_in() -> None:
    hands = idle(ruleset="banker", stack=1)
    assert hands.press("seat4", "pinke") == "no-meaning"
    hands.phone("adjust", **{"from": "seat:2", "to": "bank", "chips": 1, "reason": "lost"})
    assert hands.press("pinke") is None
    assert hands.commands[-1] == {"do": "rebuy", "seat": 2, "chips": 1}


def test_buying_in_uses_the_pinke_button_on_boards_of_rulesets_without_that_pool() -> None:
    hands = idle(ruleset="alvensleben-1853")
    assert hands.press("pinke") == "seat-first"
    assert hands.press("seat1", "pinke") is None
    assert hands.commands[-1] == {"do": "join", "name": "Place 1", "place": 1}


def test_joining_a_full_table_is_refused_and_keeps_the_selection() -> None:
    hands = idle(places=(1, 2, 3, 4, 5, 6))
    assert hands.press("seat8", "pinke") == "table-full"
    assert hands.pending == {"place": 8}


def test_joining_under_a_name_that_is_taken_is_refused() -> None:
    hands = idle()
    hands.phone("rename", seat=1, name="Place 8")
    assert hands.press("seat8", "pinke") == "bad-players"


def test_the_place_of_a_seat_that_has_left_is_empty() -> None:
    hands = idle()
    assert hands.hold("seat4", 3.1) is None
    assert hands.press("seat4", "pinke") is None
    assert hands.commands[-1] == {"do": "join", "name": "Place 4", "place": 4}


def test_the_last_two_cannot_leave() -> None:
    hands = idle()
    assert [hands.hold(button, 3.1) for button in ("seat2", "seat4", "seat5")] == [
        None,
        None,
        "too-few",
    ]


def test_an_empty_place_is_only_selected_however_long_it_is_held() -> None:
    hands = idle()
    hands.down("seat1")
    assert hands.pending == {"place": 1}
    hands.wait(4)
    hands.up("seat1")
    assert (hands.codes(), hands.pending) == ([], {"place": 1})


# Chips.


def test_the_first_chip_is_the_need_and_each_further_press_one_more() -> None:
    hands = betting()
    hands.press("seat4", "seat4", "seat4", "poch")
    assert hands.state.to_act == 3
    hands.press("seat5")
    assert hands.pending == {"chips": 3}
    hands.press("seat5", "seat5")
    assert hands.pending == {"chips": 5}
    hands.press("poch")
    hands.phone("pass", seat=4)
    hands.phone("stake", seat=1, chips=5)
    # B has put in three of the five.
    hands.press("seat4")
    assert hands.pending == {"chips": 2}


def test_the_first_press_is_the_whole_stack_where_that_is_less_than_the_need() -> None:
    hands = idle()
    hands.phone("adjust", **{"from": "seat:3", "to": "bank", "chips": 38, "reason": "poor"})
    hands.phone("deal")
    hands.phone("next")
    hands.phone("stake", seat=2, chips=10)
    hands.press("seat5")
    assert hands.pending == {"chips": 3}
    assert hands.press("seat5") == "not-enough-chips"
    assert hands.pending == {"chips": 3}
    assert hands.press("poch") is None
    assert hands.commands[-1] == {"do": "stake", "seat": 3, "chips": 3}


def test_chips_never_expire() -> None:
    hands = betting()
    hands.press("seat4")
    hands.wait(3600)
    assert hands.pending == {"chips": 1}


def test_chips_are_let_go_by_the_seat_held_and_by_undo() -> None:
    hands = betting()
    hands.press("seat4", "seat4")
    hands.long("seat4")
    assert (hands.pending, hands.state.to_act) == ({}, 2)
    hands.press("seat4", "seat4", "undo")
    assert (hands.pending, hands.phase) == ({}, "pochen")
    hands.long("seat4")
    assert hands.state.to_act == 3


@pytest.mark.parametrize(
    ("option", "poor_seat", "left", "staked", "count", "code"),
    [
        ({"raises": "none"}, 4, 41, 2, 2, "no-raises"),
        ({"raises": "capped"}, 4, 10, 2, 10, "above-cap"),
        ({"all_in": False}, 3, 1, 2, 1, "below-call"),
    ],
)
def test_a_refused_stake_stays_in_the_hand(
    option: dict[str, Any], poor_seat: int, left: int, staked: int, count: int, code: str
) -> None:
    hands = idle(options=option)
    if left < 41:
        account = f"seat:{poor_seat}"
        lost = 41 - left
        hands.phone("adjust", **{"from": account, "to": "bank", "chips": lost, "reason": "poor"})
    hands.phone("deal")
    hands.phone("next")
    hands.phone("stake", seat=2, chips=staked)
    for _ in range(count):
        assert hands.press("seat5") is None
    had = hands.pending
    assert hands.press("poch") == code
    assert hands.pending == had
    assert hands.long("poch") == code
    assert hands.pending == had


def test_the_bet_pool_is_that_of_the_ruleset() -> None:
    hands = betting(ruleset="banker")
    hands.press("seat4")
    assert hands.press("poch") == "no-meaning"
    assert hands.press("pinke") is None
    assert hands.commands[-1] == {"do": "stake", "seat": 2, "chips": 1}


def test_the_whole_stack_goes_in_by_a_long_press_whatever_is_in_the_hand() -> None:
    hands = betting()
    hands.press("seat4")
    assert hands.long("poch") is None
    assert hands.commands[-1] == {"do": "stake", "seat": 2, "chips": 41}


@pytest.mark.parametrize(
    ("do", "fields"),
    [("pass", {"seat": 2}), ("stake", {"seat": 2, "chips": 3}), ("void", {}), ("undo", {})],
)
def test_chips_are_dropped_by_a_phone_that_moves_the_game_on(
    do: str, fields: dict[str, Any]
) -> None:
    hands = betting()
    hands.press("seat4", "seat4")
    hands.phone(do, **fields)
    assert hands.pending == {}


def test_chips_stay_when_a_phone_renames() -> None:
    hands = betting()
    hands.press("seat4", "seat4")
    hands.phone("rename", seat=2, name="Bert")
    assert hands.pending == {"chips": 2}


# Hands.


def three_pots() -> Hands:
    """B, C and D are all in with 1, 3 and 5; A has staked 5.

    Everybody is eligible for the first pot, C, D and A for the second, and D and A for the third.
    """
    hands = idle(stack=50)
    for seat, chips in ((2, 1), (3, 3), (4, 5), (1, 9)):
        hands.phone(
            "adjust",
            **{"from": f"seat:{seat}", "to": "bank", "chips": 41 - chips, "reason": "uneven"},
        )
    hands.phone("deal")
    hands.phone("next")
    for seat, chips in ((2, 1), (3, 3), (4, 5), (1, 5)):
        hands.phone("stake", seat=seat, chips=chips)
    assert hands.phase == "showdown"
    return hands


def test_the_showdown_is_sent_as_soon_as_every_pot_is_decided() -> None:
    hands = three_pots()
    hands.press("seat4", "seat5")
    assert (hands.pending, hands.phase) == ({"hands": [2, 3]}, "showdown")
    hands.press("seat2")
    assert hands.commands[-1] == {"do": "showdown", "ranking": [2, 3, 1]}
    assert (hands.pending, hands.phase) == ({}, "shed")


def test_one_hand_is_enough_if_it_is_in_every_pot() -> None:
    hands = three_pots()
    hands.press("seat7")
    assert hands.commands[-1] == {"do": "showdown", "ranking": [4]}


def test_undo_takes_back_the_last_hand_only() -> None:
    hands = three_pots()
    hands.press("seat4", "seat5", "undo")
    assert hands.pending == {"hands": [2]}
    hands.press("seat5", "undo", "undo")
    assert (hands.pending, hands.phase) == ({}, "showdown")
    hands.press("undo")
    assert hands.phase == "pochen"


def test_hands_never_expire_and_a_hand_twice_is_a_bad_ranking() -> None:
    hands = three_pots()
    hands.press("seat4", "seat5")
    hands.wait(3600)
    assert hands.press("seat4") == "bad-ranking"
    assert hands.press("seat5") == "bad-ranking"
    assert hands.pending == {"hands": [2, 3]}


@pytest.mark.parametrize(
    ("do", "fields"), [("showdown", {"ranking": [1]}), ("void", {}), ("undo", {})]
)
def test_hands_are_dropped_by_a_phone_that_moves_the_game_on(
    do: str, fields: dict[str, Any]
) -> None:
    hands = three_pots()
    hands.press("seat4")
    hands.phone(do, **fields)
    assert hands.pending == {}


def test_a_seat_left_alone_proves_its_set_or_not() -> None:
    def alone() -> Hands:
        hands = betting(options={"prove_set": True})
        hands.phone("stake", seat=2, chips=2)
        for seat in (3, 4, 1):
            hands.phone("pass", seat=seat)
        assert hands.phase == "showdown"
        return hands

    hands = alone()
    assert hands.press("seat5") == "not-your-turn"
    assert hands.press("seat4") is None
    assert hands.commands[-1] == {"do": "showdown", "ranking": [2]}
    hands = alone()
    assert hands.long("poch") is None
    assert hands.commands[-1] == {"do": "showdown", "ranking": []}


def test_the_empty_ranking_is_that_of_the_bet_pool() -> None:
    hands = betting(ruleset="banker")
    for seat in (2, 3, 4, 1):
        hands.phone("stake", seat=seat, chips=2)
    assert hands.long("poch") == "no-meaning"
    assert hands.press("pinke") == "no-meaning"
    assert hands.long("pinke") is None
    assert hands.commands[-1] == {"do": "showdown", "ranking": []}


# Cards, and who is out.


def test_go_is_only_for_rulesets_with_a_run_bonus() -> None:
    hands = shedding()
    assert hands.press("poch") == "no-meaning"
    assert hands.press("seat2", "poch") == "no-meaning"
    assert hands.pending == {"place": 2}
    hands = shedding(ruleset="thirty-one")
    assert hands.press("poch") == "seat-first"
    assert hands.press("seat2", "poch") is None
    assert (hands.commands[-1], hands.pending) == ({"do": "go", "seat": 1}, {})


def test_after_somebody_is_out_go_is_entered_on_the_phone() -> None:
    hands = counting(ruleset="thirty-one")
    hands.press("seat4")
    assert hands.press("poch") == "no-meaning"
    hands.phone("go", seat=2)
    assert hands.pending == {"cards": {2: 1}}


def test_out_has_its_button_where_the_ruleset_has_no_centre() -> None:
    hands = shedding(ruleset="pierer-1844")
    assert hands.press("seat2", "pinke") is None
    assert hands.commands[-1] == {"do": "out", "seat": 1}
    assert hands.pending == {}


def test_cards_never_expire_and_stay_through_what_phones_do_meanwhile() -> None:
    hands = counting()
    hands.press("seat4", "seat5")
    hands.wait(3600)
    hands.phone("rename", seat=1, name="Z")
    hands.phone("adjust", **{"from": "bank", "to": "seat:1", "chips": 1, "reason": "found"})
    assert hands.pending == {"cards": {2: 1, 3: 1}}


def test_no_cards_are_counted_by_holding_and_no_count_again_too() -> None:
    hands = counting()
    assert hands.long("seat4") is None
    assert hands.pending == {"cards": {2: 0}}
    assert hands.press("seat4") is None
    assert hands.pending == {"cards": {2: 1}}
    assert hands.long("seat4") is None
    assert hands.pending == {}
    assert hands.press("next") == "counts-missing"


def test_a_seat_counted_as_none_is_uncounted_by_holding_again() -> None:
    hands = counting()
    hands.long("seat4")
    hands.long("seat4")
    assert hands.pending == {}


def test_undo_takes_back_the_last_count_only() -> None:
    hands = counting()
    hands.press("seat4", "seat4", "seat5")
    hands.long("seat4")
    assert hands.pending == {"cards": {3: 1}}
    expected: list[dict[str, Any]] = [{"cards": {2: 2, 3: 1}}, {"cards": {2: 2}}, {"cards": {2: 1}}]
    for cards in [*expected, {}]:
        assert hands.press("undo") is None
        assert hands.pending == cards
    assert hands.state.winner == 1
    hands.press("undo")
    assert hands.state.winner is None


def test_the_seat_pressed_last_is_known_for_the_lights() -> None:
    hands = counting()
    hands.press("seat4", "seat5")
    assert hands.panel.pending.last == 3
    hands.press("undo")
    assert hands.panel.pending.last == 2


def test_more_cards_than_dealt_are_refused_and_the_count_stays() -> None:
    hands = counting(ruleset="banker")
    for _ in range(5):
        assert hands.press("seat4") is None
    assert hands.press("seat4") == "too-many-cards"
    assert hands.pending == {"cards": {2: 5}}


def test_forehand_may_hold_one_card_more() -> None:
    # 31 cards for four: eight each from forehand on, the dealer A has seven.
    hands = shedding()
    hands.phone("out", seat=2)
    for button, most in (("seat5", 8), ("seat7", 8), ("seat2", 7)):
        for _ in range(most):
            assert hands.press(button) is None
        assert hands.press(button) == "too-many-cards"


def test_settling_takes_the_counts() -> None:
    hands = counting()
    hands.press("seat4", "seat4", "seat7")
    assert hands.press("next") == "counts-missing"
    hands.long("seat5")
    assert hands.press("next") is None
    assert hands.commands[-1] == {"do": "settle", "cards": {"2": 2, "3": 0, "4": 1}}
    assert (hands.pending, hands.phase) == ({}, "idle")
