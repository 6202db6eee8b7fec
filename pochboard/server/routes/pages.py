"""The pages for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

import msgspec
from flask import Flask, Response, render_template, request
from markupsafe import Markup

from pochboard.messages.labels import language_name, page_words
from pochboard.messages.rules_text import how_to_play, listed_rules, rules_page
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.server.arrival import (
    chosen_language,
    current_arrival,
    remember_language,
    request_translator,
)
from pochboard.server.context import Context
from pochboard.server.errors import NOTHING_HERE, ApiError
from pochboard.server.events import health_event
from pochboard.server.routes.board import get_face
from pochboard.server.routes.nights import get_night
from pochboard.server.routes.pairing import current_reach, handed_on, qr_code
from pochboard.server.routes.rulesets import get_rulesets
from pochboard.server.routing import flask_rule
from pochboard.server.web_files import modules_of, start_script, static_files, static_path, texts_in
from pochboard.table.snapshot import Snapshot
from pochboard.text.translator import ENGLISH, N_, Translator, languages, translator
from pochboard.time_zone import zone_name

NIGHT_PAGE: Final = "/nights/{number}"
NIGHT_RULES_PAGE: Final = f"{NIGHT_PAGE}/rules"

PAGES: Final = {
    "table_page": "/",
    "tv_page": "/tv",
    "nights_page": "/nights",
    "statistics_page": "/statistics",
    "build_page": "/build",
    "rules_page": "/rules",
    "ruleset_page": "/rules/<path:name>",
    "night_rules_page": flask_rule(NIGHT_RULES_PAGE),
    "night_page": flask_rule(NIGHT_PAGE),
}
"""The paths of the pages, by endpoint."""

FILES: Final = {
    "manifest": "/manifest.webmanifest",
    "favicon": "/favicon.ico",
}
"""The paths of what pages load besides static files, by endpoint."""


_DESCRIPTION: Final = N_(
    "The board of a night of Poch: chips, whose turn it is, and what happened."
)


def _markup(value: object) -> Markup:
    """JSON as the content of a `script` element, which `<` could end or comment out."""
    json = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Markup(json.replace(b"<", b"\\u003c").decode())  # noqa: S704 - nothing can end it


@cache
def _sent_texts(language: str) -> Markup:
    """What the modules need in a language: words, and the translations of their texts."""
    t = translator(language)
    texts: dict[str, str | dict[str, str]] = {**page_words(t)}
    for name, code in static_files().items() if t is not ENGLISH else ():
        for context, one, many in texts_in(code.decode()) if name.endswith(".js") else ():
            if context:
                texts[f"{context}|{one}"] = t.pgettext(context, one)
            else:
                texts[one] = t.forms(one, many) if many else t.gettext(one)
    return _markup(texts)


def _is_between_nights(snapshot: Snapshot) -> bool:
    return snapshot.state.phase in BETWEEN_NIGHTS


def _first_look(context: Context, snapshot: Snapshot) -> dict[str, object]:
    """What the table draws first. The page contains it, which saves requests."""
    t, paired = request_translator(), context.client().paired
    parts: dict[str, Callable[[], object]] = {
        "state": lambda: context.snapshots.state(snapshot, t, paired=paired),
        "face": lambda: get_face(context),
    }
    if _is_between_nights(snapshot):
        parts["rulesets"] = lambda: get_rulesets(context)
    attempt = context.table.boundary.attempt
    look = {name: attempt(f"{name} of the page", act, None) for name, act in parts.items()}
    return {name: part for name, part in look.items() if part is not None}


def _manifest(t: Translator) -> dict[str, object]:
    """What a home screen needs to know about the page (W3C Web Application Manifest)."""
    icons = (
        ("icon.svg", "any", "image/svg+xml", "any"),
        ("icon-192.png", "192x192", "image/png", "any"),
        ("icon-512.png", "512x512", "image/png", "any"),
        ("icon-maskable.png", "512x512", "image/png", "maskable"),
    )
    return {
        "name": t.gettext("Pochboard"),
        "short_name": t.gettext("Pochboard"),
        "description": t.gettext(_DESCRIPTION),
        "lang": t.language,
        # Relative to the manifest, like the icons.
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#101b16",
        "theme_color": "#101b16",
        "icons": [
            {"src": f"{static_path()}{name}", "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in icons
        ],
    }


def add_pages(app: Flask, context: Context) -> None:
    """Adds the views of the pages and of what they load."""
    names = {language: language_name(translator(language)) for language in languages()}
    app.jinja_env.globals["modules_of"] = modules_of

    def page(
        template: str, embedded: Mapping[str, object] | None = None, **values: object
    ) -> Response:
        root = current_arrival().root
        if chosen := chosen_language():
            switched = Response(status=303, headers={"Location": root + request.path[1:]})
            remember_language(switched, chosen)
            return switched
        t = request_translator()
        html = render_template(
            template,
            root=root,
            static=root + static_path(),
            start=Markup(start_script()),  # noqa: S704 - ours, and nothing in it ends the element
            text=t.gettext,
            language=t.language,
            zone=zone_name(),
            description=t.gettext(_DESCRIPTION),
            texts=_sent_texts(t.language),
            languages=names,
            has_table=context.has_table,
            embedded={name: _markup(value) for name, value in (embedded or {}).items()},
            **values,
        )
        response = Response(html, mimetype="text/html")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @app.endpoint("table_page")
    def table() -> Response:
        snapshot = context.table.snapshot
        return page(
            "table.html",
            _first_look(context, snapshot),
            simulated=snapshot.board.simulated,
        )

    @app.endpoint("tv_page")
    def tv() -> Response:
        url, named = handed_on(current_reach(context))
        qr = qr_code(url) if url else None
        return page("tv.html", address=url, named=named, qr=qr)

    @app.endpoint("nights_page")
    def nights() -> Response:
        # Without a table there is no stream that says what does not work.
        health = health_event(context.health, request_translator())
        return page("nights.html", fault=None if context.has_table else health.message)

    @app.endpoint("statistics_page")
    def statistics() -> Response:
        return page("statistics.html")

    @app.endpoint("build_page")
    def build() -> Response:
        return page("build.html")

    @app.endpoint("rules_page")
    def rules() -> Response:
        t, snapshot = request_translator(), context.table.snapshot
        return page(
            "rules.html",
            sections=how_to_play(t),
            rulesets=listed_rules(context.catalog.rulesets.values(), t),
            night=None if _is_between_nights(snapshot) else snapshot.night,
        )

    @app.endpoint("ruleset_page")
    def ruleset(name: str) -> Response:
        rules = context.catalog.rulesets.get(name)
        if rules is None:
            raise ApiError(404, NOTHING_HERE)
        preset = context.catalog.preset(rules)
        return page("ruleset.html", rules=rules_page(rules, preset, request_translator()))

    @app.endpoint("night_rules_page")
    def night_rules(number: int) -> Response:
        snapshot = context.table.snapshot
        same = number == snapshot.night
        state = snapshot.state if same else context.table.nights.night(number).states[-1]
        preset = context.catalog.preset(state.rules, of_night=True)
        shown = rules_page(state.rules, preset, request_translator(), night=number)
        return page("ruleset.html", rules=shown)

    @app.endpoint("night_page")
    def night(number: int) -> Response:
        # All that it draws first but the entries, which its HTML has the browser ask for.
        look = {"night": get_night(context, number)}
        return page("night.html", look, number=number)

    _add_files(app)
    if not context.has_table:
        app.endpoint("table_page")(_to_nights)
        app.endpoint("tv_page")(_to_nights)
        app.endpoint("build_page")(_to_nights)


def _to_nights() -> Response:
    """Leads from the pages of a table to those of the nights that are collected."""
    query = f"?{request.query_string.decode()}" if request.query_string else ""
    where = f"{current_arrival().root}nights{query}"
    return Response(status=303, headers={"Location": where})


def _add_files(app: Flask) -> None:
    """Adds the views of what pages load besides static files, in each language."""

    @app.endpoint("manifest")
    def manifest() -> Response:
        body = msgspec.json.encode(_manifest(request_translator()))
        return Response(body, mimetype="application/manifest+json")

    @app.endpoint("favicon")
    def favicon() -> Response:
        return Response(static_files()["icon.svg"], mimetype="image/svg+xml")
