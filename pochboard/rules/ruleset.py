"""Rulesets are data: the parameters of RULES.md 2, with their ranges.

A card of a pool is a rank and a suit, as in `KH`, or a rank and `*` for trumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import cycle
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from pochboard.rules.commands import RANKS, SUITS
from pochboard.text.names import given_text, lazy_pool
from pochboard.text.translator import N_

Players = Annotated[int, Meta(ge=2, le=8)]
Packet = Annotated[int, Meta(ge=1, le=10)]

DECKS: Final = (32, 36, 40, 52)
"""The sizes of decks, which start at the sevens, sixes, fives and twos."""

LEAST_LIVE: Final = 2
"""A night continues while this many seats are live, even if the ruleset needs more to start."""


Pool = Literal["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"]
PoolCard = Annotated[
    str,
    Meta(pattern=r"^[2-9TJQKA][CDHS*](?!\n)$"),
    N_("a card such as KH, or K* for the king of trumps"),
]


class PoolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of a pool by language."""

    en: str
    de: str


class PoolMeaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A `[[pool]]` of a ruleset. What it leaves out is as in Poch."""

    at: Pool
    """Its place on the board, which is its id everywhere."""
    name: Annotated[
        str | PoolNames | None,
        N_('a name, or { en = "…", de = "…" } with one in each language'),
    ] = None
    cards: tuple[PoolCard, ...] | None = None
    """All of them in one hand win the pool."""
    least: Annotated[int, Meta(ge=2, le=8)] = msgspec.field(default=2, name="from")
    """The fewest live seats with which it is played."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its names in English and in German; none if it has Poch's."""
        if isinstance(self.name, PoolNames):
            return (self.name.en, self.name.de)
        return () if self.name is None else (self.name,) * 2

    @property
    def title(self) -> str:
        """Its name in the language of whoever reads it."""
        if isinstance(self.name, PoolNames):
            return given_text(msgspec.to_builtins(self.name))
        return self.name or lazy_pool(self.at)


MIN_RUN: Final = 3
"""Cards in the shortest run that counts."""
RUN: Final = "sequence"
"""The place whose pool goes to a run of cards: to the best one, if it has no cards of its own."""
POCH: Final[Mapping[str, tuple[str, ...]]] = {
    "ace": ("A*",),
    "king": ("K*",),
    "queen": ("Q*",),
    "jack": ("J*",),
    "ten": ("T*",),
    "marriage": ("K*", "Q*"),
    RUN: ("7*", "8*", "9*"),
}
"""The cards of the pools in Poch; those of `sequence` with `trump-789`."""


@cache
def concrete(cards: tuple[str, ...], trump: str | None) -> frozenset[str]:
    """The cards of a pool with this trump suit; unknown trumps stay as they are."""
    return frozenset(card.replace("*", trump) if trump else card for card in cards)


