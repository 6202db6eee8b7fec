"""A message without a translation, or with a wrong one, is found before it reaches a table."""

from __future__ import annotations

import copy
import gettext
import io
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from pochboard.text.catalogues import LOCALE, compiled, languages, translator
from pochboard.text.translator import ENGLISH
from tests.catalogues import (
    click_files,
    extracted,
    faults,
    forms_of,
    read_files,
    stale_click_files,
    updated,
)

FILES = read_files(LOCALE)


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return extracted()


HEADER, *BLOCKS = FILES["de.po"].split("\n\n")
FEW = [block for block in BLOCKS if "{name} passes" in block or "{name} holds with" in block]
"""The messages that the tests below damage: reading all of them each time would take long."""


def changed(old: str, new: str) -> dict[str, str]:
    german = "\n\n".join((HEADER, *FEW)) + "\n"
    assert german.count(old) == 1, old
    return {"de.po": german.replace(old, new)}


def test_every_message_has_an_up_to_date_translation(messages: Catalog) -> None:
    assert not list(faults(FILES, messages))


def test_click_reads_its_messages_from_a_compiled_file(tmp_path: Path) -> None:
    assert not list(stale_click_files(LOCALE, FILES))
    assert list(stale_click_files(tmp_path, FILES)) == [
        "de/LC_MESSAGES/messages.mo is stale: run .ci/messages"
    ]
    ((file, content),) = click_files(tmp_path, FILES).items()
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    assert not list(stale_click_files(tmp_path, FILES))
    changed = {"de.po": FILES["de.po"].replace('"Optionen"', '"Schalter"')}
    assert len(list(stale_click_files(tmp_path, changed))) == 1
    german = gettext.translation("messages", tmp_path, ["de"])
    assert german.gettext("Options") == "Optionen"
    assert german.gettext("{name} passes.") == "{name} passes."


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
            "X-Plural-Samples: one=1 other=2",
            "X-Plural-Samples: one=1 few=2",
            "the header X-Plural-Samples should be like other=0 one=1",
        ),
    ],
)
def test_a_wrong_translation_is_found(old: str, new: str, fault: str) -> None:
    assert f"de.po: {fault}" in list(faults(changed(old, new), Catalog()))


def test_a_catalogue_is_compiled_as_babel_reads_it(messages: Catalog) -> None:
    catalogue = compiled(FILES["de.po"])
    german = read_po(io.BytesIO(FILES["de.po"].encode()), locale="de")
    count = 0
    for message in messages:
        first, *many = forms_of(message.id)
        if not first:
            continue
        translated = german.get(message.id, message.context)
        assert translated is not None, first
        forms = forms_of(translated.string)
        if many:
            by_number = {catalogue.ngettext(first, many[0], number) for number in (0, 1, 2, 21)}
            assert by_number == set(forms)
        elif message.context:
            assert (catalogue.pgettext(message.context, first),) == forms
        else:
            assert (catalogue.gettext(first),) == forms
        count += 1
    assert count > 700
    assert catalogue.pgettext("seat", "dealer") == "gibt"
    assert catalogue.gettext('{command}: cards: a seat is named by its number, as in {{"3": 2}}.')
    assert catalogue.gettext("not a message") == "not a message"


def test_a_line_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a line of a PO file: msgstr oops"):
        compiled('msgid "a"\nmsgstr oops\n')


def test_the_languages_are_english_and_the_catalogues() -> None:
    assert languages() == ("en", "de")
    assert translator("en") is ENGLISH
    german = translator("de")
    assert german.language == "de"
    assert german.forms("{count} card", "{count} cards") == {
        "one": "{count} Karte",
        "other": "{count} Karten",
    }


POLISH = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)"
" ? 1 : 2);\n"
"X-Plural-Samples: one=1 few=2 many=5\n"

# A comment of the translator
#: pochboard/messages/page.py
msgid "{count} card"
msgid_plural "{count} cards"
msgstr[0] "{count} karta"
msgstr[1] ""
"{count} "
"karty"
msgstr[2] "{count} kart"
"""


def test_a_third_language_may_have_more_plurals() -> None:
    catalogue = compiled(POLISH)
    forms = [catalogue.ngettext("{count} card", "{count} cards", number) for number in (1, 22, 5)]
    assert forms == ["{count} karta", "{count} karty", "{count} kart"]
    assert re.search("one=1 few=2 many=5", catalogue.info()["x-plural-samples"])
