"""The lobby: a night put together by presses between nights (BOARD.md 3)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pochboard.buttons.button_meaning import PanelContext
from tests.core.panel_driver import PanelDriver, started


def lobby(driver: PanelDriver) -> tuple[list[int], int | None, bool]:
    """Places that are in, the one that deals first, and whether a first next has shown them."""
    pending = driver.pending["lobby"]
    return pending["in"], pending["deals"], pending["armed"]


def start_of(driver: PanelDriver) -> dict[str, Any]:
    """Starts the night by two presses of next; returns the command that began it."""
    assert driver.press("next") is None
    assert driver.press("next") is None
    assert driver.phase == "idle"
    return driver.commands[0]


# Who is in.


# The night that the lobby continues may be an earlier one, if the last was not people's.


def after_bots() -> tuple[PanelDriver, PanelContext]:
    """A lobby after a night that was not people's, and the context with theirs before it."""
    driver = started("philos", places=(2, 4, 5, 7), stack=30)
    driver.phone("end")
    people = driver.player.context
    driver.start(places=(1, 3, 6, 8), stack=70)
    driver.phone("end")
    context = replace(
        driver.player.context,
        last_start=people.last_start,
        last_names=dict(people.last_names),
        earlier=people.state,
    )
    return driver, context


def test_a_lobby_that_nobody_has_begun_follows_the_night_to_continue() -> None:
    driver, context = after_bots()
    assert lobby(driver)[0] == [1, 3, 6, 8]
    driver.panel.learn(context)
    assert lobby(driver)[0] == [2, 4, 5, 7]


def test_a_lobby_that_was_begun_stays_when_the_night_to_continue_changes() -> None:
    driver, context = after_bots()
    driver.press("seat1")
    begun = lobby(driver)
    assert begun[0] == [3, 6, 8]
    driver.panel.learn(context)
    assert lobby(driver) == begun
    driver.press("undo")
    assert lobby(driver)[0] == [2, 4, 5, 7]


# What phones type.


def typed(driver: PanelDriver, place: int, name: str | None, *, deals: bool = False) -> None:
    assert driver.panel.set_in_lobby(place, name, deals=deals) is None


def test_names_typed_on_phones_begin_the_night_at_the_board() -> None:
    driver = PanelDriver()
    driver.press("seat5")
    typed(driver, 2, "Anna")
    typed(driver, 7, "Ben", deals=True)
    assert lobby(driver) == ([2, 5, 7], 7, False)
    assert driver.panel.lobby_names() == {2: "Anna", 7: "Ben"}
    start = start_of(driver)
    assert (start["players"], start["places"]) == (["Anna", "Place 5", "Ben"], [2, 5, 7])
    assert start["dealer"] == 3


def test_a_phone_changes_no_lobby_during_a_night_and_no_place_that_the_board_lacks() -> None:
    driver = PanelDriver(places=6)
    refusal = driver.panel.set_in_lobby(7, "Anna", deals=False)
    assert refusal is not None
    assert refusal.code == "bad-place"
    driver.start(places=(1, 2, 3, 4))
    refusal = driver.panel.set_in_lobby(1, "Anna", deals=False)
    assert refusal is not None
    assert refusal.code == "wrong-phase"


# Who deals first.


def test_the_lot_is_drawn_from_the_places_that_are_in() -> None:
    driver = PanelDriver()
    driver.press("seat5", "seat2", "seat7")
    driver.player.lot = 1
    assert driver.press("pinke") is None
    assert driver.player.drawn_from == [(2, 5, 7)]
    assert lobby(driver) == ([2, 5, 7], 5, False)
    driver.player.lot = 2
    driver.press("pinke")
    assert lobby(driver) == ([2, 5, 7], 7, False)


# The two presses of next.


def test_a_second_next_within_a_second_is_too_soon_and_the_first_one_stays() -> None:
    driver = PanelDriver()
    driver.press("seat7", "seat2", "seat4", "next")
    assert driver.hold("next", 0.05, gap_s=0.2) == "too-soon"
    assert lobby(driver)[2] is True
    assert driver.hold("next", 0.05, gap_s=0.8) is None
    assert driver.phase == "idle"


@pytest.mark.parametrize(
    ("places", "code"),
    [((), "bad-players"), ((1,), "bad-players")],
)
def test_a_start_that_is_refused_changes_nothing(places: tuple[int, ...], code: str) -> None:
    driver = PanelDriver()
    driver.press(*(f"seat{place}" for place in places), "next")
    before = driver.pending
    assert driver.press("next") == code
    assert (driver.pending, driver.phase) == (before, "none")
    # Its ten seconds still count from the first next.
    driver.wait(8.75)
    assert lobby(driver)[2] is False


# Undo.


# What the next night is made of.
