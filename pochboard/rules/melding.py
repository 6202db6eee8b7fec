"""Ante and meld: `deal`, `turn`, `claim` and `next` (RULES.md 3 and 4)."""

from __future__ import annotations

from msgspec.structs import replace

from pochboard.errors import Refusal
from pochboard.rules.betting import open_betting
from pochboard.rules.board import BANK, FIRST_SEAT, MELD_POOLS, POOL, POOLS, seat_account
from pochboard.rules.commands import Claim, Deal, Next, Turn
from pochboard.rules.moves import Outcome, spoken, transfer
from pochboard.rules.state import State

RANK_POOLS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten"}
_SMALL_RANKS = "23456"


def deal(state: State, _: Deal) -> Outcome:
    """The antes (RULES.md 4); refused with `short-ante` if a live seat cannot pay all of it."""
    rules = state.rules
    pools = [POOL[name] for name in rules.ante_pools]
    balances = list(state.balances)
    if rules.ante_from == "bank":
        balances[BANK] -= rules.ante_due
        each = rules.ante
    else:
        short = [seat for seat in state.live if state.is_short(seat)]
        if short:
            lack = "lacks" if len(short) == 1 else "lack"
            return Refusal(
                "short-ante",
                f"{spoken(state, short)} {lack} the {rules.ante_due} chips of the ante:"
                " buy in, leave, or end the night.",
            )
        for seat in state.live:
            balances[FIRST_SEAT - 1 + seat] -= rules.ante_due
        each = rules.ante * len(state.live)
    for pool in pools:
        balances[pool] += each
    return replace(state, phase="meld", deal=state.deal + 1, balances=tuple(balances))


def turn(state: State, command: Turn) -> Outcome:
    """The card turned up fixes the trump suit and blocks pools, or pays the dealer."""
    card, rules = command.card, state.rules
    if state.deck == 32 and card[0] in _SMALL_RANKS:
        return Refusal("bad-argument", f"There is no {card} in this deal's deck of 32 cards.")
    if state.turned is not None:
        return Refusal("already-turned", f"{state.turned} has been turned up in this deal already.")
    if state.claims:
        return Refusal("too-late", "A pool has been claimed; the card had to be turned before.")
    blocked = set(_blocked_by(card[0], rules.sequence == "trump-789"))
    own = RANK_POOLS.get(card[0])
    if rules.turned_card == "dealer" and own in rules.pools:
        assert own is not None
        assert state.dealer is not None
        pool = POOL[own]
        taken = (pool, seat_account(state.dealer), state.balances[pool])
        state = replace(
            state,
            balances=transfer(state.balances, taken),
            claims=((own, state.dealer),),
        )
        blocked.discard(own)
    return replace(
        state,
        turned=card,
        blocked=tuple(name for name in POOLS if name in blocked and name in rules.pools),
    )


def _blocked_by(rank: str, seven_eight_nine: bool) -> list[str]:
    blocked = []
    if rank in RANK_POOLS:
        blocked.append(RANK_POOLS[rank])
    if rank in "KQ":
        blocked.append("marriage")
    if seven_eight_nine and rank in "789":
        blocked.append("sequence")
    return blocked


def claim(state: State, command: Claim) -> Outcome:
    """A seat takes a pool; `marriage` brings it `king` and `queen` where they still hold chips."""
    seat, pool = command.seat, command.pool
    if pool in state.blocked:
        return Refusal("blocked-pool", f"Nobody can win {pool}: its card lies turned up.")
    if not state.pool(pool):
        return Refusal("empty-pool", f"There are no chips in {pool}.")
    holder = _other_hand(state, seat, pool)
    if holder:
        return Refusal(
            "conflict",
            f"{state.name_of(holder)} has shown king or queen of trumps, so {pool} cannot be in"
            f" {state.name_of(seat)}'s hand.",
        )
    taken = [pool]
    if pool == "marriage":
        taken += [name for name in ("king", "queen") if state.pool(name)]
    account = FIRST_SEAT - 1 + seat
    return replace(
        state,
        balances=transfer(
            state.balances, *((POOL[name], account, state.pool(name)) for name in taken)
        ),
        claims=state.claims + tuple((name, seat) for name in taken),
    )


_CANNOT_SHARE = {
    "marriage": ("king", "queen"),
    "king": ("marriage",),
    "queen": ("marriage",),
}


def _other_hand(state: State, seat: int, pool: str) -> int | None:
    """The seat whose claim shows that this pool's cards are not in the hand of `seat`."""
    others = _CANNOT_SHARE.get(pool)
    if others is None:
        return None
    return next((who for name, who in state.claims if name in others and who != seat), None)


def claimable(state: State, seat: int | None = None) -> tuple[str, ...]:
    """The pools that can be claimed in the meld: by this seat, or by any."""
    # A pool that the ruleset lacks never holds a chip.
    balances, blocked = state.balances, state.blocked
    return tuple(
        [
            pool
            for pool in MELD_POOLS
            if balances[POOL[pool]]
            and pool not in blocked
            and (seat is None or _other_hand(state, seat, pool) is None)
        ]
    )


def next_phase(state: State, _: Next) -> Outcome:
    """The melding is over; on a known last deal the meld pools may go to `poch` first."""
    rules = state.rules
    if rules.last_deal_to_poch and state.deal == last_deal(state):
        state = replace(
            state,
            balances=transfer(
                state.balances,
                *((POOL[name], POOL["poch"], state.pool(name)) for name in rules.meld_pools),
            ),
        )
    return open_betting(state)


def last_deal(state: State) -> int | None:
    """The number of the last deal in a night of known length, else None (RULES.md 2, `deals`)."""
    deals = state.rules.deals
    if deals == "round":
        return state.starters
    return deals if isinstance(deals, int) else None
