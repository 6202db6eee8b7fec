"""The pages for people. Flask itself serves their static files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

import msgspec
from flask import Flask, Response, render_template, request
from markupsafe import Markup

from pochboard.messages.page import language_name, page_texts
from pochboard.messages.rules_text import how_to_play, listed_rules, rules_page
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.server.compression import accepts_gzip, gzipped
from pochboard.server.context import Context
from pochboard.server.errors import NOTHING_HERE, ApiError
from pochboard.server.forwarding import current_arrival
from pochboard.server.language import chosen_language, remember_language, request_translator
from pochboard.server.routes.board import get_face
from pochboard.server.routes.nights import get_night
from pochboard.server.routes.pairing import current_reach, handed_on, qr_code
from pochboard.server.routes.rulesets import get_rulesets
from pochboard.server.routing import number_in_path
from pochboard.server.web_files import start_script, tag_of, unchanged_file
from pochboard.table.records import Snapshot
from pochboard.text.catalogues import SourceText, languages, translator
from pochboard.text.translator import Text, Translator
from pochboard.views.rulesets import without_parameters

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
    "rules.now",
    "rules.page",
    "rules.parameter",
    "rules.rulesets",
    "rules.title",
    "replay.",
    "statistics.",
    "backup.",
    "nights.",
    "title.night",
    "title.statistics",
    "try_again",
)
"""Texts that neither the table nor the large screen shows."""

IN_HTML: Final = (
    "connection.connecting",
    "controls.more",
    "description",
    "nav.language",
    "nav.nights",
    "nav.phones",
    "nav.rules",
    "nav.skip",
    "nav.statistics",
    "nav.table",
    "noscript",
    "section.board",
    "section.controls",
    "section.display",
    "section.ledger",
    "section.now",
    "section.seats",
)
"""Texts that only templates show, so that no module asks for them."""

LATER: Final = (
    "practice.",
    "account.",
    "awards.",
    "bots.",
    "card.",
    "cards.",
    "clock.",
    "colours.",
    "correct.",
    "device.",
    "workbench.",
    "downloads.",
    "house.",
    "lobby.least",
    "lobby.most",
    "lobby.number",
    "me.on_device",
    "me.phone",
    "pairing.",
    "phones.",
    "records.",
    "recount.",
    "referee.",
    "settle.",
    "tv.",
)
"""Texts of the table that only dialogs and other parts show, which are loaded when they open."""

START: Final = "start."
"""The texts of the script that says why a page does not start."""
LOBBY: Final = ("lobby.", "offer.")
"""Texts that come with the table only between nights, and otherwise with those of `LATER`."""
NIGHT: Final = (
    "claim.", "count.", "form.", "ledger.", "others.", "rank.", "stake.", "suit.", "trump", "turn.",
)  # fmt: skip
"""Texts that come with the table only during a night, and otherwise with those of `LATER`."""

_PAGES_KEPT: Final = 8
_STATE: Final = b"\0"
"""Stands in a template for the state, which changes more often than the rest of the page."""


def _without(left_out: tuple[str, ...], texts: Mapping[str, Text]) -> dict[str, Text]:
    """Texts without those that begin with any of `left_out`, so that the first load stays light."""
    return {name: text for name, text in texts.items() if not name.startswith(left_out)}


def _embeddable(json: bytes) -> bytes:
    """JSON as the content of a `script` element, which `<` could end or comment out."""
    return json.replace(b"<", b"\\u003c")


def _markup(json: bytes) -> Markup:
    """The same for a template."""
    return Markup(_embeddable(json).decode())  # noqa: S704 - nothing can end it


@cache
def _texts(language: str) -> dict[str, Text]:
    return page_texts(translator(language))


@cache
def _sent(language: str, left_out: tuple[str, ...]) -> Markup:
    """The texts that a page brings, as JSON."""
    texts = _without((*left_out, *IN_HTML, START), _texts(language))
    return _markup(msgspec.json.encode(texts))


@cache
def _start(language: str) -> dict[str, object]:
    """The script that says why a page does not start, and its texts, which come before all else."""
    script = Markup(start_script())  # noqa: S704 - ours, and nothing in it ends the element
    own = {name: text for name, text in _texts(language).items() if name.startswith(START)}
    return {"start": script, "start_texts": _markup(msgspec.json.encode(own))}


def _is_between_nights(snapshot: Snapshot) -> bool:
    return snapshot.state.phase in BETWEEN_NIGHTS


def _first_look(context: Context, snapshot: Snapshot) -> dict[str, bytes]:
    """What the table draws first besides its state. The page contains it, which saves requests."""
    first_look = {"face": msgspec.json.encode(get_face(context))}
    if _is_between_nights(snapshot):
        first_look["rulesets"] = msgspec.json.encode(without_parameters(get_rulesets(context)))
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


def _response(beginning: bytes, rest: bytes) -> Response:
    """The response of a page; without a rest, it is compressed like all others."""
    html = beginning + rest
    response = Response(html, mimetype="text/html")
    response.set_etag(tag_of(html), weak=True)
    response.make_conditional(request)
    if rest and response.status_code == 200 and accepts_gzip():
        response.set_data(gzipped(rest, beginning=beginning))
        response.headers["Content-Encoding"] = "gzip"
    return response


def add_pages(app: Flask, context: Context) -> None:
    """Adds the views of the pages and of what they load."""
    names = {language: language_name(SourceText(language)) for language in languages()}

    def render(
        template: str,
        root: str,
        language: str,
        left_out: tuple[str, ...],
        embedded: tuple[tuple[str, bytes], ...],
        **values: object,
    ) -> tuple[bytes, bytes]:
        """The HTML of a page, before and after the state of the table, if that belongs in it."""
        html = render_template(
            template,
            root=root,
            language=language,
            texts=_texts(language),
            sent=_sent(language, left_out),
            languages=names,
            embedded={name: _markup(json) for name, json in embedded},
            **_start(language),
            **values,
        ).encode()
        before, _, after = html.partition(_STATE)
        return before, after

    # All phones at a table ask for the same page, and only the state in it changes.
    rendered_once = lru_cache(_PAGES_KEPT)(render)

    def page(
        template: str,
        left_out: tuple[str, ...] = (),
        embedded: Mapping[str, bytes] | None = None,
        *,
        state: bytes | None = None,
        **values: object,
    ) -> Response:
        root = current_arrival().root
        if chosen := chosen_language():
            switched = Response(status=303, headers={"Location": root + request.path[1:]})
            remember_language(switched, chosen)
            return switched
        data, language = tuple((embedded or {}).items()), request_translator().language
        html = render if state is None else rendered_once
        before, after = html(template, root, language, left_out, data, **values)
        return _response(before, after if state is None else _embeddable(state) + after)

    @app.endpoint("table_page")
    def table() -> Response:
        # The page looks the same from its first moment.
        snapshot = context.table.snapshot
        between = _is_between_nights(snapshot)
        return page(
            "table.html",
            (*ELSEWHERE, *LATER, *(NIGHT if between else LOBBY)),
            simulated=snapshot.board.simulated,
            panel="lobby" if between else "controls",
            has_night=snapshot.night is not None,
            embedded={**_first_look(context, snapshot), "state": _STATE},
            state=context.snapshots.state(
                snapshot, request_translator(), paired=context.client().paired
            ),
        )

    @app.endpoint("tv_page")
    def tv() -> Response:
        url, named = handed_on(current_reach(context))
        qr = qr_code(url) if url else None
        return page("tv.html", ELSEWHERE, address=url, named=named, qr=qr)

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

    _add_files(app)


def _add_files(app: Flask) -> None:
    """Adds the views of what pages load besides static files, in each language."""

    @app.endpoint("later_texts")
    def later_texts() -> Response:
        texts, prefixes = _texts(request_translator().language), (*LATER, *LOBBY, *NIGHT)
        later = {name: text for name, text in texts.items() if name.startswith(prefixes)}
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
        return unchanged_file("icon.svg")
