"""A table of house players: what happens next, told from the state and the cards."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from pochboard.errors import CardError
from pochboard.players.acts import Act, Await, Do, Lay
from pochboard.players.arbiter import Arbiter
from pochboard.players.bets import bet
from pochboard.players.cards import choose_card
from pochboard.players.temper import Temper
from pochboard.players.view import View
from pochboard.rules.commands import (
    Claim,
    Deal,
    End,
    Go,
    Next,
    Out,
    Rebuy,
    Settle,
    Showdown,
    Turn,
    Void,
)
from pochboard.rules.melding import claimable
from pochboard.rules.state import State

OPEN_DEALS: Final = 24
"""Deals after which an open night ends, if nobody has run out of chips twice before."""
MOST_DEALS: Final = 100
"""Deals after which a night ends that goes on `until-short`."""


class House:
    """Plays the seats it is given; persons play the others.

    Everything is told anew from the state each time, so that persons may press whatever they like
    in between: claim, take back, recount, void. The same seed gives the same night.
    """

    def __init__(self, tempers: Mapping[int, Temper], seed: str) -> None:
        self.tempers = dict(tempers)
        """The house players by seat; other seats are played by persons."""
        self._chance = Random(seed)  # noqa: S311 - a game, and to be repeated
        self.arbiter = Arbiter(self._chance)

    def next(self, state: State) -> Act | None:
        """What happens next; None before the first night and after the end."""
        if state.phase in ("none", "closed"):
            return None
        arbiter = self.arbiter
        if state.phase == "idle":
            arbiter.clear_unless(state.deal)
            return self._between(state)
        if state.phase == "meld" and state.turned is None and not arbiter.knows(state):
            arbiter.deal(state)
        if not arbiter.knows(state):
            # The night was resumed in mid-deal, or another card turned up than the one dealt.
            return Do(Void())
        if state.phase != "shed" and arbiter.game:
            arbiter.take_up()
        match state.phase:
            case "meld":
                return self._meld(state)
            case "pochen":
                return self._bet(state)
            case "showdown":
                ranking = self.arbiter.ranking(state).ranking
                return Do(Showdown([list(tied) if tied[1:] else tied[0] for tied in ranking]))
            case _:
                return self._shed(state)

    def done(self, act: Act) -> None:
        """Notes that what `next` said has happened."""
        # A command has changed the state, which tells all about it.
        if isinstance(act, Lay):
            self.arbiter.lay(act.seat, act.card)

    def lay(self, state: State, seat: int, card: str) -> None:
        """A person lays a card. Raises CardError if it may not, or a run bonus is still owed."""
        owed = self.owed(state)
        if owed is not None:
            raise CardError(f"The run bonus of {state.name_of(owed)} has to be booked first")
        self.arbiter.lay(seat, card)

    def owed(self, state: State) -> int | None:
        """Who is still to get the run bonus of a run that is over, if anybody.

        Whoever sends a `go` pays one of them, and an `undo` makes it owed again.
        """
        game = self.arbiter.game
        if game is None or not state.rules.run_bonus or len(game.run_winners) <= state.bonuses:
            return None
        return game.run_winners[state.bonuses]

    def _between(self, state: State) -> Act:
        """Between deals: who lacks the ante buys in once a night; the second time it ends."""
        rules = state.rules
        if rules.ante_from == "seats":
            for seat in state.live:
                if not state.is_short(seat):
                    continue
                if state.bought[seat - 1] > state.stack:
                    return Do(End())
                return Do(Rebuy(seat, max(state.stack, rules.ante_due)), seat)
        most = {"open": OPEN_DEALS, "until-short": MOST_DEALS}.get(str(rules.deals))
        return Do(End() if most and state.deal >= most else Deal())

    def _meld(self, state: State) -> Act:
        arbiter = self.arbiter
        # After a claim made too early none can be turned up: the card is known all the same.
        if state.turned is None and not state.claims:
            return Do(Turn(arbiter.cards.turned))
        for seat, pools in arbiter.due.items():
            if pools and seat in self.tempers:
                may = claimable(state, seat)
                for pool in pools:
                    if pool in may:
                        return Do(Claim(seat, pool), seat)
        persons = [seat for seat in state.live if seat not in self.tempers]
        if not persons:
            return Do(Next())
        # Whoever still has something to claim is asked first.
        claimants = (
            seat
            for seat in persons
            if not set(claimable(state, seat)).isdisjoint(arbiter.due.get(seat, ()))
        )
        return Await(next(claimants, persons[0]), "meld")

    def _bet(self, state: State) -> Act:
        seat = state.to_act
        assert seat is not None, "somebody bets"
        temper = self.tempers.get(seat)
        if temper is None:
            return Await(seat, "bet")
        return Do(bet(self.arbiter.view(seat, state), temper, self._chance), seat)

    def _shed(self, state: State) -> Act:
        game = self.arbiter.shedding(state)
        owed, winner = self.owed(state), state.winner
        if owed is not None:
            return Do(Go(owed), owed)
        if winner is not None:
            left = game.cards_left(winner)
            return Do(Settle({str(seat): cards for seat, cards in left.items()}))
        if game.winner is not None:
            return Do(Out(game.winner), game.winner)
        seat = game.tableau.to_play
        assert seat is not None, "somebody plays until a hand is empty"
        temper = self.tempers.get(seat)
        if temper is None:
            return Await(seat, "lay")
        legal = game.legal()
        if len(legal) == 1:
            # No choice: the next card of a run, or the last one of a suit.
            return Lay(seat, legal[0])
        view: View = self.arbiter.view(seat, state)
        return Lay(seat, choose_card(view, temper, self._chance))
