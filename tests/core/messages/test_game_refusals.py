"""What people read when the game refuses a command: each sentence, as the command provokes it."""

from __future__ import annotations

from typing import Any

import pytest

from pochboard.errors import Refusal
from pochboard.ledger.book import Book
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from tests.core.play import Night, command, melding


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
