"""A night as CSV, for spreadsheets, and as one JSON document."""

from __future__ import annotations

import csv
import io
import unicodedata
from typing import Any, Final

import msgspec

from pochboard.exports.night import ExportedNight, utc
from pochboard.ledger.entry import Posting
from pochboard.ledger.replay import taken_back
from pochboard.ledger.results import Result
from pochboard.messages.entries import posting_name
from pochboard.messages.translator import ENGLISH, Translator
from pochboard.rules.commands import AnyCommand, command_name
from pochboard.rules.state import State

COLUMNS: Final = (
    "night", "entry", "time", "command", "sentence", "account", "name", "chips", "taken_back",
)  # fmt: skip
_FORMULA: Final = frozenset("=+-@")
"""The first characters by which spreadsheets recognise a formula, in East Asia full-width too."""


def write_csv(night: ExportedNight, t: Translator = ENGLISH) -> str:
    """One row for each posting, and one for each entry that moves no chips.

    The file begins with a byte order mark, without which Excel garbles umlauts.
    """
    gone = set(taken_back(night.entries))
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    before = State()
    for entry, after, said in zip(night.entries, night.states, night.sentences(t), strict=True):
        command = command_name(type(entry.command))
        start = (night.number, entry.number, utc(entry.time_ms), command, _as_text(said))
        end = int(entry.number in gone)
        for account, chips in entry.postings:
            name = posting_name(account, before, after, t)
            rows.writerow((*start, account, _as_text(name), chips, end))
        if not entry.postings:
            rows.writerow((*start, "", "", "", end))
        before = after
    return "\N{ZERO WIDTH NO-BREAK SPACE}" + text.getvalue()


def _as_text(value: str) -> str:
    """A text that no spreadsheet takes for a formula, whatever a player is called."""
    first = unicodedata.normalize("NFKC", value[:1])
    return f"'{value}" if first in _FORMULA else value


class JsonEntry(msgspec.Struct, frozen=True):
    """An entry in the JSON document."""

    number: int
    time: str
    command: AnyCommand
    sentence: str
    postings: tuple[Posting, ...]
    ref: int | None
    taken_back: bool


class JsonNight(msgspec.Struct, frozen=True):
    """The JSON document of a night."""

    format: str
    version: int
    night: int
    started: str
    ended: str | None
    """Null while the night is open."""
    imported: bool
    ruleset: str
    parameters: dict[str, Any]
    players: dict[int, str]
    """The names by seat."""
    deals: int
    standings: list[tuple[int, int, int]] | None
    """Seat, stack and net, best first; null while the night is open."""
    results: tuple[Result, ...] | None
    """The same for each person, over all seats."""
    entries: list[JsonEntry]


def write_json(night: ExportedNight, t: Translator = ENGLISH) -> str:
    """One document with everything the ledger knows of the night."""
    state, gone = night.state, set(taken_back(night.entries))
    closed = state.phase == "closed"
    document = JsonNight(
        format="pochboard-night",
        version=1,
        night=night.number,
        started=utc(night.entries[0].time_ms),
        ended=utc(night.entries[-1].time_ms) if closed else None,
        imported=night.imported,
        ruleset=state.rules.name,
        parameters=state.rules.parameters(),
        players={seat: state.name_of(seat) for seat in state.seats},
        deals=state.deal,
        standings=state.standings if closed else None,
        results=night.results if closed else None,
        entries=[
            JsonEntry(
                entry.number,
                utc(entry.time_ms),
                entry.command,
                said,
                entry.postings,
                entry.ref,
                entry.number in gone,
            )
            for entry, said in zip(night.entries, night.sentences(t), strict=True)
        ],
    )
    return msgspec.json.format(msgspec.json.encode(document)).decode() + "\n"
