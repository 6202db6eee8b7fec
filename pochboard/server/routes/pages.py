"""The pages for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeVar, cast

import msgspec
from flask import Flask, Response, render_template, request
from markupsafe import Markup

from pochboard.messages.labels import language_name, page_words, ruleset_name
from pochboard.messages.parameters import differences, ruleset_summary, source_text
from pochboard.messages.rules_text import how_to_play, rules_text
from pochboard.rules.ruleset import Ruleset
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
from pochboard.server.web_files import modules_of, start_script, static_files, static_path, texts_in
from pochboard.table.snapshot import Snapshot
from pochboard.text.translator import ENGLISH, N_, Translator, languages, translator
from pochboard.time_zone import zone_name

_OF_A_TABLE: Final = ("/", "/tv", "/build")
"""Pages that a machine without a board does not have."""
PAGES: Final[dict[str, tuple[str, Callable[..., dict[str, object]]]]] = {}
"""By Flask's rule: the template, and the function that gives its variables."""
MANIFEST: Final = "/manifest.webmanifest"
_DESCRIPTION: Final = N_(
    "The board of a night of Poch: chips, whose turn it is, and what happened."
)


def _markup(value: object) -> Markup:
    """JSON as the content of a `script` element, which `<` could end or comment out."""
    json = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Markup(json.replace(b"<", b"\\u003c").decode())  # noqa: S704 - nothing can end it


@cache
def _sent_texts(language: str) -> Markup:
    """The words and translated texts that the modules need in a language."""
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


V = TypeVar("V", bound=Callable[..., dict[str, object]])


def _page(rule: str, template: str) -> Callable[[V], V]:
    """Declares the page whose variables the decorated function gives."""

    def declare(variables: V) -> V:
        PAGES[rule] = template, variables
        return variables

    return declare


@_page("/", "table.html")
def _table(context: Context) -> dict[str, object]:
    snapshot = context.table.snapshot
    return {
        "embedded": _first_look(context, snapshot),
        "simulated": snapshot.board.simulated,
    }


@_page("/tv", "tv.html")
def _tv(context: Context) -> dict[str, object]:
    url, named = handed_on(current_reach(context))
    return {"address": url, "named": named, "qr": qr_code(url) if url else None}


@_page("/nights", "nights.html")
def _nights(context: Context) -> dict[str, object]:
    # Without a table there is no stream that says what does not work.
    health = health_event(context.health, request_translator())
    return {"fault": None if context.has_table else health.message}


@_page("/statistics", "statistics.html")
def _statistics(_: Context) -> dict[str, object]:
    return {}


@_page("/build", "build.html")
def _build(_: Context) -> dict[str, object]:
    return {}


@_page("/rules", "rules.html")
def _rules(context: Context) -> dict[str, object]:
    t, snapshot = request_translator(), context.table.snapshot
    return {
        "sections": how_to_play(t),
        "rulesets": [
            (rules.name, ruleset_name(rules.name, t), ruleset_summary(rules, t))
            for rules in context.catalog.rulesets.values()
        ],
        "night": None if _is_between_nights(snapshot) else snapshot.night,
    }


@_page("/rules/<path:name>", "ruleset.html")
def _ruleset(context: Context, name: str) -> dict[str, object]:
    rules = context.catalog.rulesets.get(name)
    if rules is None:
        raise ApiError(404, NOTHING_HERE)
    return _rules_of(rules, context.catalog.preset(rules))


@_page("/nights/<number:number>/rules", "ruleset.html")
def _night_rules(context: Context, number: int) -> dict[str, object]:
    snapshot = context.table.snapshot
    same = number == snapshot.night
    state = snapshot.state if same else context.table.nights.night(number).states[-1]
    preset = context.catalog.preset(state.rules, of_night=True)
    return {**_rules_of(state.rules, preset), "night": number}


def _rules_of(rules: Ruleset, preset: Ruleset | None) -> dict[str, object]:
    """The rules of a ruleset in words, and its differences from a preset."""
    t = request_translator()
    return {
        "ruleset": ruleset_name(rules.name, t),
        "source": source_text(rules.source, t),
        "preset": ruleset_name(preset.name, t) if preset else "",
        "differences": differences(rules, preset, t) if preset else (),
        "sections": rules_text(rules, t),
    }


@_page("/nights/<number:number>", "night.html")
def _night(context: Context, number: int) -> dict[str, object]:
    # All that it draws first but the entries, which its HTML has the browser ask for.
    return {"embedded": {"night": get_night(context, number)}, "number": number}


def add_pages(app: Flask, context: Context) -> None:
    """Adds the views of the pages and of the manifest that they name."""
    app.jinja_env.globals["modules_of"] = modules_of
    for rule in PAGES:
        app.endpoint(rule)(_view(rule, context))

    @app.endpoint(MANIFEST)
    def manifest() -> Response:
        body = msgspec.json.encode(_manifest(request_translator()))
        return Response(body, mimetype="application/manifest+json")


def _view(rule: str, context: Context) -> Callable[..., Response]:
    template, variables = PAGES[rule]
    names = {language: language_name(translator(language)) for language in languages()}

    def view(**arguments: Any) -> Response:
        root = current_arrival().root
        if chosen := chosen_language():
            switched = Response(status=303, headers={"Location": root + request.path[1:]})
            remember_language(switched, chosen)
            return switched
        if rule in _OF_A_TABLE and not context.has_table:
            return Response(status=303, headers={"Location": f"{root}nights"})
        own, t = variables(context, **arguments), request_translator()
        embedded = cast("Mapping[str, object]", own.pop("embedded", {}))
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
            embedded={name: _markup(value) for name, value in embedded.items()},
            **own,
        )
        response = Response(html, mimetype="text/html")
        response.add_etag(weak=True)
        response.make_conditional(request)
        return response

    return view
