"""The types of the API's responses, from which their JSON and its description are made."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.buttons.settings import Brightness, Volume
from pochboard.demo.session import Hand
from pochboard.ledger.replay import NightStatus, NightSummary
from pochboard.ledger.settling import BankChoice, Way
from pochboard.ledger.sounds import Sound
from pochboard.messages.actions import Actions, ConfirmAction
from pochboard.messages.bots import HandAction
from pochboard.messages.guidance import Guidance
from pochboard.messages.parameters import ParameterField
from pochboard.messages.referee import RefereeQuestion
from pochboard.messages.seats import Plaque, PoolDetail, SeatRow, StandingsRow
from pochboard.messages.timeline import ChipMove, MarkKind
from pochboard.rules.commands import Adjust, AnyCommand, Claim, Showdown
from pochboard.rules.state import Phase
from pochboard.runtime.health import PartName


class RefusalAnswer(msgspec.Struct, frozen=True):
    """Why a request was refused: one of the contracts' codes, and a sentence for people."""

    code: str
    message: str


class RestoreAnswer(msgspec.Struct, frozen=True):
    """What the ledger of an uploaded backup holds."""

    nights: int
    entries: int


class PublicState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a night in the terms of RULES.md 9. Keys that are seats are strings."""

    phase: Phase
    deal: int
    dealer: int | None
    to_act: int | None
    leader: int | None
    knocker: int | None
    trump: str | None
    pools: dict[str, int]
    stacks: dict[str, int]
    bought: dict[str, int]
    live: list[int]
    places: dict[str, int]
    blocked: list[str]
    committed: dict[str, int]
    bank: int
    standings: list[tuple[int, int, int]] | None


class RulesetAnswer(msgspec.Struct, frozen=True):
    """A ruleset with its parameters (RULES.md 2)."""

    name: str
    parameters: dict[str, Any]


class LobbyAnswer(msgspec.Struct, frozen=True):
    """The night that is being set up by presses."""

    places: tuple[int, ...]
    dealer: int | None
    """The place that deals first."""
    armed: bool
    """Whether a second `next` starts the night."""


class PendingAnswer(msgspec.Struct, frozen=True):
    """What has been pressed but is not yet a command; only the keys that apply are present."""

    seat: int | UnsetType = UNSET
    place: int | UnsetType = UNSET
    """An empty place that is selected."""
    chips: int | UnsetType = UNSET
    hands: tuple[int, ...] | UnsetType = UNSET
    cards: dict[str, int] | UnsetType = UNSET
    lobby: LobbyAnswer | UnsetType = UNSET


class Allowed(msgspec.Struct, frozen=True):
    """What would be accepted now."""

    commands: tuple[str, ...]
    buttons: tuple[str, ...]


class BoardState(msgspec.Struct, frozen=True):
    """The board that is connected, and whether its link is up."""

    kind: str
    link: bool
    simulated: bool
    places: int
    pixels_per_ring: int
    has_sound: bool
    """Whether the board plays tunes."""
    has_sensor: bool
    """Whether the board has a light sensor."""
    brightness: Brightness
    """The step that people have chosen."""
    night: bool
    """Whether night mode halves the brightness."""
    volume: Volume
    """The part of the configured volume that people have chosen."""
    follows_room: bool
    """Whether the light sensor dims the board in a dark room."""
    brightness_steps: tuple[Brightness, ...]
    """The steps to choose from."""
    volume_steps: tuple[Volume, ...]


class PairingState(msgspec.Struct, frozen=True):
    """Whether the pairing window is open, until when, and whether this client is paired."""

    open: bool
    until_ms: int | None
    window_s: float
    """How long the window stays open."""
    button: str
    """The button that opens it. A client that is not paired may hold it too."""
    paired: bool
    digits: int
    """The length of a code."""
    how: str
    """How to pair a phone, in words."""
    code: str | None = None
    """The code on the board while the window is open; null for clients that are not paired."""


class HoldTimes(msgspec.Struct, frozen=True):
    """How long buttons must be held, in seconds, as this board is configured."""

    buttons: dict[str, float]
    """Those that mean something now when held."""
    both: float
    """`next` and `undo` together."""
    pairing: float
    """`next`, to open pairing."""
    silence: float
    """After how long without a report the simulated board releases a button."""


class LaidCard(msgspec.Struct, frozen=True):
    """A card on the table and the seat that played it."""

    seat: int
    card: str


class Awaited(msgspec.Struct, frozen=True):
    """What a person has to do before the bots continue."""

    seat: int
    what: Literal["meld", "bet", "lay"]


class DemoState(msgspec.Struct, frozen=True, kw_only=True):
    """Bots at the table, and all open cards. Keys are seats."""

    players: dict[str, str]
    """The strategy of each bot; `person` where somebody has taken the seat."""
    turned: str | None
    """The card turned up."""
    held: dict[str, int]
    """How many cards each seat holds."""
    backs: dict[str, int]
    """How many of them lie face down; none once the deal is settled and all hands lie open."""
    run: list[LaidCard]
    """The cards of the run, trick or count on the table, even if it has just ended."""
    taker: int | None
    """Who took that run; null while it is in progress."""
    count: int | None
    """The sum of the run, if cards are added up to 31."""
    laid: list[str]
    """The cards played before this run."""
    shown: dict[str, list[str]]
    """Cards that seats have shown: for claims, at the showdown, left over at the end."""
    waits: Awaited | None
    lines: list[str]
    """The commentary, newest line last."""
    reasons: list[str]
    """Why the bots bet as they did in the deal that has just been settled; empty until then."""
    seed: str
    """Always empty, because the seed reveals the hidden cards; see `bots_seed`."""
    speed: float
    stuck: str | None
    """Why the bots cannot continue until somebody does something."""
    message: str
    """What the page says while there is no card on the table."""
    short_names: dict[str, str]
    """The names of the seats that play; those of bots without their strategy."""


class HandAnswer(Hand, frozen=True, kw_only=True):
    """The cards of a person who has taken a seat, and what they may do, in words."""

    prompt: str
    """What to do now, in a sentence."""
    actions: tuple[HandAction, ...]
    """What may be sent without the board's buttons."""


