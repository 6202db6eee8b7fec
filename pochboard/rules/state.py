"""The state of a night: one frozen record that every command turns into the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from pochboard.rules.accounts import BANK, FIRST_SEAT, POOL, POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.text.names import lazy_pool

Phase = Literal["none", "idle", "meld", "pochen", "showdown", "shed", "closed"]
"""none before the first night, idle between deals, closed at the end; the rest belong to a deal."""


BETWEEN_NIGHTS: Final = ("none", "closed")
IN_A_DEAL: Final = ("meld", "pochen", "showdown", "shed")


class Standing(NamedTuple):
    """A seat in the standings."""

    seat: int
    stack: int
    net: int


class State(msgspec.Struct, frozen=True, gc=False):
    """Everything known about a night at one moment (RULES.md 3 and 9).

    Seats are numbered from 1. A field with one value per seat is a tuple, and item `seat - 1` is
    the value of that seat.
    """

    phase: Phase = "none"
    ruleset: Ruleset | None = None
    """The ruleset with the night's options, frozen at the start; None before the first night."""
    balances: tuple[int, ...] = (0,) * FIRST_SEAT
    """Chips by account: the bank (minus those in play), the nine pools, the seats. Sums to 0."""
    bought: tuple[int, ...] = ()
    """What the bank has paid each seat, less what it took back when the seat left."""
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    """The place of each seat, 1 to 8 clockwise; 0 for a seat that has left."""
    live: tuple[int, ...] = ()
    """The live seats in ascending order."""
    order: tuple[int, ...] = ()
    """The live seats in the order of play, from the lowest place (anticlockwise: the highest)."""
    stack: int = 0
    """The starting stack of this night."""
    dealt: frozenset[int] = frozenset()
    """The seats that have dealt, not counting deals voided."""
    deal: int = 0
    """Deals begun and not voided."""
    dealer: int | None = None
    banker: int | None = None
    """The seat that fills the pools where a banker does."""
    to_act: int | None = None
    leader: int | None = None
    knocker: int | None = None
    turned: str | None = None
    """The card turned up in this deal, rank and suit, as in `TH`."""
    told_suit: str | None = None
    """The trump suit of this deal, if it was entered without a card or before it."""
    blocked: tuple[str, ...] = ()
    """Pools that nobody can win in this deal, in board order."""
    claims: tuple[tuple[str, int], ...] = ()
    """Pools claimed in this deal, each with the seat that took it."""
    committed: tuple[int, ...] = ()
    """Chips each seat has staked in this betting; empty outside pochen and showdown."""
    passed: frozenset[int] = frozenset()
    """Seats that are out of the betting of this deal."""
    acted: frozenset[int] = frozenset()
    winner: int | None = None
    """The seat that has played its last card, once somebody has."""
    bonuses: int = 0
    """Run bonuses paid in this deal."""
    sitting_out: tuple[int, ...] = ()
    """The seats that skip deals, in ascending order. They are not live, but keep their chips."""

    @property
    def rules(self) -> Ruleset:
        """The ruleset of the night. There must be a night."""
        assert self.ruleset is not None, "there is no night yet"
        return self.ruleset

    def stack_of(self, seat: int) -> int:
        """The chips of a seat."""
        return self.balances[FIRST_SEAT - 1 + seat]

    def pool(self, name: str) -> int:
        """The chips in a pool."""
        return self.balances[POOL[name]]

    def pool_name(self, pool: str) -> str:
        """What people call a pool."""
        return self.ruleset.pool_name(pool) if self.ruleset else lazy_pool(pool)

    @property
    def pot(self) -> int:
        """What the betting pays out: what somebody who wins it alone gets."""
        return sum([self.balances[POOL[pool]] for pool in self.rules.won_by_betting])

    @property
    def seats(self) -> range:
        """All seats of this night, including those that have left."""
        return range(1, len(self.names) + 1)

    def name_of(self, seat: int) -> str:
        """The name of a seat."""
        return self.names[seat - 1]

    def names_of(self, seats: Iterable[int]) -> tuple[str, ...]:
        """The names of seats."""
        return tuple(self.names[seat - 1] for seat in seats)

    def seat_at(self, place: int) -> int | None:
        """The seat that sits at a place and has not left, if any."""
        return self.places.index(place) + 1 if place in self.places else None

    @property
    def trump(self) -> str | None:
        """The trump suit of this deal, once it is known: the ruleset's or the turned card's."""
        if self.phase not in IN_A_DEAL:
            return None
        return self.told_suit or self.rules.trump_suit(self.turned)

    @property
    def forehand(self) -> int:
        """The first live seat after the dealer in the order of play."""
        return self.from_forehand[0]

    @property
    def from_forehand(self) -> tuple[int, ...]:
        """The live seats in the order of play, forehand first. The dealer must be live."""
        assert self.dealer is not None, "somebody deals in every open night"
        cut = self.order.index(self.dealer) + 1
        return self.order[cut:] + self.order[:cut]

    @property
    def highest(self) -> int:
        """The most that a seat has committed in this betting."""
        return max(self.committed, default=0)

    def need(self, seat: int) -> int:
        """What the seat lacks to hold: the highest amount committed less its own (RULES.md 5)."""
        return self.highest - self.committed[seat - 1]

    @property
    def still_in(self) -> tuple[int, ...]:
        """The live seats that have not passed, in ascending order."""
        passed = self.passed
        return tuple([seat for seat in self.live if seat not in passed])

    @property
    def deal_rules(self) -> Ruleset:
        """The ruleset with the deck of this deal.

        It depends on the seats that are live or sit out.
        """
        return self.rules.with_deck_for(len(self.here))

    @property
    def deck(self) -> int:
        """The cards in this deal's deck (RULES.md 2)."""
        return self.deal_rules.deck_for(len(self.live))

    @property
    def hand_sizes(self) -> dict[int, int]:
        """How many cards each live seat is dealt, from forehand on (RULES.md 2, hand sizes)."""
        sizes = self.deal_rules.hand_sizes(len(self.live))
        return dict(zip(self.from_forehand, sizes, strict=True))

    def has_left(self, seat: int) -> bool:
        """Whether the seat has gone home."""
        return self.places[seat - 1] == 0

    @property
    def here(self) -> tuple[int, ...]:
        """The seats that are live or sit out, in ascending order."""
        return tuple(sorted((*self.live, *self.sitting_out))) if self.sitting_out else self.live

    def is_short(self, seat: int) -> bool:
        """Whether the seat cannot ante, or has no chips where it need not (RULES.md 2).

        A seat that is out has no chips, so it is short too.
        """
        return self.stack_of(seat) < (self.ante_due if seat in self.antes_from else 1)

    @property
    def antes_from(self) -> tuple[int, ...]:
        """The seats that fill the pools at a deal, each with the antes of all of them."""
        match self.rules.ante_from:
            case "seats":
                return self.live
            case "bank":
                return ()
            case "banker":
                return () if self.banker is None else (self.banker,)

    @property
    def short_seats(self) -> list[int]:
        """The seats that cannot pay what they owe at a deal."""
        due = self.ante_due
        return [seat for seat in self.antes_from if self.stack_of(seat) < due]

    @property
    def ante_due(self) -> int:
        """What fills the pools at a deal of the live seats, from a seat or from the bank."""
        return self.rules.ante_due(len(self.live))

    def with_live(self, live: tuple[int, ...]) -> State:
        """The table when these seats are live: whoever follows deals, or is the banker."""
        return replace(
            self,
            dealer=passed_on(self, self.dealer, live),
            banker=passed_on(self, self.banker, live),
            live=live,
            order=order_of_play(self.rules, live, self.places),
        )

    @property
    def standings(self) -> list[Standing]:
        """All seats of the night, those first that win it (RULES.md 8); before one, none."""
        if self.ruleset is None:
            return []
        rows = [
            Standing(seat, self.stack_of(seat), self.stack_of(seat) - self.bought[seat - 1])
            for seat in self.seats
        ]
        by_net = self.ruleset.won_by == "most-won"
        return sorted(rows, key=lambda row: (-row.net if by_net else -row.stack, row.seat))


