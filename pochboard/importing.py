"""Importing a score sheet: through the running daemon, or straight into the ledger file."""

from __future__ import annotations

import http.client
import os
from datetime import date
from urllib.parse import urlsplit

import msgspec

from pochboard.backup.restoring import apply_restore
from pochboard.catalog import RulesetCatalog
from pochboard.config import Config
from pochboard.decoding import decode_json
from pochboard.errors import PochboardError, SheetError
from pochboard.lazy_text import lazy_gettext
from pochboard.lock import DaemonInfo, DaemonLock, find_daemon
from pochboard.messages.translator import ENGLISH
from pochboard.rules.seating import resolve_among
from pochboard.sheets.lines import read_sheet
from pochboard.store import Store
from pochboard.table.clock import noon_ms
from pochboard.table.journal import read_nights
from pochboard.table.records import Imported


def check_sheet(catalog: RulesetCatalog, content: bytes) -> None:
    """Checks that a score sheet can be imported. Raises NotASheetError, SheetError."""
    read_nights(resolve_among(catalog.rulesets), content)


def import_sheet(
    config: Config,
    catalog: RulesetCatalog,
    content: bytes,
    day: date | None,
    language: str = ENGLISH.language,
) -> Imported:
    """Imports the nights of a score sheet; `day` is when they were played, by default today.

    If a daemon imports it, it answers in the language of `t`.

    Raises NotASheetError, SheetError, LedgerError.
    """
    daemon = find_daemon(config.data)
    if daemon is not None and daemon.url:
        # Fail here if this is not a score sheet, with the same error as without a daemon.
        read_sheet(content)
        return _post_to_daemon(daemon, daemon.url, content, day, language)
    played_ms = noon_ms(day) if day else None
    nights = read_nights(resolve_among(catalog.rulesets), content, played_ms)
    with DaemonLock.acquire(config.data, DaemonInfo(os.getpid())):
        apply_restore(config.data)
        with Store.open(config.ledger) as store:
            return nights.add_to(store)


class _Response(msgspec.Struct):
    nights: list[int] = []
    remarks: list[str] = []
    message: str = ""


def _post_to_daemon(
    daemon: DaemonInfo, url: str, content: bytes, day: date | None, language: str
) -> Imported:
    address = urlsplit(url)
    query = f"?day={day.isoformat()}" if day else ""
    headers = {
        "Authorization": f"Bearer {daemon.token}",
        "Content-Type": "application/x-ndjson",
        "Accept-Language": language,
    }
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    try:
        connection.request("POST", f"/api/nights{query}", content, headers)
        response = connection.getresponse()
        answer = decode_json(response.read(), _Response)
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        raise PochboardError(
            lazy_gettext(
                "The daemon {pid} at {url} does not answer ({error}); nothing was imported.",
                pid=daemon.pid,
                url=url,
                error=error,
            )
        ) from None
    finally:
        connection.close()
    if response.status != http.client.CREATED:
        raise SheetError(answer.message)
    return Imported(answer.nights, answer.remarks)
