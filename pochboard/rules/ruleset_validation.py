"""Which values of the parameters can be played together (RULES.md 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from pochboard.errors import ConfigError
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.rules.ruleset import LEAST_LIVE, PARAMETERS, REQUIRED, TYPES, Ruleset
from pochboard.text.allowed_values import cut_off, followed, why_refused
from pochboard.text.lazy import LazyText, lazy_gettext


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
        pools.update(rules.won_by_betting)
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


def _check_winnable(rules: Ruleset) -> None:
    """Raises BadParameterError for a pool that the rules fill and nobody can ever win."""
    can_be_won = winnable(rules)
    for pool, filled_by in fillable(rules).items():
        if pool not in can_be_won:
            raise _never_won_error(rules, pool, filled_by)


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
    if pool in rules.won_by_betting:
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
