"""Correcting an entry further back: its form, and what the correction would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import deck_of
from pochboard.ledger.correcting import insertable, is_correctable, may_follow_insertion
from pochboard.ledger.replay import taken_back
from pochboard.ledger.results import count_hints, hints, results_of
from pochboard.messages.entries import EntryContext, recount_sentence, sentence
from pochboard.messages.labels import (
    account_label,
    count_hint_text,
    hint_text,
    pool_name,
    pool_rules,
    signed,
)
from pochboard.rules.accounts import account_index
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
from pochboard.text.names import COMMANDS, card_name_in
from pochboard.text.translator import ENGLISH, Translator
from pochboard.views.actions import Choice, account_choices
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

    sentence: str
    forms: tuple[CommandForm, ...]
    """What the entry says, if it may be corrected, and then what may have been forgotten."""


class AccountChange(msgspec.Struct, frozen=True):
    """The chips of a pool or stack now, and after the correction."""

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
    return CorrectionForm(sentence(context, t), tuple(forms))


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
    labels = {
        "seat": t.gettext("Player"),
        "pool": t.gettext("Pool"),
        "card": t.gettext("Card turned up"),
        "from": t.gettext("From"),
        "to": t.gettext("To"),
        "chips": t.gettext("Chips"),
        "place": t.gettext("Place"),
        "name": t.gettext("Name"),
        "reason": t.gettext("Reason"),
    }
    for name, value in msgspec.to_builtins(command).items():
        if name in labels:
            yield _field(name, labels[name], value, _choices(name, value, before, t))
    if isinstance(command, Settle):
        for seat, cards in sorted((int(seat), cards) for seat, cards in command.cards.items()):
            yield _field(f"cards.{seat}", t.person(before.name_of(seat)), cards)
    if isinstance(command, Showdown):
        places = _places(command.ranking)
        for seat in before.still_in:
            name = f"ranking.{seat}"
            yield _field(name, t.person(before.name_of(seat)), places.get(seat, ""), required=False)


def _choices(name: str, value: object, before: State, t: Translator) -> Sequence[Choice]:
    """The choices for a field; none if it is typed."""
    match name:
        case "seat":
            seats = [seat for seat in before.seats if not before.has_left(seat) or seat == value]
            return [Choice(str(seat), t.person(before.name_of(seat))) for seat in seats]
        case "pool":
            rules = before.rules
            return [Choice(pool, pool_name(pool, t, rules)) for pool in rules.meld_pools]
        case "card":
            deck = [*SUITS, *map(str, deck_of(before.deck))]
            return [Choice(card, card_name_in(t, card)) for card in deck]
        case "from" | "to":
            return account_choices(before, before.seats, t)
        case _:
            return ()


def _field(
    name: str, label: str, value: object, choices: Sequence[Choice] = (), *, required: bool = True
) -> CorrectionField:
    return CorrectionField(
        name=name,
        label=label,
        value=str(value),
        numeric=name.partition(".")[0] in ("seat", "chips", "place", "cards", "ranking"),
        required=required,
        choices=tuple(choices),
    )


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
        AccountChange(choice.label, _chips(choice.value, before), _chips(choice.value, after))
        for choice in account_choices(most, most.seats, t)
        if choice.value != "bank"
    ]
    return CorrectionPreview(
        sentence=text,
        again=len(preview.steps) - first - (not left_out),
        accounts=tuple(change for change in changes if change.before != change.after),
        standings_after=standings_rows(results_of(after, aliases), t),
    )


def _chips(account: str, state: State) -> int:
    """The chips in an account; 0 if there is no such seat."""
    index = account_index(account)
    return state.balances[index] if index < len(state.balances) else 0


class MovementRow(msgspec.Struct, frozen=True):
    """An entry that changed an account, in words."""

    number: int
    time_ms: int
    sentence: str
    text: str
    """The chips with their sign."""
    uncounted: bool
    """Whether it came after the account's last recount."""


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
    hints: tuple[str, ...]
    """Why its number, or that of the whole table, cannot be right."""
    count_hints: dict[int, str]
    """By a number of chips that may be counted, what it may mean."""


class RecountAnswer(msgspec.Struct, frozen=True):
    """The command that records what was counted; null if the ledger says the same."""

    command: Adjust | None
    sentence: str
    """What will be recorded, in words, or that nothing will."""


def account_answer(account: str, night: ReplayedNight, t: Translator = ENGLISH) -> AccountAnswer:
    """A pool or stack, and the entries that made it what it is."""
    state, gone = night.states[-1], taken_back(night.stored.entries)
    pool = account.removeprefix("pool:") if account.startswith("pool:") else ""
    moved = [
        (context, chips)
        for context in night.contexts()
        if (chips := sum(chips for name, chips in context.entry.postings if name == account))
    ]
    counted = max(
        (
            entry.number
            for entry in night.stored.entries
            if isinstance(entry.command, Adjust)
            and account in (entry.command.from_, entry.command.to)
            and entry.number not in gone
        ),
        default=0,
    )
    # An error must be among what came after the last recount in force.
    uncounted = [move for move in moved if move[0].entry.number > counted]
    taken = pool and next(
        (
            sentence(context, t)
            for context, chips in reversed(moved)
            if chips < 0
            and context.entry.number not in gone
            and not isinstance(context.entry.command, Adjust | Undo | Redo | Void)
        ),
        "",
    )
    return AccountAnswer(
        account=account,
        name=account_label(account, state, t),
        chips=_chips(account, state),
        rules=tuple(pool_rules(pool, state, t)) if pool else (),
        rows=tuple(
            MovementRow(
                context.entry.number,
                context.entry.time_ms,
                sentence(context, t),
                text=signed(chips),
                uncounted=context.entry.number > counted,
            )
            for context, chips in max(_since_empty(moved), uncounted, key=len)
        ),
        taken=t.gettext("Last time: {sentence}", sentence=taken) if taken else None,
        hints=tuple(
            hint_text(hint, state, t) for hint in hints(state) if hint.account in ("", account)
        ),
        count_hints={
            hint.counted: count_hint_text(hint, t) for hint in count_hints(account, state)
        },
    )


def _since_empty(moved: list[tuple[EntryContext, int]]) -> list[tuple[EntryContext, int]]:
    """The last movements: those since the account was empty."""
    balances = list(accumulate(chips for _, chips in moved))
    return moved[max((i for i, balance in enumerate(balances, 1) if not balance), default=0) :]


def recount_answer(
    account: str, counted: int, state: State, t: Translator, against: str = "bank"
) -> RecountAnswer:
    """The command that records what somebody has counted in a pool or stack (BOARD.md 7).

    The difference comes from the account `against`, or goes there.
    """
    chips = _chips(account, state)
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
