"""A night as CSV, for spreadsheets, and as one JSON document."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from pochboard.exports.exported_night import ExportedNight, csv_text
from pochboard.ledger.entry import Posting
from pochboard.ledger.replay import taken_back
from pochboard.ledger.results import Result
from pochboard.ledger.times import utc_text
from pochboard.messages.entries import posting_name
from pochboard.rules.commands import AnyCommand, command_name
from pochboard.rules.state import Standing
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.visible import json_shown

COLUMNS: Final = (
    "night", "entry", "time", "command", "sentence", "account", "name", "chips", "taken_back",
)  # fmt: skip


def write_csv(night: ExportedNight, t: Translator = ENGLISH, separator: str = ",") -> Iterator[str]:
    """One row for each posting, and one for each entry that moves no chips.

    The file begins with a byte order mark, without which Excel garbles umlauts. Where decimals have
    a comma, Excel expects semicolons between the fields. Every field is quoted; numbers in
    quotation marks are still numbers to spreadsheets.
    """
    gone = set(taken_back(night.entries))
    text = io.StringIO()
    rows = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    rows.writerow(COLUMNS)
    yield "\N{ZERO WIDTH NO-BREAK SPACE}" + text.getvalue()
    for context, words in night.sentences(t):
        text.seek(0)
        text.truncate()
        entry = context.entry
        command = command_name(type(entry.command))
        start = (
            night.stored.number,
            entry.number,
            utc_text(entry.time_ms),
            command,
            csv_text(words, separator),
        )
        end = int(entry.number in gone)
        for account, chips in entry.postings:
            name = posting_name(account, context.before, context.after, t)
            rows.writerow((*start, account, csv_text(name, separator), chips, end))
        if not entry.postings:
            rows.writerow((*start, "", "", "", end))
        yield text.getvalue()


class JsonEntry(msgspec.Struct, frozen=True):
    """An entry in the JSON document."""

    number: int
    time: str
    command: AnyCommand
    sentence: str
    postings: tuple[Posting, ...]
    ref: int | None
    taken_back: bool


class JsonDocument(msgspec.Struct, frozen=True):
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
    standings: list[Standing] | None
    """Best first; null while the night is open."""
    results: tuple[Result, ...] | None
    """The same for each person, over all seats."""
    entries: tuple[()]
    """Those of the night are written one by one."""


def write_json(night: ExportedNight, t: Translator = ENGLISH) -> Iterator[str]:
    """One document with everything the ledger knows of the night."""
    state, gone = night.state, set(taken_back(night.entries))
    closed = state.phase == "closed"
    document = JsonDocument(
        format="pochboard-night",
        version=1,
        night=night.stored.number,
        started=utc_text(night.entries[0].time_ms),
        ended=utc_text(night.entries[-1].time_ms) if closed else None,
        imported=night.stored.imported,
        ruleset=state.rules.name,
        parameters=state.rules.parameters(),
        players={seat: state.name_of(seat) for seat in state.seats},
        deals=state.deal,
        standings=state.standings if closed else None,
        results=night.results if closed else None,
        entries=(),
    )
    start, end = _indented(document).rsplit("[]", 1)
    yield start + "["
    for context, text in night.sentences(t):
        entry = context.entry
        row = JsonEntry(
            entry.number,
            utc_text(entry.time_ms),
            entry.command,
            text,
            entry.postings,
            entry.ref,
            entry.number in gone,
        )
        comma = "," if entry.number > 1 else ""
        yield comma + textwrap.indent("\n" + _indented(row), "    ")
    yield "\n  ]" + end + "\n"


def _indented(value: object) -> str:
    return json_shown(msgspec.json.format(msgspec.json.encode(value)).decode())
