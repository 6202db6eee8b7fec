"""The referee: who wins by the cards, and the command that records it.

Anybody may use it, because it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pochboard.cards.card import Card, parse_card, parse_suit
from pochboard.cards.referee import check_cards, check_trump, sequence, settle_showdown
from pochboard.errors import CardError, RefusalAnswer, refuse
from pochboard.messages.verdicts import Words
from pochboard.rules.commands import Claim, SeatKey
from pochboard.rules.registry import verify
from pochboard.rules.seating import not_playing, unknown_seat
from pochboard.rules.state import State
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.language import request_translator
from pochboard.server.routing import Routes
from pochboard.text.lazy import lazy_gettext, lazy_listed
from pochboard.text.names import CardNaming, card_names
from pochboard.views.referee import RankingAnswer, SequenceAnswer, ranking_answer, sequence_answer

_POOL: Final = "sequence"
routes: Final = Routes()

ShortSeatKey = Annotated[SeatKey, Meta(max_length=9)]
"""A seat number as a key of JSON. No night has a seat with more digits."""


class HandsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cards that seats show, as `KH` or `Herz-König`, and the trump suit if no card shows it."""

    hands: dict[ShortSeatKey, list[str]]
    trump: str | None = None
    names: CardNaming = "english"
    """The names of cards in the answer: English, or German with French or German suits. If the
    language of the request is not English, `english` means French suits."""


@routes.add(
    "POST",
    "/api/referee/showdown",
    body=HandsBody,
    responses={200: RankingAnswer, 409: RefusalAnswer},
)
def rank_showdown(context: Context, body: HandsBody) -> RankingAnswer:
    """Ranks the hands shown at the showdown, says why, and with which command it is recorded.

    Seats that show nothing are left out. Changes nothing.
    """
    return _ranking(context.table.snapshot.state, body)


@routes.add(
    "POST",
    "/api/referee/sequence",
    body=HandsBody,
    responses={200: SequenceAnswer, 409: RefusalAnswer},
)
def find_sequence(context: Context, body: HandsBody) -> SequenceAnswer:
    """Says in the melding who of the hands shown takes the sequence pool.

    Also says why, and with which command it is recorded. Changes nothing.
    """
    return _holder(context.table.snapshot.state, body)


def _ranking(state: State, body: HandsBody) -> RankingAnswer:
    """Who wins the showdown. Raises ApiError and CardError."""
    hands = _hands(body)
    _check_seats(state, hands)
    if state.phase != "showdown":
        raise ApiError(
            409, refuse("wrong-phase", lazy_gettext("Hands are compared only at the showdown."))
        )
    _check_live(state, hands)
    for seat in hands:
        if seat not in state.still_in:
            still_in = state.names_of(state.still_in)
            refusal = refuse(
                "seat-out",
                lazy_gettext(
                    "{seat} has passed. Still in: {seats}.",
                    seat=state.name_of(seat),
                    seats=lazy_listed(still_in),
                ),
            )
            raise ApiError(409, refusal)
    trump = _checked_trump(state, hands, body)
    return ranking_answer(state, hands, settle_showdown(state, hands, trump), _words(state, body))


def _holder(state: State, body: HandsBody) -> SequenceAnswer:
    """Who takes the sequence pool. Raises ApiError and CardError."""
    hands = _hands(body)
    _check_seats(state, hands)
    refusal = verify(state, Claim(min(hands), _POOL))
    if refusal is not None:
        if refusal.code == "wrong-phase":
            refusal = refuse(
                "wrong-phase", lazy_gettext("Sequence can be won only during melding.")
            )
        raise ApiError(409, refusal)
    _check_live(state, hands)
    trump = _checked_trump(state, hands, body)
    if trump is None and state.rules.run_needs_trump:
        raise CardError(lazy_gettext("Certain trumps take this pool: name the trump suit"))
    in_order = {seat: hands[seat] for seat in state.from_forehand if seat in hands}
    verdict = sequence(in_order, state.rules, trump)
    return sequence_answer(state, verdict, trump, _words(state, body))


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


def _check_seats(state: State, seats: Iterable[int]) -> None:
    """Checks seats in the same order as commands do (RULES.md 3). Raises ApiError."""
    if state.ruleset is None:
        raise ApiError(
            409, refuse("wrong-phase", lazy_gettext("There is no night yet. Start one."))
        )
    for seat in seats:
        if seat not in state.seats:
            raise ApiError(409, unknown_seat(seat))


def _check_live(state: State, seats: Iterable[int]) -> None:
    for seat in seats:
        if seat not in state.live:
            raise ApiError(409, not_playing(state, seat))


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
