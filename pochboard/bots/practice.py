"""A practice deal: a table of bots whose cards and bets are arranged, and that waits for a learner.

The deal shows every part of the game once: the learner claims four pools, meets a knock with an
equal pair, wins because of the trump in it, and goes out first by leading the cards advised. All
else follows from the rules, so the learner may do anything that they allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from random import Random
from typing import Any, Final

from pochboard.bots.betting import SENSIBLE, Strategy
from pochboard.bots.bot_table import AwaitPerson, BotAction, BotTable
from pochboard.bots.card_play import choose_card
from pochboard.cards.card import HEIGHT, Card, card_set, deal_out, sorted_hand
from pochboard.cards.hands import best_set, cards_for_claim, hand_value
from pochboard.messages.practice import LESSONS, Lesson, LessonName, ShownHand
from pochboard.rules.betting import stake_range
from pochboard.rules.commands import AnyCommand, Deal, End, Pass, Stake
from pochboard.rules.melding import claimable
from pochboard.rules.state import BETWEEN_NIGHTS, State

LEARNER: Final = 1
"""The seat of the learner, who deals and so is the last to bet."""
PLAYERS: Final = 4
_KNOCKER: Final = 2
_KNOCK: Final = 2
"""The chips that the knocker puts in."""

HANDS: Final[Mapping[int, str]] = {
    2: "AS TH AC 8D 7S 9C JC QS",
    3: "7H TD KC JH 8S 9S TC QC",
    4: "9H JD 7C QD TS 8C JS KS",
    LEARNER: "KH 7D AD QH KD 9D AH 8H",
}
"""The hands of the `family` ruleset, from forehand on. The last card is dealt last and shown."""


class PracticeTable(BotTable):
    """Plays all seats but the learner's for one deal, and waits after each lesson until it is read.

    If a bot plays the learner's seat, nothing waits.
    """

    def __init__(self, strategies: Mapping[int, Strategy], seed: str) -> None:
        super().__init__(strategies, seed)
        self._read: set[LessonName] = set()

    def read(self, name: LessonName) -> None:
        """Notes that the learner has read a lesson."""
        self._read.add(name)

    def next_action(self, state: State) -> BotAction | None:
        """As for other bots, but first a lesson may have to be read."""
        action = super().next_action(state)
        if action is not None and LEARNER not in self.strategies:
            lesson = self.lesson(state)
            if lesson is not None and lesson.waits:
                return AwaitPerson(LEARNER, "read")
        return action

    def lesson(self, state: State) -> Lesson | None:
        """What the coach speaks of now; None if there is no deal of the practice."""
        if state.phase in BETWEEN_NIGHTS or LEARNER not in state.live:
            return None
        name = self._name(state)
        waits = LESSONS[name].waits and name not in self._read
        return Lesson(name=name, seat=LEARNER, waits=waits, **self._about(name, state))

    def _name(self, state: State) -> LessonName:
        cards, shedding = self.cards, self.cards.shedding
        names: tuple[LessonName, ...]
        if state.phase == "idle":
            names = ("broke", "table", "night") if state.deal else ("welcome", "board")
        elif not cards.match(state) or (state.phase == "meld" and state.trump is None):
            names = ("board",)  # the cards are being dealt
        elif state.phase == "meld":
            names = ("trump", "meld" if self._due(state, LEARNER) else "left")
        elif state.phase == "pochen":
            acts = state.to_act == LEARNER or bool(state.committed[LEARNER - 1])
            names = ("poch", "stakes", "raise", "bet" if acts else "raise")
        elif state.phase == "showdown":
            names = ("showdown",)
        elif state.winner is not None:
            names = ("out",)
        elif shedding is None or shedding.tableau.to_play != LEARNER:
            names = ("shed", "watch")
        else:
            names = ("shed", "follow" if shedding.tableau.run else "lead")
        # The first that has not been read, else the last.
        return next((name for name in names if name not in self._read), names[-1])

    def _due(self, state: State, seat: int) -> tuple[str, ...]:
        """The pools that the cards of a seat still win."""
        may = claimable(state, seat)
        return tuple(pool for pool in self.cards.due.get(seat, ()) if pool in may)

    def _about(self, name: LessonName, state: State) -> dict[str, Any]:
        """The cards and pools that a lesson is about, as fields of `Lesson`."""
        rules, cards = state.rules, self.cards
        about: dict[str, Any] = {}
        match name:
            case "board":
                about = {"pools": rules.antes(len(state.live))}
            case "trump":
                about = {"shown": (ShownHand(0, (state.turned,)),) if state.turned else ()}
            case "meld":
                due, hand = self._due(state, LEARNER), cards.dealt.hands[LEARNER]
                needed = [cards_for_claim(pool, hand, cards.trump(state), rules) for pool in due]
                about = {"pools": due, "marked": sorted_hand({*chain(*needed)})}
            case "left":
                due_to_others = {pool for seat in state.live for pool in self._due(state, seat)}
                pools = [pool for pool in rules.meld_pools if state.pool(pool)]
                about = {"pools": tuple(pool for pool in pools if pool not in due_to_others)}
            case "stakes" | "raise":
                about = {"pools": rules.won_by_betting}
            case "poch" | "bet":
                hand = cards.dealt.hands[LEARNER]
                value = hand_value(hand, rules, cards.trump(state))
                about = {"pools": rules.won_by_betting, "marked": _set_of(hand), "value": value}
            case "showdown":
                hands = cards.dealt.hands
                shown = tuple(ShownHand(seat, _set_of(hands[seat])) for seat in state.still_in)
                ranking = cards.ranking(state)
                about = {"pools": rules.won_by_betting, "shown": shown, "ranking": ranking}
            case "lead" | "follow":
                # Where the suit is continued, nothing is drawn by lot.
                card = choose_card(cards.view(LEARNER, state), SENSIBLE, Random(0))  # noqa: S311
                about = {"marked": (card,)}
            case "out" if cards.shedding and state.winner:
                about = {"left": cards.shedding.cards_left(state.winner)}
            case "night":
                about = {"pools": tuple(pool for pool in rules.pools if state.pool(pool))}
            case _:
                pass
        return about

    def _deal(self, state: State) -> None:
        """Deals the hands of the practice; shuffles if others than its seats play."""
        if HANDS.keys() != set(state.live):
            super()._deal(state)
            return
        hands = [HANDS[seat].split() for seat in state.from_forehand]
        deck = [card for cards in zip(*hands, strict=True) for card in cards]
        self.cards.put(state, deal_out(deck, state.deal_rules, state.from_forehand))

    def _between_deals(self, state: State) -> AnyCommand:
        return End() if state.deal else Deal()

    def _bet(self, state: State) -> BotAction:
        seat = state.to_act
        assert seat is not None, "it is somebody's turn to bet"
        if seat == LEARNER and seat not in self.strategies:
            return AwaitPerson(seat, "bet")
        need, limits = state.need(seat), stake_range(state)
        if seat in (_KNOCKER, LEARNER) and limits.least <= limits.most:
            chips = limits.least if need else min(_KNOCK, limits.most)
            return Stake(seat, chips)
        return Pass(seat)


def _set_of(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    """The best set of a hand."""
    count, height = best_set(card_set(hand))
    return sorted_hand(card for card in hand if count and HEIGHT[card] == height)
