"""One night of bots: who plays which seat, and what happens next."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pochboard.bots.betting import DEFAULT_STRATEGIES, Strategy
from pochboard.bots.bot_table import AwaitPerson, BotAction, BotCommand, BotTable, PlayCard
from pochboard.bots.open_cards import Onlooker
from pochboard.bots.practice import LEARNER, PLAYERS, PracticeTable
from pochboard.cards.card import Card, cards_of, sorted_hand
from pochboard.errors import CardError, Refusal, refuse
from pochboard.messages.practice import LessonName
from pochboard.rules.commands import (
    AnyCommand,
    Command,
    Deal,
    Next,
    Pass,
    Settle,
    Showdown,
    Stake,
    Start,
)
from pochboard.rules.melding import claimable
from pochboard.rules.ruleset_files import USUAL
from pochboard.rules.state import State
from pochboard.table.snapshot import Bots, Hand, Snapshot
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.text.translator import Translator

_DELAY_S: Final[dict[type[Command], float]] = {
    Deal: 2.5,
    Next: 2.0,
    Stake: 1.5,
    Pass: 1.0,
    Settle: 3.0,
}
_USUAL_DELAY_S: Final = 1.2
_CARD_DELAY_S: Final = 1.0


class BotSession:
    """One night of bots. Not thread-safe: the runner calls it under its lock."""

    def __init__(self, options: BotOptions, *, practice: bool = False) -> None:
        self.practice = PracticeTable(options.strategies(), options.seed) if practice else None
        """The table, if it is that of a practice deal."""
        self.speed = options.speed
        self.night: int | None = None
        """The number of the night, once it has started."""
        self.dismissed = False
        self.stuck: Refusal | None = None
        """Why the bots cannot continue, if they cannot."""
        self.version = 0
        """Increases when a card is played or a seat changes hands: the ledger records neither."""
        self.thread: threading.Thread | None = None
        self.shown: Bots | None = None
        """What the table was last told about the bots."""
        self._seed = options.seed
        self._session = secrets.token_urlsafe(6)
        self._table = self.practice or BotTable(options.strategies(), options.seed)
        self._onlooker = Onlooker(self._table)
        self._keys: dict[int, str] = {}
        """The key of each seat that a person has taken."""
        if practice:
            self._keys[LEARNER] = secrets.token_urlsafe(16)
            del self._table.strategies[LEARNER]
        self._decided: tuple[tuple[int, int], BotAction | None] | None = None

    # People at the table.

    def take_seat(self, seat: int, live: Iterable[int]) -> str | Refusal:
        """A person takes over a seat; the key identifies them."""
        if seat in self._keys:
            return refuse("seat-taken", lazy_gettext("Somebody has already taken this seat."))
        self.fill_seats(live)
        if self._table.strategies.pop(seat, None) is None:
            return refuse("unknown-seat", lazy_gettext("No computer player sits there."))
        self._keys[seat] = key = secrets.token_urlsafe(16)
        self.version += 1
        return key

    def give_back_seat(self, seat: int) -> Refusal | None:
        """A bot plays the seat again."""
        if self._keys.pop(seat, None) is None:
            return refuse("unknown-seat", lazy_gettext("Nobody has taken this seat."))
        self._table.strategies[seat] = strategy_of(seat)
        self.version += 1
        return None

    def fill_seats(self, live: Iterable[int]) -> None:
        """Gives every free seat a bot, because a player may have joined the night."""
        for seat in live:
            if seat not in self._table.strategies and seat not in self._keys:
                self._table.strategies[seat] = strategy_of(seat)
                self.version += 1

    def hand(self, key: str, state: State) -> Hand | Refusal:
        """The cards of the person with this key."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        cards = self._table.cards
        lesson = self.practice.lesson(state) if self.practice else None
        if not cards.match(state) or seat not in state.live:
            return Hand(seat, (), (), (), lesson)
        shedding = cards.shedding
        has_turn = (
            shedding is not None
            and shedding.tableau.to_play == seat
            and state.winner is None
            and self._table.bonus_due(state) is None
        )
        # A learner who claimed sooner would miss the lessons about the trump and melding.
        melds = state.phase == "meld" and (lesson is None or lesson.name == "meld")
        may = claimable(state, seat) if melds else ()
        return Hand(
            seat,
            sorted_hand(cards_of(cards.view(seat, state).held)),
            sorted_hand(shedding.legal()) if shedding and has_turn else (),
            tuple(pool for pool in cards.due[seat] if pool in may),
            lesson,
        )

    def read_lesson(self, key: str, name: LessonName) -> Refusal | None:
        """The learner with this key has read a lesson."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        if self.practice is None:
            return refuse("wrong-phase", lazy_gettext("This is no practice deal."))
        self.practice.read(name)
        self.version += 1
        return None

    def play_card(self, key: str, card: Card, state: State) -> Refusal | None:
        """The person with this key plays a card."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        if state.phase != "shed" or state.winner is not None:
            return refuse("wrong-phase", lazy_gettext("No cards are played now."))
        try:
            self._table.play_card(state, seat, card)
        except CardError as error:
            return refuse("bad-cards", lazy_gettext("{reason}.", reason=lazy_text(error)))
        self._onlooker.observe(state, PlayCard(seat, card))
        self.version += 1
        return None

    def _seat_of(self, key: str) -> int | Refusal:
        for seat, known in self._keys.items():
            if secrets.compare_digest(known.encode(), key.encode()):
                return seat
        return refuse("unknown-seat", lazy_gettext("This seat is no longer yours."))

    @property
    def learners_key(self) -> str:
        """The key of the learner, who has the seat from the beginning of a practice."""
        return self._keys[LEARNER]

    # Bots.

    def next_action(self, snapshot: Snapshot) -> BotAction | None:
        """What happens next. Decided once for each situation: deciding draws random numbers."""
        situation = snapshot.entry, self.version
        if self._decided is None or self._decided[0] != situation:
            self._decided = situation, self._table.next_action(snapshot.state)
        return self._decided[1]

    def carried_out(self, action: BotCommand | PlayCard, before: Snapshot) -> None:
        """Notes that an action has happened."""
        if isinstance(action, PlayCard):
            self._table.carried_out(action)
            self.version += 1
        self._onlooker.observe(before.state, action)

    def bots(self, state: State, action: BotAction | None) -> Bots:
        """What everybody may know about the bots and their cards."""
        waits = action if isinstance(action, AwaitPerson) else None
        cards = self._onlooker.open_cards(state, waits=waits)
        held = cards.held if self._table.cards.match(state) else {}
        practice = self.practice is not None
        return Bots(cards, self._seed, self.speed, self.stuck, held, practice, self._session)


