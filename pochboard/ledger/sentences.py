"""Entries in plain sentences, for the page, the terminal and the replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pochboard.cards.card import card_name
from pochboard.ledger.entry import Entry
from pochboard.rules.board import BANK, FIRST_SEAT, POOLS, seat_account
from pochboard.rules.moves import chips, spoken
from pochboard.rules.sitting import account_index
from pochboard.rules.state import State

POOL_NAMES: Mapping[str, str] = {
    "ace": "Ace",
    "king": "King",
    "queen": "Queen",
    "jack": "Jack",
    "ten": "Ten",
    "marriage": "Marriage",
    "sequence": "Sequence",
    "poch": "Poch",
    "pinke": "Pinke",
}


def sentences(entries: Sequence[Entry], states: Sequence[State]) -> list[str]:
    """The sentence of each entry of a night, given the state after each."""
    said: list[str] = []
    before = State()
    for entry, after in zip(entries, states, strict=True):
        said.append(sentence(entry, before, after, lambda number: said[number - 1]))
        before = after
    return said


def sentence(entry: Entry, before: State, after: State, said: Callable[[int], str]) -> str:
    """What an entry did. `said` gives the sentences of earlier entries by their numbers."""
    do = entry.command["do"]
    if do == "undo":
        assert entry.ref is not None
        return f"Taken back: {said(entry.ref)}"
    if do == "redo":
        assert entry.ref is not None
        return f"Applied again: {said(entry.ref)}"
    told = _TELLERS[do](entry.command, before, after)
    if after.phase == "closed" and before.phase not in ("closed", "none") and do != "end":
        told = f"{told} {_closing(after)}"
    return told


def _start(_: Mapping[str, Any], __: State, after: State) -> str:
    players = spoken(after, after.seats)
    assert after.dealer is not None
    return (
        f"A night of {after.rules.name} begins: {players} with {chips(after.stack)} each;"
        f" {after.name_of(after.dealer)} deals first."
    )


def _deal(_: Mapping[str, Any], before: State, after: State) -> str:
    rules = after.rules
    assert before.dealer is not None
    dealer = before.name_of(before.dealer)
    if rules.ante_from == "bank":
        return f"Deal {after.deal}: {dealer} deals; the bank puts in {chips(rules.ante_due)}."
    return f"Deal {after.deal}: {dealer} deals; each puts in {chips(rules.ante_due)}."


def _turn(command: Mapping[str, Any], before: State, after: State) -> str:
    told = f"The {card_name(command['card'])} is turned up."
    if after.blocked:
        pools = " and ".join(POOL_NAMES[name] for name in after.blocked)
        told += f" Nobody can win {pools}."
    if after.claims != before.claims:
        pool, seat = after.claims[-1]
        told += f" {after.name_of(seat)} takes {POOL_NAMES[pool]}: {chips(before.pool(pool))}."
    return told


def _claim(command: Mapping[str, Any], before: State, after: State) -> str:
    seat = command["seat"]
    taken = [POOL_NAMES[name] for name, _ in after.claims[len(before.claims) :]]
    won = chips(after.stack_of(seat) - before.stack_of(seat))
    if len(taken) > 1:
        return f"{after.name_of(seat)} takes {taken[0]} with {' and '.join(taken[1:])}: {won}."
    return f"{after.name_of(seat)} takes {taken[0]}: {won}."


def _next(_: Mapping[str, Any], before: State, after: State) -> str:
    told = "The melding is over."
    moved = after.pool("poch") - before.pool("poch")
    if moved:
        told += f" On the last deal {chips(moved)} left over go to Poch."
    if after.to_act:
        return f"{told} {after.name_of(after.to_act)} may knock first."
    return f"{told} Nobody has chips to bet."


def _stake(command: Mapping[str, Any], before: State, after: State) -> str:
    seat, put = command["seat"], command["chips"]
    name = before.name_of(seat)
    need = before.need(seat)
    all_in = put == before.stack_of(seat)
    if put < need:
        told = f"{name} goes all in with {chips(put)}, below the call."
    else:
        if put == need:
            told = f"{name} holds with {chips(put)}"
        elif before.highest:
            told = f"{name} raises by {put - need} with {chips(put)}"
        else:
            told = f"{name} knocks with {chips(put)}"
        told += ", all in." if all_in else "."
    return told + _betting_result(before, after, bet=(seat, put))


def _pass(command: Mapping[str, Any], before: State, after: State) -> str:
    told = f"{before.name_of(command['seat'])} passes."
    return told + _betting_result(before, after)


def _betting_result(before: State, after: State, bet: tuple[int, int] | None = None) -> str:
    if after.phase == "showdown":
        return " Showdown."
    if after.phase != "shed":
        return ""
    if before.highest == 0 and bet is None:
        return f" Nobody knocked; {_leads(after)}."
    return f" {_winnings(before, after, bet)}; {_leads(after)}."


def _winnings(before: State, after: State, bet: tuple[int, int] | None = None) -> str:
    """Who got how many chips, stakes of this very command given back included."""
    gains = {seat: after.stack_of(seat) - before.stack_of(seat) for seat in before.live}
    if bet:
        gains[bet[0]] += bet[1]
    won = [f"{after.name_of(seat)} gets {chips(gain)}" for seat, gain in gains.items() if gain > 0]
    paid = [
        f"{after.name_of(seat)} pays a penalty of {chips(-gain)}"
        for seat, gain in gains.items()
        if gain < 0
    ]
    return ", ".join(won + paid)


def _leads(after: State) -> str:
    assert after.leader is not None
    return f"{after.name_of(after.leader)} leads"


def _showdown(command: Mapping[str, Any], before: State, after: State) -> str:
    winnings = _winnings(before, after)
    if command["ranking"]:
        return f"At the showdown {winnings}; {_leads(after)}."
    back = f" {winnings} back;" if winnings else ""
    return f"Nobody showed a set: the chips stay.{back} {_leads(after)}."


def _go(command: Mapping[str, Any], before: State, after: State) -> str:
    seat = command["seat"]
    won = after.stack_of(seat) - before.stack_of(seat)
    return f"{after.name_of(seat)} played last in the run and gets {chips(won)}."


def _out(command: Mapping[str, Any], before: State, _: State) -> str:
    return f"{before.name_of(command['seat'])} has played the last card."


def _settle(command: Mapping[str, Any], before: State, after: State) -> str:
    winner = before.winner
    assert winner is not None
    paid = [
        f"{before.name_of(seat)} {min(cards, before.stack_of(seat))}"
        for seat, cards in sorted((int(seat), cards) for seat, cards in command["cards"].items())
    ]
    told = f"Deal {before.deal} is settled: {before.name_of(winner)} is paid by {', '.join(paid)}"
    if before.rules.centre_to_winner:
        told += f", and takes {chips(before.pool('pinke'))} from Pinke"
    gone = [seat for seat in before.live if seat not in after.live]
    if gone:
        told += f"; {spoken(before, gone)} {'is' if len(gone) == 1 else 'are'} out"
    if after.phase == "idle" and after.dealer:
        told += f". {after.name_of(after.dealer)} deals next"
    return f"{told}."


def _void(_: Mapping[str, Any], before: State, __: State) -> str:
    return f"Misdeal: deal {before.deal} is void, all its chips are back."


def _rebuy(command: Mapping[str, Any], before: State, __: State) -> str:
    seat = command["seat"]
    again = " and is back in" if seat not in before.live else ""
    return f"{before.name_of(seat)} buys {chips(command['chips'])}{again}."


def _join(_: Mapping[str, Any], __: State, after: State) -> str:
    return f"{after.names[-1]} joins at place {after.places[-1]} with {chips(after.stack)}."


def _leave(command: Mapping[str, Any], before: State, _: State) -> str:
    seat = command["seat"]
    return f"{before.name_of(seat)} goes home with {chips(before.stack_of(seat))}."


def _rename(command: Mapping[str, Any], before: State, after: State) -> str:
    seat = command["seat"]
    return f"{before.name_of(seat)} is called {after.name_of(seat)} now."


def _dealer(command: Mapping[str, Any], _: State, after: State) -> str:
    return f"{after.name_of(command['seat'])} deals next."


def _adjust(command: Mapping[str, Any], before: State, _: State) -> str:
    source, target = (_account(before, command[key]) for key in ("from", "to"))
    return (
        f"Recount: {chips(command['chips'])} from {source} to {target}"
        f" ({command['reason'].strip()})."
    )


def _account(state: State, name: str) -> str:
    index = account_index(name)
    if index == BANK:
        return "the bank"
    if index < FIRST_SEAT:
        return POOL_NAMES[POOLS[index - 1]]
    return state.name_of(index - seat_account(1) + 1)


def _end(_: Mapping[str, Any], __: State, after: State) -> str:
    return _closing(after)


def _closing(after: State) -> str:
    rows = after.standings
    best = [seat for seat, _, net in rows if net == rows[0][2]]
    verb = "has" if len(best) == 1 else "have"
    return f"The night is over: {spoken(after, best)} {verb} the best net, {rows[0][2]:+d}."


_TELLERS: Mapping[str, Callable[[Mapping[str, Any], State, State], str]] = {
    "start": _start,
    "deal": _deal,
    "turn": _turn,
    "claim": _claim,
    "next": _next,
    "stake": _stake,
    "pass": _pass,
    "showdown": _showdown,
    "go": _go,
    "out": _out,
    "settle": _settle,
    "void": _void,
    "rebuy": _rebuy,
    "join": _join,
    "leave": _leave,
    "rename": _rename,
    "dealer": _dealer,
    "adjust": _adjust,
    "end": _end,
}
