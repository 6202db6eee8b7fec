"""How many decisions bots make a second on one core, beside random players of other packages."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Final

from pochboard.bots.bot_table import BotCommand, BotTable, play_night
from pochboard.bots.strategy import DEFAULT_STRATEGIES
from pochboard.rules.commands import Deal
from pochboard.rules.ruleset_files import SHIPPED, shipped_rulesets
from pochboard.rules.seating import always
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import play_batch
from tests.bench.peers import Peer, peer_python
from tests.bench.table import Goal, Row, missing, say

_COUNTED: Final = 3
"""Nights whose decisions are counted; how many there are in a deal differs little."""
_SECONDS: Final = 2.0
_GAMES: Final = {
    "rlcard": ("uno", "gin-rummy", "no-limit-holdem"),
    "pyspiel": ("gin_rummy", "hearts"),
}
_NAMES: Final = {"rlcard": "RLCard", "pyspiel": "OpenSpiel (C++)"}


def decisions(seconds: float, peer: Peer = peer_python) -> list[Row]:
    """Every shipped ruleset at every size of its table, this many seconds of each."""
    cells = []
    deals: dict[str, float] = {}
    for name in SHIPPED:
        rules = shipped_rulesets()[name]
        say(f"bots: {name}")
        for players in range(rules.players[0], rules.players[1] + 1):
            strategies = tuple(
                DEFAULT_STRATEGIES[seat % len(DEFAULT_STRATEGIES)] for seat in range(players)
            )
            plan = Plan(rules, strategies, 1, 1, rules.stack)
            rate = _deals_a_second(plan, seconds)
            what = f"{name}, {players} players"
            deals[what] = rate
            cell = (name, f"{players} players")
            cells.append(Row(what, "/s", rate * _decisions_of_a_deal(plan), cell=cell))
    slowest = min(cells, key=lambda row: row.median or 0.0)
    fewest = min(deals, key=lambda what: deals[what])
    peers = _random_players(peer)
    # The fastest of those in Python, as ours is.
    best = max(peers[: len(_GAMES["rlcard"])], key=lambda row: row.median or 0.0)
    return [
        Row(
            "decisions of bots a second, one core, the slowest table",
            "/s",
            slowest.median,
            None,
            f"{slowest.what}; {best.what}" if best.median else best.beside,
            best.median,
            (Goal(100_000, at_least=True),),
        ),
        Row(
            "deals of bots a second, the slowest table",
            "/s",
            deals[fewest],
            None,
            fewest,
            goals=(Goal(3000, at_least=True),),
        ),
        *peers,
        *cells,
    ]


def _deals_a_second(plan: Plan, seconds: float) -> float:
    deals, first, spent_s = 0, 1, 0.0
    begun_s = time.process_time()
    while spent_s <= seconds:
        deals += play_batch(plan, range(first, first + 5), as_rows=False).tally.deals
        first += 5
        spent_s = time.process_time() - begun_s
    return deals / spent_s


def _decisions_of_a_deal(plan: Plan) -> float:
    """How often a seat claims, bets, plays a card or says that it is out."""
    deals = made = 0
    for night in range(1, _COUNTED + 1):
        table = BotTable(dict(zip(plan.seats, plan.strategies, strict=True)), plan.seed_of(night))
        for _, action, _ in play_night(plan.start(night), table, always(plan.rules)):
            if isinstance(action, BotCommand):
                made += action.seat is not None
                deals += isinstance(action.command, Deal)
            else:
                made += 1
    return made / deals


def _random_players(peer: Peer) -> list[Row]:
    """Steps a second of players that choose at random, in the packages' own environment."""
    rows = []
    for package, games in _GAMES.items():
        say(f"random players of {_NAMES[package]}")
        python, reason = peer("cards")
        for game in games:
            what = f"{_NAMES[package]}, {game}, random players"
            if python is None:
                rows.append(missing(what, "/s", reason))
                continue
            script = Path(__file__).with_name("random_players.py")
            words = (python, script, package, game, str(_SECONDS))
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.returncode:
                rows.append(missing(what, "/s", done.stderr.strip().splitlines()[-1]))
            else:
                rows.append(Row(what, "/s", json.loads(done.stdout.splitlines()[-1])))
    return rows