@cache
def share_a_card(one: tuple[str, ...], other: tuple[str, ...], trump: str | None) -> bool:
    """Whether two pools need a card in common, whatever suit may be trumps."""
    return all(concrete(one, suit) & concrete(other, suit) for suit in trump or SUITS)


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One ruleset. Each field is a parameter of RULES.md 2, which says what it means."""

    name: str
    source: str
    players: tuple[Players, Players]
    deck: Literal[32, 36, 40, 52, "auto"]
    hand: Annotated[int, Meta(ge=1, le=10)] | Literal["all-but-one", "all"]
    packets: tuple[Packet, ...] = (1,)
    trump: Literal["turned", "clubs", "diamonds", "hearts", "spades"] = "turned"
    stack: Annotated[int, Meta(ge=1, le=10_000)]
    pools: tuple[Pool, ...]
    pool: tuple[PoolMeaning, ...] = ()
    """The places that mean something else than in Poch."""
    ante_pools: tuple[Pool, ...]
    ante_from: Literal["seats", "bank", "banker"]
    ante: Annotated[int, Meta(ge=1, le=100)]
    sequence: Literal["trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"]
    bet_pool: Literal["poch", "pinke"]
    bet_pool_takes_poch: bool = True
    bet_needs_set: bool = False
    high_card: bool
    tie_break: Literal["trump", "side-cards", "suits", "split"] = "trump"
    prove_set: bool
    all_in: bool
    raises: Literal["free", "none", "capped"]
    bluff_penalty: Annotated[int, Meta(ge=0, le=10)]
    turned_card: Literal["nobody", "dealer"]
    leader: Literal["poch-winner", "forehand"]
    run_ends: Literal["nobody-can", "next-cannot"]
    shedding: Literal["sequence", "rising", "tricks", "domino", "thirty-one"]
    centre_to_winner: bool
    run_bonus: Annotated[int, Meta(ge=0, le=100)]
    short_seats: Literal["refuse", "retire"] = "refuse"
    out_when_broke: bool
    deals: Annotated[int, Meta(ge=1, le=1000)] | Literal["open", "round", "until-short"]
    last_deal_to: Literal["none", "poch", "pinke"] = "none"
    leftover: Literal["bank", "split"]
    first_dealer: Literal["chosen", "lowest-card", "first-ace"] = "chosen"
    won_by: Literal["most-won", "most-chips", "last-with-chips"] = "most-won"
    direction: Literal["clockwise", "anticlockwise"]

    def antes(self, live: int) -> tuple[str, ...]:
        """The pools that are filled at a deal of this many live seats."""
        played = _played(self)
        return tuple([pool for pool in self.ante_pools if played[pool].least <= live])

    def ante_due(self, live: int) -> int:
        """What all of them take, from a seat or from whoever fills the pools."""
        return self.ante * len(self.antes(live))

    @property
    def meld_pools(self) -> tuple[str, ...]:
        """The pools of this ruleset that are won by showing cards."""
        return tuple(_cards_of_pools(self))

    @property
    def cards_of_pools(self) -> Mapping[str, tuple[str, ...]]:
        """The cards that win each meld pool; none for one that goes to the best run."""
        return _cards_of_pools(self)

    def not_played(self, live: int) -> tuple[str, ...]:
        """The pools that nobody can win in a deal of this many live seats."""
        return tuple([pool for pool, meant in _played(self).items() if meant.least > live])

    def pools_of_card(self, card: str) -> tuple[str, ...]:
        """The pools that need this card if its suit is trumps, as it is if it was turned up."""
        return tuple(
            [
                pool
                for pool, cards in _cards_of_pools(self).items()
                if card in concrete(cards, card[1])
            ]
        )

    def comes_with(self, pool: str) -> tuple[str, ...]:
        """The pools whose cards are some of those of this one: whoever takes it takes them too."""
        of_pools = self.cards_of_pools
        own = set(of_pools[pool])
        return tuple([name for name, cards in of_pools.items() if own > set(cards) > set()])

    def fewest_seats(self, pool: str) -> int:
        """With fewer live seats nobody fills or wins a pool."""
        return _played(self)[pool].least

    @property
    def run_needs_trump(self) -> bool:
        """Whether nobody can tell who takes the sequence pool before the trump suit is known."""
        return any(card[1] == "*" for card in self.cards_of_pools.get(RUN, ()))

    def cards_shown(self, pool: str) -> int:
        """How many cards of one hand win a meld pool."""
        return len(self.cards_of_pools[pool]) or MIN_RUN

    def pool_name(self, pool: str) -> str:
        """What people call a pool."""
        meant = _played(self).get(pool)
        return meant.title if meant else lazy_pool(pool)

    @property
    def won_by_betting(self) -> tuple[str, ...]:
        """The pools that the betting pays out: the bet pool, and `poch` if `pinke` takes it too."""
        takes_poch = self.bet_pool == "pinke" and self.bet_pool_takes_poch
        return ("poch", "pinke") if takes_poch else (self.bet_pool,)

    def deck_for(self, players: int) -> int:
        """The size of the deck with this many players at the table."""
        if self.deck == "auto":
            return 32 if players <= 4 else 52
        return self.deck

    def with_deck_for(self, players: int) -> Ruleset:
        """The ruleset with the deck for this many players at the table, however many are live."""
        return self if self.deck != "auto" else _with_deck(self, self.deck_for(players))

    def hand_sizes(self, live: int) -> tuple[int, ...]:
        """The cards dealt to each of this many live seats, forehand first."""
        if isinstance(self.hand, int):
            return (self.hand,) * live
        dealt = self.deck_for(live) - (self.hand == "all-but-one")
        each, more = divmod(dealt, live)
        return (each + 1,) * more + (each,) * (live - more)

    def deal_order(self, live: int) -> tuple[int, ...]:
        """Who gets each card dealt, first to last: 0 is forehand, 1 the next live seat.

        Each round deals one packet to every seat; after the last packet the list starts again.
        Nobody is dealt more cards than the hand still needs.
        """
        return _deal_order(self.hand_sizes(live), self.packets)

    @property
    def turns_a_card(self) -> bool:
        """Whether a card is turned up to set the trump suit."""
        return self.trump == "turned"

    @property
    def turned_is_held(self) -> bool:
        """Whether the card turned up is the last one dealt, and so in somebody's hand."""
        return self.turns_a_card and self.hand == "all"

    @property
    def turned_cards_that_count(self) -> tuple[str, ...]:
        """The ranks that block a pool, or pay the dealer, if a card of theirs is turned up."""
        if not self.turns_a_card or self.turned_is_held:
            return ()
        return tuple([rank for rank in reversed(RANKS) if self.pools_of_card(f"{rank}S")])

    @property
    def fixed_trump(self) -> str | None:
        """The suit that is trump in every deal, C D H or S; None if a card is turned up."""
        return None if self.trump == "turned" else self.trump[0].upper()

    def trump_suit(self, turned: str | None) -> str | None:
        """The trump suit, given the card turned up; None while that is not known."""
        return turned[1] if turned else self.fixed_trump

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, without the ruleset's own name, ready for JSON and TOML."""
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        del values["name"]
        return values


