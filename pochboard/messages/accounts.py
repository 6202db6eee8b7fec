"""An account of the book in words: what wins a pool, and where its chips came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from pochboard.ledger.results import CountHint, Hint
from pochboard.messages.labels import card_phrase, pool_cards, pool_name, pool_names
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset
from pochboard.rules.state import State
from pochboard.text.translator import N_, Translator

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
                card=card_phrase(state.turned, t),
            )
        )
    return sentences


def what_wins(pool: str, rules: Ruleset, t: Translator) -> list[str]:
    """What wins a pool of a ruleset, in sentences."""
    if pool not in rules.meld_pools:
        return _by_playing(pool, rules, t)
    needed = rules.cards_of_pools[pool]
    if not needed:
        return [
            t.gettext("A run is three or more cards of a suit in a row, in one hand."),
            t.gettext(_SEQUENCE[rules.sequence]),
            t.gettext("Of equal runs, that of the first player after the dealer wins."),
        ]
    cards = pool_cards(needed, t)
    with_it = rules.comes_with(pool)
    sentences = [
        t.gettext(
            "Whoever shows {cards} takes this pool, and {pools} as well.",
            cards=cards,
            pools=pool_names(with_it, t, rules),
        )
        if with_it
        else t.gettext("Whoever shows {cards} takes this pool.", cards=cards)
    ]
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


def last_taken_text(sentence: str, t: Translator) -> str:
    """The sentence of the entry with which somebody last won a pool, introduced as such."""
    return t.gettext("Last time: {sentence}", sentence=sentence)


def hint_text(hint: Hint, state: State, t: Translator) -> str:
    """Why a number cannot be right, and what to do about it."""
    pool = pool_name(hint.account.partition(":")[2], t, state.ruleset)
    match hint.kind:
        case "too-few-chips":
            return t.ngettext(
                "{count} chip is missing: {due} should be in play. After a recount, check whether "
                "another pool or stack has too many.",
                "{count} chips are missing: {due} should be in play. After a recount, check "
                "whether another pool or stack has too many.",
                hint.count,
                due=hint.due,
            )
        case "too-many-chips":
            return t.ngettext(
                "There is {count} chip too many: {due} should be in play. After a recount, check "
                "whether another pool or stack has too few.",
                "There are {count} chips too many: {due} should be in play. After a recount, check "
                "whether another pool or stack has too few.",
                hint.count,
                due=hint.due,
            )
        case "ante-missing":
            return t.gettext(
                "{pool} holds {chips}, but the ante of this deal alone is {due}. Has somebody not"
                " put in theirs?",
                pool=pool,
                chips=hint.count,
                due=hint.due,
            )
        case "odd-pool":
            return t.gettext(
                "{pool} holds {chips}, but only antes of {due} go in. Count it again.",
                pool=pool,
                chips=hint.count,
                due=hint.due,
            )
        case _:
            assert_never(hint.kind)


def count_hint_text(hint: CountHint, t: Translator) -> str:
    """What a count that differs from the ledger may mean."""
    match hint.kind:
        case "antes-missing":
            return t.ngettext(
                "That is exactly {count} ante less. Has somebody not put in theirs?",
                "That is exactly {count} antes less. Have some players not put in theirs?",
                hint.antes,
            )
        case "antes-twice":
            return t.ngettext(
                "That is exactly {count} ante more. Has somebody put in theirs twice?",
                "That is exactly {count} antes more. Have some players put in theirs twice?",
                hint.antes,
            )
        case "unpaid":
            return t.gettext("That is exactly one ante more. Has it not been put in?")
        case "paid-twice":
            return t.gettext("That is exactly one ante less. Has it been put in twice?")
        case _:
            assert_never(hint.kind)
