"""The routes of the API and of the pages, one module for each part.

To add a route, write a function in one of these modules and declare it with `@routes.add`. Flask's
rule, the OpenAPI document and the generic tests follow from the declaration.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec
from flask import Response

from pochboard.server import events
from pochboard.server.context import Context
from pochboard.server.routes import backup, board, bots, build, nights, pairing, rulesets, table
from pochboard.server.routing import Route, Routes, document

_own: Final = Routes()


@_own.add("GET", "/api/openapi.json", answer=dict[str, Any])
def get_description(_: Context) -> Response:
    """This description."""
    return Response(_description(), content_type="application/json")


@cache
def _description() -> bytes:
    return msgspec.json.encode(document(API))


API: Final[list[Route]] = [
    *table.routes,
    events.EVENTS_ROUTE,
    *rulesets.routes,
    *nights.routes,
    *backup.routes,
    *board.routes,
    *build.routes,
    *pairing.routes,
    *bots.routes,
    *_own,
]
"""Every route of the API."""
