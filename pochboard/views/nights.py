"""The nights of the ledger: their list, one night, its entries with their states, who pays whom."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from pochboard.errors import Attempt, directly
from pochboard.exports import FORMATS, ExportedNight, bgstats_link
from pochboard.history import (
    Award,
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
from pochboard.ledger.settling import BANK_PARTY, Settlement, Transfer, chip_moves
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
from pochboard.rules.commands import Claim, Deal, Redo, Showdown, Undo, Void
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.table.snapshot import ReplayedNight
from pochboard.text.translator import ENGLISH, N_, Translator
from pochboard.views.board import PoolDetail, pool_details
from pochboard.views.seats import SeatRow, StandingsRow, seat_rows, standings_rows
from pochboard.views.state import names_by_seat

MarkKind = Literal["deal", "claim", "showdown", "undo"]
"""What is marked on the timeline. `undo` is everything that takes entries back or restores them."""


_MOST_MOVES: Final = 8
"""More moves than these are not read one by one."""


_MARKS: Final[Mapping[type, MarkKind]] = {
    Deal: "deal", Claim: "claim", Showdown: "showdown", Undo: "undo", Redo: "undo", Void: "undo",
}  # fmt: skip


class PostingRow(msgspec.Struct, frozen=True):
    """Chips that an account received or paid, in words."""

    name: str
    text: str


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger, in words. One that cannot be put into words has none."""

    number: int
    time_ms: int
    taken_back: bool
    """Whether it is no longer in force at the end."""
    deal: int
    """The number of deals after it."""
    mark: MarkKind | None
    """How it is marked on the timeline, if at all."""
    sentence: str = ""
    posting_rows: tuple[PostingRow, ...] = ()
    correctable: bool = False
    """Whether it may be corrected, or something inserted before it, while it is in force and its
    night is in progress."""
    rows: tuple[SeatRow, ...] | UnsetType = UNSET
    """The table after it; this and what follows only with `?table=1`."""
    pool_details: tuple[PoolDetail, ...] | UnsetType = UNSET
    moves: tuple[tuple[str, str, int], ...] | UnsetType = UNSET
    """The moves of chips: from account, to account, chips."""
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
    """The entries with these numbers; `shows_table` adds the table after each."""
    gone = set(taken_back(night.stored.entries))
    for context in night.contexts(numbers):
        entry = context.entry
        bare = EntryAnswer(
            number=entry.number,
            time_ms=entry.time_ms,
            taken_back=entry.number in gone,
            deal=context.after.deal,
            mark=_MARKS.get(type(entry.command)),
        )
        yield attempt("entries", partial(_in_words, bare, context, t, shows_table), bare)


def _in_words(
    bare: EntryAnswer, context: EntryContext, t: Translator, shows_table: bool
) -> EntryAnswer:
    entry, state = context.entry, context.after
    answer = replace(
        bare,
        sentence=sentence(context, t),
        posting_rows=tuple(
            PostingRow(posting_name(account, context.before, state, t), signed(chips))
            for account, chips in entry.postings
        ),
        correctable=may_follow_insertion(entry.command),
    )
    if not shows_table:
        return answer
    return replace(
        answer,
        rows=seat_rows(state, None, t),
        pool_details=pool_details(state, {}, t),
        moves=tuple(chip_moves(entry.postings)),
        moves_text=moves_text(context, t),
    )


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
"""The list in which a night appears. A deleted one appears only among the deleted."""


