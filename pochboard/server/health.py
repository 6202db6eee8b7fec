"""`/healthz`, answered on the event loop, because all threads may be waiting for the table."""

from __future__ import annotations

import threading
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.messages.labels import fault_text
from pochboard.runtime.threads import HealthMonitor
from pochboard.server.asgi import Receive, Scope, Send, connection_of, respond
from pochboard.server.errors import STOPPING, ApiError
from pochboard.server.routing import Route
from pochboard.table.table import Table
from pochboard.text.translator import ENGLISH, Translator, table_translator


class HealthAnswer(msgspec.Struct, frozen=True):
    """All parts of the daemon work."""

    status: str
    revision: int


class HealthProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A refusal with the code `not-responding`, which names the parts that do not work."""

    code: str
    message: str
    parts: list[str] | UnsetType = UNSET


class HealthEvent(msgspec.Struct, frozen=True):
    """The parts of the daemon that do not work, in a sentence; None once all work again."""

    parts: list[str]
    message: str | None


def health_event(health: HealthMonitor, t: Translator) -> HealthEvent:
    """What does not work in the daemon."""
    faults = health.faults
    restarts = health.restarts(faults)
    message = fault_text(faults.items(), restarts=restarts, t=t) if faults else None
    return HealthEvent(sorted(faults), message)


HEALTH_ROUTE: Final = Route(
    method="GET",
    path="/healthz",
    summary="Whether every part of the daemon responds.",
    handler=None,
    declared={200: HealthAnswer, 503: HealthProblem},
)
routes: Final = [HEALTH_ROUTE]


class HealthCheck:
    """Answers requests for the daemon's health."""

    def __init__(self, table: Table, health: HealthMonitor, stopping: threading.Event) -> None:
        self._table = table
        self._stopping = stopping
        self._health = health

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answers 200, or 503 with the parts that do not work. Raises ApiError when stopping."""
        if self._stopping.is_set():
            raise ApiError(503, STOPPING)
        status, answer = self._answer()
        body = msgspec.json.encode(answer)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        with connection_of(scope).responding():
            await respond(send, status, headers, b"" if scope["method"] == "HEAD" else body)

    def _answer(self) -> tuple[int, HealthAnswer | HealthProblem]:
        event = health_event(self._health, table_translator(ENGLISH.language))
        if event.message is None:
            return 200, HealthAnswer("ok", self._table.snapshot.revision)
        return 503, HealthProblem("not-responding", event.message, event.parts or UNSET)