@lru_cache
def _played(rules: Ruleset) -> Mapping[str, PoolMeaning]:
    """What each pool of a ruleset means."""
    meant = {one.at: one for one in rules.pool}
    return {pool: meant.get(pool) or PoolMeaning(pool) for pool in rules.pools}


@lru_cache
def _cards_of_pools(rules: Ruleset) -> Mapping[str, tuple[str, ...]]:
    as_in_poch = POCH if rules.sequence == "trump-789" else {**POCH, RUN: ()}
    cards = {
        pool: as_in_poch.get(pool) if meant.cards is None else meant.cards or None
        for pool, meant in _played(rules).items()
    }
    return {pool: of_it for pool, of_it in cards.items() if of_it is not None}


@lru_cache
def _with_deck(rules: Ruleset, deck: int) -> Ruleset:
    return replace(rules, deck=deck)


@lru_cache(maxsize=64)
def _deal_order(sizes: tuple[int, ...], packets: tuple[int, ...]) -> tuple[int, ...]:
    """The seat of each card dealt, for hands of these sizes, forehand first."""
    missing = list(sizes)
    order: list[int] = []
    for packet in cycle(packets):
        for seat in range(len(sizes)):
            cards = min(packet, missing[seat])
            missing[seat] -= cards
            order += [seat] * cards
        if not any(missing):
            return tuple(order)
    raise AssertionError("there is at least one packet")


TYPES: Final = {
    key: kind
    for key, kind in get_type_hints(Ruleset, include_extras=True).items()
    if key in Ruleset.__struct_fields__
}
"""What each field may hold."""
PARAMETERS: Final = tuple(key for key in Ruleset.__struct_fields__ if key != "name")
"""The names of all parameters, in the order of RULES.md 2."""
REQUIRED: Final = tuple(
    field.name
    for field in msgspec.structs.fields(Ruleset)
    if field.required and field.name != "name"
)
"""Those without a default. A new parameter needs a default, for files that lack it."""