class ListedNight(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of nights, with its words."""

    number: int
    started_ms: int
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


class AwardRow(msgspec.Struct, frozen=True):
    """An award of a night, in words."""

    title: str
    name: str
    sentence: str


class LeftPool(msgspec.Struct, frozen=True):
    """A pool as it was left; `chips` is null for one that the ruleset lacks."""

    name: str
    chips: int | None


class NightAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A night of the ledger. What has no value while the night is open is null or empty."""

    number: int
    started_ms: int
    entries: int
    """Their number."""
    name: str | None
    """What the night is called, if it has a name."""
    title: str
    """`Night 3`, `modern`, and whether it was kept on paper, after its name if it has one."""
    winners: str | None
    """The names of those who won."""
    result: str
    """How it ended, in a sentence."""
    names: dict[int, str]
    """By seat, as they are called at the end."""
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first."""
    downloads: tuple[Download, ...]
    awards: tuple[AwardRow, ...]
    """At most three; none if it was too short."""
    records: tuple[str, ...]
    """Further records, and the chips left on the board, in sentences."""
    rules: str
    """The rules in a few sentences."""
    bgstats: str | None
    """A link that hands the result to the app BG Stats."""
    left: tuple[LeftPool, ...]
    """The pools as they were left, in board order."""


def night_answer(
    night: ReplayedNight,
    remarks: Remarks,
    local: Callable[[int], datetime],
    t: Translator = ENGLISH,
) -> NightAnswer:
    """A night. `local` is as in `ExportedNight`."""
    stored, last = night.stored, night.states[-1]
    summary = summarize(stored.number, stored.entries, last, imported=stored.imported)
    results = summary_results(summary, remarks.aliases)
    name, rules = remarks.names.get(stored.number), last.rules
    given: tuple[Award, ...] = ()
    records: tuple[str, ...] = ()
    left: Mapping[str, int] = {}
    if last.phase == "closed":
        counted = night_statistics(
            stored.number, stored.entries, night.states, aliases=remarks.aliases
        )
        given = awards(counted)
        left = left_on_board(stored.entries, night.states)
        records = night_records(counted, left, t, [award.kind for award in given], rules)
    return NightAnswer(
        number=stored.number,
        started_ms=summary.started_ms,
        entries=len(stored.entries),
        name=name,
        title=night_title(summary, name, t),
        winners=listed_winners(results, t),
        result=listed_result(summary, results, t),
        names=names_by_seat(last, t),
        standings_rows=standings_rows(results, t),
        downloads=tuple(
            Download(form, t.gettext(FORMAT_NAMES[form]), f"night-{stored.number}.{how.extension}")
            for form, how in FORMATS.items()
        ),
        awards=tuple(
            AwardRow(award_title(award, t), award.name, award_sentence(award, t, rules))
            for award in given
        ),
        records=records,
        rules=ruleset_summary(rules, t),
        bgstats=bgstats_link(ExportedNight(stored, night.states, local, remarks.aliases)),
        left=tuple(
            LeftPool(pool_name(pool, t, rules), left.get(pool, 0) if pool in rules.pools else None)
            for pool in (POOLS if last.phase == "closed" else ())
        ),
    )


def nights_answer(
    nights: Iterable[NightSummary],
    remarks: Remarks,
    sections: Collection[ListSection],
    t: Translator = ENGLISH,
) -> Iterator[ListedNight]:
    """The nights of these sections, one by one."""
    for night in nights:
        section: ListSection = "bots" if night.number in remarks.bots else "nights"
        if night.number in remarks.deleted:
            section = "deleted"
        if section not in sections:
            continue
        results = summary_results(night, remarks.aliases)
        yield ListedNight(
            number=night.number,
            started_ms=night.started_ms,
            name=remarks.names.get(night.number),
            section=section,
            status=night.status,
            winners=listed_winners(results, t),
            result=listed_result(night, results, t),
            summary=listed_summary(night, t),
        )


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
    amount_text: str | None
    """The amount of money to settle; null if chips have no worth and are settled themselves."""


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
    transfers: tuple[TransferRow, ...]
    note: str | None
    """If nobody has to pay, or why the bank takes part."""


def settlement_text(
    settlement: Settlement, state: State, worth: ChipWorth | None, t: Translator
) -> SettlementText:
    """A settlement in words. Without a worth, its amounts are chips."""
    results = settlement.results
    order = sorted(results, key=lambda party: (-results[party], party))
    return SettlementText(
        tuple(
            PartyRow(
                party_name(party, state, t),
                signed(results[party]),
                money(settlement.amounts[party], worth.currency, t, with_sign=True)
                if worth
                else None,
            )
            for party in order
            if party != BANK_PARTY or results[party]
        ),
        chips_label=t.gettext("With the share") if settlement.shared else t.gettext("Won or lost"),
        transfers=tuple(
            TransferRow(
                _payment(transfer, state, worth, t), _why_paid(transfer, settlement, state, t)
            )
            for transfer in settlement.transfers
        ),
        note=_note(settlement, t),
    )


def _note(settlement: Settlement, t: Translator) -> str | None:
    bank, shared = settlement.results.get(BANK_PARTY, 0), settlement.shared
    if not settlement.transfers:
        return t.gettext("Nobody has to pay anything.")
    if bank > 0:
        return t.gettext(
            "The bank has the chips that nobody won. Share them, or let the bank keep them."
        )
    if bank < 0:
        return t.gettext(
            "The bank has paid chips into the pools. Share the cost, or let the bank pay."
        )
    if shared > 0:
        return t.ngettext(
            "This includes everybody’s share of the {count} chip that nobody won.",
            "This includes everybody’s share of the {count} chips that nobody won.",
            shared,
        )
    if shared < 0:
        return t.ngettext(
            "This includes everybody’s share of the {count} chip that the bank paid.",
            "This includes everybody’s share of the {count} chips that the bank paid.",
            -shared,
        )
    return None


def party_name(party: int, state: State, t: Translator) -> str:
    """The name of a seat, or of the bank."""
    return t.pgettext("account", "Bank") if party == BANK_PARTY else t.person(state.name_of(party))


def _payment(transfer: Transfer, state: State, worth: ChipWorth | None, t: Translator) -> str:
    payer, payee = (party_name(party, state, t) for party in (transfer.payer, transfer.payee))
    if worth:
        amount = money(transfer.amount, worth.currency, t)
    else:
        amount = t.ngettext("{count} chip", "{count} chips", transfer.amount)
    if transfer.payer == BANK_PARTY:
        return t.gettext("The bank pays {payee} {amount}.", payee=payee, amount=amount)
    if transfer.payee == BANK_PARTY:
        return t.gettext("{payer} pays the bank {amount}.", payer=payer, amount=amount)
    return t.gettext("{payer} pays {payee} {amount}.", payer=payer, payee=payee, amount=amount)


def _why_paid(transfer: Transfer, settlement: Settlement, state: State, t: Translator) -> str:
    """The wins of two parties from each other; with the fewest payments, the net of each."""
    payer, payee = transfer.payer, transfer.payee
    if transfer.causes:
        won = (
            _won(transfer, payee, payer, 1, state, t),
            _won(transfer, payer, payee, -1, state, t),
        )
        return " ".join(filter(None, won))
    # Not the nets of the standings if what the bank has won or lost is shared.
    say = (
        N_("With the share, {payer} is at {lost} and {payee} at {won}.")
        if settlement.shared
        else N_("Net of {payer}: {lost}. Net of {payee}: {won}.")
    )
    return t.gettext(
        say,
        payer=party_name(payer, state, t),
        lost=signed(settlement.results[payer]),
        payee=party_name(payee, state, t),
        won=signed(settlement.results[payee]),
    )


def _won(
    transfer: Transfer, winner: int, loser: int, sign: int, state: State, t: Translator
) -> str:
    """What one has won from the other. Causes in favour of the winner have this `sign`."""
    parts = ", ".join(
        f"{cause_name(cause, state.rules, t)} {sign * chips}"
        for cause, chips in transfer.causes
        if sign * chips > 0
    )
    names = {"winner": party_name(winner, state, t), "loser": party_name(loser, state, t)}
    if not parts:
        return ""
    if winner == BANK_PARTY:
        return t.gettext("The bank received from {loser}: {parts}.", parts=parts, **names)
    if loser == BANK_PARTY:
        return t.gettext("The bank paid {winner}: {parts}.", parts=parts, **names)
    return t.gettext("{winner} won from {loser}: {parts}.", parts=parts, **names)


def cause_name(cause: str, rules: Ruleset, t: Translator) -> str:
    """Why chips have changed hands, as a heading: the name of a pool, or `cards left`."""
    return pool_name(cause, t, rules) if cause in POOLS else t.gettext(CAUSE_NAMES[cause])


def money(cents: int, currency: str, t: Translator, *, with_sign: bool = False) -> str:
    """An amount of money: `0.35 €`, in German `0,35 €`; with a sign `+0.35 €`."""
    whole, part = divmod(abs(cents), 100)
    mark = t.pgettext("decimal mark", ".")
    sign = signed(cents)[0] if with_sign or cents < 0 else ""
    return f"{sign}{whole}{mark}{part:02}\N{NO-BREAK SPACE}{currency}"
