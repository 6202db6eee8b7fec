"""The fold of a stored night, and whether it still agrees with what was stored."""

from __future__ import annotations

from collections.abc import Sequence

from pochboard.errors import LedgerError, Refusal
from pochboard.ledger.book import Book, Step
from pochboard.ledger.entry import Entry
from pochboard.rules.ruleset import BadParameterError, override
from pochboard.rules.state import State
from pochboard.store.records import NightSummary, StoredNight


def refold(stored: StoredNight) -> Book:
    """The book of a stored night: its commands played again under the ruleset frozen into it.

    Number, reference and postings of every entry must come out as they were stored; else, or
    where a command is refused now, raises LedgerError naming night and entry.
    """
    night = stored.number
    try:
        override(stored.ruleset, {})
    except BadParameterError as error:
        raise LedgerError(f"Night {night} has a ruleset that cannot be played: {error}.") from None
    if not stored.entries:
        raise LedgerError(f"Night {night} has no entry, not even its start.")
    book = Book(lambda _name, _options: stored.ruleset)
    for entry in stored.entries:
        raw = entry.command if entry.id is None else {**entry.command, "id": entry.id}
        step = book.consider(raw, entry.time_ms)
        if not isinstance(step, Step):
            reason = step.message if isinstance(step, Refusal) else "its id was used before."
            raise LedgerError(f"Night {night}, entry {entry.number} does not follow: {reason}")
        if step.entry != entry:
            wrong = _difference(entry, step.entry)
            raise LedgerError(f"Night {night}, entry {entry.number} {wrong}.")
        book.accept(step)
    return book


def _difference(stored: Entry, played: Entry) -> str:
    if stored.number != played.number:
        return f"stands where entry {played.number} belongs"
    if stored.ref != played.ref:
        return f"refers to entry {stored.ref}, where the rules come to {played.ref}"
    return (
        f"does not add up: stored are the postings {_plain(stored)}, "
        f"the rules come to {_plain(played)}"
    )


def _plain(entry: Entry) -> str:
    return ", ".join(f"{account} {chips:+d}" for account, chips in entry.postings) or "none"


def summary_of(
    night: int, entries: Sequence[Entry], state: State, *, imported: bool = False
) -> NightSummary:
    """The line of a night in the list of nights: its entries, of which there is one, and state."""
    closed = state.phase == "closed"
    return NightSummary(
        number=night,
        started_ms=entries[0].time_ms,
        ended_ms=entries[-1].time_ms if closed else None,
        ruleset=state.rules.name,
        players=list(state.names),
        deals=state.deal,
        entries=len(entries),
        imported=imported,
        standings=state.standings if closed else None,
    )
