"""The nights of the ledger: their list, one night, its entries with their states, who pays whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from pochboard.errors import Attempt, directly
from pochboard.exports import FORMATS, ExportedNight, bgstats_link
from pochboard.history.night_statistics import (
    NightStatistics,
    awards,
    left_on_board,
    night_statistics,
)
from pochboard.ledger.correcting import may_follow_insertion
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import (
    NightStatus,
    NightSummary,
    summarize,
    taken_back,
)
from pochboard.ledger.results import summary_results
from pochboard.ledger.settling import BANK_PARTY, BankChoice, Settlement, Transfer, Way, chip_moves
from pochboard.messages.entries import EntryContext, posting_name, sentence
from pochboard.messages.labels import pool_name, signed
from pochboard.messages.nights import (
    FORMAT_NAMES,
    award_sentence,
    award_title,
    listed_result,
    listed_summary,
    listed_winners,
    night_records,
    night_title,
)
from pochboard.messages.parameters import ruleset_summary
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Claim, Deal, Redo, Showdown, Undo, Void
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.table.snapshot import ReplayedNight
from pochboard.text.translator import ENGLISH, N_, Translator
from pochboard.views.board import PoolDetail, board_label, pool_details
from pochboard.views.seats import SeatRow, StandingsRow, seat_rows, standings_rows
from pochboard.views.state import Flight, PublicState, names_by_seat, public_answer

MarkKind = Literal["deal", "claim", "showdown", "undo"]
"""What is marked on the timeline. `undo` is everything that takes entries back or restores them."""


_MOST_MOVES: Final = 8
"""More moves than these are not read one by one."""


class PostingRow(msgspec.Struct, frozen=True):
    """Chips that an account received or paid, in words."""

    account: str
    name: str
    chips: int
    text: str


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger, in words, and the state after it."""

    number: int
    time_ms: int
    command: AnyCommand
    sentence: str
    postings: tuple[tuple[str, int], ...]
    ref: int | None
    state: PublicState
    posting_rows: tuple[PostingRow, ...]
    taken_back: bool
    """Whether it is no longer in force at the end."""
    correctable: bool
    """Whether it may be corrected, or something inserted before it, while it is in force and its
    night is in progress."""
    rows: tuple[SeatRow, ...] | UnsetType = UNSET
    """The table after it; this and what follows only with `?table=1`."""
    pool_details: tuple[PoolDetail, ...] | UnsetType = UNSET
    board_label: str | UnsetType = UNSET
    """The board in words, for screen readers."""
    mark: MarkKind | UnsetType | None = UNSET
    """How it is marked on the timeline, if at all."""
    moves: tuple[Flight, ...] | UnsetType = UNSET
    """Between which accounts its chips moved."""
    moves_text: tuple[str, ...] | UnsetType = UNSET
    """The same in words; if there are many, what each account paid or received."""


def entry_answers(
    night: ReplayedNight,
    numbers: range,
    t: Translator = ENGLISH,
    *,
    shows_table: bool = False,
    attempt: Attempt = directly,
) -> Iterator[EntryAnswer]:
    """Those entries of a night with these numbers.

    `shows_table` adds how the table looked. An entry that cannot be put into words has none.
    """
    gone = set(taken_back(night.stored.entries))
    contexts = night.contexts
    for number in range(numbers.start, min(numbers.stop, len(contexts) + 1)):
        context = contexts[number - 1]
        gone_now = context.entry.number in gone
        yield attempt(
            "entries",
            partial(_entry_answer, context, t, taken_back=gone_now, shows_table=shows_table),
            _bare_entry(context, taken_back=gone_now),
        )


def _bare_entry(context: EntryContext, *, taken_back: bool) -> EntryAnswer:
    """An entry without words."""
    entry = context.entry
    return EntryAnswer(
        number=entry.number,
        time_ms=entry.time_ms,
        command=entry.command,
        sentence="",
        postings=entry.postings,
        ref=entry.ref,
        state=public_answer(context.after),
        posting_rows=(),
        taken_back=taken_back,
        correctable=False,
    )


def _entry_answer(
    context: EntryContext,
    t: Translator,
    *,
    taken_back: bool,
    shows_table: bool,
) -> EntryAnswer:
    entry, state = context.entry, context.after
    return replace(
        _bare_entry(context, taken_back=taken_back),
        sentence=sentence(context, t),
        posting_rows=tuple(
            PostingRow(
                account, posting_name(account, context.before, state, t), chips, signed(chips)
            )
            for account, chips in entry.postings
        ),
        correctable=may_follow_insertion(entry.command),
        **(_replayed(context, t) if shows_table else {}),
    )


