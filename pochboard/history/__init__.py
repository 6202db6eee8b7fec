"""The statistics of people: what a night adds, its awards, and the sums over all nights."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, combinations
from math import sqrt
from operator import attrgetter
from statistics import NormalDist
from typing import Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from pochboard.cards.exact import hand_chances
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force, moves_in_force
from pochboard.ledger.results import persons, results_of
from pochboard.ledger.settling import flows
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.rules.betting import betting_end
from pochboard.rules.commands import (
    Adjust,
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
from pochboard.text.unicode_names import sight, tidy

_POCH: Final = POOLS.index("poch")
_PINKE: Final = POOLS.index("pinke")
_EMPTY_POOLS: Final = frozenset((Claim, Turn, Adjust, Settle))
"""Commands after which a meld pool may be empty."""


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
    lowest: int = 0
    """The lowest net after a deal, if it was below 0."""
    treasure: int = 0
    """In how many deals a meld pool had been filled, at most, when this person took it."""
    treasure_pool: str = ""
    courage: int = 0
    """The most chips that a betting cost, if somebody else won it."""
    patience: int = 0
    """Passes without a stake in the betting."""


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
    last = states[-1]
    counter = _Counter(last, aliases)
    for entry, before, after in moves_in_force(entries, states):
        counter.count(entry, before, after)
    won: Counter[tuple[int, int]] = Counter()
    for payer, payee, chips, _ in flows(entries, states):
        if payer and payee:
            won[counter.position[payer - 1], counter.position[payee - 1]] += chips
    for result in results_of(last, aliases):
        person = counter.people[counter.position[result.seats[0] - 1]]
        person.net, person.won_night = result.net, result.rank == 1
    between = [(*pair, chips) for pair, chips in won.items() if pair[0] != pair[1]]
    began_ms, ruleset = entries[0].time_ms, last.rules.name
    return NightStatistics(number, began_ms, ruleset, imported, last.deal, counter.people, between)


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

    def __init__(self, last: State, aliases: Mapping[str, str]) -> None:
        self._seats = persons(last.names, aliases)
        position = {seat: i for i, seats in enumerate(self._seats) for seat in seats}
        self.position = [position[seat] for seat in last.seats]
        """By seat, the person's place in `people`."""
        self.people = [PersonNight(last.name_of(seats[0])) for seats in self._seats]
        self._deal_luck: dict[int, float] = {}
        self._opener: int | None = None
        self._filled: Counter[str] = Counter()
        """By meld pool, the deals in which it was filled since it was last empty."""

    def _of(self, seat: int) -> PersonNight:
        return self.people[self.position[seat - 1]]

    def count(self, entry: Entry, before: State, after: State) -> None:
        """Counts what an entry adds."""
        command = entry.command
        # Comparing types takes a third of the time of a `match`.
        kind = type(command)
        if type(command) is Stake:
            if not before.highest:
                self._opener = command.seat
                self._of(command.seat).knocks += 1
            self._count_betting(command, before, after)
        elif type(command) is Pass:
            self._of(command.seat).patience += not before.committed[command.seat - 1]
            self._count_betting(command, before, after)
        elif kind is Claim or kind is Turn:
            self._count_claims(before, after)
        elif kind is Deal:
            self._count_deal(before, after)
        elif type(command) is Showdown:
            for seat in before.still_in if len(before.still_in) > 1 else ():
                self._of(seat).showdowns += 1
            self._count_betting(command, before, after)
        elif type(command) is Out:
            self._of(command.seat).outs += 1
        elif type(command) is Settle:
            self._count_settling(command, before, after)
        if kind in _EMPTY_POOLS:
            for pool in after.rules.meld_pools:
                if not after.pool(pool):
                    self._filled[pool] = 0

    def _count_deal(self, before: State, state: State) -> None:
        """Everybody in the deal could win each pool with some chance."""
        self._deal_luck, self._opener = {}, None
        chances = _chances(state.deal_rules, len(state.live))
        for seat, of_seat in zip(state.from_forehand, chances, strict=True):
            person = self._of(seat)
            person.deals += 1
            for pool, chance in enumerate(of_seat):
                if chance:
                    person.expected[pool] += chance
                    person.variance[pool] += chance * (1 - chance)
            self._deal_luck[seat] = -sum(filter(None, of_seat))
        for name in state.rules.meld_pools:
            self._filled[name] += state.pool(name) > before.pool(name)

    def _count_claims(self, before: State, after: State) -> None:
        if after.claims is before.claims:
            return  # a card was turned up
        known = _chances(before.deal_rules, len(before.live))[0]
        for name, seat in after.claims[len(before.claims) :]:
            pool, person = POOLS.index(name), self._of(seat)
            person.chips[pool] += before.pool(name)
            if self._filled[name] > person.treasure:
                person.treasure, person.treasure_pool = self._filled[name], name
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
        for seat in end.staked.live if end.winners else ():
            paid_back = after.stack_of(seat) - end.staked.stack_of(seat)
            cost = end.staked.committed[seat - 1] - paid_back
            self._of(seat).courage = max(self._of(seat).courage, cost)

    def _count_settling(self, command: Settle, before: State, after: State) -> None:
        for person, seats in zip(self.people, self._seats, strict=True):
            # Those that join later have no net yet.
            nets = [after.stack_of(s) - after.bought[s - 1] for s in seats if s in after.seats]
            person.lowest = min(person.lowest, sum(nets))
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


