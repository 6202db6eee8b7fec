"""The form of the parameters, and rulesets in a few sentences."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from pochboard.messages.parameters import (
    ParameterChoice,
    ParameterField,
    parameter_form,
    problem_text,
    ruleset_summary,
)
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import PARAMETERS, Ruleset, override, shipped_rulesets
from pochboard.text.translator import ENGLISH

FORM = {field.name: field for field in parameter_form(ENGLISH)}


def test_every_parameter_has_a_field_in_order() -> None:
    assert tuple(FORM) == PARAMETERS


LABELS = {
    "source": "Where the rules come from",
    "players": "Players, fewest and most",
    "deck": "Cards in the deck",
    "hand": "Cards in a hand",
    "packets": "Cards dealt at a time",
    "trump": "Trump suit",
    "stack": "Chips to begin with",
    "pools": "Pools on the board",
    "ante_pools": "Pools filled at each deal",
    "ante_from": "Who fills the pools",
    "ante": "Chips into each pool",
    "sequence": "What wins Sequence",
    "bet_pool": "Bets go into",
    "bet_pool_takes_poch": "Whoever wins Pinke takes Poch too",
    "bet_needs_set": "A player needs a set to stake",
    "high_card": "A hand without a set may win",
    "tie_break": "What decides between equal sets",
    "prove_set": "The last one in must show a set",
    "all_in": "All-in is allowed",
    "raises": "Raises",
    "bluff_penalty": "Penalty for a bluff, times the stake",
    "turned_card": "Who wins the pool of the turned card",
    "leader": "Who leads first",
    "run_ends": "A run to 31 ends when",
    "shedding": "How the cards are played",
    "centre_to_winner": "Whoever goes out first takes Pinke",
    "run_bonus": "Chips for the last card of a run",
    "short_seats": "A player who cannot ante",
    "out_when_broke": "Without chips, a player is out",
    "deals": "Number of deals",
    "last_deal_to": "On the last deal, unclaimed chips go to",
    "leftover": "Who gets the chips left at the end",
    "direction": "Direction of play",
}
NINE_POOLS = ["Ace", "King", "Queen", "Jack", "Ten", "Marriage", "Sequence", "Poch", "Pinke"]
CHOICES = {
    "deck": ["32", "36", "40", "52", "32, or 52 with five or more players"],
    "hand": ["all but one", "all"],
    "trump": [
        "the suit of the card turned up",
        "always clubs",
        "always diamonds",
        "always hearts",
        "always spades",
    ],
    "pools": NINE_POOLS,
    "ante_pools": NINE_POOLS,
    "ante_from": ["the players", "the bank"],
    "sequence": [
        "7 8 9 of trumps",
        "the best run, trumps before height",
        "the best run, height before trumps",
        "the longest run",
    ],
    "bet_pool": ["Poch", "Pinke"],
    "tie_break": [
        "the card of the trump suit",
        "the other cards",
        "the suit: clubs, spades, hearts, diamonds",
        "nothing: they share",
    ],
    "short_seats": ["stops the deal", "sits out, and the deal continues"],
    "last_deal_to": ["nobody: they stay", "Poch", "Pinke"],
    "raises": ["free", "none: hold or pass", "up to the smallest stack"],
    "turned_card": ["nobody", "the dealer"],
    "leader": ["whoever won Poch", "forehand"],
    "run_ends": ["nobody can add a card", "the next player cannot add a card"],
    "shedding": [
        "in sequence",
        "each player a higher card",
        "in tricks",
        "as dominoes",
        "to thirty-one",
    ],
    "deals": ["as many as you like", "one for each player", "until somebody cannot ante"],
    "leftover": ["the bank", "the players, in equal shares"],
    "direction": ["clockwise", "anticlockwise"],
}


def test_every_parameter_and_choice_has_words() -> None:
    assert {field.name: field.label for field in FORM.values()} == LABELS
    assert {
        field.name: [choice.label for choice in field.choices]
        for field in FORM.values()
        if field.choices
    } == CHOICES


GROUPS = {
    "The night": [
        "source",
        "players",
        "stack",
        "short_seats",
        "out_when_broke",
        "deals",
        "last_deal_to",
        "leftover",
        "direction",
    ],
    "Cards and dealing": ["deck", "hand", "packets", "trump"],
    "Pools and ante": ["pools", "ante_pools", "ante_from", "ante", "sequence", "turned_card"],
    "Betting and showdown": [
        "bet_pool",
        "bet_pool_takes_poch",
        "bet_needs_set",
        "high_card",
        "tie_break",
        "prove_set",
        "all_in",
        "raises",
        "bluff_penalty",
    ],
    "Playing out": ["leader", "run_ends", "shedding", "centre_to_winner", "run_bonus"],
}
HELP = {
    "source": "Shown with the ruleset, for example “as at Grandma’s”.",
    "hand": "With “all”, the last card dealt sets the trump suit.",
    "packets": "3, 2 means: first three cards each, then two.",
    "trump": "With a fixed suit, no card is turned up.",
    "pools": "What your board has, and you want to play with.",
    "ante_pools": "The others are filled by bets, or by nothing.",
    "ante_from": "Where the bank fills them, nobody has to ante.",
    "sequence": "The referee and the computer players decide by this.",
    "bet_pool": "The winner of the betting takes this pool.",
    "bet_needs_set": "Otherwise anybody may stake, and so bluff.",
    "high_card": "If nobody has a set, the highest card wins.",
    "prove_set": "Otherwise whoever is left alone wins without showing cards.",
    "all_in": "Whoever has too few chips may put in all of them.",
    "raises": "What may be put in on top of what it takes to stay in.",
    "bluff_penalty": "For a knocker who loses the showdown; 0 means no penalty.",
    "turned_card": "If an ace, king, queen, jack or ten is turned up.",
    "run_ends": "Only matters if the cards are played to thirty-one.",
    "shedding": "The page of the rules describes each way.",
    "run_bonus": "From each other player; 0 means none.",
    "short_seats": "Whoever sits out can buy in before any later deal.",
    "last_deal_to": "Only for nights with a fixed number of deals.",
}


def test_fields_are_grouped_and_explained() -> None:
    grouped = {title: [f.name for f in FORM.values() if f.group == title] for title in GROUPS}
    assert {title: sorted(names) for title, names in grouped.items()} == {
        title: sorted(names) for title, names in GROUPS.items()
    }
    assert {field.name: field.help for field in FORM.values() if field.help} == HELP


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


def test_values_that_parameters_share_have_words_of_their_own() -> None:
    assert ParameterChoice("sequence", "Sequence") in FORM["pools"].choices
    assert ParameterChoice("sequence", "in sequence") in FORM["shedding"].choices


class NewRuleset(Ruleset, frozen=True, kw_only=True):
    """A ruleset with parameters that nobody has put into words yet."""

    kitty_share: Annotated[int, msgspec.Meta(ge=0, le=5)] = 0
    jokers: Literal["none", "two-jokers"] = "none"
    rounds: Literal["open"] | Annotated[int, msgspec.Meta(ge=1, le=9)] = "open"


def test_all_parameters_are_rules_but_where_they_come_from() -> None:
    assert [name for name, field in FORM.items() if not field.is_rule] == ["source"]


def test_a_new_parameter_is_in_the_form_by_its_own_name() -> None:
    share, jokers, rounds = parameter_form(ENGLISH, NewRuleset)[-3:]
    assert share == ParameterField(
        name="kitty_share",
        label="kitty_share",
        kind="number",
        least=0,
        most=5,
        group="Other rules",
    )
    assert (jokers.label, jokers.kind) == ("jokers", "choice")
    # Another parameter's word for a value of the same name is not used.
    assert jokers.choices == (
        ParameterChoice("none", "none"),
        ParameterChoice("two-jokers", "two-jokers"),
    )
    assert (rounds.kind, rounds.least, rounds.most) == ("number-or-choice", 1, 9)
    assert rounds.choices == (ParameterChoice("open", "open"),)


class OddRuleset(Ruleset, frozen=True, kw_only=True):
    """A ruleset with a parameter that no form can ask for."""

    odd: dict[str, int]


def test_a_type_that_no_field_fits_is_an_error() -> None:
    with pytest.raises(TypeError, match="odd"):
        parameter_form(ENGLISH, OddRuleset)


def test_a_file_that_cannot_be_used() -> None:
    assert problem_text("oma.toml", None, "it is empty", ENGLISH) == (
        "The file oma.toml cannot be used: it is empty."
    )
    assert problem_text("oma.toml", "ante", "must be a number", ENGLISH) == (
        "The file oma.toml cannot be used: ante: must be a number."
    )


def test_summary_of_modern() -> None:
    assert ruleset_summary(shipped_rulesets()["modern"], ENGLISH) == (
        "The modern game, all-in as pagat suggests. For 3 to 6 players. All cards but one are"
        " dealt. Everybody starts with 50 chips. 9 pools are played."
    )


def test_summary_where_all_cards_are_dealt() -> None:
    rules = override(shipped_rulesets()["modern"], {"hand": "all"})
    assert "For 3 to 6 players. All cards are dealt." in ruleset_summary(rules, ENGLISH)


def test_summary_of_a_hand_of_several_cards() -> None:
    rules = shipped_rulesets()["thirty-one"]
    assert "For 3 to 8 players. Everybody gets 3 cards." in ruleset_summary(
        override(rules, {"players": [3, 8], "hand": 3}), ENGLISH
    )


def test_summary_of_the_smallest_numbers() -> None:
    rules = shipped_rulesets()["thirty-one"]
    small = override(rules, {"hand": 1, "stack": 1, "pools": ["poch"], "ante_pools": ["poch"]})
    assert ruleset_summary(small, ENGLISH).endswith(
        "Everybody gets 1 card. Everybody starts with 1 chip. 1 pool is played."
    )
