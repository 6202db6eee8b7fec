"""The language of a request: its query, else the cookie of the switch, else Accept-Language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qs

from flask import Response, request
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header, parse_cookie

from pochboard.server.forwarding import cookie_scope
from pochboard.text.translator import ENGLISH, Translator, languages, table_translator

COOKIE: Final = "language"
QUERY: Final = "lang"
"""The parameter of a query that names the language. That of a page also sets the cookie."""
VARY: Final = ("Accept-Language", "Cookie")
"""The headers that an answer in a language depends on."""
_MAX_AGE_S: Final = 365 * 24 * 3600


def translator_for(headers: Mapping[str, str], query: bytes) -> Translator:
    """The translator for a request with this query and these headers, whose names are lower case.

    A page names its own language, because the cookie may have been changed in another window.
    """
    if asked := _asked(query):
        return table_translator(asked)
    # Cookies of other programs on this host may hold any bytes; parse_cookie takes only UTF-8.
    cookies = headers.get("cookie", "").encode("ascii", "replace").decode("ascii")
    chosen = parse_cookie(cookies).get(COOKIE)
    if chosen in languages():
        return table_translator(chosen)
    return _accepted(headers.get("accept-language", ""))


@lru_cache(64)
def _asked(query: bytes) -> str | None:
    (chosen, *_) = parse_qs(query.decode("latin-1")).get(QUERY, [""])
    return chosen if chosen in languages() else None


@lru_cache(64)
def _accepted(header: str) -> Translator:
    accepted = parse_accept_header(header, LanguageAccept)
    return table_translator(accepted.best_match(languages(), ENGLISH.language))


def request_translator() -> Translator:
    """The translator for the current request of Flask."""
    asked = {name: request.headers.get(name, "") for name in ("cookie", "accept-language")}
    return translator_for(asked, request.query_string)


def chosen_language() -> str | None:
    """The language that the current request asks to switch to, if there is such a language."""
    return _asked(request.query_string)


def remember_language(response: Response, language: str) -> None:
    """Makes a language the client's choice for a year. `Lax`, because a link may have set it."""
    response.set_cookie(
        COOKIE, language, max_age=_MAX_AGE_S, httponly=True, samesite="Lax", **cookie_scope()
    )
