"""Watches a night of house players and notes of each deal what is counted."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pochboard.players.acts import Do
from pochboard.players.house import House
from pochboard.players.night import play_night
from pochboard.rules.board import FIRST_SEAT, POOL
from pochboard.rules.commands import (
    Claim,
    Command,
    Deal,
    Pass,
    Rebuy,
    Settle,
    Showdown,
    Stake,
    Turn,
)
from pochboard.rules.pots import award, return_unmatched
from pochboard.rules.shedding import settle
from pochboard.rules.state import State
from pochboard.simulate.plan import Plan


class Win(msgspec.Struct, frozen=True, gc=False):
    """A pool that was won in a deal."""

    seats: tuple[int, ...]
    """Who took it; more than one after a tie or several pots."""
    chips: int


class Played(msgspec.Struct, frozen=True, gc=False):
    """A deal as it was played. What is a tuple by seat holds seat 1 first."""

    night: int
    deal: int
    dealer: int
    live: tuple[int, ...]
    turned: str
    sizes: tuple[int, ...]
    """The chips in each of the nine pools after the antes, in board order."""
    wins: dict[str, Win]
    """By pool; one that held no chips is not won."""
    opener: int | None
    """Who staked first."""
    knocker: int | None
    """Who staked or raised last (RULES.md 5)."""
    stakes: tuple[int, ...]
    """By seat, without what the knocker took back."""
    showdown: bool
    winners: tuple[int, ...]
    """Of the first pot; empty where nobody staked or nobody showed a set."""
    out: int
    """Who went out first."""
    cards: tuple[int, ...]
    """By seat, the cards left; 0 also for seats that did not take part."""
    stacks: tuple[int, ...]
    """By seat, after the deal."""


class Night(msgspec.Struct, frozen=True):
    """A night as it was played."""

    deals: list[Played]
    nets: tuple[int, ...]
    """By seat, what was won or lost."""
    rebuys: int
    broke: int
    """Seats that were out at the end."""
    left: int
    """Chips left in the pools at the end: for the bank, or shared out."""


def watch_night(plan: Plan, number: int) -> Night:
    """Plays a night of the plan and notes its deals."""
    rules = plan.rules
    house = House(dict(zip(plan.seats, plan.tempers, strict=True)), plan.seed_of(number))
    watch = _Watch(number)
    rebuys = left = 0
    state = State()
    for before, act, after in play_night(plan.start(number), house, lambda _name, _options: rules):
        state = after
        if not isinstance(act, Do):
            continue
        command = act.command
        if isinstance(command, Rebuy):
            rebuys += 1
        else:
            watch.see(before, command, after)
        if after.phase == "closed":
            left = _left(before, command)
    nets = [state.stack_of(seat) - state.bought[seat - 1] for seat in state.seats]
    return Night(watch.deals, tuple(nets), rebuys, len(nets) - len(state.live), left)


def _left(before: State, command: Command) -> int:
    """What lay in the pools as the night was closed."""
    centre = isinstance(command, Settle) and before.rules.centre_to_winner
    return sum(before.balances[1:FIRST_SEAT]) - (before.pool("pinke") if centre else 0)


class _Watch:
    """What has been seen of the deal in progress, and the deals that are over."""

    def __init__(self, night: int) -> None:
        self.deals: list[Played] = []
        self._night = night
        self._clear()

    def _clear(self) -> None:
        self._sizes: tuple[int, ...] = ()
        self._wins: dict[str, Win] = {}
        self._opener: int | None = None
        self._knocker: int | None = None
        self._stakes: tuple[int, ...] = ()
        self._winners: tuple[int, ...] = ()
        self._showdown = False

    def see(self, before: State, command: Command, after: State) -> None:
        """A command that has changed the state."""
        match command:
            case Deal():
                self._clear()
                self._sizes = after.balances[1:FIRST_SEAT]
                self._stakes = (0,) * len(after.names)
            case Turn() | Claim():
                for pool, seat in after.claims[len(before.claims) :]:
                    self._win(pool, (seat,), before.pool(pool))
            case Stake(seat=seat):
                if self._opener is None:
                    self._opener = seat
                if after.phase == "shed":
                    self._unseen(before, command)
            case Pass() if after.phase == "shed":
                self._unseen(before, command)
            case Showdown(ranking=ranking):
                self._shown(before, [(x,) if isinstance(x, int) else tuple(x) for x in ranking])
            case Settle():
                self._settle(before, command, after)
            case _:
                pass

    def _win(self, pool: str, seats: tuple[int, ...], chips: int) -> None:
        if chips:
            assert pool not in self._wins, "once won, a pool stays empty until the next ante"
            self._wins[pool] = Win(seats, chips)

    def _unseen(self, before: State, command: Stake | Pass) -> None:
        """The betting is over without a showdown: one seat is left, or all have passed."""
        seat = command.seat
        if isinstance(command, Pass):
            left = [other for other in before.still_in if other != seat]
            state = before
        else:
            left = [seat]
            committed, balances = list(before.committed), list(before.balances)
            committed[seat - 1] += command.chips
            balances[POOL[before.rules.bet_pool]] += command.chips
            raised = command.chips > before.need(seat)
            state = replace(
                before,
                committed=tuple(committed),
                balances=tuple(balances),
                knocker=seat if raised else before.knocker,
            )
        if state.knocker is not None:
            self._bet(state, tuple(left))

    def _shown(self, before: State, ranking: list[tuple[int, ...]]) -> None:
        self._showdown = True
        # Where nobody shows a set the chips stay, also those for which one seat alone is eligible.
        awards = award(return_unmatched(before), ranking) if ranking else None
        self._bet(before, awards.first_winners if awards else ())

    def _bet(self, state: State, winners: tuple[int, ...]) -> None:
        """All that was staked lies in the bet pool; these win or share the first pot."""
        state = return_unmatched(state)
        self._knocker, self._stakes, self._winners = state.knocker, state.committed, winners
        if winners:
            pool = state.rules.bet_pool
            self._win(pool, winners, state.pool(pool))
            if pool == "pinke":
                self._win("poch", winners, state.pool("poch"))

    def _settle(self, before: State, command: Settle, after: State) -> None:
        rules, winner = before.rules, before.winner
        assert winner is not None, "somebody went out first"
        assert before.dealer is not None, "somebody dealt"
        assert before.turned is not None, "a card was turned up"
        if rules.centre_to_winner:
            self._win("pinke", (winner,), before.pool("pinke"))
        if after.phase == "closed" and rules.leftover == "split":
            # What is shared out at the end belongs to the night, not to its last deal.
            bank = settle(replace(before, ruleset=replace(rules, leftover="bank")), command)
            assert isinstance(bank, State), "where the rest goes makes no difference to the rules"
            after = bank
        held = command.cards
        self.deals.append(
            Played(
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
