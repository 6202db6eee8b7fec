"""The result of a night is one of persons, not of seats (RULES.md 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pochboard.ledger.replay import NightSummary
from pochboard.rules.state import Standing, State
from pochboard.text.visible import sight


class Result(msgspec.Struct, frozen=True):
    """How somebody did in a night, over all of this person's seats."""

    rank: int
    """Equal nets have equal ranks."""
    seats: tuple[int, ...]
    """In ascending order."""
    name: str
    stack: int
    net: int


def persons(names: Sequence[str], called: Mapping[str, str] = {}) -> list[tuple[int, ...]]:
    """The seats of each person, in the order of the first, from the name of each seat.

    Names that look alike are of one person. `called` is that of the remarks: by what people see of
    a name, what the person is called instead.
    """
    seats: dict[str, tuple[int, ...]] = {}
    for seat, name in enumerate(names, 1):
        person = called.get(sight(name), name)
        key = sight(person) or person
        seats[key] = (*seats.get(key, ()), seat)
    return list(seats.values())


def results(
    names: Sequence[str],
    standings: Iterable[Standing],
    called: Mapping[str, str] = {},
) -> tuple[Result, ...]:
    """The persons of a night, highest net first, from the stack and net of each seat.

    Equal nets are in the order of the persons' first seats.
    """
    of_seat = {seat: (stack, net) for seat, stack, net in standings}
    rows = []
    for seats in persons(names, called):
        stacks, nets = zip(*(of_seat[seat] for seat in seats), strict=True)
        rows.append((sum(nets), sum(stacks), seats))
    rows.sort(key=lambda row: -row[0])
    ranked = [net for net, _, _ in rows]
    return tuple(
        Result(ranked.index(net) + 1, seats, names[seats[0] - 1], stack, net)
        for net, stack, seats in rows
    )


def results_of(state: State, called: Mapping[str, str] = {}) -> tuple[Result, ...]:
    """The results of a night in its present state."""
    return results(state.names, state.standings, called)


def summary_results(night: NightSummary, called: Mapping[str, str] = {}) -> tuple[Result, ...]:
    """The results of a night in the list; none while it is open."""
    return results(night.players, night.standings, called) if night.standings else ()


def winners(results: Sequence[Result]) -> list[Result]:
    """Those of the highest net."""
    return [result for result in results if result.rank == 1]