# Awards

MOST_AWARDS: Final = 3
LEAST_DEALS: Final = 3
"""After fewer deals a night has no awards."""

AwardKind = Literal[
    "comeback", "poch", "treasure", "pools", "unseen", "courage", "outs", "patience"
]

_AWARDS: Final[Mapping[AwardKind, tuple[int, Callable[[PersonNight], int]]]] = {
    "comeback": (5, lambda person: person.net - person.lowest if person.lowest < 0 else 0),
    "poch": (1, attrgetter("largest_poch")),
    "treasure": (3, attrgetter("treasure")),
    "pools": (3, attrgetter("claims")),
    "unseen": (2, attrgetter("knocks_unseen")),
    "courage": (3, attrgetter("courage")),
    "outs": (2, attrgetter("outs")),
    "patience": (3, attrgetter("patience")),
}
"""The least that earns each award, and the number that measures it: chips, deals, pools or times.
Of awards in which people stand out equally, the earlier one comes first."""


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


def awards(night: NightStatistics) -> tuple[Award, ...]:
    """The awards of a night.

    An award is for one person, so nobody gets it if two are equal. Of all that somebody has earned,
    three are given: to as many persons as possible, and to those who stand out most.
    """
    if night.deals < LEAST_DEALS or len(night.people) < 2:
        return ()
    earned = sorted(_earned(night), key=lambda one: one[0])
    chosen = combinations((award for _, award in earned), min(MOST_AWARDS, len(earned)))
    return max(chosen, key=lambda three: len({award.person for award in three}))


def _earned(night: NightStatistics) -> Iterator[tuple[float, Award]]:
    """Each award that one person has earned alone, with the share of it that the next one has."""
    for kind, (least, number_of) in _AWARDS.items():
        numbers = [number_of(person) for person in night.people]
        second, best = sorted(numbers)[-2:]
        if best < least or second == best:
            continue
        place = numbers.index(best)
        person = night.people[place]
        pool = person.treasure_pool if kind == "treasure" else None
        lowest = person.lowest if kind == "comeback" else 0
        yield second / best, Award(kind, place, person.name, best, pool, lowest)


# All nights

LEVEL: Final = 0.95
"""The confidence level: the share of intervals that should contain the true value."""
Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval, ends included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether the value lies in the interval."""
        return self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        """The number after ±."""
        return (self.high - self.low) / 2


def wilson(hits: float, trials: float) -> Interval:
    """Wilson's score interval for a proportion (Wilson, 1927).

    The trials must be independent. With none, the interval is 0 to 1.
    """
    if not trials:
        return Interval(0.0, 1.0)
    share, square = hits / trials, Z * Z
    middle = share + square / (2 * trials)
    half = Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    # At the ends the bound is exactly 0 or 1; computing it would add a rounding error.
    low = 0.0 if hits == 0 else (middle - half) / scale
    high = 1.0 if hits == trials else (middle + half) / scale
    return Interval(low, high)


MOST_POINTS: Final = 240
"""The most points of a person's course; a screen cannot show more."""


