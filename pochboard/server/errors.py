"""Refusals and errors as answers: `{"code", "message"}`, or a plain page for people."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Final

import msgspec

from pochboard.errors import Refusal

BAD_REQUESTS: Final = ("unknown-command", "bad-argument", "bad-ruleset", "bad-players")
"""The refusals of commands that say something wrong, rather than at the wrong time."""


class ApiError(Exception):
    """Ends a request with a status and a refusal."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.refusal = Refusal(code, message)


def status_of(refusal: Refusal) -> int:
    """The status that a refused command is answered with."""
    return 400 if refusal.code in BAD_REQUESTS else 409


def wants_page(path: str, accept: str) -> bool:
    """Whether a person is to read the answer: outside the API, in a browser."""
    return not path.startswith("/api/") and "text/html" in accept


def problem(status: int, refusal: Refusal, *, page: bool) -> tuple[bytes, str]:
    """Body and content type of an answer that is a refusal."""
    if not page:
        return msgspec.json.encode(refusal), "application/json"
    heading = escape(HTTPStatus(status).phrase)
    text = (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width">'
        f"<title>Pochboard: {heading}</title>"
        f'<h1>{heading}</h1><p>{escape(refusal.message)}</p><p><a href="/">The board</a></p></html>'
    )
    return text.encode(), "text/html; charset=utf-8"
