"""The shedding: `go`, `out` and `settle` (RULES.md 7).

The function named after a command returns the next state, or the refusal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from pochboard.errors import Refusal, refuse, refuse_counted
from pochboard.rules.accounts import POOL, seat_account, transfer
from pochboard.rules.commands import AnyCommand, Go, Out, Settle
from pochboard.rules.melding import is_last_deal
from pochboard.rules.ruleset import LEAST_LIVE
from pochboard.rules.seating import close, not_playing, unknown_seat
from pochboard.rules.state import State, next_live, order_of_play, passed_on
from pochboard.text.lazy import lazy_listed


def go(state: State, command: Go) -> State | Refusal:
    """Each other live seat pays the run bonus to the seat that played last, or what it has."""
    if not state.rules.run_bonus:
        return refuse("wrong-phase", "These rules have no bonus for ending a run.")
    due = dict.fromkeys(state.live, state.rules.run_bonus)
    del due[command.seat]
    balances = _collect(state.balances, due, command.seat)
    return replace(state, balances=balances, bonuses=state.bonuses + 1)


def _collect(balances: Sequence[int], due: Mapping[int, int], seat: int) -> tuple[int, ...]:
    """The balances after each of the others has paid a seat what is due, or what it has."""
    accounts = {seat_account(payer): chips for payer, chips in due.items()}
    paid = [(payer, min(chips, balances[payer])) for payer, chips in accounts.items()]
    return transfer(balances, *((payer, seat_account(seat), chips) for payer, chips in paid))


def out(state: State, command: Out) -> State | Refusal:
    """The seat has played its last card."""
    if state.winner is None:
        return replace(state, winner=command.seat)
    return refuse("already-out", "{seat} went out first.", seat=state.name_of(state.winner))


def verify_count(state: State, seat: int, cards: int) -> Refusal | None:
    """Refuse the count of one seat: nobody is out, it has no cards to count, or too many."""
    if state.winner is None:
        return _NOBODY_IS_OUT
    if not 0 < seat <= len(state.names):
        return unknown_seat(seat)
    refusal = _refuse_seat(state, seat)
    if refusal is not None:
        return refusal
    most = state.hand_sizes[seat]
    return _too_many(state, seat, most) if cards > most else None


def verify_known(state: State, command: AnyCommand, held: Mapping[int, int]) -> Refusal | None:
    """Refuse what contradicts the hands that the program knows: `held` is how many cards each has.

    Only cards that the program has dealt are known. The state does not contain them.
    """
    if isinstance(command, Out) and held.get(command.seat):
        return refuse_counted(
            "known-cards",
            "{seat} still holds {count} card.",
            "{seat} still holds {count} cards.",
            held[command.seat],
            seat=state.name_of(command.seat),
        )
    if isinstance(command, Settle):
        counts = _counts(command).items()
        refusals = (verify_known_count(state, seat, cards, held) for seat, cards in counts)
        return next(filter(None, refusals), None)
    return None


def verify_known_count(
    state: State, seat: int, cards: int, held: Mapping[int, int]
) -> Refusal | None:
    """Refuse a count other than the number of cards that a seat is known to hold."""
    if held.get(seat, cards) == cards:
        return None
    return refuse_counted(
        "known-cards",
        "{seat} holds {count} card.",
        "{seat} holds {count} cards.",
        held[seat],
        seat=state.name_of(seat),
    )


_NOBODY_IS_OUT: Final = refuse("wrong-phase", "Nobody has played their last card yet.")


def _refuse_seat(state: State, seat: int) -> Refusal | None:
    if seat not in state.live:
        return not_playing(state, seat)
    if seat == state.winner:
        return refuse(
            "bad-argument", "{seat} went out and has no cards left.", seat=state.name_of(seat)
        )
    return None


def _too_many(state: State, seat: int, most: int) -> Refusal:
    return refuse_counted(
        "too-many-cards",
        "{seat} was dealt only {count} card.",
        "{seat} was dealt only {count} cards.",
        most,
        seat=state.name_of(seat),
    )


def settle(state: State, command: Settle) -> State | Refusal:
    """Pay the winner a chip for each card held; the deal is over, and perhaps the night."""
    counts, winner, sizes = _counts(command), state.winner, state.hand_sizes
    if winner is None:
        return _NOBODY_IS_OUT
    due = [seat for seat in state.live if seat != winner]
    if counts.keys() != set(due):
        return _refuse_seats(state, counts, due)
    for seat, cards in counts.items():
        if cards > sizes[seat]:
            return _too_many(state, seat, sizes[seat])
    balances = state.balances
    if state.rules.centre_to_winner:
        centre = (POOL["pinke"], seat_account(winner), state.pool("pinke"))
        balances = transfer(balances, centre)
    return _end_deal(state, _collect(balances, counts, winner))


def _counts(command: Settle) -> dict[int, int]:
    """Cards held, by seat."""
    return {int(seat): cards for seat, cards in command.cards.items()}


def _refuse_seats(state: State, counts: dict[int, int], due: list[int]) -> Refusal:
    """Why counts for other seats than those that are due are refused."""
    # A seat that is out is refused before the winner.
    for seat in sorted(counts, key=lambda seat: seat == state.winner):
        refusal = _refuse_seat(state, seat)
        if refusal is not None:
            return refusal
    missing = state.names_of([seat for seat in due if seat not in counts])
    return refuse_counted(
        "counts-missing",
        "How many cards does {seats} have left?",
        "How many cards do {seats} have left?",
        len(missing),
        seats=lazy_listed(missing),
    )


def _end_deal(state: State, balances: tuple[int, ...]) -> State:
    """Between deals; the night is over if too few are left, or if this was the last deal."""
    rules, live, order = state.rules, state.live, state.order
    assert state.dealer is not None
    if rules.out_when_broke:
        live = tuple([seat for seat in live if balances[seat_account(seat)]])
        order = order_of_play(rules, live, state.places)
    state = replace(
        state,
        phase="idle",
        balances=balances,
        dealer=next_live(state, state.dealer, live),
        banker=passed_on(state, state.banker, live),
        live=live,
        order=order,
        leader=None,
        winner=None,
        bonuses=0,
        turned=None,
        told_suit=None,
        blocked=(),
        claims=(),
    )
    until_short = rules.deals == "until-short" and any(map(state.is_short, live))
    too_few = not live or len(state.here) < LEAST_LIVE
    return close(state) if too_few or is_last_deal(state) or until_short else state
