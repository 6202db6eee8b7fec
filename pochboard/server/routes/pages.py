"""The pages for people. Flask itself serves their static files."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Final

from flask import Flask, Response, render_template, request

from pochboard.messages.catalogues import languages, translator
from pochboard.messages.page import language_name, page_texts
from pochboard.server.context import Context
from pochboard.server.language import chosen_language, remember_language, request_translator
from pochboard.server.routing import number_in_path

_PACKAGE: Final = Path(__file__).resolve().parents[2]
NIGHT_PAGE: Final = "/nights/{number}"

# Browsers refuse modules of any other type, and the machine's own table may name one.
mimetypes.add_type("text/javascript", ".js")


def web_folder() -> Path:
    """Where templates and static files are: in the installed package, else in the repository."""
    installed = _PACKAGE / "web"
    return installed if installed.is_dir() else _PACKAGE.parent / "web"


def add_pages(app: Flask, context: Context) -> frozenset[str]:
    """Adds the pages and returns their endpoints."""
    texts = {language: page_texts(translator(language)) for language in languages()}
    names = {language: language_name(translator(language)) for language in languages()}
    others = set(app.view_functions)

    def page(template: str, **values: object) -> Response:
        if chosen := chosen_language():
            switched = Response(status=303, headers={"Location": request.path})
            remember_language(switched, chosen)
            return switched
        language = request_translator().language
        words = {"language": language, "texts": texts[language], "languages": names}
        html = render_template(template, **words, **values)
        response = Response(html, mimetype="text/html")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @app.get("/", endpoint="table_page")
    def table() -> Response:
        # The page looks the same from its first moment, and loads what it needs at once.
        snapshot = context.table.snapshot
        panel = "lobby" if snapshot.state.phase in ("none", "closed") else "controls"
        return page("table.html", simulated=snapshot.board.simulated, panel=panel)

    @app.get("/nights", endpoint="nights_page")
    def nights() -> Response:
        return page("nights.html")

    @app.get("/statistics", endpoint="statistics_page")
    def statistics() -> Response:
        return page("statistics.html")

    @app.get(NIGHT_PAGE.replace("{", "<").replace("}", ">"), endpoint="night_page")
    def night(number: str) -> Response:
        # Raises UnknownNightError. The page asks for this night next, so reading it is not wasted.
        context.table.night(number_in_path(number, "night"))
        return page("night.html")

    pages = frozenset(set(app.view_functions) - others)

    @app.get("/favicon.ico")
    def favicon() -> Response:
        return app.send_static_file("icon.svg")

    return pages
