"""The board: its pixels, and the simulated board's buttons."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict, replace

from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.buttons.settings import Brightness, DisplayLanguage, Places, Volume
from pochboard.config import PixelKind
from pochboard.errors import (
    Refusal,
    RefusalAnswer,
    RefusedEvent,
    RefusedInput,
    refuse,
    refused_event,
)
from pochboard.geometry.art import face_art
from pochboard.geometry.face import face
from pochboard.lights.frame import estimate_ma, hex_colours
from pochboard.messages.labels import seconds
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.language import request_translator
from pochboard.server.routing import OptionalJson, Permission, Routes
from pochboard.table.pairing import not_paired
from pochboard.table.simulated_board import Buttons, ClientEdge
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.time_zone import find_zone, zone_name
from pochboard.views.board import ArtAnswer, BoardAnswer, FaceAnswer, art_answer, face_answer

LONGEST_PRESS_MS: Final = 10_000
MOST_HELD_MS: Final = 86_400_000
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
    held_ms: Annotated[int, Meta(ge=0, le=MOST_HELD_MS)] | None = None
    cancel: bool = False


class PressBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button, or two together, held for `ms` milliseconds."""

    button: str | Annotated[list[str], Meta(min_length=1, max_length=2)]
    ms: Annotated[int, Meta(ge=1, le=LONGEST_PRESS_MS)] = 50


class ReplayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry that the board shows. `client` tells pages in one browser apart.

    With `keep`, only if the board still follows this page.
    """

    night: Annotated[int, Meta(ge=1, le=2**53)]
    entry: Annotated[int, Meta(ge=1, le=2**53)]
    client: Annotated[str, Meta(max_length=64)] = ""
    keep: bool = False


class ReplayEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page that the board follows no longer."""

    client: Annotated[str, Meta(max_length=64)] = ""


class SettingsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people choose for the board (BOARD.md 4). What is left out stays as it is."""

    brightness: Brightness | UnsetType = UNSET
    night: bool | UnsetType = UNSET
    volume: Volume | UnsetType = UNSET
    language: DisplayLanguage | UnsetType = UNSET
    """Of the display."""
    places: Places | UnsetType = UNSET
    """From the next start on, and only if the configuration says nothing else."""
    zone: str | UnsetType = UNSET
    """Its time zone, such as Europe/Berlin."""
    answered: bool | UnsetType = UNSET
    """Whether the questions of the first start are answered."""


@routes.add(
    "PUT",
    "/api/board/replay",
    body=ReplayBody,
    responses={204: None, 404: RefusalAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def show_replay(context: Context, body: ReplayBody) -> Refusal | None:
    """While no night is in progress, the board shows a night after an entry.

    It ends with the next press, with any change at the table, and 6 s after the last request.
    """
    holder = _holder(context, body.client)
    return context.table.showing.show_replay(body.night, body.entry, holder, keep=body.keep)


@routes.add(
    "DELETE",
    "/api/board/replay",
    body=OptionalJson(ReplayEnd),
    responses={204: None},
    permission=Permission.PAIRED,
)
def end_replay(context: Context, body: ReplayEnd) -> None:
    """The board shows the table again, if it has followed this page."""
    context.table.showing.end_replay(_holder(context, body.client))


def _holder(context: Context, page: str) -> str:
    """Identifies a page of a client."""
    client = context.client()
    return f"{client.address} {client.pairing.number if client.pairing else 0} {page}"


@routes.add(
    "PUT",
    "/api/board/settings",
    body=SettingsBody,
    responses={204: None, 400: RefusalAnswer},
    permission=Permission.PAIRED,
)
def change_settings(context: Context, body: SettingsBody) -> Refusal | None:
    """Changes the board's light, volume, language or zone, at once and for later; places later."""
    if body.zone is not UNSET and isinstance(unknown := find_zone(body.zone), Refusal):
        return unknown
    given = {name: value for name, value in asdict(body).items() if value is not UNSET}
    context.table.settings.change(lambda settings: replace(settings, **given))
    return None


@routes.add(
    "GET",
    "/api/board",
    responses={200: BoardAnswer},
)
def get_board(context: Context) -> BoardAnswer:
    """The pixels as they are now."""
    table = context.table
    frame = table.frame if context.client().paired else table.public_frame
    return table.boundary.attempt(
        "pixels",
        lambda: BoardAnswer(hex_colours(frame), round(estimate_ma(frame), 1)),
        BoardAnswer([], 0.0),
    )


@routes.add(
    "GET",
    "/api/board/face",
    responses={200: FaceAnswer},
)
def get_face(context: Context) -> FaceAnswer:
    """The face of the board as it is built: where its pools, inlays and buttons are."""
    lights = context.table.lights
    return _face(lights.places, lights.pixels_per_ring, context.pixel_kind)


@cache
def _face(places: int, pixels_per_ring: int, kind: PixelKind) -> FaceAnswer:
    return face_answer(face(places, pixels_per_ring, kind))


@routes.add(
    "GET",
    "/api/board/face/art",
    responses={200: ArtAnswer},
)
def get_art(context: Context) -> ArtAnswer:
    """What is engraved on the board besides its names: the signs of its pools, and ornaments."""
    lights, language = context.table.lights, request_translator().language
    board = face(lights.places, lights.pixels_per_ring, context.pixel_kind)
    return art_answer(face_art(board, context.design, "de" if language == "de" else "en"))


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
        refused = simulated.client_edge(_holder(context, body.client), body.button, edge)
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


class ClockAnswer(msgspec.Struct, frozen=True):
    """The clock that dates entries."""

    time_ms: int
    """Milliseconds since 1970, UTC."""
    is_set: bool
    """Whether the network has set it since the machine was started."""
    from_phone: bool
    """Whether it is a phone's, until then."""
    zone: str
    """The board's time zone, such as Europe/Berlin; empty if it is not known."""


class ClockBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phone's time: milliseconds since 1970, UTC; and the IANA name of its time zone."""

    time_ms: int
    zone: str = ""


@routes.add(
    "GET",
    "/api/clock",
    responses={200: ClockAnswer},
)
def get_clock(context: Context) -> ClockAnswer:
    """The clock that dates entries, and whether the network has set it."""
    clock = context.table.clock
    return ClockAnswer(clock.now_ms(), clock.is_set, clock.is_of_a_phone, zone_name())


@routes.add(
    "PUT",
    "/api/clock",
    body=ClockBody,
    responses={200: ClockAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def put_clock(context: Context, body: ClockBody) -> ClockAnswer | Refusal:
    """Dates entries by a phone's time until the network has set the clock of the machine.

    The time is from 2000 to 2099. The machine's own clock stays as it is. The zone becomes that of
    the board, unless it has one.
    """
    refusal = context.table.clock.follow_phone(body.time_ms)
    if refusal is not None:
        return refusal
    context.table.settings.adopt(zone=body.zone)
    return get_clock(context)