class SeatAnswer(msgspec.Struct, frozen=True):
    """A seat was taken over; the key opens its cards."""

    seat: int
    key: str


class NextNight(msgspec.Struct, frozen=True):
    """The earlier night that the next one continues, because bots played the last one."""

    rows: tuple[SeatRow, ...]
    ruleset: RulesetAnswer | None
    stack: int | None


class NewPlayer(msgspec.Struct, frozen=True):
    """Somebody who is still there for the next night."""

    name: str
    place: int


class NewNight(msgspec.Struct, frozen=True, kw_only=True):
    """What the form of the next night begins with: what the board would begin it with.

    If that ruleset has been deleted since, it is the usual one.
    """

    players: tuple[NewPlayer, ...]
    """Those who are still there, in the order of their places."""
    fewest: int
    """How many players the ruleset needs."""
    ruleset: str
    options: dict[str, Any]
    """The parameters that were changed."""
    stack: int | None
    """The starting stack; null for the ruleset's own."""


class StateAnswer(PublicState, frozen=True, kw_only=True):
    """Everything that the page shows of the night in progress."""

    night: int | None
    ruleset: RulesetAnswer | None
    names: dict[str, str]
    entry: int
    pending: PendingAnswer | None
    allowed: Allowed
    board: BoardState
    pairing: PairingState
    revision: int
    clock_set: bool
    """Whether the network has set the clock of the board; if not, `/api/clock` has more."""
    seen: str
    """What a command may carry as its `seen`, so that it is refused if this has changed."""
    need: int | None
    """Chips the seat to act needs to hold."""
    deck: int | None
    """Cards in this deal's deck."""
    turned: str | None
    """The card turned up."""
    winner: int | None
    """The seat that has played its last card."""
    hand_sizes: dict[str, int]
    """Cards dealt to each live seat in this deal."""
    passed: list[int]
    """Seats that are out of the betting of this deal."""
    stack: int | None
    """The starting stack of this night."""
    demo: DemoState | None
    """The bots, if any play."""
    fault: RefusalAnswer | None
    """Why nothing can be booked at all."""
    switching_off: Literal["asked", "confirmed"] | None
    """Whether the board asks if the machine is to be switched off, or is about to do it."""
    bots_seed: str | None
    """The seed of the bots that played this night, once it is over."""
    undoes: str | None
    """The sentence of what an undo would take back."""
    redoes: str | None
    last_sentence: str | None
    last_sound: Sound | None
    """What the last entry sounds like."""
    turn_played: bool
    """Whether the board has played that the turn has passed with the last entry."""
    headline: tuple[str, ...]
    """The headline, in parts: `Night 3`, `modern`, `deal 2`."""
    headline_text: str
    """The same as one line; empty before the first night."""
    phase_name: str
    headline_phase: str
    """The headline as one line, with the phase."""
    guidance: Guidance
    """What may happen now, in words."""
    actions: Actions
    """The commands of `allowed`, each with what its control needs."""
    both: ConfirmAction | None
    """What `next` and `undo` lead to when they are held together, if to anything."""
    rows: tuple[SeatRow, ...]
    """The seats for the list."""
    rim: tuple[Plaque, ...]
    """The places for the drawing, clockwise; between nights, those that are in for the next."""
    pool_details: tuple[PoolDetail, ...]
    """The nine pools in board order."""
    board_label: str
    """The board in words, where it is only a picture."""
    standings_rows: tuple[StandingsRow, ...]
    """The seats at the end of a night, best first."""
    holds: HoldTimes
    referee: RefereeQuestion | None
    """What the cards could settle now, even if computer players do it."""
    bots_settle: bool
    """Whether computer players send what the cards settle."""
    taken_back: tuple[int, ...]
    """The numbers of this night's entries that are no longer in force."""
    hints: tuple[str, ...]
    """Numbers that cannot be right for the table, in sentences."""
    next_night: NextNight | None
    """The night that the next one continues; null for the night shown here."""
    new_night: NewNight | None
    """What the form of the next night begins with; null during a night."""


