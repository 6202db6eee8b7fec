"""The API of the board: its pixels, and the simulated board's buttons."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from flask import Flask, Response, request

from pochboard.errors import StoppedError
from pochboard.lights.frame import Frame, estimate_ma, hex_colours
from pochboard.server.authentication import Client
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.reply import json_answer, json_as
from pochboard.server.requests import EdgeBody, PressBody
from pochboard.server.responses import (
    BoardAnswer,
    PressAnswer,
    RefusedEvent,
)
from pochboard.server.serializers import refused_event
from pochboard.table.records import Buttons, RefusedNow, Snapshot

_MOST_PRESSES: Final = 16
"""Presses at once; each keeps a thread waiting."""
_SLACK_S: Final = 2.0
"""How much longer than it should a press is held if nobody comes back to end it."""


def add(app: Flask, context: Context) -> None:
    """Adds the routes."""
    presses_left = threading.BoundedSemaphore(_MOST_PRESSES)
    numbers = itertools.count(1)

    @app.get("/api/board")
    def board() -> Response:
        frame = context.table.frame
        return json_answer(BoardAnswer(hex_colours(frame), round(estimate_ma(frame), 1)))

    @app.post("/api/board/edge")
    def edge() -> Response:
        simulated = _simulated(context)
        body = json_as(request, EdgeBody)
        client = _allowed(context, (body.button,))
        number = client.pairing.number if client.pairing else 0
        holder = f"{client.address} {number} {body.client}"
        with _refusals_of_the_board():
            refused = simulated.edge(holder, body.button, down=body.down).result()
        events = tuple(RefusedEvent(one.code, one.message, one.buttons, None) for one in refused)
        return json_answer(PressAnswer(events, context.table.snapshot.revision))

    @app.post("/api/board/press")
    def press() -> Response:
        simulated = _simulated(context)
        body = json_as(request, PressBody)
        given = [body.button] if isinstance(body.button, str) else body.button
        buttons = tuple(dict.fromkeys(given))
        _allowed(context, buttons)
        if not presses_left.acquire(blocking=False):
            raise ApiError(503, "busy", "Too many buttons are pressed at once.")
        heard = _Heard(buttons)
        try:
            unlisten = context.table.listen(heard)
            try:
                with _refusals_of_the_board():
                    _press(context, simulated, f"press {next(numbers)}", buttons, body.ms / 1000)
            finally:
                with suppress(StoppedError):
                    unlisten()
        finally:
            presses_left.release()
        return json_answer(PressAnswer(tuple(heard.refused), context.table.snapshot.revision))


class _Heard:
    """Listens for refusals of some buttons: a long press is refused while it is still held."""

    def __init__(self, buttons: tuple[str, ...]) -> None:
        self._buttons = set(buttons)
        self.refused: list[RefusedEvent] = []

    def on_snapshot(self, _: Snapshot) -> None:
        """Of no interest here."""

    def on_frame(self, _: Frame) -> None:
        """Of no interest here."""

    def on_refused(self, refused: RefusedNow) -> None:
        """Keeps it if it is about these buttons."""
        if self._buttons & set(refused.buttons):
            self.refused.append(refused_event(refused))


def _press(
    context: Context, simulated: Buttons, holder: str, buttons: tuple[str, ...], hold_s: float
) -> None:
    """Presses buttons together, and returns when all that came of it has been decided."""
    try:
        for button in buttons:
            simulated.edge(holder, button, down=True, hold_s=hold_s + _SLACK_S).result()
        context.stopping.wait(hold_s)
    finally:
        for button in buttons:
            simulated.edge(holder, button, down=False).result()


def _simulated(context: Context) -> Buttons:
    if context.simulated is None:
        raise ApiError(409, "not-simulated", "This is a real board: press its own buttons.")
    return context.simulated


def _allowed(context: Context, buttons: tuple[str, ...]) -> Client:
    """Who presses. Anybody may press `next`, which opens pairing; the rest takes a paired phone."""
    return context.client() if buttons == ("next",) else context.paired_client()


@contextmanager
def _refusals_of_the_board() -> Iterator[None]:
    try:
        yield
    except LookupError as error:
        raise ApiError(400, "bad-argument", f"{error}.") from None
    except ConnectionError as error:
        raise ApiError(409, "no-link", str(error)) from None
