"""What is pending, from the API's answer."""

from __future__ import annotations

from typing import Any

from pochboard.buttons.press import Pending
from pochboard.rules.state import State


def pending_of(answer: dict[str, Any] | None, state: State) -> Pending | None:
    """What is pending during a night, as the panel keeps it."""
    match answer:
        case {"seat": seat, "chips": chips} if seat == state.to_act:
            return Pending(chips=chips)
        case {"seat": seat}:
            return Pending(place=state.places[seat - 1])
        case {"place": place}:
            return Pending(place=place)
        case {"hands": hands}:
            return Pending(hands=tuple(hands))
        case {"cards": cards}:
            return Pending(counts=(tuple((int(seat), held) for seat, held in cards.items()),))
        case _:
            return None
