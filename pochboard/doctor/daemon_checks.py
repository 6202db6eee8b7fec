"""Checks of what the daemon needs: data folder, disk, ledger, clock, port; and whether it runs."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from pochboard.boards.base import Problem
from pochboard.config import Config, part
from pochboard.doctor.check import Check, failed, problem_of
from pochboard.errors import LedgerError, NoLedgerError, PochboardError
from pochboard.runtime.lock import DaemonInfo, find_daemon
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
_TIMEOUT_S: Final = 10.0
_LOG: Final = "The log says more: journalctl -u pochboard"
_UNIT: Final = "sys/fs/cgroup/system.slice/pochboard.service"
"""A folder that exists while the service runs; every user can see it."""


def daemon_checks(
    config: Config, *, root: Path = Path("/"), clock_ms: int | None = None
) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `sys`, `clock_ms` replaces the clock."""
    yield _folder(config.data)
    yield _disk(config.data)
    if kind := fleeting(config.data, root):
        yield Check("lasting", ok=False, found=FLEETING.format(config.data, kind), fix=_LASTING)
    zone = follow_zone(config.ledger)
    ledger, newest_ms = _ledger(config.ledger)
    yield ledger
    if zone is not None:
        yield Check("clock", ok=False, found=zone.sentence, fix=_TZDATA)
    else:
        yield _clock(now_ms() if clock_ms is None else clock_ms, newest_ms, root)
    yield _daemon(config, root)
    yield _port(config)
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
    if holder is not None and holder.pid:
        found = f"The daemon (process {holder.pid}) is running and uses the board."
        return Problem(found, fix)
    if holder is not None:
        return Problem("The daemon is running and uses the board.", fix)
    if service_runs:
        return Problem("The pochboard service is running and may be using the board.", fix)
    return None


def _holder(data: Path) -> DaemonInfo | None:
    try:
        return find_daemon(data)
    except LedgerError:
        return None  # another user's; the check of the data folder reports that


def _nearest_there(folder: Path) -> Path:
    """The folder, or its nearest parent that exists and that this user can see."""
    return next((parent for parent in (folder, *folder.parents) if _exists(parent)), Path("/"))


