"""The rules to read follow from the parameters, and are expected word for word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest

from pochboard.messages.how_to_play import how_to_play
from pochboard.messages.parameters import Difference, differences, source_text
from pochboard.messages.rules_text import RulesSection, listed_rules, rules_page, rules_text
from pochboard.rules.accounts import MELD_POOLS
from pochboard.rules.ruleset import nearest_preset, override, shipped_bases, shipped_rulesets
from pochboard.text.catalogues import translator
from pochboard.text.translator import ENGLISH

SHIPPED: Final = shipped_rulesets()


MODERN: Final = [
    "# What you need",
    "For 3 to 6 players.",
    "Everybody starts with 50 chips.",
    "Up to four players use 32 cards, seven to ace in each suit. More players use all 52.",
    "The ace is the highest card.",
    "The deal and all turns go round clockwise.",
    "# Before each deal",
    (
        "Each player puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
        " Marriage, Sequence, Poch and Pinke."
    ),
    "Whoever cannot pay the ante buys in or leaves first.",
    "All cards but one are dealt.",
    "The cards are dealt one at a time.",
    "The next card is turned up, and its suit is trumps. Nobody holds this card.",
    "# First part: melding",
    "Whoever holds the cards for a pool shows them and takes its chips.",
    "Ace: Whoever shows the ace of trumps takes this pool.",
    "King: Whoever shows the king of trumps takes this pool.",
    "Queen: Whoever shows the queen of trumps takes this pool.",
    "Jack: Whoever shows the jack of trumps takes this pool.",
    "Ten: Whoever shows the ten of trumps takes this pool.",
    (
        "Marriage: Whoever shows the king and queen of trumps takes this pool, and King and"
        " Queen as well."
    ),
    "Sequence: Whoever shows seven, eight and nine of trumps takes this pool.",
    "Nobody can win a pool whose card is the one turned up: it is in nobody’s hand.",
    "Chips that nobody wins stay where they are for the next deal.",
    "# Second part: betting",
    (
        "You bet on who has the best set: two, three or four cards of a rank. Four beat three,"
        " and three beat two. Between sets of the same size, the higher rank wins."
    ),
    "Of two equal pairs, the one with the card of the trump suit wins.",
    "A hand without a set cannot win a showdown.",
    (
        "The player after the dealer begins. Each player in turn knocks or passes. Whoever"
        " knocks puts chips into the pool Poch. From then on, the others put in as many chips"
        " to stay in, or pass. A pass is final."
    ),
    "You may stake with any hand, so bluffing is part of the game.",
    "Instead of only staying in, you may raise by any number of chips.",
    (
        "If you have too few chips to stay in, you may put in all you have. Then you can only"
        " win what your stake covers."
    ),
    "If all others pass, the last one in wins without showing any cards.",
    "Poch: Whoever wins the betting takes this pool, with all stakes.",
    "Pinke: Whoever plays their last card first takes this pool.",
    "# Third part: playing the cards",
    "Whoever has won the betting leads. If nobody has, the player after the dealer leads.",
    (
        "The leader plays any card. Whoever holds the next higher card of the suit plays it,"
        " then the next higher one, and so on. When nobody can, whoever played last leads"
        " again."
    ),
    "Whoever can play a card must play one.",
    (
        "When somebody has no cards left, the deal is over. Everybody else pays that player one"
        " chip for each card still in hand."
    ),
    "# The end of the night",
    "You play as many deals as you like.",
    "Chips left on the board at the end go back to the bank.",
    "Whoever has won the most chips wins the night.",
]
CASES: Final[list[tuple[str, dict[str, Any], list[str]]]] = [
    (
        "modern",
        {"deck": 36},
        [
            "The pack has 36 cards: six to ace in each suit.",
        ],
    ),
    (
        "modern",
        {"deck": 40},
        [
            "The pack has 40 cards: five to ace in each suit.",
        ],
    ),
    (
        "modern",
        {"deck": 52},
        [
            "The pack has 52 cards: two to ace in each suit.",
        ],
    ),
    (
        "modern",
        {"direction": "anticlockwise"},
        [
            "The deal and all turns go round anticlockwise.",
        ],
    ),
    (
        "modern",
        {"deck": 32},
        [
            "The pack has 32 cards: seven to ace in each suit.",
        ],
    ),
    (
        "modern",
        {"stack": 1},
        [
            "Everybody starts with 1 chip.",
        ],
    ),
    (
        "modern",
        {"ante": 2},
        [
            (
                "Each player puts 2 chips into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage, Sequence, Poch and Pinke."
            ),
        ],
    ),
    (
        "modern",
        {"short_seats": "retire"},
        [
            "Whoever cannot pay the ante sits out, and may buy in later.",
        ],
    ),
    (
        "modern",
        {"hand": "all"},
        [
            "All cards are dealt.",
            "The last card dealt is shown, and its suit is trumps. Its player keeps it.",
        ],
    ),
    (
        "alvensleben-1853",
        {},
        [
            "For 3 to 8 players.",
            "The pack has 52 cards: two to ace in each suit.",
            (
                "Each player puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage and Sequence."
            ),
            "Everybody gets 5 cards.",
            "The cards are dealt in packets of 3 and 2.",
            "Sequence: The best run of a suit takes this pool: height before trumps.",
            "Only a player with a set may stake.",
            "The player after the dealer leads.",
            (
                "The leader plays any card. The others follow suit in turn; whoever cannot plays no"
                " card. The highest card wins the trick, and its player leads again. There are no"
                " trumps here."
            ),
        ],
    ),
    (
        "modern",
        {"hand": 1},
        [
            "Everybody gets 1 card.",
        ],
    ),
    (
        "modern",
        {"hand": "all", "trump": "hearts"},
        [
            "All cards are dealt.",
            "With these rules, hearts are always trumps.",
        ],
    ),
    (
        "modern",
        {"pools": ["poch"], "ante_pools": ["poch"], "centre_to_winner": False},
        [
            "Each player puts 1 chip into each of these pools: Poch.",
            "This ruleset has no pools that are won by showing cards.",
        ],
    ),
    (
        "modern",
        {"turned_card": "dealer"},
        [
            "If the card turned up is an ace, king, queen, jack or ten, the dealer takes its pool.",
        ],
    ),
    (
        "banker",
        {},
        [
            "Everybody starts with 10 chips.",
            (
                "The bank puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage, Sequence and Poch."
            ),
            "Everybody gets 5 cards.",
            "Sequence: The best run of a suit takes this pool: trumps before height.",
            "Without a set, the highest card counts, then the next.",
            (
                "The player after the dealer begins. Each player in turn knocks or passes. Whoever"
                " knocks puts chips into the pool Pinke. From then on, the others put in as many"
                " chips to stay in, or pass. A pass is final."
            ),
            "Poch: Whoever wins the betting takes this pool, together with Pinke.",
            "Pinke: Whoever wins the betting takes this pool, with all stakes.",
            "The player after the dealer leads.",
            (
                "The leader plays any card. Then each player in turn who has a higher card of the"
                " suit plays one. At the ace, or when nobody has a higher card, whoever played last"
                " leads again."
            ),
            "Whoever has no chips after a deal is out.",
        ],
    ),
    (
        "banker",
        {"ante": 2, "bet_pool_takes_poch": False, "ante_pools": list(MELD_POOLS)},
        [
            "Everybody starts with 10 chips.",
            (
                "The bank puts 2 chips into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage and Sequence."
            ),
            "Everybody gets 5 cards.",
            "Sequence: The best run of a suit takes this pool: trumps before height.",
            "Without a set, the highest card counts, then the next.",
            (
                "The player after the dealer begins. Each player in turn knocks or passes. Whoever"
                " knocks puts chips into the pool Pinke. From then on, the others put in as many"
                " chips to stay in, or pass. A pass is final."
            ),
            "Poch: Neither cards nor bets win this pool with these rules.",
            "Pinke: Whoever wins the betting takes this pool, with all stakes.",
            "The player after the dealer leads.",
            (
                "The leader plays any card. Then each player in turn who has a higher card of the"
                " suit plays one. At the ace, or when nobody has a higher card, whoever played last"
                " leads again."
            ),
            "Whoever has no chips after a deal is out.",
        ],
    ),
    (
        "modern",
        {"tie_break": "side-cards"},
        [
            "Between two equal pairs, the highest other card decides.",
        ],
    ),
    (
        "modern",
        {"tie_break": "suits"},
        [
            "Between two equal pairs, the highest suit decides: clubs, spades, hearts, diamonds.",
        ],
    ),
    (
        "modern",
        {"tie_break": "split"},
        [
            "Two equal pairs share the pool.",
        ],
    ),
    (
        "modern",
        {
            "bet_needs_set": True,
            "prove_set": True,
            "raises": "none",
            "all_in": False,
            "bluff_penalty": 1,
        },
        [
            "Only a player with a set may stake.",
            "Nobody may raise.",
            "If you have too few chips to stay in, you must pass.",
            (
                "Whoever knocked or raised last and does not win the showdown pays their stake 1"
                " more time."
            ),
            "If all others pass, the last one in must still show a hand that could win.",
        ],
    ),
    (
        "philos",
        {},
        [
            (
                "Whoever knocked or raised last and does not win the showdown pays their stake 2"
                " more times."
            ),
        ],
    ),
    (
        "modern",
        {"raises": "capped"},
        [
            "You may raise up to what the poorest player still in can match.",
        ],
    ),
    (
        "pierer-1844",
        {},
        [
            "For 3 to 8 players.",
            "The pack has 52 cards: two to ace in each suit.",
            (
                "Each player puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage and Sequence."
            ),
            "Everybody gets 5 cards.",
            "The cards are dealt in packets of 3 and 2.",
            "Sequence: The best run of a suit takes this pool: height before trumps.",
            "Only a player with a set may stake.",
            "The player after the dealer leads.",
            (
                "As in dominoes, the leader plays any card, and whoever holds the next higher card"
                " of the suit adds it. When nobody can, whoever played last begins again."
            ),
        ],
    ),
    (
        "thirty-one",
        {"run_bonus": 2, "run_ends": "next-cannot"},
        [
            "Everybody starts with 40 chips.",
            "The pack has 32 cards: seven to ace in each suit.",
            (
                "Each player puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage and Sequence."
            ),
            "Everybody gets 5 cards.",
            "Between two equal pairs, the highest other card decides.",
            "Without a set, the highest card counts, then the next.",
            (
                "The leader plays any card, and the others add cards in turn while the count rises:"
                " court cards count ten, aces one, all others their number. The count never goes"
                " above 31."
            ),
            (
                "The run ends at 31, or as soon as the next player cannot add a card. Whoever"
                " played last begins the next run."
            ),
            "Whoever plays the last card of a run gets 2 chips from everybody else.",
            "The night is over when each player has dealt once.",
        ],
    ),
    (
        "thirty-one",
        {},
        [
            "Everybody starts with 40 chips.",
            "The pack has 32 cards: seven to ace in each suit.",
            (
                "Each player puts 1 chip into each of these pools: Ace, King, Queen, Jack, Ten,"
                " Marriage and Sequence."
            ),
            "Everybody gets 5 cards.",
            "Between two equal pairs, the highest other card decides.",
            "Without a set, the highest card counts, then the next.",
            (
                "The leader plays any card, and the others add cards in turn while the count rises:"
                " court cards count ten, aces one, all others their number. The count never goes"
                " above 31."
            ),
            (
                "Whoever cannot add a card is passed over. The run ends at 31 or when nobody can"
                " add a card. Whoever played last begins the next run."
            ),
            "Whoever plays the last card of a run gets 1 chip from everybody else.",
            "The night is over when each player has dealt once.",
        ],
    ),
    (
        "modern",
        {"deals": 1, "last_deal_to": "poch", "leftover": "split"},
        [
            "The night is over after 1 deal.",
            "On the last deal, the chips that nobody has won go into Poch before the betting.",
            "Chips left on the board at the end are shared by the players.",
        ],
    ),
    (
        "modern",
        {"deals": 7},
        [
            "The night is over after 7 deals.",
        ],
    ),
    (
        "modern",
        {"deals": "until-short"},
        [
            "The night is over when somebody cannot pay the ante.",
        ],
    ),
    (
        "modern",
        {"pools": ["marriage", "poch"], "ante_pools": ["marriage"], "centre_to_winner": False},
        [
            "Each player puts 1 chip into each of these pools: Marriage.",
            "Marriage: Whoever shows the king and queen of trumps takes this pool.",
        ],
    ),
]
HOW: Final = [
    "# In short",
    (
        "Poch is an old German card game for chips. The board has a pool in the middle and"
        " others round it, and you win their chips with cards, with bets, and by getting rid of"
        " your cards."
    ),
    ("A deal has three parts. Each has its own way to win chips, so even a bad hand has a chance."),
    "# A deal, step by step",
    (
        "The ante: Everybody puts chips into the pools, and the dealer deals. The suit of one"
        " card is trumps in this deal."
    ),
    (
        "Melding: Whoever holds the ace of trumps shows it and takes the chips from the pool"
        " Ace. The same goes for king, queen, jack and ten. King and queen of trumps together"
        " win Marriage, and a run of cards wins Sequence. Chips that nobody wins stay there, and "
        "the pool grows."
    ),
    (
        "Betting, or “pochen”: Now you bet on who has the best set of equal cards, such as two"
        " queens or three sevens. One player knocks and puts in chips. The others put in as"
        " many, raise, or pass. If several stay in, they show their cards, and the best set"
        " takes the pool with all bets."
    ),
    (
        "Playing the cards: Then you play your cards, often upwards in a suit. Whoever runs out of "
        "cards first gets a chip from everybody else for each card they still hold."
    ),
    "# An example",
    (
        "The ace of hearts is turned up, so hearts are trumps, and nobody can win Ace in this"
        " deal. Anna has the king and queen of hearts: she takes King, Queen and Marriage."
        " Clara has the jack of hearts and takes Jack."
    ),
    (
        "Anna also has the queen of clubs. She knocks with her two queens and puts in 2 chips."
        " Ben passes. Clara has two kings and puts in 2 chips as well. They show their cards:"
        " two kings beat two queens, so Clara takes the pool with all bets."
    ),
    (
        "Clara leads the jack of hearts. Anna plays the queen and the king. The ace lies face"
        " up, so nobody can continue, and Anna leads again. In the end Ben is the first without"
        " cards. Anna still has two and Clara three, so they pay him 2 and 3 chips."
    ),
    "# With this board",
    (
        "You hold real cards. The board counts the chips: its lights show what is in each pool,"
        " and whose turn it is."
    ),
    "To take a pool, press your place, then the pool. Or tap it on a phone.",
    "No mistake is final: undo takes back the last step, as often as you like.",
    "# Words you will hear",
    "Trumps: The suit that wins pools in this deal.",
    "Set: Two, three or four cards of the same rank, such as two queens.",
    "To knock: To open the betting with some chips.",
    "Forehand: The player after the dealer, who begins.",
    "Pinke: The pool in the middle. Some rulesets play without it.",
    "The bank: Where all chips come from and go back to.",
]


def lines(sections: Iterable[RulesSection]) -> list[str]:
    return [
        said
        for section in sections
        for said in (
            f"# {section.title}",
            *(f"{one.term}: {one.text}" if one.term else one.text for one in section.lines),
        )
    ]


def test_modern() -> None:
    assert lines(rules_text(SHIPPED["modern"], ENGLISH)) == MODERN


@pytest.mark.parametrize(("name", "options", "said"), CASES)
def test_what_is_not_as_in_modern(name: str, options: dict[str, Any], said: list[str]) -> None:
    rules = override(SHIPPED[name], options, already_played=True)
    text = lines(rules_text(rules, ENGLISH))
    assert [line for line in text if line not in MODERN] == said


def test_how_poch_is_played() -> None:
    assert lines(how_to_play(ENGLISH)) == HOW


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
    page = rules_page(sunday, modern, ENGLISH)
    assert (page.title, page.differs) == ("The rules of modern", "What differs from modern")
    assert page.differences == (
        Difference("players", "Players, fewest and most", "2 to 4", "3 to 6"),
        Difference("deck", "Cards in the deck", "32", "32, or 52 with five or more players"),
        Difference("packets", "Cards dealt at a time", "3, 2", "1"),
        Difference("stack", "Chips to begin with", "60", "50"),
        Difference("high_card", "A hand without a set may win", "yes", "no"),
        Difference("all_in", "All-in is allowed", "no", "yes"),
    )
    alone = rules_page(modern, None, ENGLISH, night=7)
    assert (alone.title, alone.differs, alone.differences) == ("The rules of night 7", "", ())


def test_pools_that_differ_are_named() -> None:
    (ante,) = differences(
        override(SHIPPED["modern"], {"ante_pools": ["ace", "poch"]}), SHIPPED["modern"], ENGLISH
    )
    assert ante.value == "Ace, Poch"


def test_the_bases_of_the_shipped_rulesets() -> None:
    assert shipped_bases() == {
        "meyer-1908": "modern",
        "philos": "modern",
        "pierer-1844": "alvensleben-1853",
        "family": "modern",
        "pagat": "modern",
    }


def test_the_nearest_preset_has_the_fewest_other_parameters() -> None:
    assert nearest_preset(SHIPPED["family"]).name == "family"
    near = override(SHIPPED["pagat"], {"stack": 99, "source": "ours"})
    assert nearest_preset(near).name == "pagat"


def test_rules_are_listed_with_their_source() -> None:
    assert source_text("the rules of this house", ENGLISH) == "The rules of this house."
    listed = listed_rules([SHIPPED["modern"]], ENGLISH)
    assert listed[0].about.startswith("The modern game, all-in as pagat suggests. For 3 to 6")
    assert source_text("as at Grandma’s {sic}", ENGLISH) == "As at Grandma’s {sic}."


SOURCES: Final = {
    "modern": "the modern game, all-in as pagat suggests",
    "banker": "the banker's game",
    "alvensleben-1853": "von Alvensleben, 1853",
    "thirty-one": "the eight-pool game to 31",
    "meyer-1908": (
        "the modern game with Pierer's longest run; named after Meyers Großes"
        " Konversations-Lexikon, 1908"
    ),
    "philos": "the modern game with the penalty of the Philos leaflet",
    "pierer-1844": "von Alvensleben's game with the shedding of Pierer's Universal-Lexikon",
    "family": (
        "the rules printed with boards sold today (leaflets of Philos, Noris and Die kleine"
        " Ludothek, undated)"
    ),
    "pagat": (
        "John McLeod, pagat.com: a set is needed to take part, and a player left alone must show it"
    ),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_the_source_of_a_shipped_ruleset_is_translated(name: str) -> None:
    source = SHIPPED[name].source
    assert source == SOURCES[name]
    german = source_text(source, translator("de"))
    assert (german == source_text(source, ENGLISH)) == (name == "alvensleben-1853")
