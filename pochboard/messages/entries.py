"""Entries of the ledger in sentences, for the page, the terminal and the replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self, overload

import msgspec

from pochboard.ledger.entry import Entry
from pochboard.messages.labels import (
    account_label,
    card_phrase,
    pool_name,
    pool_names,
    seat_names,
    suit_phrase,
)
from pochboard.rules.commands import (
    SUITS,
    Adjust,
    Banker,
    Claim,
    Command,
    Deal,
    Dealer,
    Go,
    Join,
    Leave,
    Next,
    Out,
    Pass,
    Rebuy,
    Redo,
    Rename,
    Settle,
    Showdown,
    SitIn,
    SitOut,
    Stake,
    Start,
    Turn,
    Undo,
    Void,
)
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import lazy_ruleset
from pochboard.rules.state import State
from pochboard.text.lazy import LazyText, SupportsGettext
from pochboard.text.translator import ENGLISH, N_, Translator, ngettext_noop


class EntryContext(msgspec.Struct, frozen=True):
    """An entry, and everything that its sentence depends on."""

    entry: Entry
    before: State
    """The state before it."""
    after: State
    concerned: EntryContext | None = None
    """Of undo and redo, the entry that was undone or redone."""


class EntryContexts(Sequence[EntryContext]):
    """The entries of a night, each with its context, which is made when it is asked for."""

    def __init__(self, entries: Sequence[Entry], states: Sequence[State]) -> None:
        """`states` has the state after each entry."""
        self._entries = entries
        self._states = states

    def __len__(self) -> int:
        return len(self._states)

    @overload
    def __getitem__(self, index: int) -> EntryContext: ...
    @overload
    def __getitem__(self, index: slice) -> list[EntryContext]: ...

    def __getitem__(self, index: int | slice) -> EntryContext | list[EntryContext]:
        places = range(len(self))[index]
        return (
            [self._at(place) for place in places] if isinstance(places, range) else self._at(places)
        )

    def _at(self, place: int) -> EntryContext:
        entry, concerned = self._entries[place], None
        if isinstance(entry.command, Undo | Redo):
            assert entry.ref is not None, "undo and redo refer to an entry"
            concerned = self._at(entry.ref - 1)
        before = self._states[place - 1] if place else State()
        return EntryContext(entry, before, self._states[place], concerned)


def sentences(
    entries: Sequence[Entry],
    states: Sequence[State],
    t: Translator = ENGLISH,
) -> list[str]:
    """The sentence of each entry of a night, given the state after each."""
    return [sentence(context, t) for context in EntryContexts(entries, states)]


def posting_name(account: str, before: State, after: State, t: Translator) -> str:
    """What the account of a posting is called between two states.

    A seat that an undo has removed has the name that it had before.
    """
    state = after if len(after.names) >= len(before.names) else before
    return account_label(account, state, t)


def sentence(context: EntryContext, t: Translator = ENGLISH) -> str:
    """What an entry did. Who has won a night is not in it: the result is revealed."""
    before, after = context.before, context.after
    told = _told(context, t)
    played = before.ruleset is not None and after.ruleset is not None and after.phase != "closed"
    if not played or before.deck == after.deck:
        return told
    pack = t.gettext("From now on the pack has {cards} cards.", cards=after.deck)
    return f"{told} {pack}"


def _told(context: EntryContext, t: Translator) -> str:
    """The same without the pack, which an undo changes back."""
    command = context.entry.command
    if context.concerned is not None:
        concerned = _told(context.concerned, t)
        if isinstance(command, Undo):
            return t.gettext("Undone: {sentence}", sentence=concerned)
        return t.gettext("Redone: {sentence}", sentence=concerned)
    change = _Change(context.before, context.after, t)
    kind = type(command)
    parts = _SENTENCES[kind](command, change) if kind in _SENTENCES else _by_seat(command, change)
    if context.after.phase == "closed":
        parts.append(t.gettext("The night is over."))
    return " ".join(parts)


class LazySentence(LazyText):
    """The sentence of an entry within a refusal."""

    __slots__ = ("_context",)

    _context: EntryContext

    def __new__(cls, context: EntryContext) -> Self:
        """In English, and in the log, it is as the English ledger has it."""
        made = super().__new__(cls, "{sentence}", sentence=sentence(context))
        made._context = context
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The sentence as the ledger in this language has it."""
        return sentence(self._context, t) if isinstance(t, Translator) else str(self)

    def __getnewargs_ex__(self) -> tuple[tuple[EntryContext], dict[str, object]]:
        return (self._context,), {}


