"""German from every module: no English is left in it, and names, numbers and lists fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.errors import Refusal
from pochboard.ledger.replay import summarize
from pochboard.ledger.results import summary_results
from pochboard.messages.entries import sentences
from pochboard.messages.nights import listed_result
from pochboard.table.bot_runner import BotOptions
from pochboard.text.translator import translator
from pochboard.views.actions import actions
from pochboard.views.board import pool_details
from pochboard.views.guidance import guidance
from pochboard.views.referee import referee_question
from pochboard.views.seats import rim, seat_rows
from tests.core.play import Night
from tests.core.views.moments import snapshot
from tests.not_empty import not_empty

GERMAN = translator("de")
NIGHTS = Path(__file__).parents[2] / "nights"
SHEETS = sorted(file.name for file in NIGHTS.glob("*.jsonl"))
ENGLISH_WORDS = re.compile(
    r"\b(the|and|of|is|are|to|not|has|have|for|with|place|seat|press|hold|deal|deals|night|card"
    r"|cards|king|queen|jack|ace|ten|hearts|spades|clubs|diamonds|chip|bank|next|undo|nobody)\b"
)


def entries_of(name: str) -> Iterator[Night]:
    """The nights of a sheet of commands, yielded after each command that is accepted."""
    night = Night(None)
    for line in (NIGHTS / name).read_text("utf-8").splitlines():
        command = json.loads(line) if line.startswith("{") else {}
        if "do" not in command:
            continue
        if command["do"] == "start":
            night = Night(None)
        if not isinstance(night.book.apply(command), Refusal):
            yield night


def texts(value: Any) -> Iterator[str]:
    """Every string in a value, apart from those that are sent back or are names in the API."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in ("value", "pool", "pools", "claims", "name", "kind"):
                yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
    elif isinstance(value, str):
        yield value


def english(value: object) -> list[str]:
    """The texts in a value that have an English word."""
    sentences = texts(msgspec.to_builtins(value))
    return [text for text in sentences if ENGLISH_WORDS.search(re.sub(r"\{\w+\}", "", text))]


@pytest.mark.parametrize("name", [name for name in SHEETS if "presses" not in name])
def test_no_english_word_is_left_in_a_night(name: str) -> None:
    t = GERMAN
    seen = 0
    for night in not_empty(entries_of(name)):
        seen += 1
        state = night.book.state
        moment = snapshot(night)
        made = msgspec.to_builtins(actions(moment, t))
        made.get("undo", {}).pop("sentence", None)
        assert not english(made)
        assert not english(guidance(moment, t))
        flags = [flag.text for row in seat_rows(state, None, t) for flag in row.flags]
        assert not english(flags)
        assert not english([plaque.label for plaque in rim(state, None, t)])
        details = pool_details(state, moment.legal.claims, t)
        assert not english([(detail.name, detail.label) for detail in details])
        question = referee_question(state, t)
        if question:
            assert not english([question.label, *(grid.hint for grid in question.grids.values())])
        if state.phase == "closed":
            assert not english(sentences(night.book.entries, night.book.states, t))
            summary = summarize(1, night.book.entries, state)
            assert not english([listed_result(summary, summary_results(summary), t)])
    assert seen


def test_computer_players_have_german_names() -> None:
    names = BotOptions(players=3).start(GERMAN).players
    assert names == ("Kluge Sophie", "Mutiger Bruno", "Vorsichtige Clara")
