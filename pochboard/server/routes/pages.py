"""The pages for people. Flask itself serves their static files."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from typing import Final

import msgspec
from flask import Flask, Response, render_template, request
from markupsafe import Markup

from pochboard.messages.page import Text, language_name, page_texts
from pochboard.messages.rules_text import how_to_play, listed_rules, rules_page
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.server.context import Context
from pochboard.server.errors import NOTHING_HERE, ApiError
from pochboard.server.forwarding import current_arrival
from pochboard.server.language import chosen_language, remember_language, request_translator
from pochboard.server.routes.board import get_face
from pochboard.server.routes.nights import get_night
from pochboard.server.routes.pairing import current_reach, handed_on, qr_code
from pochboard.server.routes.rulesets import get_rulesets
from pochboard.server.routing import number_in_path
from pochboard.server.web_files import start_script
from pochboard.table.records import Snapshot
from pochboard.text.catalogues import languages, translator
from pochboard.text.translator import Translator

NIGHT_PAGE: Final = "/nights/{number}"
NIGHT_RULES_PAGE: Final = f"{NIGHT_PAGE}/rules"

PAGES: Final = {
    "table_page": "/",
    "tv_page": "/tv",
    "nights_page": "/nights",
    "statistics_page": "/statistics",
    "rules_page": "/rules",
    "ruleset_page": "/rules/<path:name>",
    "night_rules_page": NIGHT_RULES_PAGE.replace("{", "<").replace("}", ">"),
    "night_page": NIGHT_PAGE.replace("{", "<").replace("}", ">"),
}
"""The paths of the pages, by endpoint."""

FILES: Final = {
    "later_texts": "/texts/later",
    "manifest": "/manifest.webmanifest",
    "favicon": "/favicon.ico",
}
"""The paths of what pages load besides static files, by endpoint."""

ELSEWHERE: Final = (
    "replay.",
    "statistics.",
    "backup.",
    "nights.",
    "title.night",
    "title.statistics",
)
"""Texts that neither the table nor the large screen shows."""

LATER: Final = (
    "account.",
    "bots.",
    "card.",
    "cards.",
    "clock.",
    "correct.",
    "device.",
    "downloads.",
    "house.",
    "phones.",
    "records.",
    "recount.",
    "referee.",
    "settle.",
)
"""Texts of the table that only dialogs and other parts show, which are loaded when they open."""

START: Final = "start."
"""The texts of the script that says why a page does not start."""
LOBBY: Final = ("lobby.", "offer.")
"""Texts that come with the table only between nights, and otherwise with those of `LATER`."""

# Browsers refuse modules of any other type, and the machine's own table may name one.
mimetypes.add_type("text/javascript", ".js")


def _without(left_out: tuple[str, ...], texts: Mapping[str, Text]) -> dict[str, Text]:
    """Texts without those that begin with any of `left_out`, so that the first load stays light."""
    return {name: text for name, text in texts.items() if not name.startswith(left_out)}


def _embeddable(json: bytes) -> Markup:
    """JSON as the content of a `script` element, which `<` could end or comment out."""
    return Markup(json.decode().replace("<", "\\u003c"))  # noqa: S704 - nothing can end it


def _start(texts: Mapping[str, Text]) -> dict[str, object]:
    """The script that says why a page does not start, and its texts, which come before all else."""
    script = Markup(start_script())  # noqa: S704 - ours, and nothing in it ends the element
    own = {name: text for name, text in texts.items() if name.startswith(START)}
    return {"start": script, "start_texts": own}


def _is_between_nights(snapshot: Snapshot) -> bool:
    return snapshot.state.phase in BETWEEN_NIGHTS


def _first_look(context: Context, snapshot: Snapshot) -> dict[str, bytes]:
    """The data that the table draws first, by name. The page contains it, which saves a request."""
    t, paired = request_translator(), context.client().paired
    first_look = {
        "state": context.snapshots.state(snapshot, t, paired=paired),
        "face": msgspec.json.encode(get_face(context)),
    }
    if _is_between_nights(snapshot):
        first_look["rulesets"] = msgspec.json.encode(get_rulesets(context))
    return first_look


def _manifest(t: Translator) -> dict[str, object]:
    """What a home screen needs to know about the page (W3C Web Application Manifest)."""
    icons = (
        ("icon.svg", "any", "image/svg+xml", "any"),
        ("icon-192.png", "192x192", "image/png", "any"),
        ("icon-512.png", "512x512", "image/png", "any"),
        ("icon-maskable.png", "512x512", "image/png", "maskable"),
    )
    texts = page_texts(t)
    return {
        "name": texts["title"],
        "short_name": texts["title"],
        "description": texts["description"],
        "lang": t.language,
        # Relative to the manifest, like the icons.
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#101b16",
        "theme_color": "#101b16",
        "icons": [
            {"src": f"static/{name}", "sizes": sizes, "type": kind, "purpose": purpose}
            for name, sizes, kind, purpose in icons
        ],
    }


def add_pages(app: Flask, context: Context) -> None:
    """Adds the views of the pages and of what they load."""
    texts = {language: page_texts(translator(language)) for language in languages()}
    names = {language: language_name(translator(language)) for language in languages()}

    def page(
        template: str,
        left_out: tuple[str, ...] = (),
        embedded: Mapping[str, bytes] | None = None,
        **values: object,
    ) -> Response:
        root = current_arrival().root
        if chosen := chosen_language():
            switched = Response(status=303, headers={"Location": root + request.path[1:]})
            remember_language(switched, chosen)
            return switched
        language = request_translator().language
        sent = _without((*left_out, START), texts[language])
        words = {"root": root, "language": language, "texts": texts[language], "languages": names}
        words["embedded"] = {name: _embeddable(json) for name, json in (embedded or {}).items()}
        html = render_template(template, sent=sent, **_start(texts[language]), **words, **values)
        response = Response(html, mimetype="text/html")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @app.endpoint("table_page")
    def table() -> Response:
        # The page looks the same from its first moment.
        snapshot = context.table.snapshot
        between = _is_between_nights(snapshot)
        return page(
            "table.html",
            (*ELSEWHERE, *LATER, *(() if between else LOBBY)),
            simulated=snapshot.board.simulated,
            panel="lobby" if between else "controls",
            embedded=_first_look(context, snapshot),
        )

    @app.endpoint("tv_page")
    def tv() -> Response:
        url, named = handed_on(current_reach(context))
        code = qr_code(url) if url else None
        return page("tv.html", ELSEWHERE, address=url, named=named, qr=code)

    @app.endpoint("nights_page")
    def nights() -> Response:
        return page("nights.html")

    @app.endpoint("statistics_page")
    def statistics() -> Response:
        return page("statistics.html")

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
    def night_rules(number: str) -> Response:
        asked, snapshot = number_in_path(number, "night"), context.table.snapshot
        same = asked == snapshot.night
        state = snapshot.state if same else context.table.nights.night(asked).states[-1]
        preset = context.catalog.preset(state.rules, of_night=True)
        shown = rules_page(state.rules, preset, request_translator(), night=asked)
        return page("ruleset.html", rules=shown)

    @app.endpoint("night_page")
    def night(number: str) -> Response:
        # All that it draws first but the entries, which its HTML has the browser ask for.
        look = {"face": get_face(context), "night": get_night(context, number)}
        embedded = {name: msgspec.json.encode(answer) for name, answer in look.items()}
        return page("night.html", number=number_in_path(number, "night"), embedded=embedded)

    @app.endpoint("later_texts")
    def later_texts() -> Response:
        page_texts = texts[request_translator().language]
        prefixes = (*LATER, *LOBBY)
        later = {name: text for name, text in page_texts.items() if name.startswith(prefixes)}
        response = Response(msgspec.json.encode(later), mimetype="application/json")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    @app.endpoint("manifest")
    def manifest() -> Response:
        body = msgspec.json.encode(_manifest(request_translator()))
        return Response(body, mimetype="application/manifest+json")

    @app.endpoint("favicon")
    def favicon() -> Response:
        return app.send_static_file("icon.svg")
