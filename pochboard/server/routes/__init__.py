"""The routes of the API and of the pages, one module for each part.

To add a route, write a function in one of these modules and declare it with `@routes.add`. Flask's
rule, the OpenAPI document and the generic tests follow from the declaration.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec
from flask import Response

from pochboard.server import events
from pochboard.server.arrival import current_arrival
from pochboard.server.context import Context
from pochboard.server.routes import (
    backup,
    board,
    bots,
    build,
    nights,
    pairing,
    rulesets,
    table,
)
from pochboard.server.routing import Route, Routes, document

_own: Final = Routes()


@_own.add("GET", "/api/openapi.json", answer=dict[str, Any])
def get_description(_context: Context) -> Response:
    """This description."""
    prefix = current_arrival().prefix
    return Response(_description(prefix), content_type="application/json")


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


@lru_cache(4)
def _description(prefix: str) -> bytes:
    return msgspec.json.encode(document(API, prefix))
