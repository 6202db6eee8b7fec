"""Refusals and errors as responses: `{"code", "message"}`, or a plain page for people."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from html import escape
from typing import Final

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from pochboard.errors import (
    CardError,
    DamagedLedgerError,
    KnownNightError,
    LedgerError,
    Refusal,
    SheetError,
    StoppedError,
    UnknownNightError,
    UnknownOutcomeError,
    refusal_answer,
    refuse,
)
from pochboard.messages.labels import error_heading
from pochboard.runtime.error_boundary import ErrorBoundary
from pochboard.server.forwarding import current_arrival
from pochboard.server.language import request_translator
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.text.translator import Translator

log = logging.getLogger(__name__)

_ALWAYS_WRONG: Final = ("unknown-command", "bad-argument", "bad-ruleset", "bad-players")
"""The codes of requests that are wrong whatever the state."""
_STORAGE_FAILS: Final = ("not-stored", "unknown", "ledger-gone", "ruleset-not-saved")
"""The codes of requests that may be accepted when they are sent again. The id of a command makes
sure that it is applied only once."""
NOTHING_HERE: Final = refuse("not-found", lazy_gettext("There is nothing at this address."))
_REFUSALS: Final = {
    400: refuse("bad-request", lazy_gettext("This request is malformed.")),
    404: NOTHING_HERE,
    405: refuse("wrong-method", lazy_gettext("This address does not take that method.")),
    406: refuse("not-acceptable", lazy_gettext("This is not available in that form.")),
}
"""The codes of requests that Flask itself refuses, by status."""


STOPPING: Final = refuse("stopping", lazy_gettext("The daemon is stopping."))


class ApiError(Exception):
    """Ends a request with a status and a refusal."""

    def __init__(
        self, status: int, refusal: Refusal, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(refusal.sentence)
        self.status = status
        self.refusal = refusal
        self.headers = headers or {}


def refused(refusal: Refusal) -> ApiError:
    """The answer to what a route has refused."""
    if refusal.code in _STORAGE_FAILS:
        return ApiError(503, refusal, headers={"Retry-After": "1"})
    status = 400 if refusal.code in _ALWAYS_WRONG else 409
    return ApiError(status, refusal)


def internal_error() -> ApiError:
    """The error for a bug of our own."""
    return ApiError(
        500, refuse("internal", lazy_gettext("Something went wrong in the daemon. See its log."))
    )


def wants_page(path: str, accept: str) -> bool:
    """Whether a person reads the response: outside the API, in a browser."""
    return not path.startswith("/api/") and "text/html" in accept


def error_body(
    error: ApiError, t: Translator, *, page: bool, root: str = "./"
) -> tuple[bytes, str]:
    """Body and content type of an error. `root` leads a page to the table (`Arrival`)."""
    answer = refusal_answer(error.refusal, t)
    if not page:
        return msgspec.json.encode(answer), "application/json"
    heading = escape(error_heading(error.status, t))
    title, link = escape(t.gettext("Pochboard")), escape(t.gettext("The board"))
    text = (
        f"<!doctype html><html lang={t.language}><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width">'
        f"<title>{title}: {heading}</title>"
        f"<main><h1>{heading}</h1><p>{escape(answer.message)}</p>"
        f'<p><a href="{root}">{link}</a></p></main></html>'
    )
    return text.encode(), "text/html; charset=utf-8"


def add_error_handlers(app: Flask, boundary: ErrorBoundary) -> None:
    """Answers every exception that a route raises in the form of `error_body`.

    `boundary` logs a bug of our own once, and shows it as a fault.
    """

    @app.errorhandler(ApiError)
    def _api_error(error: ApiError) -> Response:
        return _response(error)

    @app.errorhandler(UnknownNightError)
    @app.errorhandler(SheetError)
    def _said(error: UnknownNightError | SheetError) -> Response:
        said = lazy_text(error)
        match error:
            case UnknownNightError():
                return _response(ApiError(404, refuse("unknown-night", said)))
            case KnownNightError():
                return _response(ApiError(409, refuse("known-night", said)))
            case _:
                return _response(ApiError(400, refuse("bad-sheet", said)))

    @app.errorhandler(StoppedError)
    def _stopped(_: StoppedError) -> Response:
        return _response(ApiError(503, STOPPING, headers={"Retry-After": "1"}))

    @app.errorhandler(CardError)
    def _bad_cards(error: CardError) -> Response:
        sentence = lazy_gettext("{reason}.", reason=lazy_text(error))
        return _response(ApiError(400, refuse("bad-cards", sentence)))

    @app.errorhandler(LedgerError)
    def _ledger(error: LedgerError) -> Response:
        log.error("the ledger failed: %s", error)
        # Damage is permanent; every other fault may be over in a moment.
        status = 500 if isinstance(error, DamagedLedgerError) else 503
        if not isinstance(error, UnknownOutcomeError):
            return _response(ApiError(status, refuse("ledger", lazy_text(error))))
        # Otherwise a sheet that was imported after all would be imported twice.
        sentence = lazy_gettext(
            "{reason} It is not yet known whether this was recorded. Check before you repeat it.",
            reason=lazy_text(error),
        )
        return _response(ApiError(status, refuse("unknown", sentence)))

    @app.errorhandler(HTTPException)
    def _http(error: HTTPException) -> Response:
        status = error.code or 500
        refusal = _REFUSALS.get(status) or refuse(
            "refused", lazy_gettext("{reason}.", reason=error.name)
        )
        allow = {name: value for name, value in error.get_headers() if name == "Allow"}
        return _response(ApiError(status, refusal, headers=allow))

    @app.errorhandler(Exception)
    def _failed(error: Exception) -> Response:
        def fail() -> None:
            raise error

        boundary.attempt(f"answer to {request.method} {request.url_rule}", fail, None)
        return _response(internal_error())


def _response(error: ApiError) -> Response:
    page = wants_page(request.path, request.headers.get("Accept", ""))
    root = current_arrival().root
    body, kind = error_body(error, request_translator(), page=page, root=root)
    headers = {"Cache-Control": "no-store", **error.headers}
    return Response(body, error.status, headers, content_type=kind)
