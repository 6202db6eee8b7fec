"""Follows a night of bots card by card and stake by stake, from docs/RULES.md and CARDS.md alone.

It shares no rule with the code it checks. The oracle of RULES.md 5 and 6 repeats the bets; the
oracle of CARDS.md repeats claims, showdowns and the play of cards.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from pochboard.bots.bot_table import MOST_DEALS, OPEN_DEALS, BotTable, PlayCard
from pochboard.cards.card import cards_of
from pochboard.rules.commands import (
    AnyCommand,
    Banker,
    Claim,
    Deal,
    End,
    Go,
    Next,
    Out,
    Pass,
    Rebuy,
    Settle,
    Showdown,
    Stake,
    Turn,
)
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from tests.core.cards.oracle import Shed, best_set, full_deck, ranking, sequence_holder
from tests.core.oracle import Betting, from_forehand
from tests.core.play import MELD

PAY: Final = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T", "marriage": "KQ"}


class Checker:
    """Checks everything that happens at one table of bots."""

    def __init__(self, table: BotTable) -> None:
        self._table = table
        self._deal: DealChecker | None = None
        self.seen: Counter[str] = Counter()
        """How often each command was sent, and each kind of thing worth testing happened."""

    def follow(self, before: State, action: AnyCommand | PlayCard, after: State) -> None:
        """Checks an action; raises AssertionError if the contracts do not allow it."""
        if before.phase == "meld" and self._deal is None:
            self._deal = DealChecker(self._table, before, self.seen)
        if isinstance(action, PlayCard):
            assert self._deal
            assert after is before
            self._deal.lay(before, action)
            self.seen["lay"] += 1
            return
        check_chips(after)
        self.seen[msgspec.to_builtins(action)["do"]] += 1
        match action:
            case Deal():
                self._check_antes(before, after)
            case Rebuy(seat=seat, chips=chips):
                assert before.is_short(seat)
                assert before.bought[seat - 1] == before.stack
                assert chips == max(before.stack, before.ante_due)
            case Banker(seat=seat):
                assert before.stack_of(before.banker or 0) < before.ante_due
                assert before.stack_of(seat) >= before.ante_due
                assert after.banker == seat
            case End():
                check_end(before)
            case command if self._deal:
                self._deal.command(before, command, after)
            case _:
                assert before.phase == "none"
        if after.phase in ("idle", "closed"):
            self._deal = None
        elif self._deal:
            self._deal.check_cards()

    def _check_antes(self, before: State, after: State) -> None:
        rules, due = before.rules, before.ante_due
        if rules.ante_from == "bank":
            assert after.live == before.live
            return
        if rules.ante_from == "banker":
            self._check_banker(before, after)
            return
        short = {seat for seat in before.live if before.stack_of(seat) < due}
        assert set(after.live) == set(before.live) - short
        if short:
            assert rules.short_seats == "retire"
            assert len(after.live) >= 2
            self.seen["retired"] += len(short)
        for seat in before.seats:
            # Fewer may be left than some pools need.
            paid = after.ante_due if seat in after.live else 0
            assert after.stack_of(seat) == before.stack_of(seat) - paid
        for seat in short:
            assert before.bought[seat - 1] > before.stack, "a bot buys in once before it goes out"
        assert after.dealer in after.live

    def _check_banker(self, before: State, after: State) -> None:
        """The banker pays for all, or hands the office to the next who can."""
        due, seats = before.ante_due, before.from_forehand
        start = seats.index(before.banker or 0)
        able = [seat for seat in (*seats[start:], *seats[:start]) if before.stack_of(seat) >= due]
        assert after.banker == able[0]
        assert able[0] == before.banker or before.rules.short_seats == "retire"
        assert after.live == before.live
        for seat in before.seats:
            paid = due if seat == able[0] else 0
            assert after.stack_of(seat) == before.stack_of(seat) - paid


def needed_for(pool: str, rules: Ruleset, trump: str | None) -> set[str] | None:
    """The cards that win a meld pool (RULES.md 2); None if the best run does."""
    meant = next((one.cards for one in rules.pool if one.at == pool), None)
    if meant is not None:
        return {card[0] + (trump or "") if card[1] == "*" else card for card in meant}
    if pool == "sequence":
        return {rank + (trump or "") for rank in "789"} if rules.sequence == "trump-789" else None
    return {rank + (trump or "") for rank in PAY[pool]}


def check_chips(state: State) -> None:
    assert sum(state.balances) == 0
    assert min(state.balances[1:]) >= 0
    assert len(state.balances) == 10 + len(state.names)


def check_end(state: State) -> None:
    """Bots end a night after its last deal, or when a second rebuy would be needed."""
    rules = state.rules
    most = {"open": OPEN_DEALS, "until-short": MOST_DEALS, "round": MOST_DEALS}.get(
        str(rules.deals)
    )
    if rules.ante_from == "banker" and not any(
        state.stack_of(seat) >= state.ante_due for seat in state.live
    ):
        return
    finished = [
        seat
        for seat in state.live
        if rules.ante_from == "seats"
        and state.stack_of(seat) < state.ante_due
        and state.bought[seat - 1] > state.stack
    ]
    if rules.short_seats == "retire":
        assert state.deal == most or len(state.live) - len(finished) < 2
    else:
        assert state.deal == most or finished


def last_dealt(sizes: list[int], packets: tuple[int, ...]) -> int:
    """Who gets the last card, counted from forehand as 0."""
    missing, last, turn = list(sizes), 0, 0
    while sum(missing):
        for seat in range(len(sizes)):
            for _ in range(packets[turn % len(packets)]):
                if missing[seat]:
                    missing[seat] -= 1
                    last = seat
        turn += 1
    return last


class DealChecker:
    """One deal, from the first card to the last chip."""

    def __init__(self, table: BotTable, state: State, seen: Counter[str]) -> None:
        rules = state.rules
        assert state.dealer is not None
        places = {seat: state.places[seat - 1] for seat in state.live}
        self.seen = seen
        self.strategies = table.strategies
        self.rules = rules
        self.order = from_forehand(places, state.dealer, rules.direction)
        self.trump = None if rules.trump == "turned" else rules.trump[0].upper()
        self.dealt = table.cards.dealt
        self.cards = table.cards
        self.hands = {seat: list(hand) for seat, hand in self.dealt.hands.items()}
        self.deck = self._deck()
        self.betting: Betting | None = None
        self.shed: Shed | None = None
        self.taken: list[int] = []
        """Who took each run that is over."""
        self.bonuses = 0
        self._check_dealing()

    def _deck(self) -> list[str]:
        deck = self.rules.deck
        return full_deck((32 if len(self.order) <= 4 else 52) if deck == "auto" else deck)

    def _check_dealing(self) -> None:
        rules, count, turned = self.rules, len(self.order), self.dealt.turned
        assert list(self.hands) == self.order
        if isinstance(rules.hand, int):
            sizes = [rules.hand] * count
        else:
            cards = len(self.deck) - (rules.hand == "all-but-one")
            sizes = [len(range(seat, cards, count)) for seat in range(count)]
        assert [len(hand) for hand in self.hands.values()] == sizes
        together = [card for hand in self.hands.values() for card in hand] + [*self.dealt.talon]
        if self.trump:
            assert turned is None
        elif rules.hand == "all":
            assert turned
            assert self.hands[self.order[last_dealt(sizes, rules.packets)]][-1] == turned
        else:
            assert turned
            together.append(turned)
        assert sorted(together) == sorted(self.deck)
        assert not self.dealt.talon or isinstance(rules.hand, int)

    def check_cards(self) -> None:
        """Every card is where it should be, by the record that the code keeps."""
        game = self.cards.shedding
        if game is None or self.shed is None:
            return
        held = {seat: set(cards_of(hand)) for seat, hand in game.hands.items()}
        assert held == self.shed.hands
        assert game.tableau.hand_sizes == tuple(len(self.shed.hands[seat]) for seat in self.order)
        laid = set(self.deck) - set(self.dealt.talon) - set().union(*self.shed.hands.values())
        if self.dealt.turned and self.rules.hand != "all":
            laid.remove(self.dealt.turned)
        assert set(cards_of(game.tableau.played)) == laid

    def command(self, before: State, command: Any, after: State) -> None:
        """Checks a command between the antes and the end of the deal."""
        match command:
            case Turn(card=card):
                assert self.trump is None
                assert card == self.dealt.turned
                self.trump = card[1]
                if self.rules.hand == "all":
                    assert after.blocked == before.blocked
                    assert not after.claims
            case Claim(seat=seat, pool=pool):
                assert seat == self.entitled(pool)
                self.seen[f"claim {pool}"] += 1
                if self.dealt.turned in (needed_for(pool, self.rules, self.trump) or ()):
                    assert self.rules.hand == "all", "nobody holds it"
                    self.seen["claim of the card turned up"] += 1
            case Next():
                self._check_unclaimed(before)
                self._begin_betting(after)
            case Stake() | Pass():
                self._bet(command, after)
            case Showdown(ranking=ranked):
                self._show_down(ranked, after)
            case Go(seat=seat):
                assert self.rules.run_bonus
                assert seat == self.taken[self.bonuses]
                self.bonuses += 1
            case Out(seat=seat):
                assert self.shed
                assert not self.shed.hands[seat]
                assert self.bonuses == (len(self.taken) if self.rules.run_bonus else 0)
            case Settle(cards=cards):
                assert self.shed
                held = {str(seat): len(hand) for seat, hand in self.shed.hands.items()}
                assert {**cards, str(before.winner): 0} == held
            case _:
                raise AssertionError(f"bots have no reason for {command}")

    def entitled(self, pool: str) -> int | None:
        """Who holds the cards of a meld pool (CARDS.md 3)."""
        assert self.trump
        meant = next((one for one in self.rules.pool if one.at == pool), None)
        if meant and meant.least > len(self.order):
            return None
        needed = needed_for(pool, self.rules, self.trump)
        if needed is None:
            return sequence_holder(self.hands, self.trump, self.rules.sequence)
        return next((seat for seat, hand in self.hands.items() if needed <= set(hand)), None)

    def _check_unclaimed(self, state: State) -> None:
        """Chips are left only in pools whose cards nobody holds."""
        for pool in MELD:
            if pool in self.rules.pools and state.pool(pool):
                assert self.entitled(pool) is None, pool
                self.seen["unclaimed"] += 1
                everything_is_held = self.rules.hand == "all"
                alone = len(needed_for(pool, self.rules, self.trump) or "run") == 1
                assert not alone or not everything_is_held or self.rules.pool

    def _begin_betting(self, state: State) -> None:
        rules = self.rules
        takes_poch = rules.bet_pool == "pinke" and rules.bet_pool_takes_poch
        self.betting = Betting(
            order=list(self.order),
            stacks={seat: state.stack_of(seat) for seat in self.order},
            bet_pool=state.pool(rules.bet_pool),
            poch=state.pool("poch") if takes_poch else 0,
            raises=rules.raises,
            all_in=rules.all_in,
            prove_set=rules.prove_set,
            bluff_penalty=rules.bluff_penalty,
            leader_rule=rules.leader,
        )
        self._check_betting(state)

    def _bet(self, command: Stake | Pass, after: State) -> None:
        assert self.betting
        if isinstance(command, Stake):
            self._check_hand(command.seat)
            assert self.betting.stake(command.seat, command.chips) is None
        else:
            assert self.betting.pass_(command.seat) is None
        self._check_betting(after)

    def _check_hand(self, seat: int) -> None:
        """A seat stakes only with cards that allow it to stake and to win."""
        if best_set(self.hands[seat]):
            return
        self.seen["stake without a set"] += 1
        assert not self.rules.bet_needs_set, "only a hand with a set may stake"
        if self.strategies[seat].name != "random":
            assert self.rules.high_card or not self.rules.prove_set, "it can win nothing"

    def _show_down(self, ranked: list[Any], after: State) -> None:
        assert self.betting
        rules = self.rules
        hands = {seat: self.hands[seat] for seat in self.betting.still_in}
        best = ranking(hands, self.trump, rules.tie_break, high_card=rules.high_card)
        groups = [set(tied) if isinstance(tied, list) else {tied} for tied in ranked]
        assert groups[: len(best)] == best
        for seats in groups[len(best) :]:
            # They split a pot for which nobody with a set is eligible.
            assert groups[-1] == seats
            assert not any(best_set(hands[seat]) for seat in seats)
        self.seen["tie"] += any(len(seats) > 1 for seats in best)
        assert self.betting.showdown(ranked) is None
        self._check_betting(after)

    def _check_betting(self, state: State) -> None:
        """The chips and the turn are as the oracle says."""
        betting = self.betting
        assert betting
        assert {seat: state.stack_of(seat) for seat in self.order} == betting.stacks
        assert state.pool(self.rules.bet_pool) == betting.bet_pool
        assert (state.phase, state.to_act) == (betting.phase, betting.to_act)
        assert state.leader == betting.leader

    def lay(self, state: State, action: PlayCard) -> None:
        """A card is played."""
        if self.shed is None:
            rules = self.rules
            variant = rules.shedding
            self.shed = Shed(
                variant=f"{variant} {rules.run_ends}" if variant == "thirty-one" else variant,
                order=self.order,
                hands={seat: set(hand) for seat, hand in self.hands.items()},
                turn=state.leader,
            )
        shed = self.shed
        assert action.seat == shed.turn
        assert action.card in shed.playable(action.seat)
        if action.card == self.dealt.turned:
            self.seen["lay of the card turned up"] += 1
        shed.lay(action.card)
        if shed.taken is not None:
            self.taken.append(shed.taken)
