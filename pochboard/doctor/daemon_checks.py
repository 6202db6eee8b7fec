"""Checks of what the daemon needs: data folder, disk, ledger, clock, port; and whether it runs."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from pochboard.boards.base import Problem
from pochboard.config import Config, optional_part
from pochboard.doctor.check import Check, Note, ProbeError, Row, run
from pochboard.errors import LedgerError, NoLedgerError
from pochboard.runtime.process import DaemonInfo, find_daemon
from pochboard.store import Store
from pochboard.store.durable import fleeting, follow_zone
from pochboard.table.clock import is_set, minute_text, now_ms, zoned_text
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import os_reason

LEAST_MB: Final = 50
"""Free space to ask for: a night takes less than 1 MB, but other programs write to the disk too."""
_RELEASED_MS: Final = round(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""A clock before the first release of this program is wrong."""
_AHEAD_MS: Final = 300_000
_NO_ACCESS: Final = (
    "Give it to the user of the daemon (sudo chown -R), or choose another folder with --data."
)
FLEETING: Final = "{} is on {}, so the record of the nights is lost at the next start."
_LASTING: Final = (
    "Turn the overlay file system off (sudo raspi-config nonint do_overlayfs 1), mount a volume, or"
    " choose a folder on a disk with --data."
)
_TZDATA: Final = (
    "sudo apt install tzdata (since Debian 13, older names are in tzdata-legacy); or choose another"
    " time zone with a paired phone."
)
_SET_CLOCK: Final = "Connect to a network, then: sudo timedatectl set-ntp true"
_COLLECT: Final = "Name it in config.toml, as from in [sheets]: docs/COLLECTION.md."
_TIMEOUT_S: Final = 10.0
_IMPORT_S: Final = 600.0
"""How long the daemon may take for the longest sheet, on the slowest machine."""
_LOG: Final = "The log says more: journalctl -u pochboard"
_COMMAND: Final = "usr/local/bin/pochboard"
"""The command of the service, which runs the doctor within the limits of the unit."""
_UNIT: Final = "sys/fs/cgroup/system.slice/pochboard.service"
"""A folder that exists while the service runs; every user can see it."""


