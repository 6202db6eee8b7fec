"""Every button in every phase, short and long, with and without pending things (BOARD.md 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final

import pytest

from pochboard.buttons.press import BUTTONS
from pochboard.rules.accounts import MELD_POOLS
from tests.core.panel_driver import PanelDriver

PAIRING: Final = object()
NOTHING: Final[dict[str, Any]] = {}

Outcome = Any
"""A code; a command, perhaps with what is pending after it; what is pending; or PAIRING."""


def seated() -> PanelDriver:
    """Idle after one deal of modern, with a seat that is out and with empty places.

    A to E sit at places 2, 4, 5, 7, 8; F has left place 1; C (place 5) is out. B deals.
    """
    driver = PanelDriver()
    options = {"out_when_broke": True, "ante_from": "bank", "run_bonus": 1}
    driver.start(places=(2, 4, 5, 7, 8, 1), stack=6, options=options, dealer=1)
    driver.phone("leave", seat=6)
    driver.phone("deal")
    driver.phone("next")
    driver.phone("stake", seat=2, chips=6)
    driver.phone("stake", seat=3, chips=6)
    for seat in (4, 5, 1):
        driver.phone("pass", seat=seat)
    driver.phone("showdown", ranking=[2])
    driver.phone("out", seat=2)
    driver.phone("settle", cards={"1": 0, "3": 0, "4": 0, "5": 0})
    # B has the 12 staked, the base of 1 and the centre of 1.
    assert driver.phase == "idle"
    assert (driver.state.dealer, driver.state.live) == (2, (1, 2, 4, 5))
    assert [driver.state.stack_of(seat) for seat in (1, 2, 3, 4, 5)] == [6, 14, 0, 6, 6]
    return driver


def melding() -> PanelDriver:
    driver = seated()
    driver.phone("deal")
    return driver


def betting() -> PanelDriver:
    """D at place 7 is to act: B deals, C is out."""
    driver = melding()
    driver.phone("next")
    assert driver.state.to_act == 4
    return driver


def showing() -> PanelDriver:
    """D staked its 6 and E and A 10 each, so there are two pots; B has passed."""
    driver = seated()
    for seat in (1, 5):
        driver.phone("adjust", **{"from": "bank", "to": f"seat:{seat}", "chips": 4, "reason": "up"})
    driver.phone("deal")
    driver.phone("next")
    for seat, chips in ((4, 6), (5, 10), (1, 10)):
        driver.phone("stake", seat=seat, chips=chips)
    driver.phone("pass", seat=2)
    assert driver.phase == "showdown"
    return driver


def shedding() -> PanelDriver:
    driver = betting()
    for seat in (4, 5, 1, 2):
        driver.phone("pass", seat=seat)
    assert driver.phase == "shed"
    return driver


def counting() -> PanelDriver:
    """A at place 2 went out. In a deck of 32 dealt to 4, D has 8 cards, E, A and B have 8, 8, 7."""
    driver = shedding()
    driver.phone("out", seat=1)
    return driver


def over() -> PanelDriver:
    driver = seated()
    driver.phone("end")
    return driver


def pressed(make: Callable[[], PanelDriver], *buttons: str) -> Callable[[], PanelDriver]:
    def then() -> PanelDriver:
        driver = make()
        assert [driver.press(button) for button in buttons] == [None] * len(buttons)
        return driver

    return then


def lobby(*places: int, deals: int | None = None, armed: bool = False) -> Outcome:
    among = list(places)
    return {"lobby": {"in": among, "deals": deals or next(iter(among), None), "armed": armed}}


def claims(place: int, seat: int) -> dict[str, Outcome]:
    return {
        pool: ({"do": "claim", "pool": pool, "seat": seat}, {"place": place, "kept": True})
        for pool in MELD_POOLS
    }


EMPTY: Final = dict.fromkeys(("seat1", "seat3", "seat6"), "no-seat")
UNDO: Final[dict[str, Any]] = {"do": "undo"}
PUT_IN_OR_OUT: Final = {f"seat{n}": lobby(*sorted({1, 3, 6} ^ {n})) for n in range(1, 9)}
PUT_IN_TO_DEAL: Final = {f"seat{n}": lobby(*sorted({1, 3, 6, n}), deals=n) for n in range(1, 9)}
SETTLED: Final = {"do": "settle", "cards": {"2": 2, "4": 1, "5": 3}}

# For each situation, the meanings of short presses, and of long presses where they differ. A button
# that is not named is refused with no-meaning. There are two exceptions: a long press of next opens
# pairing, and one of undo finds nothing to redo, because nothing was undone.
SITUATIONS: Final[
    dict[str, tuple[Callable[[], PanelDriver], Mapping[str, Outcome], Mapping[str, Outcome]]]
] = {
    "before the first night": (
        PanelDriver,
        {
            **{f"seat{n}": lobby(n) for n in range(1, 9)},
            "next": {"lobby": {"in": [], "deals": None, "armed": True}},
            "undo": "wrong-phase",
        },
        {"undo": "wrong-phase"},
    ),
    "lobby with places in": (
        pressed(PanelDriver, "seat3", "seat6", "seat1"),
        {
            **PUT_IN_OR_OUT,
            "pinke": lobby(1, 3, 6),
            "next": lobby(1, 3, 6, armed=True),
            "undo": lobby(),
        },
        {
            **PUT_IN_TO_DEAL,
            "undo": "wrong-phase",
        },
    ),
    "lobby after a first next": (
        pressed(PanelDriver, "seat3", "seat6", "seat1", "next"),
        {
            **PUT_IN_OR_OUT,
            "pinke": lobby(1, 3, 6, armed=True),
            "next": {
                "do": "start",
                "ruleset": "family",
                "players": ["Place 1", "Place 3", "Place 6"],
                "places": [1, 3, 6],
                "dealer": 1,
            },
            "undo": lobby(),
        },
        {
            **PUT_IN_TO_DEAL,
            "undo": "wrong-phase",
        },
    ),
    "lobby after a night": (
        over,
        {
            "seat1": lobby(1, 2, 4, 5, 7, 8),
            "seat2": lobby(4, 5, 7, 8),
            "seat3": lobby(2, 3, 4, 5, 7, 8),
            "seat4": lobby(2, 5, 7, 8),
            "seat5": lobby(2, 4, 7, 8),
            "seat6": lobby(2, 4, 5, 6, 7, 8),
            "seat7": lobby(2, 4, 5, 8),
            "seat8": lobby(2, 4, 5, 7),
            "pinke": lobby(2, 4, 5, 7, 8),
            "next": lobby(2, 4, 5, 7, 8, armed=True),
            "undo": UNDO,
        },
        {f"seat{n}": lobby(*sorted({2, 4, 5, 7, 8, n}), deals=n) for n in range(1, 9)},
    ),
    "idle": (
        seated,
        {
            **{f"seat{n}": {"place": n} for n in range(1, 9)},
            "pinke": "seat-first",
            "next": {"do": "deal"},
            "undo": (UNDO, {"cards": {1: 0, 3: 0, 4: 0, 5: 0}, "kept": True}),
        },
        {
            "seat2": {"do": "leave", "seat": 1},
            "seat4": {"do": "leave", "seat": 2},
            "seat5": {"do": "leave", "seat": 3},
            "seat7": {"do": "leave", "seat": 4},
            "seat8": {"do": "leave", "seat": 5},
        },
    ),
    "idle, an empty place selected": (
        pressed(seated, "seat3"),
        {
            **{f"seat{n}": {"place": n} for n in range(1, 9)},
            "seat3": NOTHING,
            "pinke": {"do": "join", "name": "Place 3", "place": 3},
            "next": {"do": "deal"},
            "undo": NOTHING,
        },
        {
            "seat2": ({"do": "leave", "seat": 1}, {"place": 3}),
            "seat4": ({"do": "leave", "seat": 2}, {"place": 3}),
            "seat5": ({"do": "leave", "seat": 3}, {"place": 3}),
            "seat7": ({"do": "leave", "seat": 4}, {"place": 3}),
            "seat8": ({"do": "leave", "seat": 5}, {"place": 3}),
        },
    ),
    "idle, a seat that is out selected": (
        pressed(seated, "seat5"),
        {
            **{f"seat{n}": {"place": n} for n in range(1, 9)},
            "seat5": NOTHING,
            "pinke": {"do": "rebuy", "seat": 3, "chips": 6},
            "next": {"do": "deal"},
            "undo": NOTHING,
        },
        {
            "seat2": ({"do": "leave", "seat": 1}, {"place": 5}),
            "seat4": ({"do": "leave", "seat": 2}, {"place": 5}),
            "seat5": {"do": "leave", "seat": 3},
            "seat7": ({"do": "leave", "seat": 4}, {"place": 5}),
            "seat8": ({"do": "leave", "seat": 5}, {"place": 5}),
        },
    ),
    "idle, a seat with chips selected": (
        pressed(seated, "seat5", "seat4"),
        {
            **{f"seat{n}": {"place": n} for n in range(1, 9)},
            "seat4": NOTHING,
            "pinke": "no-meaning",
            "next": {"do": "deal"},
            "undo": NOTHING,
        },
        {
            "seat2": ({"do": "leave", "seat": 1}, {"place": 4}),
            "seat4": {"do": "leave", "seat": 2},
            "seat5": ({"do": "leave", "seat": 3}, {"place": 4}),
            "seat7": ({"do": "leave", "seat": 4}, {"place": 4}),
            "seat8": ({"do": "leave", "seat": 5}, {"place": 4}),
        },
    ),
    "meld": (
        melding,
        {
            **EMPTY,
            **dict.fromkeys(MELD_POOLS, "seat-first"),
            **{f"seat{n}": {"place": n} for n in (2, 4, 7, 8)},
            "seat5": "seat-out",
            "next": {"do": "next"},
            "undo": UNDO,
        },
        {},
    ),
    "meld, a seat selected": (
        pressed(melding, "seat7"),
        {
            **EMPTY,
            **claims(7, 4),
            **{f"seat{n}": {"place": n} for n in (2, 4, 8)},
            "seat5": "seat-out",
            "seat7": NOTHING,
            "next": {"do": "next"},
            "undo": NOTHING,
        },
        {},
    ),
    "meld, a seat that stayed selected after its claim": (
        pressed(melding, "seat7", "ace"),
        {
            **EMPTY,
            **claims(7, 4),
            **{f"seat{n}": {"place": n} for n in (2, 4, 8)},
            "ace": "empty-pool",
            "seat5": "seat-out",
            "seat7": NOTHING,
            "next": {"do": "next"},
            "undo": UNDO,
        },
        {},
    ),
    "pochen": (
        betting,
        {
            **EMPTY,
            **dict.fromkeys(("seat2", "seat4", "seat5", "seat8"), "not-your-turn"),
            "seat7": {"chips": 1},
            "poch": "seat-first",
            "undo": UNDO,
        },
        {"seat7": {"do": "pass", "seat": 4}},
    ),
    "pochen, chips in the hand": (
        pressed(betting, "seat7", "seat7", "seat7"),
        {
            **EMPTY,
            **dict.fromkeys(("seat2", "seat4", "seat5", "seat8"), "not-your-turn"),
            "seat7": {"chips": 4},
            "poch": {"do": "stake", "seat": 4, "chips": 3},
            "next": "pool-first",
            "undo": NOTHING,
        },
        {"seat7": NOTHING, "poch": {"do": "stake", "seat": 4, "chips": 6}},
    ),
    "pochen, the whole stack in the hand": (
        pressed(betting, *["seat7"] * 6),
        {
            **EMPTY,
            **dict.fromkeys(("seat2", "seat4", "seat5", "seat8"), "not-your-turn"),
            "seat7": "not-enough-chips",
            "poch": {"do": "stake", "seat": 4, "chips": 6},
            "next": "pool-first",
            "undo": NOTHING,
        },
        {"seat7": NOTHING},
    ),
    "showdown": (
        showing,
        {
            **EMPTY,
            **dict.fromkeys(("seat4", "seat5"), "not-your-turn"),
            "seat7": {"hands": [4]},
            "seat8": {"do": "showdown", "ranking": [5]},
            "seat2": {"do": "showdown", "ranking": [1]},
            "undo": UNDO,
        },
        {"poch": {"do": "showdown", "ranking": []}},
    ),
    "showdown, a hand pressed": (
        pressed(showing, "seat7"),
        {
            **EMPTY,
            **dict.fromkeys(("seat4", "seat5"), "not-your-turn"),
            "seat7": "bad-ranking",
            "seat8": {"do": "showdown", "ranking": [4, 5]},
            "seat2": {"do": "showdown", "ranking": [4, 1]},
            "undo": NOTHING,
        },
        {},
    ),
    "shed": (
        shedding,
        {
            **EMPTY,
            **{f"seat{n}": {"place": n} for n in (2, 4, 7, 8)},
            "seat5": "seat-out",
            "poch": "seat-first",
            "pinke": "seat-first",
            "undo": UNDO,
        },
        {},
    ),
    "shed, a seat selected": (
        pressed(shedding, "seat4", "seat8"),
        {
            **EMPTY,
            **{f"seat{n}": {"place": n} for n in (2, 4, 7)},
            "seat5": "seat-out",
            "seat8": NOTHING,
            "poch": {"do": "go", "seat": 5},
            "pinke": {"do": "out", "seat": 5},
            "undo": NOTHING,
        },
        {},
    ),
    "shed, somebody out": (
        counting,
        {
            **EMPTY,
            "seat2": "bad-argument",
            "seat5": "seat-out",
            "seat4": {"cards": {2: 1}},
            "seat7": {"cards": {4: 1}},
            "seat8": {"cards": {5: 1}},
            "next": "counts-missing",
            "undo": UNDO,
        },
        {
            "seat4": {"cards": {2: 0}},
            "seat7": {"cards": {4: 0}},
            "seat8": {"cards": {5: 0}},
        },
    ),
    "shed, all but one counted": (
        pressed(counting, "seat4", "seat7", "seat4"),
        {
            **EMPTY,
            "seat2": "bad-argument",
            "seat5": "seat-out",
            "seat4": {"cards": {2: 3, 4: 1}},
            "seat7": {"cards": {2: 2, 4: 2}},
            "seat8": {"cards": {2: 2, 4: 1, 5: 1}},
            "next": "counts-missing",
            "undo": {"cards": {2: 1, 4: 1}},
        },
        {
            "seat4": {"cards": {4: 1}},
            "seat7": {"cards": {2: 2}},
            "seat8": {"cards": {2: 2, 4: 1, 5: 0}},
        },
    ),
    "shed, all counted": (
        pressed(counting, "seat4", "seat8", "seat8", "seat8", "seat7", "seat4"),
        {
            **EMPTY,
            "seat2": "bad-argument",
            "seat5": "seat-out",
            "seat4": {"cards": {2: 3, 4: 1, 5: 3}},
            "seat7": {"cards": {2: 2, 4: 2, 5: 3}},
            "seat8": {"cards": {2: 2, 4: 1, 5: 4}},
            "next": SETTLED,
            "undo": {"cards": {2: 1, 4: 1, 5: 3}},
        },
        {
            "seat4": {"cards": {4: 1, 5: 3}},
            "seat7": {"cards": {2: 2, 5: 3}},
            "seat8": {"cards": {2: 2, 4: 1}},
        },
    ),
    "shed, a whole hand counted": (
        pressed(counting, *["seat4"] * 7),
        {
            **EMPTY,
            "seat2": "bad-argument",
            "seat5": "seat-out",
            "seat4": "too-many-cards",
            "seat7": {"cards": {2: 7, 4: 1}},
            "seat8": {"cards": {2: 7, 5: 1}},
            "next": "counts-missing",
            "undo": {"cards": {2: 6}},
        },
        {
            "seat4": NOTHING,
            "seat7": {"cards": {2: 7, 4: 0}},
            "seat8": {"cards": {2: 7, 5: 0}},
        },
    ),
}

LONGEST_S: Final = 3.2
"""Longer than any long press of one button, and short enough for a selected seat to stay."""


def meaning(name: str, button: str, kind: str) -> Outcome:
    _, short, long = SITUATIONS[name]
    if kind == "long":
        if button == "next":
            return PAIRING
        if button in long:
            return long[button]
        if button == "undo":
            return "nothing-to-redo"
    return short.get(button, "no-meaning")


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_button_means_what_the_table_says(name: str) -> None:
    for button, kind in product(BUTTONS, ("short", "long")):
        try:
            check_meaning(name, button, kind)
        except AssertionError as error:
            error.add_note(f"a {kind} press of {button}")
            raise


def check_meaning(name: str, button: str, kind: str) -> None:
    driver = SITUATIONS[name][0]()
    driver.wait(0.9)
    state, pending, recorded = driver.state, driver.pending, len(driver.commands)
    announced = driver.panel.usable().allowed
    code = driver.hold(button, 0.05 if kind == "short" else LONGEST_S)
    expected = meaning(name, button, kind)
    if expected is PAIRING:
        assert code is None
        assert driver.player.pairings == 1
    else:
        assert driver.player.pairings == 0
    if expected is PAIRING or isinstance(expected, str):
        assert code == (None if expected is PAIRING else expected)
        assert (driver.state, driver.pending, len(driver.commands)) == (state, pending, recorded)
        return
    assert code is None
    assert button in announced, "what is accepted has been announced"
    command, after = expected if isinstance(expected, tuple) else (expected, None)
    if "do" not in command:
        assert (driver.pending, driver.state, len(driver.commands)) == (command, state, recorded)
        return
    assert driver.commands[-1] == command
    if after is not None or driver.phase != "closed":
        assert driver.pending == (after or NOTHING)


@pytest.mark.parametrize("name", SITUATIONS)
def test_both_void_or_end_or_mean_nothing(name: str) -> None:
    driver = SITUATIONS[name][0]()
    state, phase = driver.state, driver.phase
    code = driver.both()
    if phase in ("none", "closed"):
        assert (code, driver.state) == ("no-meaning", state)
    elif phase == "idle":
        assert (code, driver.commands[-1], driver.phase) == (None, {"do": "end"}, "closed")
    else:
        assert (code, driver.commands[-1], driver.phase) == (None, {"do": "void"}, "idle")
        assert driver.pending == NOTHING


@pytest.mark.parametrize("do", ["undo", "redo"])
@pytest.mark.parametrize("name", [n for n in SITUATIONS if "lobby" not in n and "before" not in n])
def test_every_undo_and_redo_drops_what_is_pending(name: str, do: str) -> None:
    make, short, _ = SITUATIONS[name]
    driver = make()
    driver.phone("rename", seat=1, name="Z")
    if do == "redo":
        driver.phone("undo")
    for button, outcome in short.items():
        if isinstance(outcome, dict) and outcome and "do" not in outcome and button != "undo":
            driver.press(button)
            assert driver.pending != NOTHING
            break
    driver.phone(do)
    assert driver.pending == NOTHING
