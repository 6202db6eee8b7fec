"""The arbiter: knows all cards of the deal, shows each seat its own, and settles by the referee."""

from __future__ import annotations

from random import Random

from pochboard.cards.card import Card, deck_of, sorted_hand
from pochboard.cards.dealing import Dealt, deal_out
from pochboard.cards.hands import hand_claims, sequence_winner
from pochboard.cards.referee import Ranking, settle_showdown
from pochboard.cards.shedding import Shedding, begin_shedding, play_card
from pochboard.errors import CardError
from pochboard.players.view import View
from pochboard.rules.state import State


class Arbiter:
    """The cards of one table, deal after deal."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self.dealt: Dealt | None = None
        self.game: Shedding | None = None
        """The shedding, once it has begun."""
        self.due: dict[int, tuple[str, ...]] = {}
        """The pools that each seat may claim by its cards; `sequence` for the best run alone."""
        self._hands: dict[int, tuple[Card, ...]] = {}
        self._deal = 0
        self._known: State | None = None
        """The state that was found last to be of this deal."""

    def knows(self, state: State) -> bool:
        """Whether the cards of the deal in progress are here, and no other card was turned up."""
        if state is not self._known:
            if (
                self.dealt is None
                or self._deal != state.deal
                or state.turned not in (None, self.dealt.turned)
                or tuple(self.dealt.hands) != state.from_forehand
            ):
                return False
            # While cards are laid the state is the same one, card after card.
            self._known = state
        return True

    def deal(self, state: State) -> None:
        """Shuffles and deals for the deal in progress."""
        deck = list(deck_of(state.deck))
        self._chance.shuffle(deck)
        self.put(state, deal_out(deck, state.rules, state.from_forehand))

    def put(self, state: State, dealt: Dealt) -> None:
        """Takes cards that have been dealt for the deal in progress."""
        self.dealt, self.game, self._deal, self._known = dealt, None, state.deal, None
        self._hands = {seat: sorted_hand(hand) for seat, hand in dealt.hands.items()}
        rules, trump = state.rules, dealt.turned[1]
        self.due = {seat: hand_claims(hand, trump, rules) for seat, hand in dealt.hands.items()}
        best = sequence_winner(dealt.hands, trump, rules.sequence)
        for seat, pools in self.due.items():
            if "sequence" in pools and best and best[0] != seat:
                self.due[seat] = tuple(pool for pool in pools if pool != "sequence")

    def clear_unless(self, deal: int) -> None:
        """The cards go back unless they are those of this deal: it was void, or taken back."""
        if self._deal != deal:
            self.dealt, self.game, self._deal, self._known = None, None, 0, None

    @property
    def cards(self) -> Dealt:
        """The cards as dealt; only to be asked in a deal that the arbiter knows."""
        assert self.dealt is not None, "cards have been dealt"
        return self.dealt

    def view(self, seat: int, state: State) -> View:
        """What the seat sees."""
        tableau = self.game.tableau if self.game else None
        return View(seat, state, self._hands[seat], self.cards.turned, tableau)

    def ranking(self, state: State) -> Ranking:
        """Who wins the showdown."""
        hands = {seat: self._hands[seat] for seat in state.still_in}
        return settle_showdown(state, hands, self.cards.turned[1])

    def shedding(self, state: State) -> Shedding:
        """The shedding as it stands; it begins when it is first asked for."""
        if self.game is None:
            assert state.leader is not None, "somebody leads the shedding"
            self.game = begin_shedding(
                state.rules, self.cards.hands, self.cards.turned, state.leader
            )
        return self.game

    def take_up(self) -> None:
        """The shedding is taken back: everybody has the cards in hand again."""
        self.game = None

    def lay(self, seat: int, card: Card) -> None:
        """A seat lays a card. Raises CardError if it may not."""
        if self.game is None or self.game.tableau.to_play != seat:
            raise CardError("It is not this seat's turn to lay a card")
        self.game = play_card(self.game, card)
