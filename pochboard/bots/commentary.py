"""What everybody at a bots' table can see of the cards, and a commentary on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from pochboard.bots.bot_table import AwaitPerson, BotCommand, BotTable, PlayCard
from pochboard.cards.card import HEIGHT, Card, cards_of, sorted_hand
from pochboard.cards.hands import best_set, cards_for_claim, hand_value
from pochboard.cards.shedding import PIPS
from pochboard.messages.commentary import (
    BetReason,
    card_played,
    cards_dealt_again,
    cards_shown,
    last_card,
    takes_run,
    trump_suit,
    turned_card_is_kept,
    why_bet,
    why_run_is_over,
)
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.verdicts import Words, hand_phrase, why_ranked
from pochboard.rules.commands import Claim, Deal, Pass, Settle, Showdown, Stake, Turn, Void
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.text.names import card_names
from pochboard.text.translator import ENGLISH, Translator

LINES: Final = 12
"""How many lines of commentary are kept."""


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
    lines: tuple[str, ...]
    """The commentary, newest line last."""
    reasons: tuple[str, ...]
    """Why the bots bet as they did in the last deal settled; those of this deal are secret."""


class Commentary(msgspec.Struct, frozen=True):
    """The sentences of `OpenCards` in a language."""

    lines: tuple[str, ...]
    reasons: tuple[str, ...]


class _ExplainedBet(msgspec.Struct, frozen=True):
    """A bet of this deal, and why a bot made it."""

    progress: int
    """The chips staked and the passes before it."""
    why: str


class Commentator:
    """Follows the play at one table."""

    def __init__(self, table: BotTable, t: Translator = ENGLISH) -> None:
        self._table = table
        self._lines: deque[str] = deque(maxlen=LINES)
        self._t = t
        self._shown: dict[int, set[Card]] = {}
        self._run: tuple[Laid, ...] = ()
        self._taker: int | None = None
        self._bets: list[_ExplainedBet] = []
        """The bets of this deal."""
        self._reasons: tuple[str, ...] = ()

    def add_line(self, line: str) -> None:
        """Adds a line of commentary."""
        self._lines.append(line)

    def add_entry(self, entry: EntryContext) -> None:
        """Adds the sentence of an entry of the ledger."""
        self.add_line(sentence(entry, self._t))

    def observe(
        self,
        before: State,
        action: BotCommand | PlayCard,
        after: State,
        entry: EntryContext | None = None,
    ) -> None:
        """Comments on an action; `entry` is its entry in the ledger, if there is one."""
        if isinstance(action, PlayCard):
            self._card_played(action, after)
            return
        why = ""
        match action.command:
            case Deal():
                self._clear()
                why = self._dealt(after)
            case Void():
                self._clear()
                why = cards_dealt_again(self._t)
            case Turn():
                why = self._turned_up(after)
            case Claim(seat, pool):
                cards = self._claim_cards(seat, pool, before)
                why = cards_shown(cards, self._t) if cards else ""
            case Showdown():
                why = self._showdown(before)
            case Stake(seat) | Pass(seat) if action.reason:
                self._explain(before, seat, action.reason)
            case Settle():
                self._deal_over(before)
            case _:
                pass
        recorded = sentence(entry, self._t) if entry else ""
        line = f"{recorded} {why}".strip()
        if line:
            self.add_line(line)

    def commentary(self) -> Commentary:
        """The sentences that everybody can read now."""
        return Commentary(tuple(self._lines), self._reasons)

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
            lines=tuple(self._lines),
            reasons=self._reasons,
        )

    def _clear(self) -> None:
        self._shown, self._run, self._taker = {}, (), None
        self._bets = []

    def _dealt(self, state: State) -> str:
        """The trump suit, where it is known without a card."""
        suit = state.rules.fixed_trump
        return trump_suit(suit, self._t) if suit else ""

    def _turned_up(self, state: State) -> str:
        assert state.trump is not None, "the card has just been turned up"
        hands, t = self._table.cards.dealt.hands, self._t
        holders = [seat for seat, hand in hands.items() if state.turned in hand]
        lines = [turned_card_is_kept(state.name_of(seat), t) for seat in holders]
        return " ".join([*lines, trump_suit(state.trump, t)])

    def _card_played(self, action: PlayCard, state: State) -> None:
        shedding = self._table.cards.shedding
        assert shedding is not None, "cards are played in the shedding"
        leads = self._taker is not None or not self._run
        if leads:
            self._run = ()
        self._run = (*self._run, Laid(action.seat, action.card))
        self._taker = shedding.run_winner
        t = self._t
        lines = [card_played(state.name_of(action.seat), action.card, t, leads=leads)]
        if shedding.winner is not None:
            lines.append(last_card(t))
        elif shedding.run_winner is not None:
            count = sum(PIPS[play.card] for play in self._run)
            lines.append(why_run_is_over(action.card, state.rules, shedding.tableau, count, t))
            if shedding.run_winner != action.seat:
                lines.append(takes_run(state.name_of(shedding.run_winner), t))
        self.add_line(" ".join(lines))

    def _claim_cards(self, seat: int, pool: str, state: State) -> tuple[Card, ...]:
        """The cards that a claim shows; none if the card turned up pays the dealer."""
        cards = self._table.cards
        if not cards.match(state) or seat not in cards.dealt.hands:
            return ()
        hand, trump = cards.dealt.hands[seat], cards.trump(state)
        return cards_for_claim(pool, hand, trump, state.rules.sequence)

    def _cards_on_show(self, state: State) -> dict[int, tuple[Card, ...]]:
        shown = {seat: set(cards) for seat, cards in self._shown.items()}
        for pool, seat in state.claims:
            shown.setdefault(seat, set()).update(self._claim_cards(seat, pool, state))
        return {seat: sorted_hand(cards) for seat, cards in sorted(shown.items()) if cards}

    def _showdown(self, before: State) -> str:
        cards = self._table.cards
        ranking = cards.ranking(before)
        hands = cards.dealt.hands
        for seat in before.still_in:
            self._shown.setdefault(seat, set()).update(_shown_cards(hands[seat], before.rules))
        return why_ranked(
            ranking, before.rules, Words(before.name_of, card_names(self._t), self._t)
        )

    def _explain(self, before: State, seat: int, reason: BetReason) -> None:
        """Keeps the reason for a bet until all cards are known."""
        # Every bet adds chips or a pass, so bets that are not behind this state were taken back.
        progress = sum(before.committed) + len(before.passed)
        self._bets = [bet for bet in self._bets if bet.progress < progress]
        words = Words(before.name_of, card_names(self._t), self._t)
        rules, cards = before.rules, self._table.cards
        value = hand_value(cards.dealt.hands[seat], rules, cards.view(seat, before).trump)
        phrase = hand_phrase(value, rules, words)
        self._bets.append(_ExplainedBet(progress, why_bet(before, seat, reason, phrase, self._t)))

    def _deal_over(self, before: State) -> None:
        """Everybody shows the cards left in hand, and the bots say why they bet as they did."""
        self._reasons = tuple(bet.why for bet in self._bets)
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
