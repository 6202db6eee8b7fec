"""The rules to read follow from the parameters: which lines, and with which numbers and pools."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Final

import pytest

from pochboard.messages.parameters import Difference, differences
from pochboard.messages.rules_text import (
    RulesSection,
    how_to_play,
    rules_text,
)
from pochboard.rules.accounts import MELD_POOLS
from pochboard.rules.ruleset_files import nearest_preset, override, shipped, shipped_rulesets
from pochboard.text.translator import ENGLISH, Translator, languages

SHIPPED: Final = shipped_rulesets()
MODERN: Final = """\
# What you need
For 3 to 6 players.
Everybody starts with 50 chips.
Up to four players use 32 cards*
The ace is the highest card.
Choose who deals first, or draw lots.
The deal and all turns go round clockwise.
# Before each deal
Each player puts 1 chip into *: Ace, King, Queen, Jack, Ten, Marriage, Sequence, Poch and Pinke.
Whoever cannot pay the ante buys in or leaves first.
All cards but one are dealt.
The cards are dealt one at a time.
The next card is turned up, and its suit is trumps.*
# First part: melding
Whoever holds the cards for a pool shows them*
Ace: Whoever shows the ace of trumps takes this pool.
King: Whoever shows the king of trumps takes this pool.
Queen: Whoever shows the queen of trumps takes this pool.
Jack: Whoever shows the jack of trumps takes this pool.
Ten: Whoever shows the 10 of trumps takes this pool.
Marriage: * king and queen of trumps takes this pool, and King and Queen as well.
Sequence: Whoever shows the 7, 8 and 9 of trumps takes this pool.
Nobody can win a pool whose card is the one turned up*
Chips that nobody wins stay where they are*
# Second part: betting
You bet on who has the best set*
Of two equal pairs, the one with the card of the trump suit wins.
A hand without a set cannot win a showdown.
The dealer asks: “Who’s betting?” The player after the dealer*puts chips into the pool Poch.*
You may stake with any hand*
Instead of only staying in, you may raise by any number of chips.
If you have too few chips to stay in, you may put in all you have.*
If all others pass, the last one in wins without showing any cards.
Poch: Whoever wins the betting takes this pool, with all stakes.
# Third part: playing the cards
Whoever has won the betting leads.*
The leader plays any card. Whoever holds the next higher card of the suit plays it*
Whoever can play a card must play one.
When somebody has no cards left, the deal is over.*
Pinke: Whoever plays their last card first takes this pool.
# The end of the night
You play as many deals as you like.
Chips left on the board at the end go back to the bank.
Whoever has won the most chips wins the night.
"""
OTHER_SHIPPED: Final = {
    "alvensleben-1853": """\
For 3 to 8 players.
The pack has 52 cards*
Cards are dealt face up*Whoever gets the first ace deals first.
Each player puts 1 chip into *: Ace, King, Queen, Jack, Ten, Marriage and Sequence.
Everybody gets 5 cards.
The cards are dealt in packets of 3 and 2.
Sequence: *highest card wins, then the one of trumps; the length does not count*
Only a player with a set may stake.
The player after the dealer leads.
The leader plays any card. The others follow suit in turn*
""",
    "banker": """\
Everybody starts with 10 chips.
Everybody draws a card. Whoever has the lowest one deals first*
The bank puts 1 chip into *: Ace, King, Queen, Jack, Ten, Marriage, Sequence and Poch.
Everybody gets 5 cards.
Sequence: A run is three or more*trumps beats all others*the length does not count*
Without a set, the highest card counts*
The dealer asks: “Who’s betting?” The player after the dealer*puts chips into the pool Pinke.*
Poch: Whoever wins the betting takes this pool, together with the stakes.
Pinke: Whoever wins the betting takes this pool, with all stakes.
The player after the dealer leads.
The leader plays any card. Then each player in turn who has a higher card*
Whoever has no chips after a deal is out.
""",
    "philos": "Whoever knocked or raised last *pays their stake 2 more times.",
    "pierer-1844": """\
For 3 to 8 players.
The pack has 52 cards*
Cards are dealt face up*Whoever gets the first ace deals first.
Each player puts 1 chip into *: Ace, King, Queen, Jack, Ten, Marriage and Sequence.
Everybody gets 5 cards.
The cards are dealt in packets of 3 and 2.
Sequence: *highest card wins, then the one of trumps; the length does not count*
Only a player with a set may stake.
The player after the dealer leads.
As in dominoes*
""",
    "thirty-one": """\
