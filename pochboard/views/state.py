"""The state of the night in progress: everything that the page shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.buttons.press import HOLD_S, Pending
from pochboard.errors import Attempt, RefusalAnswer, refusal_answer
from pochboard.ledger.book import LegalActions
from pochboard.ledger.entry import Sound, seats_of_entry, sound_of_entry
from pochboard.ledger.results import hints, results_of
from pochboard.ledger.settling import chip_moves
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages.entries import EntryContext, sentence
from pochboard.messages.labels import hint_text, phase_name, seat_names
from pochboard.messages.nights import headline
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import USUAL
from pochboard.rules.state import BETWEEN_NIGHTS, IN_A_DEAL, Phase, Standing, State, public_state
from pochboard.table.snapshot import Snapshot
from pochboard.text.translator import Translator
from pochboard.text.unicode_names import sight
from pochboard.views.actions import Actions, actions
from pochboard.views.board import (
    BoardState,
    PairingState,
    PoolDetail,
    board_state,
    pairing_state,
    pool_details,
)
from pochboard.views.bots import BotsState, bot_seats, bots_state
from pochboard.views.guidance import Guidance, guidance
from pochboard.views.referee import RefereeQuestion, referee_question
from pochboard.views.seats import Plaque, SeatRow, StandingsRow, rim, seat_rows, standings_rows


class PublicState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a night in the terms of RULES.md 9. Keys that are seats are strings."""

    phase: Phase
    deal: int
    dealer: int | None
    banker: int | msgspec.UnsetType | None = msgspec.UNSET
    """Only where a banker fills the pools."""
    to_act: int | None
    leader: int | None
    knocker: int | None
    trump: str | None
    pools: dict[str, int]
    stacks: dict[str, int]
    bought: dict[str, int]
    live: list[int]
    sitting_out: list[int]
    places: dict[str, int]
    blocked: list[str]
    committed: dict[str, int]
    bank: int
    standings: list[Standing] | None


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


class HoldTimes(msgspec.Struct, frozen=True):
    """How long buttons must be held, in seconds, as this board is configured."""

    buttons: dict[str, float]
    """Those that mean something now when held."""
    pairing: float
    """`next`, to open pairing."""
    silence: float
    """After how long without a report the simulated board releases a button."""


class NewPlayer(msgspec.Struct, frozen=True):
    """Somebody who is in for the next night."""

    name: str
    """Blank for a place whose player nobody has named."""
    place: int


class NewNight(msgspec.Struct, frozen=True, kw_only=True):
    """What the form of the next night begins with: what the board would begin it with.

    If that ruleset has been deleted since, it is the usual one.
    """

    players: tuple[NewPlayer, ...]
    """Those who are in, in the order of their places: who was there at the end of the last night,
    and who has come or gone since by presses or on phones."""
    dealer: int | None
    """The place that deals first."""
    earlier: tuple[str, ...]
    """The names last used at the places, of those who are not there any more."""
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
    basis: str
    """What a command may carry as its `basis`, so that it is refused if this has changed."""
    need: int | None
    """Chips the seat to act needs to hold."""
    turned: str | None
    """The card turned up."""
    winner: int | None
    """The seat that has played its last card."""
    hand_sizes: dict[str, int]
    """Cards dealt to each live seat in this deal."""
    bots: BotsState | None
    """The bots, if any play."""
    fault: RefusalAnswer | None
    """Why nothing can be recorded at all."""
    switching_off: Literal["asked", "confirmed"] | None
    """Whether the board asks if the machine is to be switched off, or is about to do it."""
    last_sentence: str | None
    last_sound: Sound | None
    """What the last entry sounds like."""
    moment: Moment | None
    """What the last entry looks like on a large screen; null if it has no sound."""
    pot: int | None
    """What the betting of a deal is about; null between nights."""
    headline_text: str
    """`Night 3 · modern · deal 2`; empty before the first night."""
    phase_name: str
    guidance: Guidance
    """What may happen now, in words."""
    actions: Actions
    """The commands of `allowed`, each with what its control needs."""
    rows: tuple[SeatRow, ...]
    """The seats for the list."""
    rim: tuple[Plaque, ...]
    """The places for the drawing, clockwise; between nights, those that are in for the next."""
    pool_details: tuple[PoolDetail, ...]
    """The nine pools in board order."""
    standings_rows: tuple[StandingsRow, ...]
    """The people at the end of a night, best first."""
    ended_ms: int | None
    """When the night ended; null while it is open."""
    holds: HoldTimes
    referee: RefereeQuestion | None
    """What the cards could settle now, even if computer players do it."""
    bots_settle: bool
    """Whether computer players send what the cards settle."""
    taken_back: tuple[int, ...]
    """The numbers of this night's entries that are no longer in force."""
    correctable_from: int | None
    """The first entry of this night that may still be corrected; null if none may be."""
    hints: tuple[str, ...]
    """Numbers that cannot be right for the table, in sentences."""
    new_night: NewNight | None
    """What the form of the next night begins with; null during a night."""


