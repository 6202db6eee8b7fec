"""Entries of the ledger in sentences, for the page, the terminal and the replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from pochboard.ledger.entry import Entry
from pochboard.messages.labels import (
    account_label,
    pool_name,
    pool_names,
    seat_names,
)
from pochboard.rules.betting import ranking_of
from pochboard.rules.commands import (
    SUITS,
    Adjust,
    Claim,
    Command,
    Deal,
    Dealer,
    Go,
    Join,
    Leave,
    Next,
    Pass,
    Rebuy,
    Redo,
    Settle,
    Showdown,
    Stake,
    Start,
    Turn,
    Undo,
    command_name,
)
from pochboard.rules.ruleset_files import lazy_ruleset
from pochboard.rules.state import State
from pochboard.text.names import COMMANDS, card_name_in
from pochboard.text.translator import ENGLISH, N_, Translator, ngettext_noop


class EntryContext(msgspec.Struct, frozen=True):
    """An entry, and everything that its sentence depends on."""

    entry: Entry
    before: State
    """The state before it."""
    after: State
    concerned: EntryContext | None = None
    """Of undo and redo, the entry that was undone or redone."""


def entry_contexts(
    entries: Sequence[Entry], states: Sequence[State], numbers: range | None = None
) -> Iterator[EntryContext]:
    """The entries of a night, or those with these numbers, given the state after each entry."""
    every = range(1, len(states) + 1)
    for number in every if numbers is None else every[numbers.start - 1 : numbers.stop - 1]:
        yield entry_context(entries, states, number)


def entry_context(entries: Sequence[Entry], states: Sequence[State], number: int) -> EntryContext:
    """An entry of a night."""
    entry, concerned = entries[number - 1], None
    if isinstance(entry.command, Undo | Redo):
        assert entry.ref is not None, "undo and redo refer to an entry"
        concerned = entry_context(entries, states, entry.ref)
    before = states[number - 2] if number > 1 else State()
    return EntryContext(entry, before, states[number - 1], concerned)


def sentences(
    entries: Sequence[Entry], states: Sequence[State], t: Translator = ENGLISH
) -> list[str]:
    """The sentence of each entry of a night, given the state after each."""
    return [sentence(context, t) for context in entry_contexts(entries, states)]


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
    """The sentence without the pack, which an undo changes back."""
    command, before, after = context.entry.command, context.before, context.after
    if context.concerned is not None:
        concerned = _told(context.concerned, t)
        if isinstance(command, Undo):
            return t.gettext("Undone: {sentence}", sentence=concerned)
        return t.gettext("Redone: {sentence}", sentence=concerned)
    kind, parts = type(command), []
    if first := COMMANDS[command_name(kind)].entry:
        seat = getattr(command, "seat", None)
        name, new = (state.name_of(seat) if seat else "" for state in (before, after))
        parts.append(t.gettext(first, name=name, new=new, deal=before.deal))
    if kind in _SENTENCES:
        parts += _SENTENCES[kind](command, before, after, t)
    if after.phase == "idle" and before.dealer not in (None, after.dealer) and kind is not Dealer:
        parts.append(t.gettext("{name} deals next.", name=_name(after, after.dealer)))
    if after.phase == "closed":
        parts.append(t.gettext("The night is over."))
    return " ".join(parts)


def sentence_in(t: Translator, context: EntryContext) -> str:
    """`sentence` with the language first, for a text that is translated later."""
    return sentence(context, t)


def _name(state: State, seat: int | None) -> str:
    assert seat is not None, "somebody deals, leads and wins"
    return state.name_of(seat)


_Sentences = Iterator[str]


def _start(_: Start, __: State, after: State, t: Translator) -> _Sentences:
    yield t.gettext("A night begins: {ruleset}.", ruleset=lazy_ruleset(after.rules.name))
    yield t.ngettext(
        "{names} start with {count} chip each.",
        "{names} start with {count} chips each.",
        after.stack,
        names=seat_names(after, after.seats, t),
    )
    yield t.gettext("{name} deals first.", name=_name(after, after.dealer))


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


def _deal(_: Deal, before: State, after: State, t: Translator) -> _Sentences:
    places = {"deal": after.deal, "name": _name(after, after.dealer)}
    if after.banker is not None:
        places["banker"] = after.name_of(after.banker)
    yield t.ngettext(*_DEALS[after.rules.ante_from], after.ante_due, **places)
    if retired := [seat for seat in before.live if seat not in after.live]:
        yield t.ngettext(
            "{names} cannot ante and is out.",
            "{names} cannot ante and are out.",
            len(retired),
            names=seat_names(after, retired, t),
        )


def _turn(command: Turn, before: State, after: State, t: Translator) -> _Sentences:
    card = card_name_in(t, command.card)
    if command.card in SUITS:
        yield t.gettext("The trump suit is {suit}.", suit=card)
        return
    if after.rules.turned_is_held:
        yield t.gettext("The last card dealt is the {card}.", card=card)
        return
    yield t.gettext("The {card} is turned up.", card=card)
    if after.blocked:
        yield t.gettext("Nobody can win {pools}.", pools=pool_names(after.blocked, t, after.rules))
    if after.claims != before.claims:
        pool, seat = after.claims[-1]
        yield _takes(seat, [pool], before.pool(pool), after, t)


def _claim(command: Claim, before: State, after: State, t: Translator) -> _Sentences:
    pools = [pool for pool, _ in after.claims[len(before.claims) :]]
    won = after.stack_of(command.seat) - before.stack_of(command.seat)
    yield _takes(command.seat, pools, won, after, t)


def _takes(seat: int | None, pools: Sequence[str], won: int, state: State, t: Translator) -> str:
    first, *more = pools
    places = {"name": _name(state, seat), "pool": pool_name(first, t, state.rules)}
    if more:
        return t.ngettext(
            "{name} takes {pool} with {others}: {count} chip.",
            "{name} takes {pool} with {others}: {count} chips.",
            won,
            others=pool_names(more, t, state.rules),
            **places,
        )
    return t.ngettext(
        "{name} takes {pool}: {count} chip.", "{name} takes {pool}: {count} chips.", won, **places
    )


def _next(_: Next, before: State, after: State, t: Translator) -> _Sentences:
    target = after.rules.last_deal_to
    if target != "none" and (moved := after.pool(target) - before.pool(target)):
        yield t.ngettext(
            "This is the last deal, so the {count} chip left in the pools goes to {pool}.",
            "This is the last deal, so the {count} chips left in the pools go to {pool}.",
            moved,
            pool=pool_name(target, t, after.rules),
        )
    if after.to_act is None:
        yield t.gettext("Nobody has chips to bet.")
        yield _leads(after, t)
    else:
        yield t.gettext("{name} opens the betting.", name=after.name_of(after.to_act))


def _stake(command: Stake, before: State, after: State, t: Translator) -> _Sentences:
    put, need = command.chips, before.need(command.seat)
    stakes = _STAKES[
        "less" if put < need else "hold" if put == need else "raise" if before.highest else "knock"
    ]
    yield t.ngettext(*stakes, put, name=before.name_of(command.seat), more=put - need)
    if put >= need and put == before.stack_of(command.seat):
        yield t.gettext("All in.")
    yield from _betting_result(before, after, t, bet={command.seat: put})


_STAKES: Final = {
    "less": ngettext_noop(
        "{name} goes all in with the last {count} chip.",
        "{name} goes all in with the last {count} chips.",
    ),
    "hold": ngettext_noop(
        "{name} stays in with {count} chip.", "{name} stays in with {count} chips."
    ),
    "raise": ngettext_noop(
        "{name} puts in {count} chip and raises by {more}.",
        "{name} puts in {count} chips and raises by {more}.",
    ),
    "knock": ngettext_noop("{name} knocks with {count} chip.", "{name} knocks with {count} chips."),
}


def _betting_result(
    before: State, after: State, t: Translator, bet: Mapping[int, int]
) -> _Sentences:
    """How the betting ended, if it is over. `bet` is what this command staked."""
    if after.phase == "shed" and not before.highest and not bet:
        yield t.gettext("Nobody knocked.")
        yield _leads(after, t)
    elif after.phase == "shed":
        yield from _winnings(before, after, t, bet)
    elif after.phase != "pochen" and len(after.still_in) > 1:
        yield t.gettext("Showdown.")
    elif after.phase != "pochen":
        name = after.name_of(after.still_in[0])
        yield t.gettext("{name} must show a set to win.", name=name)


def _winnings(before: State, after: State, t: Translator, bet: Mapping[int, int]) -> _Sentences:
    """Who got how many chips and who leads.

    If this command's own stake is returned, it counts as chips received.
    """
    gains = {s: after.stack_of(s) - before.stack_of(s) + bet.get(s, 0) for s in before.live}
    gains = {seat: gain for seat, gain in gains.items() if gain}
    leader = after.leader
    if leader is not None and list(gains) == [leader]:
        yield t.ngettext(
            "{name} gets {count} chip and leads.",
            "{name} gets {count} chips and leads.",
            gains[leader],
            name=after.name_of(leader),
        )
        return
    for seat, gain in gains.items():
        name = after.name_of(seat)
        yield (
            t.ngettext("{name} gets {count} chip.", "{name} gets {count} chips.", gain, name=name)
            if gain > 0
            else t.ngettext(
                "{name} pays a penalty of {count} chip.",
                "{name} pays a penalty of {count} chips.",
                -gain,
                name=name,
            )
        )
    yield _leads(after, t)


def _leads(after: State, t: Translator) -> str:
    return t.gettext("{name} leads.", name=_name(after, after.leader))


def _showdown(command: Showdown, before: State, after: State, t: Translator) -> _Sentences:
    best = next(iter(ranking_of(command)), ())
    if len(best) == 1:
        yield t.gettext("{name} wins the betting.", name=after.name_of(best[0]))
    elif best:
        yield t.gettext("{names} tie in the betting.", names=seat_names(after, best, t))
    else:
        yield t.gettext("Nobody has shown a set, so the chips stay where they are.")
    yield from _winnings(before, after, t, bet={})


def _go(command: Go, before: State, after: State, t: Translator) -> _Sentences:
    yield t.ngettext(
        "{name} ends the run and gets {count} chip.",
        "{name} ends the run and gets {count} chips.",
        after.stack_of(command.seat) - before.stack_of(command.seat),
        name=after.name_of(command.seat),
    )


_PAID: Final = (N_("{chips} from {name}"), N_("only {chips} of {cards} from {name}"))
"""A payment in full, and one from a seat that has too few chips."""


def _settle(command: Settle, before: State, after: State, t: Translator) -> _Sentences:
    paid = []
    for seat, cards in sorted((int(seat), cards) for seat, cards in command.cards.items() if cards):
        chips = min(cards, before.stack_of(seat))
        paid.append(
            t.gettext(_PAID[chips < cards], name=before.name_of(seat), chips=chips, cards=cards)
        )
    if paid:
        yield t.gettext(
            "Deal {deal} is settled: {winner} gets {payments}.",
            deal=before.deal,
            winner=_name(before, before.winner),
            payments=t.listed(paid),
        )
    else:
        yield t.gettext("Deal {deal} is settled: nobody pays.", deal=before.deal)
    if before.rules.centre_to_winner and before.pool("pinke"):
        yield _takes(before.winner, ["pinke"], before.pool("pinke"), after, t)
    if gone := [seat for seat in before.live if seat not in after.live]:
        yield t.ngettext(
            "{names} has no chips left and is out.",
            "{names} have no chips left and are out.",
            len(gone),
            names=seat_names(before, gone, t),
        )


def _rebuy(command: Rebuy, before: State, _: State, t: Translator) -> _Sentences:
    message = (
        ngettext_noop("{name} buys in for {count} chip.", "{name} buys in for {count} chips.")
        if command.seat in before.live
        else ngettext_noop(
            "{name} buys in for {count} chip and is back in the game.",
            "{name} buys in for {count} chips and is back in the game.",
        )
    )
    yield t.ngettext(*message, command.chips, name=before.name_of(command.seat))


def _join(_: Join, __: State, after: State, t: Translator) -> _Sentences:
    yield t.ngettext(
        "{name} joins at place {place} with {count} chip.",
        "{name} joins at place {place} with {count} chips.",
        after.stack,
        name=after.names[-1],
        place=after.places[-1],
    )


def _leave(command: Leave, before: State, _: State, t: Translator) -> _Sentences:
    yield t.ngettext(
        "{name} goes home with {count} chip.",
        "{name} goes home with {count} chips.",
        before.stack_of(command.seat),
        name=before.name_of(command.seat),
    )


def _adjust(command: Adjust, before: State, _: State, t: Translator) -> _Sentences:
    yield recount_sentence(command, before, t)


def recount_sentence(command: Adjust, before: State, t: Translator) -> str:
    """What a recount moves, said before or after it is recorded."""
    source, target = (
        t.pgettext("from or to", "the bank") if name == "bank" else account_label(name, before, t)
        for name in (command.from_, command.to)
    )
    return t.ngettext(
        "Recount: {count} chip from {source} to {target} ({reason}).",
        "Recount: {count} chips from {source} to {target} ({reason}).",
        command.chips,
        source=source,
        target=target,
        reason=command.reason.strip(),
    )


_SENTENCES: Final[Mapping[type[Command], Callable[[Any, State, State, Translator], _Sentences]]] = {
    Start: _start,
    Deal: _deal,
    Turn: _turn,
    Claim: _claim,
    Next: _next,
    Stake: _stake,
    Pass: lambda _, before, after, t: _betting_result(before, after, t, bet={}),
    Showdown: _showdown,
    Go: _go,
    Settle: _settle,
    Rebuy: _rebuy,
    Join: _join,
    Leave: _leave,
    Adjust: _adjust,
}
"""The sentences that follow the one in `COMMANDS`."""
