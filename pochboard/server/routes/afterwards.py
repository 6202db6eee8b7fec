"""After a night: settling it, and taking it to other programs."""

from __future__ import annotations

import re
import time
from fractions import Fraction
from typing import Final, get_args

from flask import Response, request

from pochboard.errors import Refusal, refuse
from pochboard.exports.exported_night import ExportedNight
from pochboard.exports.formats import FORMATS, SEPARATORS, Format, csv_with
from pochboard.history.people import overview
from pochboard.ledger.remarks import Remark, SamePerson, tidied
from pochboard.ledger.settling import BankChoice, Way, read_worth, settle_night
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes, number_in_path
from pochboard.server.streaming import streamed
from pochboard.table.clock import evening_of, local_time
from pochboard.text.lazy import lazy_gettext, lazy_listed
from pochboard.views.refusals import RefusalAnswer
from pochboard.views.settling import CURRENCY, ChipWorth, SettlementText, settlement_text
from pochboard.views.statistics import StatisticsText, statistics_text

_MOST_CURRENCY: Final = 8
_COUNT_S: Final = 1.0
"""How long one request may count nights that nobody has counted yet."""
routes: Final = Routes()


@routes.add(
    "GET",
    "/api/nights/{night}/settlement",
    query={
        "way": "fewest (payments) or pairwise",
        "bank": "shared or kept: whether the players share what the bank has won or lost",
        "worth": "what a chip is worth, such as 0.05; without it, amounts are chips",
        "currency": "the sign of the currency; else €",
    },
    responses={
        200: SettlementText,
        400: RefusalAnswer,
        404: RefusalAnswer,
        409: RefusalAnswer,
    },
)
def get_settlement(context: Context, night: str) -> SettlementText | Refusal:
    """Who pays whom after a night that is over (RULES.md 8)."""
    replayed = context.table.nights.night(number_in_path(night, "night"))
    state, t = replayed.states[-1], request_translator()
    if state.phase != "closed":
        return refuse(
            "night-open",
            lazy_gettext(
                "Night {number} is not over yet. It can be settled when it is.",
                number=replayed.stored.number,
            ),
        )
    way = _one_of("way", get_args(Way))
    shared = _one_of("bank", get_args(BankChoice)) == "shared"
    worth = _worth()
    settled = settle_night(
        replayed.stored.entries,
        replayed.states,
        "pairwise" if way == "pairwise" else "fewest",
        share_bank=shared,
        worth=worth.cents if worth else Fraction(1),
        called=context.table.nights.remarks().called,
    )
    return settlement_text(settled, state, worth, t)


def _one_of(name: str, choices: tuple[str, ...]) -> str:
    """A choice in the query; the first one by default. Raises ApiError 400."""
    value = request.args.get(name, choices[0])
    if value not in choices:
        raise ApiError(
            400,
            refuse(
                "bad-argument",
                lazy_gettext(
                    '"{field}" must be one of these: {choices}.',
                    field=name,
                    choices=lazy_listed(choices),
                ),
            ),
        )
    return value


def _worth() -> ChipWorth | None:
    """The worth of a chip in the query. Raises ApiError 400."""
    text = request.args.get("worth")
    currency = request.args.get("currency", CURRENCY).strip()[:_MOST_CURRENCY]
    if text is None:
        return None
    cents = read_worth(text)
    if cents is None:
        raise ApiError(
            400,
            refuse(
                "bad-argument",
                lazy_gettext(
                    '"worth" must be an amount above 0 with at most four decimals, such as 0.05.'
                ),
            ),
        )
    return ChipWorth(cents, currency)


@routes.add(
    "GET",
    "/api/statistics",
    query={"year": "the only year that counts, such as 2024; else all nights"},
    responses={200: StatisticsText, 400: RefusalAnswer},
)
def get_statistics(context: Context) -> StatisticsText:
    """People across all nights that are over, or those of a year.

    Nights that were never counted take time: as long as `pending` is above 0, ask again.
    """
    year = _year()
    end_s = time.monotonic() + _COUNT_S
    counted = context.table.nights.statistics(lambda: time.monotonic() > end_s)
    remarks = context.table.nights.remarks()
    nights = [
        (evening_of(night.started_ms).year, night)
        for night in counted.nights
        if night.deals and remarks.counts(night.number)
    ]
    people = overview((night for of, night in nights if year in (None, of)), remarks.called)
    years = sorted({of for of, _ in nights}, reverse=True)
    return statistics_text(people, counted.pending, remarks.called, request_translator(), years)


def _year() -> int | None:
    """A year in the query. Raises ApiError 400."""
    text = request.args.get("year")
    if text is not None and not re.fullmatch(r"[0-9]{4}", text, re.ASCII):
        raise ApiError(
            400,
            refuse(
                "bad-argument",
                lazy_gettext('"{field}" must be a year, such as 2024.', field="year"),
            ),
        )
    return None if text is None else int(text)


@routes.add(
    "POST",
    "/api/remarks",
    body=Remark,
    responses={204: None, 404: RefusalAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def add_remark(context: Context, body: Remark) -> Refusal | None:
    """Adds a remark about a night or a person.

    It names a night, says when it began, archives it, deletes it from the list, or says that
    computer players played it, or that two names are one person. The ledger keeps every entry,
    and each remark can be taken back.
    """
    if not context.has_table and not isinstance(body, SamePerson):
        return refuse(
            "no-table",
            lazy_gettext("Change this night at the board where it was played."),
        )
    return context.table.nights.add_remark(tidied(body))


def _add_export(name: str, how: Format) -> None:
    @routes.add(
        "GET",
        f"/api/nights/{{night}}/{name}",
        summary=f"A night as {how.title}.",
        query={"separator": "comma or semicolon, between the fields"} if name == "csv" else {},
        responses={200: how.media_type, 404: RefusalAnswer}
        | ({400: RefusalAnswer} if name == "csv" else {}),
    )
    def get_export(context: Context, night: str) -> Response:
        chosen = csv_with(_one_of("separator", tuple(SEPARATORS))) if name == "csv" else how
        replayed = context.table.nights.night(number_in_path(night, "night"))
        identity = context.table.nights.identity(replayed.stored.number)
        called = context.table.nights.remarks().called
        exported = ExportedNight(replayed.stored, replayed.states, local_time, called, identity)
        pieces = chosen.write(exported, request_translator())
        return streamed(pieces, f"{how.media_type}; charset=utf-8")


for _name, _how in FORMATS.items():
    _add_export(_name, _how)
