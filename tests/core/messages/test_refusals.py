"""What refusals say of what a client sent, and how they name things."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

import pochboard
from pochboard.errors import Refusal
from pochboard.rules.registry import _WRONG_PHASE, RULES
from pochboard.text.allowed_values import cut_off
from pochboard.text.lazy import lazy_gettext, lazy_listed
from pochboard.text.names import lazy_pool
from pochboard.text.translator import ENGLISH, Translator
from tests.core.play import ALL_COMMANDS, Night

FOLDER = Path(pochboard.__file__).parent
CODES = """
    above-cap already-out already-turned bad-argument bad-backup bad-cards bad-json bad-place
    bad-players bad-ranking bad-request bad-ruleset bad-sheet below-call blocked-pool busy
    changed clock-set conflict counts-missing damaged does-not-hold empty-pool internal
    known-cards known-night ledger ledger-gone night-open night-over no-demo no-link no-meaning
    no-raises no-seat no-table no-turned-card not-a-backup not-a-sheet not-acceptable
    not-correctable not-enough-chips not-found not-json not-paired not-simulated not-sitting-out
    not-your-turn nothing-to-redo nothing-to-undo pairing-closed pool-first refused replay-over
    ruleset-exists ruleset-in-use ruleset-not-saved ruleset-shipped seat-first seat-left
    seat-out seat-taken short-ante stopping table-full too-few too-large too-late too-many-cards
    too-many-codes too-slow too-soon unknown unknown-command unknown-night unknown-pairing
    unknown-pool unknown-seat wrong-code wrong-host wrong-method wrong-origin
    wrong-phase
"""
"""The codes that programs know."""


def decided() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """The code of each call of `refuse` in the program, and its sentence if it is a literal."""
    for file in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name("refuse"),
                    args=[ast.Constant(str(code)), ast.Call(func=ast.Name(kind), args=forms)],
                ) if kind.startswith("lazy_") and kind.endswith("gettext"):
                    one, *many = [str(f.value) for f in forms if isinstance(f, ast.Constant)]
                    yield code, (one, many[0]) if many else one


def test_a_refusal_has_a_code_that_programs_know() -> None:
    code = re.compile(r'\brefuse\(\s*"([a-z-]+)"')
    decided = {
        name for file in FOLDER.rglob("*.py") for name in code.findall(file.read_text("utf-8"))
    }
    assert sorted(decided) == CODES.split()


def test_every_phase_of_a_night_refuses_what_has_no_place_in_it() -> None:
    phases = {phase for rule in RULES.values() for phase in rule.phases}
    assert set(_WRONG_PHASE) == phases - {"none"}


RECOUNT = {"do": "adjust", "from": "bank", "to": "seat:1", "chips": 1, "reason": "r"}
COMMANDS = ", ".join(ALL_COMMANDS)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["deal"], 'A command is a JSON object with a field "do".'),
        ({}, f'"do" must name a command. The commands are {COMMANDS}.'),
        ({"do": "go", "seat": 0}, 'go: "seat" must be a whole number of at least 1, not 0.'),
        (
            {"do": "turn", "card": "xx"},
            (
                'turn: "card" must be a card such as "TH", or its suit alone, not "xx": a rank of'
                " 23456789TJQKA and a suit of CDHS."
            ),
        ),
        ({**RECOUNT, "to": "x"}, 'adjust: "to" must be bank, pool:NAME or seat:NUMBER, not "x".'),
        (
            {"do": "rename", "seat": 1, "name": "An\x07na"},
            'rename: "name" contains an invisible character. Type it again.',
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_the_refusal_says_what_a_command_must_look_like(command: object, sentence: str) -> None:
    night = Night()
    refusal = night.book.apply(command)
    assert isinstance(refusal, Refusal)
    assert refusal.sentence == sentence


class Quoting(NullTranslations):
    """A catalogue that marks what it translates; its empty message is its header, as always."""

    def gettext(self, message: str) -> str:
        return f"<{message}>" if message else "Content-Type: text/plain"


def test_what_a_client_made_up_is_not_translated() -> None:
    t = Translator(Quoting())
    for made_up in ("", "nope"):
        text = lazy_gettext("This ruleset has no pool “{pool}”.", pool=lazy_pool(made_up))
        assert text.in_language(t) == f"<This ruleset has no pool “{made_up}”.>"


def test_a_long_name_is_cut_off_and_a_list_isolates_each_name() -> None:
    assert cut_off("x" * 81) == "x" * 79 + "…"
    names = lazy_listed(["אבא", "Ben", "אמא"])
    assert names == "אבא, Ben and אמא"
    assert names.in_language(ENGLISH) == ENGLISH.listed(["אבא", "Ben", "אמא"])
    assert lazy_listed(["Anna"]).in_language(ENGLISH) == "Anna"
