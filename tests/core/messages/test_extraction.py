"""Every message can be extracted, translated and filled."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from pathlib import Path
from typing import NamedTuple

import pytest

import pochboard
from pochboard.text.translator import ENGLISH, Translator
from tests.not_empty import not_empty

PACKAGE = Path(pochboard.__file__).parent
MARKERS = {
    # name of the call: positions of the message's forms
    "gettext": (0,),
    "N_": (0,),
    "ngettext": (0, 1),
    "ngettext_noop": (0, 1),
    "forms": (0, 1),
    "pgettext": (1,),
}
LEFT_TO_THE_CALLER = {"N_", "ngettext_noop", "forms"}


class Message(NamedTuple):
    where: str
    marker: str
    forms: tuple[str, ...]
    given: frozenset[str]
    """The placeholders that the call fills by name."""
    all_given: bool
    """Whether `given` is complete: no mapping fills further placeholders."""


FILES = sorted(
    str(file.relative_to(PACKAGE))
    for room in ("messages", "views")
    for file in (PACKAGE / room).glob("*.py")
)


@cache
def parsed(file: str) -> ast.Module:
    return ast.parse((PACKAGE / file).read_text("utf-8"))


def marker_of(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else None
    name = node.func.id if isinstance(node.func, ast.Name) else name
    return name if name in MARKERS else None


def messages() -> Iterator[Message]:
    for file in FILES:
        for node in ast.walk(parsed(file)):
            marker = marker_of(node)
            if marker is None:
                continue
            assert isinstance(node, ast.Call)
            where = f"{file}:{node.lineno}"
            if not isinstance(node.args[0], ast.Constant) and marker in ("gettext", "ngettext"):
                continue  # a message of a table, which is marked there
            forms = []
            for position in MARKERS[marker]:
                form = node.args[position]
                assert isinstance(form, ast.Constant), f"{where}: Babel reads literals alone"
                assert isinstance(form.value, str), where
                forms.append(form.value)
            given = {keyword.arg for keyword in node.keywords if keyword.arg}
            if marker in ("ngettext", "ngettext_noop", "forms"):
                given.add("count")
            spread = any(keyword.arg is None for keyword in node.keywords)
            yield Message(where, marker, tuple(forms), frozenset(given), not spread)


@pytest.fixture(scope="module")
def all_messages() -> list[Message]:
    return list(messages())


def places(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name is not None}


def test_both_forms_of_a_message_have_the_same_places(all_messages: list[Message]) -> None:
    for message in not_empty(all_messages):
        named = [places(form) for form in message.forms]
        assert all(name.isidentifier() for names in named for name in names), message
        assert named[0] == named[-1], message
        assert len(message.forms) == len(set(message.forms)), message


def test_all_places_are_filled_and_nothing_else_is_given(all_messages: list[Message]) -> None:
    for message in not_empty(all_messages):
        if message.marker in LEFT_TO_THE_CALLER or not message.all_given:
            continue
        named, given = places(message.forms[0]), message.given
        if message.marker == "gettext" and not given:
            continue  # a text of the page, which fills it
        assert named <= given, message
        assert given - {"count"} <= named, message


@pytest.mark.parametrize("file", FILES)
def test_all_words_are_marked(file: str) -> None:
    tree = parsed(file)
    marked: set[int] = set()
    for node in ast.walk(tree):
        if marker_of(node):
            assert isinstance(node, ast.Call)
            marked |= {id(part) for argument in node.args for part in ast.walk(argument)}
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                marked.add(id(first.value))
            for statement in node.body:  # a docstring of an attribute
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    marked.add(id(statement.value))
        if isinstance(node, ast.Assert) and node.msg:
            marked |= {id(part) for part in ast.walk(node.msg)}
        if isinstance(node, ast.Raise):
            marked |= {id(part) for part in ast.walk(node)}
    loose = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in marked
        and any(char.isalpha() for char in node.value)
        and " " in node.value.strip()
    ]
    assert not loose


class Shouting(NullTranslations):
    """A catalogue that shows what was looked up, and in which form."""

    def gettext(self, message: str) -> str:
        return message.upper().replace("{NAME}", "{name}")

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"{n % 10}: {msgid1 if n % 10 == 1 else msgid2}"

    def pgettext(self, context: str, message: str) -> str:
        return message if "categories" in context else f"{context}/{message}"


def test_a_catalogue_translates_before_places_are_filled() -> None:
    t = Translator(Shouting(), "xx")
    assert t.language == "xx"
    assert t.gettext("{name} passes.", name="Ben {x}") == "Ben {x} PASSES."
    assert t.ngettext("{count} chip", "{count} chips", 21) == "1: 21 chip"
    assert t.pgettext("seat", "left") == "seat/left"
    assert t.forms("{count} chip", "{count} chips") == {
        "one": "1: {count} chip",
        "other": "2: {count} chips",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Anna"], "Anna"),
        (["Anna", "Ben"], "Anna and Ben"),
        (["Anna", "Ben", "Clara"], "Anna, Ben and Clara"),
    ],
)
def test_lists_end_in_and(words: list[str], said: str) -> None:
    assert ENGLISH.listed(words) == said


def test_no_message_stands_within_an_f_string() -> None:
    """Babel finds it there with Python 3.12 and later only, so the files would differ."""
    within = [
        f"{file.relative_to(PACKAGE)}:{call.lineno}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for text in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and marker_of(call)
        if any(isinstance(argument, ast.Constant) for argument in call.args)
    ]
    assert within == []
