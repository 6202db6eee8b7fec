"""The table's setup, and the records that it publishes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal
from zlib import crc32

import msgspec

from pochboard.bots.bot_table import OpenCards
from pochboard.buttons.panel import UsableButtons
from pochboard.buttons.press import Lobby, Pending, PressTimes
from pochboard.buttons.settings import BoardSettings, DisplayLanguage, Question, SettingSign
from pochboard.cards.card import Card
from pochboard.config import ColourOrder
from pochboard.errors import Refusal, RefusedInput
from pochboard.ledger.book import Book, LegalActions, Step
from pochboard.ledger.entry import Cue, SoundName, passes_turn, sound_of_entry
from pochboard.ledger.replay import StoredNight
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages.entries import EntryContext, entry_contexts
from pochboard.messages.practice import Lesson
from pochboard.rules.commands import AnyCommand, Settle, Start
from pochboard.rules.seating import Resolve
from pochboard.rules.state import State


class Setup(msgspec.Struct, frozen=True):
    """How a table is set up."""

    resolve: Resolve
    """Finds the ruleset of a `start`."""
    times: PressTimes = PressTimes()
    lights: LightsConfig = LightsConfig()
    window_s: float = 60.0
    """How long the pairing window stays open."""
    draw: Callable[[Sequence[int]], int] = secrets.choice
    """Draws the place of the first dealer by lot."""
    switch_off: Callable[[], None] | None = None
    """Switches the machine off, called in the table's thread; None if the board may not do that."""
    language: DisplayLanguage | None = None
    """The language of the board's display until somebody chooses another; None if none is set."""
    silent: bool = False
    """Whether the board's piezo, if it has one, is configured to play nothing."""

    @property
    def first_settings(self) -> BoardSettings:
        """The settings of the board until somebody chooses others."""
        return BoardSettings(night=self.lights.night)


class BoardInfo(msgspec.Struct, frozen=True):
    """The board at this table."""

    kind: str
    link: bool
    simulated: bool
    has_sound: bool = False
    """Whether it plays tunes: it has a piezo, and is not configured to be silent."""
    order: ColourOrder = "RGB"
    """In which order it sends the colours of a pixel."""
    left_open: tuple[Question, ...] = ()
    """What the configuration does not say about it."""


class Bots(msgspec.Struct, frozen=True):
    """Bots at the table, and the cards that everybody sees."""

    cards: OpenCards
    speed: float
    """How many times faster than people the bots play."""
    stuck: Refusal | None = None
    """Why the bots cannot continue until somebody does something."""
    held: Mapping[int, int] = {}
    """How many cards each seat holds in this deal; none if the cards are not those of this deal."""
    practice: bool = False
    """Whether it is a practice deal, of which `Hand` has the lessons."""
    session: str = ""
    """Tells these bots from those of another night."""


class Hand(msgspec.Struct, frozen=True):
    """The cards of a person who has taken a seat, and what that person may do with them."""

    seat: int
    cards: tuple[Card, ...]
    """The cards in hand, sorted."""
    playable: tuple[Card, ...]
    """Those that may be played now; empty when it is another seat's turn."""
    due: tuple[str, ...]
    """The pools that the hand may claim now."""
    lesson: Lesson | None = None
    """What the coach of a practice deal speaks of now."""


class BoardTest(msgspec.Struct, frozen=True):
    """A question of the first light, and the buttons heard since it was asked."""

    ask: str
    number: int
    """Counts the questions, so that one that is asked again is another one."""
    heard: tuple[str, ...] = ()
    """In the order in which they went down."""
    digits: str = ""
    """What the display shows meanwhile."""
    tune: SoundName | None = None
    """What the piezo has played for it."""


