"""What happens at a table with cards: commands, cards laid, and waiting for a person."""

from __future__ import annotations

from typing import Literal

import msgspec

from pochboard.cards.card import Card
from pochboard.rules.commands import AnyCommand


class Do(msgspec.Struct, frozen=True):
    """A command, sent by a seat or, where it is None, by the table as a whole."""

    command: AnyCommand
    seat: int | None = None


class Lay(msgspec.Struct, frozen=True):
    """A seat lays a card."""

    seat: int
    card: Card


class Await(msgspec.Struct, frozen=True):
    """A person has to do something first."""

    seat: int
    what: Literal["meld", "bet", "lay"]


Act = Do | Lay | Await
