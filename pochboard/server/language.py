"""The language of a request: the cookie that the page's switch sets, else Accept-Language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from flask import Response, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header, parse_cookie

from pochboard.server.forwarding import cookie_scope
from pochboard.text.catalogues import languages, translator
from pochboard.text.translator import ENGLISH, Translator

COOKIE: Final = "language"
QUERY: Final = "lang"
"""The query of a page that sets the cookie."""
VARY: Final = ("Accept-Language", "Cookie")
"""The headers that an answer in a language depends on."""
_MAX_AGE_S: Final = 365 * 24 * 3600


def translator_for(headers: Mapping[str, str]) -> Translator:
    """The translator for a request with these headers, whose names are in lower case."""
    # Cookies of other programs on this host may hold any bytes; parse_cookie takes only UTF-8.
    cookies = headers.get("cookie", "").encode("ascii", "replace").decode("ascii")
    chosen = parse_cookie(cookies).get(COOKIE)
    if chosen in languages():
        return translator(chosen)
    return _accepted(headers.get("accept-language", ""))


@lru_cache(64)
def _accepted(header: str) -> Translator:
    accepted = parse_accept_header(header, LanguageAccept)
    return translator(accepted.best_match(languages(), ENGLISH.language))


def request_translator() -> Translator:
    """The translator for the current request of Flask."""
    return translator_for({name.lower(): value for name, value in request.headers})


def chosen_language() -> str | None:
    """The language that the current request asks to switch to, if there is such a language."""
    chosen = request.args.get(QUERY)
    return chosen if chosen in languages() else None


def remember_language(response: Response, language: str) -> None:
    """Makes a language the client's choice for a year. `Lax`, because a link may have set it."""
    response.set_cookie(
        COOKIE, language, max_age=_MAX_AGE_S, httponly=True, samesite="Lax", **cookie_scope()
    )
