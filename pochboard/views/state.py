"""The state of the night in progress: everything that the page shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET

from pochboard.buttons.press import NOTHING, Pending
from pochboard.errors import Attempt, RefusalAnswer, refusal_answer
from pochboard.ledger.book import LegalActions
from pochboard.ledger.entry import Sound, seats_of_entry, sound_of_entry
from pochboard.ledger.results import hints, results_of
from pochboard.ledger.settling import chip_moves
from pochboard.lights.lights_config import LightsConfig
from pochboard.messages.entries import sentence
from pochboard.messages.labels import hint_text, phase_name, seat_names
from pochboard.messages.nights import headline
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import USUAL
from pochboard.rules.state import BETWEEN_NIGHTS, IN_A_DEAL, Phase, State
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


class LastEntry(msgspec.Struct, frozen=True):
    """The last entry of the night, and what it sounds and looks like."""

    sentence: str
    sound: Sound | None = None
    """None also for a correction."""
    seats: tuple[int, ...] = ()
    """The seats that it is about; empty if it has no sound."""
    names: str = ""
    """What they are called."""
    flights: tuple[tuple[str, str, int], ...] = ()
    """The moves to show: from account, to account, chips. Empty if too many to be followed."""


class HoldTimes(msgspec.Struct, frozen=True):
    """How long buttons must be held, in seconds, as this board is configured."""

    buttons: dict[str, float]
    """Those that mean something now when held."""
    pairing: float
    """`next`, to open pairing."""


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


class StateAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the page shows of the night in progress."""

    phase: Phase
    night: int | None
    deal: int
    dealer: int | None
    to_act: int | None
    trump: str | None
    live: tuple[int, ...]
    names: dict[int, str]
    entry: int
    pending: Pending | None
    """What has been pressed but is not yet a command."""
    buttons: tuple[str, ...]
    """The buttons that mean something now."""
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
    hand_sizes: dict[int, int]
    """Cards dealt to each live seat in this deal."""
    bots: BotsState | None
    """The bots, if any play."""
    fault: RefusalAnswer | None
    """Why nothing can be recorded at all."""
    switching_off: Literal["asked", "confirmed"] | None
    """Whether the board asks if the machine is to be switched off, or is about to do it."""
    last: LastEntry | None
    pot: int | None
    """What the betting of a deal is about; null between nights."""
    headline_text: str
    """`Night 3 · modern · deal 2`; empty before the first night."""
    phase_name: str
    guidance: Guidance
    """What may happen now, in words."""
    actions: Actions
    """The commands that would be accepted, each with what its control needs."""
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
    taken_back: tuple[int, ...]
    """The numbers of this night's entries that are no longer in force."""
    correctable_from: int | None
    """The first entry of this night that may still be corrected; null if none may be."""
    hints: tuple[str, ...]
    """Numbers that cannot be right for the table, in sentences."""
    new_night: NewNight | None
    """What the form of the next night begins with; null during a night."""


def names_by_seat(state: State, t: Translator) -> dict[int, str]:
    """The names of all seats."""
    return {seat: t.person(state.name_of(seat)) for seat in state.seats}


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
    on_board = msgspec.structs.replace(snapshot, legal=_legal_on_board(snapshot.legal, lights))
    over, last, fault = state.phase == "closed", snapshot.last, snapshot.fault
    bare_fault = RefusalAnswer(fault.code, fault.code) if fault else None
    phase = attempt("phase_name", lambda: phase_name(state.phase, t), state.phase)
    return StateAnswer(
        phase=state.phase,
        night=snapshot.night,
        deal=state.deal,
        dealer=state.dealer,
        to_act=state.to_act,
        trump=state.trump,
        live=state.live,
        names=attempt(
            "names",
            lambda: names_by_seat(state, t),
            dict(enumerate(state.names, 1)),
        ),
        entry=snapshot.entry,
        pending=None if pending == NOTHING else pending,
        buttons=snapshot.buttons.allowed,
        board=board_state(snapshot, lights, attempt),
        pairing=pairing_state(snapshot, lights, t, attempt, paired=paired),
        revision=snapshot.revision,
        basis=snapshot.basis,
        need=state.need(state.to_act) if state.to_act is not None else None,
        turned=state.turned,
        winner=state.winner,
        hand_sizes=dict(state.hand_sizes) if state.phase in IN_A_DEAL else {},
        bots=attempt("bots", lambda: bots_state(bots, state, t) if bots else None, None),
        fault=attempt("fault", lambda: refusal_answer(fault, t) if fault else None, bare_fault),
        switching_off=snapshot.switching_off,
        last=attempt("last", lambda: _last_entry(snapshot, t), None),
        pot=None if state.phase in BETWEEN_NIGHTS else state.pot,
        headline_text=attempt("headline_text", lambda: headline(state, snapshot.night, t), ""),
        phase_name=phase,
        guidance=attempt("guidance", lambda: guidance(on_board, t), Guidance(phase, ())),
        actions=actions(on_board, t, attempt),
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
        pool_details=attempt(
            "pool_details",
            lambda: pool_details(state, snapshot.legal.claims, t),
            _bare_pools(state),
        ),
        standings_rows=attempt(
            "standings_rows",
            lambda: standings_rows(results_of(state, snapshot.aliases), t) if over else (),
            (),
        ),
        ended_ms=last.entry.time_ms if over and last else None,
        holds=HoldTimes(
            {button: held_us / 1e6 for button, held_us in snapshot.buttons.hold_us.items()},
            pairing=times.next_long_us / 1e6,
        ),
        referee=attempt("referee", lambda: referee_question(state, t), None),
        taken_back=snapshot.taken_back,
        correctable_from=snapshot.correctable_from,
        hints=attempt(
            "hints", lambda: tuple(hint_text(hint, state, t) for hint in hints(state)), ()
        ),
        new_night=attempt("new_night", lambda: _new_night(snapshot, rulesets), None),
    )


def _bare_pools(state: State) -> tuple[PoolDetail, ...]:
    """The pools with their chips, without words."""
    return tuple(
        PoolDetail(pool, pool, state.pool(pool), pool in state.blocked, label=pool)
        for pool in POOLS
    )


def _bare_rows(state: State) -> tuple[SeatRow, ...]:
    """The seats with their names and chips, without words."""
    return tuple(
        SeatRow(seat, state.places[seat - 1] or None, name, state.stack_of(seat), "")
        for seat, name in enumerate(state.names, 1)
    )


def _last_entry(snapshot: Snapshot, t: Translator) -> LastEntry | None:
    last = snapshot.last
    if last is None:
        return None
    text, command = sentence(last, t), last.entry.command
    sound = None if snapshot.corrected else sound_of_entry(last.before, last.after, command)
    if sound is None:
        return LastEntry(text)
    seats = seats_of_entry(last.before, last.after, command)
    moves = tuple(chip_moves(last.entry.postings))
    is_followed = last.after.phase != "closed" and len(moves) <= MOST_FLIGHTS
    names = seat_names(last.after, seats, t) if seats else ""
    return LastEntry(text, sound, seats, names, moves if is_followed else ())


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


MOST_FLIGHTS: Final = 16
"""More moves than these at once are not seen one by one: the antes of a deal."""