class CommandAnswer(msgspec.Struct, frozen=True):
    """A command was booked as this entry, and led to this state."""

    entry: int
    state: PublicState


class CommandRefusal(RefusalAnswer, frozen=True, kw_only=True):
    """Why a command was refused; with the code `changed` also what holds now."""

    seen: str | UnsetType = UNSET
    state: PublicState | UnsetType = UNSET


class RankingAnswer(msgspec.Struct, frozen=True):
    """Who wins the showdown by the cards, and the command that books it."""

    ranking: tuple[tuple[int, ...], ...]
    """Seats, best first; more than one is a tie. Empty if nobody has shown a set."""
    why: str
    command: Showdown
    order: tuple[str, ...]
    """The hands in their order, in words, if there is more than one."""
    missing: str | None
    """Who has shown nothing, in a sentence."""
    book_label: str
    """The label of the button that books it."""
    without_set: tuple[int, ...]
    """Seats that have shown cards but no set, although a set is needed to stake."""
    set_missing: str | None
    """The same in a sentence."""


class SequenceAnswer(msgspec.Struct, frozen=True):
    """Who takes the sequence pool by the cards, and the command that books it; null for nobody."""

    seat: int | None
    why: str
    command: Claim | None
    book_label: str | None
    """The label of the button that books it; null for nobody."""


class BoardAnswer(msgspec.Struct, frozen=True):
    """The pixels as they are now, `#rrggbb`, and the current they draw, by estimate."""

    pixels: list[str]
    ma: float


