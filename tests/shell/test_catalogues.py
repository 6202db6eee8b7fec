"""A message without a translation, or with a wrong one, is found before it reaches a table."""

from __future__ import annotations

import copy

import pytest
from babel.messages.catalog import Catalog

from pochboard.text.translator import ENGLISH, languages, translator
from tests.catalogues import PACKAGE, extracted, faults, read_files, updated

FILES = read_files(PACKAGE / "locale")


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return extracted()


HEADER, *BLOCKS = FILES["de.po"].split("\n\n")
_WANTED = ("{name} passes", "{name} holds with", "one=1")
FEW = [block for block in BLOCKS if any(part in block for part in _WANTED)]
"""The messages that the tests below damage: reading all of them each time would take long."""


def changed(old: str, new: str) -> dict[str, str]:
    german = "\n\n".join((HEADER, *FEW)) + "\n"
    assert german.count(old) == 1, old
    return {"de.po": german.replace(old, new)}


def test_every_message_has_an_up_to_date_translation(messages: Catalog) -> None:
    assert not list(faults(FILES, messages))


def test_a_new_message_is_missing_until_it_is_translated(messages: Catalog) -> None:
    more = copy.deepcopy(messages)
    more.add("The lamp is {colour}.")
    problems = list(faults(FILES, more))
    assert problems[0] == "de.po is stale: run .ci/messages"
    problems = list(faults(updated(FILES, more), more))
    assert problems == ["de.po: “The lamp is {colour}.”: it is not translated"]


def test_a_message_that_is_gone_makes_the_files_stale(messages: Catalog) -> None:
    extra = FILES["de.po"] + '\nmsgid "Gone"\nmsgstr "Weg"\n'
    assert list(faults({**FILES, "de.po": extra}, messages)) == ["de.po is stale: run .ci/messages"]
    assert updated({"de.po": extra}, messages)["de.po"] == FILES["de.po"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('msgstr "{name} passt."', 'msgstr ""', "“{name} passes.”: it is not translated"),
        ('msgstr "{name} passt."', 'msgstr "passt."', "“{name} passes.”: {name} is missing"),
        (
            'msgstr "{name} passt."',
            'msgstr "{name} passt {wo}."',
            "“{name} passes.”: {wo} is unknown",
        ),
        (
            'msgstr "{name} passt."',
            'msgstr "{name passt."',
            "“{name} passes.”: it cannot be filled: expected '}' before end of string",
        ),
        (
            '#, python-brace-format\nmsgid "{name} passes."',
            '#, fuzzy, python-brace-format\nmsgid "{name} passes."',
            "“{name} passes.”: it is fuzzy: check the translation, then remove the mark",
        ),
        (
            'msgstr[0] "{name} hält mit {count} Chip."',
            'msgstr[0] "{name} hält mit einem Chip."',
            "“{name} holds with {count} chip.”: {count} is missing",
        ),
        (
            "Plural-Forms: nplurals=2; plural=(n != 1);",
            "Plural-Forms: nplurals=1; plural=0;",
            "the header Plural-Forms should be nplurals=2; plural=(n != 1);",
        ),
        (
            'msgstr "one=1 other=2"',
            'msgstr "one=1 few=2"',
            "the plural categories should be like other=0 one=1",
        ),
    ],
)
def test_a_wrong_translation_is_found(old: str, new: str, fault: str) -> None:
    assert f"de.po: {fault}" in list(faults(changed(old, new), Catalog()))


def test_the_languages_are_english_and_the_catalogues() -> None:
    assert languages() == ("en", "de")
    assert translator("en") is ENGLISH
    german = translator("de")
    assert german.language == "de"
    assert german.forms("{count} card", "{count} cards") == {
        "one": "{count} Karte",
        "other": "{count} Karten",
    }
