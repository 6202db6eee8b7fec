"""The names of things, what wins a pool, hints at impossible numbers, faults."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Final

from pochboard.buttons.settings import BoardSettings, Brightness, SettingName, Volume
from pochboard.cards.card import CARDS
from pochboard.history import Interval
from pochboard.ledger.results import CountHint, Hint
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset
from pochboard.rules.ruleset_files import lazy_ruleset
from pochboard.rules.state import State
from pochboard.text.names import (
    CardNaming,
    card_name,
    card_name_in,
    card_names,
    lazy_pool,
    rank_name,
    rank_sign,
    suit_name,
)
from pochboard.text.translator import ENGLISH, N_, Translator, ngettext_noop

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
    return t.translated(rules.pool_name(pool) if rules else lazy_pool(pool))


def ruleset_name(name: str, t: Translator) -> str:
    """What people call a ruleset."""
    return t.translated(lazy_ruleset(name))


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
    named = t.pgettext("suit", "trumps") if suit == "*" else card_name_in(t, suit)
    if len(ranks) == 1:
        return t.gettext("the {rank} of {suit}", rank=ranks[0], suit=named)
    return t.gettext("the {ranks} of {suit}", ranks=t.listed(ranks), suit=named)


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


def setting_name(setting: SettingName, t: Translator) -> str:
    """What a setting of the board is called."""
    return t.gettext("Brightness") if setting == "brightness" else t.gettext("Volume")


def setting_value(settings: BoardSettings, setting: SettingName, t: Translator) -> str:
    """The chosen value of a setting of the board."""
    if setting == "volume":
        return volume_names(t)[settings.volume]
    return t.gettext("Night mode") if settings.night else brightness_names(t)[settings.brightness]


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


def error_heading(status: int, t: Translator) -> str:
    """The heading of the page for an HTTP status; rare ones have only their English name."""
    return t.gettext(HTTPStatus(status).phrase)


_STATUSES: Final = (
    N_("Bad Request"),
    N_("Unauthorized"),
    N_("Forbidden"),
    N_("Not Found"),
    N_("Method Not Allowed"),
    N_("Misdirected Request"),
    N_("Too Many Requests"),
    N_("Internal Server Error"),
    N_("Service Unavailable"),
)
"""For the catalogues."""


def language_name(t: Translator) -> str:
    """What a language calls itself."""
    return t.pgettext("name of this language", "English")


def page_words(t: Translator) -> dict[str, str]:
    """Words that modules of the page look up by name: cards and suits by pattern, and settings."""
    patterns: tuple[tuple[str, CardNaming], ...] = (("french", card_names(t)), ("german", "german"))
    words: dict[str, str] = {}
    for pattern, names in patterns:
        words |= {f"card.{pattern}.{card}": card_name(card, names) for card in CARDS}
        words |= {f"suit.{pattern}.{suit}": suit_name(suit, names) for suit in SUITS}
        words |= {f"rank.{pattern}.{rank}": rank_sign(rank, names) for rank in RANKS}
    words |= {f"brightness.{step}": label for step, label in brightness_names(t).items()}
    return words | {f"volume.{step}": label for step, label in volume_names(t).items()}


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
        else t.translated(reason)
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


_SEQUENCE: Final[Mapping[str, str]] = {
    "best-run-trump-first": N_(
        "The best run takes this pool. A run of trumps beats all others, then the one with the"
        " highest card wins; the length does not count."
    ),
    "best-run-height-first": N_(
        "The best run takes this pool. The one with the highest card wins, then the one of trumps;"
        " the length does not count."
    ),
    "longest-run": N_(
        "The longest run takes this pool. Of equally long ones the one with the highest card wins,"
        " then the one of trumps."
    ),
}


def pool_rules(pool: str, state: State, t: Translator) -> list[str]:
    """What wins a pool of the night in progress, in sentences."""
    sentences = what_wins(pool, state.rules, t)
    if pool in state.blocked and state.turned and pool in state.rules.pools_of_card(state.turned):
        sentences.append(
            t.gettext(
                "In this deal nobody can win it, because the {card} is turned up.",
                card=card_name_in(t, state.turned),
            )
        )
    return sentences


def what_wins(pool: str, rules: Ruleset, t: Translator) -> list[str]:
    """What wins a pool of a ruleset, in sentences."""
    if pool not in rules.meld_pools:
        return _by_playing(pool, rules, t)
    needed = rules.cards_of_pools[pool]
    cards = pool_cards(needed, t) if needed else ""
    with_it = rules.comes_with(pool)
    if not needed:
        sentences = [
            t.gettext("A run is three or more cards of a suit in a row, in one hand."),
            t.gettext(_SEQUENCE[rules.sequence]),
            t.gettext("Of equal runs, that of the first player after the dealer wins."),
        ]
    elif with_it:
        sentences = [
            t.gettext(
                "Whoever shows {cards} takes this pool, and {pools} as well.",
                cards=cards,
                pools=pool_names(with_it, t, rules),
            )
        ]
    else:
        sentences = [t.gettext("Whoever shows {cards} takes this pool.", cards=cards)]
    if (least := rules.fewest_seats(pool)) > LEAST_LIVE:
        sentences.append(
            t.gettext("With fewer than {count} players nobody fills or wins it.", count=least)
        )
    return sentences


def _by_playing(pool: str, rules: Ruleset, t: Translator) -> list[str]:
    """What wins Poch and Pinke."""
    sentences = []
    if pool == rules.bet_pool:
        sentences.append(t.gettext("Whoever wins the betting takes this pool, with all stakes."))
    elif pool in rules.won_by_betting:
        sentences.append(
            t.gettext("Whoever wins the betting takes this pool, together with the stakes.")
        )
    if pool == "pinke" and rules.centre_to_winner:
        sentences.append(t.gettext("Whoever plays their last card first takes this pool."))
    return sentences or [t.gettext("Neither cards nor bets win this pool with these rules.")]


_HINTS: Final[Mapping[str, str | tuple[str, str]]] = {
    "too-few-chips": ngettext_noop(
        "{count} chip is missing: {due} should be in play. After a recount, check whether another"
        " pool or stack has too many.",
        "{count} chips are missing: {due} should be in play. After a recount, check whether another"
        " pool or stack has too many.",
    ),
    "too-many-chips": ngettext_noop(
        "There is {count} chip too many: {due} should be in play. After a recount, check whether"
        " another pool or stack has too few.",
        "There are {count} chips too many: {due} should be in play. After a recount, check whether"
        " another pool or stack has too few.",
    ),
    "ante-missing": N_(
        "{pool} holds {count}, but the ante of this deal alone is {due}. Has somebody not put in"
        " theirs?"
    ),
    "odd-pool": N_("{pool} holds {count}, which cannot be antes of {due}. Count it again."),
    "antes-missing": ngettext_noop(
        "That is exactly {count} ante less. Has somebody not put in theirs?",
        "That is exactly {count} antes less. Have some players not put in theirs?",
    ),
    "antes-twice": ngettext_noop(
        "That is exactly {count} ante more. Has somebody put in theirs twice?",
        "That is exactly {count} antes more. Have some players put in theirs twice?",
    ),
    "unpaid": N_("That is exactly one ante more. Has it not been put in?"),
    "paid-twice": N_("That is exactly one ante less. Has it been put in twice?"),
}


def hint_text(hint: Hint, state: State, t: Translator) -> str:
    """Why a number cannot be right, and what to do about it."""
    pool = pool_name(hint.account.partition(":")[2], t, state.ruleset)
    return _counted(hint.kind, hint.count, t, due=hint.due, pool=pool)


def count_hint_text(hint: CountHint, t: Translator) -> str:
    """What a count that differs from the ledger may mean."""
    return _counted(hint.kind, hint.antes, t)


def _counted(kind: str, count: int, t: Translator, **places: object) -> str:
    sentence = _HINTS[kind]
    if isinstance(sentence, str):
        return t.gettext(sentence, count=count, **places)
    return t.ngettext(*sentence, count, **places)