def ruleset_answer(ruleset: Ruleset) -> RulesetAnswer:
    """A ruleset by name and parameters."""
    return RulesetAnswer(ruleset.name, ruleset.parameters())


def public_answer(state: State) -> PublicState:
    """The public state of a night."""
    return PublicState(**public_state(state))


def names_by_seat(state: State, t: Translator) -> dict[str, str]:
    """The names of all seats; seats are keys of JSON."""
    return {str(seat): t.person(state.name_of(seat)) for seat in state.seats}


def state_answer(
    snapshot: Snapshot,
    lights: LightsConfig,
    t: Translator,
    attempt: Attempt,
    *,
    paired: bool,
    rulesets: Mapping[str, Ruleset],
) -> StateAnswer:
    """A snapshot for one kind of client. `rulesets` are those a night can be started with.

    What cannot be shown is left out: the chips, the names and the possible acts stay.
    """
    state, pending, times, bots = snapshot.state, snapshot.pending, snapshot.times, snapshot.bots
    legal = attempt("legal", lambda: _legal_on_board(snapshot.legal, lights), snapshot.legal)
    on_board = msgspec.structs.replace(snapshot, legal=legal)
    in_a_deal, over, last = state.phase in IN_A_DEAL, state.phase == "closed", snapshot.last
    fault = snapshot.fault
    bare_fault = RefusalAnswer(fault.code, fault.code) if fault else None
    made = actions(on_board, t, attempt)
    claims = snapshot.legal.claims
    pools = attempt("pool_details", lambda: pool_details(state, claims, t), _bare_pools(state))
    sound = attempt("last_sound", lambda: _sound(snapshot), None)
    phase = attempt("phase_name", lambda: phase_name(state.phase, t), state.phase)
    hints_of = attempt(
        "hints", lambda: tuple(hint_text(hint, state, t) for hint in hints(state)), ()
    )
    return StateAnswer(
        **public_state(state),
        night=snapshot.night,
        ruleset=attempt(
            "ruleset", lambda: ruleset_answer(state.ruleset) if state.ruleset else None, None
        ),
        names=attempt(
            "names",
            lambda: names_by_seat(state, t),
            {str(seat): name for seat, name in enumerate(state.names, 1)},
        ),
        entry=snapshot.entry,
        pending=attempt(
            "pending", lambda: pending_answer(pending, state) if pending else None, None
        ),
        allowed=Allowed(snapshot.legal.commands, snapshot.buttons.allowed),
        board=board_state(snapshot, lights, attempt),
        pairing=pairing_state(snapshot, lights, t, attempt, paired=paired),
        revision=snapshot.revision,
        basis=snapshot.basis,
        need=state.need(state.to_act) if state.to_act is not None else None,
        turned=state.turned,
        winner=state.winner,
        hand_sizes=(
            {str(seat): size for seat, size in state.hand_sizes.items()} if in_a_deal else {}
        ),
        bots=attempt("bots", lambda: bots_state(bots, state, t) if bots else None, None),
        fault=attempt("fault", lambda: refusal_answer(fault, t) if fault else None, bare_fault),
        switching_off=snapshot.switching_off,
        last_sentence=attempt("last_sentence", lambda: sentence(last, t) if last else None, None),
        last_sound=sound,
        moment=attempt("moment", lambda: moment_of(last, t) if sound and last else None, None),
        pot=None if state.phase in BETWEEN_NIGHTS else state.pot,
        headline_text=attempt("headline_text", lambda: headline(state, snapshot.night, t), ""),
        phase_name=phase,
        guidance=attempt("guidance", lambda: guidance(on_board, t), Guidance(phase, ())),
        actions=made,
        rows=attempt(
            "rows",
            lambda: seat_rows(state, pending, t, bots.held if bots else ()),
            _bare_rows(state),
        ),
        rim=attempt(
            "rim",
            lambda: rim(state, pending, t, bot_seats(bots), snapshot.lobby_names),
            (),
        ),
        pool_details=pools,
        standings_rows=attempt(
            "standings_rows",
            lambda: standings_rows(results_of(state, snapshot.aliases), t) if over else (),
            (),
        ),
        ended_ms=last.entry.time_ms if over and last else None,
        holds=HoldTimes(
            {button: held_us / 1e6 for button, held_us in snapshot.buttons.hold_us.items()},
            pairing=times.next_long_us / 1e6,
            silence=HOLD_S,
        ),
        referee=attempt("referee", lambda: referee_question(state, t), None),
        bots_settle=bots is not None and bots.stuck is None,
        taken_back=snapshot.taken_back,
        correctable_from=snapshot.correctable_from,
        hints=hints_of,
        new_night=attempt("new_night", lambda: _new_night(snapshot, rulesets), None),
    )


