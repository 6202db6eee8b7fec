"""A message without a translation, or with a wrong one, is found before it reaches a table."""

from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog

from pochboard.text.translator import ENGLISH, languages, translator
from tests.catalogues import PACKAGE, extracted, faults, read_files

FILES = read_files(PACKAGE / "locale")


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return extracted()


HEADER, *BLOCKS = FILES["de.po"].split("\n\n")


def test_every_message_has_an_up_to_date_translation(messages: Catalog) -> None:
    assert not list(faults(FILES, messages))


def test_the_languages_are_english_and_the_catalogues() -> None:
    assert languages() == ("en", "de")
    assert translator("en") is ENGLISH
    german = translator("de")
    assert german.language == "de"
    assert german.forms("{count} card", "{count} cards") == {
        "one": "{count} Karte",
        "other": "{count} Karten",
    }
