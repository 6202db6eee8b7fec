"""A table of bots: its cards, the next action, what each seat sees, and the presses.

The state and the cards decide the next action.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Any, Final, Literal, final

import msgspec

from pochboard.bots.betting import Strategy, View, choose_bet
from pochboard.bots.card_play import choose_card
from pochboard.buttons.press import NOTHING, Pending, Press
from pochboard.cards.card import (
    CARD_OF,
    HEIGHT,
    Card,
    CardSet,
    Dealt,
    card_set,
    cards_of,
    deal_out,
    deck_of,
    sorted_hand,
)
from pochboard.cards.hands import (
    Ranking,
    best_set,
    cards_for_claim,
    hand_claims,
    sequence,
    settle_showdown,
)
from pochboard.cards.shedding import (
    PIPS,
    Shedding,
    begin_shedding,
    play_card,
)
from pochboard.errors import NightError, Refusal, card_error
from pochboard.rules import commands
from pochboard.rules.commands import AnyCommand
from pochboard.rules.melding import claimable, is_claimable
from pochboard.rules.registry import play
from pochboard.rules.ruleset import LEAST_LIVE, RUN, Ruleset
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS, State


class TableCards:
    """The cards of one table, deal after deal: deals them, and shows each seat its own."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._dealt: Dealt | None = None
        self._deal = 0
        """The number of the deal."""
        self._hands: dict[int, CardSet] = {}
        """By seat, from forehand on."""
        self.due: dict[int, tuple[str, ...]] = {}
        """The pools that each seat may claim by its cards; `sequence` only for the best run."""
        self.shedding: Shedding | None = None
        """The shedding, once it has begun."""

    def match(self, state: State) -> bool:
        """Whether these are the cards of the deal in progress, with the right card turned up."""
        return (
            self._dealt is not None
            and state.dealer is not None  # the night is not over
            and self._deal == state.deal
            and state.turned in (None, self._dealt.turned)
            and state.trump in (None, self.trump(state))
            and tuple(self._hands) == state.from_forehand
        )

    def deal(self, state: State) -> None:
        """Shuffles, and deals for the deal in progress."""
        deck = list(deck_of(state.deck))
        _shuffle(deck, self._chance)
        self.put(state, deal_out(deck, state.deal_rules, state.from_forehand))

    def put(self, state: State, dealt: Dealt) -> None:
        """Uses these cards for the deal in progress."""
        self._dealt, self.shedding, self._deal = dealt, None, state.deal
        self._hands = {seat: card_set(hand) for seat, hand in dealt.hands.items()}
        rules, trump = state.rules, self.trump(state)
        self.due = {seat: hand_claims(hand, trump, rules) for seat, hand in self._hands.items()}
        runs = {seat: dealt.hands[seat] for seat, pools in self.due.items() if RUN in pools}
        if len(runs) > 1:
            best = sequence(runs, rules, trump).seat
            for seat in runs.keys() - {best}:
                self.due[seat] = tuple(pool for pool in self.due[seat] if pool != RUN)

    def clear_unless(self, deal: int) -> None:
        """Drops the cards of any other deal, which was voided or undone."""
        if self._deal != deal:
            self._dealt, self.shedding, self._deal = None, None, 0

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
        return settle_showdown(state, self.dealt.hands, self.trump(state))

    def begin_shedding(self, state: State) -> Shedding:
        """The shedding in progress; begins it if necessary."""
        if self.shedding is None:
            assert state.leader is not None, "the shedding has a leader"
            self.shedding = begin_shedding(state.rules, self.dealt, state.leader)
        return self.shedding

    def play_card(self, seat: int, card: Card) -> None:
        """A seat plays a card. Raises CardError if it may not."""
        if self.shedding is None or self.shedding.tableau.to_play != seat:
            raise card_error("It is not this seat's turn to play a card")
        self.shedding = play_card(self.shedding, card)


def _shuffle(deck: list[Card], chance: Random) -> None:
    """As `chance.shuffle`, in half the time, and on every Python the same."""
    random_bits = chance.getrandbits
    for last in range(len(deck) - 1, 0, -1):
        bits = (last + 1).bit_length()
        while (place := random_bits(bits)) > last:
            pass
        deck[last], deck[place] = deck[place], deck[last]


