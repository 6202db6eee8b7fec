"""The shedding: `go`, `out` and `settle` (RULES.md 7)."""

from __future__ import annotations

from msgspec.structs import replace

from pochboard.errors import Refusal
from pochboard.rules.board import POOL, seat_account
from pochboard.rules.commands import Go, Out, Settle
from pochboard.rules.melding import last_deal
from pochboard.rules.moves import Outcome, collect, next_live, order_of_play, spoken, transfer
from pochboard.rules.sitting import close
from pochboard.rules.state import State


def go(state: State, command: Go) -> Outcome:
    """Each other live seat pays the run bonus to the seat that played last, or what it has."""
    bonus = state.rules.run_bonus
    if not bonus:
        return Refusal("wrong-phase", "This ruleset has no bonus for the end of a run.")
    others = (seat for seat in state.live if seat != command.seat)
    return replace(
        state,
        balances=collect(state, others, bonus, seat_account(command.seat)),
        bonuses=state.bonuses + 1,
    )


def out(state: State, command: Out) -> Outcome:
    """The seat has played its last card."""
    if state.winner is not None:
        return Refusal("already-out", f"{state.name_of(state.winner)} went out first.")
    return replace(state, winner=command.seat)


def settle(state: State, command: Settle) -> Outcome:
    """Pays the winner a chip for each card held; the deal is over, and perhaps the night."""
    winner = state.winner
    if winner is None:
        return Refusal("wrong-phase", "Nobody has played the last card yet.")
    counts = {int(seat): cards for seat, cards in command.cards.items()}
    refusal = _refuse_counts(state, winner, counts)
    if refusal:
        return refusal
    account = seat_account(winner)
    moves = [(POOL["pinke"], account, state.pool("pinke"))] if state.rules.centre_to_winner else []
    moves += [
        (seat_account(seat), account, min(cards, state.stack_of(seat)))
        for seat, cards in counts.items()
    ]
    return _end_deal(replace(state, balances=transfer(state.balances, *moves)))


def _refuse_counts(state: State, winner: int, counts: dict[int, int]) -> Refusal | None:
    for seat in counts:
        if seat not in state.live:
            return Refusal("seat-out", f"{state.name_of(seat)} does not take part.")
    if winner in counts:
        return Refusal("bad-argument", f"{state.name_of(winner)} went out and holds no cards.")
    missing = [seat for seat in state.live if seat != winner and seat not in counts]
    if missing:
        return Refusal("counts-missing", f"How many cards has {spoken(state, missing)} left?")
    sizes = state.hand_sizes
    for seat, cards in counts.items():
        most = sizes[seat]
        if cards > most:
            return Refusal("too-many-cards", f"{state.name_of(seat)} was dealt only {most} cards.")
    return None


def _end_deal(state: State) -> State:
    rules = state.rules
    assert state.dealer is not None
    live, order = state.live, state.order
    if rules.out_when_broke:
        live = tuple(seat for seat in live if state.stack_of(seat))
        order = order_of_play(rules, live, state.places)
    state = replace(
        state,
        phase="idle",
        dealer=next_live(state, state.dealer, live),
        live=live,
        order=order,
        leader=None,
        winner=None,
        bonuses=0,
        turned=None,
        blocked=(),
        claims=(),
    )
    return close(state) if _night_is_over(state) else state


def _night_is_over(state: State) -> bool:
    last = last_deal(state)
    return (
        len(state.live) < 2
        or (last is not None and state.deal >= last)
        or (state.rules.deals == "until-short" and any(map(state.is_short, state.live)))
    )