def _bare_pools(state: State) -> tuple[PoolDetail, ...]:
    """The pools with their chips, without words."""
    return tuple(
        PoolDetail(pool, pool, state.pool(pool), pool in state.blocked, False, "", pool)
        for pool in POOLS
    )


def _bare_rows(state: State) -> tuple[SeatRow, ...]:
    """The seats with their names and chips, without words."""
    return tuple(
        SeatRow(seat, state.places[seat - 1] or None, name, chips, net, str(net), False, (), None)
        for seat, name in enumerate(state.names, 1)
        for chips in (state.stack_of(seat),)
        for net in (chips - state.bought[seat - 1],)
    )


def _sound(snapshot: Snapshot) -> Sound | None:
    last = snapshot.last
    if last is None or snapshot.corrected:
        return None
    return sound_of_entry(last.before, last.after, last.entry.command)


def _legal_on_board(legal: LegalActions, lights: LightsConfig) -> LegalActions:
    """The legal actions without places that this board lacks, and so perhaps without `join`."""
    places = tuple(place for place in legal.places if place <= lights.places)
    commands = tuple(name for name in legal.commands if name != "join" or places)
    return msgspec.structs.replace(legal, commands=commands, places=places)


def _new_night(snapshot: Snapshot, rulesets: Mapping[str, Ruleset]) -> NewNight | None:
    if snapshot.lobby is None:
        return None
    state, start = snapshot.model or snapshot.state, snapshot.start
    # A ruleset of the house may have been deleted since.
    again = start if start and start.ruleset in rulesets else None
    lobby, names = snapshot.lobby, snapshot.lobby_names
    players = tuple(NewPlayer(names.get(place, ""), place) for place in lobby.places)
    seen = {sight(player.name) for player in players}
    return NewNight(
        players=players,
        dealer=lobby.dealer,
        earlier=tuple(name for name in snapshot.earlier_names if sight(name) not in seen),
        ruleset=again.ruleset if again else USUAL,
        options=again.options if again and again.options is not UNSET else {},
        stack=state.stack if again else None,
    )


def pending_answer(pending: Pending, state: State) -> PendingAnswer | None:
    """What has been pressed but is not yet a command, or None."""
    if lobby := pending.lobby:
        return PendingAnswer(lobby=LobbyAnswer(lobby.places, lobby.dealer, lobby.armed))
    if pending.hands:
        return PendingAnswer(hands=pending.hands)
    if pending.chips:
        assert state.to_act is not None, "chips are in the hand of the seat to act"
        return PendingAnswer(seat=state.to_act, chips=pending.chips)
    if pending.counts:
        return PendingAnswer(cards={str(s): n for s, n in sorted(pending.cards.items())})
    if pending.place is not None:
        seat = state.seat_at(pending.place)
        return PendingAnswer(place=pending.place) if seat is None else PendingAnswer(seat=seat)
    return None


MOST_FLIGHTS: Final = 16
"""More moves than these at once are not seen one by one: the antes of a deal."""


class Moment(msgspec.Struct, frozen=True):
    """What the last entry looks like."""

    seats: tuple[int, ...]
    """Whom it is about, if about anybody."""
    names: str
    """What they are called."""
    flights: tuple[tuple[str, str, int], ...]
    """From which account to which how many chips move; none if too many to be followed."""


def moment_of(last: EntryContext, t: Translator) -> Moment:
    """The moment of an entry that has a sound."""
    seats = seats_of_entry(last.before, last.after, last.entry.command)
    moves = tuple(chip_moves(last.entry.postings))
    ended = last.after.phase == "closed"
    return Moment(
        seats,
        seat_names(last.after, seats, t) if seats else "",
        moves if not ended and len(moves) <= MOST_FLIGHTS else (),
    )
