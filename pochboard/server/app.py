"""The Flask application factory. The applications share nothing but the rules of the paths."""

from __future__ import annotations

from typing import Final

import msgspec
from flask import Flask, Response, request
from werkzeug.routing import Map

from pochboard.backup.archive import Manifest
from pochboard.backup.making import BackupRecord
from pochboard.errors import StoppedError
from pochboard.geometry.dimensions import dimensions
from pochboard.server.authentication import set_cookie
from pochboard.server.context import Context
from pochboard.server.errors import add_error_handlers
from pochboard.server.language import VARY
from pochboard.server.routes import API
from pochboard.server.routes.pages import FILES, PAGES, add_pages
from pochboard.server.routing import Upload, add_rules, add_views
from pochboard.server.web_files import accepts_gzip, gzipped, static_files, web_folder
from pochboard.views.demo import DemoState

_TEXT: Final = ("text/", "application/json", "application/x-ndjson", "image/svg+xml")
_WORTH_BYTES: Final = 1024
"""A smaller response fits into a packet anyway."""


def _make_url_map() -> Map:
    app = Flask("pochboard", static_folder=None)
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    add_rules(app, API)
    for endpoint, path in (PAGES | FILES).items():
        app.add_url_rule(path, endpoint=endpoint)
    return app.url_map


_URL_MAP: Final = _make_url_map()
"""The rules of all paths. Making them takes longer than the rest of an application."""


def _build_types() -> None:
    """Lets msgspec build the types of what requests decode, while there is one thread.

    It builds a type when it first meets it, and two threads that do so at once crash the process.
    """
    for body in filter(None, (route.body for route in API)):
        if not isinstance(body, Upload):
            msgspec.json.Decoder(getattr(body, "type", body))
    for kind in (BackupRecord, DemoState, Manifest):
        msgspec.json.Decoder(kind)
    dimensions()


def create_app(context: Context) -> Flask:
    """The application that answers everything except the event stream."""
    static_files()  # now, because an update may change them while this daemon runs
    _build_types()
    templates = str(web_folder() / "templates")
    app = Flask("pochboard", static_folder=None, template_folder=templates)
    app.url_map = _URL_MAP
    add_views(app, context, API)
    add_pages(app, context)
    add_error_handlers(app, context.table.boundary)

    @app.before_request
    def _check_running() -> None:
        if context.stopping.is_set():
            raise StoppedError("The daemon is stopping.")

    @app.before_request
    def _compare_tags_only() -> None:
        """Every file has an ETag, and a date may be one that Python cannot read."""
        for name in ("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_RANGE"):
            request.environ.pop(name, None)

    @app.after_request
    def _vary_by_language(response: Response) -> Response:
        response.vary.update(VARY)
        return response

    @app.after_request
    def _compress_text(response: Response) -> Response:
        return _compressed(response)

    @app.after_request
    def _renew_pairing(response: Response) -> Response:
        """A pairing lasts 90 days from its last use, and its cookie is renewed with it."""
        used = request.endpoint in PAGES or (
            request.method == "POST" and response.status_code < 400
        )
        if used and "Set-Cookie" not in response.headers and not context.stopping.is_set():
            token = context.client().token
            if token:
                set_cookie(response, token)
        return response

    return app


def _compressed(response: Response) -> Response:
    """Compresses text, if the client accepts that."""
    if "Cache-Control" not in response.headers:
        # Browsers keep it, but ask each time whether it has changed.
        response.cache_control.no_cache = True
    if not (response.mimetype or "").startswith(_TEXT) or response.cache_control.no_transform:
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers:
        return response
    if response.status_code == 200 and accepts_gzip(request.accept_encodings):
        response.direct_passthrough = False
        body = response.get_data()
        if len(body) >= _WORTH_BYTES:
            response.set_data(gzipped(body))
            response.headers["Content-Encoding"] = "gzip"
            tag, _ = response.get_etag()
            if tag is not None:
                # A strong tag would promise the same bytes as without compression.
                response.set_etag(tag, weak=True)
    return response