class Snapshot(msgspec.Struct, frozen=True):
    """Everything that phones may know at one moment; every change makes a new one."""

    revision: int
    """Raised by every change, and higher after a restart than before."""
    night: int | None
    entry: int
    """The number of the last entry of the night; 0 before the first night."""
    state: State
    pending: Pending | None
    """Also None for a lobby in which nothing has been pressed."""
    legal: LegalActions
    buttons: UsableButtons
    board: BoardInfo
    pairing_window_s: float
    """How long the pairing window stays open."""
    pairing_open_until_ms: int | None
    pairing_code: str | None
    """The code that pairs a phone while the window is open; for paired clients only."""
    pairing_changes: int
    """Raised whenever a phone is paired or a pairing revoked."""
    phones: bool
    """Whether a paired phone has been used since the daemon started."""
    last: EntryContext | None
    """The last entry of the night."""
    undoes: EntryContext | None
    """The entry that `undo` would take back."""
    redoes: EntryContext | None
    taken_back: tuple[int, ...]
    """The numbers of this night's entries that are no longer in force."""
    times: PressTimes
    """The times of the presses."""
    lobby: Lobby | None
    """Between nights, who is in for the next one, even if nothing has been pressed."""
    lobby_names: Mapping[int, str]
    """The names of the places in the lobby."""
    earlier_names: tuple[str, ...] = ()
    """Between nights, the names last used at any place."""
    start: Start | None = None
    """Between nights, the command that began the night that the next one continues, if any."""
    model: State | None = None
    """The night that the next one continues, if that is not the last one but an earlier one."""
    bots: Bots | None = None
    """The bots, if any play."""

    aliases: Mapping[str, str] = {}
    """As in the remarks: by name, what the person is called instead."""
    settings: BoardSettings = BoardSettings()
    """What people have chosen for the board."""
    setting: SettingSign | None = None
    """The step that was just chosen at the board."""
    switching_off: Literal["asked", "confirmed"] | None = None
    """Whether the board asks whether to switch the machine off, or is about to do so."""
    fault: Refusal | None = None
    """Why nothing can be recorded at all, for example because the ledger is damaged."""
    test: BoardTest | None = None
    """The test of the board that is under way."""
    clock_set: bool = True
    """Whether the network has set the clock of this machine."""
    zone: str = ""
    """The IANA name of the time zone of the board; empty if it is not known."""
    correctable_from: int | None = None
    """The first entry of the night that may still be corrected, if any may be."""
    corrected: bool = False
    """Whether the last entry belongs to a correction, which is as silent as an undo."""

    @property
    def basis(self) -> str:
        """Identifies what a command may depend on: night, entry and half-entered input.

        A selected seat does not count, because every command names its seat. The same situation
        has the same text after a restart, so that a repeated command is still accepted.
        """
        basis, pending = _moment(self.night, self.entry), self.pending
        entered = (pending.chips, pending.hands, pending.counts) if pending else ()
        if any(entered):
            basis.append(f"{crc32(msgspec.json.encode(entered)):x}")
        return ".".join(basis)

    def is_of_this_entry(self, basis: str) -> bool:
        """Whether a `basis` names this night and entry, whatever is half entered."""
        return basis.split(".")[:2] == _moment(self.night, self.entry)

    def entries_since(self, basis: str) -> range:
        """The indices of the entries since a `basis`; none if it is of another night."""
        night, _, entry = basis.partition(".")
        known = entry.isascii() and entry.isdigit() and len(entry) < _MOST_DIGITS
        return range(int(entry), self.entry) if known and night == str(self.night) else range(0)

    def was_settled_with(self, seat: int, cards: int | None, basis: str) -> bool:
        """Whether this count of a sender who had seen the entry before has just settled the deal.

        Then its answer was lost, and it was sent again.
        """
        return (
            isinstance(self.command, Settle)
            and (str(seat), cards) in self.command.cards.items()
            and basis.split(".")[:2] == _moment(self.night, self.entry - 1)
        )

    @property
    def command(self) -> AnyCommand | None:
        """The command of the last entry."""
        return self.last.entry.command if self.last else None

    def cues_since(self, earlier: Snapshot) -> tuple[Cue, ...]:
        """What is announced when this snapshot follows an earlier one. A correction is silent."""
        cues: list[Cue] = []
        new = None if self.corrected else self.last
        if new is not None and (self.night != earlier.night or self.entry > earlier.entry):
            sound = sound_of_entry(new.before, new.after, new.entry.command)
            cues += [sound] if sound else []
        if passes_turn(earlier.state, self.state):
            cues.append("turn")
        return tuple(cues)


_MOST_DIGITS: Final = 9


def _moment(night: int | None, entry: int) -> list[str]:
    return [str(night or 0), str(entry)]


class Recorded(msgspec.Struct, frozen=True):
    """The answer to a command: its entry, and the state after it."""

    entry: int
    state: State
    revision: int


class Preview(msgspec.Struct, frozen=True):
    """What a correction would record, and the state now."""

    before: State
    steps: Sequence[Step]


class ReplayedNight(msgspec.Struct, frozen=True):
    """A night with the state after each entry; for one thread."""

    stored: StoredNight
    book: Book

    @property
    def states(self) -> Sequence[State]:
        """The state after each entry."""
        return self.book.states

    def contexts(self, numbers: range | None = None) -> Iterator[EntryContext]:
        """The entries, or those with these numbers, with what their sentences need."""
        return entry_contexts(self.stored.entries, self.book.states, numbers)


class Imported(msgspec.Struct, frozen=True):
    """The numbers of the imported nights, and what had to be done to close them."""

    nights: list[int]
    remarks: list[str]


class Listener:
    """Follows the table, by default without doing anything.

    It is called in the table's thread, so it must return at once.
    """

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""

    def on_refused(self, refused: RefusedInput) -> None:
        """A press or command was refused."""

    def on_frame(self, frame: Frame) -> None:
        """The lights changed."""
