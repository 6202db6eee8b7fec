"""The nights of the ledger: a line of their list, and one night."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec

from pochboard.exports.bgstats import bgstats_link
from pochboard.exports.exported_night import ExportedNight
from pochboard.exports.formats import FORMATS
from pochboard.history.night_statistics import left_on_board, night_statistics
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import NightStatus, NightSummary, summarize, taken_back
from pochboard.ledger.results import results_of, summary_results
from pochboard.ledger.settling import BankChoice, Way
from pochboard.lights.display import DisplayConfig
from pochboard.messages.labels import headline_text
from pochboard.messages.nights import (
    csv_labels,
    format_label,
    listed_headline,
    listed_result,
    listed_summary,
    listed_winners,
    night_records,
    night_title,
)
from pochboard.messages.parameters import ruleset_summary
from pochboard.rules.ruleset_validation import with_older_names
from pochboard.rules.state import Standing
from pochboard.table.records import ReplayedNight
from pochboard.text.translator import ENGLISH, Translator
from pochboard.views.board import BoardLook
from pochboard.views.seats import StandingsRow, standings_rows
from pochboard.views.settling import CURRENCY
from pochboard.views.state import PublicState, names_by_seat, public_answer

ListSection = Literal["nights", "archived", "bots", "deleted"]
"""Where nights are listed: a deleted one only there, and one of bots not in the archive."""


class ListedNight(NightSummary, frozen=True, kw_only=True):
    """One line of the list of nights, with its words."""

    name: str | None
    """What the night is called, if it has a name."""
    archived: bool
    deleted: bool
    """Deleted nights are listed only with `?deleted=1`."""
    bots: bool
    """Nights of computer players are listed only with `?bots=1`."""

    section: ListSection
    status: NightStatus
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first; none while the night is open."""
    winners: str | None
    """The names of those who won; null while the night is open."""
    result: str
    """How it ended, in a sentence."""
    summary: str
    """Its number, ruleset, players, deals and entries, in words."""


class Download(msgspec.Struct, frozen=True):
    """A night as a file."""

    format: str
    label: str
    href: str
    file: str
    """The name that the file should get."""


class SettlementForm(msgspec.Struct, frozen=True):
    """How a night may be settled; the usual choice comes first."""

    ways: tuple[Way, ...]
    banks: tuple[BankChoice, ...]
    currency: str
    """The usual sign of the currency."""


class NightAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A night of the ledger. `ended_ms` is null while it is open."""

    number: int
    started_ms: int
    ended_ms: int | None
    ruleset: str
    parameters: dict[str, Any]
    """The ruleset as it was frozen into the night."""
    players: list[str]
    """The names of all seats of the night, by seat number."""
    names: dict[str, str]
    """The same by seat, as they are called at the end."""
    board: BoardLook
    deals: int
    entries: int
    imported: bool
    standings: list[Standing] | None
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first; none while the night is open."""
    taken_back: tuple[int, ...]
    """The numbers of the entries that are no longer in force."""
    headline: tuple[str, ...]
    """`Night 3`, `modern`, and whether it was kept on paper."""
    headline_text: str
    """The same as one line."""
    title: str
    """The same after the night's name, if it has one."""
    section: ListSection
    status: NightStatus
    winners: str | None
    result: str
    summary: str
    state: PublicState
    downloads: tuple[Download, ...]
    name: str | None
    """What the night is called, if it has a name."""
    settling: SettlementForm
    archived: bool
    deleted: bool
    bots: bool
    """Whether computer players played it, so that it does not count."""
    records: tuple[str, ...]
    """Who did most of what, and what was left on the board, in sentences; none while it is open."""
    rules: str
    """The rules in a few sentences."""
    bgstats: str | None
    """A link that hands the result to the app BG Stats; null while the night is open."""


def night_answer(
    night: ReplayedNight,
    display: DisplayConfig,
    remarks: Remarks,
    local: Callable[[int], datetime],
    t: Translator = ENGLISH,
) -> NightAnswer:
    """A night, and its state after the last entry. `local` is as in `ExportedNight`."""
    stored, last = night.stored, night.states[-1]
    summary = summarize(stored.number, stored.entries, last, imported=stored.imported)
    closed, name = last.phase == "closed", remarks.names.get(stored.number)
    results = results_of(last, remarks.called) if closed else ()
    headed = listed_headline(summary, t)
    return NightAnswer(
        number=stored.number,
        started_ms=stored.entries[0].time_ms,
        ended_ms=stored.entries[-1].time_ms if closed else None,
        ruleset=last.rules.name,
        parameters=with_older_names(last.rules.parameters()),
        players=list(last.names),
        names=names_by_seat(last),
        board=BoardLook(display.places, display.pixels_per_ring, display.palette),
        deals=last.deal,
        entries=len(stored.entries),
        imported=stored.imported,
        standings=last.standings if closed else None,
        standings_rows=standings_rows(results),
        taken_back=taken_back(stored.entries),
        headline=headed,
        headline_text=headline_text(headed),
        title=night_title(summary, name, t),
        section=_section(stored.number, remarks),
        status=summary.status,
        winners=listed_winners(results, t),
        result=listed_result(summary, results, t),
        summary=listed_summary(summary, t),
        state=public_answer(last),
        downloads=tuple(_downloads(stored.number, t)),
        name=name,
        settling=SettlementForm(get_args(Way), get_args(BankChoice), CURRENCY),
        archived=stored.number in remarks.archived,
        deleted=stored.number in remarks.deleted,
        bots=stored.number in remarks.bots,
        records=_records(night, remarks, t) if closed else (),
        rules=ruleset_summary(last.rules, t),
        bgstats=bgstats_link(ExportedNight(stored, night.states, local, remarks.called)),
    )


def _downloads(night: int, t: Translator) -> Iterator[Download]:
    """The formats of a night. Where decimals have a comma, Excel wants CSV with semicolons."""
    for name, how in FORMATS.items():
        href, file = f"/api/nights/{night}/{name}", f"night-{night}.{how.extension}"
        if name == "csv" and t.decimal_mark == ",":
            semicolons, commas = csv_labels(t)
            yield Download(name, semicolons, f"{href}?separator=semicolon", file)
            yield Download(name, commas, href, file)
        else:
            yield Download(name, format_label(name, t), href, file)


def _records(night: ReplayedNight, remarks: Remarks, t: Translator) -> tuple[str, ...]:
    stored = night.stored
    counted = night_statistics(stored.number, stored.entries, night.states, called=remarks.called)
    return night_records(counted, left_on_board(stored.entries, night.states), t)


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
        ListedNight(
            **msgspec.structs.asdict(night),
            standings_rows=standings_rows(results),
            winners=listed_winners(results, t),
            result=listed_result(night, results, t),
            summary=listed_summary(night, t),
            name=remarks.names.get(night.number),
            archived=night.number in remarks.archived,
            deleted=night.number in remarks.deleted,
            bots=night.number in remarks.bots,
            section=_section(night.number, remarks),
            status=night.status,
        )
        for night in nights
        if (deleted or night.number not in remarks.deleted)
        and (bots or night.number not in remarks.bots)
        for results in [summary_results(night, remarks.called)]
    )


def _section(night: int, remarks: Remarks) -> ListSection:
    """Where a night is listed."""
    if night in remarks.deleted:
        return "deleted"
    if night in remarks.bots:
        return "bots"
    return "archived" if night in remarks.archived else "nights"
