"""What refusals say of what a client sent, and how they name things."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pochboard
from pochboard.errors import Refusal
from pochboard.rules.registry import _WRONG_PHASE, RULES
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


COMMANDS = ", ".join(ALL_COMMANDS)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["deal"], 'A command is a JSON object with a field "do".'),
        ({}, f'"do" must name a command. The commands are {COMMANDS}.'),
        ({"do": "go", "seat": 0}, 'go: "seat" must be a whole number of at least 1, not 0.'),
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
