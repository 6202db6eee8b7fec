"""The formats that a night can be exported in, and the link that hands it to BG Stats."""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from urllib.parse import quote

import msgspec

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import (
    StoredNight,
    duration_ms,
    in_force,
    taken_back,
    utc_text,
    utc_time,
)
from pochboard.ledger.results import Result, results_of
from pochboard.messages.entries import EntryContext, entry_contexts, posting_name, sentence
from pochboard.rules.commands import Deal, command_name
from pochboard.rules.state import State
from pochboard.sheets import NOON, UNKNOWN, Heading, write_sheet
from pochboard.text.translator import ENGLISH, Translator
from pochboard.text.unicode_names import json_shown, shown, sight


class Format(msgspec.Struct, frozen=True):
    """A format: how it is written, and what a file of it is called."""

    write: Callable[[ExportedNight, Translator], Iterator[str]]
    """Makes the text piece by piece."""
    extension: str
    media_type: str
    title: str
    """What it is, as in `A night as …`."""


def write_night(night: ExportedNight, known: Heading = UNKNOWN) -> Iterator[str]:
    """The score sheet of a night. Its heading has what else is `known`."""
    begun = night.local(night.entries[0].time_ms).replace(microsecond=0)
    # Nobody knows at what time of the day a night on paper began.
    on_paper = night.stored.imported and (night.stored.origin is None or begun.time() == NOON)
    when = begun.date() if on_paper else begun
    text = f"{when}" if on_paper else begun.replace(tzinfo=None).isoformat(" ", "minutes")
    title = f"night {night.stored.number}, begun {text}"
    heading = msgspec.structs.replace(known, id=night.identity, begun=when)
    return write_sheet(night.entries, night.state, title, heading)


def _sheet(night: ExportedNight, _: Translator) -> Iterator[str]:
    return write_night(night)


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


def write_json(night: ExportedNight, t: Translator = ENGLISH) -> Iterator[str]:
    """One document with everything the ledger knows of the night (RULES.md 9)."""
    state, gone = night.state, set(taken_back(night.entries))
    closed = state.phase == "closed"
    document = {
        "format": "pochboard-night",
        "version": 1,
        "night": night.stored.number,
        "started": utc_text(night.entries[0].time_ms),
        "ended": utc_text(night.entries[-1].time_ms) if closed else None,
        "imported": night.stored.imported,
        "ruleset": state.rules.name,
        "parameters": state.rules.parameters(),
        "players": {seat: state.name_of(seat) for seat in state.seats},
        "deals": state.deal,
        "standings": state.standings if closed else None,
        "results": night.results if closed else None,
        "entries": (),
    }
    # The entries are written one by one, because those of a long night take much memory.
    start, end = _indented(document).rsplit("[]", 1)
    yield start + "["
    for context, text in night.sentences(t):
        entry = context.entry
        row = {
            "number": entry.number,
            "time": utc_text(entry.time_ms),
            "command": entry.command,
            "sentence": text,
            "postings": entry.postings,
            "ref": entry.ref,
            "taken_back": entry.number in gone,
        }
        comma = "," if entry.number > 1 else ""
        yield comma + textwrap.indent("\n" + _indented(row), "    ")
    yield "\n  ]" + end + "\n"


def _indented(value: object) -> str:
    return json_shown(msgspec.json.format(msgspec.json.encode(value)).decode())


FORMATS: Final[Mapping[str, Format]] = {
    "sheet": Format(_sheet, "jsonl", "application/x-ndjson", "a score sheet"),
    "csv": Format(write_csv, "csv", "text/csv", "CSV"),
    "csv-semicolon": Format(
        partial(write_csv, separator=";"), "csv", "text/csv", "CSV with semicolons"
    ),
    "json": Format(write_json, "json", "application/json", "one JSON document"),
}
"""By the name that the command line and the API give them."""


class ExportedNight(msgspec.Struct, frozen=True):
    """A night of the ledger, and how its times are written."""

    stored: StoredNight
    states: Sequence[State]
    """The state after each entry."""
    local: Callable[[int], datetime]
    """The local time of milliseconds since 1970."""
    aliases: Mapping[str, str] = {}
    """As in the remarks."""
    identity: str | None = None
    """What tells the night from all others."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries of the night."""
        return self.stored.entries

    @property
    def state(self) -> State:
        """The state after the last entry."""
        return self.states[-1]

    def sentences(self, t: Translator = ENGLISH) -> Iterator[tuple[EntryContext, str]]:
        """The entries with what their sentences need, and what each did."""
        for context in entry_contexts(self.entries, self.states):
            yield context, sentence(context, t)

    @property
    def results(self) -> tuple[Result, ...]:
        """The persons of the night, highest net first."""
        return results_of(self.state, self.aliases)


# The characters by which spreadsheets recognise a formula, and their forms in other widths and
# heights, which East Asian versions take too.
_SIGNS: Final = (
    "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u208c\u208a\u2a75\u2a76"
)
_SEPARATORS: Final = ";,|"


def csv_text(text: str, separator: str) -> str:
    """A text of which no spreadsheet takes any part for a formula, at any of the usual separators.

    An apostrophe goes before each character that would begin a formula: at the beginning, and after
    another separator than the file's. Readers that expect that one begin a cell there, because to
    them only the first field of a row begins with a quotation mark.
    """
    others = _SEPARATORS.replace(separator, "")
    # A cell may begin with a quotation mark, which such a reader drops.
    return re.sub(rf"(?:^\s*|(?<=[{others}])[\s\"]*)(?=[{_SIGNS}])", r"\g<0>'", shown(text))


ADDRESS: Final = "https://app.bgstatsapp.com/createPlay.html"
_LONGEST_MIN: Final = 24 * 60
"""A night that seems longer was left open."""


def bgstats_link(night: ExportedNight) -> str | None:
    """The link; None for a night that is not over. A player's score is the net."""
    state = night.state
    if state.phase != "closed":
        return None
    start_ms, end_ms = night.entries[0].time_ms, night.entries[-1].time_ms
    first = _first_to_act(night)
    minutes = round(duration_ms(night.entries) / 60_000)
    play: dict[str, object] = {
        "sourceName": "Pochboard",
        # The number alone could be that of a night in another ledger.
        "sourcePlayId": f"{night.stored.number}-{start_ms}",
        "playDate": utc_time(end_ms).replace(tzinfo=None).isoformat(" ", "seconds"),
        "board": state.rules.name,
        "comments": "1 deal" if state.deal == 1 else f"{state.deal} deals",
        "game": {
            "name": "Poch",
            "sourceGameId": "poch",
            "highestWins": True,
            "noPoints": False,
        },
        "players": [
            {
                "name": person.name,
                # BG Stats remembers which of its players this is.
                "sourcePlayerId": sight(night.aliases.get(sight(person.name), person.name)),
                "score": str(person.net),
                "rank": person.rank,
                "winner": person.rank == 1,
                "startPlayer": first in person.seats,
            }
            for person in night.results
        ],
    }
    if 0 < minutes <= _LONGEST_MIN:
        play["durationMin"] = minutes
    return f"{ADDRESS}?data={quote(msgspec.json.encode(play), safe='')}"


def _first_to_act(night: ExportedNight) -> int:
    """Forehand of the first deal, or of the one that would have been dealt."""
    deals = [entry for entry in in_force(night.entries) if isinstance(entry.command, Deal)]
    return night.states[deals[0].number - 1 if deals else 0].forehand
