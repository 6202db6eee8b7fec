"""A night kept on paper enters the ledger: through the running daemon, or into the file."""

from __future__ import annotations

import http.client
import os
from datetime import date
from urllib.parse import urlsplit

import msgspec

from pochboard.config import Config
from pochboard.errors import PochboardError, SheetError
from pochboard.lock import Holder, Lock, read_holder
from pochboard.rules.play import resolve_among
from pochboard.sheets.lines import read_sheet
from pochboard.shelf import Shelf
from pochboard.store import Store
from pochboard.table.clock import noon_ms
from pochboard.table.keeper import read_paper
from pochboard.table.records import Imported


def import_night(config: Config, shelf: Shelf, content: bytes, day: date | None) -> Imported:
    """Enters a night kept on paper: through the running daemon, or into the ledger itself.

    Raises NoSheetError, SheetError, LedgerError.
    """
    holder = read_holder(config.data)
    if holder is not None and holder.url:
        read_sheet(content)  # what is no sheet is refused as it is without a daemon
        return _import_through(holder, holder.url, content, day)
    played_ms = noon_ms(day) if day else None
    paper = read_paper(resolve_among(shelf.rulesets), content, played_ms)
    with (
        Lock.acquire(config.data, Holder(os.getpid())),
        Store.open(config.ledger) as store,
    ):
        return paper.add_to(store)


class _Answer(msgspec.Struct):
    nights: list[int] = []
    remarks: list[str] = []
    message: str = ""


def _import_through(holder: Holder, url: str, content: bytes, day: date | None) -> Imported:
    where = urlsplit(url)
    query = f"?day={day.isoformat()}" if day else ""
    headers = {
        "Authorization": f"Bearer {holder.token}",
        "Content-Type": "application/x-ndjson",
    }
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    try:
        connection.request("POST", f"/api/nights{query}", content, headers)
        response = connection.getresponse()
        answer = msgspec.json.decode(response.read(), type=_Answer)
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        raise PochboardError(
            f"The daemon {holder.pid} at {url} does not answer ({error}); nothing was imported."
        ) from None
    finally:
        connection.close()
    if response.status != http.client.CREATED:
        raise SheetError(answer.message)
    return Imported(answer.nights, answer.remarks)