class _Played(NamedTuple):
    """Somebody's nights, and the person's own statistics of each."""

    nights: list[NightStatistics]
    own: list[PersonNight]


class PoolCount(msgspec.Struct, frozen=True):
    """How often somebody has won a pool."""

    pool: str
    wins: int
    chips: int
    expected: float | None
    """How often the cards alone would give it; null if unknown, or not a matter of cards."""
    expected_interval: Interval | None
    """What chance alone would give in 95 of 100 cases."""


class Luck(msgspec.Struct, frozen=True):
    """Meld pools that somebody has won, beside those expected by the cards alone."""

    wins: float
    """Pools won whose chance is known."""
    expected: float
    interval: Interval
    """The 95 % interval of `wins` if chance alone decided."""


class Person(msgspec.Struct, frozen=True):
    """Somebody's nights."""

    name: str
    nights: int
    nights_won: int
    deals: int
    net: int
    net_each: float
    """The mean net of a night."""
    net_interval: Interval | None
    """Its 95 % interval; null with fewer than two nights."""
    best_night: int
    """The highest net, and the number of its night."""
    best_net: int
    pools: tuple[PoolCount, ...]
    luck: Luck
    largest_poch: int
    largest_poch_night: int | None
    knocks: int
    knocks_won: int
    knocks_unseen: int
    showdowns: int
    showdowns_won: int
    outs: int
    cards_left_each: float | None
    """Cards left in a deal that somebody else won, on average."""


class NetPoint(msgspec.Struct, frozen=True):
    """Somebody's nets, added up to a night."""

    night: int
    started_ms: int
    net: int
    total: int


class HeadToHead(msgspec.Struct, frozen=True):
    """What one person has won from another, less what the other has won back."""

    winner: str
    loser: str
    chips: int
    nights: int
    """Nights in which both played."""


class Overview(msgspec.Struct, frozen=True):
    """Everything over the years."""

    nights: int
    deals: int
    people: tuple[Person, ...]
    """The highest net first."""
    courses: dict[str, tuple[NetPoint, ...]]
    """By name, the nets added up from night to night."""
    heads: tuple[HeadToHead, ...]
    """The largest amount first."""


def _person(name: str, played: _Played) -> Person:
    """Adds up somebody's nights, column by column: with thousands of nights, that is quickest."""
    nights, each = played
    count = len(each)
    nets = [night.net for night in each]
    net = sum(nets)
    mean, interval = net / count, None
    if count > 1:
        variance = max(0.0, sum([net * net for net in nets]) / count - mean * mean)
        half = Z * sqrt(variance / (count - 1))
        interval = Interval(mean - half, mean + half)
    best = max(range(count), key=nets.__getitem__)
    largest = max(range(count), key=[night.largest_poch for night in each].__getitem__)
    largest_poch = each[largest].largest_poch
    deals = sum([night.deals for night in each])
    outs = sum([night.outs for night in each])
    expected = _columns(night.expected for night in each)
    return Person(
        name=name,
        nights=count,
        nights_won=sum([night.won_night for night in each]),
        deals=deals,
        net=net,
        net_each=mean,
        net_interval=interval,
        best_night=nights[best].number,
        best_net=nets[best],
        pools=_pools(each, expected),
        luck=_luck(each, sum(expected)),
        largest_poch=largest_poch,
        largest_poch_night=nights[largest].number if largest_poch else None,
        knocks=sum([night.knocks for night in each]),
        knocks_won=sum([night.knocks_won for night in each]),
        knocks_unseen=sum([night.knocks_unseen for night in each]),
        showdowns=sum([night.showdowns for night in each]),
        showdowns_won=sum([night.showdowns_won for night in each]),
        outs=outs,
        cards_left_each=(
            sum([night.cards_left for night in each]) / (deals - outs) if deals > outs else None
        ),
    )


_N = TypeVar("_N", int, float)


