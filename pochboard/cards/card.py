"""Cards, and who is dealt which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

import msgspec

from pochboard.errors import card_error
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import DECKS, Ruleset

Card = str
"""A card's code, rank and suit, such as `TH` (RULES.md 3)."""

SUIT_ORDER: Final = "CSHD"
"""The suits from the highest down, in the German order: Eichel, Grün, Rot, Schellen."""

HEIGHT: Final = {rank + suit: height for height, rank in enumerate(RANKS, 2) for suit in SUITS}
"""The height of each card, 2 to 14. The ace is always the highest card."""

CARDS: Final = tuple(HEIGHT)

_DECKS: Final = {size: CARDS[-size:] for size in DECKS}


def deck_of(size: int) -> tuple[Card, ...]:
    """The deck of this many cards, lowest rank first: 32 cards start at the sevens."""
    return _DECKS[size]


CardSet = int
"""A set of cards, with a bit for each: bots and the shedding work on these.

A suit takes 16 bits, and the suits follow each other in the order of `SUITS`. Within a suit the
number of a bit is the height of its card. So shifting a card by one gives the next higher card, or
a bit that no card has, and of cards of a suit the greater number is the higher card.
"""

SUIT_BITS: Final = 16
BIT: Final[Mapping[Card, CardSet]] = {
    card: 1 << (SUIT_BITS * SUITS.index(card[1]) + height) for card, height in HEIGHT.items()
}
"""The set of each card alone."""
CARD_OF: Final[Mapping[CardSet, Card]] = {bit: card for card, bit in BIT.items()}
"""The only card of a set."""
EVERY_CARD: Final[CardSet] = sum(CARD_OF)
ACES: Final[CardSet] = sum(BIT[f"A{suit}"] for suit in SUITS)
_SUITS: Final = {suit: sum([BIT[rank + suit] for rank in RANKS]) for suit in SUITS}
SAME_SUIT: Final[Mapping[CardSet, CardSet]] = {bit: _SUITS[card[1]] for card, bit in BIT.items()}
"""By card, all cards of its suit."""
SAME_HEIGHT: Final[Mapping[int, CardSet]] = {
    height: sum([BIT[rank + suit] for suit in SUITS]) for height, rank in enumerate(RANKS, 2)
}
"""By height, the four cards."""
HIGHER: Final[Mapping[CardSet, CardSet]] = {
    bit: suit & -(bit << 1) for bit, suit in SAME_SUIT.items()
}
"""By card, the higher cards of its suit."""
LOWEST: Final[Mapping[int, CardSet]] = {
    size: sum(map(BIT.__getitem__, deck[: len(SUITS)])) for size, deck in _DECKS.items()
}
"""By the size of the deck, its lowest card of each suit."""


DECK_SETS: Final[Mapping[int, CardSet]] = {
    size: sum(map(BIT.__getitem__, deck)) for size, deck in _DECKS.items()
}
"""The decks by their sizes."""


def card_set(cards: Iterable[Card]) -> CardSet:
    """The set of these cards, none of which is given twice."""
    return sum(map(BIT.__getitem__, cards))


def one_by_one(cards: CardSet) -> Iterator[CardSet]:
    """Each card of a set: suit by suit in the order of `SUITS`, each from the lowest up."""
    while cards:
        card = cards & -cards
        yield card
        cards ^= card


def cards_of(cards: CardSet) -> tuple[Card, ...]:
    """The cards of a set, in the order of `one_by_one`."""
    return tuple(map(CARD_OF.__getitem__, one_by_one(cards)))


def height_of(card: CardSet) -> int:
    """The height of a card, 2 to 14."""
    return (card.bit_length() - 1) % SUIT_BITS


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


@cache
def _spellings() -> dict[str, Card]:
    """Every way to write a card, without the characters between its words.

    No spelling stands for two cards. They take a megabyte, and most evenings nobody writes a card.
    """
    return {
        text: rank + suit
        for rank_word, rank in _RANK_WORDS.items()
        for suit_word, suit in _SUIT_WORDS.items()
        for text in (rank_word + suit_word, suit_word + rank_word, f"{rank_word}OF{suit_word}")
    }


def parse_card(text: str) -> Card:
    """The card written as `KH`, `10h`, `♥K`, `Herz-König` or `Rot-Ober`. Raises CardError."""
    plain = "".join(char for char in text.upper() if char not in " -_.\ufe0e\ufe0f")
    card = _spellings().get(plain)
    if card is None:
        raise card_error(
            "{text!r} is not a card: write a rank of {ranks} and a suit of {suits}, as in"
            " TH, or a name, as in Herz-König",
            text=text[:40],
            ranks=RANKS,
            suits=SUITS,
        )
    return card


def parse_suit(text: str) -> str:
    """The suit, C D H or S, from its code, sign or name. Raises CardError."""
    # Phone keyboards append a variation selector to a suit's sign.
    suit = _SUIT_WORDS.get(text.strip().rstrip("\ufe0e\ufe0f").upper())
    if suit is None:
        raise card_error(
            "{text!r} is not a suit: C, D, H or S is expected, or a name, as Herz", text=text[:40]
        )
    return suit


def sorted_hand(cards: Iterable[Card]) -> tuple[Card, ...]:
    """The cards sorted by suit, each suit from the highest down, as a player holds them."""
    return tuple(sorted(cards, key=lambda card: (SUIT_ORDER.index(card[1]), -HEIGHT[card])))


class Dealt(msgspec.Struct, frozen=True):
    """The cards of a deal as they were dealt."""

    hands: dict[int, tuple[Card, ...]]
    """By seat, from forehand on, each in the order in which its cards were dealt."""
    turned: Card | None
    """The card turned up, which sets the trump suit; None if the ruleset fixes the suit.

    Nobody holds it, unless all cards are dealt: then it is the last card of a hand.
    """
    talon: tuple[Card, ...]
    """The cards left over, which nobody sees."""


def deal_out(shuffled: Sequence[Card], rules: Ruleset, seats: Sequence[int]) -> Dealt:
    """Deals a shuffled deck to the live seats, given from forehand on."""
    places = _places(rules, len(seats))
    top = sum(map(len, places))
    turned = None
    if rules.turned_is_held:
        turned = shuffled[top - 1]
    elif rules.turns_a_card:
        turned = shuffled[top]
        top += 1
    return Dealt(
        hands={
            seat: tuple([shuffled[place] for place in own])
            for seat, own in zip(seats, places, strict=True)
        },
        turned=turned,
        talon=tuple(shuffled[top:]),
    )


@lru_cache(maxsize=64)
def _places(rules: Ruleset, live: int) -> tuple[tuple[int, ...], ...]:
    """The places in the deck of each seat's cards, from forehand on."""
    order = rules.deal_order(live)
    return tuple(
        tuple(place for place, seat in enumerate(order) if seat == own) for own in range(live)
    )