def is_recorded(meant: AnyCommand, recorded: AnyCommand | None) -> bool:
    """Whether the recorded command is the one meant.

    The board sends a showdown as soon as the hands pressed decide every pot (BOARD.md 3).
    """
    if isinstance(meant, Showdown) and isinstance(recorded, Showdown):
        return meant.ranking[: len(recorded.ranking)] == recorded.ranking
    return meant == recorded


def delay_s(action: BotCommand | PlayCard) -> float:
    """How long people would take before this action, in seconds."""
    if isinstance(action, PlayCard):
        return _CARD_DELAY_S
    return _DELAY_S.get(type(action.command), _USUAL_DELAY_S)


SLOWEST: Final = 0.1
FASTEST: Final = 100.0
LONGEST_SEED: Final = 64
SEED_BYTES: Final = 16
"""The length of a random seed. Nobody can try all values of 128 bits."""

PRACTICE_SPEED: Final = 2.0

Speed = Annotated[float, Meta(ge=SLOWEST, le=FASTEST)]
"""How many times faster than people the bots play."""


class BotOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A night of bots."""

    ruleset: str = USUAL
    players: int = 4
    seed: Annotated[str, Meta(max_length=LONGEST_SEED)] = ""
    """Empty for a random one. All cards of the night follow from it, so it is secret."""
    speed: Speed = 1.0
    options: Mapping[str, Any] = {}

    def seeded(self) -> BotOptions:
        """The same options, with a seed."""
        if self.seed:
            return self
        return msgspec.structs.replace(self, seed=secrets.token_hex(SEED_BYTES))

    def start(self, t: Translator) -> Start:
        """The command that starts the night. The bots have names in the language of `t`."""
        names = tuple(bot_name(seat, t) for seat in range(1, self.players + 1))
        return Start(ruleset=self.ruleset, players=names, options=dict(self.options))

    @classmethod
    def practice(cls) -> BotOptions:
        """The practice deal: with the rules that boards are sold with, a little faster."""
        return cls(players=PLAYERS, speed=PRACTICE_SPEED)

    def strategies(self) -> dict[int, Strategy]:
        """The strategy at each seat."""
        return {seat: strategy_of(seat) for seat in range(1, self.players + 1)}


def practice_start(name: str, t: Translator) -> Start:
    """The command that starts a practice of somebody with this name, who deals."""
    options = BotOptions.practice()
    others = options.start(t).players[LEARNER:]
    learner = name or str(lazy_gettext("Guest").in_language(t))
    return Start(ruleset=options.ruleset, players=(learner, *others), dealer=LEARNER)


_NAMES: Final = {
    "sensible": (
        lazy_gettext("Sensible Sophie"),
        lazy_gettext("Sensible Simon"),
        lazy_gettext("Sensible Selma"),
    ),
    "bold": (
        lazy_gettext("Bold Bruno"),
        lazy_gettext("Bold Berta"),
        lazy_gettext("Bold Boris"),
    ),
    "careful": (
        lazy_gettext("Careful Clara"),
        lazy_gettext("Careful Carl"),
        lazy_gettext("Careful Cosima"),
    ),
}


def strategy_of(seat: int) -> Strategy:
    """The strategy of the bot at a seat."""
    return DEFAULT_STRATEGIES[(seat - 1) % len(DEFAULT_STRATEGIES)]


def bot_name(seat: int, t: Translator) -> str:
    """The name of the bot at a seat, such as `Bold Bruno`. Its last word is the first name."""
    names = _NAMES[strategy_of(seat).name]
    round_number = (seat - 1) // len(DEFAULT_STRATEGIES)
    return names[round_number % len(names)].in_language(t)
