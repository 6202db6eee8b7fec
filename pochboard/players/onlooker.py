"""The onlooker: what everybody sees of a table's cards, and says of it in a line."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Final

import msgspec

from pochboard.cards.card import HEIGHT, Card, sorted_hand
from pochboard.cards.hands import cards_for_claim, hand_value
from pochboard.cards.shedding_variants import PIPS
from pochboard.messages.commentary import (
    card_played,
    cards_dealt_again,
    cards_shown,
    last_card,
    takes_run,
    trump_suit,
    why_run_is_over,
)
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.labels import card_names
from pochboard.messages.translator import ENGLISH, Translator
from pochboard.messages.verdicts import Words, why_ranked
from pochboard.players.acts import Await, Do, Lay
from pochboard.players.house import House
from pochboard.rules.commands import Claim, Deal, Go, Out, Settle, Showdown, Turn, Void
from pochboard.rules.state import State

LINES: Final = 12
"""Lines of commentary that are kept."""


class Laid(msgspec.Struct, frozen=True):
    """A card on the table and who laid it."""

    seat: int
    card: Card


class OpenCards(msgspec.Struct, frozen=True, kw_only=True):
    """All that lies open at a table with cards; seats are keys."""

    players: dict[int, str]
    """The temperament of each house player, `person` where somebody has taken the seat."""
    turned: Card | None
    held: dict[int, int]
    """How many cards each seat holds."""
    run: tuple[Laid, ...]
    """The cards of the run, trick or count on the table, also when it is just over."""
    taker: int | None
    """Who took that run; None while it goes on."""
    count: int | None
    """What the run counts, where cards are added up to 31."""
    laid: tuple[Card, ...]
    """The cards played before this run."""
    shown: dict[int, tuple[Card, ...]]
    """Cards that seats have shown: for claims, at the showdown, left over at the end."""
    waits: Await | None
    """What a person is awaited to do."""
    lines: tuple[str, ...]
    """The commentary, newest line last."""


class Onlooker:
    """Watches one house play."""

    def __init__(self, house: House, t: Translator = ENGLISH) -> None:
        self._house = house
        self._lines: deque[str] = deque(maxlen=LINES)
        self._t = t
        self._shown: dict[int, set[Card]] = {}
        self._run: tuple[Laid, ...] = ()
        self._taker: int | None = None

    def say(self, line: str) -> None:
        """Adds a line of commentary."""
        self._lines.append(line)

    def say_entry(self, entry: EntryContext) -> None:
        """Adds the sentence of an entry of the ledger."""
        self.say(sentence(entry, self._t))

    def noticed(
        self, before: State, act: Do | Lay, after: State, entry: EntryContext | None = None
    ) -> None:
        """Something has happened; `entry` is the ledger's, if it was booked there."""
        if isinstance(act, Lay):
            self._see_card(act, after)
            return
        why = ""
        match act.command:
            case Deal():
                self._clear()
            case Void():
                self._clear()
                why = cards_dealt_again(self._t)
            case Turn(card):
                why = trump_suit(card, self._t)
            case Claim(seat, pool):
                cards = self._claimed(seat, pool, before)
                why = cards_shown(cards, self._t) if cards else ""
            case Showdown():
                why = self._see_showdown(before)
            case Go() | Out():
                pass
            case Settle():
                self._see_rest(before)
            case _:
                pass
        booked = sentence(entry, self._t) if entry else ""
        said = f"{booked} {why}".strip()
        if said:
            self.say(said)

    def open_cards(self, state: State, *, waits: Await | None) -> OpenCards:
        """What everybody sees now."""
        house, arbiter = self._house, self._house.arbiter
        dealt, game = arbiter.dealt, arbiter.game
        held: dict[int, int] = {}
        if dealt:
            hands = game.hands if game else dealt.hands
            held = {seat: len(hand) for seat, hand in hands.items()}
        laid = game.tableau.played if game else frozenset()
        counts = bool(game) and state.rules.shedding == "thirty-one"
        in_run = {one.card for one in self._run}
        return OpenCards(
            players={
                seat: house.tempers[seat].name if seat in house.tempers else "person"
                for seat in state.live
            },
            turned=dealt.turned if dealt and state.turned else None,
            held=held,
            run=self._run,
            taker=self._taker,
            count=sum(PIPS[one.card] for one in self._run) if counts else None,
            laid=sorted_hand(laid - in_run),
            shown=self._on_show(state),
            waits=waits,
            lines=tuple(self._lines),
        )

    def _clear(self) -> None:
        self._shown, self._run, self._taker = {}, (), None

    def _see_card(self, act: Lay, state: State) -> None:
        game = self._house.arbiter.game
        assert game is not None, "a card has been laid"
        leads = self._taker is not None or not self._run
        if leads:
            self._run = ()
        self._run = (*self._run, Laid(act.seat, act.card))
        self._taker = game.run_winner
        t = self._t
        lines = [card_played(state.name_of(act.seat), act.card, t, leads=leads)]
        if game.winner is not None:
            lines.append(last_card(t))
        elif game.run_winner is not None:
            count = sum(PIPS[one.card] for one in self._run)
            lines.append(why_run_is_over(act.card, state.rules, game.tableau, count, t))
            if game.run_winner != act.seat:
                lines.append(takes_run(state.name_of(game.run_winner), t))
        self.say(" ".join(lines))

    def _claimed(self, seat: int, pool: str, state: State) -> tuple[Card, ...]:
        """The cards that a claim shows; a card turned up may pay the dealer without any."""
        arbiter = self._house.arbiter
        if not arbiter.knows(state) or arbiter.cards.hands.get(seat) is None:
            return ()
        hand, trump = arbiter.cards.hands[seat], arbiter.cards.turned[1]
        return cards_for_claim(pool, hand, trump, state.rules.sequence)

    def _on_show(self, state: State) -> dict[int, tuple[Card, ...]]:
        shown = {seat: set(cards) for seat, cards in self._shown.items()}
        for pool, seat in state.claims:
            shown.setdefault(seat, set()).update(self._claimed(seat, pool, state))
        return {seat: sorted_hand(cards) for seat, cards in sorted(shown.items()) if cards}

    def _see_showdown(self, before: State) -> str:
        arbiter = self._house.arbiter
        found = arbiter.ranking(before)
        hands = arbiter.cards.hands
        for seat in before.still_in:
            self._shown.setdefault(seat, set()).update(_best(hands[seat], before.rules.high_card))
        return why_ranked(found, before.rules, Words(before.name_of, card_names(self._t), self._t))

    def _see_rest(self, before: State) -> None:
        """At the end of a deal everybody sees what was left in the hands."""
        game = self._house.arbiter.game
        if game:
            self._shown = {seat: set(game.hands[seat]) for seat in before.live}


def _best(hand: Collection[Card], high_card: bool) -> list[Card]:
    """The cards of a hand that are shown at a showdown."""
    shown = hand_value(tuple(hand), None)
    if shown.count:
        return [card for card in hand if card[0] == shown.rank]
    return [max(hand, key=HEIGHT.__getitem__)] if high_card else []