def _replayed(context: EntryContext, t: Translator) -> dict[str, Any]:
    """What a replay shows of an entry: the fields of EntryAnswer from `rows` on."""
    state = context.after
    pools = pool_details(state, {}, t)
    return {
        "rows": seat_rows(state, None, t),
        "pool_details": pools,
        "board_label": board_label(pools, t),
        "mark": mark_of(context),
        "moves": tuple(Flight(*move) for move in chip_moves(context.entry.postings)),
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


def moves_text(context: EntryContext, t: Translator) -> tuple[str, ...]:
    """Who paid whom, in a few words; if many did, what each account pays or receives."""

    def name(account: str) -> str:
        return posting_name(account, context.before, context.after, t)

    moves = list(chip_moves(context.entry.postings))
    if len(moves) > _MOST_MOVES:
        return tuple(
            t.gettext("{name}: {chips}", name=name(account), chips=signed(chips))
            for account, chips in context.entry.postings
        )
    return tuple(
        t.gettext(
            "{source} → {target}: {chips}", source=name(source), target=name(target), chips=chips
        )
        for source, target, chips in moves
    )


ListSection = Literal["nights", "bots", "deleted"]
"""Where nights are listed: a deleted one only there."""


class ListedNight(NightSummary, frozen=True, kw_only=True):
    """One line of the list of nights, with its words."""

    name: str | None
    """What the night is called, if it has a name."""
    section: ListSection
    """Deleted nights are listed only with `?deleted=1`, those of bots only with `?bots=1`."""
    status: NightStatus
    winners: str | None
    """The names of those who won; null while the night is open."""
    result: str
    """How it ended, in a sentence."""
    summary: str
    """Its number, ruleset, players, deals and entries, in words."""


class Download(msgspec.Struct, frozen=True):
    """A night as a file, at `/api/nights/{night}/{format}`."""

    format: str
    label: str
    file: str
    """The name that the file should get."""


class SettlementForm(msgspec.Struct, frozen=True):
    """How a night may be settled; the usual choice comes first."""

    ways: tuple[Way, ...]
    banks: tuple[BankChoice, ...]
    currency: str
    """The usual sign of the currency."""


class AwardRow(msgspec.Struct, frozen=True):
    """An award of a night, in words."""

    title: str
    name: str
    sentence: str


class LeftPool(msgspec.Struct, frozen=True):
    """A pool as it was left; `chips` is null for one that the ruleset lacks."""

    pool: str
    name: str
    chips: int | None


class NightAnswer(ListedNight, frozen=True, kw_only=True):
    """A night of the ledger."""

    title: str
    """`Night 3`, `modern`, and whether it was kept on paper, after its name if it has one."""
    names: dict[str, str]
    """By seat, as they are called at the end."""
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first; none while the night is open."""
    downloads: tuple[Download, ...]
    settling: SettlementForm
    awards: tuple[AwardRow, ...]
    """At most three; none while it is open, or if it was too short."""
    records: tuple[str, ...]
    """Who else did most of what, and what was left on the board, in sentences; none while it is
    open."""
    rules: str
    """The rules in a few sentences."""
    bgstats: str | None
    """A link that hands the result to the app BG Stats; null while the night is open."""
    left: tuple[LeftPool, ...]
    """The pools as they were left, in board order; none while the night is open."""


def night_answer(
    night: ReplayedNight,
    remarks: Remarks,
    local: Callable[[int], datetime],
    t: Translator = ENGLISH,
) -> NightAnswer:
    """A night. `local` is as in `ExportedNight`."""
    stored, last = night.stored, night.states[-1]
    summary = summarize(stored.number, stored.entries, last, imported=stored.imported)
    listed = _listed(summary, remarks, t)
    counted = _statistics(night, remarks) if last.phase == "closed" else None
    given = awards(counted, stored.entries, night.states, remarks.aliases) if counted else ()
    left = left_on_board(stored.entries, night.states) if counted else {}
    kinds = [award.kind for award in given]
    return NightAnswer(
        **msgspec.structs.asdict(listed),
        title=night_title(summary, listed.name, t),
        names=names_by_seat(last, t),
        standings_rows=standings_rows(summary_results(summary, remarks.aliases), t),
        downloads=tuple(
            Download(name, t.gettext(FORMAT_NAMES[name]), f"night-{stored.number}.{how.extension}")
            for name, how in FORMATS.items()
        ),
        settling=SettlementForm(get_args(Way), get_args(BankChoice), CURRENCY),
        awards=tuple(
            AwardRow(award_title(award, t), award.name, award_sentence(award, t, last.rules))
            for award in given
        ),
        records=night_records(counted, left, t, kinds, last.rules) if counted else (),
        rules=ruleset_summary(last.rules, t),
        bgstats=bgstats_link(ExportedNight(stored, night.states, local, remarks.aliases)),
        left=tuple(
            LeftPool(
                pool,
                pool_name(pool, t, last.rules),
                left.get(pool, 0) if pool in last.rules.pools else None,
            )
            for pool in (POOLS if counted else ())
        ),
    )


def _statistics(night: ReplayedNight, remarks: Remarks) -> NightStatistics:
    stored = night.stored
    return night_statistics(stored.number, stored.entries, night.states, aliases=remarks.aliases)


def nights_answer(
    nights: Iterable[NightSummary],
    remarks: Remarks,
    t: Translator = ENGLISH,
    *,
    deleted: bool = False,
    bots: bool = False,
) -> Iterator[ListedNight]:
    """The list of nights one by one, with the deleted ones and those of bots if asked for."""
    return (
        _listed(night, remarks, t)
        for night in nights
        if (deleted or night.number not in remarks.deleted)
        and (bots or night.number not in remarks.bots)
    )


def _listed(night: NightSummary, remarks: Remarks, t: Translator) -> ListedNight:
    results = summary_results(night, remarks.aliases)
    return ListedNight(
        **msgspec.structs.asdict(night),
        name=remarks.names.get(night.number),
        section=_section(night.number, remarks),
        status=night.status,
        winners=listed_winners(results, t),
        result=listed_result(night, results, t),
        summary=listed_summary(night, t),
    )


def _section(night: int, remarks: Remarks) -> ListSection:
    """Where a night is listed."""
    if night in remarks.deleted:
        return "deleted"
    return "bots" if night in remarks.bots else "nights"


CAUSE_NAMES: Final[Mapping[str, str]] = {
    "cards": N_("cards left"),
    "bonus": N_("ends of runs"),
    "recount": N_("recounts"),
    "leftover": N_("left on the board"),
    "bank": N_("share of the bank"),
}


CURRENCY: Final = "€"
"""The sign of the currency if nobody says another."""


class ChipWorth(msgspec.Struct, frozen=True):
    """What a chip is worth in money."""

    cents: Fraction
    """Hundredths of the currency."""
    currency: str


class PartyRow(msgspec.Struct, frozen=True):
    """What one party has won or lost."""

    name: str
    chips_text: str
    amount_text: str
    """Of the currency if a chip has a worth, else of chips."""


class TransferRow(msgspec.Struct, frozen=True):
    """What one party pays another."""

    text: str
    why: str


class SettlementText(msgspec.Struct, frozen=True):
    """A settlement in words."""

    parties: tuple[PartyRow, ...]
    """The largest win first."""
    chips_label: str
    """What the chips of the parties are."""
    amount_label: str | None
    """What their amounts are; null if these are the chips."""
    transfers: tuple[TransferRow, ...]
    note: str | None
    """If nobody has to pay, or why the bank takes part."""


def settlement_text(
    settlement: Settlement, state: State, worth: ChipWorth | None, t: Translator
) -> SettlementText:
    """A settlement in words. Without a worth, its amounts are chips."""
    order = sorted(settlement.results, key=lambda party: (-settlement.results[party], party))
    parties = tuple(
        PartyRow(
            party_name(party, state, t),
            signed(settlement.results[party]),
            money(settlement.amounts[party], worth.currency, t, with_sign=True)
            if worth
            else signed(settlement.amounts[party]),
        )
        for party in order
        if party != BANK_PARTY or settlement.results[party]
    )
    transfers = tuple(
        _transfer_row(transfer, settlement, state, worth, t) for transfer in settlement.transfers
    )
    note = None
    if not transfers:
        note = t.gettext("Nobody has to pay anything.")
    elif settlement.results.get(BANK_PARTY, 0) > 0:
        note = t.gettext(
            "The bank has the chips that nobody won. Share them, or let the bank keep them."
        )
    elif settlement.results.get(BANK_PARTY, 0) < 0:
        note = t.gettext(
            "The bank has paid chips into the pools. Share the cost, or let the bank pay."
        )
    elif settlement.shared > 0:
        note = t.ngettext(
            "This includes the {count} chip that nobody won: the players share it.",
            "This includes the {count} chips that nobody won: the players share them.",
            settlement.shared,
        )
    elif settlement.shared < 0:
        note = t.ngettext(
            "This includes the {count} chip that the bank paid: the players share that.",
            "This includes the {count} chips that the bank paid: the players share that.",
            -settlement.shared,
        )
    return SettlementText(
        parties,
        chips_label=t.gettext("With the share") if settlement.shared else t.gettext("Won or lost"),
        amount_label=t.gettext("To settle") if worth else None,
        transfers=transfers,
        note=note,
    )


def party_name(party: int, state: State, t: Translator) -> str:
    """The name of a seat, or of the bank."""
    return t.pgettext("account", "Bank") if party == BANK_PARTY else t.person(state.name_of(party))


def _transfer_row(
    transfer: Transfer, settlement: Settlement, state: State, worth: ChipWorth | None, t: Translator
) -> TransferRow:
    payer, payee = (party_name(party, state, t) for party in (transfer.payer, transfer.payee))
    amount = money(transfer.amount, worth.currency, t) if worth else chips_text(transfer.amount, t)
    if transfer.payer == BANK_PARTY:
        text = t.gettext("The bank pays {payee} {amount}.", payee=payee, amount=amount)
    elif transfer.payee == BANK_PARTY:
        text = t.gettext("{payer} pays the bank {amount}.", payer=payer, amount=amount)
    else:
        text = t.gettext("{payer} pays {payee} {amount}.", payer=payer, payee=payee, amount=amount)
    if transfer.causes:
        why = _won(transfer, payer, payee, state.rules, t)
    else:
        lost, won = (
            signed(settlement.results[party]) for party in (transfer.payer, transfer.payee)
        )
        # Not the nets of the standings if what the bank has won or lost is shared.
        say = _with_shares if settlement.shared else _net_words
        why = say(payer, lost, payee, won, t)
    return TransferRow(text, why)


def _net_words(payer: str, lost: str, payee: str, won: str, t: Translator) -> str:
    return t.gettext(
        "Net of {payer}: {lost}. Net of {payee}: {won}.",
        payer=payer,
        lost=lost,
        payee=payee,
        won=won,
    )


def _with_shares(payer: str, lost: str, payee: str, won: str, t: Translator) -> str:
    return t.gettext(
        "With the share of {payer}: {lost}. With the share of {payee}: {won}.",
        payer=payer,
        lost=lost,
        payee=payee,
        won=won,
    )


def _won(transfer: Transfer, payer: str, payee: str, rules: Ruleset, t: Translator) -> str:
    """What two parties have won from each other."""
    sentences = []
    for winner, loser, sign in ((payee, payer, 1), (payer, payee, -1)):
        parts = _parts(transfer, sign, rules, t)
        if not parts:
            continue
        by_bank = (transfer.payee if sign > 0 else transfer.payer) == BANK_PARTY
        from_bank = (transfer.payer if sign > 0 else transfer.payee) == BANK_PARTY
        if by_bank:
            sentence = t.gettext(
                "The bank received from {loser}: {parts}.", loser=loser, parts=parts
            )
        elif from_bank:
            sentence = t.gettext("The bank paid {winner}: {parts}.", winner=winner, parts=parts)
        else:
            sentence = t.gettext(
                "{winner} won from {loser}: {parts}.", winner=winner, loser=loser, parts=parts
            )
        sentences.append(sentence)
    return " ".join(sentences)


def _parts(transfer: Transfer, sign: int, rules: Ruleset, t: Translator) -> str:
    """The causes for which chips went from payer to payee (1), or back (-1)."""
    return ", ".join(
        f"{cause_name(cause, rules, t)} {sign * chips}"
        for cause, chips in transfer.causes
        if sign * chips > 0
    )


def chips_text(chips: int, t: Translator) -> str:
    """A number of chips."""
    return t.ngettext("{count} chip", "{count} chips", chips)


def cause_name(cause: str, rules: Ruleset, t: Translator) -> str:
    """Why chips have changed hands, as a heading: the name of a pool, or `cards left`."""
    return pool_name(cause, t, rules) if cause in POOLS else t.gettext(CAUSE_NAMES[cause])


def money(cents: int, currency: str, t: Translator, *, with_sign: bool = False) -> str:
    """An amount of money: `0.35 €`, in German `0,35 €`; with a sign `+0.35 €`."""
    whole, part = divmod(abs(cents), 100)
    mark = t.pgettext("decimal mark", ".")
    sign = signed(cents)[0] if with_sign or cents < 0 else ""
    return f"{sign}{whole}{mark}{part:02}\N{NO-BREAK SPACE}{currency}"
