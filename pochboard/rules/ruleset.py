"""Rulesets are data: the parameters of RULES.md 2, their ranges, and what cannot be played."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import cycle
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec
from msgspec import Meta

from pochboard.errors import ConfigError
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.text.allowed_values import cut_off, not_one_of, quoted, suggest, why_refused
from pochboard.text.decoding import decode_toml
from pochboard.text.lazy import LazyText, gettext_noop, lazy_gettext, toml_reason
from pochboard.text.names import POOL_NAMES
from pochboard.text.visible import MOST_CHARACTERS, is_name, sight, tidy

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


class Ruleset(msgspec.Struct, frozen=True, kw_only=True):
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
    def pays_poch_too(self) -> bool:
        """Whether the chips in `poch` are paid out together with the bet pool `pinke`."""
        return self.bet_pool == "pinke" and self.bet_pool_takes_poch

    def deck_for(self, live: int) -> int:
        """The size of the deck with this many live seats."""
        if self.deck == "auto":
            return 32 if live <= 4 else 52
        return self.deck

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


_TYPES: Final = {
    key: kind
    for key, kind in get_type_hints(Ruleset, include_extras=True).items()
    if key in Ruleset.__struct_fields__
}
PARAMETERS: Final = tuple(key for key in Ruleset.__struct_fields__ if key != "name")
"""The names of all parameters, in the order of RULES.md 2."""
_REQUIRED: Final = tuple(
    field.name
    for field in msgspec.structs.fields(Ruleset)
    if field.required and field.name != "name"
)
"""Those without a default. A new parameter needs a default, because older files lack it."""


class BadParameterError(ConfigError):
    """A parameter that is unknown, out of range, or cannot be played with the others."""

    def __init__(self, key: str, reason: LazyText) -> None:
        """`reason` is one or more whole sentences, which name the parameter."""
        super().__init__(reason)
        self.key = key
        self.reason = reason


def override(base: Ruleset, options: Mapping[str, Any], *, already_played: bool = False) -> Ruleset:
    """The ruleset with single parameters changed. Raises BadParameterError.

    A night that was `already_played` may have a pool that nothing wins: earlier versions did not
    refuse that.
    """
    options = with_new_names(options)
    _refuse_unknown(options)
    values = {key: _checked(key, value) for key, value in options.items()}
    changed = msgspec.structs.replace(base, **values)
    refuse_unplayable(changed)
    if not already_played:
        _refuse_unwinnable(changed)
    return changed


def complete(name: str, values: Mapping[str, Any]) -> Ruleset:
    """A ruleset from all its parameters. Raises BadParameterError."""
    values = with_new_names(values)
    _refuse_unknown(values)
    for key in _REQUIRED:
        if key not in values:
            raise BadParameterError(
                key,
                lazy_gettext(
                    '"{key}" is missing. Give every parameter, or name a "base" to start from.',
                    key=key,
                ),
            )
    ruleset = Ruleset(name=name, **{key: _checked(key, value) for key, value in values.items()})
    refuse_unplayable(ruleset)
    _refuse_unwinnable(ruleset)
    return ruleset


RENAMED: Final = "last_deal_to_poch"
"""The older name of `last_deal_to` in files and nights (RULES.md 2)."""


def with_new_names(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters, with `RENAMED` as `last_deal_to`. Raises BadParameterError."""
    old = RENAMED
    if old not in values:
        return values
    if not isinstance(values[old], bool):
        raise BadParameterError(old, why_refused(bool, values[old], old))
    # The API lists both names, so a client may send both back. There false only means "not Poch".
    if "last_deal_to" in values and values[old] != (values["last_deal_to"] == "poch"):
        raise _disagreement()
    others = {key: value for key, value in values.items() if key != old}
    return {**others, "last_deal_to": others.get("last_deal_to", "poch" if values[old] else "none")}


def _refuse_disagreement(values: Mapping[str, Any]) -> None:
    """In a file, false means `none`."""
    old, new = values.get(RENAMED), values.get("last_deal_to")
    if old is False and new not in (None, "none"):
        raise _disagreement()


