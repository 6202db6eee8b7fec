"""The server as the daemon sees it: built from the table and the board, started and stopped."""

from __future__ import annotations

import logging
from typing import Final

import msgspec
from flask import Flask, Response, request
from werkzeug.routing import Map

from pochboard.backup import BackupRecord
from pochboard.backup.archive import Manifest
from pochboard.geometry.dimensions import dimensions
from pochboard.runtime.threads import Answer
from pochboard.server.arrival import Proxies, keep_token
from pochboard.server.context import Context
from pochboard.server.errors import api_error
from pochboard.server.events import Events
from pochboard.server.middleware import Middleware
from pochboard.server.routes import API
from pochboard.server.routes.pages import MANIFEST, PAGES, add_pages
from pochboard.server.routing import Number, Upload, add_views, flask_rule
from pochboard.server.web_files import accepts_gzip, gzipped, static_files, web_folder
from pochboard.server.web_server import Connections, WebServer, connection_limit
from pochboard.views.bots import BotsState


class Server:
    """Pages, API and event stream.

    Start it after the table, and stop it before.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        config = context.config
        proxies = Proxies(config.trusted_proxies, config.prefix)
        self.connections = Connections(connection_limit(), is_shared=proxies.trusts)
        self.events = Events(context)
        self.app = create_app(context)
        limits = {
            (route.method, route.path): route.body.limit
            for route in API
            if isinstance(route.body, Upload)
        }
        self._middleware = Middleware(
            self.app, self.events, context.hosts, proxies, context.stopping, limits
        )
        self._web = WebServer(
            self._middleware,
            self.connections,
            host=config.host,
            port=config.port,
            proxies=proxies.for_uvicorn,
        )

    @property
    def port(self) -> int:
        """The port; after `bind` the real one if the configured one is 0."""
        return self._web.port

    def bind(self) -> None:
        """Binds the port, so that it is known to be free. Raises ListenError with a sentence."""
        self._web.bind()
        self.context.port = self._web.port

    def start(self) -> None:
        """Serves; returns when it does. Raises ListenError with a sentence."""
        logging.getLogger("pochboard").addHandler(self.context.faults)
        self._web.start()
        self.context.port = self._web.port
        self.events.listen(self._web.loop)

    def ping(self, answer: Answer) -> None:
        """Asks the event loop to call `answer` soon; does not wait."""
        self._web.ping(answer)

    def is_alive(self) -> bool:
        """Whether the event loop's thread runs."""
        return self._web.is_alive()

    def stop(self) -> None:
        """Ends streams, responses and threads, and waits for them. May be called twice."""
        self.context.stopping.set()
        logging.getLogger("pochboard").removeHandler(self.context.faults)
        self.events.unlisten()
        self._web.close(self.events.end)
        self._middleware.close()


_TEXT: Final = ("text/", "application/json", "application/x-ndjson", "image/svg+xml")
_WORTH_BYTES: Final = 1024
"""A smaller response fits into a packet anyway."""


def _make_url_map() -> Map:
    app = Flask("pochboard", static_folder=None)
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = False
    app.url_map.converters["number"] = Number
    for route in API:
        app.add_url_rule(flask_rule(route.path), endpoint=route.endpoint, methods=[route.method])
    for rule in (*PAGES, MANIFEST):
        app.add_url_rule(rule, endpoint=rule)
    return app.url_map


_URL_MAP: Final = _make_url_map()
"""The rules of all paths. Making them takes longer than the rest of an application."""


def _build_types() -> None:
    """Lets msgspec build the types of what requests decode, while there is one thread.

    It builds a type when it first meets it, and two threads that do so at once crash the process.
    """
    for route in API:
        if route.body is not None and not isinstance(route.body, Upload):
            msgspec.json.Decoder(route.body)
    for kind in (BackupRecord, BotsState, Manifest):
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
    app.config["PROPAGATE_EXCEPTIONS"] = True

    @app.errorhandler(Exception)
    def _failed(error: Exception) -> Response:
        raise api_error(error, context.table.boundary) from None

    @app.after_request
    def _vary_by_language(response: Response) -> Response:
        response.vary.update(("Accept-Language", "Cookie"))
        return response

    @app.after_request
    def _compress_text(response: Response) -> Response:
        return _compressed(response)

    @app.after_request
    def _renew_pairing(response: Response) -> Response:
        """Its browser forgets a pairing 90 days after its last use."""
        if request.endpoint in PAGES and "Set-Cookie" not in response.headers:
            token = context.client().token
            if token:
                keep_token(response, token)
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
