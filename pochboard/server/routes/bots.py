"""Bots at the table: they come and leave, people take over their seats, and learn Poch."""

from __future__ import annotations

from typing import Final

import msgspec
from flask import request

from pochboard.cards.card import parse_card
from pochboard.errors import Refusal, refuse
from pochboard.messages.practice import LessonName
from pochboard.rules.state import State
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.routing import Routes
from pochboard.table.bot_runner import BotOptions, BotRunner, BotSession, Speed
from pochboard.views.bots import HandAnswer, hand_answer

KEY_HEADER: Final = "X-Seat-Key"
"""The header in which a person who has taken over a seat sends the key to its cards."""
routes: Final = Routes()


class SeatAnswer(msgspec.Struct, frozen=True):
    """A seat was taken over; the key opens its cards."""

    seat: int
    key: str


class LearnerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who learns; empty for somebody whom the phone does not know."""

    name: str = ""


class LessonBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson that the learner has read."""

    read: LessonName


class SpeedBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many times faster than people the bots play."""

    speed: Speed


class CardBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card that a person plays, such as `TH`."""

    card: str


@routes.add("POST", "/api/bots", status=201, paired=True)
def invite_bots(context: Context, body: BotOptions) -> Refusal | None:
    """Bots come to the simulated board between nights, and start a night.

    They play it by pressing the buttons. Their open cards are `bots` in /api/state.
    """
    return _bots(context).start(body, request_translator())


@routes.add("DELETE", "/api/bots", paired=True)
def dismiss_bots(context: Context) -> Refusal | None:
    """Sends the bots away; the night stays as it is."""
    if _bots(context).dismiss():
        return None
    return refuse("no-bots", "No computer players are at the table.")


@routes.add("POST", "/api/bots/practice", status=201, paired=True)
def practise(context: Context, body: LearnerBody) -> SeatAnswer | Refusal:
    """Begins a practice deal between nights: a person learns Poch with computer players.

    Its lessons are in /api/bots/hand. The night does not count, and ends with the practice.
    """
    context.adopt_language()
    begun = _bots(context).practise(body.name, request_translator())
    return begun if isinstance(begun, Refusal) else SeatAnswer(*begun)


@routes.add("POST", "/api/bots/lessons", paired=True)
def read_lesson(context: Context, body: LessonBody) -> Refusal | None:
    """The learner whose key is in the header X-Seat-Key has read a lesson."""
    return _bots(context).act(lambda session, _: session.read_lesson(_key(), body.read))


@routes.add("POST", "/api/bots/speed", paired=True)
def set_speed(context: Context, body: SpeedBody) -> Refusal | None:
    """Sets how many times faster than people the bots play."""

    def set_speed(session: BotSession, _: State) -> None:
        session.speed = body.speed

    return _bots(context).act(set_speed)


@routes.add("POST", "/api/bots/seats/{number}", status=201, paired=True)
def take_seat(context: Context, number: int) -> SeatAnswer | Refusal:
    """A person takes over the seat of a bot, and gets the key to its cards."""
    key = _bots(context).act(lambda session, state: session.take_seat(number, state.live))
    return key if isinstance(key, Refusal) else SeatAnswer(number, key)


@routes.add("DELETE", "/api/bots/seats/{number}", paired=True)
def give_back_seat(context: Context, number: int) -> Refusal | None:
    """A bot plays a seat again that a person had taken."""
    return _bots(context).act(lambda session, _: session.give_back_seat(number))


@routes.add("GET", "/api/bots/hand")
def get_hand(context: Context) -> HandAnswer | Refusal:
    """The cards of the person whose key is in the header X-Seat-Key."""
    hand = _bots(context).act(lambda session, state: session.hand(_key(), state))
    if isinstance(hand, Refusal):
        return hand
    return hand_answer(hand, context.table.snapshot, request_translator())


@routes.add("POST", "/api/bots/cards", paired=True)
def play_card(context: Context, body: CardBody) -> Refusal | None:
    """The person whose key is in the header X-Seat-Key plays a card."""
    card = parse_card(body.card)
    return _bots(context).act(lambda session, state: session.play_card(_key(), card, state))


def _bots(context: Context) -> BotRunner:
    assert context.bots is not None, "every daemon has a runner"
    return context.bots


def _key() -> str:
    return request.headers.get(KEY_HEADER, "")
