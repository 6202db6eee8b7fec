"""The formats that a night can be exported in, and the link that hands it to BG Stats."""

from __future__ import annotations

import csv
import io
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.replay import (
    StoredNight,
    duration_ms,
    in_force,
    taken_back,
    utc_text,
    utc_time,
)
from pochboard.ledger.results import Result, results_of
from pochboard.messages.entries import EntryContext, EntryContexts, posting_name, sentence
from pochboard.rules.accounts import account_index, account_names
from pochboard.rules.commands import AnyCommand, Deal, command_name
from pochboard.rules.state import Standing, State
from pochboard.sheets.lines import NOON, UNKNOWN, Heading, write_sheet
from pochboard.text.names import POOL_NAMES
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


SEPARATORS: Final[Mapping[str, str]] = {"comma": ",", "semicolon": ";"}
"""What may stand between the fields of CSV, by the name that the command line and the API use."""


def csv_with(separator: str) -> Format:
    """CSV with one of the `SEPARATORS`."""
    write = partial(write_csv, separator=SEPARATORS[separator])
    return msgspec.structs.replace(FORMATS["csv"], write=write)


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
    for context, told in night.sentences(t):
        entry = context.entry
        if entry.postings:
            moment = night.local(entry.time_ms)
            clock = f"{moment:%H:%M:%S}"
            yield _Transaction(entry.number, moment.date(), clock, told, entry.postings)


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


FORMATS: Final[Mapping[str, Format]] = {
    "sheet": Format(_sheet, "jsonl", "application/x-ndjson", "a score sheet"),
    "csv": Format(write_csv, "csv", "text/csv", "CSV"),
    "json": Format(write_json, "json", "application/json", "one JSON document"),
    "beancount": Format(write_beancount, "beancount", "text/plain", "a beancount ledger"),
    "hledger": Format(write_hledger, "journal", "text/plain", "an hledger journal"),
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

    @property
    def widest(self) -> State:
        """The last state with all seats that there ever were: an undo may have removed some."""
        widest = self.states[0]
        for state in self.states:
            if len(state.balances) >= len(widest.balances):
                widest = state
        return widest

    def sentences(self, t: Translator = ENGLISH) -> Iterator[tuple[EntryContext, str]]:
        """The entries with what their sentences need, and what each did."""
        for context in EntryContexts(self.entries, self.states):
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


def beancount_text(text: str) -> str:
    """A string of beancount."""
    escaped = shown(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def hledger_text(text: str) -> str:
    """A description of hledger, after the code of its transaction.

    A semicolon would begin a comment, and a bar would end the payee.
    """
    return shown(text).replace(";", ",").replace("|", "/")


def account_part(name: str) -> str:
    """A name as part of an account's in beancount and hledger: letters, digits and hyphens.

    It does not tell all names apart, so the number of the seat stands before it.
    """
    kept = [c if unicodedata.category(c)[0] == "L" or c.isdecimal() else "-" for c in name]
    return "-".join(filter(None, "".join(kept).split("-")))


ADDRESS: Final = "https://app.bgstatsapp.com/createPlay.html"
_LONGEST_MIN: Final = 24 * 60
"""A night that seems longer was left open."""


class _Game(msgspec.Struct, frozen=True, rename="camel"):
    name: str = "Poch"
    source_game_id: str = "poch"
    highest_wins: bool = True
    no_points: bool = False


class _Player(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    source_player_id: str
    score: str
    rank: int
    winner: bool
    start_player: bool


class _Play(msgspec.Struct, frozen=True, rename="camel"):
    source_name: str
    source_play_id: str
    play_date: str
    """When it ended, UTC."""
    board: str
    comments: str
    game: _Game
    players: list[_Player]
    duration_min: int | UnsetType = UNSET


def bgstats_link(night: ExportedNight) -> str | None:
    """The link; None for a night that is not over. A player's score is the net."""
    state = night.state
    if state.phase != "closed":
        return None
    start_ms, end_ms = night.entries[0].time_ms, night.entries[-1].time_ms
    first = _first_to_act(night)
    players = [
        _Player(
            name=person.name,
            # BG Stats remembers which of its players this is.
            source_player_id=sight(night.aliases.get(sight(person.name), person.name)),
            score=str(person.net),
            rank=person.rank,
            winner=person.rank == 1,
            start_player=first in person.seats,
        )
        for person in night.results
    ]
    minutes = round(duration_ms(night.entries) / 60_000)
    play = _Play(
        source_name="Pochboard",
        # The number alone could be that of a night in another ledger.
        source_play_id=f"{night.stored.number}-{start_ms}",
        play_date=utc_time(end_ms).replace(tzinfo=None).isoformat(" ", "seconds"),
        board=state.rules.name,
        comments="1 deal" if state.deal == 1 else f"{state.deal} deals",
        game=_Game(),
        players=players,
        duration_min=minutes if 0 < minutes <= _LONGEST_MIN else UNSET,
    )
    return f"{ADDRESS}?data={quote(msgspec.json.encode(play), safe='')}"


def _first_to_act(night: ExportedNight) -> int:
    """Forehand of the first deal, or of the one that would have been dealt."""
    deals = [entry for entry in in_force(night.entries) if isinstance(entry.command, Deal)]
    return night.states[deals[0].number - 1 if deals else 0].forehand
