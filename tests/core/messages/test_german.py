"""The German sentences, word for word, from every module of messages; and no English among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.cards.referee import showdown
from pochboard.errors import Refusal
from pochboard.ledger.replay import summarize
from pochboard.ledger.results import summary_results
from pochboard.lights.display import DisplayConfig
from pochboard.messages.commentary import (
    BetReason,
    card_played,
    cards_shown,
    takes_run,
    trump_suit,
    why_bet,
)
from pochboard.messages.entries import sentences
from pochboard.messages.health import fault_text
from pochboard.messages.labels import account_name, phase_name, pool_names
from pochboard.messages.nights import listed_result, listed_summary, night_result
from pochboard.messages.page import page_texts
from pochboard.messages.parameters import parameter_form, ruleset_summary
from pochboard.messages.verdicts import Words, why_ranked
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import Claim
from pochboard.rules.registry import verify
from pochboard.rules.ruleset import override, shipped_rulesets
from pochboard.text.catalogues import translator
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_listed, lazy_ngettext
from pochboard.text.names import CardName, lazy_button, lazy_pool
from pochboard.views.actions import actions
from pochboard.views.board import pool_details
from pochboard.views.demo import table_message
from pochboard.views.guidance import guidance
from pochboard.views.pairing import pairing_state
from pochboard.views.referee import ranking_label, referee_question
from pochboard.views.seats import rim, seat_rows
from tests.core.play import Night
from tests.core.views.moments import snapshot
from tests.some import some

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
        found = json.loads(line) if line.startswith("{") else {}
        if "do" not in found:
            continue
        if found["do"] == "start":
            night = Night(None)
        if not isinstance(night.book.apply(found), Refusal):
            yield night


def first_night(name: str) -> Night:
    """The first night of a sheet, once it is over."""
    return next(night for night in entries_of(name) if night["phase"] == "closed")


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
    found = texts(msgspec.to_builtins(value))
    return [text for text in found if ENGLISH_WORDS.search(re.sub(r"\{\w+\}", "", text))]


@pytest.mark.parametrize("name", [name for name in SHEETS if "presses" not in name])
def test_no_english_word_is_left_in_a_night(name: str) -> None:
    t = GERMAN
    seen = 0
    for night in some(entries_of(name)):
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
        assert not english([(one.name, one.note, one.label) for one in details])
        question = referee_question(state, t)
        if question:
            assert not english([question.label, *(grid.hint for grid in question.grids.values())])
        if state.phase == "closed":
            assert not english(sentences(night.book.entries, night.book.states, t))
            summary = summarize(1, night.book.entries, state)
            assert not english(
                [listed_result(summary, summary_results(summary), t), night_result(state, t)]
            )
    assert seen


def test_no_english_word_is_left_in_the_page_and_the_forms() -> None:
    page = {name: text for name, text in page_texts(GERMAN).items() if not name.startswith("card.")}
    assert not english([text for name, text in page.items() if name != "standings.seed"])
    assert "--seed" in str(page["standings.seed"])
    for field in some(parameter_form(GERMAN)):
        assert not english([field.label, [choice.label for choice in field.choices]])
    assert not english([phase_name(phase, GERMAN) for phase in ("none", "idle", "shed")])


def test_a_night_is_told_as_players_tell_it() -> None:
    night = first_night("modern-a.jsonl")
    told = sentences(night.book.entries, night.book.states, GERMAN)
    assert told[0] == (
        "Ein Spielabend mit dem Regelwerk modern beginnt. Anna, Ben und Clara beginnen mit je 50"
        " Chips. Ben gibt zuerst."
    )
    assert "Das Melden ist vorbei. Clara eröffnet das Pochen." in told
    assert "Clara passt. Anna bekommt 48 Chips und spielt aus." in told
    assert "Ben hält mit 1 Chip." in told
    assert "Ben kassiert Ass: 6 Chips." in told
    assert (
        "Runde 2 ist abgerechnet: Ben zahlt 10 an Anna, Clara zahlt 3. Anna kassiert Pinke: 3"
        " Chips. Anna gibt als Nächstes."
    ) in told


def test_what_may_happen_now() -> None:
    night = Night(players=3)
    night.do("deal")
    guide = guidance(snapshot(night), GERMAN)
    assert guide.title == "Zeigt eure Karten"
    assert guide.lines[0] == (
        "Hast du die Karten für eine Mulde? Zeig sie und drück deinen Platz, dann die Mulde."
    )
    night.do("next")
    guide = guidance(snapshot(night), GERMAN)
    assert guide.title.endswith(" ist dran: Noch hat niemand gepocht")
    made = actions(snapshot(night), GERMAN)
    assert isinstance(made.stake, msgspec.Struct)
    assert made.stake.least_label == "Einen"
    assert made.stake.steps[0].label == "Pochen mit {chips}"
    assert isinstance(made.void, msgspec.Struct)
    assert made.void.question == (
        "Beim Vergeben wird die ganze Runde zurückgenommen, auch der Einsatz. Bist du sicher?"
    )


def test_pools_accounts_and_seats() -> None:
    assert pool_names(POOLS, GERMAN) == (
        "Ass, König, Dame, Bube, Zehn, Mariage, Sequenz, Poch und Pinke"
    )
    state = Night(players=3).book.state
    assert account_name("bank", state, GERMAN) == "Bank"
    labels = [plaque.label for plaque in rim(state, None, GERMAN)]
    assert labels[0].startswith("Platz 1: Anna, 50 Chips")


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (
            lazy_gettext("It is {turn}’s turn, not {seat}’s.", turn="Anna", seat="Ben"),
            "Anna ist dran, nicht Ben.",
        ),
        (
            lazy_ngettext(
                "{seat} has only {count} chip.", "{seat} has only {count} chips.", 1, seat="Ben"
            ),
            "Zu wenig Chips: Ben hat nur 1 Chip.",
        ),
        (
            lazy_ngettext(
                "It takes {count} chip to stay in.", "It takes {count} chips to stay in.", 3
            ),
            "Zum Halten fehlen 3 Chips.",
        ),
        (
            lazy_gettext("These rules do not allow raises: stay in or pass."),
            "Nachpochen gilt hier nicht: Halte oder passe.",
        ),
        (
            lazy_gettext(
                "Nobody can win {pool} in this deal: its card was turned up.",
                pool=lazy_pool("king"),
            ),
            "Die Karte liegt offen: König kann in dieser Runde niemand gewinnen.",
        ),
        (
            lazy_gettext("There are no chips in {pool}.", pool=lazy_pool("marriage")),
            "Die Mulde Mariage ist leer.",
        ),
        (
            lazy_ngettext(
                "How many cards does {seats} have left?",
                "How many cards do {seats} have left?",
                2,
                seats=lazy_listed(["Anna", "Ben"]),
            ),
            "Restkarten fehlen noch: Wie viele haben Anna und Ben?",
        ),
        (
            lazy_ngettext(
                "{seats} cannot pay the ante of {count} chip: buy in, leave, or end the night.",
                "{seats} cannot pay the ante of {count} chips: buy in, leave, or end the night.",
                9,
                seats=lazy_listed(["Clara"]),
            ),
            (
                "Für den Einsatz von 9 Chips reicht es nicht bei Clara. Kauft nach, geht oder"
                " beendet den Spielabend."
            ),
        ),
        (
            lazy_gettext("Too quick: wait a second, then press next again."),
            "Zu schnell: Warte eine Sekunde und drück dann noch einmal „Weiter“.",
        ),
        (
            lazy_gettext("Press your place before the pool."),
            "Drück erst den Platz, dann die Mulde.",
        ),
        (
            lazy_gettext("The {button} button does nothing now.", button=lazy_button("undo")),
            "Der Knopf „Zurück“ bewirkt gerade nichts.",
        ),
        (
            lazy_gettext(
                "The {card} has already been turned up in this deal.", card=CardName("TH")
            ),
            "In dieser Runde ist schon Herz-10 aufgeschlagen.",
        ),
    ],
)
def test_refusals(refusal: LazyText, sentence: str) -> None:
    assert refusal.in_language(GERMAN) == sentence


def test_a_command_out_of_place_is_called_as_its_button() -> None:
    refusal = verify(Night(players=3).book.state, Claim(2, "ace"))
    assert refusal is not None
    assert refusal.sentence == "“Claim” is not possible between deals."
    assert refusal.sentence.in_language(GERMAN) == "„Kassieren“ geht zwischen den Runden nicht."


def verdict(hands: dict[int, str], names: Any = "french", **chosen: object) -> str:
    rules = override(shipped_rulesets()["modern"], chosen)
    cards = {seat: shown.split() for seat, shown in hands.items()}
    words = Words(lambda seat: ("Anna", "Ben", "Clara")[seat - 1], names, GERMAN)
    return why_ranked(showdown(cards, rules, "H"), rules, words)


def test_verdicts_with_both_packs() -> None:
    hands = {1: "KC KD 7H", 2: "QC QD QH"}
    assert verdict(hands) == "Ben hat drei Damen und gewinnt; Anna hat zwei Könige."
    assert verdict(hands, "german") == "Ben hat drei Ober und gewinnt; Anna hat zwei Könige."
    assert verdict({1: "KC KD", 2: "KS KH"}) == (
        "Ben und Anna haben je zwei Könige; Ben gewinnt durch die Trumpfkarte (König)."
    )
    high = {1: "AC", 2: "QD"}
    assert verdict(high, high_card=True, tie_break="side-cards") == (
        "Niemand hat ein Kunststück; die höchste Karte entscheidet: Ass bei Anna, Dame bei Ben."
    )


def test_the_rest_of_the_messages() -> None:
    t = GERMAN
    assert card_played("Anna", "KH", t, leads=True) == "Anna spielt Herz-König aus."
    assert cards_shown(["KH", "QH"], t) == "Gezeigt: Herz-König und Herz-Dame."
    assert takes_run("Clara", t) == "Damit spielt Clara aus."
    assert trump_suit("H", t) == "Trumpf ist Herz."
    night = Night(players=3)
    reason = BetReason(why="chance", stakes=True, chips=3, prize=9, chance=0.613)
    assert why_bet(night.book.state, 1, reason, "drei Damen", t) == (
        "Anna hatte drei Damen und hat gepocht: Die Chance auf den Gewinn lag bei etwa 61 %."
    )
    assert table_message(night.book.state, (), dealt=False, t=t).endswith(" gibt als Nächstes.")
    assert ranking_label(night.book.state, [[2]], t) == "Buchen: Ben gewinnt"
    assert ranking_label(night.book.state, [], t) == "Buchen: niemand hat ein Kunststück"
    assert fault_text([("web", "")], restarts=True, t=t) == (
        "Der Webserver antwortet nicht: Die Handys zeigen nichts Neues."
        " Wenn das so bleibt, startet pochboard innerhalb einer Minute von selbst neu."
    )
    pairing = pairing_state(snapshot(night), DisplayConfig(), t, paired=False)
    assert pairing.how == (
        "Um mit diesem Handy mitzuspielen, halte am Brett „Weiter“ 3 s lang. Zähl dann die weißen"
        " Lichter an den Ringen Ass, König, Dame, Bube und Zehn und tipp diese Zahlen in dieser"
        " Reihenfolge ein."
    )
    rules = shipped_rulesets()["modern"]
    assert ruleset_summary(rules, t).split(". ", 1)[1].startswith("Für ")
    assert {field.name: field.label for field in parameter_form(t)}["bet_needs_set"] == (
        "Setzen darf nur, wer ein Kunststück hat"
    )
    texts_of_page = page_texts(t)
    assert texts_of_page["pairing.pair"] == "Anmelden"
    assert texts_of_page["card.german.QH"] == "Rot-Ober"
    closed = first_night("modern-a.jsonl")
    summary = summarize(7, closed.book.entries, closed.book.state)
    assert listed_summary(summary, t).startswith("Spielabend 7, modern: Anna, Ben und Clara. ")
