"""An account of the book in words: what wins a pool, and where its chips came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from pochboard.ledger.results import CountHint, Hint
from pochboard.messages.labels import card_phrase, pool_name
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.text.translator import Translator, gettext_noop

_BY_CARDS: Final[Mapping[str, str]] = {
    "ace": gettext_noop("Whoever shows the ace of trumps takes this pool."),
    "king": gettext_noop("Whoever shows the king of trumps takes this pool."),
    "queen": gettext_noop("Whoever shows the queen of trumps takes this pool."),
    "jack": gettext_noop("Whoever shows the jack of trumps takes this pool."),
    "ten": gettext_noop("Whoever shows the ten of trumps takes this pool."),
    "marriage": gettext_noop(
        "Whoever shows the king and queen of trumps takes this pool, and King and Queen as well."
    ),
}
_SEQUENCE: Final[Mapping[str, str]] = {
    "trump-789": gettext_noop("Whoever shows seven, eight and nine of trumps takes this pool."),
    "best-run-trump-first": gettext_noop(
        "The best run of a suit takes this pool: trumps before height."
    ),
    "best-run-height-first": gettext_noop(
        "The best run of a suit takes this pool: height before trumps."
    ),
    "longest-run": gettext_noop("The longest run of a suit takes this pool."),
}


def pool_rules(pool: str, state: State, t: Translator) -> list[str]:
    """What wins a pool of the night in progress, in sentences."""
    sentences = what_wins(pool, state.rules, t)
    if pool in state.blocked and state.turned:
        sentences.append(
            t.gettext(
                "In this deal nobody can win it, because the {card} is turned up.",
                card=card_phrase(state.turned, t),
            )
        )
    return sentences


def what_wins(pool: str, rules: Ruleset, t: Translator) -> list[str]:
    """What wins a pool of a ruleset, in sentences."""
    if pool == "sequence":
        return [t.gettext(_SEQUENCE[rules.sequence])]
    if pool == "marriage" and not {"king", "queen"} <= set(rules.pools):
        return [t.gettext("Whoever shows the king and queen of trumps takes this pool.")]
    if pool in _BY_CARDS:
        return [t.gettext(_BY_CARDS[pool])]
    return _by_playing(pool, rules, t)


def _by_playing(pool: str, rules: Ruleset, t: Translator) -> list[str]:
    """What wins Poch and Pinke."""
    sentences = []
    if pool == rules.bet_pool:
        sentences.append(t.gettext("Whoever wins the betting takes this pool, with all stakes."))
    elif pool in rules.won_by_betting:
        sentences.append(
            t.gettext("Whoever wins the betting takes this pool, together with Pinke.")
        )
    if pool == "pinke" and rules.centre_to_winner:
        sentences.append(t.gettext("Whoever plays their last card first takes this pool."))
    return sentences or [t.gettext("Neither cards nor bets win this pool with these rules.")]


def last_taken_text(sentence: str, t: Translator) -> str:
    """The sentence of the entry with which somebody last won a pool, introduced as such."""
    return t.gettext("Last time: {sentence}", sentence=sentence)


def hint_text(hint: Hint, t: Translator) -> str:
    """Why a number cannot be right, and what to do about it."""
    pool = pool_name(hint.account.partition(":")[2], t)
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
