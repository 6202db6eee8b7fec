"""The nights of the ledger: listed, read, exported and imported."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Annotated, Final

from flask import Response, request
from msgspec import Meta

from pochboard.errors import Refusal, refuse
from pochboard.exports import FORMATS, ExportedNight, Format
from pochboard.history import overview
from pochboard.ledger.remarks import Remark, SamePerson, tidied
from pochboard.ledger.replay import NightSummary
from pochboard.ledger.settling import BankChoice, Way, read_worth, settle_night
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.routing import Routes, Upload, bad_argument, in_query, json_list
from pochboard.table.clock import begun_ms, evening_of, local_time
from pochboard.table.snapshot import Imported
from pochboard.text.allowed_values import why_refused
from pochboard.text.lazy import lazy_gettext
from pochboard.text.translator import N_
from pochboard.views.nights import (
    CURRENCY,
    ChipWorth,
    EntryAnswer,
    ListedNight,
    ListSection,
    NightAnswer,
    SettlementText,
    entry_answers,
    night_answer,
    nights_answer,
    settlement_text,
)
from pochboard.views.statistics import StatisticsText, statistics_text

SHEET: Final = "application/x-ndjson"
MOST_ENTRIES: Final = 1000
"""The most entries in one answer. A family's evening has fewer."""
routes: Final = Routes()
_Day = Annotated[date, N_("a date, as in 2024-12-31")]


@routes.add(
    "GET",
    "/api/nights",
    answer=list[ListedNight],
    query={
        "deleted": "1 for the nights that were deleted from the list, too",
        "bots": "1 for the nights of computer players, too",
    },
)
def list_nights(context: Context) -> Response:
    """The nights of the ledger, newest first."""
    nights = context.table.nights
    each: Iterable[NightSummary] = nights.each()
    if not context.has_table:
        # They are numbered as they arrived, and a board may have been away for a week.
        each = sorted(each, key=lambda night: night.started_ms, reverse=True)
    sections: list[ListSection] = ["nights"]
    sections += [name for name in ("deleted", "bots") if request.args.get(name) == "1"]
    listed = nights_answer(each, nights.remarks(), sections, request_translator())
    return json_list(listed)


_SHEETS: Final = Upload(
    media_types=(SHEET, "text/plain", "application/jsonl"),
    limit=4 * 1024 * 1024,
    otherwise=refuse("not-a-sheet", "Send a score sheet, as application/x-ndjson or text/plain."),
)


@routes.add(
    "POST",
    "/api/nights",
    status=201,
    body=_SHEETS,
    query={
        "day": "when it was played, YYYY-MM-DD; else as the sheet says; else today",
        "again": "1 for nights that are in the ledger already, too",
    },
    paired=True,
)
def import_sheet(context: Context, body: bytes) -> Imported:
    """Imports the nights of a score sheet; the night in progress stays current."""
    again = request.args.get("again") == "1"
    return context.table.nights.import_sheet(body, _played_ms(), again=again)


@routes.add("GET", "/api/nights/{night}")
def get_night(context: Context, night: int) -> NightAnswer:
    """A night, as the list has it, and what is read or done after it."""
    nights = context.table.nights
    replayed = nights.night(night)
    remarks, t = nights.remarks(), request_translator()
    return night_answer(replayed, remarks, local_time, t)


@routes.add(
    "GET",
    "/api/nights/{night}/entries",
    answer=list[EntryAnswer],
    query={
        "after": "only entries numbered above it",
        "limit": "the most entries to return, 1 to 1,000",
        "table": "1 for the seats and pools after each as they are shown",
    },
)
def list_entries(context: Context, night: int) -> Response:
    """The entries of a night in order, each with the state after it; at most 1,000 at once.

    If there are more, the header Link has the address of the next ones.
    """
    after: int = in_query("after", Annotated[int, Meta(ge=0, le=2**53)], 0)
    limit: int = in_query("limit", Annotated[int, Meta(ge=1, le=MOST_ENTRIES)], MOST_ENTRIES)
    replayed = context.table.nights.night(night)
    shows_table = request.args.get("table") == "1"
    # One by one, because a thousand answers take ten times the memory of their JSON.
    answers = entry_answers(
        replayed,
        range(after + 1, after + limit + 1),
        request_translator(),
        shows_table=shows_table,
        attempt=context.table.boundary.attempt,
    )
    response = json_list(answers)
    if after + limit < len(replayed.stored.entries):
        query = f"after={after + limit}&limit={limit}" + ("&table=1" if shows_table else "")
        response.headers["Link"] = f'</api/nights/{night}/entries?{query}>; rel="next"'
    return response


