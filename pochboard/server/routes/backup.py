"""Maintenance: download or upload a backup; what does not work, and the last fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from flask import Response

from pochboard.backup import UPLOAD_BYTES
from pochboard.errors import BackupError, refuse
from pochboard.server.arrival import request_translator
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.events import health_event
from pochboard.server.routing import Routes, Upload
from pochboard.table.clock import file_stamp
from pochboard.text.lazy import LazyText, lazy_text

ZIP: Final = "application/zip"
_LONGEST_FAULT: Final = 1_000
routes: Final = Routes()


class RestoreAnswer(msgspec.Struct, frozen=True):
    """What the ledger of an uploaded backup holds."""

    nights: int
    entries: int


class FaultAnswer(msgspec.Struct, frozen=True):
    """The last warning or error since the daemon started."""

    time_ms: int | None
    text: str | None


@routes.add("GET", "/api/backup", answer=ZIP, paired=True)
def download_backup(context: Context) -> Response:
    """A backup of the ledger, the configuration and the house rulesets, made now."""
    with _one_at_a_time(context):
        try:
            file = context.backups.make()
        except BackupError as error:
            # The disk is at fault, and the backup can be made again.
            raise ApiError(503, refuse("ledger", lazy_text(error))) from None
    with file:
        response = Response(file.read(), content_type=ZIP)
    name = f"pochboard-{file_stamp()}.zip"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.cache_control.no_store = True
    return response


_UPLOAD: Final = Upload(
    media_types=(ZIP,),
    limit=UPLOAD_BYTES,
    otherwise=refuse("not-a-backup", "Send a backup, as application/zip."),
)


@routes.add("POST", "/api/restore", body=_UPLOAD, paired=True)
def upload_backup(context: Context, body: bytes) -> RestoreAnswer:
    """Checks a backup.

    Its ledger replaces the current one at the daemon's next start.
    """
    with _one_at_a_time(context):
        prepared = context.backups.prepare(body)
    return RestoreAnswer(prepared.counted.nights, prepared.counted.entries)


@contextmanager
def _one_at_a_time(context: Context) -> Iterator[None]:
    """Keeps other backups and uploads out. Raises ApiError 503 if one is in progress."""
    busy = context.backups.busy
    if not busy.acquire(blocking=False):
        raise ApiError(
            503, refuse("busy", "Another backup is being made or restored. Try again in a moment.")
        )
    try:
        yield
    finally:
        busy.release()


@routes.add("GET", "/api/fault", paired=True)
def get_fault(context: Context) -> FaultAnswer:
    """The last warning or error of the daemon since it started."""
    last = context.faults.record
    if last is None:
        return FaultAnswer(None, None)
    return FaultAnswer(round(last.created * 1000), last.getMessage()[:_LONGEST_FAULT])


class HealthAnswer(msgspec.Struct, frozen=True):
    """All parts of the daemon work."""

    status: str
    revision: int


@routes.add("GET", "/healthz")
def get_health(context: Context) -> HealthAnswer:
    """Whether every part of the daemon responds; 503 names those that do not work."""
    event = health_event(context.health, request_translator())
    if event.message is not None:
        sentence = LazyText("{reason}", reason=event.message)
        raise ApiError(503, refuse("not-responding", sentence))
    return HealthAnswer("ok", context.table.snapshot.revision)
