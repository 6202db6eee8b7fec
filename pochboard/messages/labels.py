"""The names of things: pools, phases, commands, accounts, chips won or lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, assert_never

from pochboard.buttons.settings import BoardSettings, Brightness, SettingName, Volume
from pochboard.cards.card import CardNaming, card_name, suit_name
from pochboard.history.intervals import Interval
from pochboard.rules.commands import CommandName
from pochboard.rules.state import State
from pochboard.text.translator import Translator, gettext_noop

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

PHASE_NAMES: Final[Mapping[str, str]] = {
    "none": gettext_noop("No night yet"),
    "idle": gettext_noop("Between deals"),
    "meld": gettext_noop("Melding"),
    "pochen": gettext_noop("Betting"),
    "showdown": gettext_noop("Showdown"),
    "shed": gettext_noop("Playing the cards"),
    "closed": gettext_noop("The night is over"),
}


_CONTROL_NAMES: Final[Mapping[str, str]] = {
    "next": gettext_noop("next"),
    "undo": gettext_noop("undo"),
}


def pool_name(pool: str, t: Translator) -> str:
    """A pool's name with a capital; an unknown pool keeps its name."""
    return t.gettext(POOL_NAMES[pool]) if pool in POOL_NAMES else pool


def button_name(button: str, t: Translator) -> str:
    """What the button of a pool, `next` or `undo` is called."""
    if button in _CONTROL_NAMES:
        return t.gettext(_CONTROL_NAMES[button])
    return pool_name(button, t)


def pool_names(pools: Iterable[str], t: Translator) -> str:
    """The names of pools as a list. There must be at least one."""
    return t.listed(pool_name(pool, t) for pool in pools)


def seat_names(state: State, seats: Iterable[int], t: Translator) -> str:
    """The names of seats as a list. There must be at least one."""
    return t.listed(state.name_of(seat) for seat in seats)


def short_name(state: State, seat: int, bots: Collection[int]) -> str:
    """A seat's name; for a bot, without its strategy: `Anna` for `Bold Anna`."""
    name = state.name_of(seat)
    return name.split(" ")[-1] if seat in bots else name


def phase_name(phase: str, t: Translator) -> str:
    """What the page calls a phase."""
    return t.gettext(PHASE_NAMES[phase])


def command_label(command: CommandName, t: Translator) -> str:  # noqa: C901, PLR0911, PLR0912 - a table
    """What the button of a command says."""
    match command:
        case "start":
            return t.gettext("Begin the night")
        case "deal":
            return t.gettext("Deal")
        case "turn":
            return t.gettext("Enter")
        case "claim":
            return t.gettext("Claim")
        case "next":
            return t.gettext("Start the betting")
        case "stake":
            return t.gettext("Put in")
        case "pass":
            return t.gettext("Pass")
        case "showdown":
            return t.gettext("Confirm the order")
        case "go":
            return t.gettext("End of a run")
        case "out":
            return t.gettext("Out of cards")
        case "settle":
            return t.gettext("Settle the deal")
        case "void":
            return t.gettext("Misdeal")
        case "rebuy":
            return t.gettext("Buy in")
        case "join":
            return t.gettext("Join")
        case "leave":
            return t.gettext("Leave")
        case "rename":
            return t.gettext("Rename")
        case "dealer":
            return t.gettext("Dealer")
        case "adjust":
            return t.gettext("Recount")
        case "undo":
            return t.gettext("Undo")
        case "redo":
            return t.gettext("Redo")
        case "end":
            return t.gettext("End the night")
        case _:
            assert_never(command)


def account_name(account: str, state: State, t: Translator) -> str:
    """What an account, as in `pool:ace`, is called in a list."""
    kind, _, which = account.partition(":")
    if kind == "bank":
        return t.pgettext("account", "Bank")
    return pool_name(which, t) if kind == "pool" else state.name_of(int(which))


def headline_text(parts: Iterable[str]) -> str:
    """The parts of a headline as one line."""
    return " · ".join(parts)


def signed(chips: int) -> str:
    """Chips won or lost, with their sign: `+5`, `−3`, `±0`."""
    return f"+{chips}" if chips > 0 else f"\N{MINUS SIGN}{-chips}" if chips < 0 else "±0"


def interval_text(interval: Interval, t: Translator) -> str:
    """An interval: `19.0 to 35.8`."""
    return t.gettext(
        "{low} to {high}", low=decimal(interval.low, t), high=decimal(interval.high, t)
    )


def decimal(value: float, t: Translator) -> str:
    """A number with one decimal: `27.4`, `−0.3`."""
    text = t.number(abs(value), ".1f")
    return f"\N{MINUS SIGN}{text}" if round(value, 1) < 0 else text


def seconds(microseconds: int) -> str:
    """A hold time as a number of seconds: `3`, `0.8`."""
    return f"{microseconds / 1_000_000:g}"


def card_names(t: Translator) -> CardNaming:
    """What cards are called in a language. `cards` already has the German names."""
    return "english" if t.language == "en" else "french"


def card_phrase(card: str, t: Translator) -> str:
    """A card in words: `king of hearts`."""
    return card_name(card, card_names(t))


def suit_phrase(suit: str, t: Translator) -> str:
    """A suit in words: `hearts`."""
    return suit_name(suit, card_names(t))


def setting_name(setting: SettingName, t: Translator) -> str:
    """What a setting of the board is called."""
    match setting:
        case "brightness":
            return t.gettext("Brightness")
        case "volume":
            return t.gettext("Volume")


def setting_value(settings: BoardSettings, setting: SettingName, t: Translator) -> str:
    """The chosen value of a setting of the board."""
    match setting:
        case "brightness":
            if settings.night:
                return t.gettext("Night mode")
            return brightness_names(t)[settings.brightness]
        case "volume":
            return volume_names(t)[settings.volume]


def brightness_names(t: Translator) -> Mapping[Brightness, str]:
    """The steps of the brightness in words."""
    return {
        "bright": t.pgettext("brightness", "Bright"),
        "medium": t.pgettext("brightness", "Medium"),
        "dim": t.pgettext("brightness", "Dim"),
    }


def volume_names(t: Translator) -> Mapping[Volume, str]:
    """The steps of the volume in words."""
    return {
        "loud": t.pgettext("volume", "Loud"),
        "medium": t.pgettext("volume", "Medium"),
        "quiet": t.pgettext("volume", "Quiet"),
        "silent": t.pgettext("volume", "Silent"),
    }
