"""Presses of the simulated board's buttons."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.errors import RefusalAnswer, RefusedEvent, RefusedInput, refuse, refused_event
from pochboard.messages.labels import seconds
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes
from pochboard.table.pairing import not_paired
from pochboard.table.simulated_board import Buttons, ClientEdge
from pochboard.text.lazy import lazy_gettext, lazy_text

_LONGEST_PRESS_MS: Final = 10_000
_MOST_HELD_MS: Final = 86_400_000
_SLACK_S: Final = 2.0
"""A press is released this long after its end if the request that made it fails to."""
_press_numbers: Final = itertools.count(1)
routes: Final = Routes()


class PressAnswer(msgspec.Struct, frozen=True):
    """What was refused of a press, and the revision after it."""

    refused: tuple[RefusedEvent, ...]
    revision: int


class EdgeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button goes down or up. `client` tells pages in one browser apart.

    `repeat` says that the button is still down. It keeps a press going and never begins one.
    `held_ms` is how long it has been held, by the client's clock; by default, the daemon's clock
    counts.
    `press` numbers the presses of a client: an edge of an older press, or a down after its up, is
    dropped. With `cancel`, a release has no effect.
    """

    button: str
    down: bool
    repeat: bool = False
    client: Annotated[str, Meta(max_length=64)] = ""
    press: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    held_ms: Annotated[int, Meta(ge=0, le=_MOST_HELD_MS)] | None = None
    cancel: bool = False


class PressBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button, or two together, held for `ms` milliseconds."""

    button: str | Annotated[list[str], Meta(min_length=1, max_length=2)]
    ms: Annotated[int, Meta(ge=1, le=_LONGEST_PRESS_MS)] = 50


@routes.add(
    "POST",
    "/api/board/edge",
    body=EdgeBody,
    responses={200: PressAnswer, 409: RefusalAnswer},
    permission=Permission.HANDLER,
)
def send_edge(context: Context, body: EdgeBody) -> PressAnswer:
    """On the simulated board, a button goes down or up.

    It counts as held only as long as its client says so; 2 s after the last `down: true` it is
    released without effect. A client that is not paired may only hold `next` to open pairing.
    """
    simulated = _simulated(context)
    if not context.client().paired:
        _open_pairing(context, body)
        return _answer(context, ())
    edge = ClientEdge(
        down=body.down,
        repeat=body.repeat,
        press=body.press,
        held_us=None if body.held_ms is None else body.held_ms * 1000,
        cancel=body.cancel,
    )
    with _board_errors():
        refused = simulated.client_edge(context.holder(body.client), body.button, edge)
    return _answer(context, refused)


@routes.add(
    "POST",
    "/api/board/press",
    body=PressBody,
    responses={200: PressAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def press_buttons(context: Context, body: PressBody) -> PressAnswer:
    """On the simulated board, one or two buttons are held for so long.

    The answer comes when the press is over.
    """
    simulated, hold_s = _simulated(context), body.ms / 1000
    named = [body.button] if isinstance(body.button, str) else body.button
    buttons, holder = tuple(dict.fromkeys(named)), f"press {next(_press_numbers)}"
    with _board_errors():
        answers = simulated.edges(holder, buttons, down=True, hold_s=hold_s + _SLACK_S)
        context.stopping.wait(hold_s)
        answers += simulated.edges(holder, buttons, down=False)
        refused = [one for answer in answers for one in answer.result()]
    return _answer(context, refused)


def _answer(context: Context, refused: Iterable[RefusedInput]) -> PressAnswer:
    t = request_translator()
    events = tuple(refused_event(event, t) for event in refused)
    return PressAnswer(events, context.table.snapshot.revision)


def _simulated(context: Context) -> Buttons:
    if context.simulated is None:
        raise ApiError(
            409,
            refuse("not-simulated", lazy_gettext("This is a real board: press its own buttons.")),
        )
    return context.simulated


def _open_pairing(context: Context, edge: EdgeBody) -> None:
    """Opens pairing once a client that is not paired has held `next` for long enough.

    Its presses never reach the board, where they could complete or prolong those of others. Raises
    ApiError for any other button, and if `next` is released too early.
    """
    table, long_us = context.table, context.table.snapshot.times.next_long_us
    if edge.button != PAIRING_BUTTON:
        raise ApiError(401, not_paired(long_us))
    if not table.snapshot.board.link:
        raise ApiError(
            409,
            refuse(
                "no-link",
                lazy_gettext("The board has lost its link; this press did not arrive."),
            ),
        )
    if edge.cancel:
        return
    if (edge.held_ms or 0) * 1000 >= long_us:
        if edge.down and table.snapshot.pairing_open_until_ms is None:
            table.pairings.open()
    elif not edge.down:
        raise ApiError(
            403,
            refuse(
                "not-paired",
                lazy_gettext(
                    "This phone is not paired. Hold “next” for {seconds} s to open pairing.",
                    seconds=seconds(long_us),
                ),
            ),
        )


@contextmanager
def _board_errors() -> Iterator[None]:
    """What the board raises, as ApiError."""
    try:
        yield
    except LookupError as error:
        raise ApiError(400, refuse("bad-argument", lazy_text(error))) from None
    except ConnectionError as error:
        raise ApiError(409, refuse("no-link", lazy_text(error))) from None