OPEN_DEALS: Final = 24
"""An open night ends after this many deals, unless somebody runs out of chips twice before."""
MOST_DEALS: Final = 100
"""Every other night of unknown length ends after this many deals at the latest."""


def most_deals(rules: Ruleset) -> int:
    """After how many deals bots end a night, if it has not ended by itself."""
    if isinstance(rules.deals, int):
        return rules.deals
    return OPEN_DEALS if rules.deals == "open" else MOST_DEALS


@final
class PlayCard(msgspec.Struct, frozen=True, gc=False):
    """A seat plays a card, which moves no chips."""

    seat: int
    card: Card


@final
class AwaitPerson(msgspec.Struct, frozen=True, gc=False):
    """A person has to do something first. `read`: a learner reads what the coach says."""

    seat: int
    what: Literal["meld", "bet", "lay", "read"]


BotAction = AnyCommand | PlayCard | AwaitPerson
"""The next action: a command, a card, or a wait until a person has acted."""


class BotTable:
    """Plays the seats that have a strategy; people play the others.

    Each action is decided from the state alone, so people may send any command in between, such
    as a claim, an undo, a recount or a void. The same seed gives the same night.
    """

    def __init__(self, strategies: Mapping[int, Strategy], seed: str) -> None:
        self.strategies = dict(strategies)
        """The strategy of each seat that a bot plays."""
        # The cards have their own random numbers, so they do not depend on what the bots decide.
        self._chance = Random(f"bets {seed}")  # noqa: S311 - a game, and to be repeated
        self.cards = TableCards(Random(f"cards {seed}"))  # noqa: S311

    def next_action(self, state: State) -> BotAction | None:
        """What happens next; None while there is no night.

        This may draw from the seed's random numbers, so call it once per action.
        """
        if state.phase in BETWEEN_NIGHTS:
            return None
        cards = self.cards
        if state.phase == "idle":
            cards.clear_unless(state.deal)
            return self._between_deals(state)
        if not cards.match(state):
            if not _may_deal(state):
                # The night was resumed in mid-deal, or the card turned up is not the one dealt.
                return commands.Void()
            self._deal(state)
        if state.phase != "shed":
            # The entry that began the shedding may have been undone.
            cards.shedding = None
        match state.phase:
            case "meld":
                return self._meld(state)
            case "pochen":
                return self._bet(state)
            case "showdown":
                ranking = cards.ranking(state).ranking
                return commands.Showdown([list(tied) if tied[1:] else tied[0] for tied in ranking])
            case _:
                return self._shed(state)

    def carried_out(self, action: BotAction) -> None:
        """Notes that an action of `next_action` has happened."""
        # A command needs no note, because it shows in the new state.
        if isinstance(action, PlayCard):
            self.cards.play_card(action.seat, action.card)

    def play_card(self, state: State, seat: int, card: Card) -> None:
        """A person plays a card. Raises CardError if they may not, or a run bonus is due first."""
        due = self.bonus_due(state)
        if due is not None:
            raise card_error(
                "The run bonus of {name} must be recorded first", name=state.name_of(due)
            )
        self.cards.play_card(seat, card)

    def bonus_due(self, state: State) -> int | None:
        """The seat that has won a run and not yet been paid the bonus for it, if any.

        Each `go` pays one bonus, whoever sends it; an `undo` makes it due again.
        """
        shedding = self.cards.shedding
        if shedding is None or not state.rules.run_bonus:
            return None
        return next(iter(shedding.run_winners[state.bonuses :]), None)

    def _deal(self, state: State) -> None:
        self.cards.deal(state)

    def _between_deals(self, state: State) -> AnyCommand:
        """A seat short of the ante buys in once a night; the second time the night ends.

        Where such seats retire, it ends only when fewer than two could ante; a banker hands over.
        """
        rules = state.rules
        if short := state.short_seats:
            may_buy = [seat for seat in short if state.bought[seat - 1] <= state.stack]
            if not may_buy and state.banker is not None:
                rich = [seat for seat in state.live if state.stack_of(seat) >= state.ante_due]
                return commands.Banker(rich[0]) if rich else commands.End()
            broke = len(short) - len(may_buy)
            at_most = len(state.live) - LEAST_LIVE if rules.short_seats == "retire" else 0
            if broke > at_most:
                return commands.End()
            if may_buy:
                return commands.Rebuy(may_buy[0], max(state.stack, state.ante_due))
        return commands.End() if state.deal >= most_deals(rules) else commands.Deal()

    def _meld(self, state: State) -> BotAction:
        cards = self.cards
        # No card can be turned up after a claim, even an early one: continue without the card.
        turned = cards.dealt.turned
        if turned is not None and state.trump is None and not state.claims:
            return commands.Turn(turned)
        for seat, pools in cards.due.items():
            if pools and seat in self.strategies:
                for pool in pools:
                    if is_claimable(state, seat, pool):
                        return commands.Claim(seat, pool)
        persons = [seat for seat in state.live if seat not in self.strategies]
        if not persons:
            return commands.Next()
        # A person who still has something to claim comes first.
        claimants = (
            seat
            for seat in persons
            if not set(claimable(state, seat)).isdisjoint(cards.due.get(seat, ()))
        )
        return AwaitPerson(next(claimants, persons[0]), "meld")

    def _bet(self, state: State) -> BotAction:
        seat = state.to_act
        assert seat is not None, "it is somebody's turn to bet"
        strategy = self.strategies.get(seat)
        if strategy is None:
            return AwaitPerson(seat, "bet")
        return choose_bet(self.cards.view(seat, state), strategy, self._chance)

    def _shed(self, state: State) -> BotAction:
        shedding = self.cards.begin_shedding(state)
        due, winner = self.bonus_due(state), state.winner
        if due is not None:
            return commands.Go(due)
        if winner is not None:
            left = shedding.cards_left(winner)
            return commands.Settle({str(seat): cards for seat, cards in left.items()})
        if shedding.winner is not None:
            return commands.Out(shedding.winner)
        seat = shedding.tableau.to_play
        assert seat is not None, "a seat plays next until a hand is empty"
        if seat not in self.strategies:
            return AwaitPerson(seat, "lay")
        legal = shedding.choices
        if not legal & (legal - 1):
            return PlayCard(seat, CARD_OF[legal])
        view = self.cards.view(seat, state)
        return PlayCard(seat, choose_card(view, self.strategies[seat], self._chance))


