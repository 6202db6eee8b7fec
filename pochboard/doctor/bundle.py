"""The support bundle: information for finding a fault, without private data."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

import msgspec

from pochboard import __version__
from pochboard.backup.archive import move_into_place, working_folder
from pochboard.config import Config
from pochboard.doctor.report import check_all, report_lines
from pochboard.doctor.status import status_lines
from pochboard.errors import BackupStorageError, PochboardError
from pochboard.rulesets.catalog import load_catalog
from pochboard.runtime.lock import find_daemon
from pochboard.store import Store, sync
from pochboard.table.clock import now_ms
from pochboard.text.visible import shown, shown_lines
from pochboard.wifi.wifi_state import read_state

_LOG: Final = ("journalctl", "--unit", "pochboard", "--unit", "pochboard-backup", "--lines", "500",
               "--no-pager", "--no-hostname", "--output", "short-iso")  # fmt: skip
_LOG_S: Final = 60
_OS: Final = Path("/etc/os-release")
_ADDRESS: Final = re.compile(
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|\b(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}\b"
    r"|\b[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f:]*[0-9a-f])?"
)
"""Matches IPv4 and IPv6 addresses, but not a time of day."""


def write_bundle(config: Config, settings: Path, target: Path) -> Path:
    """Writes the bundle to a new file. Raises BackupError."""
    target = target.absolute()
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "versions.txt": _versions,
        "settings.json": lambda: _settings(config),
        "rulesets.txt": lambda: _rulesets(settings),
        "doctor.txt": lambda: report_lines(check_all(settings, config.data)),
        "status.txt": lambda: _status(config),
        "verify.txt": lambda: _verdict(config),
        "log.txt": _log,
    }
    hide = _hider(config)
    try:
        with working_folder(target) as folder:
            made = folder / "bundle.zip"
            with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, lines in parts.items():
                    archive.writestr(
                        name, "".join(f"{shown_lines(hide(line))}\n" for line in _told(lines))
                    )
            sync(made)
            move_into_place(made, target, replace=False)
    except OSError as error:
        raise BackupStorageError(target, error) from None
    return target


def _told(lines: Callable[[], Iterator[str]]) -> Iterator[str]:
    """The lines of a part.

    An error ends them and is included, because it may be the fault sought.
    """
    try:
        yield from lines()
    except (PochboardError, OSError) as error:
        yield f"{type(error).__name__}: {error}"


def _hider(config: Config) -> Callable[[str], str]:
    """Replaces private data: names of players, tokens, addresses and the home folder."""
    names = _names(config)
    # The log has escapes for what is not seen.
    private = dict.fromkeys([*names, *map(shown, names)], "(a player)")
    private[str(Path.home())] = "~"
    try:
        daemon = find_daemon(config.data)
    except PochboardError:
        daemon = None
    if daemon and daemon.token:
        private[daemon.token] = "(a token)"
    wifi = read_state()
    if wifi:
        private[wifi.password] = "(a password)"
    # Longer ones first, because a name may be part of another.
    words = sorted(filter(None, private), key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words))

    def hide(line: str) -> str:
        line = pattern.sub(lambda found: private[found[0]], line)
        return _ADDRESS.sub("(an address)", line)

    return hide


def _names(config: Config) -> set[str]:
    """All names that players have or had in the ledger."""
    try:
        with Store.open_readable(config.ledger) as store:
            return store.names()
    except PochboardError:
        return set()  # `_verdict` says why


def _versions() -> Iterator[str]:
    yield f"pochboard {__version__}"
    yield f"Python {platform.python_version()} on {platform.machine()}, {platform.release()}"
    if _OS.exists():
        yield from _OS.read_text("utf-8", "replace").splitlines()[:2]
    packages = {f"{found.metadata['Name']} {found.version}" for found in distributions()}
    yield from sorted(packages, key=str.lower)


def _settings(config: Config) -> Iterator[str]:
    # The values in use, without the comments of the file.
    shown = msgspec.to_builtins(config, enc_hook=str) | {"names": len(config.names)}
    shown["wifi"]["password"] = "(a password)" if config.wifi.password else ""
    shown["pico"]["key"] = "(a key)" if config.pico.key else ""
    yield json.dumps(shown, ensure_ascii=False, indent=2)


def _rulesets(settings: Path) -> Iterator[str]:
    catalog = load_catalog(settings)
    yield f"{len(catalog.files)} house rulesets"
    yield from map(str, catalog.problems)


def _status(config: Config) -> Iterator[str]:
    for line in status_lines(config, now_ms()):
        # The line of the night names its players.
        text = line.text.partition(":")[0] if line.name == "Night" else line.text
        yield f"{line.name}: {text}"


def _verdict(config: Config) -> Iterator[str]:
    with Store.open_readable(config.ledger) as store:
        report = store.verify()
        if store.damage:
            yield store.damage
    yield f"{report.nights} nights, {report.entries} entries, {len(report.findings)} problems"
    yield from (finding.text for finding in report.findings)


def _log() -> Iterator[str]:
    # S603 warns of commands that others may write; this one is fixed.
    done = subprocess.run(_LOG, capture_output=True, check=False, timeout=_LOG_S)  # noqa: S603
    yield from done.stdout.decode("utf-8", "replace").splitlines()