def daemon_checks(
    config: Config, *, root: Path = Path("/"), clock_ms: int | None = None
) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `sys`, `clock_ms` replaces the clock."""
    data, now = config.data, now_ms() if clock_ms is None else clock_ms
    newest: list[int] = []
    yield from run(
        (
            Row("user", partial(_user, root)),
            Row("data", partial(_folder, data), _NO_ACCESS),
            Row("disk", partial(_disk, data)),
            Row("lasting", partial(_lasting, data, root), _LASTING),
            Row("ledger", partial(_ledger, config.ledger, newest), _NO_ACCESS),
            Row("clock", lambda: _clock(config, now, newest, root), _SET_CLOCK),
            Row("daemon", partial(_daemon, config, root), _LOG),
            Row("port", partial(_port, config)),
        )
    )
    yield from part_checks(config)


def board_in_use(config: Config, root: Path = Path("/")) -> Problem | None:
    """That a daemon uses the board; None if none does."""
    if config.board in ("simulator", "none"):
        return None
    holder = _holder(config.data)
    service_runs = (root / _UNIT).is_dir()
    if service_runs:
        fix = "Stop it with sudo systemctl stop pochboard, then try again."
    else:
        fix = "Stop it with Ctrl-C where it was started, then try again."
    if holder is not None:
        process = f" (process {holder.pid})" if holder.pid else ""
        return Problem(f"The daemon{process} is running and uses the board.", fix)
    if service_runs:
        return Problem("The pochboard service is running and may be using the board.", fix)
    return None


def _holder(data: Path) -> DaemonInfo | None:
    try:
        return find_daemon(data)
    except LedgerError:
        return None  # another user's; the check of the data folder reports that


def _user(root: Path) -> Note | None:
    if os.geteuid() != 0:
        return None
    fix = "Run this without sudo, as the user who runs the daemon, to check that user's rights."
    if (root / _COMMAND).exists():
        fix = "To check the rights of the service, run: sudo pochboard doctor"
    return Note("You are root, so this cannot notice missing rights.", fix)


def _nearest_there(folder: Path) -> Path:
    """The folder, or its nearest parent that exists and that this user can see."""
    return next((parent for parent in (folder, *folder.parents) if _exists(parent)), Path("/"))


def _exists(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # a parent is closed to this user
        return False


def _folder(data: Path) -> str:
    nearest = _nearest_there(data)
    if not nearest.is_dir():
        raise ProbeError(
            f"{nearest} is not a folder, so it cannot hold the record of the nights.",
            "Move it away, or choose another folder with --data.",
        )
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
        raise ProbeError(f"This user does not have write access to {nearest}.")
    if nearest != data:
        return f"{data} will be created when the daemon starts."
    return f"{data} is writable."


def _disk(data: Path) -> str:
    nearest = _nearest_there(data)
    free_mb = shutil.disk_usage(nearest).free // 1_000_000
    if free_mb < LEAST_MB:
        raise ProbeError(
            f"Only {free_mb} MB are free on the disk of {nearest}.",
            f"Free at least {LEAST_MB} MB: sudo apt clean, sudo journalctl --vacuum-size=50M.",
        )
    return f"{free_mb} MB are free."


def _lasting(data: Path, root: Path) -> None:
    if kind := fleeting(data, root):
        raise ProbeError(FLEETING.format(data, kind))


def _ledger(path: Path, newest: list[int]) -> str:
    """Adds the time of the newest entry to `newest`."""
    try:
        with Store.open(path, readonly=True) as store:
            current, nights = store.current(), store.all_nights()
    except NoLedgerError:
        return "There is no record of nights yet; the first night creates it."
    except OSError as error:
        raise ProbeError(f"{path} cannot be accessed: {os_reason(error)}.") from None
    newest += [night.started_ms for night in nights]
    if current is not None:
        newest.append(current.entries[-1].time_ms)
    count = len({night.number for night in nights} | ({current.number} if current else set()))
    there = f"{count} night" if count == 1 else f"{count} nights"
    return f"The record of the nights is readable and has {there}."


def _clock(config: Config, clock_ms: int, newest: Sequence[int], root: Path) -> str:
    zone = follow_zone(config.ledger)
    if zone is not None:
        raise ProbeError(zone.sentence, _TZDATA)
    shows = f"The clock shows {zoned_text(clock_ms)}"
    if clock_ms < _RELEASED_MS:
        raise ProbeError(f"{shows}, which is before this program was released.")
    newest_ms = max(newest, default=0)
    if newest_ms > clock_ms + _AHEAD_MS:
        raise ProbeError(f"{shows}, but the newest entry is from {minute_text(newest_ms)}.")
    if is_set(root):
        return f"{shows}."
    return (
        f"{shows}. No network has set it since this machine was started; if it is wrong, the page"
        " offers the time of a paired phone."
    )


def _daemon(config: Config, root: Path) -> str | Note:
    holder = _holder(config.data)
    if holder is not None and holder.url and (wrong := _ailing(holder, holder.url)):
        raise ProbeError(wrong)
    in_use = board_in_use(config, root)
    if in_use is not None:
        return Note(f"{in_use.found} The board was not tested.", in_use.fix)
    if holder is None:
        return "No daemon is running on this record of the nights."
    return f"The daemon is running at {holder.url}."


def _ailing(daemon: DaemonInfo, url: str) -> str:
    """What does not work in a running daemon; empty if all does."""
    try:
        status, health = ask_daemon(daemon, url, "/healthz")
    except (OSError, HTTPException, msgspec.DecodeError) as error:
        return f"The daemon does not respond: {error}."
    return "" if status == HTTPStatus.OK else str(health["message"])


def ask_daemon(
    daemon: DaemonInfo, url: str, path: str, sheet: bytes | None = None
) -> tuple[int, Any]:
    """The status and the JSON of an answer to GET, or to POST with a score sheet.

    Raises OSError, HTTPException, DecodeError.
    """
    address, wait_s = urlsplit(url), _TIMEOUT_S if sheet is None else _IMPORT_S
    connection = HTTPConnection(address.hostname or "", address.port, timeout=wait_s)
    try:
        headers = {"Authorization": f"Bearer {daemon.token}", "Accept-Language": "en"}
        if sheet is not None:
            headers["Content-Type"] = "application/x-ndjson"
        connection.request("GET" if sheet is None else "POST", path, sheet, headers)
        response = connection.getresponse()
        return response.status, decode_json(response.read())
    finally:
        connection.close()


def _port(config: Config) -> str:
    """Whether the daemon listens, or could."""
    host, port, holder = config.host, config.port, _holder(config.data)
    if holder is not None and holder.url and urlsplit(holder.url).port == port:
        return f"The daemon is listening on port {port}."
    if port == 0:
        return "The daemon will use any free port."
    try:
        kind, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen()
    except UnicodeError:  # what Python's resolver raises for a name that cannot be one
        raise _no_port(config, socket.gaierror()) from None
    except OSError as error:
        raise _no_port(config, error) from None
    return f"Port {port} is free."


def _no_port(config: Config, error: OSError) -> ProbeError:
    host, port = config.host, config.port
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return ProbeError(
            f"{host} is not an address of this machine.",
            'Write host = "127.0.0.1", or "0.0.0.0" for the LAN, to config.toml.',
        )
    if error.errno == errno.EACCES:
        above = "Set a port above 1023 in config.toml."
        return ProbeError(f"This user may not listen on port {port}.", above)
    found = f"Cannot listen on port {port}: {os_reason(error)}."
    if error.errno == errno.EADDRINUSE:
        found = f"Another program is listening on port {port}."
    return ProbeError(found, "Set another port in config.toml.")


def part_checks(config: Config) -> Iterator[Check]:
    """What the optional parts try."""
    yield from run([Row("sheets", partial(_collects, config), _COLLECT)])
    for name, settings in config.parts.items():
        optional = optional_part(name)
        probes = optional.probes(settings, config)
        yield from run(Row(title, probe, optional.fix) for title, probe in probes)


def _collects(config: Config) -> None:
    if config.board == "none" and "sheets" not in config.parts:
        raise ProbeError('board is "none", but no folder is named from which nights are collected.')
