"""The board: its pixels and face, its settings and its clock."""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from pochboard.buttons.settings import Brightness, DisplayLanguage, Places, Volume
from pochboard.errors import (
    Refusal,
    RefusalAnswer,
)
from pochboard.geometry.art import face_art
from pochboard.geometry.face import face
from pochboard.lights.frame import estimate_ma, hex_colours
from pochboard.server.context import Context
from pochboard.server.language import request_translator
from pochboard.server.routing import Permission, Routes
from pochboard.time_zone import find_zone, zone_name
from pochboard.views.board import ArtAnswer, BoardAnswer, FaceAnswer, art_answer, face_answer

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
    frame = table.lighting.frame if context.client().paired else table.lighting.public_frame
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
    return _face(lights.places, lights.pixels_per_ring)


@cache
def _face(places: int, pixels_per_ring: int) -> FaceAnswer:
    return face_answer(face(places, pixels_per_ring))


@routes.add(
    "GET",
    "/api/board/face/art",
    responses={200: ArtAnswer},
)
def get_art(context: Context) -> ArtAnswer:
    """What is engraved on the board besides its names: the signs of its pools, and ornaments."""
    lights, language = context.table.lights, request_translator().language
    board = face(lights.places, lights.pixels_per_ring)
    return art_answer(face_art(board, context.design, "de" if language == "de" else "en"))


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
