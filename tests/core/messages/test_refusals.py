"""What people read when the game refuses a command, and the codes that programs know."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pochboard
from pochboard.errors import Refusal
from pochboard.ledger.book import Book
from pochboard.rules.registry import _WRONG_PHASE, RULES
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from tests.core.play import ALL_COMMANDS, Night, command, melding

FOLDER = Path(pochboard.__file__).parent
CODES = """
    above-cap already-out already-turned bad-argument bad-backup bad-cards bad-json bad-place
    bad-players bad-ranking bad-request bad-ruleset bad-sheet below-call blocked-pool busy
    changed clock-set conflict counts-missing damaged does-not-hold empty-pool internal
    known-cards known-night ledger ledger-gone night-open night-over no-bots no-meaning
    no-raises no-seat no-table no-turned-card not-a-backup not-a-sheet not-acceptable
    not-correctable not-enough-chips not-found not-json not-paired not-responding not-simulated
    not-sitting-out
    not-your-turn nothing-to-redo nothing-to-undo pairing-closed pool-first refused
    ruleset-exists ruleset-in-use ruleset-not-saved ruleset-shipped seat-first seat-left
    seat-out seat-taken short-ante stopping table-full too-few too-large too-late too-many-cards
    too-many-codes too-soon unknown unknown-command unknown-night unknown-pairing
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
                case ast.Call(
                    func=ast.Name("refuse"),
                    args=[ast.Constant(str(code)), ast.Constant(str(sentence))],
                ):
                    yield code, sentence
                case ast.Call(
                    func=ast.Name("refuse_counted"),
                    args=[ast.Constant(str(code)), ast.Constant(one), ast.Constant(many), _],
                ):
                    yield code, (str(one), str(many))
                case _:
                    pass


def test_a_refusal_has_a_code_that_programs_know() -> None:
    code = re.compile(r'(?:\brefuse(?:_counted)?\(|Error, \d+,)\s*"([a-z-]+)"')
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


def why(night: Night, name: str, /, **fields: Any) -> str:
    """The sentence with which a command is refused."""
    refusal = night.book.apply(command(name, fields))
    assert isinstance(refusal, Refusal), f"{name} {fields} was accepted"
    return refusal.sentence


def why_malformed(raw: object) -> str:
    """The sentence with which the form of a command is refused."""
    refusal = Book(resolve_among(shipped_rulesets())).apply(raw)
    assert isinstance(refusal, Refusal), raw
    return refusal.sentence


PLAYERS = ["Anna", "Ben", "Clara"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"players": ["Anna", "Ben"]}, "“modern” is for 3 to 6 players, not 2."),
        (
            {"players": ["Anna", "Ben", "Anna "]},
            "Two players are called Anna. Give one of them another name.",
        ),
        ({"places": [1, 1, 2]}, "Places must be different numbers from 1 to 8."),
        (
            {"options": {"leftover": "spilt"}},
            '"leftover" must be "bank" or "split", not "spilt".',
        ),
    ],
)
def test_a_night_that_cannot_start(fields: dict[str, Any], sentence: str) -> None:
    given = {"ruleset": "modern", "players": PLAYERS, **fields}
    assert why(Night(None), "start", **given) == sentence


def test_coming_and_going() -> None:
    night = Night(options={"players": [2, 4]})
    assert why(night, "join", name=" ") == "A player needs a name."
    assert why(night, "join", name="Ben") == "The name Ben is taken. Choose another one."
    assert why(night, "rename", seat=1, name="Ben") == "The name Ben is taken. Choose another one."
    assert why(night, "join", name="Dora", place=9) == (
        "Place 9 is not free. Places 4, 5, 6, 7 and 8 are free."
    )
    assert why(night, "join", name="Dora", place=2) == (
        "Place 2 is not free. Places 4, 5, 6, 7 and 8 are free."
    )
    night.do("join", name="Dora")
    assert why(night, "join", name="Emma") == (
        "The table is full: “modern” is for at most 4 players."
    )
    night.do("leave", seat=3)
    night.do("leave", seat=4)
    assert why(night, "leave", seat=1) == "At least two players must stay. End the night instead."


def test_the_melding() -> None:
    night = melding()
    assert why(night, "turn", card="6H") == (
        "The 6 of hearts is not in this deal’s deck of 32 cards."
    )
    assert why(night, "stake", seat=2, chips=1) == "“Put in” is not possible during melding."
    night.do("turn", card="TH")
    assert why(night, "turn", card="KS") == (
        "The 10 of hearts has already been turned up in this deal."
    )
    assert why(night, "claim", seat=2, pool="ten") == (
        "Nobody can win Ten in this deal: its card was turned up."
    )
    night.do("claim", seat=2, pool="ace")
    assert why(night, "claim", seat=3, pool="ace") == "There are no chips in Ace."
    night.do("claim", seat=3, pool="king")
    assert why(night, "claim", seat=2, pool="marriage") == (
        "Clara has shown a card that Marriage needs, so Ben cannot hold all of its cards."
    )
    night = melding()
    night.do("claim", seat=2, pool="ace")
    assert why(night, "turn", card="AS") == (
        "Ace has been claimed already, but the ace of spades blocks it. Correct the claim first."
    )


def test_long_values_are_shortened() -> None:
    word, cut = "x" * 9_000, f"{'x' * 79}…"
    sentence = why_malformed({"do": word})
    assert sentence.startswith(f"There is no command “{cut}”. The commands are start, deal, ")
    start = {"do": "start", "players": ["Anna", "Ben", "Clara"]}
    sentence = why_malformed({**start, "ruleset": word[:90]})
    assert sentence.startswith(f"There is no ruleset “{cut}”.")
    sentence = why_malformed({**start, "ruleset": "modern", "options": {word: 1}})
    assert sentence.startswith(f'"{cut}" is not a parameter.')
    assert len(sentence) < 600
