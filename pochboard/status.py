"""The report of `pochboard status` on a data folder and the daemon that uses it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pochboard.backup.making import read_record
from pochboard.backup.restoring import is_prepared
from pochboard.config import Config
from pochboard.errors import LedgerError, NoLedgerError
from pochboard.lock import DaemonInfo, find_daemon
from pochboard.store import Store

_TIMEOUT_S = 10
_DAYS_MS = 2 * 24 * 3600 * 1000
"""If the last backup is older than this, the timer has missed one."""


class StatusLine(msgspec.Struct, frozen=True):
    """One line of the status."""

    name: str
    text: str
    ok: bool = True


def status_lines(config: Config, now_ms: int) -> Iterator[StatusLine]:
    """The status, line by line. Raises LedgerError if the lock cannot be read."""
    daemon = find_daemon(config.data)
    if daemon is None:
        yield StatusLine("Daemon", "not running")
        yield _ledger(config)
    elif daemon.url is None:
        yield StatusLine("Daemon", f"process {daemon.pid} is starting or stopping")
    else:
        yield StatusLine("Daemon", f"running at {daemon.url}, process {daemon.pid}")
        yield from _running(daemon, daemon.url)
    if is_prepared(config.data):
        yield StatusLine("Restore", "a restored ledger takes effect at the next start")
    yield from _backups(config, now_ms)


def _ledger(config: Config) -> StatusLine:
    try:
        with Store.open(config.ledger, readonly=True) as store:
            nights = store.all_nights()
    except NoLedgerError:
        return StatusLine("Ledger", f"none yet in {config.data}")
    except LedgerError as error:
        return StatusLine("Ledger", str(error), ok=False)
    if not nights:
        return StatusLine("Ledger", "no night has been played yet")
    last = nights[0]
    state = "over" if last.standings else "in progress"
    count = f"{len(nights)} night{'' if len(nights) == 1 else 's'}"
    return StatusLine("Ledger", f"{count}; the last one is {state}, {_time(last.started_ms)}")


def _running(daemon: DaemonInfo, url: str) -> Iterator[StatusLine]:
    """What the daemon reports."""
    try:
        _, health = _get(daemon, url, "/healthz")
        _, state = _get(daemon, url, "/api/state")
        _, phones = _get(daemon, url, "/api/pairings")
        _, fault = _get(daemon, url, "/api/fault")
        _, reach = _get(daemon, url, "/api/reach")
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        yield StatusLine("Health", f"the daemon does not respond ({error})", ok=False)
        return
    yield StatusLine("Page", ", ".join(reach["urls"]))
    if reach["wifi"]:
        yield StatusLine("Wi-Fi", f"its own, {reach['wifi']['name']}; see pochboard wifi")
    well = health.get("status") == "ok"
    yield StatusLine("Health", "every part responds" if well else health["message"], ok=well)
    if state["fault"] and state["fault"]["code"] == "damaged":
        yield StatusLine("Night", "not known", ok=False)
    elif state["night"] is None:
        yield StatusLine("Night", "none yet")
    else:
        names = ", ".join(state["names"].values())
        yield StatusLine(
            "Night", f"{state['night']}, deal {state['deal']}, {state['phase_name']}: {names}"
        )
    board = state["board"]
    link = "connected" if board["link"] else "not connected"
    yield StatusLine("Board", f"{board['kind']}, {link}", ok=board["link"])
    used = max((phone["used_ms"] for phone in phones), default=None)
    last = f", the last one used {_time(used)}" if used else ""
    yield StatusLine("Phones", f"{len(phones)} paired{last}")
    if fault["text"] is None:
        yield StatusLine("Fault", "none since it started")
    else:
        yield StatusLine("Fault", f"{_time(fault['time_ms'])}: {fault['text']}")


def _get(daemon: DaemonInfo, url: str, path: str) -> tuple[int, Any]:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(
        address.hostname or "", address.port, timeout=_TIMEOUT_S
    )
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {daemon.token}"})
        response = connection.getresponse()
        return response.status, msgspec.json.decode(response.read())
    finally:
        connection.close()


def _backups(config: Config, now_ms: int) -> Iterator[StatusLine]:
    record = read_record(config.data)
    if record is None:
        yield StatusLine("Backup", "no daily backup has been made yet")
        return
    when = _time(record.time_ms)
    if record.problem:
        yield StatusLine("Backup", f"failed {when}: {record.problem}", ok=False)
        return
    late = now_ms - record.time_ms > _DAYS_MS
    yield StatusLine("Backup", f"{when}, {record.file}", ok=not late)
    if record.second_problem:
        yield StatusLine("Copy", record.second_problem, ok=False)
    elif record.second_file:
        yield StatusLine("Copy", record.second_file)


def _time(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
