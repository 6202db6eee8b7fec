"""The page's own texts: the forms of those that count, cards, settings and errors.

`shell/test_page_files.py` shows that the page uses each text, and asks for no other.
"""

from __future__ import annotations

from pochboard.messages.page import error_heading, page_texts
from pochboard.text.translator import ENGLISH


def test_texts_that_count_have_both_forms() -> None:
    counted = {name: text for name, text in page_texts(ENGLISH).items() if isinstance(text, dict)}
    assert sorted(counted) == [
        "account.title",
        "backup.ready",
        "bots.cards",
        "bots.played_before",
        "correct.again",
        "count.most",
        "statistics.counting",
        "tv.chips",
    ]
    assert counted["bots.cards"] == {"one": "{count} card", "other": "{count} cards"}
    assert counted["account.title"] == {
        "one": "{name}: {count} chip",
        "other": "{name}: {count} chips",
    }


def test_the_heading_of_an_error_is_the_name_of_its_status() -> None:
    named = {
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        421: "Misdirected Request",
        429: "Too Many Requests",
        500: "Internal Server Error",
        503: "Service Unavailable",
        418: "I'm a Teapot",
    }
    assert {status: error_heading(status, ENGLISH) for status in named} == named
