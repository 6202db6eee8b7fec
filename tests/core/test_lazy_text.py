"""Texts that are English where a fact is found, and translated where they are shown."""

from __future__ import annotations

import ast
import pickle
from errno import EACCES
from pathlib import Path

import pytest

import pochboard
from pochboard.errors import BackupStorageError, ConfigError, LedgerError
from pochboard.text.lazy import (
    LazyText,
    Noun,
    clause,
    lazy_gettext,
    lazy_text,
    os_reason,
)
from pochboard.text.names import lazy_card
from pochboard.text.translator import ENGLISH, table_translator, translator
from tests.core.messages.test_extraction import places
from tests.not_empty import not_empty

GERMAN = translator("de")
TABLE = table_translator("de")
PACKAGE = Path(pochboard.__file__).parent


def test_an_error_says_its_text_in_any_language() -> None:
    error = ConfigError(lazy_gettext("There is no seat {seat}.", seat="x"))
    assert str(error) == "There is no seat x."
    assert lazy_text(error).in_language(GERMAN) == "Einen Spieler x gibt es nicht."
    assert lazy_text(ValueError("{x}")).in_language(GERMAN) == "{x}"
    assert lazy_text(ValueError()).in_language(GERMAN) == ""


def test_what_a_text_was_made_from_survives_another_process() -> None:
    again = pickle.loads(pickle.dumps(lazy_gettext("There is no seat {seat}.", seat="x")))
    assert again == "There is no seat x."
    assert again.in_language(GERMAN) == "Einen Spieler x gibt es nicht."
    file = Noun("the record of the nights", Path("/x"))
    for text in (clause(lazy_gettext("The daemon is stopping.")), file, lazy_card("KH")):
        copy = pickle.loads(pickle.dumps(text))
        assert (copy, type(copy)) == (text, type(text))
        assert copy.in_language(TABLE) == text.in_language(TABLE) != text


def test_a_file_is_called_by_its_path_or_by_what_it_is_at_the_table() -> None:
    path = Path("/x/ledger.db")
    file = Noun("the record of the nights", path)
    text = lazy_gettext("{path} is closed.", path=file)
    assert text == text.in_language(ENGLISH) == "/x/ledger.db is closed."
    assert text.in_language(GERMAN) == "/x/ledger.db ist geschlossen."
    assert text.in_language(table_translator("en")) == "The record of the nights is closed."
    assert text.in_language(TABLE) == "Das Spielprotokoll ist geschlossen."
    nested = LazyText("{error} {error}", error=LedgerError(text))
    assert nested.in_language(TABLE) == (
        "Das Spielprotokoll ist geschlossen. Das Spielprotokoll ist geschlossen."
    )
    within = lazy_gettext("There is no room for {path}: {reason}", path=file, reason="x")
    assert (
        within.in_language(table_translator("en"))
        == "There is no room for the record of the nights: x"
    )


def test_the_reason_of_the_system_is_translated() -> None:
    error = BackupStorageError(Noun("the backup"), PermissionError(EACCES, "Permission denied"))
    assert str(error) == "The backup cannot be written: Permission denied."
    assert lazy_text(error).in_language(GERMAN) == (
        "Die Sicherung kann nicht geschrieben werden: keine Berechtigung."
    )
    assert os_reason(OSError("odd")).in_language(GERMAN) == "odd"


# Every text that people may read can be translated.


Call = tuple[str, str, ast.Call]
"""The file and line of a call, the plain name that is called, and the call itself."""


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """The modules in which texts are made, by file."""
    texts = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    return {
        str(path.relative_to(PACKAGE)): ast.parse(text)
        for path, text in texts.items()
        if "lazy_" in text or "Error(" in text
    }


@pytest.fixture(scope="module")
def calls(trees: dict[str, ast.Module]) -> list[Call]:
    return [
        (f"{file}:{node.lineno}", node.func.id if isinstance(node.func, ast.Name) else "", node)
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and file != "text/lazy.py"
    ]


FORMS = {
    # name of the call: positions of the message's forms
    "lazy_gettext": (0,),
    "lazy_ngettext": (0, 1),
    "card_error": (0,),
    "refuse": (1,),
    "refuse_counted": (1, 2),
}


def test_every_place_of_a_text_is_filled(calls: list[Call]) -> None:
    count = 0
    for where, name, call in not_empty(calls):
        forms = [call.args[position] for position in FORMS.get(name, ())]
        literals = [form.value for form in forms if isinstance(form, ast.Constant)]
        if not forms or len(literals) < len(forms):
            continue  # a `LazyText`, or what these calls consist of
        given = {keyword.arg for keyword in call.keywords} - {"short"}
        named = {place for form in literals for place in places(str(form))}
        assert named - ({"count"} if len(forms) > 1 else set()) == given, where
        count += 1
    assert count > 200
