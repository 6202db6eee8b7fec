"""Ante and meld: `deal`, `turn`, `claim` and `next` (RULES.md 3 and 4).

The function named after a command returns the next state, or the refusal.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from pochboard.errors import Refusal, refuse, refuse_counted
from pochboard.rules.accounts import BANK, POOL, POOLS, seat_account, transfer
from pochboard.rules.betting import open_betting
from pochboard.rules.commands import RANKS, SUITS, Claim, Deal, Next, Turn
from pochboard.rules.ruleset import LEAST_LIVE, share_a_card
from pochboard.rules.state import State, passed_on
from pochboard.text.lazy import lazy_listed
from pochboard.text.names import lazy_card


def deal(state: State, _: Deal) -> State | Refusal:
    """Ante; the melding begins (RULES.md 4).

    With `short_seats = "retire"`, seats that cannot ante go out, while two are left.
    """
    if len(state.live) < LEAST_LIVE:
        return _too_few(state)
    if short := state.short_seats:
        without = _without(state, short) if state.rules.short_seats == "retire" else None
        if without is None:
            return refuse_counted(
                "short-ante",
                "{seats} cannot pay the ante of {count} chip: buy in, leave, or end the night.",
                "{seats} cannot pay the ante of {count} chips: buy in, leave, or end the night.",
                state.ante_due,
                seats=lazy_listed(state.names_of(short)),
            )
        state = without
    rules, balances, due = state.rules, list(state.balances), state.ante_due
    payers = [seat_account(seat) for seat in state.antes_from] or [BANK]
    for payer in payers:
        balances[payer] -= due
    for name in rules.antes(len(state.live)):
        balances[POOL[name]] += rules.ante * len(payers)
    return replace(
        state,
        phase="meld",
        deal=state.deal + 1,
        dealt=state.dealt | {state.dealer},
        balances=tuple(balances),
        blocked=rules.not_played(len(state.live)),
    )


def _too_few(state: State) -> Refusal:
    if not state.sitting_out:
        return refuse(
            "too-few",
            "Too few are left to play. Buy in for somebody, let somebody join, or end the night.",
        )
    return refuse_counted(
        "too-few",
        "{seats} sits out, so too few are left to play. Play again first, or end the night.",
        "{seats} sit out, so too few are left to play. Play again first, or end the night.",
        len(state.sitting_out),
        seats=lazy_listed(state.names_of(state.sitting_out)),
    )


def _without(state: State, short: Collection[int]) -> State | None:
    """The table without seats that cannot ante; None if it cannot play so.

    Such seats go out. A banker only hands the office to the next live seat that can pay.
    """
    if state.rules.ante_from == "banker":
        assert state.banker is not None
        can_pay = [seat for seat in state.live if state.stack_of(seat) >= state.ante_due]
        return replace(state, banker=passed_on(state, state.banker, can_pay)) if can_pay else None
    live = tuple([seat for seat in state.live if seat not in short])
    return state.with_live(live) if len(live) >= LEAST_LIVE else None


def turn(state: State, command: Turn) -> State | Refusal:
    """Set the trump suit by the card turned up, which blocks pools or pays the dealer.

    A suit alone is enough. Its card may follow during the melding, where it counts.
    """
    refusal = _refuse_turn(state, command)
    if refusal is not None:
        return refusal
    card, rules = command.card, state.rules
    if card in SUITS:
        return replace(state, told_suit=card)
    if rules.turned_is_held:
        return replace(state, turned=card)
    blocked = {*state.blocked, *rules.pools_of_card(card)}
    if rules.turned_card == "dealer":
        assert state.dealer is not None, "somebody dealt"
        new = [pool for pool in POOLS if pool in blocked and pool not in state.blocked]
        paid = [pool for pool in new if rules.cards_shown(pool) == 1]
        state = _taken(state, state.dealer, *paid)
        blocked.difference_update(paid)
    return replace(state, turned=card, blocked=tuple(name for name in POOLS if name in blocked))


def _taken(state: State, seat: int, *pools: str) -> State:
    """A seat takes pools."""
    balances = list(state.balances)
    for pool in pools:
        balances[seat_account(seat)] += balances[POOL[pool]]
        balances[POOL[pool]] = 0
    claims = (*state.claims, *[(pool, seat) for pool in pools])
    return replace(state, balances=tuple(balances), claims=claims)


def _refuse_turn(state: State, command: Turn) -> Refusal | None:
    """Refuses a card that cannot be turned up, or that is entered too late."""
    if (suit := state.rules.fixed_trump) is not None:
        return refuse(
            "no-turned-card",
            "No card is turned up with these rules: {suit} are always trumps.",
            suit=lazy_card(suit),
        )
    rank = command.card[:-1]
    if rank and rank not in RANKS[-state.deck // len(SUITS) :]:
        return refuse(
            "bad-argument",
            "The {card} is not in this deal’s deck of {deck} cards.",
            card=lazy_card(command.card),
            deck=state.deck,
        )
    if state.turned is not None:
        return refuse(
            "already-turned",
            "The {card} has already been turned up in this deal.",
            card=lazy_card(state.turned),
        )
    told = state.told_suit
    if told and not (command.card[-1] == told and rank in state.rules.turned_cards_that_count):
        return refuse(
            "already-turned",
            "In this deal {suit} are trumps. If that is wrong, undo it.",
            suit=lazy_card(told),
        )
    if not rank:
        return None
    if state.phase != "meld":
        return refuse(
            "too-late", "The melding is over: now only the suit of the card can be entered."
        )
    claimed = {pool for pool, _ in state.claims}
    taken = [] if state.rules.turned_is_held else state.rules.pools_of_card(command.card)
    if pool := next((pool for pool in taken if pool in claimed), None):
        return refuse(
            "too-late",
            "{pool} has been claimed already, but the {card} blocks it. Correct the claim first.",
            pool=state.pool_name(pool),
            card=lazy_card(command.card),
        )
    return None


def claim(state: State, command: Claim) -> State | Refusal:
    """Pay a pool, and those whose cards are among its own if they can be won and hold chips."""
    seat, pool = command.seat, command.pool
    name, holder = state.pool_name(pool), _other_hand(state, seat, pool)
    if pool in state.rules.not_played(len(state.live)):
        return refuse("blocked-pool", "Too few play for {pool} in this deal.", pool=name)
    if pool in state.blocked:
        return refuse(
            "blocked-pool",
            "Nobody can win {pool} in this deal: its card was turned up.",
            pool=name,
        )
    if not state.pool(pool):
        return refuse("empty-pool", "There are no chips in {pool}.", pool=name)
    if holder is None:
        with_it = [other for other in state.rules.comes_with(pool) if can_be_won(state, other)]
        return _taken(state, seat, pool, *with_it)
    if (pool, holder) in state.claims:
        return refuse(
            "conflict",
            "{holder} has won {pool} in this deal. If that is wrong, undo it first.",
            holder=state.name_of(holder),
            pool=name,
        )
    return refuse(
        "conflict",
        "{holder} has shown a card that {pool} needs, so {seat} cannot hold all of its cards.",
        holder=state.name_of(holder),
        pool=name,
        seat=state.name_of(seat),
    )


def _other_hand(state: State, seat: int, pool: str) -> int | None:
    """The seat whose claim shows that this pool's cards are not in the hand of `seat`."""
    needed, trump = state.rules.cards_of_pools, state.trump
    return next(
        (
            who
            for name, who in state.claims
            if who != seat and (name == pool or share_a_card(needed[name], needed[pool], trump))
        ),
        None,
    )


