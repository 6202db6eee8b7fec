"""The plan of a simulation, and the record of each simulated night."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pochboard.bots.betting import Strategy
from pochboard.bots.bot_table import BotCommand, BotTable, most_deals, play_night
from pochboard.rules.accounts import FIRST_SEAT
from pochboard.rules.betting import betting_end
from pochboard.rules.commands import (
    AnyCommand,
    Claim,
    Command,
    Deal,
    Pass,
    Rebuy,
    Settle,
    Showdown,
    Stake,
    Start,
    Turn,
)
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import always
from pochboard.rules.shedding import settle
from pochboard.rules.state import State


class Plan(msgspec.Struct, frozen=True):
    """Everything that decides the outcome of a simulation, and nothing else."""

    rules: Ruleset
    """The ruleset, with its options applied."""
    strategies: tuple[Strategy, ...]
    """One per seat, seat 1 first."""
    nights: int
    seed: int
    stack: int
    """Each seat's chips at the start."""

    @property
    def seats(self) -> range:
        """The seats, numbered from 1."""
        return range(1, len(self.strategies) + 1)

    @property
    def most_deals(self) -> int:
        """An upper bound for the deals of a night."""
        return len(self.strategies) if self.rules.deals == "round" else most_deals(self.rules)

    def seed_of(self, night: int) -> str:
        """A seed for this night alone, so that any process plays it the same way."""
        return f"simulate {self.seed} night {night}"

    def start(self, night: int) -> Start:
        """The command that starts a night. The first dealer moves one seat from night to night."""
        return Start(
            ruleset=self.rules.name,
            players=tuple(f"Seat {seat}" for seat in self.seats),
            dealer=(night - 1) % len(self.strategies) + 1,
            stack=self.stack,
        )


class PoolWin(msgspec.Struct, frozen=True, gc=False):
    """A pool won in a deal."""

    seats: tuple[int, ...]
    """The winners: several after a tie, or where there were several pots."""
    chips: int


class DealRecord(msgspec.Struct, frozen=True, gc=False):
    """One deal. Tuples with a value per seat begin with seat 1."""

    night: int
    deal: int
    dealer: int
    live: tuple[int, ...]
    turned: str | None
    """The card turned up; None if the ruleset fixes the trump suit."""
    sizes: tuple[int, ...]
    """The chips in each of the nine pools after the antes, in board order."""
    wins: dict[str, PoolWin]
    """By pool. An empty pool is never won."""
    opener: int | None
    """The seat that staked first."""
    knocker: int | None
    """The seat that staked or raised last (RULES.md 5)."""
    stakes: tuple[int, ...]
    """Per seat, without the unmatched chips that the knocker took back."""
    showdown: bool
    winners: tuple[int, ...]
    """Of the main pot; empty if nobody staked, or nobody showed a set."""
    out: int
    """The seat that went out first."""
    cards: tuple[int, ...]
    """Per seat, the cards left; 0 for seats that were not dealt in."""
    stacks: tuple[int, ...]
    """Per seat, after the deal."""


class SimulatedNight(msgspec.Struct, frozen=True):
    """One night."""

    deals: list[DealRecord]
    nets: tuple[int, ...]
    """Per seat, chips won or lost."""
    rebuys: int
    broke: int
    """Seats that are out at the end."""
    left: int
    """Chips left in the pools at the end, before any split."""


def simulate_night(plan: Plan, number: int) -> SimulatedNight:
    """Plays night `number` of the plan."""
    rules = plan.rules
    table = BotTable(dict(zip(plan.seats, plan.strategies, strict=True)), plan.seed_of(number))
    recorder = _DealRecorder(number)
    rebuys = left = 0
    state = State()
    night = play_night(plan.start(number), table, always(rules), with_cards=False)
    for before, action, after in night:
        assert type(action) is BotCommand, "cards are left out"
        state, command = after, action.command
        if type(command) is Rebuy:
            rebuys += 1
        else:
            recorder.record(before, command, after)
        if after.phase == "closed":
            left = _left(before, command)
    nets = [state.stack_of(seat) - state.bought[seat - 1] for seat in state.seats]
    return SimulatedNight(recorder.deals, tuple(nets), rebuys, len(nets) - len(state.live), left)


def _left(before: State, command: Command) -> int:
    """The chips in the pools when the night was closed."""
    centre = isinstance(command, Settle) and before.rules.centre_to_winner
    return sum(before.balances[1:FIRST_SEAT]) - (before.pool("pinke") if centre else 0)


class _DealRecorder:
    """Builds the record of each deal from the commands of a night."""

    def __init__(self, night: int) -> None:
        self.deals: list[DealRecord] = []
        self._night = night
        self._clear()

    def _clear(self) -> None:
        self._sizes: tuple[int, ...] = ()
        self._wins: dict[str, PoolWin] = {}
        self._opener: int | None = None
        self._knocker: int | None = None
        self._stakes: tuple[int, ...] = ()
        self._winners: tuple[int, ...] = ()
        self._showdown = False

    def record(self, before: State, command: AnyCommand, after: State) -> None:
        """Takes in a command, with the states before and after it."""
        # Comparing types takes a third of the time of a `match`.
        kind = type(command)
        if kind is Stake or kind is Pass:
            if kind is Stake and self._opener is None:
                self._opener = before.to_act
            self._end_betting(before, command, after)
        elif kind is Turn or kind is Claim:
            for pool, seat in after.claims[len(before.claims) :]:
                self._win(pool, (seat,), before.pool(pool))
        elif kind is Deal:
            self._clear()
            self._sizes = after.balances[1:FIRST_SEAT]
            self._stakes = (0,) * len(after.names)
        elif type(command) is Showdown:
            self._showdown = True
            self._end_betting(before, command, after)
        elif type(command) is Settle:
            self._settle(before, command, after)

    def _win(self, pool: str, seats: tuple[int, ...], chips: int) -> None:
        if chips:
            assert pool not in self._wins, "once won, a pool stays empty until the next ante"
            self._wins[pool] = PoolWin(seats, chips)

    def _end_betting(self, before: State, command: AnyCommand, after: State) -> None:
        """Records the stakes, all of which lie in the bet pool, and who wins the main pot."""
        end = betting_end(before, command, after)
        if end is None:
            return
        self._knocker, self._stakes = end.staked.knocker, end.staked.committed
        self._winners = end.winners
        if end.winners:
            for pool in before.rules.won_by_betting:
                self._win(pool, end.winners, end.staked.pool(pool))

    def _settle(self, before: State, command: Settle, after: State) -> None:
        rules, winner = before.rules, before.winner
        assert winner is not None, "somebody went out first"
        assert before.dealer is not None, "somebody dealt"
        if rules.centre_to_winner:
            self._win("pinke", (winner,), before.pool("pinke"))
        if after.phase == "closed" and rules.leftover == "split":
            # The split at the end belongs to the night, not to its last deal.
            bank = settle(replace(before, ruleset=replace(rules, leftover="bank")), command)
            assert isinstance(bank, State), "where the rest goes makes no difference to the rules"
            after = bank
        held = command.cards
        self.deals.append(
            DealRecord(
                self._night,
                before.deal,
                before.dealer,
                before.live,
                before.turned,
                self._sizes,
                self._wins,
                self._opener,
                self._knocker,
                self._stakes,
                self._showdown,
                self._winners,
                winner,
                tuple([held.get(str(seat), 0) for seat in before.seats]),
                after.balances[FIRST_SEAT:],
            )
        )
