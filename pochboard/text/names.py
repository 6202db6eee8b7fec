"""What pools, buttons and cards are called: in a table of names, or as a value of a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Self

from pochboard.text.lazy import LazyText, SupportsGettext, gettext_noop

POOL_NAMES: Final[Mapping[str, str]] = {
    "ace": gettext_noop("Ace"),
    "king": gettext_noop("King"),
    "queen": gettext_noop("Queen"),
    "jack": gettext_noop("Jack"),
    "ten": gettext_noop("Ten"),
    "marriage": gettext_noop("Marriage"),
    "sequence": gettext_noop("Sequence"),
    "poch": gettext_noop("Poch"),
    "pinke": gettext_noop("Pinke"),
}

_CONTROL_NAMES: Final[Mapping[str, str]] = {
    "next": gettext_noop("next"),
    "undo": gettext_noop("undo"),
}
_BUTTONS: Final = {key: LazyText(name) for key, name in {**POOL_NAMES, **_CONTROL_NAMES}.items()}


def lazy_pool(pool: str) -> str:
    """A pool's name with a capital; an unknown pool keeps its name."""
    return _BUTTONS[pool] if pool in POOL_NAMES else pool


def lazy_button(button: str) -> str:
    """What the button of a pool, `next` or `undo` is called."""
    return _BUTTONS.get(button, button)


CardNaming = Literal["english", "french", "german"]
"""What cards are called: in English, or in German with French or with German suits."""

_RANK_NAMES: Final[dict[CardNaming, dict[str, str]]] = {
    "english": {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"},
    "french": {"A": "Ass", "K": "König", "Q": "Dame", "J": "Bube", "T": "10"},
    "german": {"A": "Daus", "K": "König", "Q": "Ober", "J": "Unter", "T": "10"},
}
_RANK_SIGNS: Final[dict[CardNaming, dict[str, str]]] = {
    "english": {"T": "10"},
    "french": {"Q": "D", "J": "B", "T": "10"},
    "german": {"A": "D", "Q": "O", "J": "U", "T": "10"},
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


def rank_sign(rank: str, names: CardNaming) -> str:
    """What a card shows in its corner: `K`, `10`, or in German `D` for the queen."""
    return _RANK_SIGNS[names].get(rank, rank)


def rank_plural(rank: str, names: CardNaming) -> str:
    """The plural of a rank: `kings`, `Damen`, `sevens`."""
    return _PLURALS[names].get(rank) or f"{rank_name(rank, names)}s"


def suit_name(suit: str, names: CardNaming = "english") -> str:
    """The name of a suit: `hearts`, `Herz`, `Rot`."""
    return _SUIT_NAMES[names][suit]


def card_name(card: str, names: CardNaming) -> str:
    """The name of a card or a suit: `king of hearts`, `Herz-König`, `Rot-Ober`, `hearts`."""
    if len(card) == 1:
        return suit_name(card, names)
    rank, suit = rank_name(card[0], names), suit_name(card[1], names)
    return f"{rank} of {suit}" if names == "english" else f"{suit}-{rank}"


def card_names(t: SupportsGettext) -> CardNaming:
    """What cards are called in a language; German names have French suits."""
    return "english" if t.language == "en" else "french"


class CardName(LazyText):
    """A card or a suit in a sentence: `king of hearts`, `hearts`."""

    __slots__ = ("_code",)

    _code: str

    def __new__(cls, code: str) -> Self:
        """`code` is that of a card, such as `KH`, or of a suit, such as `H`."""
        made = super().__new__(cls, "{text}", text=card_name(code, "english"))
        made._code = code
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The name in another language."""
        return card_name(self._code, card_names(t))

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        return (self._code,), {}


class GivenText(LazyText):
    """A text that a file gives in each language, such as the title of a ruleset.

    A language that the file lacks gets the English one.
    """

    __slots__ = ("_texts",)

    _texts: Mapping[str, str]

    def __new__(cls, texts: Mapping[str, str]) -> Self:
        """`texts` are by language, English among them."""
        made = super().__new__(cls, "{text}", text=texts["en"])
        made._texts = texts
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The text in another language."""
        return self._texts.get(t.language, self._texts["en"])

    def __getnewargs_ex__(self) -> tuple[tuple[Mapping[str, str]], dict[str, object]]:
        return (self._texts,), {}