def _disagreement() -> BadParameterError:
    reason = lazy_gettext(
        '"{old}" is the older name of "{new}". Give only one of them.',
        old=RENAMED,
        new="last_deal_to",
    )
    return BadParameterError(RENAMED, reason)


def with_older_names(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters and `RENAMED`, for clients that know only the older name."""
    return {**parameters, RENAMED: parameters["last_deal_to"] == "poch"}


def _refuse_unknown(values: Mapping[str, Any]) -> None:
    for key in values:
        if key in PARAMETERS:
            continue
        raise BadParameterError(
            key,
            suggest(
                lazy_gettext('"{key}" is not a parameter.', key=cut_off(key)),
                key,
                PARAMETERS,
                lazy_gettext("The parameters are {parameters}.", parameters=", ".join(PARAMETERS)),
            ),
        )


def _checked(key: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, _TYPES[key])
    except msgspec.ValidationError:
        raise BadParameterError(key, why_refused(_TYPES[key], value, key)) from None


def refuse_unplayable(rules: Ruleset) -> None:
    """Refuses the combinations that cannot be played (RULES.md 2). Raises BadParameterError."""
    for validate in _VALIDATIONS:
        error = validate(rules)
        if error is not None:
            raise error


def _players_in_order(rules: Ruleset) -> BadParameterError | None:
    least, most = rules.players
    if least <= most:
        return None
    return BadParameterError(
        "players",
        lazy_gettext(
            '"players" cannot be at least {least} and at most {most}. The smaller number comes'
            " first.",
            least=least,
            most=most,
        ),
    )


def _pools_named(rules: Ruleset) -> BadParameterError | None:
    return _wrong_pools("pools", rules.pools) or _wrong_pools("ante_pools", rules.ante_pools)


def _wrong_pools(key: str, pools: tuple[str, ...]) -> BadParameterError | None:
    """The error of a list of pools that is empty, names one twice, or has another order."""
    twice = next((pool for pool in pools if pools.count(pool) > 1), None)
    if not pools:
        reason = lazy_gettext('"{key}" must name at least one pool.', key=key)
    elif twice is not None:
        reason = lazy_gettext(
            '"{key}" names the pool "{pool_name}" twice.', key=key, pool_name=twice
        )
    elif list(pools) != [pool for pool in POOLS if pool in pools]:
        reason = lazy_gettext(
            '"{key}" must follow the order of the board: {pools}.', key=key, pools=", ".join(POOLS)
        )
    else:
        return None
    return BadParameterError(key, reason)


def _pools_played(rules: Ruleset) -> BadParameterError | None:
    """A parameter may need only pools that are played."""
    needed = (
        *(("ante_pools", pool) for pool in rules.ante_pools),
        ("bet_pool", rules.bet_pool),
        ("last_deal_to", rules.last_deal_to),
        ("centre_to_winner", "pinke" if rules.centre_to_winner else "none"),
    )
    for key, pool in needed:
        if pool not in (*rules.pools, "none"):
            return BadParameterError(
                key,
                lazy_gettext(
                    '"{key}" needs the pool "{pool_name}", which is not among the "pools".',
                    key=key,
                    pool_name=pool,
                ),
            )
    return None


def _packets_given(rules: Ruleset) -> BadParameterError | None:
    if rules.packets:
        return None
    return BadParameterError(
        "packets",
        lazy_gettext('"packets" must not be empty. With [1], one card is dealt at a time.'),
    )


def _card_left_to_turn(rules: Ruleset) -> BadParameterError | None:
    if rules.turns_a_card or rules.hand != "all-but-one":
        return None
    return BadParameterError(
        "trump",
        lazy_gettext(
            '"trump" must be "turned" with hand = "all-but-one". With a fixed suit, use'
            ' hand = "all".'
        ),
    )


def _dealer_wins_a_turned_card(rules: Ruleset) -> BadParameterError | None:
    if rules.turned_card != "dealer":
        return None
    if not rules.turns_a_card:
        return BadParameterError(
            "turned_card",
            lazy_gettext(
                '"turned_card" cannot be "dealer" with trump = "{trump}", because no card is'
                " turned up.",
                trump=rules.trump,
            ),
        )
    if rules.turned_is_held:
        return BadParameterError(
            "turned_card",
            lazy_gettext(
                '"turned_card" cannot be "dealer" with hand = "all", because whoever holds the'
                " card claims its pool."
            ),
        )
    return None


def _hands_fit_the_deck(rules: Ruleset) -> BadParameterError | None:
    turned = rules.turns_a_card and not rules.turned_is_held
    for live in range(LEAST_LIVE, rules.players[1] + 1):
        deck = rules.deck_for(live)
        if sum(rules.hand_sizes(live)) + turned > deck:
            return BadParameterError("hand", _too_large(live, rules.hand, deck, turned=turned))
    return None


_VALIDATIONS: Final[tuple[Callable[[Ruleset], BadParameterError | None], ...]] = (
    _players_in_order,
    _pools_named,
    _pools_played,
    _packets_given,
    _card_left_to_turn,
    _dealer_wins_a_turned_card,
    _hands_fit_the_deck,
)
"""What a ruleset must fulfil to be played at all, in the order in which it is checked."""


# Pools that nothing wins (RULES.md 2).


def fillable(rules: Ruleset) -> dict[str, str]:
    """The pools that the rules put chips into, each with a parameter that says so.

    What is carried over, and a bluff penalty, only add to such pools. `last_deal_to` counts however
    many deals there are: a night may be started with another number.
    """
    pools: dict[str, str] = dict.fromkeys(rules.ante_pools, "ante_pools")
    if rules.last_deal_to != "none":
        pools.setdefault(rules.last_deal_to, "last_deal_to")
    if _may_stake(rules):
        pools.setdefault(rules.bet_pool, "bet_pool")
    return pools


def winnable(rules: Ruleset) -> frozenset[str]:
    """The pools that somebody can win: by cards, in the betting, or by going out first."""
    largest = _largest_hand(rules)
    pools = {pool for pool in MELD_POOLS if largest >= CARDS_SHOWN.get(pool, 1)}
    if _may_stake(rules) and (_can_hold_set(rules) or rules.high_card or not rules.prove_set):
        pools.add(rules.bet_pool)
        if rules.pays_poch_too:
            pools.add("poch")
    if rules.centre_to_winner:
        pools.add("pinke")
    return frozenset(pools)


CARDS_SHOWN: Final[Mapping[str, int]] = {"marriage": 2, "sequence": 3}
"""How many cards of one hand win a pool; all others are won by a single card."""


def _largest_hand(rules: Ruleset) -> int:
    return max(rules.hand_sizes(LEAST_LIVE))


def _can_hold_set(rules: Ruleset) -> bool:
    return _largest_hand(rules) > 1


def _may_stake(rules: Ruleset) -> bool:
    return _can_hold_set(rules) or not rules.bet_needs_set


def never_won(rules: Ruleset) -> BadParameterError | None:
    """The error of a pool that the rules fill and nobody can ever win, if there is one."""
    can_be_won = winnable(rules)
    for pool, filled_by in fillable(rules).items():
        if pool not in can_be_won:
            return _never_won_error(rules, pool, filled_by)
    return None


def _refuse_unwinnable(rules: Ruleset) -> None:
    error = never_won(rules)
    if error is not None:
        raise error


def _never_won_error(rules: Ruleset, pool: str, filled_by: str) -> BadParameterError:
    if pool in MELD_POOLS:
        reason = lazy_gettext(
            'Nobody can win the pool "{pool_name}" with hand = {hand}, because it takes {cards}'
            ' cards of one hand. Deal at least {cards}, or remove the pool from "ante_pools".',
            pool_name=pool,
            hand=rules.hand,
            cards=CARDS_SHOWN[pool],
        )
        return BadParameterError("hand", reason)
    if pool == rules.bet_pool or (pool == "poch" and rules.pays_poch_too):
        needed = "bet_needs_set" if rules.bet_needs_set else "prove_set"
        reason = lazy_gettext(
            "Nobody can win the betting with hand = 1 and {key} = true, because a set takes two"
            ' cards. Deal at least 2, or set "{key}" to false.',
            key=needed,
        )
        return BadParameterError(needed, reason)
    if pool == "poch":
        reason = lazy_gettext(
            'Nobody can win the pool "poch", into which "{filled_by}" puts chips: with'
            ' bet_pool = "pinke" and bet_pool_takes_poch = false they would stay there for ever.'
            ' Set "bet_pool_takes_poch" to true, set "bet_pool" to "poch", or change'
            ' "{filled_by}".',
            filled_by=filled_by,
        )
        return BadParameterError("bet_pool_takes_poch", reason)
    reason = lazy_gettext(
        'Nobody can win the pool "pinke", into which "{filled_by}" puts chips: with'
        ' bet_pool = "poch" and centre_to_winner = false they would stay there for ever. Set'
        ' "centre_to_winner" to true, set "bet_pool" to "pinke", or change "{filled_by}".',
        filled_by=filled_by,
    )
    return BadParameterError("centre_to_winner", reason)


def _too_large(live: int, hand: object, deck: int, *, turned: bool) -> LazyText:
    if turned:
        return lazy_gettext(
            '"hand" is too large: {live} hands of {hand} cards and the turned card do not fit a'
            " deck of {deck}.",
            live=live,
            hand=hand,
            deck=deck,
        )
    return lazy_gettext(
        '"hand" is too large: {live} hands of {hand} cards do not fit a deck of {deck}.',
        live=live,
        hand=hand,
        deck=deck,
    )


def find_ruleset(known: Mapping[str, Ruleset], name: str) -> Ruleset | None:
    """The ruleset whose name looks like this one."""
    if name in known:
        return known[name]
    seen = sight(name)
    return next((rules for other, rules in known.items() if sight(other) == seen), None)


def parse_ruleset(text: str, known: Mapping[str, Ruleset]) -> Ruleset:
    """A ruleset from the text of a TOML file, which may name a known ruleset as its `base`.

    Raises ConfigError with the key and the reason.
    """
    try:
        values = decode_toml(text)
    except ValueError as error:
        raise ConfigError(
            lazy_gettext("This is not TOML: {reason}", reason=toml_reason(error))
        ) from None
    name = values.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise BadParameterError(
            "name", lazy_gettext('"name" must be given, as in name = "sunday".')
        )
    name = tidy(name)
    if not is_name(name):
        raise BadParameterError(
            "name",
            lazy_gettext(
                '"name" must be at most {most} characters that people can see, not {given}.',
                most=MOST_CHARACTERS,
                given=quoted(name),
            ),
        )
    _refuse_disagreement(values)
    if "base" not in values:
        return complete(name, values)
    given = values.pop("base")
    base = find_ruleset(known, given) if isinstance(given, str) else None
    if base is None:
        raise BadParameterError("base", not_one_of('"base"', given, list(known)))
    return msgspec.structs.replace(override(base, values), name=name)


SHIPPED: Final = (
    "modern",
    "banker",
    "alvensleben-1853",
    "thirty-one",
    "meyer-1908",
    "philos",
    "pierer-1844",
    "family",
    "pagat",
)


USUAL: Final = SHIPPED[0]
"""The ruleset of a night for which nobody has chosen one."""


@cache
def shipped_rulesets() -> Mapping[str, Ruleset]:
    """The rulesets that come with the package, by name."""
    known: dict[str, Ruleset] = {}
    for name in SHIPPED:
        known[name] = parse_ruleset(_shipped_text(name), known)
    return known


@cache
def shipped_bases() -> Mapping[str, str]:
    """The shipped rulesets that change a few parameters of another one, and that one."""
    files = {name: tomllib.loads(_shipped_text(name)) for name in SHIPPED}
    return {name: values["base"] for name, values in files.items() if "base" in values}


def nearest_preset(rules: Ruleset) -> Ruleset:
    """The shipped ruleset with the fewest other parameters; of several, the first."""
    mine = rules.parameters()

    def distance(other: Ruleset) -> int:
        return sum(mine[key] != value for key, value in other.parameters().items())

    return min(shipped_rulesets().values(), key=distance)


def _shipped_text(name: str) -> str:
    return (resources.files("pochboard.rules") / "rulesets" / f"{name}.toml").read_text("utf-8")
