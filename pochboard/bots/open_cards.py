"""What everybody at a bots' table can see of the cards."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from pochboard.bots.bot_table import AwaitPerson, BotCommand, BotTable, PlayCard
from pochboard.cards.card import HEIGHT, Card, cards_of, sorted_hand
from pochboard.cards.hands import best_set, cards_for_claim
from pochboard.cards.shedding import PIPS
from pochboard.rules.commands import Deal, Settle, Showdown, Void
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State


class Laid(msgspec.Struct, frozen=True):
    """A card on the table and who played it."""

    seat: int
    card: Card


class OpenCards(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the table that anybody can see. Keys are seats."""

    players: dict[int, str]
    """The strategy of each bot; `person` where somebody has taken the seat."""
    turned: Card | None
    held: dict[int, int]
    """How many cards each seat holds."""
    backs: dict[int, int]
    """How many of them lie face down: all but those that lie open once the deal is settled."""
    run: tuple[Laid, ...]
    """The cards of the run, trick or count on the table; they stay there until the next lead."""
    taker: int | None
    """Who won that run; None while it is in progress."""
    count: int | None
    """The sum of the run, where cards are added up to 31."""
    laid: tuple[Card, ...]
    """The cards played before this run."""
    shown: dict[int, tuple[Card, ...]]
    """Cards that seats have shown: for claims, at the showdown, or left over at the end."""
    waits: AwaitPerson | None
    """The person who has to do something, if any."""


class Onlooker:
    """Follows the play at one table."""

    def __init__(self, table: BotTable) -> None:
        self._table = table
        self._shown: dict[int, set[Card]] = {}
        self._run: tuple[Laid, ...] = ()
        self._taker: int | None = None

    def observe(self, before: State, action: BotCommand | PlayCard) -> None:
        """Looks at an action, once the table has carried it out."""
        if isinstance(action, PlayCard):
            self._card_played(action)
            return
        match action.command:
            case Deal() | Void():
                self._clear()
            case Showdown():
                self._showdown(before)
            case Settle():
                self._deal_over(before)
            case _:
                pass

    def open_cards(self, state: State, *, waits: AwaitPerson | None) -> OpenCards:
        """What everybody can see now."""
        table, cards = self._table, self._table.cards
        shedding = cards.shedding
        hands: Mapping[int, Collection[Card]] = {}
        if shedding:
            hands = {seat: cards_of(hand) for seat, hand in shedding.hands.items()}
        elif cards.are_dealt:
            hands = cards.dealt.hands
        shown = self._cards_on_show(state)
        # Before that, what was shown for a pool or at the showdown goes back into the hand.
        lying_open = shown if state.phase == "idle" else {}
        laid = set(cards_of(shedding.tableau.played)) if shedding else set()
        counts = bool(shedding) and state.rules.shedding == "thirty-one"
        in_run = {play.card for play in self._run}
        return OpenCards(
            players={
                seat: table.strategies[seat].name if seat in table.strategies else "person"
                for seat in state.live
            },
            turned=cards.dealt.turned if cards.are_dealt and state.turned else None,
            held={seat: len(hand) for seat, hand in hands.items()},
            backs={
                seat: len(set(hand).difference(lying_open.get(seat, ())))
                for seat, hand in hands.items()
            },
            run=self._run,
            taker=self._taker,
            count=sum(PIPS[play.card] for play in self._run) if counts else None,
            laid=sorted_hand(laid - in_run),
            shown=shown,
            waits=waits,
        )

    def _clear(self) -> None:
        self._shown, self._run, self._taker = {}, (), None

    def _card_played(self, action: PlayCard) -> None:
        shedding = self._table.cards.shedding
        assert shedding is not None, "cards are played in the shedding"
        if self._taker is not None:
            self._run = ()
        self._run = (*self._run, Laid(action.seat, action.card))
        self._taker = shedding.run_winner

    def _claim_cards(self, seat: int, pool: str, state: State) -> tuple[Card, ...]:
        """The cards that a claim shows; none if the card turned up pays the dealer."""
        cards = self._table.cards
        if not cards.match(state) or seat not in cards.dealt.hands:
            return ()
        hand, trump = cards.dealt.hands[seat], cards.trump(state)
        return cards_for_claim(pool, hand, trump, state.rules)

    def _cards_on_show(self, state: State) -> dict[int, tuple[Card, ...]]:
        shown = {seat: set(cards) for seat, cards in self._shown.items()}
        for pool, seat in state.claims:
            shown.setdefault(seat, set()).update(self._claim_cards(seat, pool, state))
        return {seat: sorted_hand(cards) for seat, cards in sorted(shown.items()) if cards}

    def _showdown(self, before: State) -> None:
        hands = self._table.cards.dealt.hands
        for seat in before.still_in:
            self._shown.setdefault(seat, set()).update(_shown_cards(hands[seat], before.rules))

    def _deal_over(self, before: State) -> None:
        """Everybody shows the cards left in hand."""
        shedding = self._table.cards.shedding
        if shedding:
            self._shown = {seat: set(cards_of(shedding.hands[seat])) for seat in before.live}


def _shown_cards(hand: Collection[Card], rules: Ruleset) -> list[Card]:
    """The cards of a hand that decide a showdown, or may decide it."""
    count, height = best_set(hand)
    if count == 2 and rules.tie_break == "side-cards":
        return list(hand)
    if count:
        return [card for card in hand if HEIGHT[card] == height]
    return [max(hand, key=HEIGHT.__getitem__)] if rules.high_card else []
