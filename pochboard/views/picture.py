"""What the picture of a night shows beside its result: the board as it was left, and its course."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from pochboard.history.night_statistics import left_on_board
from pochboard.ledger.replay import in_force
from pochboard.ledger.results import Result, results_of
from pochboard.lights.frame import hex_colours
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.render import settled_frame
from pochboard.messages.labels import pool_name
from pochboard.rules.accounts import POOL, POOLS
from pochboard.rules.commands import Settle
from pochboard.rules.state import State
from pochboard.table.records import ReplayedNight
from pochboard.text.translator import ENGLISH, Translator


class LeftPool(msgspec.Struct, frozen=True):
    """A pool as it was left; `chips` is null for one that the ruleset lacks."""

    pool: str
    name: str
    chips: int | None


class NightCourse(msgspec.Struct, frozen=True):
    """What a person had won after each deal, from 0 at the start to the result."""

    name: str
    net: tuple[int, ...]


class NightPicture(msgspec.Struct, frozen=True):
    """The parts of the picture of a night that is over; an open night has none."""

    pools: tuple[LeftPool, ...]
    """In board order."""
    pixels: tuple[str, ...]
    """The lights of the board as it was left, `#rrggbb`."""
    courses: tuple[NightCourse, ...]
    """The persons in the order of the standings."""


def night_picture(
    night: ReplayedNight,
    lights: LightsConfig,
    t: Translator = ENGLISH,
    *,
    called: Mapping[str, str] = {},
) -> NightPicture:
    """What is drawn of a night."""
    last = night.states[-1]
    if last.phase != "closed":
        return NightPicture((), (), ())
    left = left_on_board(night.stored.entries, night.states)
    balances = list(last.balances)
    for pool, chips in left.items():
        balances[POOL[pool]] = chips
    board = msgspec.structs.replace(last, balances=tuple(balances))
    results = results_of(last, called)
    moments = [_nets(results, state) for state in _after_deals(night)]
    final = [result.net for result in results]
    if not moments or moments[-1] != final:
        moments.append(final)  # chips that were left have been shared
    return NightPicture(
        pools=tuple(
            LeftPool(
                pool, pool_name(pool, t), left.get(pool, 0) if pool in last.rules.pools else None
            )
            for pool in POOLS
        ),
        pixels=tuple(hex_colours(settled_frame(board, lights))),
        courses=tuple(
            NightCourse(result.name, (0, *(nets[index] for nets in moments)))
            for index, result in enumerate(results)
        ),
    )


def _after_deals(night: ReplayedNight) -> Iterator[State]:
    """The state after each deal that counts."""
    for entry in in_force(night.stored.entries):
        if isinstance(entry.command, Settle):
            yield night.states[entry.number - 1]


def _nets(results: tuple[Result, ...], state: State) -> list[int]:
    """What each person has won so far; somebody who has not come yet has won nothing."""
    return [
        sum(
            state.stack_of(seat) - state.bought[seat - 1]
            for seat in result.seats
            if seat in state.seats
        )
        for result in results
    ]
