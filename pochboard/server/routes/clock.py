"""The clock that dates entries, and a phone's time until the network has set it."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.errors import Refusal
from pochboard.server.context import Context
from pochboard.server.routing import Permission, Routes
from pochboard.time_zone import zone_name
from pochboard.views.refusals import RefusalAnswer

routes: Final = Routes()


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