def order_of_play(rules: Ruleset, live: Iterable[int], places: Sequence[int]) -> tuple[int, ...]:
    """The live seats by place, in the ruleset's direction (RULES.md 1)."""
    backwards = rules.direction == "anticlockwise"
    return tuple(sorted(live, key=lambda seat: places[seat - 1], reverse=backwards))


def next_live(state: State, seat: int, live: Sequence[int]) -> int | None:
    """The first of `live` after `seat`, which is live itself, in the order of play."""
    cut = state.order.index(seat) + 1
    for other in state.order[cut:] + state.order[:cut]:
        if other in live:
            return other
    return None


def passed_on(state: State, holder: int | None, live: Sequence[int]) -> int | None:
    """Who has an office when only these are live: its holder, or whoever follows."""
    return holder if holder is None or holder in live else next_live(state, holder, live)


def public_state(state: State) -> dict[str, Any]:
    """The state as score sheets have it (RULES.md 9), ready for JSON."""
    pools = state.ruleset.pools if state.ruleset else ()
    has_banker = state.ruleset is not None and state.ruleset.ante_from == "banker"
    return {
        **({"banker": state.banker} if has_banker else {}),
        "phase": state.phase,
        "deal": state.deal,
        "dealer": state.dealer,
        "to_act": state.to_act,
        "leader": state.leader,
        "knocker": state.knocker,
        "trump": state.trump,
        "pools": {name: state.pool(name) for name in POOLS if name in pools},
        "stacks": {str(seat): state.stack_of(seat) for seat in state.seats},
        "bought": {str(seat): state.bought[seat - 1] for seat in state.seats},
        "live": list(state.live),
        "sitting_out": list(state.sitting_out),
        "places": {
            str(seat): state.places[seat - 1] for seat in state.seats if not state.has_left(seat)
        },
        "blocked": list(state.blocked),
        "committed": {str(seat): chips for seat, chips in enumerate(state.committed, 1) if chips},
        "bank": state.balances[BANK],
        "standings": ([list(row) for row in state.standings] if state.phase == "closed" else None),
    }
