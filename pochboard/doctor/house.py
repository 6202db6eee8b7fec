"""What the daemon lives on: data folder, ledger, port, clock, and whether one runs already."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pochboard.boards.checks import Check, failed
from pochboard.config import Config
from pochboard.errors import LedgerError
from pochboard.lock import Holder, read_holder
from pochboard.store import Store
from pochboard.table.clock import now_ms

LEAST_MB: Final = 50
"""What should be free on the disk: a night takes less than one, but others write there too."""
_BORN_MS: Final = round(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
"""No clock that is right is before the program."""
_AHEAD_MS: Final = 300_000
_MAY_NOT: Final = (
    "Give it to the user of the daemon (sudo chown -R), or name another folder with --data."
)
_UNIT: Final = "sys/fs/cgroup/system.slice/pochboard.service"
"""This folder is there while the service runs, whoever looks."""


def house_checks(
    config: Config, *, root: Path = Path("/"), clock_ms: int | None = None
) -> Iterator[Check]:
    """Looks at everything in turn; `root` is where `sys` is, `clock_ms` the time."""
    yield _folder(config.data)
    yield _room(config.data)
    ledger, newest_ms = _ledger(config.ledger)
    yield ledger
    yield _clock(now_ms() if clock_ms is None else clock_ms, newest_ms)
    yield _daemon(config, root)
    yield _port(config)


def in_the_way(config: Config, root: Path = Path("/")) -> str | None:
    """That a daemon has the board, as a sentence; None where none has."""
    if config.board == "simulator":
        return None
    holder = _holder(config.data)
    if holder is not None:
        which = f"with process id {holder.pid} " if holder.pid else ""
        return f"The daemon {which}runs and has the board: {_stop(root)}"
    if (root / _UNIT).is_dir():
        return f"The service pochboard runs and may have the board: {_stop(root)}"
    return None


def _stop(root: Path) -> str:
    if (root / _UNIT).is_dir():
        return "stop it with sudo systemctl stop pochboard, and ask again."
    return "stop it with Ctrl-C where it was started, and ask again."


def _holder(data: Path) -> Holder | None:
    try:
        return read_holder(data)
    except LedgerError:
        return None  # of another user; the data folder's check says so


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there and can be looked at."""
    return next((one for one in (folder, *folder.parents) if _is_there(one)), Path("/"))


def _is_there(folder: Path) -> bool:
    try:
        return folder.exists()
    except OSError:  # within one that is not for this user
        return False


def _folder(data: Path) -> Check:
    name, there = "data", _nearest(data)
    if not there.is_dir():
        return Check(
            name,
            ok=False,
            found=f"{there} is no folder, so there can be no ledger.",
            mend="Move it away, or name another folder with --data.",
        )
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
        return Check(
            name,
            ok=False,
            found=f"This user may not write into {there}.",
            mend=_MAY_NOT,
        )
    if there != data:
        return Check(name, ok=True, found=f"{data} will be made when the daemon runs.")
    return Check(name, ok=True, found=f"{data} can be written.")


def _room(data: Path) -> Check:
    there = _nearest(data)
    free_mb = shutil.disk_usage(there).free // 1_000_000
    if free_mb < LEAST_MB:
        return Check(
            "disk",
            ok=False,
            found=f"Only {free_mb} MB are free where {there} lies.",
            mend=f"Make room, {LEAST_MB} MB at least: sudo apt clean, sudo journalctl"
            " --vacuum-size=50M.",
        )
    return Check("disk", ok=True, found=f"{free_mb} MB are free.")


def _ledger(path: Path) -> tuple[Check, int | None]:
    """The check, and the time of the newest entry."""
    name = "ledger"
    try:
        if not path.exists():
            return Check(
                name, ok=True, found="There is no ledger yet; the first night makes it."
            ), None
        with Store.open(path, readonly=True) as store:
            current, nights = store.current(), store.nights()
    except LedgerError as error:
        return failed(name, str(error), _MAY_NOT), None
    except OSError as error:
        return failed(name, f"{path} cannot be looked at: {error.strerror}.", _MAY_NOT), None
    times = [night.started_ms for night in nights]
    if current is not None:
        times.append(current.entries[-1].time_ms)
    numbers = {night.number for night in nights} | ({current.number} if current else set())
    found = (
        f"The ledger can be read and holds {len(numbers)} night{'' if len(numbers) == 1 else 's'}."
    )
    return Check(name, ok=True, found=found), max(times, default=None)


def _clock(clock_ms: int, newest_ms: int | None) -> Check:
    name, mend = "clock", "Set it: sudo timedatectl set-ntp true, with the network there."
    said = _said(clock_ms)
    if clock_ms < _BORN_MS:
        found = f"The clock says {said}, which is before this program was written."
        return Check(name, ok=False, found=found, mend=mend)
    if newest_ms is not None and newest_ms > clock_ms + _AHEAD_MS:
        found = f"The clock says {said}, but the ledger's newest entry is of {_said(newest_ms)}."
        return Check(name, ok=False, found=found, mend=mend)
    return Check(name, ok=True, found=f"The clock says {said}.")


def _said(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _daemon(config: Config, root: Path) -> Check:
    holder, name = _holder(config.data), "daemon"
    why = in_the_way(config, root)
    if why is not None:
        found, _, mend = why.partition(": ")
        mend = mend[:1].upper() + mend[1:]
        return Check(
            name, ok=True, found=f"{found}, so that was not looked at as closely.", mend=mend
        )
    if holder is None:
        return Check(name, ok=True, found="No daemon runs on this ledger now.")
    return Check(name, ok=True, found=f"The daemon runs at {holder.url}.")


def _port(config: Config) -> Check:
    """Whether the daemon could listen, or does."""
    name, host, port = "port", config.host, config.port
    holder = _holder(config.data)
    url = urlsplit(holder.url) if holder is not None and holder.url else None
    if url is not None and url.port == port:
        return Check(name, ok=True, found=f"The daemon listens on port {port}.")
    if port == 0:
        return Check(name, ok=True, found="Any port that is free will do.")
    try:
        kind, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(where)
            listener.listen()
    except OSError as error:
        return _no_port(config, error)
    return Check(name, ok=True, found=f"Port {port} is free.")


def _no_port(config: Config, error: OSError) -> Check:
    name, host, port = "port", config.host, config.port
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return Check(
            name,
            ok=False,
            found=f"{host} is no address of this machine.",
            mend='Write host = "127.0.0.1", or "0.0.0.0" for the LAN, into config.toml.',
        )
    if error.errno == errno.EACCES:
        found, mend = f"This user may not listen on port {port}.", "one above 1023"
    elif error.errno == errno.EADDRINUSE:
        found, mend = f"Another program listens on port {port}.", "another one"
    else:
        found, mend = f"Port {port} cannot be had: {error.strerror}.", "another one"
    return Check(name, ok=False, found=found, mend=f"Set port to {mend} in config.toml.")
