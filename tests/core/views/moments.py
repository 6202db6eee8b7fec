"""What phones may know at a moment of a night that a test plays."""

from __future__ import annotations

from typing import Any

from pochboard.bots.bot_table import OpenCards
from pochboard.buttons.panel import UsableButtons
from pochboard.buttons.press import Pending, PressTimes
from pochboard.ledger.book import LegalActions, legal_actions
from pochboard.ledger.entry import Entry
from pochboard.messages.entries import EntryContext, entry_context
from pochboard.table.snapshot import BoardInfo, Bots, Snapshot
from pochboard.text.translator import ENGLISH
from pochboard.views.actions import Actions, actions
from pochboard.views.guidance import Guidance, guidance
from tests.core.play import Night


def legal(night: Night) -> LegalActions:
    return legal_actions(night.book)


def snapshot(night: Night, pending: Pending | None = None, **given: Any) -> Snapshot:
    book = night.book

    def context_of(entry: Entry | None) -> EntryContext | None:
        return entry_context(book.entries, book.states, entry.number) if entry else None

    usual: dict[str, Any] = {
        "revision": 1,
        "night": 1 if book.entries else None,
        "entry": len(book.entries),
        "state": book.state,
        "pending": pending,
        "legal": legal(night),
        "buttons": UsableButtons((), {}),
        "board": BoardInfo("gpio", link=True, simulated=False),
        "pairing_window_s": 60.0,
        "pairing_open_until_ms": None,
        "pairing_code": None,
        "pairing_changes": 0,
        "phones": False,
        "last": context_of(next(reversed(book.entries), None)),
        "undoes": context_of(book.undoes()),
        "redoes": context_of(book.redoes()),
        "taken_back": (),
        "times": PressTimes(),
        "lobby": pending.lobby if pending else None,
        "lobby_names": {},
    }
    return Snapshot(**{**usual, **given})


def bots(players: dict[int, str], **given: Any) -> Bots:
    """Computer players at these seats, before any card is dealt."""
    usual = {
        "players": players,
        "turned": None,
        "held": {},
        "backs": {},
        "run": (),
        "taker": None,
        "count": None,
        "laid": (),
        "shown": {},
        "waits": None,
    }
    return Bots(OpenCards(**{**usual, **given}), speed=1.0)


def guide(night: Night, pending: Pending | None = None, **given: Any) -> Guidance:
    return guidance(snapshot(night, pending, **given), ENGLISH)


def lines(night: Night, pending: Pending | None = None) -> tuple[str, ...]:
    return guide(night, pending).lines


def controls(night: Night, pending: Pending | None = None) -> Actions:
    return actions(snapshot(night, pending), ENGLISH)
