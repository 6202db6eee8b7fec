"""The names of things: pools, phases, commands, accounts, chips won or lost, faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from pochboard.buttons.settings import BoardSettings, Brightness, SettingName, Volume
from pochboard.history.people import Interval
from pochboard.rules.commands import CommandName
from pochboard.rules.registry import RULES
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import lazy_ruleset
from pochboard.rules.state import State
from pochboard.text.lazy import translated
from pochboard.text.names import card_name, card_names, lazy_pool, rank_name, suit_name
from pochboard.text.translator import ENGLISH, N_, Translator

PHASE_NAMES: Final[Mapping[str, str]] = {
    "none": N_("No night yet"),
    "idle": N_("Between deals"),
    "meld": N_("Melding"),
    "pochen": N_("Betting"),
    "showdown": N_("Showdown"),
    "shed": N_("Playing the cards"),
    "closed": N_("The night is over"),
}


def pool_name(pool: str, t: Translator, rules: Ruleset | None = None) -> str:
    """A pool's name with a capital: that of a ruleset, or Poch's."""
    return str(translated(rules.pool_name(pool) if rules else lazy_pool(pool), t))


def ruleset_name(name: str, t: Translator) -> str:
    """What people call a ruleset."""
    return str(translated(lazy_ruleset(name), t))


def pool_names(pools: Iterable[str], t: Translator, rules: Ruleset) -> str:
    """The names of pools as a list. There must be at least one."""
    return t.listed(pool_name(pool, t, rules) for pool in pools)


def pool_cards(cards: Sequence[str], t: Translator) -> str:
    """The cards that win a pool: `the king and queen of trumps`, `the 7 of diamonds`."""
    of_suit: dict[str, list[str]] = {}
    for card in cards:
        of_suit.setdefault(card[1], []).append(rank_name(card[0], card_names(t)))
    return t.listed(_of_suit(suit, ranks, t) for suit, ranks in of_suit.items())


def _of_suit(suit: str, ranks: Sequence[str], t: Translator) -> str:
    if suit == "*" and len(ranks) == 1:
        return t.gettext("the {rank} of trumps", rank=ranks[0])
    if suit == "*":
        return t.gettext("the {ranks} of trumps", ranks=t.listed(ranks))
    return t.gettext("the {ranks} of {suit}", ranks=t.listed(ranks), suit=suit_phrase(suit, t))


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


def command_label(command: CommandName, t: Translator) -> str:
    """What the button of a command says."""
    return RULES[command].label.in_language(t)


def account_label(account: str, state: State, t: Translator) -> str:
    """What an account, as in `pool:ace`, is called in a list."""
    kind, _, which = account.partition(":")
    if kind == "bank":
        return t.pgettext("account", "Bank")
    if kind == "pool":
        return pool_name(which, t, state.ruleset)
    return t.person(state.name_of(int(which)))


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
    return t.number(round(value, 1) + 0.0, ".1f")  # no minus before a zero


def seconds(microseconds: int) -> float:
    """A hold time in seconds, for a sentence that says `3` or `0.8`."""
    value = microseconds / 1_000_000
    return int(value) if value.is_integer() else value


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


_SILENT: Final = {
    "table": N_("The game does not respond: presses and commands are not recorded."),
    "store": N_("The disk does not respond: nothing can be recorded."),
    "board": N_(
        "The board does not respond: its lights do not change, and its buttons do nothing."
    ),
    "web": N_("The web server does not respond: phones are not updated."),
    "display": N_(
        "The display does not respond: what it shows may be out of date."
        " The lights and the phones are right."
    ),
}


def fault_text(
    faults: Iterable[tuple[str, str]], *, restarts: bool, t: Translator = ENGLISH
) -> str:
    """What does not work, and what to do.

    Each fault is a part of the daemon and a reason, which is empty if the part does not respond.
    `restarts` says whether the daemon is restarted if this lasts.
    """
    sorted_faults = sorted(faults)
    sentences = [
        t.gettext("Nothing can be recorded: {reason}", reason=reason)
        if reason and part == "store"
        else str(translated(reason, t))
        if reason
        else t.gettext(_SILENT[part])
        for part, reason in sorted_faults
    ]
    # Neither a restart nor waiting corrects the program.
    if not all(reason for _, reason in sorted_faults):
        sentences.append(
            t.gettext("If this lasts, pochboard restarts by itself within a minute.")
            if restarts
            else t.gettext("If this lasts, restart pochboard. Everything recorded so far is safe.")
        )
    return " ".join(sentences)
