"""Ante and meld: `deal`, `turn`, `claim` and `next` (RULES.md 3 and 4).

Each command has two functions. `verify_…` returns the refusal, if there is one. The function
named after the command calls it, and returns the next state or the same refusal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
from pochboard.rules.accounts import (
    BANK,
    FIRST_SEAT,
    MELD_POOLS,
    POOL,
    POOLS,
    seat_account,
    transfer,
)
from pochboard.rules.betting import open_betting
from pochboard.rules.commands import RANKS, SUITS, Claim, Deal, Next, Turn
from pochboard.rules.ruleset import LEAST_LIVE
from pochboard.rules.state import Outcome, State, next_live, order_of_play
from pochboard.text.lazy import lazy_gettext, lazy_listed, lazy_ngettext
from pochboard.text.names import CardName, lazy_pool

RANK_POOLS: Final[Mapping[str, str]] = {
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "T": "ten",
}
"""The pool of a single card, by its rank."""


def verify_deal(state: State, _: Deal) -> Refusal | None:
    """Refuse the deal if too few play, or a live seat cannot pay its antes (RULES.md 4).

    With `short_seats = "retire"`, refuse it only if fewer than two seats would be left.
    """
    return _verify_ante(state, _short_seats(state))


def _verify_ante(state: State, short: Collection[int]) -> Refusal | None:
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
    left = len(state.live) - len(short)
    if not short or (state.rules.short_seats == "retire" and left >= LEAST_LIVE):
        return None
    return refuse(
        "short-ante",
        lazy_ngettext(
            "{seats} cannot pay the ante of {count} chip: buy in, leave, or end the night.",
            "{seats} cannot pay the ante of {count} chips: buy in, leave, or end the night.",
            state.rules.ante_due,
            seats=lazy_listed(state.names_of(short)),
        ),
    )


def _short_seats(state: State) -> list[int]:
    """The live seats that cannot ante; none where the bank antes."""
    rules, balances = state.rules, state.balances
    if rules.ante_from == "bank":
        return []
    due = rules.ante_due
    return [seat for seat in state.live if balances[FIRST_SEAT - 1 + seat] < due]


def deal(state: State, _: Deal) -> Outcome:
    """Ante; the melding begins."""
    short = _short_seats(state)
    refusal = _verify_ante(state, short)
    if refusal is not None:
        return refusal
    rules = state.rules
    state = _retire(state, short)
    balances, due = list(state.balances), rules.ante_due
    if rules.ante_from == "bank":
        balances[BANK] -= due
        each = rules.ante
    else:
        for seat in state.live:
            balances[FIRST_SEAT - 1 + seat] -= due
        each = rules.ante * len(state.live)
    for name in rules.ante_pools:
        balances[POOL[name]] += each
    return replace(
        state,
        phase="meld",
        deal=state.deal + 1,
        dealt=state.dealt | {state.dealer},
        balances=tuple(balances),
    )


def _retire(state: State, seats: Collection[int]) -> State:
    """Puts these seats out; if one of them was to deal, the next live seat deals."""
    if not seats:
        return state
    assert state.dealer is not None, "somebody deals in every open night"
    live = tuple([seat for seat in state.live if seat not in seats])
    dealer = state.dealer if state.dealer in live else next_live(state, state.dealer, live)
    return replace(
        state, live=live, order=order_of_play(state.rules, live, state.places), dealer=dealer
    )


def verify_turn(state: State, command: Turn) -> Refusal | None:
    """Refuse a card that cannot be turned up, a second card, and one entered too late."""
    if (suit := state.rules.fixed_trump) is not None:
        return refuse(
            "no-turned-card",
            lazy_gettext(
                "No card is turned up with these rules: {suit} are always trumps.",
                suit=CardName(suit),
            ),
        )
    if command.card[0] not in RANKS[-state.deck // len(SUITS) :]:
        return refuse(
            "bad-argument",
            lazy_gettext(
                "The {card} is not in this deal’s deck of {deck} cards.",
                card=CardName(command.card),
                deck=state.deck,
            ),
        )
    if state.turned is not None:
        return refuse(
            "already-turned",
            lazy_gettext(
                "The {card} has already been turned up in this deal.", card=CardName(state.turned)
            ),
        )
    if state.claims:
        return refuse(
            "too-late",
            lazy_gettext(
                "A pool has been claimed already. The card must be turned up before that."
            ),
        )
    return None


def turn(state: State, command: Turn) -> Outcome:
    """Set the trump suit by the card turned up, which blocks pools or pays the dealer."""
    refusal = verify_turn(state, command)
    if refusal is not None:
        return refusal
    card, rules = command.card, state.rules
    if rules.turned_is_held:
        return replace(state, turned=card)
    blocked = set(_blocked_by(card[0], rules.sequence == "trump-789"))
    own = RANK_POOLS.get(card[0])
    if rules.turned_card == "dealer" and own in rules.pools:
        assert own is not None
        assert state.dealer is not None
        taken = (POOL[own], seat_account(state.dealer), state.pool(own))
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
    """The pools that nobody can win while a card of this rank is turned up."""
    blocked = []
    if rank in RANK_POOLS:
        blocked.append(RANK_POOLS[rank])
    if rank in "KQ":
        blocked.append("marriage")
    if seven_eight_nine and rank in "789":
        blocked.append("sequence")
    return blocked


def verify_claim(state: State, command: Claim) -> Refusal | None:
    """Refuse a pool that is blocked or empty, and cards that cannot be in one hand."""
    seat, pool = command.seat, command.pool
    if pool in state.blocked:
        return refuse(
            "blocked-pool",
            lazy_gettext(
                "Nobody can win {pool} in this deal: its card was turned up.", pool=lazy_pool(pool)
            ),
        )
    if not state.pool(pool):
        return refuse(
            "empty-pool", lazy_gettext("There are no chips in {pool}.", pool=lazy_pool(pool))
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
                pool=lazy_pool(pool),
            ),
        )
    return refuse(
        "conflict",
        lazy_gettext(
            "{holder} has shown the king or queen of trumps, so {seat} cannot hold the cards for"
            " {pool}.",
            holder=state.name_of(holder),
            pool=lazy_pool(pool),
            seat=state.name_of(seat),
        ),
    )


def claim(state: State, command: Claim) -> Outcome:
    """Pay a pool; `marriage` also pays `king` and `queen` if they still hold chips."""
    refusal = verify_claim(state, command)
    if refusal is not None:
        return refusal
    seat, pool = command.seat, command.pool
    taken = [pool]
    if pool == "marriage":
        taken += [name for name in ("king", "queen") if state.pool(name)]
    balances = list(state.balances)
    for name in taken:
        balances[FIRST_SEAT - 1 + seat] += balances[POOL[name]]
        balances[POOL[name]] = 0
    return replace(
        state,
        balances=tuple(balances),
        claims=state.claims + tuple([(name, seat) for name in taken]),
    )


_CANNOT_SHARE: Final = {
    **{pool: (pool,) for pool in MELD_POOLS},
    "marriage": ("marriage", "king", "queen"),
    "king": ("king", "marriage"),
    "queen": ("queen", "marriage"),
}
"""By pool, the pools that another seat cannot have won, since one hand holds the cards of both."""


def _other_hand(state: State, seat: int, pool: str) -> int | None:
    """The seat whose claim shows that this pool's cards are not in the hand of `seat`."""
    others = _CANNOT_SHARE[pool]
    return next((who for name, who in state.claims if name in others and who != seat), None)


def claimable(state: State, seat: int | None = None) -> tuple[str, ...]:
    """The pools that may be claimed during melding: by this live seat, or by any."""
    seats = state.live if seat is None else (seat,)
    return tuple(
        [
            pool
            for pool in MELD_POOLS
            if _is_open(state, pool)
            and any(_other_hand(state, claimant, pool) is None for claimant in seats)
        ]
    )


def is_claimable(state: State, seat: int, pool: str) -> bool:
    """Whether a live seat may claim a meld pool during melding.

    Bots ask this before each of their claims, and `verify_claim` would put each refusal into words.
    """
    return _is_open(state, pool) and _other_hand(state, seat, pool) is None


def _is_open(state: State, pool: str) -> bool:
    """Whether somebody can win this meld pool. One that the ruleset lacks never holds a chip."""
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