class PoolFace(msgspec.Struct, frozen=True):
    """A pool on the board's face: its centre, the radii of its parts, and the size of its inlays.

    The middles of the inlays are at equal distances on the ring, clockwise from its top. Each is a
    bar with round ends, at right angles to the ring's radius.
    """

    pool: str
    x: float
    y: float
    bowl: float
    ring: float
    flange: float
    length: float
    width: float


class PlaceFace(msgspec.Struct, frozen=True):
    """A place on the rim: its ends, in turns, and the middles of its pixel, number and mark."""

    start: float
    end: float
    pixel: tuple[float, float]
    number: tuple[float, float]
    dealer: tuple[float, float]


class DisplayFace(msgspec.Struct, frozen=True):
    """A display in its frame: the frame's middle and its direction from the board's centre.

    The rectangles are at right angles to that direction: width, then height. `out` is how much
    further from the centre the middle of what lights is.
    """

    x: float
    y: float
    turn: float
    frame: tuple[float, float]
    active: tuple[float, float]
    out: float


class FaceAnswer(msgspec.Struct, frozen=True):
    """The face of the board as it is built, from above, in mm from its centre.

    x points right and y down. Angles are in turns, clockwise from the top.
    """

    radius: float
    rim: float
    """Where the rim with the places begins."""
    pools: tuple[PoolFace, ...]
    """In board order."""
    pixels_per_ring: int
    places: tuple[PlaceFace, ...]
    buttons: dict[str, tuple[float, float]]
    """The middle of each button."""
    button: float
    """The diameter of a button's head."""
    inlay: float
    """The diameter of the inlay of a place."""
    flange: float
    """The diameter of the flange around it."""
    dealer_mark: float
    """Its diameter."""
    displays: tuple[DisplayFace, ...]


class FrameEvent(msgspec.Struct, frozen=True):
    """The pixels of the board, `#rrggbb`."""

    pixels: list[str]


class DisplayEvent(msgspec.Struct, frozen=True):
    """What the display of the simulated board shows."""

    bitmap: str
    """128 × 64 pixels in base64: eight bands from the top, each of 128 bytes from the left.

    A byte is a column of eight pixels, the lowest bit at the top.
    """
    text: str
    """The same in words."""
    language: str
    contrast: int
    """How bright its lit pixels are, 0 to 255."""


class TuneEvent(msgspec.Struct, frozen=True):
    """What the piezo of the simulated board begins to play, instead of the current tune."""

    notes: tuple[tuple[int, int], ...]
    """The pitch of each in Hz, 0 for a rest, and its duration in ms."""
    volume: int
    """0 (silent) to 255."""


class HeartbeatEvent(msgspec.Struct, frozen=True):
    """The daemon is alive, and this is the newest revision it has sent."""

    revision: int


class RefusedEvent(msgspec.Struct, frozen=True):
    """A press or command that was refused: the buttons pressed, or the command's name."""

    code: str
    message: str
    button: tuple[str, ...]
    command: str | None


class PressAnswer(msgspec.Struct, frozen=True):
    """What was refused of a press, and the revision after it."""

    refused: tuple[RefusedEvent, ...]
    revision: int


class BoardLook(msgspec.Struct, frozen=True):
    """What is needed to draw the board and count its chips (BOARD.md 4)."""

    places: int
    pixels_per_ring: int
    palette: tuple[str, ...]
    """The colours of 1, 2 … 6 and more chips on a pixel."""


ListSection = Literal["nights", "archived", "bots", "deleted"]
"""Where nights are listed: a deleted one only there, and one of bots not in the archive."""


class ImportProgress(msgspec.Struct, frozen=True):
    """The import of a score sheet."""

    done: float | None
    """How much of it is done, from 0 to 1; null if none is under way."""


