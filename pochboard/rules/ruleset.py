"""Rulesets are data: the parameters of RULES.md 2, with their ranges and their words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import cycle
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from pochboard.rules.accounts import MELD_POOLS
from pochboard.text.lazy import gettext_noop
from pochboard.text.names import POOL_NAMES

Pool = Literal["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"]
Players = Annotated[int, Meta(ge=2, le=8)]
Packet = Annotated[int, Meta(ge=1, le=10)]

DECKS: Final = (32, 36, 40, 52)
"""The sizes of decks, which start at the sevens, sixes, fives and twos."""

LEAST_LIVE: Final = 2
"""A night continues while this many seats are live, even if the ruleset needs more to start."""


_NIGHT: Final = gettext_noop("The night")
_DEALING: Final = gettext_noop("Cards and dealing")
_POOLS_AND_ANTE: Final = gettext_noop("Pools and ante")
_BETTING: Final = gettext_noop("Betting and showdown")
_PLAYING_OUT: Final = gettext_noop("Playing out")


class Words(msgspec.Struct, frozen=True):
    """What people read about a parameter; stands in its type."""

    label: str
    group: str
    """The heading of the form that it belongs under."""
    help: str = ""
    """What it means, where the label does not say enough."""
    values: Mapping[str, str] = {}
    """What its values are called: `none` may mean something else for each parameter."""


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One ruleset. Each field is a parameter of RULES.md 2, which says what it means."""

    name: str
    source: Annotated[
        str,
        Words(
            gettext_noop("Where the rules come from"),
            _NIGHT,
            help=gettext_noop("Shown with the ruleset, for example “as at Grandma’s”."),
        ),
    ]
    players: Annotated[
        tuple[Players, Players], Words(gettext_noop("Players, fewest and most"), _NIGHT)
    ]
    deck: Annotated[
        Literal[32, 36, 40, 52, "auto"],
        Words(
            gettext_noop("Cards in the deck"),
            _DEALING,
            values={"auto": gettext_noop("32, or 52 with five or more players")},
        ),
    ]
    hand: Annotated[
        Annotated[int, Meta(ge=1, le=10)] | Literal["all-but-one", "all"],
        Words(
            gettext_noop("Cards in a hand"),
            _DEALING,
            help=gettext_noop("With “all”, the last card dealt sets the trump suit."),
            values={"all-but-one": gettext_noop("all but one"), "all": gettext_noop("all")},
        ),
    ]
    packets: Annotated[
        tuple[Packet, ...],
        Words(
            gettext_noop("Cards dealt at a time"),
            _DEALING,
            help=gettext_noop("3, 2 means: first three cards each, then two."),
        ),
    ] = (1,)
    trump: Annotated[
        Literal["turned", "clubs", "diamonds", "hearts", "spades"],
        Words(
            gettext_noop("Trump suit"),
            _DEALING,
            help=gettext_noop("With a fixed suit, no card is turned up."),
            values={
                "turned": gettext_noop("the suit of the card turned up"),
                "clubs": gettext_noop("always clubs"),
                "diamonds": gettext_noop("always diamonds"),
                "hearts": gettext_noop("always hearts"),
                "spades": gettext_noop("always spades"),
            },
        ),
    ] = "turned"
    stack: Annotated[int, Meta(ge=1, le=10_000), Words(gettext_noop("Chips to begin with"), _NIGHT)]
    pools: Annotated[
        tuple[Pool, ...],
        Words(
            gettext_noop("Pools on the board"),
            _POOLS_AND_ANTE,
            help=gettext_noop("What your board has, and you want to play with."),
            values=POOL_NAMES,
        ),
    ]
    ante_pools: Annotated[
        tuple[Pool, ...],
        Words(
            gettext_noop("Pools filled at each deal"),
            _POOLS_AND_ANTE,
            help=gettext_noop("The others are filled by bets, or by nothing."),
            values=POOL_NAMES,
        ),
    ]
    ante_from: Annotated[
        Literal["seats", "bank"],
        Words(
            gettext_noop("Who fills the pools"),
            _POOLS_AND_ANTE,
            help=gettext_noop("Where the bank fills them, nobody has to ante."),
            values={"seats": gettext_noop("the players"), "bank": gettext_noop("the bank")},
        ),
    ]
    ante: Annotated[
        int, Meta(ge=1, le=100), Words(gettext_noop("Chips into each pool"), _POOLS_AND_ANTE)
    ]
    sequence: Annotated[
        Literal["trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"],
        Words(
            gettext_noop("What wins Sequence"),
            _POOLS_AND_ANTE,
            help=gettext_noop("The referee and the computer players decide by this."),
            values={
                "trump-789": gettext_noop("7 8 9 of trumps"),
                "best-run-trump-first": gettext_noop("the best run, trumps before height"),
                "best-run-height-first": gettext_noop("the best run, height before trumps"),
                "longest-run": gettext_noop("the longest run"),
            },
        ),
    ]
    bet_pool: Annotated[
        Literal["poch", "pinke"],
        Words(
            gettext_noop("Bets go into"),
            _BETTING,
            help=gettext_noop("The winner of the betting takes this pool."),
            values=POOL_NAMES,
        ),
    ]
    bet_pool_takes_poch: Annotated[
        bool, Words(gettext_noop("Whoever wins Pinke takes Poch too"), _BETTING)
    ] = True
    bet_needs_set: Annotated[
        bool,
        Words(
            gettext_noop("A player needs a set to stake"),
            _BETTING,
            help=gettext_noop("Otherwise anybody may stake, and so bluff."),
        ),
    ] = False
    high_card: Annotated[
        bool,
        Words(
            gettext_noop("A hand without a set may win"),
            _BETTING,
            help=gettext_noop("If nobody has a set, the highest card wins."),
        ),
    ]
    tie_break: Annotated[
        Literal["trump", "side-cards", "suits", "split"],
        Words(
            gettext_noop("What decides between equal sets"),
            _BETTING,
            values={
                "trump": gettext_noop("the card of the trump suit"),
                "side-cards": gettext_noop("the other cards"),
                "suits": gettext_noop("the suit: clubs, spades, hearts, diamonds"),
                "split": gettext_noop("nothing: they share"),
            },
        ),
    ] = "trump"
    prove_set: Annotated[
        bool,
        Words(
            gettext_noop("The last one in must show a set"),
            _BETTING,
            help=gettext_noop("Otherwise whoever is left alone wins without showing cards."),
        ),
    ]
    all_in: Annotated[
        bool,
        Words(
            gettext_noop("All-in is allowed"),
            _BETTING,
            help=gettext_noop("Whoever has too few chips may put in all of them."),
        ),
    ]
    raises: Annotated[
        Literal["free", "none", "capped"],
        Words(
            gettext_noop("Raises"),
            _BETTING,
            help=gettext_noop("What may be put in on top of what it takes to stay in."),
            values={
                "free": gettext_noop("free"),
                "none": gettext_noop("none: hold or pass"),
                "capped": gettext_noop("up to the smallest stack"),
            },
        ),
    ]
    bluff_penalty: Annotated[
        int,
        Meta(ge=0, le=10),
        Words(
            gettext_noop("Penalty for a bluff, times the stake"),
            _BETTING,
            help=gettext_noop("For a knocker who loses the showdown; 0 means no penalty."),
        ),
    ]
    turned_card: Annotated[
        Literal["nobody", "dealer"],
        Words(
            gettext_noop("Who wins the pool of the turned card"),
            _POOLS_AND_ANTE,
            help=gettext_noop("If an ace, king, queen, jack or ten is turned up."),
            values={"nobody": gettext_noop("nobody"), "dealer": gettext_noop("the dealer")},
        ),
    ]
    leader: Annotated[
        Literal["poch-winner", "forehand"],
        Words(
            gettext_noop("Who leads first"),
            _PLAYING_OUT,
            values={
                "poch-winner": gettext_noop("whoever won Poch"),
                "forehand": gettext_noop("forehand"),
            },
        ),
    ]
    run_ends: Annotated[
        Literal["nobody-can", "next-cannot"],
        Words(
            gettext_noop("A run to 31 ends when"),
            _PLAYING_OUT,
            help=gettext_noop("Only matters if the cards are played to thirty-one."),
            values={
                "nobody-can": gettext_noop("nobody can add a card"),
                "next-cannot": gettext_noop("the next player cannot add a card"),
            },
        ),
    ]
    shedding: Annotated[
        Literal["sequence", "rising", "tricks", "domino", "thirty-one"],
        Words(
            gettext_noop("How the cards are played"),
            _PLAYING_OUT,
            help=gettext_noop("The page of the rules describes each way."),
            values={
                "sequence": gettext_noop("in sequence"),
                "rising": gettext_noop("each player a higher card"),
                "tricks": gettext_noop("in tricks"),
                "domino": gettext_noop("as dominoes"),
                "thirty-one": gettext_noop("to thirty-one"),
            },
        ),
    ]
    centre_to_winner: Annotated[
        bool, Words(gettext_noop("Whoever goes out first takes Pinke"), _PLAYING_OUT)
    ]
    run_bonus: Annotated[
        int,
        Meta(ge=0, le=100),
        Words(
            gettext_noop("Chips for the last card of a run"),
            _PLAYING_OUT,
            help=gettext_noop("From each other player; 0 means none."),
        ),
    ]
    short_seats: Annotated[
        Literal["refuse", "retire"],
        Words(
            gettext_noop("A player who cannot ante"),
            _NIGHT,
            help=gettext_noop("Whoever sits out can buy in before any later deal."),
            values={
                "refuse": gettext_noop("stops the deal"),
                "retire": gettext_noop("sits out, and the deal continues"),
            },
        ),
    ] = "refuse"
    out_when_broke: Annotated[bool, Words(gettext_noop("Without chips, a player is out"), _NIGHT)]
    deals: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | Literal["open", "round", "until-short"],
        Words(
            gettext_noop("Number of deals"),
            _NIGHT,
            values={
                "open": gettext_noop("as many as you like"),
                "round": gettext_noop("one for each player"),
                "until-short": gettext_noop("until somebody cannot ante"),
            },
        ),
    ]
    last_deal_to: Annotated[
        Literal["none", "poch", "pinke"],
        Words(
            gettext_noop("On the last deal, unclaimed chips go to"),
            _NIGHT,
            help=gettext_noop("Only for nights with a fixed number of deals."),
            values={
                "none": gettext_noop("nobody: they stay"),
                "poch": POOL_NAMES["poch"],
                "pinke": POOL_NAMES["pinke"],
            },
        ),
    ] = "none"
    leftover: Annotated[
        Literal["bank", "split"],
        Words(
            gettext_noop("Who gets the chips left at the end"),
            _NIGHT,
            values={
                "bank": gettext_noop("the bank"),
                "split": gettext_noop("the players, in equal shares"),
            },
        ),
    ]
    direction: Annotated[
        Literal["clockwise", "anticlockwise"],
        Words(
            gettext_noop("Direction of play"),
            _NIGHT,
            values={
                "clockwise": gettext_noop("clockwise"),
                "anticlockwise": gettext_noop("anticlockwise"),
            },
        ),
    ]

    @property
    def ante_due(self) -> int:
        """What a live seat pays at a deal where the seats ante."""
        return self.ante * len(self.ante_pools)

    @property
    def meld_pools(self) -> tuple[str, ...]:
        """The pools of this ruleset that are won by showing cards."""
        return tuple(pool for pool in self.pools if pool in MELD_POOLS)

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
    def fixed_trump(self) -> str | None:
        """The suit that is trump in every deal, C D H or S; None if a card is turned up."""
        return None if self.trump == "turned" else self.trump[0].upper()

    def trump_suit(self, turned: str | None) -> str | None:
        """The trump suit, given the card turned up; None while that is not known."""
        return turned[1] if turned else self.fixed_trump

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, without the ruleset's own name, ready for JSON and TOML."""
        values = msgspec.to_builtins(self)
        del values["name"]
        return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}


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
