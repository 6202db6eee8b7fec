"""What the API reads besides commands, as types."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pochboard.cards.card import Names
from pochboard.demo.wish import Speed

LONGEST_PRESS_MS: Final = 10_000


class EdgeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button goes down or up. `client` tells pages in one browser apart."""

    button: str
    down: bool
    client: Annotated[str, Meta(max_length=64)] = ""


class PressBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button, or two together, held for so many milliseconds."""

    button: str | Annotated[list[str], Meta(min_length=1, max_length=2)]
    ms: Annotated[int, Meta(ge=1, le=LONGEST_PRESS_MS)] = 50


SeatKey = Annotated[str, Meta(pattern=r"^[1-9][0-9]*(?!\n)$", max_length=9)]
"""A seat as a key; no night has as many seats as a number of more digits counts."""


class HandsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cards that seats show, as `KH` or `Herz-König`, and the trump suit if no card tells it."""

    hands: dict[SeatKey, list[str]]
    trump: str | None = None
    names: Names = "english"
    """How the answer calls cards: in English, or in German by French or German suits."""


class SpeedBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many times faster than people house players play."""

    speed: Speed


class LayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card that a person lays, as in `TH`."""

    card: str
