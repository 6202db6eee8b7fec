"""All cards of a deal at a bots' table, hidden ones included."""

from __future__ import annotations

from random import Random

from pochboard.bots.strategy import View
from pochboard.cards.card import Card, deck_of, sorted_hand
from pochboard.cards.dealing import Dealt, deal_out
from pochboard.cards.hands import hand_claims, sequence_winner
from pochboard.cards.referee import Ranking, settle_showdown
from pochboard.cards.shedding import Shedding, begin_shedding, play_card
from pochboard.errors import CardError
from pochboard.rules.state import State
from pochboard.text.lazy import lazy_gettext


class TableCards:
    """The cards of one table, deal after deal: deals them, and shows each seat its own."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._dealt: Dealt | None = None
        self.shedding: Shedding | None = None
        """The shedding, once it has begun."""
        self.due: dict[int, tuple[str, ...]] = {}
        """The pools that each seat may claim by its cards; `sequence` only for the best run."""
        self._hands: dict[int, tuple[Card, ...]] = {}
        self._deal = 0
        self._matching: State | None = None
        """The last state that the cards were found to match."""

    def match(self, state: State) -> bool:
        """Whether these are the cards of the deal in progress, with the right card turned up."""
        if state is not self._matching:
            if (
                self._dealt is None
                or state.dealer is None  # the night is over
                or self._deal != state.deal
                or state.turned not in (None, self._dealt.turned)
                or tuple(self._dealt.hands) != state.from_forehand
            ):
                return False
            # While cards are played, the state stays the same object.
            self._matching = state
        return True

    def deal(self, state: State) -> None:
        """Shuffles, and deals for the deal in progress."""
        deck = list(deck_of(state.deck))
        self._chance.shuffle(deck)
        self.put(state, deal_out(deck, state.rules, state.from_forehand))

    def put(self, state: State, dealt: Dealt) -> None:
        """Uses these cards for the deal in progress."""
        self._dealt, self.shedding, self._deal, self._matching = dealt, None, state.deal, None
        self._hands = {seat: sorted_hand(hand) for seat, hand in dealt.hands.items()}
        rules, trump = state.rules, self.trump(state)
        self.due = {seat: hand_claims(hand, trump, rules) for seat, hand in dealt.hands.items()}
        best = sequence_winner(dealt.hands, trump, rules.sequence)
        for seat, pools in self.due.items():
            if "sequence" in pools and best and best[0] != seat:
                self.due[seat] = tuple(pool for pool in pools if pool != "sequence")

    def clear_unless(self, deal: int) -> None:
        """Drops the cards of any other deal, which was voided or undone."""
        if self._deal != deal:
            self._dealt, self.shedding, self._deal, self._matching = None, None, 0, None

    @property
    def are_dealt(self) -> bool:
        """Whether there are any cards."""
        return self._dealt is not None

    @property
    def dealt(self) -> Dealt:
        """The cards as they were dealt. There must be some."""
        assert self._dealt is not None, "cards have been dealt"
        return self._dealt

    def trump(self, state: State) -> str:
        """The trump suit, even if the card turned up has not been entered."""
        suit = state.rules.trump_suit(self.dealt.turned)
        assert suit is not None, "a card is turned up unless the ruleset fixes the suit"
        return suit

    def view(self, seat: int, state: State) -> View:
        """What the seat sees."""
        tableau = self.shedding.tableau if self.shedding else None
        return View(seat, state, self._hands[seat], self.dealt.turned, tableau)

    def ranking(self, state: State) -> Ranking:
        """Who wins the showdown."""
        hands = {seat: self._hands[seat] for seat in state.still_in}
        return settle_showdown(state, hands, self.trump(state))

    def begin_shedding(self, state: State) -> Shedding:
        """The shedding in progress; begins it if necessary."""
        if self.shedding is None:
            assert state.leader is not None, "the shedding has a leader"
            self.shedding = begin_shedding(state.rules, self.dealt, state.leader)
        return self.shedding

    def undo_shedding(self) -> None:
        """Returns everybody's cards, after the entry that began the shedding was undone."""
        self.shedding = None

    def play_card(self, seat: int, card: Card) -> None:
        """A seat plays a card. Raises CardError if it may not."""
        if self.shedding is None or self.shedding.tableau.to_play != seat:
            raise CardError(lazy_gettext("It is not this seat's turn to play a card"))
        self.shedding = play_card(self.shedding, card)
