"""The lobby: a night put together at the board, between nights (BOARD.md 3)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pochboard.buttons.pending import NOTHING, Lobby, Pending
from pochboard.buttons.press import Desk, Draw, Keep, Meaning, Pair, Send, Times
from pochboard.errors import Refusal
from pochboard.rules.state import State

LOBBY_PHASES = ("none", "closed")


def first_lobby(state: State, places: int) -> Lobby:
    """The lobby as it is at first: the places of the last night's end are in."""
    return Lobby(places=tuple(sorted(p for p in state.places if 0 < p <= places)))


def fresh(state: State, places: int) -> Pending:
    """Nothing pending: in the lobby the lobby as it is at first."""
    if state.phase in LOBBY_PHASES:
        return Pending(lobby=first_lobby(state, places))
    return NOTHING


def lobby_meaning(button: str, desk: Desk, lobby: Lobby, times: Times, places: int) -> Meaning:
    """What a button means between nights."""
    if button.startswith("seat"):
        return _seat(int(button.removeprefix("seat")), lobby, times)
    if button == "pinke":
        if not lobby.places:
            return Meaning(Refusal("no-meaning", "Nobody is in to draw from: press your places."))
        return Meaning(Draw())
    if button == "next":
        show = _keep(replace(lobby, armed=True), "start")
        short = Send(start_command(desk, lobby)) if lobby.armed else show
        return Meaning(short, Pair(), times.next_long_us)
    if button == "undo":
        first = first_lobby(desk.state, places)
        short = Send({"do": "undo"}) if lobby == first else _keep(first, "as at first")
        return Meaning(short, Send({"do": "redo"}), times.long_us)
    return Meaning(Refusal("no-meaning", f"The button {button} has no meaning between nights."))


def _keep(lobby: Lobby, word: str) -> Keep:
    return Keep(Pending(lobby=lobby), word)


def _seat(place: int, lobby: Lobby, times: Times) -> Meaning:
    """In or out; long: in, and deals first. Both take back a first `next`."""
    among = set(lobby.places)
    toggled = Lobby(
        places=tuple(sorted(among ^ {place})),
        chosen=None if lobby.chosen == place else lobby.chosen,
    )
    dealing = Lobby(places=tuple(sorted(among | {place})), chosen=place)
    return Meaning(_keep(toggled, "in or out"), _keep(dealing, "deals"), times.long_us)


def start_command(desk: Desk, lobby: Lobby) -> dict[str, Any]:
    """The night that the lobby stands for: ruleset, options and stack of the last one."""
    names: list[str] = []
    for place in lobby.places:
        name = desk.heard.get(place)
        names.append(f"Place {place}" if name is None or name in names else name)
    command: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": names}
    last = desk.last_start
    if last is not None:
        command["ruleset"] = last["ruleset"]
        if last.get("options"):
            command["options"] = last["options"]
        command["stack"] = desk.state.stack
    command["places"] = list(lobby.places)
    if lobby.dealer is not None:
        command["dealer"] = lobby.places.index(lobby.dealer) + 1
    return command
