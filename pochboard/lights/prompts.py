"""What the board prompts the players to do: the light of each place and pool (BOARD.md 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, assert_never

import msgspec
from msgspec.structs import replace

from pochboard.buttons.off_switch import OffSign
from pochboard.buttons.press import NOTHING, Lobby, Pending, shows_result
from pochboard.buttons.settings import SettingSign
from pochboard.ledger.results import results_of, winners
from pochboard.lights.animation import Effect
from pochboard.lights.frame import AMBER, FULL, NORMAL, QUARTER, RED, SOFT, WHITE
from pochboard.rules.accounts import MOST_PLACES, POOLS
from pochboard.rules.melding import claimable
from pochboard.rules.state import State


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What the board is to show."""

    state: State = State()
    pending: Pending = NOTHING
    link: bool = True
    """Whether the board can be reached."""
    effects: tuple[Effect, ...] = ()
    """The effects under way, later ones on top; effects that are over are ignored."""
    pairing_since_us: int | None = None
    """When the pairing window was opened, while it is open."""
    pairing_code: tuple[int, ...] = ()
    """The digits of the code that pairs a phone, one for each of the first rings."""
    fault: bool = False
    """Whether nothing can be recorded, because of the ledger."""
    off: OffSign | None = None
    """The question whether to switch the machine off, or the sign that it is about to."""
    setting: SettingSign | None = None
    """The step that was just chosen at the board."""
    cannot_ante: frozenset[int] = frozenset()
    """The seats that could not ante when the last deal was refused."""
    aliases: Mapping[str, str] = {}
    """As in the remarks: by name, what the person is called instead."""


class PlaceLight(NamedTuple):
    """What a place shows: a colour at a level, steady, pulsing, or alternating with slow red."""

    colour: str
    level: float
    rhythm: Literal["steady", "pulse", "warning"] = "steady"


OFF: Final = PlaceLight(WHITE, 0.0)
PRESENT: Final = PlaceLight(AMBER, SOFT)
"""A seat that takes part and is not asked to act."""
DEALER: Final = PlaceLight(WHITE, NORMAL)
SELECTED: Final = PlaceLight(WHITE, FULL)
"""A selected seat, or one that has been pressed already."""
ASKED: Final = PlaceLight(WHITE, FULL, "pulse")
"""A seat that may act or be pressed next."""
FAULT: Final = PlaceLight(RED, FULL, "pulse")
"""Every place, while nothing can be recorded."""
JOINED: Final = PlaceLight(AMBER, NORMAL)
"""A place that takes part, in the lobby."""

PlaceLights = dict[int, PlaceLight]
"""Lights by place; a place that is missing is off."""


def place_lights(scene: Scene) -> PlaceLights:
    """What the places show, without effects and pairing."""
    state, pending = scene.state, scene.pending
    if scene.fault:
        return dict.fromkeys(range(1, MOST_PLACES + 1), FAULT)
    match state.phase:
        case "none" | "closed":
            if shows_result(state, pending):
                return _result(scene)
            return _lobby(pending.lobby or Lobby())
        case "idle":
            shown = _idle(state, scene.cannot_ante)
        case "meld":
            shown = _by_place(state, dict.fromkeys(state.live, PRESENT))
        case "pochen":
            seats = dict.fromkeys(state.still_in, PRESENT) | _only(state.to_act, ASKED)
            shown = _by_place(state, seats)
        case "showdown":
            seats = dict.fromkeys(state.still_in, ASKED) | dict.fromkeys(pending.hands, SELECTED)
            shown = _by_place(state, seats)
        case "shed":
            shown = _shed(scene)
        case _:
            assert_never(state.phase)
    if pending.place is not None:
        shown[pending.place] = SELECTED
    return shown


def _lobby(lobby: Lobby) -> PlaceLights:
    shown = dict.fromkeys(lobby.places, JOINED)
    if lobby.dealer is not None:
        shown[lobby.dealer] = SELECTED
    if lobby.armed:
        return {place: light._replace(level=FULL, rhythm="pulse") for place, light in shown.items()}
    return shown


def _result(scene: Scene) -> PlaceLights:
    """After a night: the places of those who have won it, among all that are taken."""
    state = scene.state
    best = [seat for result in winners(results_of(state, scene.aliases)) for seat in result.seats]
    seats = dict.fromkeys(state.seats, PRESENT) | dict.fromkeys(best, SELECTED)
    here = {seat: light for seat, light in seats.items() if not state.has_left(seat)}
    return _by_place(state, here)


def _idle(state: State, cannot_ante: frozenset[int]) -> PlaceLights:
    seats = _only(state.dealer, DEALER)
    for seat in cannot_ante & set(state.live):
        # A seat that has bought chips since then can ante again.
        if state.is_short(seat):
            seats[seat] = seats.get(seat, OFF)._replace(rhythm="warning")
    return _by_place(state, seats)


def _shed(scene: Scene) -> PlaceLights:
    state, pending = scene.state, scene.pending
    if state.winner is None:
        seats = dict.fromkeys(state.live, PRESENT) | _only(state.leader, ASKED)
        return _by_place(state, seats)
    counted = pending.cards
    seats = {seat: PRESENT if seat in counted else ASKED for seat in state.live}
    seats[state.winner] = OFF
    return _by_place(state, seats | _only(pending.last, SELECTED))


def _only(seat: int | None, light: PlaceLight) -> PlaceLights:
    return {} if seat is None else {seat: light}


def _by_place(state: State, seats: dict[int, PlaceLight]) -> PlaceLights:
    """Lights by place, from lights by seat."""
    return {state.places[seat - 1]: light for seat, light in seats.items()}


def pool_levels(scene: Scene) -> tuple[float, ...]:
    """The brightness of each pool's count, in board order; 0 for pools the ruleset lacks."""
    state = scene.state
    if state.ruleset is None:
        return (0.0,) * len(POOLS)
    bright: tuple[str, ...] = ()
    if state.phase == "meld":
        # A blocked pool shows a quarter of the level it would have if it were not blocked.
        place = scene.pending.place
        seat = None if place is None else state.seat_at(place)
        bright = claimable(replace(state, blocked=()), seat)
    present = state.ruleset.pools
    return tuple(
        (FULL if pool in bright else NORMAL) * (QUARTER if pool in state.blocked else 1.0)
        if pool in present
        else 0.0
        for pool in POOLS
    )


def cards_on_centre_ring(scene: Scene) -> int | None:
    """The cards of the seat pressed last, if the centre ring counts cards and not chips now."""
    if scene.state.phase != "shed" or scene.state.winner is None or scene.pending.last is None:
        return None
    return scene.pending.cards.get(scene.pending.last, 0)
