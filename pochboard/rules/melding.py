"""Ante and meld: `deal`, `turn`, `claim` and `next` (RULES.md 3 and 4).

Each command has two functions. `verify_…` returns the refusal, if there is one. The function
named after the command returns the next state; it is called only if nothing was refused.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.rules.accounts import (
    BANK,
    FIRST_SEAT,
    POOL,
    POOLS,
    seat_account,
    transfer,
)
from pochboard.rules.betting import open_betting
from pochboard.rules.commands import RANKS, SUITS, Claim, Deal, Next, Turn
from pochboard.rules.pools import share_a_card
from pochboard.rules.ruleset import LEAST_LIVE
from pochboard.rules.state import State, order_of_play, passed_on
from pochboard.text.lazy import lazy_gettext, lazy_listed, lazy_ngettext
from pochboard.text.names import lazy_card


def verify_deal(state: State, _: Deal) -> Refusal | None:
    """Refuse the deal if too few play, or a live seat cannot pay its antes (RULES.md 4).

    With `short_seats = "retire"`, refuse it only if fewer than two seats would be left.
    """
    short = state.short_seats
    if len(state.live) < LEAST_LIVE:
        if not state.sitting_out:
            return refuse(
                "too-few",
                lazy_gettext(
                    "Too few are left to play. Buy in for somebody, let somebody join, or end the"
                    " night."
                ),
            )
        return refuse(
            "too-few",
            lazy_ngettext(
                "{seats} sits out, so too few are left to play. Play again first, or end the"
                " night.",
                "{seats} sit out, so too few are left to play. Play again first, or end the night.",
                len(state.sitting_out),
                seats=lazy_listed(state.names_of(state.sitting_out)),
            ),
        )
    if not short or (state.rules.short_seats == "retire" and _without(state, short) is not None):
        return None
    return refuse(
        "short-ante",
        lazy_ngettext(
            "{seats} cannot pay the ante of {count} chip: buy in, leave, or end the night.",
            "{seats} cannot pay the ante of {count} chips: buy in, leave, or end the night.",
            state.ante_due,
            seats=lazy_listed(state.names_of(short)),
        ),
    )


def deal(state: State, _: Deal) -> State:
    """Ante; the melding begins."""
    short = state.short_seats
    state = (_without(state, short) if short else None) or state
    rules, balances, due = state.rules, list(state.balances), state.ante_due
    payers = [FIRST_SEAT - 1 + seat for seat in state.antes_from] or [BANK]
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


def _without(state: State, short: Collection[int]) -> State | None:
    """The table without seats that cannot ante; None if it cannot play so.

    Such seats go out. A banker only hands the office to the next live seat that can pay.
    """
    if state.rules.ante_from == "banker":
        assert state.banker is not None
        can_pay = [seat for seat in state.live if state.stack_of(seat) >= state.ante_due]
        return replace(state, banker=passed_on(state, state.banker, can_pay)) if can_pay else None
    live = tuple([seat for seat in state.live if seat not in short])
    if len(live) < LEAST_LIVE:
        return None
    return replace(
        state,
        live=live,
        order=order_of_play(state.rules, live, state.places),
        dealer=passed_on(state, state.dealer, live),
    )


def verify_turn(state: State, command: Turn) -> Refusal | None:
    """Refuse a card that cannot be turned up, a second one, and one entered too late.

    A suit alone is enough. Its card may follow during the melding, where it counts.
    """
    if (suit := state.rules.fixed_trump) is not None:
        return refuse(
            "no-turned-card",
            lazy_gettext(
                "No card is turned up with these rules: {suit} are always trumps.",
                suit=lazy_card(suit),
            ),
        )
    rank = command.card[:-1]
    if rank and rank not in RANKS[-state.deck // len(SUITS) :]:
        return refuse(
            "bad-argument",
            lazy_gettext(
                "The {card} is not in this deal’s deck of {deck} cards.",
                card=lazy_card(command.card),
                deck=state.deck,
            ),
        )
    if state.turned is not None:
        return refuse(
            "already-turned",
            lazy_gettext(
                "The {card} has already been turned up in this deal.", card=lazy_card(state.turned)
            ),
        )
    told = state.told_suit
    if told and not (command.card[-1] == told and rank in state.rules.turned_cards_that_count):
        return refuse(
            "already-turned",
            lazy_gettext(
                "In this deal {suit} are trumps. If that is wrong, undo it.", suit=lazy_card(told)
            ),
        )
    if not rank:
        return None
    if state.phase != "meld":
        return refuse(
            "too-late",
            lazy_gettext("The melding is over: now only the suit of the card can be entered."),
        )
    claimed = {pool for pool, _ in state.claims}
    taken = [] if state.rules.turned_is_held else state.rules.pools_of_card(command.card)
    if pool := next((pool for pool in taken if pool in claimed), None):
        return refuse(
            "too-late",
            lazy_gettext(
                "{pool} has been claimed already, but the {card} blocks it."
                " Correct the claim first.",
                pool=state.pool_name(pool),
                card=lazy_card(command.card),
            ),
        )
    return None


def turn(state: State, command: Turn) -> State:
    """Set the trump suit by the card turned up, which blocks pools or pays the dealer."""
    card, rules = command.card, state.rules
    if card in SUITS:
        return replace(state, told_suit=card)
    if rules.turned_is_held:
        return replace(state, turned=card)
    blocked = {*state.blocked, *rules.pools_of_card(card)}
    for pool in [name for name in POOLS if name in blocked]:
        if rules.turned_card != "dealer" or pool in state.blocked or rules.cards_shown(pool) > 1:
            continue
        assert state.dealer is not None
        taken = (POOL[pool], seat_account(state.dealer), state.pool(pool))
        state = replace(
            state,
            balances=transfer(state.balances, taken),
            claims=(*state.claims, (pool, state.dealer)),
        )
        blocked.discard(pool)
    return replace(state, turned=card, blocked=tuple(name for name in POOLS if name in blocked))


def verify_claim(state: State, command: Claim) -> Refusal | None:
    """Refuse a pool that is blocked or empty, and cards that cannot be in one hand."""
    seat, pool = command.seat, command.pool
    if pool in state.blocked:
        if pool in state.rules.not_played(len(state.live)):
            return refuse(
                "blocked-pool",
                lazy_gettext("Too few play for {pool} in this deal.", pool=state.pool_name(pool)),
            )
        return refuse(
            "blocked-pool",
            lazy_gettext(
                "Nobody can win {pool} in this deal: its card was turned up.",
                pool=state.pool_name(pool),
            ),
        )
    if not state.pool(pool):
        return refuse(
            "empty-pool", lazy_gettext("There are no chips in {pool}.", pool=state.pool_name(pool))
        )
    holder = _other_hand(state, seat, pool)
    if holder is None:
        return None
    if (pool, holder) in state.claims:
        return refuse(
            "conflict",
            lazy_gettext(
                "{holder} has won {pool} in this deal. If that is wrong, undo it first.",
                holder=state.name_of(holder),
                pool=state.pool_name(pool),
            ),
        )
    return refuse(
        "conflict",
        lazy_gettext(
            "{holder} has shown a card that {pool} needs, so {seat} cannot hold all of its cards.",
            holder=state.name_of(holder),
            pool=state.pool_name(pool),
            seat=state.name_of(seat),
        ),
    )


def claim(state: State, command: Claim) -> State:
    """Pay a pool, and those whose cards are among its own if they can be won and hold chips."""
    seat, pool = command.seat, command.pool
    with_it = [name for name in state.rules.comes_with(pool) if can_be_won(state, name)]
    taken = [pool, *with_it]
    balances = list(state.balances)
    for name in taken:
        balances[FIRST_SEAT - 1 + seat] += balances[POOL[name]]
        balances[POOL[name]] = 0
    return replace(
        state,
        balances=tuple(balances),
        claims=state.claims + tuple([(name, seat) for name in taken]),
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
            if can_be_won(state, pool)
            and any(_other_hand(state, claimant, pool) is None for claimant in seats)
        ]
    )


def is_claimable(state: State, seat: int, pool: str) -> bool:
    """Whether a live seat may claim a meld pool during melding.

    Bots ask this before each of their claims, and `verify_claim` would put each refusal into words.
    """
    return can_be_won(state, pool) and _other_hand(state, seat, pool) is None


def can_be_won(state: State, pool: str) -> bool:
    """Whether somebody can win this meld pool now."""
    return state.balances[POOL[pool]] > 0 and pool not in state.blocked


def next_phase(state: State, _: Next) -> State:
    """End the melding; on the last deal, the meld pools may go to another pool first."""
    rules = state.rules
    if rules.last_deal_to != "none" and is_last_deal(state):
        target = POOL[rules.last_deal_to]
        state = replace(
            state,
            balances=transfer(
                state.balances,
                *((POOL[name], target, state.pool(name)) for name in rules.meld_pools),
            ),
        )
    return open_betting(state)


def is_last_deal(state: State) -> bool:
    """Whether this deal is the last in a night of known length (RULES.md 2, `deals`)."""
    deals = state.rules.deals
    if deals == "round":
        # Somebody else deals in place of a seat that is out.
        staying = sum(map(bool, state.places))
        return state.deal >= staying and state.dealt.issuperset(state.here)
    return isinstance(deals, int) and state.deal >= deals
