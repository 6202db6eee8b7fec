"""The API of the demo: house players come, go, and give up their seats to persons."""

from __future__ import annotations

from flask import Flask, Response, request

from pochboard.cards.card import parse_card
from pochboard.demo.host import Host
from pochboard.demo.wish import Wish
from pochboard.errors import CardError, Refusal
from pochboard.server.context import Context
from pochboard.server.errors import ApiError, status_of
from pochboard.server.reply import json_answer, json_as, nothing, only_empty
from pochboard.server.requests import LayBody, SpeedBody
from pochboard.server.responses import SeatAnswer
from pochboard.server.serializers import hand_answer

KEY_HEADER = "X-Seat-Key"
"""Where a person who has taken a seat shows the key to its cards."""


def add(app: Flask, context: Context) -> None:
    """Adds the routes."""

    @app.post("/api/demo")
    def invite() -> Response:
        context.paired_client()
        host = _host(context)
        _accepted(host.invite(json_as(request, Wish)))
        return nothing(201)

    @app.delete("/api/demo")
    def dismiss() -> Response:
        context.paired_client()
        only_empty(request)
        if not _host(context).dismiss():
            raise ApiError(409, "no-demo", "No house players are at the table.")
        return nothing()

    @app.post("/api/demo/speed")
    def speed() -> Response:
        context.paired_client()
        _accepted(_host(context).set_speed(json_as(request, SpeedBody).speed))
        return nothing()

    @app.post("/api/demo/seats/<number>")
    def take(number: str) -> Response:
        context.paired_client()
        only_empty(request)
        seat = _seat(number)
        key = _host(context).take(seat)
        if isinstance(key, Refusal):
            raise ApiError(409, key.code, key.message)
        return json_answer(SeatAnswer(seat, key), 201)

    @app.delete("/api/demo/seats/<number>")
    def give_back(number: str) -> Response:
        context.paired_client()
        only_empty(request)
        _accepted(_host(context).give_back(_seat(number)))
        return nothing()

    @app.get("/api/demo/hand")
    def hand() -> Response:
        found = _host(context).hand(_key())
        if isinstance(found, Refusal):
            raise ApiError(409, found.code, found.message)
        return json_answer(hand_answer(found, context.table.snapshot))

    @app.post("/api/demo/cards")
    def lay() -> Response:
        context.paired_client()
        try:
            card = parse_card(json_as(request, LayBody).card)
        except CardError as error:
            raise ApiError(400, "bad-cards", f"{error}.") from None
        _accepted(_host(context).lay(_key(), card))
        return nothing()


def _host(context: Context) -> Host:
    if context.host is None:
        raise ApiError(
            409, "no-demo", "House players press the simulated board's buttons; here is a real one."
        )
    return context.host


def _seat(number: str) -> int:
    """The seat of an address; what is no number is no seat either."""
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        raise ApiError(404, "unknown-seat", f"There is no seat {number[:40]}.")
    return int(number)


def _key() -> str:
    return request.headers.get(KEY_HEADER, "")


def _accepted(refusal: Refusal | None) -> None:
    if refusal:
        raise ApiError(status_of(refusal), refusal.code, refusal.message)