def _played_ms() -> int | None:
    """Noon of the day that the query names for imported nights, if it names one."""
    day: date | None = in_query("day", _Day, None)
    try:
        return begun_ms(day) if day else None
    except OverflowError:
        raise bad_argument(why_refused(_Day, str(day), "day")) from None


_MOST_CURRENCY: Final = 8
_COUNT_S: Final = 1.0
"""How long one request may count nights that nobody has counted yet."""


@routes.add(
    "GET",
    "/api/nights/{night}/settlement",
    query={
        "way": "fewest (payments) or pairwise",
        "bank": "shared or kept: whether the players share what the bank has won or lost",
        "worth": "what a chip is worth, such as 0.05; without it, amounts are chips",
        "currency": "the sign of the currency; else €",
    },
)
def get_settlement(context: Context, night: int) -> SettlementText | Refusal:
    """Who pays whom after a night that is over (RULES.md 8)."""
    replayed = context.table.nights.night(night)
    state, t = replayed.states[-1], request_translator()
    if state.phase != "closed":
        return refuse(
            "night-open",
            "Night {number} is not over yet. It can be settled when it is.",
            number=night,
        )
    way: Way = in_query("way", Way, "fewest")
    shared = in_query("bank", BankChoice, "shared") == "shared"
    worth = _worth()
    settled = settle_night(
        replayed.stored.entries,
        replayed.states,
        way,
        share_bank=shared,
        worth=worth.cents if worth else Fraction(1),
        aliases=context.table.nights.remarks().aliases,
    )
    return settlement_text(settled, state, worth, t)


def _worth() -> ChipWorth | None:
    """The worth of a chip in the query. Raises ApiError 400."""
    text = request.args.get("worth")
    currency = request.args.get("currency", CURRENCY).strip()[:_MOST_CURRENCY]
    if text is None:
        return None
    cents = read_worth(text)
    if cents is None:
        sentence = lazy_gettext(
            '"worth" must be an amount above 0 with at most four decimals, such as 0.05.'
        )
        raise bad_argument(sentence)
    return ChipWorth(cents, currency)


@routes.add(
    "GET",
    "/api/statistics",
    query={"year": "the only year that counts, such as 2024; else all nights"},
)
def get_statistics(context: Context) -> StatisticsText:
    """People across all nights that are over, or those of a year.

    Nights that were never counted take time: as long as `pending` is above 0, ask again.
    """
    year: int | None = in_query("year", Annotated[int, Meta(ge=1000, le=9999)], None)
    end_s = time.monotonic() + _COUNT_S
    counted = context.table.nights.statistics(lambda: time.monotonic() > end_s)
    remarks = context.table.nights.remarks()
    nights = [
        (evening_of(night.started_ms).year, night)
        for night in counted.nights
        if night.deals and remarks.counts(night.number)
    ]
    people = overview((night for of, night in nights if year in (None, of)), remarks.aliases)
    years = sorted({of for of, _ in nights}, reverse=True)
    return statistics_text(people, counted.pending, remarks.aliases, request_translator(), years)


@routes.add("POST", "/api/remarks", paired=True)
def add_remark(context: Context, body: Remark) -> Refusal | None:
    """Adds a remark about a night or a person.

    It names a night, says when it began, deletes it from the list, or says that
    computer players played it, or that two names are one person. The ledger keeps every entry,
    and each remark can be taken back.
    """
    if not context.has_table and not isinstance(body, SamePerson):
        return refuse("no-table", "Change this night at the board where it was played.")
    return context.table.nights.add_remark(tidied(body))


def _add_export(name: str, how: Format) -> None:
    @routes.add(
        "GET",
        f"/api/nights/{{night}}/{name}",
        answer=how.media_type,
        summary=f"A night as {how.title}.",
    )
    def get_export(context: Context, night: int) -> Response:
        replayed = context.table.nights.night(night)
        identity = context.table.nights.identity(replayed.stored.number)
        aliases = context.table.nights.remarks().aliases
        exported = ExportedNight(replayed.stored, replayed.states, local_time, aliases, identity)
        text = b"".join(map(str.encode, how.write(exported, request_translator())))
        return Response(text, content_type=f"{how.media_type}; charset=utf-8")


for _name, _how in FORMATS.items():
    _add_export(_name, _how)
