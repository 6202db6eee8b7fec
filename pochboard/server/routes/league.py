"""The league: how people stand, after all nights or after those of a season."""

from __future__ import annotations

from datetime import date
from typing import Final

import msgspec
from flask import request

from pochboard.errors import refuse
from pochboard.history.league import LeagueRow, league
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.routing import Routes
from pochboard.table.clock import evening_of
from pochboard.text.lazy import lazy_gettext
from pochboard.views.refusals import RefusalAnswer

routes: Final = Routes()


class LeagueAnswer(msgspec.Struct, frozen=True):
    """How people stand after the nights that are over, in the years, and in the days asked for."""

    years: list[int]
    """The years with nights, the newest first."""
    nights: int
    rows: list[LeagueRow]
    """The highest net first."""


@routes.add(
    "GET",
    "/api/league",
    query={
        "from": "the first day that counts, YYYY-MM-DD; else from the first night on",
        "to": "the last day that counts, YYYY-MM-DD; else to the last night",
    },
    responses={200: LeagueAnswer, 400: RefusalAnswer},
    heavy=True,
)
def get_league(context: Context) -> LeagueAnswer:
    """The league, of all time or of a season."""
    return league_answer(context, _day("from", date.min), _day("to", date.max))


def league_answer(context: Context, first: date, last: date) -> LeagueAnswer:
    """The league from a day to another one, in the time of this machine."""
    remarks = context.archive.remarks()
    nights = [
        (evening_of(night.started_ms), night)
        for night in context.archive.statistics().nights
        if night.deals and remarks.counts(night.number)
    ]
    counted = [night for day, night in nights if first <= day <= last]
    years = sorted({day.year for day, _ in nights}, reverse=True)
    return LeagueAnswer(years, len(counted), league(counted, remarks.called))


def _day(name: str, default: date) -> date:
    """A day of the query. Raises ApiError 400."""
    text = request.args.get(name)
    if text is None:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ApiError(
            400,
            refuse(
                "bad-argument",
                lazy_gettext('"{field}" must be a date, as in 2024-12-31.', field=name),
            ),
        ) from None