class _Change(msgspec.Struct, frozen=True):
    """What a command changed, and the language to put it in."""

    before: State
    after: State
    t: Translator


def _start(_: Start, change: _Change) -> list[str]:
    after, t = change.after, change.t
    assert after.dealer is not None
    return [
        t.gettext("A night begins: {ruleset}.", ruleset=lazy_ruleset(after.rules.name)),
        t.ngettext(
            "{names} start with {count} chip each.",
            "{names} start with {count} chips each.",
            after.stack,
            names=seat_names(after, after.seats, t),
        ),
        t.gettext("{name} deals first.", name=after.name_of(after.dealer)),
    ]


_DEALS: Final = {
    "seats": ngettext_noop(
        "Deal {deal}: {name} deals, and everybody puts in {count} chip.",
        "Deal {deal}: {name} deals, and everybody puts in {count} chips.",
    ),
    "bank": ngettext_noop(
        "Deal {deal}: {name} deals, and the bank puts in {count} chip.",
        "Deal {deal}: {name} deals, and the bank puts in {count} chips.",
    ),
    "banker": ngettext_noop(
        "Deal {deal}: {name} deals, and {banker}, the banker, puts in {count} chip.",
        "Deal {deal}: {name} deals, and {banker}, the banker, puts in {count} chips.",
    ),
}


