"""Bots at the simulated board: they come and leave, and people take over their seats."""

from __future__ import annotations

from typing import Final

import msgspec
from flask import request

from pochboard.cards.card import parse_card
from pochboard.demo.bot_runner import BotRunner
from pochboard.demo.options import DemoOptions, Speed
from pochboard.errors import CardError, Refusal, refuse
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, refused
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes, number_in_path
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.views.demo import HandAnswer, hand_answer
from pochboard.views.refusals import RefusalAnswer

KEY_HEADER: Final = "X-Seat-Key"
"""The header in which a person who has taken over a seat sends the key to its cards."""
routes: Final = Routes()


class SeatAnswer(msgspec.Struct, frozen=True):
    """A seat was taken over; the key opens its cards."""

    seat: int
    key: str


class SpeedBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many times faster than people the bots play."""

    speed: Speed


class CardBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card that a person plays, such as `TH`."""

    card: str


@routes.add(
    "POST",
    "/api/demo",
    summary=(
        "Bots come to the simulated board between nights, start a night and play it by"
        " pressing the buttons. Their open cards are `demo` in /api/state."
    ),
    body=DemoOptions,
    responses={201: None, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def invite_bots(context: Context, body: DemoOptions) -> None:
    """Bots start a night and play it."""
    _check(_bots(context).start(body))


@routes.add(
    "DELETE",
    "/api/demo",
    summary="Sends the bots away; the night stays as it is.",
    responses={204: None, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def dismiss_bots(context: Context) -> None:
    """The bots leave."""
    if not _bots(context).dismiss():
        raise ApiError(
            409, refuse("no-demo", lazy_gettext("No computer players are at the table."))
        )


@routes.add(
    "POST",
    "/api/demo/speed",
    summary="Sets how many times faster than people the bots play.",
    body=SpeedBody,
    responses={204: None, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def set_speed(context: Context, body: SpeedBody) -> None:
    """Sets how fast the bots play."""
    _check(_bots(context).set_speed(body.speed))


@routes.add(
    "POST",
    "/api/demo/seats/{number}",
    summary="A person takes over the seat of a bot, and gets the key to its cards.",
    responses={201: SeatAnswer, 404: RefusalAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def take_seat(context: Context, number: str) -> SeatAnswer:
    """A person takes over a seat."""
    seat = _seat(number)
    key = _bots(context).take_seat(seat)
    if isinstance(key, Refusal):
        raise refused(key)
    return SeatAnswer(seat, key)


@routes.add(
    "DELETE",
    "/api/demo/seats/{number}",
    summary="A bot plays a seat again that a person had taken.",
    responses={204: None, 404: RefusalAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def give_back_seat(context: Context, number: str) -> None:
    """A bot plays the seat again."""
    _check(_bots(context).give_back_seat(_seat(number)))


@routes.add(
    "GET",
    "/api/demo/hand",
    summary="The cards of the person whose key is in the header X-Seat-Key.",
    responses={200: HandAnswer, 409: RefusalAnswer},
)
def get_hand(context: Context) -> HandAnswer:
    """The cards of a person at the table; the key alone protects them."""
    found = _bots(context).hand(_key())
    if isinstance(found, Refusal):
        raise refused(found)
    return hand_answer(found, context.table.snapshot, request_translator())


@routes.add(
    "POST",
    "/api/demo/cards",
    summary="The person whose key is in the header X-Seat-Key plays a card.",
    body=CardBody,
    responses={204: None, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def play_card(context: Context, body: CardBody) -> None:
    """A person plays a card."""
    try:
        card = parse_card(body.card)
    except CardError as error:
        raise ApiError(
            400, refuse("bad-cards", lazy_gettext("{reason}.", reason=lazy_text(error)))
        ) from None
    _check(_bots(context).play_card(_key(), card))


def _bots(context: Context) -> BotRunner:
    if context.bots is None:
        raise ApiError(
            409,
            refuse(
                "no-demo",
                lazy_gettext(
                    "Computer players press the buttons of the simulated board. This is a real one."
                ),
            ),
        )
    return context.bots


def _seat(text: str) -> int:
    return number_in_path(text, "seat", digits=8)


def _key() -> str:
    return request.headers.get(KEY_HEADER, "")


def _check(refusal: Refusal | None) -> None:
    if refusal:
        raise refused(refusal)
