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


def ended(**fields: Any) -> PanelDriver:
    driver = started(**fields)
    driver.phone("end")
    return driver


# Who is in.


def test_after_a_night_those_of_its_end_are_in() -> None:
    driver = started(places=(2, 4, 5, 7))
    driver.phone("leave", seat=2)
    driver.phone("join", name="New", place=8)
    driver.phone("end")
    assert lobby(driver) == ([2, 5, 7, 8], 2, False)


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


def test_a_lobby_that_was_begun_stays_when_the_night_to_continue_changes() -> None:
    driver, context = after_bots()
    driver.press("seat1")
    begun = lobby(driver)
    assert begun[0] == [3, 6, 8]
    driver.panel.learn(context)
    assert lobby(driver) == begun
    driver.press("undo")
    assert lobby(driver)[0] == [2, 4, 5, 7]


def test_places_that_this_board_lacks_are_not_in() -> None:
    driver = PanelDriver(places=6)
    driver.start(places=(2, 4, 5, 8))
    driver.phone("end")
    assert lobby(driver) == ([2, 4, 5], 2, False)
    assert "seat6" in driver.panel.buttons
    assert "seat7" not in driver.panel.buttons


def test_the_lobby_never_expires() -> None:
    driver = PanelDriver()
    driver.press("seat5", "seat2")
    driver.long("seat8")
    driver.wait(3600)
    assert lobby(driver) == ([2, 5, 8], 8, False)


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


def test_a_name_stays_typed_while_its_place_is_pressed_out_and_in() -> None:
    driver = PanelDriver()
    typed(driver, 2, "Anna")
    driver.press("seat2")
    assert lobby(driver)[0] == []
    driver.press("seat2", "seat3", "next")
    typed(driver, 3, "Ben")
    assert lobby(driver) == ([2, 3], 2, False)
    typed(driver, 2, None)
    assert driver.panel.lobby_names() == {3: "Ben"}
    driver.press("undo")
    assert lobby(driver) == ([], None, False)


def test_a_typed_name_goes_before_that_of_the_last_night_and_a_blank_one_forgets_it() -> None:
    driver = ended(places=(1, 2, 3))
    assert driver.panel.lobby_names() == {1: "A", 2: "B", 3: "C"}
    typed(driver, 2, "Zoë")
    typed(driver, 3, "")
    assert driver.panel.lobby_names() == {1: "A", 2: "Zoë"}


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


def test_when_the_first_dealer_goes_out_the_first_place_deals() -> None:
    driver = PanelDriver()
    driver.press("seat5", "seat2")
    driver.long("seat5")
    driver.press("seat5")
    assert lobby(driver) == ([2], 2, False)
    # Joining again does not make the player the first dealer again.
    driver.press("seat5")
    assert lobby(driver) == ([2, 5], 2, False)


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


def test_the_first_dealer_starts_the_night() -> None:
    driver = PanelDriver()
    driver.press("seat5", "seat2", "seat7")
    driver.player.lot = 2
    driver.press("pinke")
    assert start_of(driver)["dealer"] == 3
    assert driver.state.dealer == 3


# The two presses of next.


def test_a_second_next_within_a_second_is_too_soon_and_the_first_one_stays() -> None:
    driver = PanelDriver()
    driver.press("seat7", "seat2", "seat4", "next")
    assert driver.hold("next", 0.05, gap_s=0.2) == "too-soon"
    assert lobby(driver)[2] is True
    assert driver.hold("next", 0.05, gap_s=0.8) is None
    assert driver.phase == "idle"


def test_the_lot_does_not_take_back_a_first_next() -> None:
    driver = PanelDriver()
    driver.press("seat7", "seat2", "seat4", "next")
    driver.player.lot = 1
    driver.press("pinke", "next")
    assert (driver.phase, driver.state.dealer) == ("idle", 2)


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


def test_undo_meant_for_a_first_next_never_reopens_the_night_when_that_expires() -> None:
    driver = ended()
    driver.press("next")
    driver.wait(9.8)
    driver.down("undo")
    driver.wait(0.5)
    driver.up("undo")
    assert (driver.codes(), driver.phase) == ([], "closed")


# What the next night is made of.


def test_ruleset_options_and_stack_are_those_of_the_last_night() -> None:
    driver = ended(ruleset="thirty-one", options={"run_bonus": 2, "raises": "none"}, stack=77)
    assert start_of(driver) == {
        "do": "start",
        "ruleset": "thirty-one",
        "options": {"run_bonus": 2, "raises": "none"},
        "stack": 77,
        "players": ["A", "B", "C", "D"],
        "places": [2, 4, 5, 7],
        "dealer": 1,
    }
    assert (driver.state.stack, driver.state.rules.run_bonus) == (77, 2)


def test_names_are_those_last_heard_at_the_places() -> None:
    driver = started(places=(2, 4, 5, 7))
    driver.phone("rename", seat=2, name="Bert")
    driver.phone("leave", seat=4)
    driver.phone("end")
    assert lobby(driver)[0] == [2, 4, 5]
    driver.press("seat7", "seat1")
    assert start_of(driver)["players"] == ["Place 1", "A", "Bert", "C", "D"]


def test_a_lobby_keeps_one_of_the_earlier_names_that_look_alike() -> None:
    driver, context = after_bots()
    names = {2: "Zo\u00eb", 4: "Zo\u00eb\ufe0f", 7: "Ben"}
    driver.panel.learn(replace(context, last_names=names))
    assert driver.panel.lobby_names() == {2: "Zoë", 7: "Ben"}
    assert start_of(driver)["players"] == ["Zoë", "Place 4", "Place 5", "Ben"]
