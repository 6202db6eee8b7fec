"""The sentences of the package about a night that a test plays."""

from __future__ import annotations

from pochboard.buttons.pending import Pending
from pochboard.buttons.press import PressTimes
from pochboard.ledger.legal import LegalActions, legal_actions
from pochboard.messages.actions import Actions, ActionsContext, actions
from pochboard.messages.guidance import Guidance, guidance
from pochboard.text.translator import ENGLISH
from tests.core.play import Night


def legal(night: Night) -> LegalActions:
    return legal_actions(night.book)


def guide(
    night: Night,
    pending: Pending | None = None,
    times: PressTimes | None = None,
    *,
    replayed: int | None = None,
) -> Guidance:
    times = times or PressTimes()
    return guidance(night.book.state, pending, legal(night), times, ENGLISH, replayed=replayed)


def lines(night: Night, pending: Pending | None = None) -> tuple[str, ...]:
    return guide(night, pending).lines


def controls(night: Night, pending: Pending | None = None) -> Actions:
    context = ActionsContext(
        state=night.book.state,
        pending=pending,
        legal=legal(night),
        undoes="Ben passes.",
        redoes="Clara passes.",
    )
    return actions(context, ENGLISH)
