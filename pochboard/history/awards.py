"""The three awards of a night that is over (RULES.md 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal

import msgspec

from pochboard.history.night_statistics import NightStatistics
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force
from pochboard.ledger.results import persons
from pochboard.rules.betting import betting_end
from pochboard.rules.commands import Claim, Deal, Pass, Settle, Turn
from pochboard.rules.state import State

MOST_AWARDS: Final = 3
LEAST_DEALS: Final = 3
"""After fewer deals a night has no awards."""

AwardKind = Literal[
    "comeback", "poch", "treasure", "pools", "unseen", "courage", "outs", "patience"
]

_LEAST: Final[Mapping[AwardKind, int]] = {
    "comeback": 5,
    "poch": 1,
    "treasure": 3,
    "pools": 3,
    "unseen": 2,
    "courage": 3,
    "outs": 2,
    "patience": 3,
}
"""What an award takes at least, in chips, deals, pools or times. Of awards in which people stand
out equally, the earlier one comes first."""


class Award(msgspec.Struct, frozen=True):
    """What one person did more of than anybody else."""

    kind: AwardKind
    person: int
    """A position in the people of the night's statistics."""
    name: str
    number: int
    """What RULES.md 8 counts for it: chips, deals, pools or knocks."""
    pool: str | None = None
    """The pool of a `treasure`."""
    lowest: int = 0
    """The lowest net of a `comeback`."""


class _Person:
    """What the statistics of a night do not count."""

    def __init__(self) -> None:
        self.lowest = 0
        self.treasure, self.treasure_pool = 0, ""
        self.courage = 0
        self.patience = 0


def awards(
    night: NightStatistics,
    entries: Sequence[Entry],
    states: Sequence[State],
    aliases: Mapping[str, str] = {},
) -> tuple[Award, ...]:
    """The awards of a night, from its statistics and the state after each entry.

    An award is for one person, so nobody gets it if two are equal. Of all that somebody has earned,
    three are given: to as many persons as possible, and to those who stand out most.
    """
    if night.deals < LEAST_DEALS or len(night.people) < 2:
        return ()
    earned = sorted(
        _earned(night, _counted(night, entries, states, aliases)), key=lambda one: one[0]
    )
    chosen = combinations((award for _, award in earned), min(MOST_AWARDS, len(earned)))
    return max(chosen, key=lambda three: len({award.person for award in three}))


def _earned(night: NightStatistics, counted: Sequence[_Person]) -> Iterator[tuple[float, Award]]:
    """Each award that one person has earned alone, with the share of it that the next one has."""
    numbers: Mapping[AwardKind, list[int]] = {
        "comeback": [
            person.net - more.lowest if more.lowest < 0 else 0
            for person, more in zip(night.people, counted, strict=True)
        ],
        "poch": [person.largest_poch for person in night.people],
        "treasure": [more.treasure for more in counted],
        "pools": [person.claims for person in night.people],
        "unseen": [person.knocks_unseen for person in night.people],
        "courage": [more.courage for more in counted],
        "outs": [person.outs for person in night.people],
        "patience": [more.patience for more in counted],
    }
    for kind, least in _LEAST.items():
        second, best = sorted(numbers[kind])[-2:]
        if best < least or second == best:
            continue
        person = numbers[kind].index(best)
        more = counted[person]
        yield (
            second / best,
            Award(
                kind,
                person,
                night.people[person].name,
                best,
                more.treasure_pool if kind == "treasure" else None,
                more.lowest if kind == "comeback" else 0,
            ),
        )


def _counted(
    night: NightStatistics,
    entries: Sequence[Entry],
    states: Sequence[State],
    aliases: Mapping[str, str],
) -> list[_Person]:
    everybody = persons(states[-1].names, aliases)
    people = [_Person() for _ in night.people]
    by_seat = {
        seat: person for seats, person in zip(everybody, people, strict=True) for seat in seats
    }
    filled: dict[str, int] = {}
    before = State()
    for entry in in_force(entries):
        after = states[entry.number - 1]
        match entry.command:
            case Deal():
                for pool in after.rules.meld_pools:
                    filled[pool] = filled.get(pool, 0) + (after.pool(pool) > before.pool(pool))
            case Claim() | Turn():
                for pool, seat in after.claims[len(before.claims) :]:
                    person = by_seat[seat]
                    if filled.get(pool, 0) > person.treasure:
                        person.treasure, person.treasure_pool = filled[pool], pool
            case Pass(seat=seat) if not before.committed[seat - 1]:
                by_seat[seat].patience += 1
            case Settle():
                for seats, person in zip(everybody, people, strict=True):
                    person.lowest = min(person.lowest, _net(after, seats))
            case _:
                pass
        end = betting_end(before, entry.command, after)
        if end is not None:
            for seat in end.staked.live if end.winners else ():
                paid_back = after.stack_of(seat) - end.staked.stack_of(seat)
                cost = end.staked.committed[seat - 1] - paid_back
                by_seat[seat].courage = max(by_seat[seat].courage, cost)
        filled = {pool: deals for pool, deals in filled.items() if after.pool(pool)}
        before = after
    return people


def _net(state: State, seats: Sequence[int]) -> int:
    """The net of a person's seats; those that join later have none yet."""
    return sum(
        state.stack_of(seat) - state.bought[seat - 1] for seat in seats if seat in state.seats
    )