def _exists(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # a parent is closed to this user
        return False


def _folder(data: Path) -> Check:
    name, nearest = "data", _nearest_there(data)
    if not nearest.is_dir():
        return Check(
            name,
            ok=False,
            found=f"{nearest} is not a folder, so it cannot hold the record of the nights.",
            fix="Move it away, or choose another folder with --data.",
        )
    if not os.access(nearest, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
        found = f"This user does not have write access to {nearest}."
        return Check(name, ok=False, found=found, fix=_NO_ACCESS)
    if nearest != data:
        return Check(
            name,
            ok=True,
            found=f"{data} will be created when the daemon starts.",
        )
    return Check(name, ok=True, found=f"{data} is writable.")


def _disk(data: Path) -> Check:
    nearest = _nearest_there(data)
    free_mb = shutil.disk_usage(nearest).free // 1_000_000
    if free_mb < LEAST_MB:
        return Check(
            "disk",
            ok=False,
            found=f"Only {free_mb} MB are free on the disk of {nearest}.",
            fix=(
                f"Free at least {LEAST_MB} MB: sudo apt clean, sudo journalctl --vacuum-size=50M."
            ),
        )
    return Check("disk", ok=True, found=f"{free_mb} MB are free.")


def _ledger(path: Path) -> tuple[Check, int | None]:
    """The check, and the time of the newest entry."""
    name = "ledger"
    try:
        with Store.open(path, readonly=True) as store:
            current, nights = store.current(), store.nights()
    except NoLedgerError:
        found = "There is no record of nights yet; the first night creates it."
        return Check(name, ok=True, found=found), None
    except LedgerError as error:
        return failed(name, problem_of(error, _NO_ACCESS)), None
    except OSError as error:
        found = f"{path} cannot be accessed: {os_reason(error)}."
        return Check(name, ok=False, found=found, fix=_NO_ACCESS), None
    times = [night.started_ms for night in nights]
    if current is not None:
        times.append(current.entries[-1].time_ms)
    numbers = {night.number for night in nights} | ({current.number} if current else set())
    found = (
        f"The record of the nights is readable and has {len(numbers)} night."
        if len(numbers) == 1
        else f"The record of the nights is readable and has {len(numbers)} nights."
    )
    return Check(name, ok=True, found=found), max(times, default=None)


def _clock(clock_ms: int, newest_ms: int | None, root: Path) -> Check:
    name, fix = "clock", "Connect to a network, then: sudo timedatectl set-ntp true"
    now = zoned_text(clock_ms)
    if clock_ms < _RELEASED_MS:
        found = f"The clock shows {now}, which is before this program was released."
        return Check(name, ok=False, found=found, fix=fix)
    if newest_ms is not None and newest_ms > clock_ms + _AHEAD_MS:
        found = f"The clock shows {now}, but the newest entry is from {minute_text(newest_ms)}."
        return Check(name, ok=False, found=found, fix=fix)
    if not is_set(root):
        found = (
            f"The clock shows {now}. No network has set it since this machine was started; if"
            " it is wrong, the page offers the time of a paired phone."
        )
        return Check(name, ok=True, found=found)
    return Check(name, ok=True, found=f"The clock shows {now}.")


def _daemon(config: Config, root: Path) -> Check:
    name, holder = "daemon", _holder(config.data)
    if holder is not None and holder.url and (wrong := _ailing(holder, holder.url)):
        return Check(name, ok=False, found=wrong, fix=_LOG)
    in_use = board_in_use(config, root)
    if in_use is not None:
        found = f"{in_use.found} The board was not tested."
        return Check(name, ok=True, found=found, fix=in_use.fix)
    if holder is None:
        return Check(name, ok=True, found="No daemon is running on this record of the nights.")
    return Check(name, ok=True, found=f"The daemon is running at {holder.url}.")


def _ailing(daemon: DaemonInfo, url: str) -> str:
    """What does not work in a running daemon; empty if all does."""
    try:
        status, health = ask_daemon(daemon, url, "/healthz")
    except (OSError, HTTPException, msgspec.DecodeError) as error:
        return f"The daemon does not respond: {error}."
    return "" if status == HTTPStatus.OK else str(health["message"])


def ask_daemon(daemon: DaemonInfo, url: str, path: str) -> tuple[int, Any]:
    """The status and the JSON of an answer. Raises OSError, HTTPException, DecodeError."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=_TIMEOUT_S)
    try:
        headers = {"Authorization": f"Bearer {daemon.token}", "Accept-Language": "en"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, decode_json(response.read())
    finally:
        connection.close()


def _port(config: Config) -> Check:
    """Whether the daemon listens, or could."""
    name, host, port = "port", config.host, config.port
    holder = _holder(config.data)
    url = urlsplit(holder.url) if holder is not None and holder.url else None
    if url is not None and url.port == port:
        return Check(name, ok=True, found=f"The daemon is listening on port {port}.")
    if port == 0:
        return Check(name, ok=True, found="The daemon will use any free port.")
    try:
        kind, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen()
    except UnicodeError:  # what Python's resolver raises for a name that cannot be one
        return _no_port(config, socket.gaierror())
    except OSError as error:
        return _no_port(config, error)
    return Check(name, ok=True, found=f"Port {port} is free.")


def _no_port(config: Config, error: OSError) -> Check:
    name, host, port = "port", config.host, config.port
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return Check(
            name,
            ok=False,
            found=f"{host} is not an address of this machine.",
            fix='Write host = "127.0.0.1", or "0.0.0.0" for the LAN, to config.toml.',
        )
    fix = "Set another port in config.toml."
    if error.errno == errno.EACCES:
        found = f"This user may not listen on port {port}."
        fix = "Set a port above 1023 in config.toml."
    elif error.errno == errno.EADDRINUSE:
        found = f"Another program is listening on port {port}."
    else:
        found = f"Cannot listen on port {port}: {os_reason(error)}."
    return Check(name, ok=False, found=found, fix=fix)


def part_checks(config: Config) -> Iterator[Check]:
    """What the optional parts try."""
    if config.board == "none" and "sheets" not in config.parts:
        found = 'board is "none", but no folder is named from which nights are collected.'
        fix = "Name it in config.toml, as from in [sheets]: docs/COLLECTION.md."
        yield Check("sheets", ok=False, found=found, fix=fix)
    for name, settings in config.parts.items():
        optional = part(name)
        for title, probe in optional.probes(settings, config):
            try:
                yield Check(title, ok=True, found=probe())
            except PochboardError as error:
                yield failed(title, problem_of(error, optional.fix))
