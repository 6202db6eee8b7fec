"""What a night adds to those before it: round numbers, records, chips won back (RULES.md 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from pochboard.history.night_statistics import NightStatistics, night_statistics
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force
from pochboard.ledger.sounds import betting_winners
from pochboard.rules.commands import Deal
from pochboard.rules.state import State
from pochboard.text.visible import sight

ROUND_DEALS: Final = 100
"""Every so many deals are a milestone."""
LEAST_NIGHTS: Final = 3
"""A Poch is a record only if it beats those of so many nights."""


class Milestone(msgspec.Struct, frozen=True):
    """Something that an entry is the first of in a long time."""

    kind: Literal["deals", "poch", "revenge"]
    entry: int
    """The entry that it is of."""
    number: int
    """All deals so far; the chips of a Poch; the chips that somebody has won back."""
    names: tuple[str, ...] = ()
    """Who won the Poch; who has won chips back, and from whom."""
    nights: int | None = None
    """How many nights before had no higher Poch; None if no night had."""
    before: int = 0
    """The chips that had been lost the last time."""


def milestones(
    past: Sequence[NightStatistics],
    entries: Sequence[Entry],
    states: Sequence[State],
    called: Mapping[str, str] = {},
) -> Iterator[Milestone]:
    """The milestones of a night, given the state after each entry, in the order of its entries.

    `past` are the nights before it that count, the oldest first. Entries that are no longer in
    force have none.
    """
    deals = sum(night.deals for night in past)
    largest = [max((person.largest_poch for person in night.people), default=0) for night in past]
    best, before = 0, State()
    for entry in in_force(entries):
        after = states[entry.number - 1]
        if isinstance(entry.command, Deal):
            deals += 1
            if deals % ROUND_DEALS == 0:
                yield Milestone("deals", entry.number, deals)
        won = _won(entry, before, after)
        chips = max(won.values(), default=0)
        if chips > best:
            best = chips
            beaten = _beaten(largest, chips)
            if beaten >= LEAST_NIGHTS:
                names = after.names_of(seat for seat in won if won[seat] == chips)
                nights = beaten if beaten < len(past) else None
                yield Milestone("poch", entry.number, chips, names, nights)
        if after.phase == "closed" and before.phase != "closed":
            this = night_statistics(0, entries, states, called=called)
            yield from _revenge(past, this, entry.number, called)
        before = after


def _won(entry: Entry, before: State, after: State) -> dict[int, int]:
    """What each winner of a betting gets beyond the own stake, as the statistics count it."""
    winners = betting_winners(before, after, entry.command)
    return {
        seat: after.stack_of(seat) - before.stack_of(seat) - before.committed[seat - 1]
        for seat in winners
    }


def _beaten(largest: Sequence[int], chips: int) -> int:
    """How many nights, from the last one back, had no Poch of so many chips."""
    for count, most in enumerate(reversed(largest)):
        if most >= chips:
            return count
    return len(largest)


def _revenge(
    past: Sequence[NightStatistics],
    this: NightStatistics,
    entry: int,
    called: Mapping[str, str],
) -> Iterator[Milestone]:
    """Who has won back at least what they lost to somebody the last time both played.

    Of several, the one who had lost most.
    """

    def who(name: str) -> str:
        person = called.get(sight(name), name)
        return sight(person) or person

    now, found = _nets(this, who), []
    names = {who(person.name): person.name for person in this.people}
    for (loser, winner), chips in now.items():
        last = next((night for night in reversed(past) if _met(night, who, loser, winner)), None)
        lost = _nets(last, who).get((winner, loser), 0) if last else 0
        if 0 < lost <= chips:
            found.append((lost, chips, names[winner], names[loser]))
    for lost, chips, winner, loser in sorted(found, key=lambda one: (-one[0], *one[2:]))[:1]:
        yield Milestone("revenge", entry, chips, (winner, loser), before=lost)


def _met(night: NightStatistics, who: Callable[[str], str], *people: str) -> bool:
    return {who(person.name) for person in night.people}.issuperset(people)


def _nets(night: NightStatistics, who: Callable[[str], str]) -> dict[tuple[str, str], int]:
    """By loser and winner, what one has won from the other, less what the other has won back."""
    people = [who(person.name) for person in night.people]
    won: dict[tuple[str, str], int] = {}
    for loser, winner, chips in night.won_from:
        pair = people[loser], people[winner]
        won[pair] = won.get(pair, 0) + chips
        won[pair[::-1]] = won.get(pair[::-1], 0) - chips
    return {pair: chips for pair, chips in won.items() if chips > 0}
