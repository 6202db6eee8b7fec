"""Every refusal of the program has a sentence, whose places it fills."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from typing import NamedTuple

import pytest

import pochboard
from pochboard.errors import Refusal, refuse
from pochboard.messages.refusals import _SENTENCES, _WRONG_PHASE, refusal_text
from pochboard.messages.translator import Translator
from pochboard.rules.registry import RULES
from tests.core.play import Night

FOLDER = Path(pochboard.__file__).parent


class Call(NamedTuple):
    where: str
    key: tuple[str, str]
    values: frozenset[str]


def calls() -> Iterator[Call]:
    """Every call of `refuse` in the program that names its code and case."""
    for file in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id != "refuse":
                continue
            named = [part.value for part in node.args if isinstance(part, ast.Constant)]
            if len(named) < len(node.args):
                continue  # the case is made from a field's name
            code, case = (*map(str, named), "")[:2]
            values = frozenset(word.arg for word in node.keywords if word.arg)
            yield Call(f"{file.name}:{node.lineno}", (code, case), values)


ALL = list(calls())


def places(key: tuple[str, str]) -> set[str]:
    """The places of a sentence, in both forms."""
    sentence = _SENTENCES[key]
    forms = (sentence,) if isinstance(sentence, str) else sentence.forms
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_refusals_are_found() -> None:
    assert len(ALL) > 60


@pytest.mark.parametrize("call", ALL, ids=lambda call: call.where)
def test_every_refusal_fills_a_sentence(call: Call) -> None:
    if call.key == ("wrong-phase", "") and call.key not in _SENTENCES:
        assert call.values >= {"phase", "command"}
        return
    assert call.key in _SENTENCES
    assert places(call.key) <= call.values
    sentence = _SENTENCES[call.key]
    if not isinstance(sentence, str):
        assert sentence.counted in call.values


def test_every_sentence_is_of_use() -> None:
    used = {call.key for call in ALL}
    # The forms of fields are chosen by the field's name.
    unused = {key for key in _SENTENCES if key not in used and "form-of-" not in key[1]}
    assert unused == set()


def test_every_phase_of_a_night_refuses_what_has_no_place_in_it() -> None:
    phases = {phase for rule in RULES.values() for phase in rule.phases}
    assert set(_WRONG_PHASE) == phases - {"none"}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ({"do": "turn", "card": "xx"}, "as in TH."),
        ({"do": "adjust", "from": "x", "to": "bank", "chips": 1, "reason": "r"}, "seat:NUMBER."),
        ({"do": "adjust", "from": "bank", "to": "x", "chips": 1, "reason": "r"}, "seat:NUMBER."),
        ({"do": "settle", "cards": {"x": 1}}, 'as in {"3": 2}.'),
    ],
)
def test_what_a_field_must_look_like_is_said(command: object, sentence: str) -> None:
    night = Night()
    refusal = night.book.apply(command)
    assert isinstance(refusal, Refusal)
    assert refusal_text(refusal).endswith(sentence)


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (refuse("below-call", chips=1), "It takes 1 chip to stay in."),
        (refuse("below-call", chips=2), "It takes 2 chips to stay in."),
        (
            refuse("counts-missing", seats=("Anna",)),
            "How many cards does Anna have left?",
        ),
        (
            refuse("counts-missing", seats=("Place 1", "Place 3", "Place 7")),
            "How many cards do Place 1, Place 3 and Place 7 have left?",
        ),
        (refuse("empty-pool", pool="ace"), "There are no chips in Ace."),
        (refuse("not-your-turn", turn="Hans", seat="Anna"), "It is Hans’s turn, not Anna’s."),
        (
            refuse("bad-place", "number", players=3, places=1),
            "Each player needs one place: there are 3 players and 1 place.",
        ),
        (
            refuse("bad-place", "number", players=3, places=2),
            "Each player needs one place: there are 3 players and 2 places.",
        ),
        (refuse("no-meaning", button="marriage"), "The Marriage button does nothing now."),
        (refuse("no-meaning", button="next"), "The next button does nothing now."),
        (refuse("too-soon"), "Too quick: wait a second, then press next again."),
        (
            refuse("wrong-phase", phase="meld", command="stake"),
            "“stake” is not possible during melding.",
        ),
    ],
)
def test_sentences(refusal: Refusal, sentence: str) -> None:
    assert refusal_text(refusal) == sentence


def test_a_table_without_a_free_place_is_full_whatever_the_ruleset_takes() -> None:
    night = Night("banker", 8, options={"players": [3, 8]})
    night.shed()
    night.have({8: 0})
    night.settle(1)
    refusal = night.book.apply({"do": "join", "name": "Zoe"})
    assert isinstance(refusal, Refusal)
    assert refusal_text(refusal) == "The table is full: all 8 places are taken."


class Quoting(NullTranslations):
    """A catalogue that marks what it translates; its empty message is its header, as always."""

    def gettext(self, message: str) -> str:
        return f"<{message}>" if message else "Content-Type: text/plain"


def test_what_a_client_made_up_is_not_translated() -> None:
    t = Translator(Quoting())
    for made_up in ("", "nope"):
        text = refusal_text(refuse("unknown-pool", pool=made_up), t)
        assert text == f"<This ruleset has no pool “{made_up}”.>"


def test_buttons_are_called_in_the_language_of_the_sentence() -> None:
    t = Translator(Quoting())
    for button, name in (("next", "next"), ("pinke", "Pinke")):
        text = refusal_text(refuse("no-meaning", button=button), t)
        assert text == f"<The <{name}> button does nothing now.>"
