"""Correcting an entry further back: its form, and what the correction would change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import deck_of
from pochboard.ledger.correcting import insertable, is_correctable, may_follow_insertion
from pochboard.ledger.replay import taken_back
from pochboard.ledger.results import count_hints, hints, results_of
from pochboard.messages.entries import EntryContext, recount_sentence, sentence
from pochboard.messages.labels import (
    account_label,
    card_phrase,
    count_hint_text,
    hint_text,
    last_taken_text,
    pool_name,
    pool_rules,
    signed,
)
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import (
    SUITS,
    Adjust,
    AnyCommand,
    Join,
    Rebuy,
    Redo,
    Rename,
    Settle,
    Showdown,
    Undo,
    Void,
    command_name,
)
from pochboard.rules.state import State
from pochboard.table.snapshot import Preview, ReplayedNight
from pochboard.text.names import COMMANDS
from pochboard.text.translator import ENGLISH, Translator
from pochboard.views.actions import Choice
from pochboard.views.seats import StandingsRow, standings_rows


class CorrectionField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the command that may be changed."""

    name: str
    """As in the command. `cards.3` is what its `cards` say of seat 3, and `ranking.3` which place
    its `ranking` gives to seat 3."""
    label: str
    value: str
    """What is recorded; empty for nothing."""
    numeric: bool
    """Whether the command has it as a number."""
    least: int
    """The least number, if it is one."""
    required: bool
    choices: tuple[Choice, ...]
    """What may be chosen; if there is nothing, it is typed."""


class CommandForm(msgspec.Struct, frozen=True):
    """The fields of a command that is corrected, or was forgotten."""

    do: str
    """The name of the command."""
    label: str
    """The command in words."""
    insert: bool
    """Whether it was forgotten: then it comes before the entry."""
    fields: tuple[CorrectionField, ...]


class CorrectionForm(msgspec.Struct, frozen=True):
    """How the night may be corrected at an entry."""

    number: int
    sentence: str
    forms: tuple[CommandForm, ...]
    """What the entry says, if it may be corrected, and then what may have been forgotten."""


class AccountChange(msgspec.Struct, frozen=True):
    """The chips of a pool or stack now, and after the correction."""

    account: str
    name: str
    before: int
    after: int


class CorrectionPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a correction would change. Nothing has been recorded."""

    sentence: str | None
    """What the entry will say; null if it is left out."""
    again: int
    """How many later commands are recorded again."""
    accounts: tuple[AccountChange, ...]
    """The pools and stacks that change, pools first."""
    standings_after: tuple[StandingsRow, ...]


def correction_form(context: EntryContext, t: Translator) -> CorrectionForm:
    """The forms that correct an entry, or insert one before it."""
    entry, before = context.entry, context.before
    said = [entry.command] if is_correctable(entry.command) else []
    forgotten = insertable(before) if may_follow_insertion(entry.command) else []
    forms = [
        *(_form(command, before, t, insert=False) for command in said),
        *(_form(_usual(sample, before), before, t, insert=True) for sample in forgotten),
    ]
    return CorrectionForm(entry.number, sentence(context, t), tuple(forms))


def _usual(sample: AnyCommand, before: State) -> AnyCommand:
    """The sample as people would most often give it; what they must type is blank."""
    match sample:
        case Rebuy(seat=seat):
            return Rebuy(seat, before.stack)
        case Join() | Rename():
            return replace(sample, name="")
        case Adjust():
            return replace(sample, reason="")
        case _:
            return sample


def _form(command: AnyCommand, before: State, t: Translator, *, insert: bool) -> CommandForm:
    do = command_name(type(command))
    label = t.gettext(COMMANDS[do].label) if insert else t.gettext("This entry")
    return CommandForm(do, label, insert, tuple(_fields(command, before, t)))


def _fields(command: AnyCommand, before: State, t: Translator) -> Iterator[CorrectionField]:
    """The fields of a command that was recorded in this state, in their order."""
    for name, value in msgspec.to_builtins(command).items():
        match name:
            case "seat":
                seats = [s for s in before.seats if not before.has_left(s) or s == value]
                yield _field(name, t.gettext("Player"), value, _named(seats, before, t))
            case "pool":
                pools = before.rules.meld_pools
                choices = [Choice(pool, pool_name(pool, t, before.rules)) for pool in pools]
                yield _field(name, t.gettext("Pool"), value, choices)
            case "card":
                deck = [*SUITS, *map(str, deck_of(before.deck))]
                choices = [Choice(card, card_phrase(card, t)) for card in deck]
                yield _field(name, t.gettext("Card turned up"), value, choices)
            case "from" | "to":
                label = t.gettext("From") if name == "from" else t.gettext("To")
                yield _field(name, label, value, _accounts(before, t))
            case "chips":
                yield _field(name, t.gettext("Chips"), value)
            case "place":
                yield _field(name, t.gettext("Place"), value)
            case "name":
                yield _field(name, t.gettext("Name"), value)
            case "reason":
                yield _field(name, t.gettext("Reason"), value)
            case _:
                pass
    if isinstance(command, Settle):
        for seat, cards in sorted((int(seat), cards) for seat, cards in command.cards.items()):
            yield _field(f"cards.{seat}", t.person(before.name_of(seat)), cards, least=0)
    if isinstance(command, Showdown):
        places = _places(command.ranking)
        for seat in before.still_in:
            name = f"ranking.{seat}"
            yield _field(name, t.person(before.name_of(seat)), places.get(seat, ""), required=False)


def _field(
    name: str,
    label: str,
    value: object,
    choices: Sequence[Choice] = (),
    *,
    least: int = 1,
    required: bool = True,
) -> CorrectionField:
    return CorrectionField(
        name=name,
        label=label,
        value=str(value),
        numeric=name.partition(".")[0] in ("seat", "chips", "place", "cards", "ranking"),
        least=least,
        required=required,
        choices=tuple(choices),
    )


def _named(seats: Sequence[int], state: State, t: Translator) -> list[Choice]:
    return [Choice(str(seat), t.person(state.name_of(seat))) for seat in seats]


def _accounts(state: State, t: Translator) -> list[Choice]:
    return [Choice(name, account_label(name, state, t)) for name in ("bank", *_all(state))]


def _all(state: State) -> list[str]:
    """All pools and stacks."""
    pools = [f"pool:{pool}" for pool in POOLS if pool in state.rules.pools]
    return pools + [f"seat:{seat}" for seat in state.seats]


def _places(ranking: Sequence[int | list[int]]) -> dict[int, int]:
    """The place of each seat in a ranking; tied seats have the same."""
    tied = [group if isinstance(group, list) else [group] for group in ranking]
    return {seat: place for place, group in enumerate(tied, start=1) for seat in group}


def correction_preview(
    preview: Preview, t: Translator, aliases: Mapping[str, str], *, left_out: bool
) -> CorrectionPreview:
    """What a correction would change."""
    before, after = preview.before, preview.steps[-1].state
    first = sum(step.entry.ref is not None for step in preview.steps)
    text = None
    if not left_out:
        states = [step.state for step in preview.steps]
        context = EntryContext(preview.steps[first].entry, states[first - 1], states[first])
        text = sentence(context, t)
    most = before if len(before.names) > len(after.names) else after
    changes = [
        AccountChange(name, account_label(name, most, t), _chips(name, before), _chips(name, after))
        for name in _all(most)
    ]
    return CorrectionPreview(
        sentence=text,
        again=len(preview.steps) - first - (not left_out),
        accounts=tuple(change for change in changes if change.before != change.after),
        standings_after=standings_rows(results_of(after, aliases), t),
    )


def _chips(account: str, state: State) -> int:
    """What a pool or stack holds; nothing if there is no such seat."""
    kind, _, which = account.partition(":")
    if kind == "pool":
        return state.pool(which)
    return state.stack_of(int(which)) if int(which) in state.seats else 0


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
    state, contexts = night.states[-1], tuple(night.contexts())
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
