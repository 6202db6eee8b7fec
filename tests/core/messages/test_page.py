"""The page's own texts: the forms of those that count, cards, settings and errors.

`shell/test_page_files.py` shows that the page uses each text, and asks for no other.
"""

from __future__ import annotations

import pytest

from pochboard.buttons.settings import BRIGHTNESS, VOLUME
from pochboard.messages.page import error_heading, language_name, page_texts
from pochboard.text.translator import ENGLISH, languages, translator

GERMAN = {
    "AS": "Grün-Daus",
    "KH": "Rot-König",
    "QD": "Schellen-Ober",
    "JC": "Eichel-Unter",
    "TH": "Rot-10",
    "7S": "Grün-7",
    "C": "Eichel",
    "D": "Schellen",
    "H": "Rot",
    "S": "Grün",
}


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


def test_every_step_of_a_setting_has_a_word() -> None:
    texts = page_texts(ENGLISH)
    steps = [f"device.{name}" for name in ("brightness", "volume")]
    steps += [f"device.brightness_{step}" for step in BRIGHTNESS]
    steps += [f"device.volume_{step}" for step in VOLUME]
    assert [step for step in steps if step not in texts] == []


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


@pytest.mark.parametrize("language", languages())
def test_a_language_has_a_name_of_its_own(language: str) -> None:
    assert (language_name(translator(language)) == "English") == (language == "en")
