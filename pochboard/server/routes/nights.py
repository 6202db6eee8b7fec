"""The nights of the ledger: listed, read, exported and imported."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final, Literal

import msgspec
from flask import Response, request

from pochboard.errors import Refusal, refuse
from pochboard.ledger.replay import NightSummary
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes, Upload, number_in_path
from pochboard.server.streaming import streamed_list
from pochboard.table.clock import begun_ms, local_time
from pochboard.table.snapshot import Imported
from pochboard.text.lazy import lazy_gettext
from pochboard.views.nights import (
    EntryAnswer,
    ListedNight,
    NightAnswer,
    NightPicture,
    entry_answers,
    night_answer,
    night_picture,
    nights_answer,
)
from pochboard.views.refusals import RefusalAnswer

SHEET: Final = "application/x-ndjson"
MOST_ENTRIES: Final = 1000
"""The most entries in one answer. A family's evening has fewer."""
routes: Final = Routes()


class ImportProgress(msgspec.Struct, frozen=True):
    """The import of a score sheet."""

    done: float | None
    """How much of it is done, from 0 to 1; null if none is under way."""


@routes.add(
    "GET",
    "/api/nights",
    query={
        "deleted": "1 for the nights that were deleted from the list, too",
        "bots": "1 for the nights of computer players, too",
    },
    responses={200: list[ListedNight]},
)
def list_nights(context: Context) -> Response:
    """The nights of the ledger, newest first."""
    nights = context.table.nights
    each: Iterable[NightSummary] = nights.each()
    if not context.has_table:
        # They are numbered as they arrived, and a board may have been away for a week.
        each = sorted(each, key=lambda night: night.started_ms, reverse=True)
    deleted, bots = (request.args.get(name) == "1" for name in ("deleted", "bots"))
    listed = nights_answer(each, nights.remarks(), request_translator(), deleted=deleted, bots=bots)
    return streamed_list(listed)


@routes.add(
    "POST",
    "/api/nights",
    body=Upload(
        media_types=(SHEET, "text/plain", "application/jsonl"),
        limit=4 * 1024 * 1024,
        otherwise=refuse(
            "not-a-sheet",
            lazy_gettext("Send a score sheet, as application/x-ndjson or text/plain."),
        ),
    ),
    query={
        "day": "when it was played, YYYY-MM-DD; else as the sheet says; else today",
        "again": "1 for nights that are in the ledger already, too",
    },
    responses={201: Imported, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def import_sheet(context: Context, body: bytes) -> Imported:
    """Imports the nights of a score sheet; the night in progress stays current."""
    again = request.args.get("again") == "1"
    return context.table.nights.import_sheet(body, _played_ms(), again=again)


@routes.add(
    "GET",
    "/api/import",
    responses={200: ImportProgress},
)
def get_import(context: Context) -> ImportProgress:
    """How much is done of the import of a score sheet that is under way."""
    return ImportProgress(context.table.nights.import_progress)


@routes.add(
    "GET",
    "/api/nights/{night}",
    responses={200: NightAnswer, 404: RefusalAnswer},
)
def get_night(context: Context, night: str) -> NightAnswer:
    """A night, and its state after the last entry."""
    nights = context.table.nights
    replayed = nights.night(number_in_path(night, "night"))
    remarks, t = nights.remarks(), request_translator()
    return night_answer(replayed, context.table.lights, remarks, local_time, t)


@routes.add(
    "GET",
    "/api/nights/{night}/picture",
    responses={200: NightPicture, 404: RefusalAnswer},
)
def get_picture(context: Context, night: str) -> NightPicture:
    """What the picture of a night shows beside its result; empty while the night is open."""
    nights = context.table.nights
    replayed = nights.night(number_in_path(night, "night"))
    called = nights.remarks().called
    return night_picture(replayed, context.table.lights, request_translator(), called=called)


@routes.add(
    "GET",
    "/api/nights/{night}/entries",
    query={
        "after": "only entries numbered above it",
        "limit": "the most entries to return, 1 to 1,000",
        "pixels": "1 for the board, seats and pools after each as they are shown",
    },
    responses={200: list[EntryAnswer], 400: RefusalAnswer, 404: RefusalAnswer},
)
def list_entries(context: Context, night: str) -> Response | Refusal:
    """The entries of a night in order, each with the state after it; at most 1,000 at once.

    If there are more, the header Link has the address of the next ones.
    """
    after = _number_in_query("after", 0)
    limit = _number_in_query("limit", MOST_ENTRIES)
    if not 1 <= limit <= MOST_ENTRIES:
        return refuse(
            "bad-argument",
            lazy_gettext('"limit" must be a whole number from 1 to {most}.', most=MOST_ENTRIES),
        )
    number = number_in_path(night, "night")
    replayed = context.table.nights.night(number)
    pixels = request.args.get("pixels") == "1"
    lights = context.table.lights if pixels else None
    # One by one, because a thousand answers take ten times the memory of their JSON.
    answers = entry_answers(
        replayed,
        range(after + 1, after + limit + 1),
        request_translator(),
        lights=lights,
        attempt=context.table.boundary.attempt,
    )
    response = streamed_list(answers)
    if after + limit < len(replayed.stored.entries):
        query = f"after={after + limit}&limit={limit}" + ("&pixels=1" if pixels else "")
        response.headers["Link"] = f'</api/nights/{number}/entries?{query}>; rel="next"'
    return response


def _number_in_query(name: Literal["after", "limit"], default: int) -> int:
    """A whole number of the query. Raises ApiError 400."""
    text = request.args.get(name, str(default))
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    if name == "after":
        raise ApiError(
            400, refuse("bad-argument", lazy_gettext('"after" must be the number of an entry.'))
        )
    raise ApiError(
        400,
        refuse(
            "bad-argument",
            lazy_gettext('"limit" must be a whole number from 1 to {most}.', most=MOST_ENTRIES),
        ),
    )


def _played_ms() -> int | None:
    """Noon of the day that the query names for imported nights, if it names one."""
    text = request.args.get("day")
    if text is None:
        return None
    try:
        return begun_ms(date.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ApiError(
            400, refuse("bad-argument", lazy_gettext('"day" must be a date, as in 2024-12-31.'))
        ) from None