def _may_deal(state: State) -> bool:
    """Whether no card of this deal is known yet."""
    if state.phase != "meld" or state.turned is not None or state.told_suit:
        return False
    # If a card has yet to be turned up, a claim came too early and shows no cards.
    return state.rules.turns_a_card or not state.claims


def play_night(
    start: commands.Start, table: BotTable, resolve: Resolve
) -> Iterator[tuple[State, AnyCommand | PlayCard, State]]:
    """Plays a whole night of bots without a board: state before, action, state after.

    A card moves no chips, so the state is the same before and after it. Raises NightError if the
    ruleset or its options cannot be played.
    """
    before = State()
    action: BotAction | None = start
    while action is not None:
        assert type(action) is not AwaitPerson, "bots play every seat"
        after: State | Refusal = before
        if type(action) is PlayCard:
            table.carried_out(action)
        else:
            after = play(before, action, resolve)
        if type(after) is Refusal and action is start:
            raise NightError(after.sentence)
        assert type(after) is State, f"a bot's command was refused: {action}: {after}"
        yield before, action, after
        before, action = after, table.next_action(after)


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

    def observe(self, before: State, action: AnyCommand | PlayCard) -> None:
        """Looks at an action, once the table has carried it out."""
        cards = self._table.cards
        match action:
            case PlayCard(seat, card):
                assert cards.shedding is not None, "cards are played in the shedding"
                run = self._run if self._taker is None else ()
                self._run = (*run, Laid(seat, card))
                self._taker = cards.shedding.run_winner
            case commands.Deal() | commands.Void():
                self._shown, self._run, self._taker = {}, (), None
            case commands.Showdown():
                for seat in before.still_in:
                    own = _shown_cards(cards.dealt.hands[seat], before.rules)
                    self._shown.setdefault(seat, set()).update(own)
            case commands.Settle() if cards.shedding:
                # Everybody shows the cards left in hand.
                left = cards.shedding.hands
                self._shown = {seat: set(cards_of(left[seat])) for seat in before.live}
            case _:
                pass

    def open_cards(self, state: State, *, waits: AwaitPerson | None) -> OpenCards:
        """What everybody can see now."""
        cards, strategies = self._table.cards, self._table.strategies
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
        return OpenCards(
            players={
                seat: strategies[seat].name if seat in strategies else "person"
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
            laid=sorted_hand(laid.difference(play.card for play in self._run)),
            shown=shown,
            waits=waits,
        )

    def _cards_on_show(self, state: State) -> dict[int, tuple[Card, ...]]:
        cards = self._table.cards
        shown = {seat: set(own) for seat, own in self._shown.items()}
        if cards.match(state):
            for pool, seat in state.claims:
                # The dealer shows no card for a pool that the card turned up pays.
                hand, trump = cards.dealt.hands.get(seat, ()), cards.trump(state)
                claimed = cards_for_claim(pool, hand, trump, state.rules)
                shown.setdefault(seat, set()).update(claimed)
        return {seat: sorted_hand(own) for seat, own in sorted(shown.items()) if own}


def _shown_cards(hand: Collection[Card], rules: Ruleset) -> list[Card]:
    """The cards of a hand that decide a showdown, or may decide it."""
    count, height = best_set(card_set(hand))
    if count == 2 and rules.tie_break == "side-cards":
        return list(hand)
    if count:
        return [card for card in hand if HEIGHT[card] == height]
    return [max(hand, key=HEIGHT.__getitem__)] if rules.high_card else []


# Presses at the simulated board

_ALL_IN_AT_ONCE: Final = 3
"""If more chips than this remain to be pressed, a whole stack goes in with one long press."""

NEXT = Press(("next",))
BOTH = Press(("next", "undo"), long=True)


def next_press(command: AnyCommand, state: State, pending: Pending | None) -> Press | None:
    """The next press on the way to a legal command; None if only a phone can send it.

    Call it again after each press, until the command is recorded.
    """
    press, now = None, pending or NOTHING
    match command:
        case commands.Deal() | commands.Next():
            press = NEXT
        case commands.Void() | commands.End():
            press = BOTH
        case commands.Claim(seat, pool):
            press = _seat_then_pool(seat, pool, state, now)
        case commands.Out(seat):
            press = _seat_then_pool(seat, "pinke", state, now)
        case commands.Go(seat) if not state.winner:
            press = _seat_then_pool(seat, "poch", state, now)
        case commands.Rebuy(seat, chips) if state.is_short(seat) and chips == state.stack:
            press = _seat_then_pool(seat, "pinke", state, now)
        case commands.Stake(seat, chips):
            press = _stake(seat, chips, state, now)
        case commands.Pass(seat):
            press = Press((_button(seat, state),), long=True)
        case commands.Showdown(ranking):
            press = _showdown(ranking, state, now)
        case commands.Settle(cards):
            press = _settle({int(seat): held for seat, held in cards.items()}, state, now)
        case _:
            pass
    return press


def _button(seat: int, state: State) -> str:
    return f"seat{state.places[seat - 1]}"


def _seat_then_pool(seat: int, pool: str, state: State, now: Pending) -> Press:
    selected = now.place == state.places[seat - 1]
    return Press((pool if selected else _button(seat, state),))


def _stake(seat: int, chips: int, state: State, now: Pending) -> Press:
    button, pool = _button(seat, state), state.rules.bet_pool
    if now.chips == chips:
        return Press((pool,))
    if now.chips > chips:
        return Press((button,), long=True)
    if now.chips and chips == state.stack_of(seat) and chips - now.chips > _ALL_IN_AT_ONCE:
        return Press((pool,), long=True)
    return Press((button,))


def _showdown(ranking: list[Any], state: State, now: Pending) -> Press | None:
    """Hands from the best one down. Only a phone can send a tie."""
    if any(isinstance(item, list) for item in ranking):
        return None
    pressed = list(now.hands)
    if pressed != ranking[: len(pressed)]:
        return Press(("undo",))
    if not ranking:
        return Press((state.rules.bet_pool,), long=True)
    return Press((_button(ranking[len(pressed)], state),))


def _settle(cards: dict[int, int], state: State, now: Pending) -> Press:
    for seat, held in cards.items():
        counted = now.cards.get(seat)
        if counted != held:
            too_many = counted is not None and counted > held
            return Press((_button(seat, state),), long=too_many or held == 0)
    return NEXT
