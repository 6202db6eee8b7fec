"""The clock that dates entries, and a phone's time until the network has set it."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.server.context import Context
from pochboard.server.errors import refused
from pochboard.server.routing import Permission, Routes
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


class ClockBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phone's time: milliseconds since 1970, UTC."""

    time_ms: int


@routes.add(
    "GET",
    "/api/clock",
    summary="The clock that dates entries, and whether the network has set it.",
    responses={200: ClockAnswer},
)
def get_clock(context: Context) -> ClockAnswer:
    """The clock."""
    clock = context.table.clock
    return ClockAnswer(clock.now_ms(), clock.is_set, clock.is_of_a_phone)


@routes.add(
    "PUT",
    "/api/clock",
    summary=(
        "Dates entries by a phone's time, from 2000 to 2099, until the network has set the clock of"
        " the machine. The machine's own clock stays as it is."
    ),
    body=ClockBody,
    responses={200: ClockAnswer, 409: RefusalAnswer},
    permission=Permission.PAIRED,
)
def put_clock(context: Context, body: ClockBody) -> ClockAnswer:
    """Takes over a phone's time."""
    refusal = context.table.follow_phone(body.time_ms)
    if refusal is not None:
        raise refused(refusal)
    return get_clock(context)
