"""The entries of a night, each with the state after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.ledger.flows import distribute
from pochboard.ledger.replay import taken_back
from pochboard.ledger.times import utc_text
from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import hex_colours
from pochboard.lights.render import settled_frame
from pochboard.messages.entries import EntryContext, posting_name, sentence
from pochboard.messages.labels import signed
from pochboard.rules.accounts import account_index, account_name
from pochboard.rules.commands import AnyCommand, Claim, Deal, Redo, Showdown, Undo, Void
from pochboard.table.records import ReplayedNight
from pochboard.text.translator import ENGLISH, Translator
from pochboard.views.board import PoolDetail, board_label, pool_details
from pochboard.views.seats import Plaque, SeatRow, rim, seat_rows
from pochboard.views.state import PublicState, names_by_seat, public_answer

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


class PostingRow(msgspec.Struct, frozen=True):
    """Chips that an account received or paid, in words."""

    account: str
    name: str
    chips: int
    text: str


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger, in words, and the state after it."""

    number: int
    time: str
    """When it was booked, ISO 8601 in UTC."""
    time_ms: int
    command: AnyCommand
    sentence: str
    postings: tuple[tuple[str, int], ...]
    ref: int | None
    state: PublicState
    names: dict[str, str]
    """What the seats are called after it."""
    posting_rows: tuple[PostingRow, ...]
    taken_back: bool
    """Whether it is no longer in force at the end."""
    pixels: tuple[str, ...] | UnsetType = UNSET
    """The board after it, `#rrggbb`; this and what follows only with `?pixels=1`."""
    rows: tuple[SeatRow, ...] | UnsetType = UNSET
    rim: tuple[Plaque, ...] | UnsetType = UNSET
    pool_details: tuple[PoolDetail, ...] | UnsetType = UNSET
    board_label: str | UnsetType = UNSET
    """The board in words, for screen readers."""
    mark: MarkKind | UnsetType | None = UNSET
    """How it is marked on the timeline, if at all."""
    moves: tuple[ChipMove, ...] | UnsetType = UNSET
    """Between which accounts its chips moved."""
    moves_text: tuple[str, ...] | UnsetType = UNSET
    """The same in words; if there are many, what each account paid or received."""


def entry_answers(
    night: ReplayedNight,
    after: int,
    limit: int,
    t: Translator = ENGLISH,
    *,
    display: DisplayConfig | None = None,
    called: Mapping[str, str] = {},
) -> Iterator[EntryAnswer]:
    """Up to `limit` entries of a night numbered above `after`.

    With a display also how the table looked.
    """
    gone = set(taken_back(night.stored.entries))
    contexts = night.contexts
    for place in range(after, min(after + limit, len(contexts))):
        context = contexts[place]
        gone_now = context.entry.number in gone
        yield _entry_answer(context, t, display, called, taken_back=gone_now)


def _entry_answer(
    context: EntryContext,
    t: Translator,
    display: DisplayConfig | None,
    called: Mapping[str, str],
    *,
    taken_back: bool,
) -> EntryAnswer:
    entry, state = context.entry, context.after
    return EntryAnswer(
        number=entry.number,
        time=utc_text(entry.time_ms),
        time_ms=entry.time_ms,
        command=entry.command,
        sentence=sentence(context, t, called),
        postings=entry.postings,
        ref=entry.ref,
        state=public_answer(state),
        names=names_by_seat(state),
        posting_rows=tuple(
            PostingRow(
                account, posting_name(account, context.before, state, t), chips, signed(chips)
            )
            for account, chips in entry.postings
        ),
        taken_back=taken_back,
        **(_replayed(context, display, t) if display else {}),
    )


def _replayed(context: EntryContext, display: DisplayConfig, t: Translator) -> dict[str, Any]:
    """What a replay shows of an entry: the fields of EntryAnswer from `pixels` on."""
    state = context.after
    pools = pool_details(state, {}, t)
    return {
        "pixels": tuple(hex_colours(settled_frame(state, display))),
        "rows": seat_rows(state, None, t),
        "rim": rim(state, None, t),
        "pool_details": pools,
        "board_label": board_label(pools, t),
        "mark": mark_of(context),
        "moves": moves_of(context, t),
        "moves_text": moves_text(context, t),
    }


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
