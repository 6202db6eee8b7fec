"""The shedding: `go`, `out` and `settle` (RULES.md 7).

Each command has two functions. `verify_…` returns the refusal, if there is one. The function
named after the command returns the next state; it is called only if nothing was refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.rules.accounts import FIRST_SEAT, POOL, seat_account
from pochboard.rules.commands import AnyCommand, Go, Out, Settle
from pochboard.rules.melding import is_last_deal
from pochboard.rules.ruleset import LEAST_LIVE
from pochboard.rules.seating import close, not_playing, unknown_seat
from pochboard.rules.state import State, next_live, order_of_play, passed_on
from pochboard.text.lazy import lazy_gettext, lazy_listed, lazy_ngettext


def verify_go(state: State, _: Go) -> Refusal | None:
    """Refuse a run bonus if the ruleset has none."""
    return (
        None
        if state.rules.run_bonus
        else refuse("wrong-phase", lazy_gettext("These rules have no bonus for ending a run."))
    )


def go(state: State, command: Go) -> State:
    """Each other live seat pays the run bonus to the seat that played last, or what it has."""
    due = dict.fromkeys(state.live, state.rules.run_bonus)
    del due[command.seat]
    return replace(
        state,
        balances=tuple(_collect(list(state.balances), due, command.seat)),
        bonuses=state.bonuses + 1,
    )


def _collect(balances: list[int], due: Mapping[int, int], seat: int) -> list[int]:
    """The balances after each of the others has paid a seat what is due, or what it has."""
    collected = 0
    for payer, chips in due.items():
        account = FIRST_SEAT - 1 + payer
        paid = min(chips, balances[account])
        balances[account] -= paid
        collected += paid
    balances[FIRST_SEAT - 1 + seat] += collected
    return balances


def verify_out(state: State, _: Out) -> Refusal | None:
    """Refuse if a seat has already played its last card."""
    if state.winner is None:
        return None
    return refuse(
        "already-out", lazy_gettext("{seat} went out first.", seat=state.name_of(state.winner))
    )


def out(state: State, command: Out) -> State:
    """The seat has played its last card."""
    return replace(state, winner=command.seat)


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
        return refuse(
            "known-cards",
            lazy_ngettext(
                "{seat} still holds {count} card.",
                "{seat} still holds {count} cards.",
                held[command.seat],
                seat=state.name_of(command.seat),
            ),
        )
    if isinstance(command, Settle):
        counts = _counts(command).items()
        refusals = (verify_known_count(state, seat, cards, held) for seat, cards in counts)
        return next((refusal for refusal in refusals if refusal is not None), None)
    return None


def verify_known_count(
    state: State, seat: int, cards: int, held: Mapping[int, int]
) -> Refusal | None:
    """Refuse a count other than the number of cards that a seat is known to hold."""
    if held.get(seat, cards) == cards:
        return None
    return refuse(
        "known-cards",
        lazy_ngettext(
            "{seat} holds {count} card.",
            "{seat} holds {count} cards.",
            held[seat],
            seat=state.name_of(seat),
        ),
    )


_NOBODY_IS_OUT: Final = refuse(
    "wrong-phase", lazy_gettext("Nobody has played their last card yet.")
)


def _refuse_seat(state: State, seat: int) -> Refusal | None:
    if seat not in state.live:
        return not_playing(state, seat)
    if seat == state.winner:
        return refuse(
            "bad-argument",
            lazy_gettext("{seat} went out and has no cards left.", seat=state.name_of(seat)),
        )
    return None


def _too_many(state: State, seat: int, most: int) -> Refusal:
    return refuse(
        "too-many-cards",
        lazy_ngettext(
            "{seat} was dealt only {count} card.",
            "{seat} was dealt only {count} cards.",
            most,
            seat=state.name_of(seat),
        ),
    )


def verify_settle(state: State, command: Settle) -> Refusal | None:
    """Refuse counts that name a wrong seat, leave one out, or exceed a hand."""
    counts, winner = _counts(command), state.winner
    if winner is None:
        return _NOBODY_IS_OUT
    due = [seat for seat in state.live if seat != winner]
    if counts.keys() != set(due):
        return _refuse_seats(state, counts, due)
    sizes = state.hand_sizes
    return next(
        (_too_many(state, seat, sizes[seat]) for seat in counts if counts[seat] > sizes[seat]), None
    )


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
    return refuse(
        "counts-missing",
        lazy_ngettext(
            "How many cards does {seats} have left?",
            "How many cards do {seats} have left?",
            len(missing),
            seats=lazy_listed(missing),
        ),
    )


def settle(state: State, command: Settle) -> State:
    """Pay the winner a chip for each card held; the deal is over, and perhaps the night."""
    counts = _counts(command)
    assert state.winner is not None, "else it was refused"
    balances, centre = list(state.balances), POOL["pinke"]
    if state.rules.centre_to_winner:
        balances[seat_account(state.winner)] += balances[centre]
        balances[centre] = 0
    return _end_deal(state, tuple(_collect(balances, counts, state.winner)))


def _end_deal(state: State, balances: tuple[int, ...]) -> State:
    rules = state.rules
    assert state.dealer is not None
    live, order = state.live, state.order
    if rules.out_when_broke:
        live = tuple([seat for seat in live if balances[FIRST_SEAT - 1 + seat]])
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
    return close(state) if _night_is_over(state) else state


def _night_is_over(state: State) -> bool:
    return (
        not state.live
        or len(state.here) < LEAST_LIVE
        or is_last_deal(state)
        or (state.rules.deals == "until-short" and any(map(state.is_short, state.live)))
    )