class ListedNight(NightSummary, frozen=True, kw_only=True):
    """One line of the list of nights, with its words."""

    name: str | None
    """What the night is called, if it has a name."""
    archived: bool
    deleted: bool
    """Deleted nights are listed only with `?deleted=1`."""
    bots: bool
    """Nights of computer players are listed only with `?bots=1`."""

    section: ListSection
    status: NightStatus
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first; none while the night is open."""
    winners: str | None
    """The names of those who won; null while the night is open."""
    result: str
    """How it ended, in a sentence."""
    summary: str
    """Its number, ruleset, players, deals and entries, in words."""


class Download(msgspec.Struct, frozen=True):
    """A night as a file."""

    format: str
    label: str
    href: str
    file: str
    """The name that the file should get."""


class SettlementForm(msgspec.Struct, frozen=True):
    """How a night may be settled; the usual choice comes first."""

    ways: tuple[Way, ...]
    banks: tuple[BankChoice, ...]
    currency: str
    """The usual sign of the currency."""


class NightAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A night of the ledger. `ended_ms` is null while it is open."""

    number: int
    started_ms: int
    ended_ms: int | None
    ruleset: str
    parameters: dict[str, Any]
    """The ruleset as it was frozen into the night."""
    players: list[str]
    """The names of all seats of the night, by seat number."""
    names: dict[str, str]
    """The same by seat, as they are called at the end."""
    board: BoardLook
    deals: int
    entries: int
    imported: bool
    standings: list[tuple[int, int, int]] | None
    standings_rows: tuple[StandingsRow, ...]
    """The persons at the end, best first; none while the night is open."""
    taken_back: tuple[int, ...]
    """The numbers of the entries that are no longer in force."""
    headline: tuple[str, ...]
    """`Night 3`, `modern`, and whether it was kept on paper."""
    headline_text: str
    """The same as one line."""
    title: str
    """The same after the night's name, if it has one."""
    section: ListSection
    status: NightStatus
    winners: str | None
    result: str
    summary: str
    state: PublicState
    downloads: tuple[Download, ...]
    name: str | None
    """What the night is called, if it has a name."""
    settling: SettlementForm
    archived: bool
    deleted: bool
    bots: bool
    """Whether computer players played it, so that it does not count."""
    records: tuple[str, ...]
    """Who did most of what, and what was left on the board, in sentences; none while it is open."""
    rules: str
    """The rules in a few sentences."""
    bgstats: str | None
    """A link that hands the result to the app BG Stats; null while the night is open."""


class PostingRow(msgspec.Struct, frozen=True):
    """Chips that an account received or paid, in words."""

    account: str
    name: str
    chips: int
    text: str


class EntryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the ledger, in words, and the state after it."""

    number: int
    time: str
    """When it was booked, ISO 8601 in UTC."""
    time_ms: int
    command: AnyCommand
    sentence: str
    postings: tuple[tuple[str, int], ...]
    ref: int | None
    state: PublicState
    names: dict[str, str]
    """What the seats are called after it."""
    posting_rows: tuple[PostingRow, ...]
    taken_back: bool
    """Whether it is no longer in force at the end."""
    pixels: tuple[str, ...] | UnsetType = UNSET
    """The board after it, `#rrggbb`; this and what follows only with `?pixels=1`."""
    rows: tuple[SeatRow, ...] | UnsetType = UNSET
    rim: tuple[Plaque, ...] | UnsetType = UNSET
    pool_details: tuple[PoolDetail, ...] | UnsetType = UNSET
    board_label: str | UnsetType = UNSET
    """The board in words, for screen readers."""
    mark: MarkKind | UnsetType | None = UNSET
    """How it is marked on the timeline, if at all."""
    moves: tuple[ChipMove, ...] | UnsetType = UNSET
    """Between which accounts its chips moved."""
    moves_text: tuple[str, ...] | UnsetType = UNSET
    """The same in words; if there are many, what each account paid or received."""


class MovementRow(msgspec.Struct, frozen=True):
    """An entry that changed an account, in words."""

    number: int
    time_ms: int
    sentence: str
    chips: int
    text: str
    """The chips with their sign."""
    uncounted: bool
    """Whether it came after the account's last recount."""


