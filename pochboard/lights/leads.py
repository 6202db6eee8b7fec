"""What is lit to lead the players: the light of each place, the level of each pool (BOARD.md 4)."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, assert_never

from msgspec.structs import replace

from pochboard.buttons.pending import Lobby
from pochboard.lights.levels import FULL, NORMAL, QUARTER, SOFT
from pochboard.lights.palette import AMBER, WHITE
from pochboard.lights.scene import Scene
from pochboard.rules.board import POOLS
from pochboard.rules.melding import claimable
from pochboard.rules.state import State


class Lamp(NamedTuple):
    """What a place shows: a colour at a level, steady, pulsing, or in turn with slow red."""

    colour: str
    level: float
    rhythm: Literal["steady", "pulse", "warning"] = "steady"


OFF: Final = Lamp(WHITE, 0.0)
HERE: Final = Lamp(AMBER, SOFT)
"""A seat that takes part and is not asked for anything."""
DEALER: Final = Lamp(WHITE, NORMAL)
CHOSEN: Final = Lamp(WHITE, FULL)
"""A selected seat, or one that has been pressed already."""
ASKED: Final = Lamp(WHITE, FULL, "pulse")
"""A seat that may act or be pressed next."""
IN: Final = Lamp(AMBER, NORMAL)
"""A place that is in, in the lobby."""

Lamps = dict[int, Lamp]
"""Lamps by place; a place that is not named is off."""


def lamps(scene: Scene) -> Lamps:
    """What the places show, effects and pairing apart."""
    state, pending = scene.state, scene.pending
    match state.phase:
        case "none" | "closed":
            return _lobby(pending.lobby or Lobby())
        case "idle":
            shown = _idle(state, scene.short)
        case "meld":
            shown = _at(state, dict.fromkeys(state.live, HERE))
        case "pochen":
            shown = _at(state, dict.fromkeys(state.still_in, HERE) | _of(state.to_act, ASKED))
        case "showdown":
            pressed = dict.fromkeys(pending.hands, CHOSEN)
            shown = _at(state, dict.fromkeys(state.still_in, ASKED) | pressed)
        case "shed":
            shown = _shed(scene)
        case _:
            assert_never(state.phase)
    if pending.place is not None:
        shown[pending.place] = CHOSEN
    return shown


def _lobby(lobby: Lobby) -> Lamps:
    shown = dict.fromkeys(lobby.places, IN)
    if lobby.dealer is not None:
        shown[lobby.dealer] = CHOSEN
    if lobby.armed:
        return {place: lamp._replace(level=FULL, rhythm="pulse") for place, lamp in shown.items()}
    return shown


def _idle(state: State, short: frozenset[int]) -> Lamps:
    seats = _of(state.dealer, DEALER)
    for seat in short & set(state.live):
        # Who has bought in since then is no longer short.
        if state.is_short(seat):
            seats[seat] = seats.get(seat, OFF)._replace(rhythm="warning")
    return _at(state, seats)


def _shed(scene: Scene) -> Lamps:
    state, pending = scene.state, scene.pending
    if state.winner is None:
        return _at(state, dict.fromkeys(state.live, HERE) | _of(state.leader, ASKED))
    counted = pending.cards
    seats = {seat: HERE if seat in counted else ASKED for seat in state.live}
    seats[state.winner] = OFF
    return _at(state, seats | _of(pending.last, CHOSEN))


def _of(seat: int | None, lamp: Lamp) -> Lamps:
    return {} if seat is None else {seat: lamp}


def _at(state: State, seats: dict[int, Lamp]) -> Lamps:
    """Lamps by place, from lamps by seat."""
    return {state.places[seat - 1]: lamp for seat, lamp in seats.items()}


def pool_levels(scene: Scene) -> tuple[float, ...]:
    """The brightness of each pool's count, in board order; 0 for pools the ruleset lacks."""
    state = scene.state
    if state.ruleset is None:
        return (0.0,) * len(POOLS)
    bright: tuple[str, ...] = ()
    if state.phase == "meld":
        # A blocked pool keeps a quarter of what it would have if it were not blocked.
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


def cards_shown(scene: Scene) -> int | None:
    """The cards that the centre ring counts instead of its chips: of the seat pressed last."""
    if scene.state.phase != "shed" or scene.state.winner is None or scene.pending.last is None:
        return None
    return scene.pending.cards.get(scene.pending.last, 0)