def _deal(_: Deal, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    rules = after.rules
    assert after.dealer is not None
    name = after.name_of(after.dealer)
    banker = {} if after.banker is None else {"banker": after.name_of(after.banker)}
    deals = _DEALS[rules.ante_from]
    parts = [t.ngettext(*deals, after.ante_due, deal=after.deal, name=name, **banker)]
    retired = [seat for seat in before.live if seat not in after.live]
    if retired:
        parts.append(
            t.ngettext(
                "{names} cannot ante and is out.",
                "{names} cannot ante and are out.",
                len(retired),
                names=seat_names(after, retired, t),
            )
        )
    return parts


def _turn(command: Turn, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    if command.card in SUITS:
        return [t.gettext("The trump suit is {suit}.", suit=suit_phrase(command.card, t))]
    card = card_phrase(command.card, t)
    if after.rules.turned_is_held:
        return [t.gettext("The last card dealt is the {card}.", card=card)]
    parts = [t.gettext("The {card} is turned up.", card=card)]
    if after.blocked:
        parts.append(
            t.gettext("Nobody can win {pools}.", pools=pool_names(after.blocked, t, after.rules))
        )
    if after.claims != before.claims:
        pool, seat = after.claims[-1]
        parts.append(_takes(after.name_of(seat), pool, before.pool(pool), after.rules, t))
    return parts


def _claim(command: Claim, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    name = after.name_of(command.seat)
    first, *more = [pool for pool, _ in after.claims[len(before.claims) :]]
    won = after.stack_of(command.seat) - before.stack_of(command.seat)
    if not more:
        return [_takes(name, first, won, after.rules, t)]
    return [
        t.ngettext(
            "{name} takes {pool} with {others}: {count} chip.",
            "{name} takes {pool} with {others}: {count} chips.",
            won,
            name=name,
            pool=pool_name(first, t, after.rules),
            others=pool_names(more, t, after.rules),
        )
    ]


def _takes(name: str, pool: str, won: int, rules: Ruleset, t: Translator) -> str:
    return t.ngettext(
        "{name} takes {pool}: {count} chip.",
        "{name} takes {pool}: {count} chips.",
        won,
        name=name,
        pool=pool_name(pool, t, rules),
    )


def _next(_: Next, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    parts = [t.gettext("Melding is over.")]
    target = after.rules.last_deal_to
    if target != "none" and (moved := after.pool(target) - before.pool(target)):
        parts.append(
            t.ngettext(
                "This is the last deal, so the {count} chip left in the pools goes to {pool}.",
                "This is the last deal, so the {count} chips left in the pools go to {pool}.",
                moved,
                pool=pool_name(target, t, after.rules),
            )
        )
    if after.to_act is None:
        return [*parts, t.gettext("Nobody has chips to bet."), _leads(after, t)]
    return [*parts, t.gettext("{name} opens the betting.", name=after.name_of(after.to_act))]


_BELOW_CALL: Final = ngettext_noop(
    "{name} goes all in with the last {count} chip.",
    "{name} goes all in with the last {count} chips.",
)
_HOLDS: Final = {
    False: ngettext_noop(
        "{name} stays in with {count} chip.",
        "{name} stays in with {count} chips.",
    ),
    True: ngettext_noop(
        "{name} stays in with {count} chip, all in.",
        "{name} stays in with {count} chips, all in.",
    ),
}
_KNOCKS: Final = {
    False: ngettext_noop(
        "{name} knocks with {count} chip.",
        "{name} knocks with {count} chips.",
    ),
    True: ngettext_noop(
        "{name} knocks with {count} chip, all in.",
        "{name} knocks with {count} chips, all in.",
    ),
}
_RAISES: Final = {
    False: ngettext_noop(
        "{name} puts in {count} chip and raises by {more}.",
        "{name} puts in {count} chips and raises by {more}.",
    ),
    True: ngettext_noop(
        "{name} puts in {count} chip and raises by {more}, all in.",
        "{name} puts in {count} chips and raises by {more}, all in.",
    ),
}


def _stake(command: Stake, change: _Change) -> list[str]:
    before, put = change.before, command.chips
    need = before.need(command.seat)
    all_in = put == before.stack_of(command.seat)
    if put < need:
        message = _BELOW_CALL
    elif put == need:
        message = _HOLDS[all_in]
    elif before.highest:
        message = _RAISES[all_in]
    else:
        message = _KNOCKS[all_in]
    name = before.name_of(command.seat)
    stakes = change.t.ngettext(*message, put, name=name, more=put - need)
    return [stakes, *_betting_result(change, bet={command.seat: put})]


def _pass(command: Pass, change: _Change) -> list[str]:
    passes = change.t.gettext("{name} passes.", name=change.before.name_of(command.seat))
    return [passes, *_betting_result(change, bet={})]


def _betting_result(change: _Change, bet: Mapping[int, int]) -> list[str]:
    """How the betting ended, if it is over. `bet` is what this command staked."""
    before, after, t = change.before, change.after, change.t
    if after.phase == "pochen":
        return []
    if after.phase == "shed":
        if not before.highest and not bet:
            return [t.gettext("Nobody knocked."), _leads(after, t)]
        return _winnings(change, bet)
    if len(after.still_in) > 1:
        return [t.gettext("Showdown.")]
    (alone,) = after.still_in
    return [t.gettext("{name} must show a set to win.", name=after.name_of(alone))]


def _winnings(change: _Change, bet: Mapping[int, int]) -> list[str]:
    """Who got how many chips and who leads.

    If this command's own stake is returned, it counts as chips received.
    """
    before, after, t = change.before, change.after, change.t
    gains = {
        seat: after.stack_of(seat) - before.stack_of(seat) + bet.get(seat, 0)
        for seat in before.live
    }
    gains = {seat: gain for seat, gain in gains.items() if gain}
    leader = after.leader
    if leader is not None and list(gains) == [leader]:
        return [
            t.ngettext(
                "{name} gets {count} chip and leads.",
                "{name} gets {count} chips and leads.",
                gains[leader],
                name=after.name_of(leader),
            )
        ]
    parts = [_gain(after.name_of(seat), gain, t) for seat, gain in gains.items()]
    return [*parts, _leads(after, t)]


def _gain(name: str, gain: int, t: Translator) -> str:
    if gain > 0:
        return t.ngettext(
            "{name} gets {count} chip.", "{name} gets {count} chips.", gain, name=name
        )
    return t.ngettext(
        "{name} pays a penalty of {count} chip.",
        "{name} pays a penalty of {count} chips.",
        -gain,
        name=name,
    )


def _leads(after: State, t: Translator) -> str:
    assert after.leader is not None
    return t.gettext("{name} leads.", name=after.name_of(after.leader))


def _showdown(command: Showdown, change: _Change) -> list[str]:
    t = change.t
    if command.ranking:
        best = command.ranking[0]
        if isinstance(best, int):
            result = t.gettext("{name} wins the betting.", name=change.after.name_of(best))
        else:
            names = t.listed(map(change.after.name_of, best))
            result = t.gettext("{names} tie in the betting.", names=names)
    else:
        result = t.gettext("Nobody has shown a set, so the chips stay.")
    return [result, *_winnings(change, bet={})]


def _go(command: Go, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    return [
        t.ngettext(
            "{name} ends the run and gets {count} chip.",
            "{name} ends the run and gets {count} chips.",
            after.stack_of(command.seat) - before.stack_of(command.seat),
            name=after.name_of(command.seat),
        )
    ]


def _settle(command: Settle, change: _Change) -> list[str]:
    before, after, t = change.before, change.after, change.t
    assert before.winner is not None
    winner = before.name_of(before.winner)
    parts = [_payments(command, before, winner, t)]
    if before.rules.centre_to_winner and before.pool("pinke"):
        parts.append(_takes(winner, "pinke", before.pool("pinke"), after.rules, t))
    if gone := [seat for seat in before.live if seat not in after.live]:
        parts.append(
            t.ngettext(
                "{names} has no chips left and is out.",
                "{names} have no chips left and are out.",
                len(gone),
                names=seat_names(before, gone, t),
            )
        )
    if after.phase == "idle" and after.dealer is not None:
        parts.append(_deals_next(after, after.dealer, t))
    return parts


_PAYS: Final = {
    (True, False): N_("{name} pays {winner} {chips}"),
    (True, True): N_("{name} pays {winner} only {chips} of {cards}"),
    (False, False): N_("{name} pays {chips}"),
    (False, True): N_("{name} pays only {chips} of {cards}"),
}
"""By whether it is the first payment of the deal, and whether the seat has too few chips."""


def _payments(command: Settle, before: State, winner: str, t: Translator) -> str:
    """Who paid the winner how much, in a list: `Anna pays Ben 2, Clara pays only 1 of 3`."""
    paid: list[str] = []
    for seat, cards in sorted((int(seat), cards) for seat, cards in command.cards.items()):
        if cards:
            chips = min(cards, before.stack_of(seat))
            message = _PAYS[not paid, chips < cards]
            name = before.name_of(seat)
            paid.append(t.gettext(message, name=name, winner=winner, chips=chips, cards=cards))
    if not paid:
        return t.gettext("Deal {deal} is settled: nobody pays.", deal=before.deal)
    payments = ", ".join(paid)
    return t.gettext("Deal {deal} is settled: {payments}.", deal=before.deal, payments=payments)


def _void(_: Void, change: _Change) -> list[str]:
    return [
        change.t.gettext(
            "Misdeal: deal {deal} is void, and all its chips go back.", deal=change.before.deal
        )
    ]


_BUYS_IN: Final = {
    False: ngettext_noop(
        "{name} buys in for {count} chip.",
        "{name} buys in for {count} chips.",
    ),
    True: ngettext_noop(
        "{name} buys in for {count} chip and is back in the game.",
        "{name} buys in for {count} chips and is back in the game.",
    ),
}


def _rebuy(command: Rebuy, change: _Change) -> list[str]:
    seat, before = command.seat, change.before
    message = _BUYS_IN[seat not in before.live]
    return [change.t.ngettext(*message, command.chips, name=before.name_of(seat))]


def _join(_: Join, change: _Change) -> list[str]:
    after = change.after
    return [
        change.t.ngettext(
            "{name} joins at place {place} with {count} chip.",
            "{name} joins at place {place} with {count} chips.",
            after.stack,
            name=after.names[-1],
            place=after.places[-1],
        )
    ]


def _leave(command: Leave, change: _Change) -> list[str]:
    before = change.before
    return [
        change.t.ngettext(
            "{name} goes home with {count} chip.",
            "{name} goes home with {count} chips.",
            before.stack_of(command.seat),
            name=before.name_of(command.seat),
        ),
        *_new_dealer(change),
    ]


def _new_dealer(change: _Change) -> list[str]:
    """Who deals next, if that was somebody else before."""
    dealer = change.after.dealer
    if dealer is None or dealer == change.before.dealer:
        return []
    return [_deals_next(change.after, dealer, change.t)]


def _rename(command: Rename, change: _Change) -> list[str]:
    old, new = (state.name_of(command.seat) for state in (change.before, change.after))
    return [change.t.gettext("{old} is now called {new}.", old=old, new=new)]


def _deals_next(after: State, seat: int, t: Translator) -> str:
    return t.gettext("{name} deals next.", name=after.name_of(seat))


def _adjust(command: Adjust, change: _Change) -> list[str]:
    return [recount_sentence(command, change.before, change.t)]


def recount_sentence(command: Adjust, before: State, t: Translator) -> str:
    """What a recount moves, said before or after it is recorded."""
    return t.ngettext(
        "Recount: {count} chip from {source} to {target} ({reason}).",
        "Recount: {count} chips from {source} to {target} ({reason}).",
        command.chips,
        source=_account_phrase(command.from_, before, t),
        target=_account_phrase(command.to, before, t),
        reason=command.reason.strip(),
    )


def _account_phrase(account: str, state: State, t: Translator) -> str:
    return (
        t.pgettext("from or to", "the bank")
        if account == "bank"
        else account_label(account, state, t)
    )


_BY_SEAT: Final[Mapping[type[Command], str]] = {
    Out: N_("{name} has played the last card."),
    SitOut: N_("{name} sits out."),
    SitIn: N_("{name} plays again."),
    Dealer: N_("{name} deals next."),
    Banker: N_("{name} is the banker from now on."),
}
"""What a command says that has no other result than that it names a seat."""


def _by_seat(command: Command, change: _Change) -> list[str]:
    """The sentence of such a command; that a night ends is said of every command that ends it."""
    if not isinstance(command, Out | SitOut | SitIn | Dealer | Banker):
        return []
    name = change.after.name_of(command.seat)
    said = change.t.gettext(_BY_SEAT[type(command)], name=name)
    return [said, *(_new_dealer(change) if isinstance(command, SitOut) else ())]


_SENTENCES: Final[Mapping[type[Command], Callable[..., list[str]]]] = {
    Start: _start,
    Deal: _deal,
    Turn: _turn,
    Claim: _claim,
    Next: _next,
    Stake: _stake,
    Pass: _pass,
    Showdown: _showdown,
    Go: _go,
    Settle: _settle,
    Void: _void,
    Rebuy: _rebuy,
    Join: _join,
    Leave: _leave,
    Rename: _rename,
    Adjust: _adjust,
}
"""What each other command says, a sentence for each of its results."""
