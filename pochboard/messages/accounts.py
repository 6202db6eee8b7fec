"""An account of the book in words: what wins a pool, and where its chips came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple, assert_never

from pochboard.ledger.hints import CountHint, Hint
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.labels import account_name, card_phrase, pool_name
from pochboard.rules.commands import Adjust, Redo, Undo, Void
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


class Movement(NamedTuple):
    """An entry that put chips into an account or took some out."""

    number: int
    time_ms: int
    sentence: str
    chips: int


def pool_rules(pool: str, state: State, t: Translator) -> list[str]:
    """What wins a pool of the night in progress, in sentences."""
    said = what_wins(pool, state.rules, t)
    if pool in state.blocked and state.turned:
        said.append(
            t.gettext(
                "In this deal nobody can win it, because the {card} is turned up.",
                card=card_phrase(state.turned, t),
            )
        )
    return said


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
    said = []
    if pool == rules.bet_pool:
        said.append(t.gettext("Whoever wins the betting takes this pool, with all stakes."))
    elif pool == "poch" and rules.pays_poch_too:
        said.append(t.gettext("Whoever wins the betting takes this pool, together with Pinke."))
    if pool == "pinke" and rules.centre_to_winner:
        said.append(t.gettext("Whoever plays their last card first takes this pool."))
    return said or [t.gettext("Neither cards nor bets win this pool with these rules.")]


def movements(
    account: str,
    contexts: Sequence[EntryContext],
    t: Translator,
    called: Mapping[str, str] = {},
) -> list[Movement]:
    """The entries of a night that changed an account, oldest first. `called` as in `sentence`."""
    found = []
    for context in contexts:
        entry = context.entry
        chips = sum(moved for name, moved in entry.postings if name == account)
        if chips:
            said = sentence(context, t, called)
            found.append(Movement(entry.number, entry.time_ms, said, chips))
    return found


def since_empty(moved: Sequence[Movement]) -> list[Movement]:
    """The last movements: those since the account was empty."""
    balance, first = 0, 0
    for i, movement in enumerate(moved):
        balance += movement.chips
        if balance == 0:
            first = i + 1
    return list(moved[first:])


def since_counted(
    account: str,
    moved: Sequence[Movement],
    contexts: Sequence[EntryContext],
    gone: Collection[int] = (),
) -> list[Movement]:
    """The movements since the account was last recounted, among which an error must be.

    `gone` are the numbers of entries that are no longer in force.
    """
    counted = 0
    for context in contexts:
        entry, command = context.entry, context.entry.command
        recount = isinstance(command, Adjust) and account in (command.from_, command.to)
        if recount and entry.number not in gone:
            counted = entry.number
    return [movement for movement in moved if movement.number > counted]


def recount(account: str, counted: int, state: State, t: Translator) -> Adjust | None:
    """The command that books what somebody has counted in a pool or stack (BOARD.md 7).

    The difference comes from the bank or goes there; None if there is no difference.
    """
    kind, _, which = account.partition(":")
    chips = state.pool(which) if kind == "pool" else state.stack_of(int(which))
    if counted == chips:
        return None
    source, target = ("bank", account) if counted > chips else (account, "bank")
    return Adjust(
        from_=source,
        to=target,
        chips=abs(counted - chips),
        reason=t.gettext(
            "recount of {name}: {counted} instead of {chips}",
            name=account_name(account, state, t),
            counted=counted,
            chips=chips,
        ),
    )


def last_taken(
    moved: Sequence[Movement], contexts: Sequence[EntryContext], gone: Collection[int] = ()
) -> str | None:
    """The sentence of the last entry with which somebody won chips of a pool.

    A recount wins nothing, and neither does an entry that is no longer in force (`gone`) or its
    undo.
    """
    won = {
        context.entry.number
        for context in contexts
        if not isinstance(context.entry.command, Adjust | Undo | Redo | Void)
    }.difference(gone)
    return next(
        (one.sentence for one in reversed(moved) if one.chips < 0 and one.number in won), None
    )


def last_taken_text(sentence: str, t: Translator) -> str:
    """The sentence that `last_taken` has found, and that it was the last time."""
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
