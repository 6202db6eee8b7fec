"""Settling a night in words: who pays whom how much, and why."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import msgspec

from pochboard.ledger.settling import BANK_PARTY, Settlement, Transfer
from pochboard.messages.labels import pool_name, signed
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.text.translator import Translator, gettext_noop

CAUSE_NAMES: Final[Mapping[str, str]] = {
    "cards": gettext_noop("cards left"),
    "bonus": gettext_noop("ends of runs"),
    "recount": gettext_noop("recounts"),
    "leftover": gettext_noop("left on the board"),
    "bank": gettext_noop("share of the bank"),
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

    party: int
    """A seat, or 0 for the bank."""
    name: str
    chips: int
    chips_text: str
    amount: int
    """In hundredths of the currency if a chip has a worth, else in chips."""
    amount_text: str


class TransferRow(msgspec.Struct, frozen=True):
    """What one party pays another."""

    payer: int
    payee: int
    amount: int
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
            party,
            party_name(party, state, t),
            settlement.results[party],
            signed(settlement.results[party]),
            settlement.amounts[party],
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
        say = _with_shares if settlement.shared else _nets
        why = say(payer, lost, payee, won, t)
    return TransferRow(transfer.payer, transfer.payee, transfer.amount, text, why)


def _nets(payer: str, lost: str, payee: str, won: str, t: Translator) -> str:
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
