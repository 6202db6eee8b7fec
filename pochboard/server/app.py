"""The Flask application: a factory, without globals."""

from __future__ import annotations

import logging

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from pochboard.errors import LedgerError, Refusal, SheetError, StoppedError, UnknownNightError
from pochboard.server import api, board_api, demo_api, pages, pairing_api, referee_api
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, problem, wants_page
from pochboard.server.reply import finish
from pochboard.server.static import web_folder

log = logging.getLogger(__name__)

_SENTENCES = {
    404: ("not-found", "There is nothing at this address."),
    405: ("wrong-method", "This address is not asked in that way."),
    406: ("not-acceptable", "There is no such form of this."),
    400: ("bad-request", "This request makes no sense."),
}


def create_app(context: Context) -> Flask:
    """The application that answers all but the event stream."""
    folder = web_folder()
    app = Flask("pochboard", static_folder=None, template_folder=str(folder / "templates"))
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    api.add(app, context)
    board_api.add(app, context)
    pairing_api.add(app, context)
    demo_api.add(app, context)
    referee_api.add(app, context)
    pages.add(app, context, folder)
    _add_errors(app)

    @app.before_request
    def _refuse_when_stopping() -> None:
        if context.stopping.is_set():
            raise StoppedError("The daemon is stopping.")

    @app.after_request
    def _finish(response: Response) -> Response:
        return finish(response, request)

    return app


def _answer(status: int, refusal: Refusal) -> Response:
    page = wants_page(request.path, request.headers.get("Accept", ""))
    body, kind = problem(status, refusal, page=page)
    response = Response(body, status, content_type=kind)
    response.headers["Cache-Control"] = "no-store"
    return response


def _add_errors(app: Flask) -> None:
    @app.errorhandler(ApiError)
    def _api_error(error: ApiError) -> Response:
        return _answer(error.status, error.refusal)

    @app.errorhandler(UnknownNightError)
    def _unknown_night(error: UnknownNightError) -> Response:
        return _answer(404, Refusal("unknown-night", str(error)))

    @app.errorhandler(StoppedError)
    def _stopped(error: StoppedError) -> Response:
        response = _answer(503, Refusal("stopping", str(error)))
        response.headers["Retry-After"] = "1"
        return response

    @app.errorhandler(SheetError)
    def _bad_sheet(error: SheetError) -> Response:
        return _answer(400, Refusal("bad-sheet", str(error)))

    @app.errorhandler(LedgerError)
    def _ledger(error: LedgerError) -> Response:
        log.error("the ledger failed: %s", error)
        return _answer(500, Refusal("ledger", str(error)))

    @app.errorhandler(HTTPException)
    def _http(error: HTTPException) -> Response:
        status = error.code or 500
        code, sentence = _SENTENCES.get(status, ("refused", error.name))
        response = _answer(status, Refusal(code, sentence))
        for name, value in error.get_headers():
            if name == "Allow":
                response.headers[name] = value
        return response

    @app.errorhandler(Exception)
    def _failed(error: Exception) -> Response:
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        sentence = "Something went wrong in the daemon; its log says what."
        return _answer(500, Refusal("internal", sentence))
