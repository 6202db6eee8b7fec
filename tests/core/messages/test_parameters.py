"""The form of the parameters, and rulesets in a few sentences."""

from __future__ import annotations

from typing import Final

from pochboard.messages.labels import error_heading
from pochboard.messages.parameters import (
    differences,
    parameter_form,
    ruleset_summary,
)
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import PARAMETERS
from pochboard.rules.ruleset_files import HOUSE_SOURCE, override, shipped_rulesets
from pochboard.text.translator import ENGLISH, translator

FORM = {field.name: field for field in parameter_form(ENGLISH)}


def test_every_parameter_has_a_field_in_order() -> None:
    assert tuple(FORM) == tuple(key for key in PARAMETERS if key != "pool")


SAME: Final = {
    ("hand", "all"),
    ("raises", "free"),
    ("turned_card", "nobody"),
    ("leader", "forehand"),
    ("direction", "clockwise"),
    ("direction", "anticlockwise"),
}
"""Values whose word is their own name."""


def test_every_parameter_and_choice_has_words() -> None:
    assert [field.name for field in FORM.values() if field.label == field.name] == []
    unnamed = {
        (field.name, choice.value)
        for field in FORM.values()
        for choice in field.choices
        if choice.label == choice.value
    }
    assert unnamed == SAME


def test_fields_are_grouped_and_some_are_explained() -> None:
    groups = [field.group for field in FORM.values()]
    assert len(set(groups)) == 5
    assert FORM["ante"].group == FORM["pools"].group != FORM["stack"].group
    assert FORM["packets"].help == "3, 2 means: first three cards each, then two."
    assert FORM["stack"].help == ""


def test_fields_have_the_kind_and_limits_of_the_types() -> None:
    assert FORM["high_card"].kind == "flag"
    assert (FORM["stack"].kind, FORM["stack"].least, FORM["stack"].most) == ("number", 1, 10_000)
    assert (FORM["players"].kind, FORM["players"].least, FORM["players"].most) == ("range", 2, 8)
    assert FORM["source"].kind == "text"
    deals = FORM["deals"]
    assert (deals.kind, deals.least, deals.most) == ("number-or-choice", 1, 1000)
    assert [choice.value for choice in deals.choices] == ["open", "round", "until-short"]
    assert [choice.value for choice in FORM["deck"].choices] == [32, 36, 40, 52, "auto"]
    packets = FORM["packets"]
    assert (packets.kind, packets.least, packets.most) == ("numbers", 1, 10)
    assert FORM["pools"].kind == "list"
    assert tuple(choice.value for choice in FORM["pools"].choices) == POOLS


def test_summary_of_modern() -> None:
    assert ruleset_summary(shipped_rulesets()["modern"], ENGLISH) == (
        "The modern game, with all-in. For 3 to 6 players. All cards but one are"
        " dealt. Everybody starts with 50 chips. 9 pools are played."
    )


def test_a_summary_says_how_many_cards_are_dealt() -> None:
    modern = shipped_rulesets()["modern"]
    for hand, said in (("all", "All cards are dealt."), (5, "Everybody gets 5 cards.")):
        assert said in ruleset_summary(override(modern, {"hand": hand}), ENGLISH)


def test_a_difference_has_both_values_as_they_are_read() -> None:
    modern = shipped_rulesets()["modern"]
    chosen = {"source": "ours", "all_in": False, "players": [2, 4], "packets": [3, 2]}
    said = {
        change.name: (change.before, change.value)
        for change in differences(override(modern, chosen), modern, translator("de"))
    }
    assert said == {
        "all_in": ("ja", "nein"), "players": ("3 bis 6", "2 bis 4"), "packets": ("1", "3, 2"),
    }  # fmt: skip


def test_house_rules_say_what_they_change() -> None:
    house = override(shipped_rulesets()["family"], {"source": HOUSE_SOURCE, "ante": 2, "stack": 40})
    assert ruleset_summary(house, ENGLISH).startswith(
        "The rules of this house: like “family”, except Chips to begin with: 40; Chips into each"
        " pool: 2. For 2 to 8 players."
    )
    more = override(house, {"high_card": True, "run_bonus": 1})
    assert "A hand without a set may win: yes; 1 more change. For" in ruleset_summary(more, ENGLISH)
    named = override(house, {"source": "Oma Hilde"})
    assert ruleset_summary(named, ENGLISH).startswith("Oma Hilde. For 2 to 8 players.")


def test_a_difference_calls_pools_what_the_ruleset_calls_them() -> None:
    known = shipped_rulesets()
    changes = differences(known["oldest-board"], known["alvensleben-1853"], ENGLISH)
    pools = next(change for change in changes if change.name == "pools")
    assert pools.value == "Deuce, King, Ober, Unter, Ten, Bock"
    assert pools.before == "Ace, King, Queen, Jack, Ten, Marriage, Sequence, Poch"


def test_the_heading_of_an_error_is_the_name_of_its_status() -> None:
    named = {
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        421: "Misdirected Request",
        429: "Too Many Requests",
        500: "Internal Server Error",
        503: "Service Unavailable",
        418: "I'm a Teapot",
    }
    assert {status: error_heading(status, ENGLISH) for status in named} == named


def test_the_bank_fills_pools_in_german() -> None:
    form = {field.name: field for field in parameter_form(translator("de"))}
    assert "die Bank" in [choice.label for choice in form["ante_from"].choices]
