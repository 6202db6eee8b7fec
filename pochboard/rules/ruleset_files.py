"""Rulesets in TOML files: what may be played together (RULES.md 2), and those of the package."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import (
    LEAST_LIVE,
    MIN_RUN,
    PARAMETERS,
    REQUIRED,
    RUN,
    TYPES,
    PoolMeaning,
    Ruleset,
)
from pochboard.text.allowed_values import cut_off, not_one_of, quoted, why_refused
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import given_text
from pochboard.text.translator import N_
from pochboard.text.unicode_names import MOST_CHARACTERS, is_name, sight, tidy

HOUSE_SOURCE: Final = N_("the rules of this house")
"""The source of changed rules, if nobody names another."""
USUAL: Final = "family"
"""The ruleset of a night for which nobody has chosen one: boards are sold with it."""
MOST_OF_POOL_NAME: Final = 20


class BadParameterError(ConfigError):
    """A parameter that is unknown, out of range, or cannot be played with the others."""

    def __init__(self, key: str, reason: str, /, **values: object) -> None:
        """`reason` is whole sentences that name the parameter, a literal or a `LazyText`."""
        if not isinstance(reason, LazyText):
            reason = lazy_gettext(reason, key=key, **values)
        super().__init__(reason)
        self.key = key
        self.reason = reason


def override(base: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """The ruleset with single parameters changed. Raises BadParameterError."""
    changed = msgspec.structs.replace(base, **_converted(_with_full_name(options)))
    check_playable(changed)
    return changed


_TO_POCH: Final = "last_deal_to_poch"


def _with_full_name(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Changes with `last_deal_to`, which may be given as `last_deal_to_poch` (RULES.md 2)."""
    if _TO_POCH not in options:
        return options
    to_poch = options[_TO_POCH]
    if not isinstance(to_poch, bool):
        raise BadParameterError(_TO_POCH, why_refused(bool, to_poch, _TO_POCH))
    if "last_deal_to" in options:
        raise BadParameterError(
            _TO_POCH,
            '"{key}" and "{other}" mean the same. Give only one of them.',
            other="last_deal_to",
        )
    others = {key: value for key, value in options.items() if key != _TO_POCH}
    return {**others, "last_deal_to": "poch" if to_poch else "none"}


def complete(name: str, values: Mapping[str, Any]) -> Ruleset:
    """A ruleset from all its parameters. Raises BadParameterError."""
    converted = _converted(values)
    for key in REQUIRED:
        if key not in values:
            raise BadParameterError(
                key, '"{key}" is missing. Give every parameter, or name a "base" to start from.'
            )
    ruleset = Ruleset(name=name, **converted)
    check_playable(ruleset)
    return ruleset


