"""The night in progress: its state, its accounts, commands, and who wins by the cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final, Union

import msgspec
from flask import Response
from msgspec import Meta

from pochboard.cards.card import Card, parse_card, parse_suit
from pochboard.cards.hands import check_cards, check_trump, sequence, settle_showdown
from pochboard.errors import CardError, Refusal, refuse
from pochboard.messages.verdicts import Words
from pochboard.rules.accounts import MOST_PLACES
from pochboard.rules.commands import (
    COMMANDS,
    BadCommand,
    Claim,
    Join,
    SeatKey,
    Start,
    Undo,
    parse_command,
)
from pochboard.rules.registry import verify
from pochboard.rules.seating import not_playing, unknown_seat
from pochboard.rules.state import State
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.errors import NOTHING_HERE, ApiError
from pochboard.server.routing import Routes
from pochboard.table.snapshot import Snapshot
from pochboard.text.lazy import lazy_gettext, lazy_listed
from pochboard.text.names import CardNaming, card_names
from pochboard.views.correcting import (
    AccountAnswer,
    CorrectionForm,
    CorrectionPreview,
    RecountAnswer,
    account_answer,
    correction_form,
    correction_preview,
    recount_answer,
)
from pochboard.views.referee import Verdict, sequence_verdict, showdown_verdict
from pochboard.views.state import StateAnswer

ANY_COMMAND: Final = Union[tuple(COMMANDS.values())]  # noqa: UP007 - made from a table
routes: Final = Routes()


class CommandAnswer(msgspec.Struct, frozen=True):
    """A command was recorded as this entry."""

    entry: int


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an entry should say; null leaves it out."""

    command: dict[str, Any] | None
    """As for /api/commands; its own `id` and `basis` do not count."""
    insert: bool = False
    """Whether the command was forgotten, and comes before the entry."""
    preview: bool = False
    basis: str | None = None
    id: str | None = None


class CorrectionAnswer(msgspec.Struct, frozen=True):
    """A correction was recorded; or, in a preview, what it would change."""

    entry: int | None
    """The last entry of the correction; null in a preview."""
    preview: CorrectionPreview | None


class CountBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number of cards that a seat has left; null takes the count back.

    If the table is at another entry than the state with this `basis`, the count is refused.
    """

    seat: Annotated[int, Meta(ge=1, le=2**53)]
    cards: Annotated[int, Meta(ge=0, le=2**53)] | None
    basis: Annotated[str, Meta(max_length=200)] | None = None


class LobbyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays at a place of the next night; null for nobody, blank for somebody without a name.

    With `deals`, the place deals first.
    """

    place: Annotated[int, Meta(ge=1, le=MOST_PLACES)]
    name: str | None
    deals: bool = False


class RecountBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many chips somebody has counted, and which account the difference is with."""

    counted: Annotated[int, Meta(ge=0, le=2**53)]
    against: str = "bank"


@routes.add("GET", "/api/state", answer=StateAnswer)
def get_state(context: Context) -> Response:
    """Everything the page shows of the night in progress."""
    snapshot, paired = context.table.snapshot, context.client().paired
    body = context.snapshots.state(snapshot, request_translator(), paired=paired)
    response = Response(body, content_type="application/json")
    # It is encoded once for all clients; compressing it for each takes longer than sending it.
    response.headers["Cache-Control"] = "no-store, no-transform"
    return response


@routes.add("POST", "/api/commands", body=ANY_COMMAND, paired=True)
def apply_command(context: Context, body: Any) -> CommandAnswer | Refusal:
    """Applies a command.

    If its id was applied before, returns the first answer again. If it carries what its sender
    has seen and that has changed, refuses it.
    """
    # The table checks it, so that its refusals are the same everywhere.
    command = parse_command(body)
    if isinstance(command, Start):
        context.adopt_language()
    recorded = context.table.command(command)
    return recorded if isinstance(recorded, Refusal) else CommandAnswer(recorded.entry)


@routes.add("GET", "/api/entries/{number}/correction")
def get_correction(context: Context, number: int) -> CorrectionForm:
    """The forms that correct an entry of the night in progress, or insert one before it.

    An entry may be corrected from `correctable_from` of the state on, if it is `correctable`.
    """
    snapshot = context.table.snapshot
    if snapshot.night is None or not 1 <= number <= snapshot.entry:
        raise ApiError(
            404, refuse("not-correctable", "This night has no entry {number}.", number=number)
        )
    night = context.table.nights.night(snapshot.night)
    (entry,) = night.contexts(range(number, number + 1))
    return correction_form(entry, request_translator())


@routes.add("POST", "/api/entries/{number}/correction", paired=True)
def correct_entry(
    context: Context, number: int, body: CorrectionBody
) -> CorrectionAnswer | Refusal:
    """Puts a command before or in the place of an entry of the night in progress, or leaves it out.

    All later commands must hold with it, and are recorded again (RULES.md 3). `id` and `basis` are
    those of commands. With `preview`, it says what would change, and records nothing.
    """
    table = context.table
    given = {"id": body.id, "basis": body.basis}
    sent = parse_command({"do": "undo", **{k: v for k, v in given.items() if v is not None}})
    if isinstance(sent, BadCommand):
        return sent.refusal
    assert isinstance(sent, Undo), "it is one"
    command = None if body.command is None else parse_command(body.command)
    if body.preview:
        found = table.preview(number, command, sent, insert=body.insert)
        if isinstance(found, Refusal):
            return found
        t, aliases = request_translator(), table.snapshot.aliases
        return CorrectionAnswer(
            None, correction_preview(found, t, aliases, left_out=command is None)
        )
    recorded = table.correct(number, command, sent, insert=body.insert)
    return recorded if isinstance(recorded, Refusal) else CorrectionAnswer(recorded.entry, None)


@routes.add("PUT", "/api/counts", paired=True)
def count_cards(context: Context, body: CountBody) -> Refusal | None:
    """Enters how many cards a seat has left after somebody is out, or takes that back.

    A count that is in comes with the state (`pending`), and can be corrected by anybody. The last
    one settles the deal, unless cards were counted at the board (RULES.md 7).
    """
    return context.table.count(body.seat, body.cards, body.basis)


@routes.add("PUT", "/api/lobby", paired=True)
def set_place(context: Context, body: LobbyBody) -> Refusal | None:
    """Puts a place in for the next night, as a press of it does, or out.

    Every phone sees it in `new_night`. Nothing is recorded before `start`, which says all again.
    """
    checked = parse_command({"do": "join", "name": body.name or ""})
    if isinstance(checked, BadCommand):
        return checked.refusal
    assert isinstance(checked, Join), "it is one"
    name = None if body.name is None else checked.name
    return context.table.set_in_lobby(body.place, name, deals=body.deals)


@routes.add("GET", "/api/accounts/{account}")
def get_account(context: Context, account: str) -> AccountAnswer:
    """A pool or stack of the night in progress: what wins it, and why it holds its chips."""
    snapshot = context.table.snapshot
    _check_account(account, snapshot)
    assert snapshot.night is not None, "it has accounts"
    night = context.table.nights.night(snapshot.night)
    return account_answer(account, night, request_translator())


@routes.add("POST", "/api/accounts/{account}/recount")
def recount_account(context: Context, account: str, body: RecountBody) -> RecountAnswer:
    """The command that records how many chips were counted there, and what it would record.

    Changes nothing.
    """
    snapshot, against = context.table.snapshot, body.against
    _check_account(account, snapshot)
    if against != "bank":
        _check_account(against, snapshot)
    return recount_answer(account, body.counted, snapshot.state, request_translator(), against)


def _check_account(account: str, snapshot: Snapshot) -> None:
    """Raises ApiError if the night has no such account, or there is no night."""
    state, names = snapshot.state, list[str]()
    if snapshot.night is not None:
        names = [f"pool:{pool}" for pool in state.rules.pools] + [f"seat:{s}" for s in state.seats]
    if account not in names:
        raise ApiError(404, NOTHING_HERE)


ShortSeatKey = Annotated[SeatKey, Meta(max_length=9)]
"""A seat number as a key of JSON. No night has a seat with more digits."""


class HandsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cards that seats show, as `KH` or `Herz-König`, and the trump suit if no card shows it."""

    hands: dict[ShortSeatKey, list[str]]
    trump: str | None = None
    names: CardNaming = "english"
    """The names of cards in the answer: English, or German with French or German suits. If the
    language of the request is not English, `english` means French suits."""


