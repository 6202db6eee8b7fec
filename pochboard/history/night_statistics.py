"""What one night adds to the statistics of the people who played, and its awards."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

import msgspec

from pochboard.cards.exact import hand_chances
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force
from pochboard.ledger.results import persons, results_of
from pochboard.ledger.settling import Flows
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.rules.betting import betting_end
from pochboard.rules.commands import (
    AnyCommand,
    Claim,
    Deal,
    Out,
    Pass,
    Settle,
    Showdown,
    Stake,
    Turn,
)
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

_POCH: Final = POOLS.index("poch")
_PINKE: Final = POOLS.index("pinke")


class PersonNight(msgspec.Struct, array_like=True, gc=False):
    """What somebody did in one night. Lists by pool are in board order."""

    name: str
    net: int = 0
    won_night: bool = False
    """Whether nobody had a higher net."""
    deals: int = 0
    wins: list[int] = msgspec.field(default_factory=lambda: [0] * len(POOLS))
    """How often each pool was won. `poch` counts bettings, whichever pool they were for."""
    chips: list[int] = msgspec.field(default_factory=lambda: [0] * len(POOLS))
    """The chips won from each pool."""
    expected: list[float] = msgspec.field(default_factory=lambda: [0.0] * len(MELD_POOLS))
    """How often each meld pool would be won on average by the cards alone."""
    variance: list[float] = msgspec.field(default_factory=lambda: [0.0] * len(MELD_POOLS))
    """The variance of these numbers."""
    luck: float = 0.0
    """Meld pools won beyond those expected, where the expected number is known."""
    luck_squares: float = 0.0
    """The sum over the deals of the square of each deal's luck."""
    largest_poch: int = 0
    """The most chips won in one betting, without the winner's own stake."""
    knocks: int = 0
    """How often this person opened the betting."""
    knocks_won: int = 0
    """How many of these were won, with or without a showdown."""
    knocks_unseen: int = 0
    """How many of these were won because all others passed, without proving a set."""
    showdowns: int = 0
    showdowns_won: int = 0
    outs: int = 0
    """How often this person went out first."""
    cards_left: int = 0
    """Cards left in all deals that somebody else won."""
    claims: int = 0
    """Meld pools won, one in the middle too."""


class NightStatistics(msgspec.Struct, array_like=True, gc=False):
    """What one night that is over adds to the statistics."""

    number: int
    started_ms: int
    ruleset: str
    imported: bool
    deals: int
    people: list[PersonNight]
    won_from: list[tuple[int, int, int]]
    """Loser and winner, as positions in `people`, and the chips that the winner has won from the
    loser. The bank is left out."""


def night_statistics(
    number: int,
    entries: Sequence[Entry],
    states: Sequence[State],
    *,
    imported: bool = False,
    aliases: Mapping[str, str] = {},
) -> NightStatistics:
    """The statistics of a night, given the state after each entry.

    `aliases` is that of the remarks. Statistics that are kept ignore it: a remark may come later.
    """
    return _Counter(number, entries, states, imported=imported, aliases=aliases).statistics


def left_on_board(entries: Sequence[Entry], states: Sequence[State]) -> dict[str, int]:
    """The chips that lay in each pool when a night ended, without empty pools."""
    (last,) = deque(in_force(entries), maxlen=1)
    rules = states[-1].rules
    left = {
        account.removeprefix("pool:"): -chips
        for account, chips in last.postings
        if account.startswith("pool:")
    }
    if isinstance(last.command, Settle) and rules.centre_to_winner:
        left.pop("pinke", None)  # whoever was out has taken it
    return left


class _Chances(NamedTuple):
    """The chances of a seat in a deal, without pools whose chance is not known."""

    pools: tuple[tuple[int, float, float], ...]
    """Pool, chance, and the chance's variance."""
    luck: float
    """The luck of a seat that wins none of them."""


@cache
def _deal_chances(rules: Ruleset, live: int) -> tuple[_Chances, ...]:
    """By position from forehand, the chances of a deal."""
    found = []
    for of_seat in _chances(rules, live):
        luck, pools = 0.0, []
        for pool, chance in enumerate(of_seat):
            if chance:
                luck -= chance
                pools.append((pool, chance, chance * (1 - chance)))
        found.append(_Chances(tuple(pools), luck))
    return tuple(found)


@cache
def _chances(rules: Ruleset, live: int) -> tuple[tuple[float | None, ...], ...]:
    """By position from forehand, the chance of each meld pool; None where it is not known."""
    known = hand_chances(rules, live)
    return tuple(
        tuple(
            float(known[pool][position])
            if pool in known
            else None
            if pool in rules.meld_pools
            else 0.0
            for pool in MELD_POOLS
        )
        for position in range(live)
    )


