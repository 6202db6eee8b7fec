"""Refusals and errors as responses: `{"code", "message"}`, or a plain page for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from html import escape
from typing import Final

import msgspec
from flask import request
from werkzeug.exceptions import HTTPException

from pochboard.errors import (
    BackupError,
    BackupStorageError,
    CardError,
    DamagedLedgerError,
    KnownNightError,
    LedgerError,
    Refusal,
    SheetError,
    StoppedError,
    UnknownButtonError,
    UnknownNightError,
    UnknownOutcomeError,
    refusal_answer,
    refuse,
)
from pochboard.messages.labels import error_heading
from pochboard.runtime.threads import ErrorBoundary
from pochboard.server.arrival import Arrival
from pochboard.text.lazy import lazy_text

log = logging.getLogger(__name__)

_ALWAYS_WRONG: Final = ("unknown-command", "bad-argument", "bad-ruleset", "bad-players")
"""The codes of requests that are wrong whatever the state."""
_STORAGE_FAILS: Final = ("not-stored", "unknown", "ledger-gone", "ruleset-not-saved")
"""The codes of requests that may be accepted when they are sent again. The id of a command makes
sure that it is applied only once."""
NOTHING_HERE: Final = refuse("not-found", "There is nothing at this address.")
_REFUSALS: Final = {
    400: refuse("bad-request", "This request is malformed."),
    404: NOTHING_HERE,
    405: refuse("wrong-method", "This address does not take that method."),
    406: refuse("not-acceptable", "This is not available in that form."),
}
"""The codes of requests that Flask itself refuses, by status."""


STOPPING: Final = refuse("stopping", "The daemon is stopping.")


class ApiError(Exception):
    """Ends a request with a status and a refusal."""

    def __init__(
        self, status: int, refusal: Refusal, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(refusal.sentence)
        self.status = status
        self.refusal = refusal
        self.headers = headers or ({"Retry-After": "1"} if status == 503 else {})


def refused(refusal: Refusal) -> ApiError:
    """The answer to what a route has refused."""
    if refusal.code in _STORAGE_FAILS:
        return ApiError(503, refusal)
    status = 400 if refusal.code in _ALWAYS_WRONG else 409
    return ApiError(status, refusal)


def internal_error() -> ApiError:
    """The error for a bug of our own."""
    return ApiError(500, refuse("internal", "Something went wrong in the daemon. See its log."))


def error_answer(error: ApiError, arrival: Arrival) -> tuple[int, list[tuple[str, str]], bytes]:
    """Status, headers and body of an error: JSON, or outside the API a page for a browser."""
    t = arrival.t
    answer = refusal_answer(error.refusal, t)
    if arrival.is_api or "text/html" not in arrival.headers.get("accept", ""):
        body, kind = msgspec.json.encode(answer), "application/json"
    else:
        heading = escape(error_heading(error.status, t))
        title, link = escape(t.gettext("Pochboard")), escape(t.gettext("The board"))
        text = (
            f"<!doctype html><html lang={t.language}><meta charset=utf-8>"
            '<meta name=viewport content="width=device-width">'
            f"<title>{title}: {heading}</title>"
            f"<main><h1>{heading}</h1><p>{escape(answer.message)}</p>"
            f'<p><a href="{arrival.root}">{link}</a></p></main></html>'
        )
        body, kind = text.encode(), "text/html; charset=utf-8"
    length, store = ("content-length", str(len(body))), ("cache-control", "no-store")
    return error.status, [("content-type", kind), length, store, *error.headers.items()], body


_SAID: Final = (
    (UnknownNightError, 404, "unknown-night"),
    (KnownNightError, 409, "known-night"),
    (SheetError, 400, "bad-sheet"),
    (UnknownButtonError, 400, "bad-argument"),
    (BackupStorageError, 503, "ledger"),
    (BackupError, 400, "bad-backup"),
)
"""Errors whose own sentence the client gets, with status and code; the narrower ones first."""


def api_error(error: Exception, boundary: ErrorBoundary) -> ApiError:
    """Turns an exception that a route has raised into an answer.

    `boundary` logs a bug of our own once, and shows it as a fault.
    """
    for kind, status, code in _SAID:
        if isinstance(error, kind):
            return ApiError(status, refuse(code, lazy_text(error)))
    match error:
        case ApiError():
            return error
        case StoppedError():
            return ApiError(503, STOPPING)
        case CardError():
            return ApiError(400, refuse("bad-cards", "{reason}.", reason=lazy_text(error)))
        case LedgerError():
            return _ledger_error(error)
        case HTTPException():
            status = error.code or 500
            refusal = _REFUSALS.get(status) or refuse("refused", "{reason}.", reason=error.name)
            allow = {name: value for name, value in error.get_headers() if name == "Allow"}
            return ApiError(status, refusal, headers=allow)
        case _:

            def fail() -> None:
                raise error

            boundary.attempt(f"answer to {request.method} {request.url_rule}", fail, None)
            return internal_error()


def _ledger_error(error: LedgerError) -> ApiError:
    log.error("the ledger failed: %s", error)
    # Damage is permanent; every other fault may be over in a moment.
    status = 500 if isinstance(error, DamagedLedgerError) else 503
    if not isinstance(error, UnknownOutcomeError):
        return ApiError(status, refuse("ledger", lazy_text(error)))
    # Otherwise a sheet that was imported after all would be imported twice.
    return ApiError(
        status,
        refuse(
            "unknown",
            "{reason} It is not yet known whether this was recorded. Check before you repeat it.",
            reason=lazy_text(error),
        ),
    )
