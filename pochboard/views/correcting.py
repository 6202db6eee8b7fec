"""Correcting an entry further back: its form, and what the correction would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import deck_of
from pochboard.ledger.correcting import insertable, is_correctable, may_follow_insertion
from pochboard.ledger.results import results_of
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.labels import account_label, card_phrase, command_label, pool_name
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import (
    Adjust,
    AnyCommand,
    Join,
    Rebuy,
    Rename,
    Settle,
    Showdown,
    command_name,
)
from pochboard.rules.state import State
from pochboard.table.snapshot import Preview
from pochboard.text.translator import Translator
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
    standings_before: tuple[StandingsRow, ...]
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
    label = command_label(do, t) if insert else t.gettext("This entry")
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
                deck = [str(card) for card in deck_of(before.deck)]
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
    preview: Preview, t: Translator, called: Mapping[str, str], *, left_out: bool
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
        standings_before=standings_rows(results_of(before, called), t),
        standings_after=standings_rows(results_of(after, called), t),
    )


def _chips(account: str, state: State) -> int:
    """What a pool or stack holds; nothing if there is no such seat."""
    kind, _, which = account.partition(":")
    if kind == "pool":
        return state.pool(which)
    return state.stack_of(int(which)) if int(which) in state.seats else 0
