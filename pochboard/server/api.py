"""The API of the night: state, commands, nights, rulesets, and its own description."""

from __future__ import annotations

from datetime import date, datetime

from flask import Flask, Response, request

from pochboard.errors import Refusal
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, status_of
from pochboard.server.openapi import description
from pochboard.server.reply import KEPT_WHOLE, json_answer, json_body, json_bytes
from pochboard.server.responses import (
    CommandAnswer,
    HealthAnswer,
)
from pochboard.server.serializers import (
    entry_answers,
    night_answer,
    nights_answer,
    public_answer,
    rulesets_answer,
)
from pochboard.sheets.write import write_sheet
from pochboard.table.clock import noon_ms
from pochboard.table.records import Night

_MOST = 2**63 - 1


def add(app: Flask, context: Context) -> None:
    """Adds the routes."""
    _add_state(app, context)
    _add_nights(app, context)

    @app.get("/api/rulesets")
    def rulesets() -> Response:
        return json_answer(rulesets_answer(context.catalog))

    @app.get("/api/openapi.json")
    def openapi() -> Response:
        return json_bytes(description())

    @app.get("/healthz")
    def healthz() -> Response:
        return json_answer(HealthAnswer("ok", context.table.snapshot.revision))


def _add_state(app: Flask, context: Context) -> None:
    @app.get("/api/state")
    def state() -> Response:
        paired = context.client().paired
        snapshot = context.table.snapshot
        response = json_bytes(context.snapshots.state(snapshot, paired=paired))
        response.set_etag(str(snapshot.revision))
        # The tag is the revision alone, so there is to be one form of each revision.
        response.headers[KEPT_WHOLE] = "1"
        response.make_conditional(request)
        return response

    @app.post("/api/commands")
    def commands() -> Response:
        context.paired_client()
        done = context.table.command(json_body(request))
        if isinstance(done, Refusal):
            return json_answer(done, status_of(done))
        return json_answer(CommandAnswer(done.entry, public_answer(done.state)))

    @app.get("/api/events")
    def events() -> Response:
        raise AssertionError("the event stream is answered before; this is for all other methods")


def _add_nights(app: Flask, context: Context) -> None:
    @app.get("/api/nights")
    def nights() -> Response:
        return json_answer(nights_answer(context.table.nights()))

    @app.post("/api/nights")
    def add_nights() -> Response:
        context.paired_client()
        if request.mimetype not in ("application/x-ndjson", "text/plain", "application/jsonl"):
            raise ApiError(
                415, "not-a-sheet", "Send a score sheet, as application/x-ndjson or text/plain."
            )
        done = context.table.import_sheet(request.get_data(cache=False), _played_ms())
        return json_answer(done, 201)

    @app.get("/api/nights/<number>")
    def night(number: str) -> Response:
        return json_answer(night_answer(_night(context, number), context.table.display))

    @app.get("/api/nights/<number>/entries")
    def entries(number: str) -> Response:
        after = request.args.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise ApiError(400, "bad-argument", "after: the number of an entry is expected.")
        display = context.table.display if request.args.get("pixels") == "1" else None
        night = _night(context, number)
        return json_answer(entry_answers(night, int(after), display=display))

    @app.get("/api/nights/<number>/sheet")
    def sheet(number: str) -> Response:
        found = _night(context, number)
        stored = found.stored
        started = datetime.fromtimestamp(stored.entries[0].time_ms / 1000).astimezone()
        title = f"night {stored.number}, begun {started:%Y-%m-%d %H:%M}"
        text = write_sheet(stored.entries, found.states[-1], title)
        return Response(text, content_type="application/x-ndjson; charset=utf-8")


def _night(context: Context, number: str) -> Night:
    """The night of an address; what is no number is no night either."""
    if not (number.isascii() and number.isdigit() and 0 < int(number[:19]) <= _MOST):
        raise ApiError(404, "unknown-night", f"There is no night {number[:40]}.")
    return context.table.night(int(number))


def _played_ms() -> int | None:
    """The noon of the day that an imported night was played on, if one is named."""
    text = request.args.get("day")
    if text is None:
        return None
    try:
        return noon_ms(date.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ApiError(400, "bad-argument", "day: a date is expected, as in 2024-12-31.") from None