def claimable(state: State, seat: int | None = None) -> tuple[str, ...]:
    """The pools that may be claimed during melding: by this live seat, or by any."""
    seats = state.live if seat is None else (seat,)
    return tuple(
        [
            pool
            for pool in state.rules.meld_pools
            if any(is_claimable(state, claimant, pool) for claimant in seats)
        ]
    )


def is_claimable(state: State, seat: int, pool: str) -> bool:
    """Whether a live seat may claim a meld pool during melding, as `claim` decides it."""
    return can_be_won(state, pool) and _other_hand(state, seat, pool) is None


def can_be_won(state: State, pool: str) -> bool:
    """Whether somebody can win this meld pool now."""
    return state.balances[POOL[pool]] > 0 and pool not in state.blocked


def next_phase(state: State, _: Next) -> State:
    """End the melding; on the last deal, the meld pools may go to another pool first."""
    target = state.rules.last_deal_to
    if target != "none" and is_last_deal(state):
        pools = state.rules.meld_pools
        moves = [(POOL[name], POOL[target], state.pool(name)) for name in pools]
        state = replace(state, balances=transfer(state.balances, *moves))
    return open_betting(state)


def is_last_deal(state: State) -> bool:
    """Whether this deal is the last in a night of known length (RULES.md 2, `deals`)."""
    deals = state.rules.deals
    if deals == "round":
        # Somebody else deals in place of a seat that is out.
        staying = sum(map(bool, state.places))
        return state.deal >= staying and state.dealt.issuperset(state.here)
    return isinstance(deals, int) and state.deal >= deals