class _Counter:
    """Goes through a night once."""

    def __init__(
        self,
        number: int,
        entries: Sequence[Entry],
        states: Sequence[State],
        *,
        imported: bool,
        aliases: Mapping[str, str],
    ) -> None:
        last = states[-1]
        everybody = persons(last.names, aliases)
        position = {seat: i for i, seats in enumerate(everybody) for seat in seats}
        self._position = [position[seat] for seat in last.seats]
        self._people = [PersonNight(last.name_of(seats[0])) for seats in everybody]
        self._deal_luck: dict[int, float] = {}
        self._opener: int | None = None
        won: dict[tuple[int, int], int] = {}
        flows, before = Flows(), State()
        for entry in in_force(entries):
            after = states[entry.number - 1]
            self._count(entry, before, after)
            # Many entries move no chips.
            for payer, payee, chips, _ in (
                flows.follow(entry, before, after) if entry.postings else ()
            ):
                if payer and payee:
                    pair = self._position[payer - 1], self._position[payee - 1]
                    won[pair] = won.get(pair, 0) + chips
            before = after
        for result in results_of(last, aliases):
            person = self._of(result.seats[0])
            person.net, person.won_night = result.net, result.rank == 1
        self.statistics = NightStatistics(
            number,
            entries[0].time_ms,
            last.rules.name,
            imported,
            last.deal,
            self._people,
            [(*pair, chips) for pair, chips in won.items() if pair[0] != pair[1]],
        )

    def _of(self, seat: int) -> PersonNight:
        return self._people[self._position[seat - 1]]

    def _count(self, entry: Entry, before: State, after: State) -> None:
        command = entry.command
        # Comparing types takes a third of the time of a `match`.
        kind = type(command)
        if type(command) is Stake:
            if not before.highest:
                self._opener = command.seat
                self._of(command.seat).knocks += 1
            self._count_betting(command, before, after)
        elif kind is Pass:
            self._count_betting(command, before, after)
        elif kind is Claim or kind is Turn:
            self._count_claims(before, after)
        elif kind is Deal:
            self._count_deal(after)
        elif type(command) is Showdown:
            for seat in before.still_in if len(before.still_in) > 1 else ():
                self._of(seat).showdowns += 1
            self._count_betting(command, before, after)
        elif type(command) is Out:
            self._of(command.seat).outs += 1
        elif type(command) is Settle:
            self._count_settling(command, before)

    def _count_deal(self, state: State) -> None:
        """Everybody in the deal could win each pool with some chance."""
        self._deal_luck, self._opener = {}, None
        chances = _deal_chances(state.deal_rules, len(state.live))
        for seat, of_seat in zip(state.from_forehand, chances, strict=True):
            person = self._of(seat)
            person.deals += 1
            expected, variances = person.expected, person.variance
            for pool, chance, variance in of_seat.pools:
                expected[pool] += chance
                variances[pool] += variance
            self._deal_luck[seat] = of_seat.luck

    def _count_claims(self, before: State, after: State) -> None:
        if after.claims is before.claims:
            return  # a card was turned up
        known = _chances(before.deal_rules, len(before.live))[0]
        for name, seat in after.claims[len(before.claims) :]:
            pool, person = POOLS.index(name), self._of(seat)
            person.chips[pool] += before.pool(name)
            if (name, seat) in before.claims:
                continue  # a recount had filled it again
            person.wins[pool] += 1
            person.claims += 1
            self._deal_luck[seat] += pool < len(known) and known[pool] is not None

    def _count_betting(self, command: AnyCommand, before: State, after: State) -> None:
        end = betting_end(before, command, after)
        if end is None:
            return
        unseen = type(command) is not Showdown
        compared = not unseen and len(before.still_in) > 1
        for seat in end.winners:
            person = self._of(seat)
            won = after.stack_of(seat) - end.staked.stack_of(seat) - end.staked.committed[seat - 1]
            person.wins[_POCH] += 1
            person.chips[_POCH] += won
            person.largest_poch = max(person.largest_poch, won)
            person.knocks_won += seat == self._opener
            person.showdowns_won += compared
            person.knocks_unseen += unseen and seat == self._opener

    def _count_settling(self, command: Settle, before: State) -> None:
        for key, cards in command.cards.items():
            self._of(int(key)).cards_left += cards
        centre = before.pool("pinke")
        if before.rules.centre_to_winner and centre and before.winner is not None:
            winner = self._of(before.winner)
            winner.wins[_PINKE] += 1
            winner.chips[_PINKE] += centre
        for seat, luck in self._deal_luck.items():
            person = self._of(seat)
            person.luck += luck
            person.luck_squares += luck * luck


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
