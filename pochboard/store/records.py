"""What goes into the ledger file and comes out of it, and the JSON it is kept as."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.rules.ruleset import Ruleset

PAIRING_LASTS_MS: Final = 90 * 24 * 3600 * 1000
"""A pairing ends this long after its last use (BOARD.md 5)."""


class Opening(msgspec.Struct, frozen=True):
    """What is frozen into a night at its first entry."""

    ruleset: Ruleset
    heard: dict[int, str]
    """The names last heard at the places, as they were before this night."""


class Pairing(msgspec.Struct, frozen=True):
    """A phone that may change things. Its token is kept nowhere, only the token's SHA-256."""

    number: int
    label: str
    paired_ms: int
    used_ms: int

    def ended(self, now_ms: int) -> bool:
        """Whether it has not been used for so long that it counts no more."""
        return now_ms - self.used_ms > PAIRING_LASTS_MS


# Where a page is damaged a column may hold something else than its text.
_DAMAGE: Final = (msgspec.DecodeError, TypeError)

_RULESET: Final = msgspec.json.Decoder(Ruleset)
_HEARD: Final = msgspec.json.Decoder(dict[int, str])
_COMMAND: Final = msgspec.json.Decoder(dict[str, Any])
_POSTINGS: Final = msgspec.json.Decoder(tuple[Posting, ...])
_PLAYERS: Final = msgspec.json.Decoder(list[str])
_STANDINGS: Final = msgspec.json.Decoder(list[tuple[int, int, int]])


def to_json(value: object) -> str:
    """Any of the values above as compact JSON."""
    return msgspec.json.encode(value).decode()


def night_from(row: tuple[Any, ...], entries: list[Entry]) -> StoredNight:
    """A night from its columns number, ruleset, heard, imported. Raises LedgerError.

    A parameter that a later version adds to the rulesets gets its default in `Ruleset` itself;
    what cannot be read even so is not guessed at.
    """
    number, ruleset, heard, imported = row
    try:
        return StoredNight(
            number, _RULESET.decode(ruleset), _HEARD.decode(heard), bool(imported), entries
        )
    except _DAMAGE as error:
        raise LedgerError(
            f"Night {number} cannot be read: its ruleset or names are damaged, or were written "
            f"by another version of pochboard ({error})."
        ) from None


def entry_from(night: int, row: tuple[Any, ...]) -> Entry:
    """An entry from its columns number, time_ms, command, id, ref, postings. Raises LedgerError."""
    number, time_ms, command, name, ref, postings = row
    try:
        words, moved = _COMMAND.decode(command), _POSTINGS.decode(postings)
    except _DAMAGE as error:
        raise LedgerError(f"Night {night}, entry {number} is damaged: {error}.") from None
    return Entry(number, time_ms, words, moved, ref, name)


def entry_row(night: int, entry: Entry) -> tuple[object, ...]:
    """The columns of an entry: night, number, time_ms, command, id, ref, postings."""
    command, postings = to_json(entry.command), to_json(entry.postings)
    return night, entry.number, entry.time_ms, command, entry.id, entry.ref, postings


def summary_from(row: tuple[Any, ...]) -> NightSummary:
    """A summary from its columns, in the order of the fields. Raises LedgerError."""
    number, started_ms, ended_ms, ruleset, players, deals, entries, imported, standings = row
    try:
        return NightSummary(
            number,
            started_ms,
            ended_ms,
            ruleset,
            _PLAYERS.decode(players),
            deals,
            entries,
            bool(imported),
            None if standings is None else _STANDINGS.decode(standings),
        )
    except _DAMAGE as error:
        raise LedgerError(f"The summary of night {number} is damaged: {error}.") from None


def summary_row(night: int, summary: NightSummary) -> tuple[object, ...]:
    """The columns of a summary's own table: night, ended_ms, ruleset … standings."""
    return (
        night,
        summary.ended_ms,
        summary.ruleset,
        to_json(summary.players),
        summary.deals,
        summary.entries,
        None if summary.standings is None else to_json(summary.standings),
    )
