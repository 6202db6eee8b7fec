"""The pages and their files."""

from __future__ import annotations

from pathlib import Path

from flask import Flask, Response, render_template, request

from pochboard.messages.page import page_texts
from pochboard.messages.translator import ENGLISH
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.static import StaticFiles


def add(app: Flask, context: Context, folder: Path) -> None:
    """Adds the routes; templates and static files are in the folder."""
    files = StaticFiles(folder / "static")
    texts = page_texts(ENGLISH)

    def page(template: str) -> Response:
        html = render_template(template, language=ENGLISH.language, texts=texts)
        response = Response(html, mimetype="text/html")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @app.get("/", endpoint="table")
    def table() -> Response:
        return page("table.html")

    @app.get("/nights", endpoint="nights_page")
    def nights() -> Response:
        return page("nights.html")

    @app.get("/nights/<number>", endpoint="night_page")
    def night(number: str) -> Response:
        known = {one.number for one in context.table.nights()}
        if not (
            number.isascii() and number.isdigit() and len(number) < 19 and int(number) in known
        ):
            raise ApiError(404, "unknown-night", f"There is no night {number[:40]}.")
        return page("night.html")

    @app.get("/static/<path:filename>", endpoint="static")
    def static(filename: str) -> Response:
        return files.answer(filename, request)

    @app.get("/favicon.ico")
    def favicon() -> Response:
        return files.answer("icon.svg", request)
