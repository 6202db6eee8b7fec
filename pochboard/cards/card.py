"""Cards: their codes, heights and names, with French and with German suits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Literal

from pochboard.errors import CardError
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import DECKS
from pochboard.text.lazy import lazy_gettext

Card = str
"""A card's code, rank and suit, such as `TH` (RULES.md 3)."""

SUIT_ORDER: Final = "CSHD"
"""The suits from the highest down, in the German order: Eichel, Grün, Rot, Schellen."""

HEIGHT: Final = {rank + suit: height for height, rank in enumerate(RANKS, 2) for suit in SUITS}
"""The height of each card, 2 to 14. The ace is always the highest card."""

CARDS: Final = tuple(HEIGHT)

ABOVE: Final[dict[Card, Card]] = {
    rank + suit: higher + suit for rank, higher in pairwise(RANKS) for suit in SUITS
}
"""The next higher card of the suit; there is none above an ace."""

_DECKS: Final = {size: CARDS[-size:] for size in DECKS}


def deck_of(size: int) -> tuple[Card, ...]:
    """The deck of this many cards, lowest rank first: 32 cards start at the sevens."""
    return _DECKS[size]


CardNaming = Literal["english", "french", "german"]
"""What cards are called: in English, or in German with French or with German suits."""

_RANK_NAMES: Final[dict[CardNaming, dict[str, str]]] = {
    "english": {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"},
    "french": {"A": "Ass", "K": "König", "Q": "Dame", "J": "Bube", "T": "10"},
    "german": {"A": "Daus", "K": "König", "Q": "Ober", "J": "Unter", "T": "10"},
}
_GERMAN_NUMBERS: Final = {
    "2": "Zweien", "3": "Dreien", "4": "Vieren", "5": "Fünfen", "6": "Sechsen", "7": "Siebenen",
    "8": "Achten", "9": "Neunen", "T": "Zehnen",
}  # fmt: skip
_PLURALS: Final[dict[CardNaming, dict[str, str]]] = {
    "english": {
        "2": "twos", "3": "threes", "4": "fours", "5": "fives", "6": "sixes", "7": "sevens",
        "8": "eights", "9": "nines", "T": "tens",
    },
    "french": {"A": "Asse", "K": "Könige", "Q": "Damen", "J": "Buben", **_GERMAN_NUMBERS},
    "german": {"A": "Däuser", "K": "Könige", "Q": "Ober", "J": "Unter", **_GERMAN_NUMBERS},
}  # fmt: skip
_SUIT_NAMES: Final[dict[CardNaming, dict[str, str]]] = {
    "english": {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"},
    "french": {"C": "Kreuz", "D": "Karo", "H": "Herz", "S": "Pik"},
    "german": {"C": "Eichel", "D": "Schellen", "H": "Rot", "S": "Grün"},
}


def rank_name(rank: str, names: CardNaming) -> str:
    """The name of a rank: `king`, `Ober`, `7`."""
    return _RANK_NAMES[names].get(rank, rank)


def rank_plural(rank: str, names: CardNaming) -> str:
    """The plural of a rank: `kings`, `Damen`, `sevens`."""
    return _PLURALS[names].get(rank) or f"{rank_name(rank, names)}s"


def suit_name(suit: str, names: CardNaming = "english") -> str:
    """The name of a suit: `hearts`, `Herz`, `Rot`."""
    return _SUIT_NAMES[names][suit]


def card_name(card: Card, names: CardNaming) -> str:
    """The name of a card: `king of hearts`, `Herz-König`, `Rot-Ober`."""
    rank, suit = rank_name(card[0], names), suit_name(card[1], names)
    return f"{rank} of {suit}" if names == "english" else f"{suit}-{rank}"


_RANK_WORDS: Final = {
    **{rank: rank for rank in RANKS},
    "10": "T",
    "1": "A",
    "ACE": "A", "AS": "A", "ASS": "A", "DAUS": "A", "SAU": "A",
    "KING": "K", "KÖNIG": "K", "KOENIG": "K",
    "QUEEN": "Q", "DAME": "Q", "OBER": "Q",
    "JACK": "J", "BUBE": "J", "UNTER": "J",
    "TEN": "T", "NINE": "9", "EIGHT": "8", "SEVEN": "7", "SIX": "6", "FIVE": "5", "FOUR": "4",
    "THREE": "3", "TWO": "2", "DEUCE": "2",
    "ZEHN": "T", "NEUN": "9", "ACHT": "8", "SIEBEN": "7", "SECHS": "6", "FÜNF": "5",
    "FUENF": "5", "VIER": "4", "DREI": "3", "ZWEI": "2",
    "ZEHNER": "T", "NEUNER": "9", "ACHTER": "8", "SIEBENER": "7", "SECHSER": "6", "FÜNFER": "5",
    "FUENFER": "5", "VIERER": "4", "DREIER": "3", "ZWEIER": "2",
}  # fmt: skip
_SUIT_WORDS: Final = {
    **{suit: suit for suit in SUITS},
    "♣": "C", "♧": "C", "CLUBS": "C", "KREUZ": "C", "TREFF": "C", "EICHEL": "C", "EICHELN": "C",
    "ACORNS": "C",
    "♠": "S", "♤": "S", "SPADES": "S", "PIK": "S", "GRÜN": "S", "GRUEN": "S", "GRAS": "S",
    "LAUB": "S", "BLATT": "S", "LEAVES": "S",
    "♥": "H", "♡": "H", "HEARTS": "H", "HERZ": "H", "ROT": "H",
    "♦": "D", "♢": "D", "DIAMONDS": "D", "KARO": "D", "SCHELLEN": "D", "SCHELLE": "D",
    "BELLS": "D",
}  # fmt: skip


_SPELLINGS: Final[dict[str, Card]] = {
    text: rank + suit
    for rank_word, rank in _RANK_WORDS.items()
    for suit_word, suit in _SUIT_WORDS.items()
    for text in (rank_word + suit_word, suit_word + rank_word, f"{rank_word}OF{suit_word}")
}
"""Every way to write a card, without the characters between its words.

No spelling stands for two cards.
"""


def parse_card(text: str) -> Card:
    """The card written as `KH`, `10h`, `♥K`, `Herz-König` or `Rot-Ober`. Raises CardError."""
    plain = "".join(char for char in text.upper() if char not in " -_.\ufe0e\ufe0f")
    card = _SPELLINGS.get(plain)
    if card is None:
        raise CardError(
            lazy_gettext(
                "{text!r} is not a card: write a rank of {ranks} and a suit of {suits}, as in"
                " TH, or a name, as in Herz-König",
                text=text[:40],
                ranks=RANKS,
                suits=SUITS,
            )
        )
    return card


def parse_suit(text: str) -> str:
    """The suit, C D H or S, from its code, sign or name. Raises CardError."""
    # Phone keyboards append a variation selector to a suit's sign.
    suit = _SUIT_WORDS.get(text.strip().rstrip("\ufe0e\ufe0f").upper())
    if suit is None:
        raise CardError(
            lazy_gettext(
                "{text!r} is not a suit: C, D, H or S is expected, or a name, as Herz",
                text=text[:40],
            )
        )
    return suit


def sorted_hand(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards sorted by suit, each suit from the highest down, as a player holds them."""
    return tuple(sorted(cards, key=lambda card: (SUIT_ORDER.index(card[1]), -HEIGHT[card])))