Everybody starts with 40 chips.
The pack has 32 cards*
Each player puts 1 chip into *: Ace, King, Queen, Jack, Ten, Marriage and Sequence.
Everybody gets 5 cards.
Between two equal pairs, the highest other card decides.
Without a set, the highest card counts*
The leader plays any card, and the others add cards in turn while the count rises*
Whoever cannot add a card is passed over.*
Whoever plays the last card of a run gets 1 chip from everybody else.
The night is over when each player has dealt once.
""",
}
"""The lines of a ruleset that modern does not have."""
CHANGED: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("modern", {"deck": 36}, "The pack has 36 cards: six to ace*"),
    ("modern", {"direction": "anticlockwise"}, "*go round anticlockwise."),
    (
        "modern",
        {"ante_from": "banker"},
        (
            "The banker puts 1 chip into *: Ace, *, Poch and Pinke.\n"
            "Whoever deals first is the banker, until somebody else takes over.\n"
            "A banker who cannot pay buys in, or somebody else takes over."
        ),
    ),
    (
        "modern",
        {"ante_from": "banker", "short_seats": "retire"},
        (
            "The banker puts *\nWhoever deals first is the banker*\n"
            "If the banker cannot pay, the next player who can takes over."
        ),
    ),
    ("modern", {"ante": 2}, "Each player puts 2 chips into *: Ace, *, Poch and Pinke."),
    ("modern", {"hand": "all"}, "All cards are dealt.\nThe last card dealt is shown*"),
    (
        "banker",
        {"hand": 1, "ante_pools": ["ace"]},
        "The bank puts 1 chip into *: Ace.\nEverybody gets 1 card.",
    ),
    (
        "modern",
        {"pools": ["poch"], "ante_pools": ["poch"], "centre_to_winner": False},
        "Each player puts 1 chip into *: Poch.\nThis ruleset has no pools that are won by showing*",
    ),
    (
        "modern",
        {"pools": ["marriage", "poch"], "ante_pools": ["marriage"], "centre_to_winner": False},
        (
            "Each player puts 1 chip into *: Marriage.\n"
            "Marriage: Whoever shows the king and queen of trumps takes this pool."
        ),
    ),
    ("modern", {"turned_card": "dealer"}, "If the card turned up wins a pool by itself*"),
    (
        "banker",
        {"ante": 2, "bet_pool_takes_poch": False, "ante_pools": list(MELD_POOLS)},
        (
            "The bank puts 2 chips into *: Ace, King, Queen, Jack, Ten, Marriage and Sequence.\n"
            "Poch: Neither cards nor bets win this pool with these rules."
        ),
    ),
    ("modern", {"tie_break": "split"}, "Two equal pairs share the pool."),
    ("modern", {"bet_needs_set": True}, "Only a player with a set may stake."),
    ("modern", {"raises": "none"}, "Nobody may raise."),
    ("modern", {"all_in": False}, "If you have too few chips to stay in, you must pass."),
    (
        "modern",
        {"bluff_penalty": 1},
        "Whoever knocked or raised last*pays their stake 1 more time.",
    ),
    (
        "thirty-one",
        {"run_bonus": 2, "run_ends": "next-cannot"},
        (
            "The run ends at 31, or as soon as the next player cannot add a card.*\n"
            "Whoever plays the last card of a run gets 2 chips from everybody else."
        ),
    ),
    (
        "modern",
        {"deals": 1, "last_deal_to": "poch", "leftover": "split"},
        (
            "The night is over after 1 deal.\n"
            "On the last deal, the chips that nobody has won go into Poch before the betting.\n"
            "Chips left on the board at the end are shared by the players."
        ),
    ),
    (
        "modern",
        {"sequence": "longest-run"},
        "Sequence: *longest run*then the one of trumps. Of equal runs, that of the first player*",
    ),
    ("modern", {"deals": 7}, "The night is over after 7 deals."),
]
"""What changes in the text of a shipped ruleset with these options."""


def lines(sections: Iterable[RulesSection]) -> list[str]:
    return [
        text
        for section in sections
        for text in (
            f"# {section.title}",
            *(f"{line.term}: {line.text}" if line.term else line.text for line in section.lines),
        )
    ]


def rules_lines(name: str, options: dict[str, Any] | None = None) -> list[str]:
    return lines(rules_text(override(SHIPPED[name], options or {}), ENGLISH))


def check(text: list[str], patterns: str) -> None:
    """Each line fits the pattern at its position."""
    expected = patterns.splitlines()
    assert len(text) == len(expected), text
    for line, pattern in zip(text, expected, strict=True):
        assert fnmatchcase(line, pattern)


def test_modern() -> None:
    check(rules_lines("modern"), MODERN)


@pytest.mark.parametrize("name", OTHER_SHIPPED)
def test_what_is_not_as_in_modern(name: str) -> None:
    modern = rules_lines("modern")
    check([line for line in rules_lines(name) if line not in modern], OTHER_SHIPPED[name])


@pytest.mark.parametrize(("name", "options", "patterns"), CHANGED)
def test_an_option_changes_its_lines(name: str, options: dict[str, Any], patterns: str) -> None:
    as_shipped = rules_lines(name)
    check([line for line in rules_lines(name, options) if line not in as_shipped], patterns)


def test_how_poch_is_played() -> None:
    sections = how_to_play(ENGLISH)
    terms = [[line.term for line in section.lines if line.term] for section in sections]
    assert terms[1] == ["The ante", "Melding", "Betting, or “pochen”", "Playing the cards"]
    assert terms[4] == ["Trumps", "Set", "To knock", "Forehand", "Pinke", "The bank"]


def test_a_page_says_what_differs_from_the_preset() -> None:
    modern = SHIPPED["modern"]
    sunday = override(
        modern,
        {
            "players": [2, 4],
            "deck": 32,
            "packets": [3, 2],
            "high_card": True,
            "all_in": False,
            "stack": 60,
        },
    )
    assert differences(sunday, modern, ENGLISH) == (
        Difference("players", "Players, fewest and most", "2 to 4", "3 to 6"),
        Difference("deck", "Cards in the deck", "32", "32, or 52 with five or more players"),
        Difference("packets", "Cards dealt at a time", "3, 2", "1"),
        Difference("stack", "Chips to begin with", "60", "50"),
        Difference("high_card", "A hand without a set may win", "yes", "no"),
        Difference("all_in", "All-in is allowed", "no", "yes"),
    )


def test_the_nearest_preset_has_the_fewest_other_parameters() -> None:
    assert nearest_preset(SHIPPED["family"]).name == "family"
    near = override(SHIPPED["pagat"], {"stack": 99, "source": "ours"})
    assert nearest_preset(near).name == "pagat"


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_ruleset_has_a_title_and_a_source_in_every_language(name: str) -> None:
    found = shipped()[name]
    for language in languages():
        for text in (found.title, found.source):
            words = text.in_language(Translator(language=language))
            assert words.strip() == words != ""
    assert found.title.in_language(Translator(language="x")) == str(found.title)
