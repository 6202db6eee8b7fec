"""A night for plain-text accounting: as a beancount ledger, and as an hledger journal.

Both end in assertions of all balances, so that those programs check what this one has counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

import msgspec

from pochboard.exports.exported_night import (
    ExportedNight,
    account_part,
    beancount_text,
    hledger_text,
)
from pochboard.ledger.entry import Posting
from pochboard.rules.accounts import account_index, account_names
from pochboard.text.names import POOL_NAMES
from pochboard.text.translator import ENGLISH, Translator

_LAST: Final = date.max - timedelta(days=1)


class _Transaction(msgspec.Struct, frozen=True):
    """An entry that moves chips."""

    entry: int
    day: date
    clock: str
    sentence: str
    postings: tuple[Posting, ...]


def write_beancount(night: ExportedNight, t: Translator = ENGLISH) -> Iterator[str]:
    """A beancount ledger with a transaction for each entry that moves chips."""
    first, last = _days(night)
    after = min(last, _LAST) + timedelta(days=1)
    named = _names(night, "Equity:Bank", "Assets:Pools:{}", "Assets:Players:{}")
    rows = [
        f'option "title" "Poch, night {night.stored.number}"',
        'option "operating_currency" "CHIP"',
        "",
        f"{first} commodity CHIP",
    ]
    for account, name in named.items():
        rows.append(f"{first} open {name} CHIP")
        if account.startswith("seat:"):
            rows.append(f"  name: {beancount_text(_player(account, night))}")
    yield from _lines(rows)
    for transaction in _transactions(night, t):
        rows = ["", f"{transaction.day} * {beancount_text(transaction.sentence)}"]
        rows += [f"  entry: {transaction.entry}", f'  time: "{transaction.clock}"']
        rows += [f"  {named[account]}  {chips} CHIP" for account, chips in transaction.postings]
        yield from _lines(rows)
    rows = [""]
    for account, name in named.items():
        rows.append(f"{after} balance {name}  {_balance(account, night)} CHIP")
    yield from _lines(rows)


def write_hledger(night: ExportedNight, t: Translator = ENGLISH) -> Iterator[str]:
    """An hledger journal with a transaction for each entry that moves chips."""
    _, last = _days(night)
    named = _names(night, "equity:bank", "assets:pools:{}", "assets:players:{}")
    rows = [f"; Poch, night {night.stored.number}", "", "commodity 1. CHIP", ""]
    rows += [f"account {name}" for name in named.values()]
    yield from _lines(rows)
    for transaction in _transactions(night, t):
        # The code keeps a parenthesis at the beginning of the text from being taken for one.
        number = transaction.entry
        first = f"{transaction.day} * ({number}) {hledger_text(transaction.sentence)}"
        rows = ["", f"{first}  ; entry:{number}, time:{transaction.clock}"]
        rows += [f"    {named[account]}  {chips} CHIP" for account, chips in transaction.postings]
        yield from _lines(rows)
    rows = ["", f"{last} * Balances at the end"]
    for account, name in named.items():
        rows.append(f"    {name}  0 CHIP = {_balance(account, night)} CHIP")
    yield from _lines(rows)


def _lines(rows: list[str]) -> Iterator[str]:
    yield "\n".join(rows) + "\n"


def _days(night: ExportedNight) -> tuple[date, date]:
    """The first and the last day on which chips move. They do at the start."""
    first = last = night.local(night.entries[0].time_ms).date()
    for entry in night.entries:
        if entry.postings:
            day = night.local(entry.time_ms).date()
            first, last = min(first, day), max(last, day)
    return first, last


def _transactions(night: ExportedNight, t: Translator) -> Iterator[_Transaction]:
    """The entries that move chips."""
    for context, sentence in night.sentences(t):
        entry = context.entry
        if entry.postings:
            moment = night.local(entry.time_ms)
            clock = f"{moment:%H:%M:%S}"
            yield _Transaction(entry.number, moment.date(), clock, sentence, entry.postings)


def _names(night: ExportedNight, bank: str, pool: str, seat: str) -> dict[str, str]:
    """What the accounts of the night are called, by their own names."""
    named = {}
    for account in account_names(len(night.widest.balances)):
        kind, _, which = account.partition(":")
        if kind == "bank":
            named[account] = bank
        elif kind == "seat":
            named[account] = seat.format(f"{which}-{account_part(_player(account, night))}")
        elif which in night.state.rules.pools:
            named[account] = pool.format(POOL_NAMES[which])
    return named


def _player(account: str, night: ExportedNight) -> str:
    """Whose stack it is."""
    seat = int(account.partition(":")[2])
    state = night.state if seat in night.state.seats else night.widest
    return state.name_of(seat)


def _balance(account: str, night: ExportedNight) -> int:
    balances, index = night.state.balances, account_index(account)
    return balances[index] if index < len(balances) else 0