@routes.add("POST", "/api/referee/showdown")
def rank_showdown(context: Context, body: HandsBody) -> Verdict | Refusal:
    """Ranks the hands shown at the showdown, says why, and with which command it is recorded.

    Seats that show nothing are left out. Changes nothing.
    """
    state, hands = context.table.snapshot.state, _hands(body)
    refusal = _unknown_seat(state, hands)
    if refusal is None and state.phase != "showdown":
        refusal = refuse("wrong-phase", "Hands are compared only at the showdown.")
    refusal = refusal or _not_playing(state, hands)
    if refusal is not None:
        return refusal
    for seat in hands:
        if seat not in state.still_in:
            sentence = lazy_gettext(
                "{seat} has passed. Still in: {seats}.",
                seat=state.name_of(seat),
                seats=lazy_listed(state.names_of(state.still_in)),
            )
            return refuse("seat-out", sentence)
    trump = _checked_trump(state, hands, body)
    return showdown_verdict(state, hands, settle_showdown(state, hands, trump), _words(state, body))


@routes.add("POST", "/api/referee/sequence")
def find_sequence(context: Context, body: HandsBody) -> Verdict | Refusal:
    """Says in the melding who of the hands shown takes the sequence pool.

    Also says why, and with which command it is recorded. Changes nothing.
    """
    state, hands = context.table.snapshot.state, _hands(body)
    refusal = _unknown_seat(state, hands) or verify(state, Claim(min(hands), "sequence"))
    if refusal is not None and refusal.code == "wrong-phase" and state.ruleset is not None:
        refusal = refuse("wrong-phase", "Sequence can be won only during melding.")
    refusal = refusal or _not_playing(state, hands)
    if refusal is not None:
        return refusal
    trump = _checked_trump(state, hands, body)
    if trump is None and state.rules.run_needs_trump:
        raise CardError(lazy_gettext("Certain trumps take this pool: name the trump suit"))
    in_order = {seat: hands[seat] for seat in state.from_forehand if seat in hands}
    verdict = sequence(in_order, state.rules, trump)
    return sequence_verdict(state, verdict, trump, _words(state, body))


def _words(state: State, body: HandsBody) -> Words:
    """The words of the answer, in the language of the request."""
    t = request_translator()
    # Another language has no use for the English names, which are the default.
    return Words(state.name_of, card_names(t) if body.names == "english" else body.names, t)


def _hands(body: HandsBody) -> dict[int, tuple[Card, ...]]:
    """The cards by seat, ascending. Raises CardError."""
    if not body.hands:
        raise CardError(lazy_gettext("No hand is given"))
    hands = {int(seat): tuple(map(parse_card, cards)) for seat, cards in body.hands.items()}
    return dict(sorted(hands.items()))


def _unknown_seat(state: State, seats: Iterable[int]) -> Refusal | None:
    """The refusal of seats that do not exist. Commands check them first, too (RULES.md 3)."""
    if state.ruleset is None:
        return refuse("wrong-phase", "There is no night yet. Start one.")
    return next((unknown_seat(seat) for seat in seats if seat not in state.seats), None)


def _not_playing(state: State, seats: Iterable[int]) -> Refusal | None:
    return next((not_playing(state, seat) for seat in seats if seat not in state.live), None)


def _checked_trump(state: State, hands: dict[int, tuple[Card, ...]], body: HandsBody) -> str | None:
    """The trump suit, once the cards are found to fit this deal. Raises CardError."""
    named = None if body.trump is None else parse_suit(body.trump)
    trump = check_trump(state.rules, named, state.turned)
    for seat, hand in hands.items():
        if not hand:
            raise CardError(
                lazy_gettext(
                    "{name} has no cards: leave out seats that show none", name=state.name_of(seat)
                )
            )
    check_cards(
        hands, state.deal_rules, turned=state.turned, live=len(state.live), name_of=state.name_of
    )
    return trump
