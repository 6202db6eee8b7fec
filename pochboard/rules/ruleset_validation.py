"""Which values of the parameters can be played together (RULES.md 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.pools import MIN_RUN, RUN
from pochboard.rules.ruleset import LEAST_LIVE, PARAMETERS, REQUIRED, TYPES, Ruleset
from pochboard.text.allowed_values import cut_off, followed, quoted, why_refused
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.unicode_names import is_name, sight


class BadParameterError(ConfigError):
    """A parameter that is unknown, out of range, or cannot be played with the others."""

    def __init__(self, key: str, reason: LazyText) -> None:
        """`reason` is one or more whole sentences, which name the parameter."""
        super().__init__(reason)
        self.key = key
        self.reason = reason


def override(base: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """The ruleset with single parameters changed. Raises BadParameterError."""
    options = _with_full_names(options)
    _check_known(options)
    values = {key: _checked(key, value) for key, value in options.items()}
    changed = msgspec.structs.replace(base, **values)
    check_playable(changed)
    _check_winnable(changed)
    return changed


def complete(name: str, values: Mapping[str, Any]) -> Ruleset:
    """A ruleset from all its parameters. Raises BadParameterError."""
    _check_known(values)
    for key in REQUIRED:
        if key not in values:
            raise BadParameterError(
                key,
                lazy_gettext(
                    '"{key}" is missing. Give every parameter, or name a "base" to start from.',
                    key=key,
                ),
            )
    ruleset = Ruleset(name=name, **{key: _checked(key, value) for key, value in values.items()})
    check_playable(ruleset)
    _check_winnable(ruleset)
    return ruleset


_TO_POCH: Final = "last_deal_to_poch"
"""May be given instead of `last_deal_to` (RULES.md 2)."""


def _with_full_names(options: Mapping[str, Any]) -> Mapping[str, Any]:
    if _TO_POCH not in options:
        return options
    to_poch = options[_TO_POCH]
    if not isinstance(to_poch, bool):
        raise BadParameterError(_TO_POCH, why_refused(bool, to_poch, _TO_POCH))
    if "last_deal_to" in options:
        reason = lazy_gettext(
            '"{key}" and "{other}" mean the same. Give only one of them.',
            key=_TO_POCH,
            other="last_deal_to",
        )
        raise BadParameterError(_TO_POCH, reason)
    others = {key: value for key, value in options.items() if key != _TO_POCH}
    return {**others, "last_deal_to": "poch" if to_poch else "none"}


def _check_known(values: Mapping[str, Any]) -> None:
    for key in values:
        if key in PARAMETERS:
            continue
        raise BadParameterError(
            key,
            followed(
                lazy_gettext('"{key}" is not a parameter.', key=cut_off(key)),
                lazy_gettext("The parameters are {parameters}.", parameters=", ".join(PARAMETERS)),
            ),
        )


def _checked(key: str, value: Any) -> Any:
    try:
        return msgspec.convert(value, TYPES[key])
    except msgspec.ValidationError:
        raise BadParameterError(key, why_refused(TYPES[key], value, key)) from None


def check_playable(rules: Ruleset) -> None:
    """Raises BadParameterError for a combination that cannot be played (RULES.md 2)."""
    for validate in _VALIDATIONS:
        for key, reason in validate(rules):
            raise BadParameterError(key, reason)


MOST_OF_POOL_NAME: Final = 20
_Faults = Iterator[tuple[str, LazyText]]
"""Parameters that are wrong, each with the reason."""


def _players_in_order(rules: Ruleset) -> _Faults:
    least, most = rules.players
    if least > most:
        reason = lazy_gettext(
            '"players" cannot be at least {least} and at most {most}. The smaller number comes'
            " first.",
            least=least,
            most=most,
        )
        yield "players", reason


def _pools_named(rules: Ruleset) -> _Faults:
    """Lists of pools name some, none twice, and in the order of the board."""
    for key, pools in (("pools", rules.pools), ("ante_pools", rules.ante_pools)):
        twice = next((pool for pool in pools if pools.count(pool) > 1), None)
        if not pools:
            yield key, lazy_gettext('"{key}" must name at least one pool.', key=key)
        if twice is not None:
            reason = lazy_gettext(
                '"{key}" names the pool "{pool_name}" twice.', key=key, pool_name=twice
            )
            yield key, reason
        if list(pools) != [pool for pool in POOLS if pool in pools]:
            reason = lazy_gettext(
                '"{key}" must follow the order of the board: {pools}.',
                key=key,
                pools=", ".join(POOLS),
            )
            yield key, reason


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
            reason = lazy_gettext(
                '"{key}" needs the pool "{pool_name}", which is not among the "pools".',
                key=key,
                pool_name=pool,
            )
            yield key, reason


def _pools_meant(rules: Ruleset) -> _Faults:
    """The cards of each pool can be held, and people can tell the pools apart."""
    for name in [name for meant in rules.pool for name in meant.names]:
        if len(name) > MOST_OF_POOL_NAME or name != name.strip() or not is_name(name):
            reason = lazy_gettext(
                '"{key}" must be 1 to {most} characters that people can see, without blanks around'
                " them, not {given}.",
                key="pool.name",
                most=MOST_OF_POOL_NAME,
                given=quoted(name),
            )
            yield "pool", reason
    played = [meant for meant in rules.pool if meant.at in rules.pools]
    for meant in played:
        centre = "pinke" if rules.centre_to_winner else ""
        by_playing = meant.at in (*rules.won_by_betting, rules.last_deal_to, centre)
        if by_playing and (meant.cards or meant.least > LEAST_LIVE):
            reason = lazy_gettext(
                '"pool": "{pool_name}" cannot have "{key}", because bets or the last card win it'
                " with any number of players.",
                pool_name=meant.at,
                key="cards" if meant.cards else "from",
            )
            yield "pool", reason
        yield from _cards_meant(meant.at, meant.cards or (), rules)
    places = [meant.at for meant in rules.pool]
    for place in places:
        if places.count(place) > 1:
            yield "pool", lazy_gettext('"pool" says twice what "{place}" means.', place=place)
    english = [sight(rules.pool_name(pool)) for pool in rules.pools]
    german = [sight(meant.names[-1]) for meant in played if meant.names]
    for names in (english, german):
        for name in names:
            if names.count(name) > 1:
                yield "pool", lazy_gettext('"pool" calls two pools "{name}".', name=name)


def _cards_meant(pool: str, cards: tuple[str, ...], rules: Ruleset) -> _Faults:
    deck = min(rules.deck_for(live) for live in range(LEAST_LIVE, rules.players[1] + 1))
    ranks = RANKS[-deck // len(SUITS) :]
    for card in cards:
        if card[0] not in ranks or cards.count(card) > 1:
            reason = lazy_gettext(
                '"pool": "{pool_name}" cannot need {card}, which is named twice or not in every'
                " pack.",
                pool_name=pool,
                card=card,
            )
            yield "pool", reason
    in_order = "".join(sorted([card[0] for card in cards], key=RANKS.index))
    one_suit = len({card[1] for card in cards}) == 1
    if pool == RUN and cards and (len(cards) < MIN_RUN or in_order not in RANKS or not one_suit):
        reason = lazy_gettext(
            '"pool": "sequence" needs three or more cards of one suit in a row, so that the'
            " referee can decide it."
        )
        yield "pool", reason


def _cards_dealt(rules: Ruleset) -> _Faults:
    """Cards are dealt, and the one that sets the trump suit is left to be turned up."""
    if not rules.packets:
        reason = lazy_gettext('"packets" must not be empty. With [1], one card is dealt at a time.')
        yield "packets", reason
    if not rules.turns_a_card and rules.hand == "all-but-one":
        reason = lazy_gettext(
            '"trump" must be "turned" with hand = "all-but-one". With a fixed suit, use'
            ' hand = "all".'
        )
        yield "trump", reason
    turned = rules.turns_a_card and not rules.turned_is_held
    if rules.turned_card == "dealer" and not turned:
        reason = lazy_gettext(
            '"turned_card" cannot be "dealer" with hand = {hand} and trump = "{trump}", because no'
            " card is turned up that nobody holds.",
            hand=rules.hand,
            trump=rules.trump,
        )
        yield "turned_card", reason
    for live in range(LEAST_LIVE, rules.players[1] + 1):
        deck, cards = rules.deck_for(live), sum(rules.hand_sizes(live)) + turned
        if cards > deck:
            reason = lazy_gettext(
                '"hand" is too large: {live} players need {cards} cards of a deck of {deck}.',
                live=live,
                cards=cards,
                deck=deck,
            )
            yield "hand", reason


_VALIDATIONS: Final = (_players_in_order, _pools_named, _pools_played, _pools_meant, _cards_dealt)
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
    pools = {pool for pool in rules.meld_pools if largest >= rules.cards_shown(pool)}
    if _may_stake(rules) and (_can_hold_set(rules) or rules.high_card or not rules.prove_set):
        pools.update(rules.won_by_betting)
    if rules.centre_to_winner:
        pools.add("pinke")
    return frozenset(pools)


def _largest_hand(rules: Ruleset) -> int:
    return max(rules.hand_sizes(LEAST_LIVE))


def _can_hold_set(rules: Ruleset) -> bool:
    return _largest_hand(rules) > 1


def _may_stake(rules: Ruleset) -> bool:
    return _can_hold_set(rules) or not rules.bet_needs_set


def _check_winnable(rules: Ruleset) -> None:
    """Raises BadParameterError for a pool that the rules fill and nobody can ever win."""
    can_be_won = winnable(rules)
    for pool, filled_by in fillable(rules).items():
        if pool not in can_be_won:
            raise _never_won_error(rules, pool, filled_by)


def _never_won_error(rules: Ruleset, pool: str, filled_by: str) -> BadParameterError:
    if pool in rules.meld_pools:
        reason = lazy_gettext(
            'Nobody can win the pool "{pool_name}" with hand = {hand}, because it takes {cards}'
            ' cards of one hand. Deal at least {cards}, or remove the pool from "ante_pools".',
            pool_name=pool,
            hand=rules.hand,
            cards=rules.cards_shown(pool),
        )
        return BadParameterError("hand", reason)
    if any(meant.at == pool and meant.cards == () for meant in rules.pool):
        reason = lazy_gettext(
            'Nobody can win the pool "{pool_name}", because no cards win it. Give it cards, or'
            ' remove it from "{filled_by}".',
            pool_name=pool,
            filled_by=filled_by,
        )
        return BadParameterError("pool", reason)
    if pool in rules.won_by_betting:
        needed = "bet_needs_set" if rules.bet_needs_set else "prove_set"
        reason = lazy_gettext(
            "Nobody can win the betting with hand = 1 and {key} = true, because a set takes two"
            ' cards. Deal at least 2, or set "{key}" to false.',
            key=needed,
        )
        return BadParameterError(needed, reason)
    key = "bet_pool_takes_poch" if pool == "poch" else "centre_to_winner"
    reason = lazy_gettext(
        'Nobody can win the pool "{pool_name}", into which "{filled_by}" puts chips: they would'
        ' stay there for ever. Set "{key}" to true, set "bet_pool" to "{pool_name}", or change'
        ' "{filled_by}".',
        pool_name=pool,
        filled_by=filled_by,
        key=key,
    )
    return BadParameterError(key, reason)
