"""No text bypasses the translator: with a catalogue, every text comes from the catalogue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path
from typing import Any

import msgspec

from pochboard.ledger.replay import summarize
from pochboard.ledger.results import summary_results
from pochboard.messages.entries import sentences
from pochboard.messages.nights import listed_result, listed_summary
from pochboard.messages.page import page_texts
from pochboard.messages.parameters import parameter_form
from pochboard.text.translator import Translator
from pochboard.views.actions import actions
from pochboard.views.board import pool_details
from pochboard.views.guidance import guidance
from pochboard.views.referee import referee_question
from pochboard.views.seats import rim, seat_rows
from tests.core.play import Night
from tests.core.views.moments import snapshot
from tests.some import some

NIGHTS = Path(__file__).parents[2] / "nights"


class Marking(NullTranslations):
    """A catalogue that puts each message in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"

    def pgettext(self, context: str, message: str) -> str:
        return message if "categories" in context else f"⟦{message}⟧"


MARKED = Translator(Marking(), "xx")
WORDS = ("label", "title", "hint", "question", "confirm", "text", "note", "detail")
"""The ends of the names of fields that hold words."""


def nights() -> Iterator[Night]:
    """Nights of several rulesets, yielded after each command."""
    for name in ("modern-a", "banker-a", "thirty-one-a", "house-capped-split"):
        night = Night(None)
        for line in (NIGHTS / f"{name}.jsonl").read_text("utf-8").splitlines():
            sheet_line = json.loads(line) if line.startswith("{") else {}
            if "do" in sheet_line:
                night.book.apply(sheet_line)
                yield night


def words(value: Any, name: str = "") -> Iterator[str]:
    """All words within a value, found by the names of the fields."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from words(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from words(part, name)
    elif isinstance(value, str) and name.rsplit("_", maxsplit=1)[-1] in WORDS:
        yield value


def unmarked(value: object) -> list[str]:
    """The words that do not come from the catalogue, apart from numbers."""
    all_words = words(msgspec.to_builtins(value))
    return [word for word in all_words if any(map(str.isalpha, word)) and "⟦" not in word]


def test_every_state_is_said_in_the_language_that_is_asked_for() -> None:
    seen = 0
    for night in some(nights()):
        state = night.book.state
        moment = snapshot(night)
        made = msgspec.to_builtins(actions(moment, MARKED))
        if "turn" in made:
            # Cards have their own names in other languages.
            assert made["turn"].pop("ranks")[0]["label"] == "Ass"
            assert made["turn"].pop("suits")[0]["label"] == "Kreuz"
        for account in made.get("adjust", {}).get("accounts", []):
            if account["value"].startswith("seat:"):
                account["label"] = ""  # a player's name
        guide = guidance(moment, MARKED)
        assert all("⟦" in line for line in (guide.title, *guide.lines))
        assert not unmarked(made)
        assert not unmarked(seat_rows(state, None, MARKED))
        assert not unmarked(rim(state, None, MARKED))
        assert not unmarked(pool_details(state, moment.legal.claims, MARKED))
        if asked := referee_question(state, MARKED):
            assert "⟦" in asked.label
            assert not unmarked(asked.grids)
        seen += 1
    assert seen > 100


def test_every_entry_is_said_in_the_language_that_is_asked_for() -> None:
    for night in some(nights()):
        if night["phase"] != "closed":
            continue
        book = night.book
        assert all(said.startswith("⟦") for said in sentences(book.entries, book.states, MARKED))
        summary = summarize(1, book.entries, book.state)
        assert listed_result(summary, summary_results(summary), MARKED).startswith("⟦")
        assert listed_summary(summary, MARKED).startswith("⟦")


def test_every_text_of_the_page_is_translated() -> None:
    texts = page_texts(MARKED)
    # Cards have their own names in other languages.
    assert texts["card.french.KH"] == "Herz-König"
    texts = {
        name: text
        for name, text in texts.items()
        if not name.startswith(("card.", "suit.", "rank."))
    }
    for name, text in some(texts.items()):
        forms = [text] if isinstance(text, str) else list(text.values())
        assert all(form.startswith("⟦") for form in forms), name


def test_the_form_of_the_parameters_is_translated() -> None:
    for field in some(parameter_form(MARKED)):
        assert field.label.startswith("⟦")
        assert all(
            choice.label.startswith("⟦") for choice in field.choices if choice.value not in (32, 52)
        )
