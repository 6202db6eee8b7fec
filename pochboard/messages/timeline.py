"""An entry on the timeline of a replay: its mark, and the chips that move."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pochboard.ledger.flows import distribute
from pochboard.messages.entries import EntryContext, posting_name
from pochboard.messages.labels import signed
from pochboard.rules.accounts import account_index, account_name
from pochboard.rules.commands import Claim, Deal, Redo, Showdown, Undo, Void
from pochboard.text.translator import Translator

MarkKind = Literal["deal", "claim", "showdown", "undo"]
"""What is marked on the timeline. `undo` is everything that takes entries back or restores them."""

_MOST_MOVES: Final = 8
"""More moves than these are not read one by one."""


class ChipMove(msgspec.Struct, frozen=True):
    """Chips that go from one account to another, as in `seat:2` and `pool:ace`."""

    source: str
    target: str
    chips: int
    text: str


def mark_of(context: EntryContext) -> MarkKind | None:
    """How an entry is marked, if at all."""
    match context.entry.command:
        case Deal():
            return "deal"
        case Claim():
            return "claim"
        case Showdown():
            return "showdown"
        case Undo() | Redo() | Void():
            return "undo"
        case _:
            return None


def moves_of(context: EntryContext, t: Translator) -> tuple[ChipMove, ...]:
    """The chips of an entry, from all who pay to all who receive, in proportion."""
    postings = {account_index(name): chips for name, chips in context.entry.postings}
    payers = {account: -chips for account, chips in postings.items() if chips < 0}
    payees = {account: chips for account, chips in postings.items() if chips > 0}
    names = {
        account: posting_name(account_name(account), context.before, context.after, t)
        for account in postings
    }
    return tuple(
        ChipMove(
            account_name(source),
            account_name(target),
            chips,
            t.gettext(
                "{source} → {target}: {chips}",
                source=names[source],
                target=names[target],
                chips=chips,
            ),
        )
        for source, target, chips in distribute(payers, payees)
    )


def moves_text(context: EntryContext, t: Translator) -> tuple[str, ...]:
    """The same in a few words; if there are many moves, what each account pays or receives."""
    moves = moves_of(context, t)
    if len(moves) <= _MOST_MOVES:
        return tuple(move.text for move in moves)
    return tuple(
        t.gettext(
            "{name}: {chips}",
            name=posting_name(account, context.before, context.after, t),
            chips=signed(chips),
        )
        for account, chips in context.entry.postings
    )