class CountedHint(msgspec.Struct, frozen=True):
    """What it may mean if this number of chips is counted in an account."""

    counted: int
    sentence: str


class AccountAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A pool or stack of the night in progress, and why it holds what it holds."""

    account: str
    name: str
    chips: int
    rules: tuple[str, ...]
    """What wins a pool, in sentences."""
    rows: tuple[MovementRow, ...]
    """The entries since it was last empty, or last counted if that is longer ago; oldest first."""
    taken: str | None
    """Who won a pool last, in a sentence."""
    taken_text: str | None
    """The same sentence, introduced as the last time."""
    hints: tuple[str, ...]
    """Why its number, or that of the whole table, cannot be right."""
    count_hints: tuple[CountedHint, ...]


class RecountAnswer(msgspec.Struct, frozen=True):
    """The command that books what was counted; null if the ledger says the same."""

    command: Adjust | None


class RulesetProblem(msgspec.Struct, frozen=True):
    """A house ruleset that cannot be used, and why."""

    file: str
    key: str | None
    reason: str
    sentence: str
    """All of this in a sentence."""


class ListedRuleset(msgspec.Struct, frozen=True):
    """A ruleset that a night can be started with."""

    name: str
    shipped: bool
    parameters: dict[str, Any]
    summary: str
    """A summary in a few sentences."""
    preset: str = ""
    """The shipped ruleset that it is nearest to; a shipped ruleset is its own."""
    players: tuple[int, int] = (0, 0)
    """The fewest and most players at this board."""


class BotsOffer(msgspec.Struct, frozen=True):
    """What the form that invites bots begins with."""

    ruleset: str
    players: int


class RulesetsAnswer(msgspec.Struct, frozen=True):
    """All rulesets, shipped ones first, and the house rulesets that cannot be used."""

    rulesets: list[ListedRuleset]
    problems: list[RulesetProblem]
    form: tuple[ParameterField, ...]
    """All parameters, as fields of a form."""
    bots: BotsOffer


class PairAnswer(msgspec.Struct, frozen=True):
    """This client is paired now, under this number and label."""

    number: int
    label: str


class PairingAnswer(msgspec.Struct, frozen=True):
    """A paired client; `this` marks the one that sent the request."""

    number: int
    label: str
    paired_ms: int
    used_ms: int
    this: bool


class QrCode(msgspec.Struct, frozen=True):
    """A QR code as the path of an SVG, in a square with sides of `size` modules."""

    size: int
    path: str


class OwnWifi(msgspec.Struct, frozen=True):
    """The Wi-Fi that the machine has opened, because it found no known network."""

    name: str
    password: str
    qr: QrCode
    """With this code phones join it."""


class ReachAnswer(msgspec.Struct, frozen=True):
    """How other phones reach the page."""

    url: str | None
    """The address to hand on; null if only this machine can see the page."""
    named: str | None
    """Another one with a name, which not every phone can resolve; null if there is none."""
    qr: QrCode | None
    """The code of this address."""
    urls: list[str]
    """All addresses of the page, best first."""
    wifi: OwnWifi | None


class HealthAnswer(msgspec.Struct, frozen=True):
    """All parts of the daemon work."""

    status: str
    revision: int


class ClockAnswer(msgspec.Struct, frozen=True):
    """The clock that dates entries."""

    time_ms: int
    """Milliseconds since 1970, UTC."""
    is_set: bool
    """Whether the network has set it since the machine was started."""
    from_phone: bool
    """Whether it is a phone's, until then."""


class FaultAnswer(msgspec.Struct, frozen=True):
    """The last warning or error since the daemon started."""

    time_ms: int | None
    text: str | None


class HealthProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A refusal with the code `not-responding`, which names the parts that do not work."""

    code: str
    message: str
    parts: list[PartName] | UnsetType = UNSET


class HealthEvent(msgspec.Struct, frozen=True):
    """The parts of the daemon that do not work, in a sentence; None once all work again."""

    parts: list[PartName]
    message: str | None
