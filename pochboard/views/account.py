"""A pool or stack of the night in progress, and why it holds what it holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from pochboard.ledger.replay import taken_back
from pochboard.ledger.results import count_hints, hints
from pochboard.messages.accounts import count_hint_text, hint_text, last_taken_text, pool_rules
from pochboard.messages.entries import EntryContext, recount_sentence, sentence
from pochboard.messages.labels import account_label, signed
from pochboard.rules.commands import Adjust, Redo, Undo, Void
from pochboard.rules.state import State
from pochboard.table.snapshot import ReplayedNight
from pochboard.text.translator import ENGLISH, Translator


class MovementRow(msgspec.Struct, frozen=True):
    """An entry that changed an account, in words."""

    number: int
    time_ms: int
    sentence: str
    chips: int
    text: str
    """The chips with their sign."""
    uncounted: bool
    """Whether it came after the account's last recount."""


class CountedHint(msgspec.Struct, frozen=True):
    """What it may mean if this number of chips is counted in an account."""

    counted: int
    sentence: str


class AccountAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A pool or stack of the night in progress, and why it holds what it holds."""

    account: str
    name: str
    chips: int
    rules: tuple[str, ...]
    """What wins a pool, in sentences."""
    rows: tuple[MovementRow, ...]
    """The entries since it was last empty, or last counted if that is longer ago; oldest first."""
    taken: str | None
    """Who won a pool last, in a sentence."""
    taken_text: str | None
    """The same sentence, introduced as the last time."""
    hints: tuple[str, ...]
    """Why its number, or that of the whole table, cannot be right."""
    count_hints: tuple[CountedHint, ...]


class RecountAnswer(msgspec.Struct, frozen=True):
    """The command that records what was counted; null if the ledger says the same."""

    command: Adjust | None
    sentence: str
    """What will be recorded, in words, or that nothing will."""


def account_answer(account: str, night: ReplayedNight, t: Translator = ENGLISH) -> AccountAnswer:
    """A pool or stack, and the entries that made it what it is."""
    state, contexts = night.states[-1], night.contexts
    kind, _, which = account.partition(":")
    gone = taken_back(night.stored.entries)
    moved = _movements(account, contexts, gone, t)
    rows = max(_since_empty(moved), [row for row in moved if row.uncounted], key=len)
    is_pool = kind == "pool"
    taken = _last_taken(moved, contexts, gone) if is_pool else None
    return AccountAnswer(
        account=account,
        name=account_label(account, state, t),
        chips=state.pool(which) if is_pool else state.stack_of(int(which)),
        rules=tuple(pool_rules(which, state, t)) if is_pool else (),
        rows=tuple(rows),
        taken=taken,
        taken_text=last_taken_text(taken, t) if taken else None,
        hints=tuple(
            hint_text(hint, state, t) for hint in hints(state) if hint.account in ("", account)
        ),
        count_hints=tuple(
            CountedHint(hint.counted, count_hint_text(hint, t))
            for hint in count_hints(account, state)
        ),
    )


def _movements(
    account: str,
    contexts: Sequence[EntryContext],
    gone: Collection[int],
    t: Translator,
) -> list[MovementRow]:
    """The entries of a night that changed an account, oldest first.

    `gone` are the numbers of entries that are no longer in force. An error in the account must be
    among what came after its last recount in force.
    """
    moved, counted = [], 0
    for context in contexts:
        entry, command = context.entry, context.entry.command
        recount = isinstance(command, Adjust) and account in (command.from_, command.to)
        if recount and entry.number not in gone:
            counted = entry.number
        if chips := sum(chips for name, chips in entry.postings if name == account):
            moved.append((entry, sentence(context, t), chips))
    return [
        MovementRow(
            entry.number,
            entry.time_ms,
            text,
            chips,
            text=signed(chips),
            uncounted=entry.number > counted,
        )
        for entry, text, chips in moved
    ]


def _since_empty(moved: list[MovementRow]) -> list[MovementRow]:
    """The last movements: those since the account was empty."""
    balance, first = 0, 0
    for i, row in enumerate(moved):
        balance += row.chips
        if balance == 0:
            first = i + 1
    return moved[first:]


def _last_taken(
    moved: Sequence[MovementRow], contexts: Sequence[EntryContext], gone: Collection[int]
) -> str | None:
    """The sentence of the last entry with which somebody won chips of a pool.

    A recount wins nothing, and neither does an entry that is no longer in force (`gone`) or its
    undo.
    """
    won = {
        context.entry.number
        for context in contexts
        if not isinstance(context.entry.command, Adjust | Undo | Redo | Void)
    }.difference(gone)
    return next(
        (row.sentence for row in reversed(moved) if row.chips < 0 and row.number in won), None
    )


def recount_answer(
    account: str, counted: int, state: State, t: Translator, against: str = "bank"
) -> RecountAnswer:
    """The command that records what somebody has counted in a pool or stack (BOARD.md 7).

    The difference comes from the account `against`, or goes there.
    """
    kind, _, which = account.partition(":")
    chips = state.pool(which) if kind == "pool" else state.stack_of(int(which))
    if counted == chips:
        return RecountAnswer(None, t.gettext("That is what should lie there. Nothing is recorded."))
    source, target = (against, account) if counted > chips else (account, against)
    command = Adjust(
        from_=source,
        to=target,
        chips=abs(counted - chips),
        reason=t.gettext(
            "recount of {name}: {counted} instead of {chips}",
            name=account_label(account, state, t),
            counted=counted,
            chips=chips,
        ),
    )
    return RecountAnswer(command, recount_sentence(command, state, t))
