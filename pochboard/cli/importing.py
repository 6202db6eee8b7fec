"""Importing a score sheet: through the running daemon, or straight into the ledger file."""

from __future__ import annotations

import http.client
import os
from datetime import date
from typing import Final
from urllib.parse import urlencode, urlsplit

import msgspec

from pochboard.backup import apply_restore
from pochboard.config import Config
from pochboard.errors import KnownNightError, PochboardError, SheetError
from pochboard.rules.seating import resolve_among
from pochboard.rulesets.catalog import RulesetCatalog
from pochboard.runtime.process import DaemonInfo, DaemonLock, find_daemon
from pochboard.sheets.lines import read_sheet
from pochboard.store import Store
from pochboard.table.clock import begun_ms
from pochboard.table.ledger_nights import check_nights, import_nights
from pochboard.table.snapshot import Imported
from pochboard.text.decoding import decode_json

_IMPORT_S: Final = 600.0
"""How long the daemon may take for the longest sheet, on the slowest machine."""


class ImportOptions(msgspec.Struct, frozen=True):
    """How a score sheet is imported."""

    day: date | None = None
    """When its nights were played; by default the day on the sheet, or today."""
    again: bool = False
    """Whether nights are imported that are in the ledger already."""


BY_DEFAULT: Final = ImportOptions()


def check_sheet(catalog: RulesetCatalog, content: bytes) -> None:
    """Checks that a score sheet can be imported. Raises NotASheetError, SheetError."""
    check_nights(content, resolve_among(catalog.rulesets))


def import_sheet(
    config: Config,
    catalog: RulesetCatalog,
    content: bytes,
    how: ImportOptions = BY_DEFAULT,
) -> Imported:
    """Imports the nights of a score sheet.

    Raises NotASheetError, SheetError, KnownNightError, LedgerError.
    """
    daemon = find_daemon(config.data)
    if daemon is not None and daemon.url:
        # Fail here if this is not a score sheet, with the same error as without a daemon.
        read_sheet(content)
        return _post_to_daemon(daemon, daemon.url, content, how)
    check_sheet(catalog, content)
    with DaemonLock(config.data, DaemonInfo(os.getpid())):
        apply_restore(config.data)
        with Store.open(config.ledger) as store:
            resolve = resolve_among(catalog.rulesets)
            played_ms = begun_ms(how.day) if how.day else None
            return import_nights(content, store, resolve, played_ms=played_ms, again=how.again)


class _Response(msgspec.Struct):
    nights: list[int] = []
    remarks: list[str] = []
    message: str = ""


def _connection(url: str, timeout_s: float) -> http.client.HTTPConnection:
    address = urlsplit(url)
    return http.client.HTTPConnection(address.hostname or "", address.port, timeout=timeout_s)


def _post_to_daemon(daemon: DaemonInfo, url: str, content: bytes, how: ImportOptions) -> Imported:
    day = {"day": how.day.isoformat()} if how.day else {}
    query = urlencode({**day, "again": int(how.again)})
    headers = {
        "Authorization": f"Bearer {daemon.token}",
        "Content-Type": "application/x-ndjson",
        "Accept-Language": "en",
    }
    connection = _connection(url, _IMPORT_S)
    try:
        connection.request("POST", f"/api/nights?{query}", content, headers)
        response = connection.getresponse()
        answer = decode_json(response.read(), _Response)
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        raise PochboardError(
            f"The daemon {daemon.pid} at {url} does not answer ({error}); nothing was imported."
        ) from None
    finally:
        connection.close()
    if response.status == http.client.CONFLICT:
        raise KnownNightError(answer.message)
    if response.status != http.client.CREATED:
        raise SheetError(answer.message)
    return Imported(answer.nights, answer.remarks)
