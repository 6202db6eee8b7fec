"""The board: pixels, face, settings, clock, and the buttons of the simulated one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict, replace

from pochboard.buttons.press import PAIRING_BUTTON
from pochboard.buttons.settings import Brightness, DisplayLanguage, Places, Volume
from pochboard.errors import (
    Refusal,
    RefusedEvent,
    RefusedInput,
    refuse,
    refused_event,
)
from pochboard.geometry.art import face_art
from pochboard.geometry.face import face
from pochboard.lights.frame import hex_colours
from pochboard.messages.labels import seconds
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.routing import Routes
from pochboard.table.pairing import not_paired
from pochboard.time_zone import find_zone, zone_name
from pochboard.views.board import ArtAnswer, FaceAnswer, FrameEvent, art_answer, face_answer

routes: Final = Routes()


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


@routes.add("PUT", "/api/board/settings", paired=True)
def change_settings(context: Context, body: SettingsBody) -> Refusal | None:
    """Changes the board's light, volume, language or zone, at once and for later; places later."""
    if body.zone is not UNSET and isinstance(unknown := find_zone(body.zone), Refusal):
        return unknown
    given = {name: value for name, value in asdict(body).items() if value is not UNSET}
    context.table.settings.change(lambda settings: replace(settings, **given))
    return None


@routes.add("GET", "/api/board")
def get_board(context: Context) -> FrameEvent:
    """The pixels as they are now."""
    table = context.table
    frame = table.lighting.frame if context.client().paired else table.lighting.public_frame
    empty = FrameEvent([])
    return table.boundary.attempt("pixels", lambda: FrameEvent(hex_colours(frame)), empty)


@routes.add("GET", "/api/board/face")
def get_face(context: Context) -> FaceAnswer:
    """The face of the board as it is built: where its pools, inlays and buttons are."""
    lights = context.table.lights
    return _face(lights.places, lights.pixels_per_ring)


@cache
def _face(places: int, pixels_per_ring: int) -> FaceAnswer:
    return face_answer(face(places, pixels_per_ring))


@routes.add("GET", "/api/board/face/art")
def get_art(context: Context) -> ArtAnswer:
    """What is engraved on the board besides its names: the signs of its pools, and ornaments."""
    lights, language = context.table.lights, request_translator().language
    board = face(lights.places, lights.pixels_per_ring)
    return art_answer(face_art(board, context.config.design, "de" if language == "de" else "en"))


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


@routes.add("GET", "/api/clock")
def get_clock(context: Context) -> ClockAnswer:
    """The clock that dates entries, and whether the network has set it."""
    clock = context.table.clock
    return ClockAnswer(clock.now_ms(), clock.is_set, clock.is_of_a_phone, zone_name())


@routes.add("PUT", "/api/clock", paired=True)
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


_LONGEST_PRESS_MS: Final = 10_000


class PressAnswer(msgspec.Struct, frozen=True):
    """What was refused of a press, and the revision after it."""

    refused: tuple[RefusedEvent, ...]
    revision: int


class PressBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button, or two together, that were held for `ms` milliseconds until now."""

    button: str | Annotated[list[str], Meta(min_length=1, max_length=2)]
    ms: Annotated[int, Meta(ge=0, le=_LONGEST_PRESS_MS)] = 50


@routes.add("POST", "/api/board/press")
def press_buttons(context: Context, body: PressBody) -> PressAnswer:
    """On the simulated board, one or two buttons are pressed, as one press that ends now.

    A client that is not paired may only hold `next` for long enough to open pairing.
    """
    if not context.table.snapshot.board.simulated:
        raise ApiError(409, refuse("not-simulated", "This is a real board: press its own buttons."))
    named = [body.button] if isinstance(body.button, str) else body.button
    buttons = tuple(dict.fromkeys(named))
    refused: Iterable[RefusedInput] = ()
    if context.client().paired:
        refused = context.table.press(buttons, 1000 * body.ms).result()
    else:
        _open_pairing(context, buttons, 1000 * body.ms)
    t = request_translator()
    events = tuple(refused_event(event, t) for event in refused)
    return PressAnswer(events, context.table.snapshot.revision)


def _open_pairing(context: Context, buttons: tuple[str, ...], held_us: int) -> None:
    """Opens pairing once a client that is not paired has held `next` for long enough.

    Its presses never reach the board. Raises ApiError for any other button or a shorter press.
    """
    table, long_us = context.table, context.table.snapshot.times.next_long_us
    if buttons != (PAIRING_BUTTON,):
        raise ApiError(401, not_paired(long_us))
    if held_us < long_us:
        raise ApiError(
            403,
            refuse(
                "not-paired",
                "This phone is not paired. Hold “next” for {seconds} s to open pairing.",
                seconds=seconds(long_us),
            ),
        )
    if table.snapshot.pairing_open_until_ms is None:
        table.pairings.open()
