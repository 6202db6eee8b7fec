"""The words of commands; what pools, buttons and cards are called, also within a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from pochboard.text.lazy import LazyText
from pochboard.text.translator import N_, Translator

POOL_NAMES: Final[Mapping[str, str]] = {
    "ace": N_("Ace"),
    "king": N_("King"),
    "queen": N_("Queen"),
    "jack": N_("Jack"),
    "ten": N_("Ten"),
    "marriage": N_("Marriage"),
    "sequence": N_("Sequence"),
    "poch": N_("Poch"),
    "pinke": N_("Pinke"),
}
_BUTTONS: Final = {
    **{pool: LazyText(name) for pool, name in POOL_NAMES.items()},
    "next": LazyText(N_("next")),
    "undo": LazyText(N_("undo")),
}


def lazy_pool(pool: str) -> str:
    """A pool's name with a capital; an unknown pool keeps its name."""
    return _BUTTONS[pool] if pool in POOL_NAMES else pool


def lazy_button(button: str) -> str:
    """What the button of a pool, `next` or `undo` is called."""
    return _BUTTONS.get(button, button)


class CommandWords(msgspec.Struct, frozen=True):
    """All that people read about a command: its label, its form and its entry."""

    label: str
    """The text of its button."""
    title: str = ""
    """What its form asks, such as which seat is meant."""
    hint: str = ""
    named: str = ""
    """The text of the button once a seat is chosen, named `{name}`; if empty, the label."""
    own: str = ""
    """The text of the button on the phone of somebody at the seat."""
    confirm: str = ""
    """The text of the button that sends it, where people have to confirm."""
    entry: str = ""
    """The first sentence of its entry, if these are all its placeholders: `{name}`, the seat's name
    before; `{new}`, its name now; `{deal}`, the number of the deal."""

    def in_language(self, t: Translator) -> CommandWords:
        """These words in another language, as templates."""
        texts = msgspec.structs.astuple(self)
        return CommandWords(*(t.gettext(text) if text else "" for text in texts))


COMMANDS: Final[Mapping[str, CommandWords]] = {
    "start": CommandWords(N_("Begin the night")),
    "deal": CommandWords(N_("Deal")),
    "turn": CommandWords(N_("Enter"), N_("Card turned up")),
    "claim": CommandWords(N_("Claim")),
    "next": CommandWords(N_("Start the betting"), entry=N_("Melding is over.")),
    "stake": CommandWords(N_("Put in")),
    "pass": CommandWords(N_("Pass"), entry=N_("{name} passes.")),
    "showdown": CommandWords(
        N_("Confirm the order"),
        N_("Best hand first"),
        N_("Tap the names in the order of their hands."),
    ),
    "go": CommandWords(N_("End of a run"), N_("Who ended the run?"), own=N_("I ended a run")),
    "out": CommandWords(
        N_("Out of cards"),
        N_("Who has played the last card?"),
        own=N_("My last card!"),
        entry=N_("{name} has played the last card."),
    ),
    "settle": CommandWords(N_("Settle the deal"), N_("Cards left in the hand")),
    "void": CommandWords(
        N_("Misdeal"),
        N_("A misdeal undoes this whole deal, including the ante. Are you sure?"),
        confirm=N_("Yes, a misdeal"),
        entry=N_("Misdeal: deal {deal} is void, and all its chips go back."),
    ),
    "rebuy": CommandWords(N_("Buy in"), N_("Who buys in?")),
    "join": CommandWords(N_("Join")),
    "leave": CommandWords(
        N_("Somebody leaves"),
        N_("Who leaves?"),
        N_("The chips go back to the bank, and the place is free."),
        N_("{name} leaves"),
    ),
    "sit_out": CommandWords(
        N_("Sit out"),
        N_("Who sits out?"),
        N_("The chips and the place stay. No ante is paid until the player is back."),
        N_("{name} sits out"),
        entry=N_("{name} sits out."),
    ),
    "sit_in": CommandWords(
        N_("Play again"),
        N_("Who plays again?"),
        named=N_("{name} plays again"),
        entry=N_("{name} plays again."),
    ),
    "rename": CommandWords(
        N_("Rename"), N_("Who gets a new name?"), entry=N_("{name} is now called {new}.")
    ),
    "dealer": CommandWords(N_("Dealer"), N_("Who deals next?"), entry=N_("{name} deals next.")),
    "banker": CommandWords(
        N_("Banker"), N_("Who is the banker?"), entry=N_("{name} is the banker from now on.")
    ),
    "adjust": CommandWords(
        N_("Recount"), hint=N_("The chips on the table decide. Tap what you have counted.")
    ),
    "undo": CommandWords(N_("Undo")),
    "redo": CommandWords(N_("Redo")),
    "end": CommandWords(N_("End the night"), confirm=N_("Yes, end the night")),
}
"""The words of each command, in the order of RULES.md 3.

What it does is in `rules.registry`, what its entry says besides in `messages.entries`, and what may
be chosen for it in `views.actions`.
"""


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


def card_names(t: Translator) -> CardNaming:
    """What cards are called in a language; German names have French suits."""
    return "english" if t.language == "en" else "french"


def card_name_in(t: Translator, code: str) -> str:
    """The name of a card or a suit in a language."""
    return card_name(code, card_names(t))


def lazy_card(code: str) -> LazyText:
    """A card, such as `KH`, or a suit, such as `H`, in a sentence: `king of hearts`, `hearts`."""
    return LazyText(card_name_in, code)


def given_in(t: Translator, texts: Mapping[str, str]) -> str:
    """A text from a file in this language, or else in English."""
    return texts.get(t.language, texts["en"])


def given_text(texts: Mapping[str, str]) -> LazyText:
    """A text that a file gives in each language, such as the title of a ruleset."""
    return LazyText(given_in, texts)
