"""Random nights for bots: starts that vary every parameter, and strategies."""

from __future__ import annotations

import os
from random import Random
from typing import Any, Final

from pochboard.bots.betting import STRATEGIES, Strategy
from pochboard.bots.bot_table import BotTable
from pochboard.rules.commands import Start, parse_command
from pochboard.rules.ruleset_files import BadParameterError, override, shipped_rulesets
from tests.core.play import MELD, NAMES, NINE, OF_UNWINNABLE, RULESETS

NIGHTS: Final = int(os.environ.get("POCHBOARD_NIGHTS", "200"))
"""How many random nights are played."""

TABLE: Final[dict[str, tuple[Any, ...]]] = {
    "players": ((2, 3), (2, 4), (2, 6), (3, 8), (2, 8)),
    "deck": (32, 36, 40, 52, "auto"),
    "hand": ("all-but-one", "all", "all", *range(1, 11)),
    "packets": ((1,), (3, 2), (2,), (1, 4, 10)),
    "trump": ("turned", "turned", "clubs", "diamonds", "hearts", "spades"),
    "stack": (1, 2, 3, 5, 9, 10, 17, 30, 50, 200, 10_000),
    "ante_from": ("seats", "bank", "banker"),
    "ante": (1, 1, 2, 5, 100),
    "sequence": ("trump-789", "best-run-trump-first", "best-run-height-first", "longest-run"),
    "bet_pool_takes_poch": (False, True),
    "bet_needs_set": (False, True),
    "high_card": (False, True),
    "tie_break": ("trump", "side-cards", "suits", "split"),
    "prove_set": (False, True),
    "all_in": (False, True),
    "raises": ("free", "none", "capped"),
    "bluff_penalty": (0, 1, 2, 10),
    "turned_card": ("nobody", "dealer"),
    "leader": ("poch-winner", "forehand"),
    "run_ends": ("nobody-can", "next-cannot"),
    "shedding": ("sequence", "rising", "tricks", "domino", "thirty-one"),
    "run_bonus": (0, 1, 3, 100),
    "short_seats": ("refuse", "retire"),
    "out_when_broke": (False, True),
    "deals": ("open", "round", "until-short", 1, 2, 3, 7, 12),
    "leftover": ("bank", "split"),
    "first_dealer": ("chosen", "lowest-card", "first-ace"),
    "won_by": ("most-won", "most-chips", "last-with-chips"),
    "direction": ("clockwise", "anticlockwise"),
}
"""Values of the parameters of RULES.md 2 that go with any others, or with almost any."""

OF_POOLS: Final = (
    "pools", "pool", "ante_pools", "bet_pool", "last_deal_to", "centre_to_winner"
)  # fmt: skip
"""Parameters that only certain pools allow."""


def any_start(chance: Random) -> dict[str, Any]:
    """A start that can be played: a shipped ruleset with some options, sometimes all of them."""
    while True:
        name = chance.choice(RULESETS)
        share = chance.choice((0.0, 0.2, 0.5, 1.0))
        options = {
            key: chance.choice(values) for key, values in TABLE.items() if chance.random() < share
        }
        if "packets" in options:
            options["packets"] = list(options["packets"])
        if chance.random() < share:
            options |= some_pools(chance)
        try:
            rules = override(shipped_rulesets()[name], options)
        except BadParameterError as error:
            # These options are refused: the hands are too large for the deck, a card is kept back
            # although the suit is fixed, the dealer cannot take the pool of the card turned up, or
            # nothing wins a pool, or its cards are not in the deck.
            if error.key not in ("hand", "trump", "turned_card", "pool", *OF_UNWINNABLE):
                raise
            continue
        count = chance.randint(*rules.players)
        start: dict[str, Any] = {"ruleset": name, "players": list(NAMES[:count])}
        if options:
            start["options"] = options
        if chance.random() < 0.3:
            start["dealer"] = chance.randint(1, count)
        if chance.random() < 0.3:
            start["places"] = chance.sample(range(1, 9), count)
        return start


MEANINGS: Final[list[dict[str, Any]]] = [
    {"at": "ace", "name": {"en": "Seven", "de": "Sieben"}, "cards": ["7*"]},
    {"at": "ten", "cards": ["KH", "Q*"], "from": 4},
    {"at": "marriage", "name": "Four", "cards": ["A*", "K*", "Q*", "J*"]},
    {"at": "jack", "cards": ["TD"]},
    {"at": "sequence", "cards": ["T*", "J*", "Q*"], "from": 3},
    {"at": "poch", "name": "Bock"},
    {"at": "pinke", "name": "Trio", "cards": ["7*", "8*", "9*"]},
]
"""Places that mean something else than in Poch."""


def some_pools(chance: Random) -> dict[str, Any]:
    """Some of the pools, and what depends on them."""
    bowls = [pool for pool in MELD if chance.random() < 0.7]
    middle = chance.choice((("poch",), ("pinke",), ("poch", "pinke")))
    pools = [*bowls, *middle]
    return {
        "pools": pools,
        "pool": [one for one in MEANINGS if chance.random() < 0.3],
        "ante_pools": [pool for pool in pools if chance.random() < 0.7] or pools[:1],
        "bet_pool": chance.choice(middle),
        "last_deal_to": chance.choice(("none", *middle)),
        "centre_to_winner": "pinke" in middle and chance.random() < 0.5,
    }


def any_strategies(chance: Random, count: int) -> dict[int, Strategy]:
    """A random strategy for each seat."""
    return {seat: chance.choice(list(STRATEGIES.values())) for seat in range(1, count + 1)}


def start_of(ruleset: str, players: int = 4, /, **options: Any) -> Start:
    """The start of a night with this many players."""
    return start_from({"ruleset": ruleset, "players": list(NAMES[:players]), "options": options})


def start_from(words: dict[str, Any]) -> Start:
    command = parse_command({"do": "start", **words})
    assert isinstance(command, Start), command
    return command


def any_night(number: int) -> tuple[Start, BotTable]:
    """The start and the players of one of many nights."""
    chance = Random(f"night {number}")
    start = start_from(any_start(chance))
    return start, BotTable(any_strategies(chance, len(start.players)), f"seed {number}")


assert set(TABLE) | set(OF_POOLS) | {"source"} == set(shipped_rulesets()["modern"].parameters()), (
    "every parameter of RULES.md 2 is varied"
)
assert set(MELD) < set(NINE)