def _converted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they come from JSON or TOML, with their types."""
    for key in values:
        if key not in PARAMETERS:
            raise BadParameterError(
                key,
                '"{given}" is not a parameter. The parameters are {parameters}.',
                given=cut_off(key),
                parameters=", ".join(PARAMETERS),
            )
    converted = {}
    for key, value in values.items():
        try:
            converted[key] = msgspec.convert(value, TYPES[key])
        except msgspec.ValidationError:
            raise BadParameterError(key, why_refused(TYPES[key], value, key)) from None
    return converted


def check_playable(rules: Ruleset) -> None:
    """Raises BadParameterError for a combination that cannot be played (RULES.md 2)."""
    for validate in _VALIDATIONS:
        for fault in validate(rules):
            raise fault


_Faults = Iterator[BadParameterError]


def _players_in_order(rules: Ruleset) -> _Faults:
    least, most = rules.players
    if least > most:
        yield BadParameterError(
            "players",
            '"players" cannot be at least {least} and at most {most}. The smaller number comes'
            " first.",
            least=least,
            most=most,
        )


def _pools_named(rules: Ruleset) -> _Faults:
    """Lists of pools name some, none twice, and in the order of the board."""
    for key, pools in (("pools", rules.pools), ("ante_pools", rules.ante_pools)):
        twice = next((pool for pool in pools if pools.count(pool) > 1), None)
        if not pools:
            yield BadParameterError(key, '"{key}" must name at least one pool.')
        if twice is not None:
            yield BadParameterError(
                key, '"{key}" names the pool "{pool_name}" twice.', pool_name=twice
            )
        if list(pools) != [pool for pool in POOLS if pool in pools]:
            yield BadParameterError(
                key,
                '"{key}" must follow the order of the board: {pools}.',
                pools=", ".join(POOLS),
            )


def _pools_played(rules: Ruleset) -> _Faults:
    """A parameter may need only pools that are played."""
    needed = (
        *(("ante_pools", pool) for pool in rules.ante_pools),
        ("bet_pool", rules.bet_pool),
        ("last_deal_to", rules.last_deal_to),
        ("centre_to_winner", "pinke" if rules.centre_to_winner else "none"),
    )
    for key, pool in needed:
        if pool not in (*rules.pools, "none"):
            yield BadParameterError(
                key,
                '"{key}" needs the pool "{pool_name}", which is not among the "pools".',
                pool_name=pool,
            )


def _pools_meant(rules: Ruleset) -> _Faults:
    """The cards of each pool can be held, and people can tell the pools apart."""
    for name in [name for meant in rules.pool for name in meant.names]:
        if len(name) > MOST_OF_POOL_NAME or name != name.strip() or not is_name(name):
            yield BadParameterError(
                "pool",
                '"pool.name" must be 1 to {most} visible characters, without blanks'
                " around them, not {given}.",
                most=MOST_OF_POOL_NAME,
                given=quoted(name),
            )
    played = [meant for meant in rules.pool if meant.at in rules.pools]
    centre = "pinke" if rules.centre_to_winner else ""
    for meant in played:
        by_playing = meant.at in (*rules.won_by_betting, rules.last_deal_to, centre)
        if by_playing and (meant.cards or meant.least > LEAST_LIVE):
            yield BadParameterError(
                "pool",
                '"pool": "{pool_name}" cannot have "{field}", because bets or the last card win it'
                " with any number of players.",
                pool_name=meant.at,
                field="cards" if meant.cards else "from",
            )
        yield from _cards_meant(meant, rules)
    places = [meant.at for meant in rules.pool]
    for place in places:
        if places.count(place) > 1:
            yield BadParameterError("pool", '"pool" says twice what "{place}" means.', place=place)
    english = [sight(rules.pool_name(pool)) for pool in rules.pools]
    german = [sight(meant.names[-1]) for meant in played if meant.names]
    for names in (english, german):
        for name in names:
            if names.count(name) > 1:
                yield BadParameterError("pool", '"pool" calls two pools "{name}".', name=name)


def _cards_meant(meant: PoolMeaning, rules: Ruleset) -> _Faults:
    deck = min(rules.deck_for(live) for live in range(LEAST_LIVE, rules.players[1] + 1))
    ranks, cards = RANKS[-deck // len(SUITS) :], meant.cards or ()
    for card in cards:
        if card[0] not in ranks or cards.count(card) > 1:
            yield BadParameterError(
                "pool",
                '"pool": "{pool_name}" cannot need {card}, which is named twice or not in every'
                " pack.",
                pool_name=meant.at,
                card=card,
            )
    in_order = "".join(sorted([card[0] for card in cards], key=RANKS.index))
    one_suit = len({card[1] for card in cards}) == 1
    is_run = len(cards) >= MIN_RUN and in_order in RANKS and one_suit
    if meant.at == RUN and cards and not is_run:
        yield BadParameterError(
            "pool",
            '"pool": "sequence" needs three or more cards of one suit in a row, so that the'
            " referee can decide it.",
        )


def _cards_dealt(rules: Ruleset) -> _Faults:
    """Cards are dealt, and the one that sets the trump suit is left to be turned up."""
    if not rules.packets:
        yield BadParameterError(
            "packets", '"packets" must not be empty. With [1], one card is dealt at a time.'
        )
    if not rules.turns_a_card and rules.hand == "all-but-one":
        yield BadParameterError(
            "trump",
            '"trump" must be "turned" with hand = "all-but-one". With a fixed suit, use'
            ' hand = "all".',
        )
    turned = rules.turns_a_card and not rules.turned_is_held
    if rules.turned_card == "dealer" and not turned:
        yield BadParameterError(
            "turned_card",
            '"turned_card" cannot be "dealer" with hand = {hand} and trump = "{trump}", because no'
            " card is turned up that nobody holds.",
            hand=rules.hand,
            trump=rules.trump,
        )
    for live in range(LEAST_LIVE, rules.players[1] + 1):
        deck, cards = rules.deck_for(live), sum(rules.hand_sizes(live)) + turned
        if cards > deck:
            yield BadParameterError(
                "hand",
                '"hand" is too large: {live} players need {cards} cards of a deck of {deck}.',
                live=live,
                cards=cards,
                deck=deck,
            )


def _pools_won(rules: Ruleset) -> _Faults:
    """Somebody can win each pool that the rules put chips into.

    What is carried over, and a bluff penalty, only add to such pools. `last_deal_to` counts however
    many deals there are: a night may be started with another number.
    """
    largest = max(rules.hand_sizes(LEAST_LIVE))
    holds_set = largest > 1
    may_stake = holds_set or not rules.bet_needs_set
    filled: dict[str, str] = dict.fromkeys(rules.ante_pools, "ante_pools")
    filled.setdefault(rules.last_deal_to, "last_deal_to")
    if may_stake:
        filled.setdefault(rules.bet_pool, "bet_pool")
    won = {"none", *(pool for pool in rules.meld_pools if largest >= rules.cards_shown(pool))}
    if may_stake and (holds_set or rules.high_card or not rules.prove_set):
        won.update(rules.won_by_betting)
    if rules.centre_to_winner:
        won.add("pinke")
    for pool, filled_by in filled.items():
        if pool not in won:
            yield BadParameterError(
                _decides_who_wins(rules, pool),
                'Nobody can win the pool "{pool_name}", into which "{filled_by}" puts chips: they'
                ' would stay there for ever. Change "{key}" or "{filled_by}".',
                pool_name=pool,
                filled_by=filled_by,
            )


def _decides_who_wins(rules: Ruleset, pool: str) -> str:
    """The parameter because of which nobody can win a pool."""
    if pool in rules.meld_pools:
        return "hand"
    if any(meant.at == pool and meant.cards == () for meant in rules.pool):
        return "pool"
    if pool in rules.won_by_betting:
        return "bet_needs_set" if rules.bet_needs_set else "prove_set"
    return "bet_pool_takes_poch" if pool == "poch" else "centre_to_winner"


_VALIDATIONS: Final = (
    _players_in_order,
    _pools_named,
    _pools_played,
    _pools_meant,
    _cards_dealt,
    _pools_won,
)
"""What a ruleset must fulfil, in the order in which it is checked."""


def find_ruleset(known: Mapping[str, Ruleset], name: str) -> Ruleset | None:
    """The ruleset whose name looks like this one."""
    if name in known:
        return known[name]
    seen = sight(name)
    return next((rules for other, rules in known.items() if sight(other) == seen), None)


def read_ruleset(values: dict[str, Any], known: Mapping[str, Ruleset]) -> Ruleset:
    """A ruleset from the values of a TOML file, which may name a known ruleset as its `base`.

    Raises BadParameterError.
    """
    values = dict(values)
    name = values.pop("name", None)
    if not isinstance(name, str) or not name.strip():
        raise BadParameterError("name", '"name" must be given, as in name = "sunday".')
    name = tidy(name)
    if not is_name(name):
        raise BadParameterError(
            "name",
            '"{key}" must be at most {most} visible characters, not {given}.',
            most=MOST_CHARACTERS,
            given=quoted(name),
        )
    if "base" not in values:
        return complete(name, values)
    given = values.pop("base")
    base = find_ruleset(known, given) if isinstance(given, str) else None
    if base is None:
        raise BadParameterError("base", not_one_of('"base"', given, list(known)))
    return msgspec.structs.replace(override(base, values), name=name)


def as_toml(values: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the TOML file with these values."""
    for key, value in values.items():
        yield f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(as_toml(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON strings, numbers and booleans are valid TOML.
    return json.dumps(value, ensure_ascii=False)


class ShippedRuleset(msgspec.Struct, frozen=True):
    """A file of `pochboard/rulesets`: beside the parameters it has what people are told."""

    rules: Ruleset
    base: str | None
    """The shipped ruleset of which it changes a few parameters."""
    title: LazyText
    """What people call it."""
    source: LazyText
    """Where it comes from."""


@cache
def shipped() -> Mapping[str, ShippedRuleset]:
    """The rulesets that come with the package by name, in their `order`."""
    folder = resources.files("pochboard") / "rulesets"
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    found: dict[str, ShippedRuleset] = {}
    known: dict[str, Ruleset] = {}
    every = [tomllib.loads(file.read_text("utf-8")) for file in files]
    for values in sorted(every, key=lambda values: values.pop("order")):
        title, source = given_text(values.pop("title")), given_text(values["source"])
        base = values.get("base")
        rules = read_ruleset({**values, "source": str(source)}, known)
        known[rules.name] = rules
        found[rules.name] = ShippedRuleset(rules, base, title, source)
    return found


@cache
def shipped_rulesets() -> Mapping[str, Ruleset]:
    """The rulesets that come with the package, by name."""
    return {name: found.rules for name, found in shipped().items()}


def lazy_ruleset(name: str) -> str:
    """What people call a ruleset; one of the house keeps its name."""
    found = shipped().get(name)
    return found.title if found else name


def lazy_source(source: str) -> str:
    """Where a ruleset comes from; what people have written themselves stays as it is."""
    if source == HOUSE_SOURCE:
        return LazyText(HOUSE_SOURCE)
    given = (found.source for found in shipped().values() if found.source == source)
    return next(given, source)


def nearest_preset(rules: Ruleset) -> Ruleset:
    """The shipped ruleset with the fewest other parameters; of several, the first."""
    mine = rules.parameters()

    def distance(other: Ruleset) -> int:
        return sum(mine[key] != value for key, value in other.parameters().items())

    return min(shipped_rulesets().values(), key=distance)