def _columns(rows: Iterable[list[_N]]) -> list[_N]:
    """The sum of each column."""
    return [sum(column) for column in zip(*rows, strict=True)]


def _pools(each: list[PersonNight], expected: list[float]) -> tuple[PoolCount, ...]:
    wins = _columns(night.wins for night in each)
    chips = _columns(night.chips for night in each)
    variances = _columns(night.variance for night in each)
    pools = []
    for pool, name in enumerate(POOLS):
        mean = interval = None
        if pool < len(MELD_POOLS) and expected[pool]:
            mean = expected[pool]
            half = Z * sqrt(variances[pool])
            interval = Interval(max(0.0, mean - half), mean + half)
        pools.append(PoolCount(name, wins[pool], chips[pool], mean, interval))
    return tuple(pools)


def _luck(each: list[PersonNight], expected: float) -> Luck:
    half = Z * sqrt(sum([night.luck_squares for night in each]))
    return Luck(
        expected + sum([night.luck for night in each]),
        expected,
        Interval(max(0.0, expected - half), expected + half),
    )


def _course(played: _Played) -> tuple[NetPoint, ...]:
    """The nets added up. Of very many nights some are left out, but never the last."""
    nights, each = played
    totals = list(accumulate([night.net for night in each]))
    step = -(-len(nights) // MOST_POINTS)
    shown = range(len(nights) - 1, -1, -step)
    return tuple(
        NetPoint(nights[i].number, nights[i].started_ms, each[i].net, totals[i])
        for i in reversed(shown)
    )


def _joined(names: Sequence[str], people: Sequence[PersonNight]) -> dict[str, PersonNight]:
    """The people of a night by name; those of one name are added up, with a new winner."""
    joined: dict[str, PersonNight] = {}
    for name, person in zip(names, people, strict=True):
        joined[name] = _together(joined[name], person) if name in joined else person
    if len(joined) == len(people):
        return joined
    best = max(person.net for person in joined.values())
    return {name: replace(person, won_night=person.net == best) for name, person in joined.items()}


def _together(one: PersonNight, other: PersonNight) -> PersonNight:
    """Two seats of one person in a night."""
    fields: dict[str, Any] = {}
    for name, mine in asdict(one).items():
        theirs = getattr(other, name)
        if name in ("name", "won_night", "largest_poch"):
            fields[name] = max(mine, theirs)
        elif isinstance(mine, list):
            fields[name] = [a + b for a, b in zip(mine, theirs, strict=True)]
        else:
            fields[name] = mine + theirs
    return PersonNight(**fields)


def overview(nights: Iterable[NightStatistics], same: Mapping[str, str] | None = None) -> Overview:
    """Adds up the nights in which cards were dealt, oldest first.

    `same` gives, by what people see of a name, the name to use instead (`Remarks.aliases`).
    """
    called = same or {}
    first: dict[str, str] = {}
    """By the visible form of a name, its first spelling."""

    @cache
    def person_called(written: str) -> str:
        name = called.get(sight(written), written)
        return first.setdefault(sight(name) or name, tidy(name) or name)

    people: dict[str, _Played] = {}
    won_from: Counter[tuple[str, str]] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    count = deals = 0
    for night in nights:
        if not night.deals:
            continue  # everybody would have won it
        count += 1
        deals += night.deals
        names = [person_called(person.name) for person in night.people]
        each = _joined(names, night.people)
        for name, person in each.items():
            played = people.setdefault(name, _Played([], []))
            played.nights.append(night)
            played.own.append(person)
        met.update(combinations(sorted(each), 2))
        for loser, winner, chips in night.won_from:
            won_from[names[loser], names[winner]] += chips
    heads = []
    for (one, other), times in met.items():
        chips = won_from[other, one] - won_from[one, other]
        better, worse = (one, other) if chips >= 0 else (other, one)
        heads.append(HeadToHead(better, worse, abs(chips), times))
    listed = [_person(name, played) for name, played in people.items()]
    return Overview(
        count,
        deals,
        tuple(sorted(listed, key=lambda person: -person.net)),
        {name: _course(played) for name, played in people.items()},
        tuple(sorted(heads, key=lambda head: -head.chips)),
    )
