"""The report of `pochboard status` on a data folder and the daemon that uses it."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from pochboard.backup.making import read_record
from pochboard.backup.restoring import is_prepared
from pochboard.config import Config
from pochboard.errors import LedgerError, NoLedgerError
from pochboard.runtime.lock import DaemonInfo, find_daemon
from pochboard.store import Store
from pochboard.table.clock import local_time
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import lazy_gettext, lazy_ngettext, lazy_text, translated
from pochboard.text.translator import ENGLISH, Translator, gettext_noop

_TIMEOUT_S = 10
_DAYS_MS = 2 * 24 * 3600 * 1000
"""If the last backup is older than this, the timer has missed one."""


class StatusLine(msgspec.Struct, frozen=True):
    """One line of the status."""

    name: str
    text: str
    ok: bool = True


def printed_lines(lines: Iterable[StatusLine], t: Translator) -> Iterator[tuple[str, bool]]:
    """Each line as it is printed, and whether it needs no attention."""
    wide = max(9, 2 + max(len(t.gettext(name)) for name in _NAMES))
    for line in lines:
        name = f"{t.gettext(line.name)}:"
        yield f"{' ' if line.ok else '!'} {name:<{wide}}{translated(line.text, t)}", line.ok


_NAMES: Final = (
    gettext_noop("Daemon"),
    gettext_noop("Restore"),
    gettext_noop("Ledger"),
    gettext_noop("Health"),
    gettext_noop("Page"),
    gettext_noop("Wi-Fi"),
    gettext_noop("Night"),
    gettext_noop("Board"),
    gettext_noop("Phones"),
    gettext_noop("Clock"),
    gettext_noop("Fault"),
    gettext_noop("Backup"),
    gettext_noop("Copy"),
)
"""The names of all lines."""


def status_lines(
    config: Config, now_ms: int, language: str = ENGLISH.language
) -> Iterator[StatusLine]:
    """The status, line by line. Raises LedgerError if the lock cannot be read.

    The daemon answers in this language.
    """
    daemon = find_daemon(config.data)
    if daemon is None:
        yield StatusLine("Daemon", lazy_gettext("not running"))
        yield _ledger(config)
    elif daemon.url is None:
        yield StatusLine(
            "Daemon",
            lazy_gettext("process {pid} is starting or stopping", pid=daemon.pid),
        )
    else:
        yield StatusLine(
            "Daemon",
            lazy_gettext("running at {url}, process {pid}", url=daemon.url, pid=daemon.pid),
        )
        yield from _running(daemon, daemon.url, language)
    if is_prepared(config.data):
        yield StatusLine(
            "Restore",
            lazy_gettext("a restored ledger takes effect at the next start"),
        )
    yield from _backups(config, now_ms)


def _ledger(config: Config) -> StatusLine:
    try:
        with Store.open(config.ledger, readonly=True) as store:
            nights = store.all_nights()
    except NoLedgerError:
        return StatusLine("Ledger", lazy_gettext("none yet in {data}", data=config.data))
    except LedgerError as error:
        return StatusLine("Ledger", lazy_text(error), ok=False)
    if not nights:
        return StatusLine("Ledger", lazy_gettext("no night has been played yet"))
    last = nights[0]
    count, time = len(nights), _time(last.started_ms)
    if last.standings:
        text = lazy_ngettext(
            "{count} night; the last one is over, {time}",
            "{count} nights; the last one is over, {time}",
            count,
            time=time,
        )
    else:
        text = lazy_ngettext(
            "{count} night; the last one is in progress, {time}",
            "{count} nights; the last one is in progress, {time}",
            count,
            time=time,
        )
    return StatusLine("Ledger", text)


def _running(daemon: DaemonInfo, url: str, language: str) -> Iterator[StatusLine]:
    """What the daemon reports."""
    try:
        _, health = _get(daemon, url, "/healthz", language)
        _, state = _get(daemon, url, "/api/state", language)
        _, phones = _get(daemon, url, "/api/pairings", language)
        _, fault = _get(daemon, url, "/api/fault", language)
        _, reach = _get(daemon, url, "/api/reach", language)
        _, clock = _get(daemon, url, "/api/clock", language)
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        yield StatusLine(
            "Health",
            lazy_gettext("the daemon does not respond ({error})", error=error),
            ok=False,
        )
        return
    yield StatusLine("Page", ", ".join(reach["urls"]))
    if reach["wifi"]:
        yield StatusLine(
            "Wi-Fi",
            lazy_gettext("its own, {name}; see pochboard wifi", name=reach["wifi"]["name"]),
        )
    well = health.get("status") == "ok"
    yield StatusLine(
        "Health",
        lazy_gettext("every part responds") if well else health["message"],
        ok=well,
    )
    if state["fault"] and state["fault"]["code"] == "damaged":
        yield StatusLine("Night", lazy_gettext("not known"), ok=False)
    elif state["night"] is None:
        yield StatusLine("Night", lazy_gettext("none yet"))
    else:
        names = ", ".join(state["names"].values())
        yield StatusLine(
            "Night",
            lazy_gettext(
                "{night}, deal {deal}, {phase}: {names}",
                night=state["night"],
                deal=state["deal"],
                phase=state["phase_name"],
                names=names,
            ),
        )
    board = state["board"]
    if board["link"]:
        text = lazy_gettext("{kind}, connected", kind=board["kind"])
    else:
        text = lazy_gettext("{kind}, not connected", kind=board["kind"])
    yield StatusLine("Board", text, ok=board["link"])
    used = max((phone["used_ms"] for phone in phones), default=None)
    if used:
        text = lazy_gettext(
            "{count} paired, the last one used {time}", count=len(phones), time=_time(used)
        )
    else:
        text = lazy_gettext("{count} paired", count=len(phones))
    yield StatusLine("Phones", text)
    if clock["from_phone"]:
        text = lazy_gettext("a phone's, which says {time}", time=_time(clock["time_ms"]))
        yield StatusLine("Clock", text)
    elif not clock["is_set"]:
        text = lazy_gettext("{time}; no network has set it", time=_time(clock["time_ms"]))
        yield StatusLine("Clock", text)
    if fault["text"] is None:
        yield StatusLine("Fault", lazy_gettext("none since it started"))
    else:
        yield StatusLine("Fault", f"{_time(fault['time_ms'])}: {fault['text']}")


def _get(daemon: DaemonInfo, url: str, path: str, language: str) -> tuple[int, Any]:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(
        address.hostname or "", address.port, timeout=_TIMEOUT_S
    )
    try:
        headers = {"Authorization": f"Bearer {daemon.token}", "Accept-Language": language}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, decode_json(response.read())
    finally:
        connection.close()


def _backups(config: Config, now_ms: int) -> Iterator[StatusLine]:
    record = read_record(config.data)
    if record is None:
        yield StatusLine("Backup", lazy_gettext("no daily backup has been made yet"))
        return
    when = _time(record.time_ms)
    if record.problem:
        yield StatusLine(
            "Backup",
            lazy_gettext("failed {when}: {problem}", when=when, problem=record.problem),
            ok=False,
        )
        return
    late = now_ms - record.time_ms > _DAYS_MS
    yield StatusLine("Backup", f"{when}, {record.file}", ok=not late)
    if record.second_problem:
        yield StatusLine("Copy", record.second_problem, ok=False)
    elif record.second_file:
        yield StatusLine("Copy", record.second_file)


def _time(time_ms: int) -> str:
    return local_time(time_ms).replace(tzinfo=None).isoformat(" ", "minutes")
