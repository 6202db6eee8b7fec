"""A player skips deals and keeps chips and place (RULES.md 3, sitting out)."""

from __future__ import annotations

from typing import Any

from pochboard.ledger.book import legal_actions
from tests.core.panel_driver import started
from tests.core.play import Night


def test_a_seat_that_sits_out_pays_no_ante_and_gets_no_cards() -> None:
    night = Night(players=4)
    night.do("sit_out", seat=3)
    assert (night["live"], night["sitting_out"]) == ([1, 2, 4], [3])
    assert night["places"]["3"] == 3
    night.do("deal")
    assert night["stacks"] == {"1": 41, "2": 41, "3": 50, "4": 41}
    assert 3 not in night.book.state.hand_sizes
    assert night.refused("claim", seat=3, pool="ace") == "seat-out"
    assert night.refused("sit_in", seat=3) == "wrong-phase"


def test_who_sits_out_is_neither_dealer_nor_forehand() -> None:
    night = Night(players=4)
    night.do("sit_out", seat=2)
    assert (night["dealer"], night.book.state.forehand) == (1, 3)
    night.do("sit_out", seat=1)
    assert (night["dealer"], night.book.state.forehand) == (3, 4)
    assert night.refused("dealer", seat=1) == "seat-out"
    night.do("sit_in", seat=1)
    assert (night["dealer"], night.book.state.forehand) == (3, 4)
    assert night["live"] == [1, 3, 4]


def test_two_must_play_and_only_who_sits_out_can_sit_in() -> None:
    night = Night(players=4)
    night.do("leave", seat=4)
    assert night.refused("sit_in", seat=4) == "seat-left"
    assert night.refused("sit_in", seat=2) == "not-sitting-out"
    night.do("sit_out", seat=3)
    assert night.refused("sit_out", seat=3) == "seat-out"
    assert night.refused("sit_out", seat=2) == "too-few"
    assert night.refused("leave", seat=2) == "too-few"
    assert legal_actions(night.book).seats["sit_in"] == (3,)
    assert "sit_out" not in legal_actions(night.book).commands


def test_at_the_board_the_own_place_and_pinke_bring_a_player_back() -> None:
    driver = started()
    driver.phone("sit_out", seat=3)
    assert driver.press("seat5", "pinke") is None
    command: dict[str, Any] = {"do": "sit_in", "seat": 3}
    assert (driver.commands[-1], driver.state.live) == (command, (1, 2, 3, 4))
