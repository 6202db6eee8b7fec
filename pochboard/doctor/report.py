"""All checks in order and their report; the report of `pochboard status`."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pochboard.backup import is_prepared, read_record
from pochboard.boards import lights_of
from pochboard.boards.pico.firmware_installer import firmware_version
from pochboard.config import Config
from pochboard.config_file import FILE, config_dir, data_dir, load_config
from pochboard.doctor.check import Check, ProbeError, Row, run
from pochboard.doctor.daemon_checks import FLEETING, ask_daemon, board_in_use, daemon_checks
from pochboard.errors import ConfigError, LedgerError, NoLedgerError
from pochboard.lights.frame import RINGS
from pochboard.runtime.process import DaemonInfo, find_daemon
from pochboard.store import Store
from pochboard.store.durable import fleeting, with_found
from pochboard.table.clock import minute_text, zoned_text


def check_all(settings: Path | None, data: Path | None) -> Iterator[Check]:
    """Checks the configuration in these folders, or the default ones, and all that it names.

    If the configuration cannot be used, the rest is checked with the defaults.
    """
    config: Config | None = None

    def configuration() -> str:
        nonlocal config, settings, data
        settings, data = settings or config_dir(), data or data_dir()
        config = Config(data=data)
        try:
            config = with_found(load_config(settings, data))
        except ConfigError as error:
            raise ProbeError(str(error), "Correct it; docs/CONFIG.md lists every key.") from None
        file = settings / FILE
        return f"{file} is valid." if file.exists() else f"There is no {file}: defaults apply."

    yield from run([Row("configuration", configuration)])
    if config is not None:
        yield from check_machine(config)


def check_machine(config: Config, *, root: Path = Path("/")) -> Iterator[Check]:
    """Checks machine, board and daemon. `root` is the root folder of the machine.

    A board that a daemon uses is not tested.
    """
    yield from _board(config, root)
    yield from daemon_checks(config, root=root)


def _board(config: Config, root: Path) -> Iterator[Check]:
    try:
        lights = lights_of(config)
    except ConfigError as error:
        cause = error.__context__
        found = str(cause if isinstance(cause, ValueError) else error)
        yield Check("lights", ok=False, found=found, fix="Change [lights] in config.toml.")
        return
    if config.board == "none":
        there_is_none = "There is no board: this machine collects the nights of others."
        yield Check("board", ok=True, found=there_is_none)
        return
    yield Check(
        "board",
        ok=True,
        found=(
            f'The configured board is "{config.board}", with {RINGS} rings of'
            f" {lights.pixels_per_ring} pixels and {lights.places} places: {lights.pixels}"
            f" pixels, at most {lights.limit_ma} mA."
        ),
    )
    if config.board == "gpio":
        from pochboard.doctor.gpio import boot_checks, gpio_checks

        yield from gpio_checks(config.gpio, lights, root=root)
        yield from boot_checks(config, root)
    elif config.board == "pico":
        from pochboard.doctor.pico import pico_checks

        yield from pico_checks(
            config.pico,
            lights,
            newest=firmware_version(),
            talk=board_in_use(config, root) is None,
            root=root,
        )


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
        if config.board == "none":
            yield _ledger(config)
        yield from _running(daemon, daemon.url)
    if kind := fleeting(config.data):
        yield StatusLine("Ledger", FLEETING.format(config.data, kind), ok=False)
    if is_prepared(config.data):
        yield StatusLine(
            "Restore", "a restored record of the nights takes effect at the next start"
        )
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
    last, count = nights[0], f"{len(nights)} night" + ("s" if len(nights) > 1 else "")
    how = "over" if last.standings else "in progress"
    text = f"{count}; the last one is {how}, {minute_text(last.started_ms)}"
    return StatusLine("Ledger", text)


def _running(daemon: DaemonInfo, url: str) -> Iterator[StatusLine]:
    """What the daemon reports."""
    names = ("healthz", "api/state", "api/pairings", "api/fault", "api/reach", "api/clock")
    try:
        health, state, phones, fault, reach, clock = (
            ask_daemon(daemon, url, f"/{name}")[1] for name in names
        )
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        yield StatusLine("Health", f"the daemon does not respond ({error})", ok=False)
        return
    yield StatusLine("Page", ", ".join(reach["urls"]))
    if reach["wifi"]:
        yield StatusLine("Wi-Fi", f"its own, {reach['wifi']['name']}; see pochboard wifi")
    well = health.get("status") == "ok"
    yield StatusLine("Health", "every part responds" if well else health["message"], ok=well)
    if state["board"]["kind"] != "none":
        yield from _table(state, phones)
    if clock["from_phone"]:
        text = f"a phone's, which says {zoned_text(clock['time_ms'])}"
    else:
        text = zoned_text(clock["time_ms"])
        if not clock["is_set"]:
            text += "; no network has set it"
    yield StatusLine("Clock", text)
    known = fault["text"] is not None
    told = f"{minute_text(fault['time_ms'])}: {fault['text']}" if known else "none since it started"
    yield StatusLine("Fault", told)


def _table(state: dict[str, Any], phones: list[dict[str, Any]]) -> Iterator[StatusLine]:
    if state["fault"] and state["fault"]["code"] == "damaged":
        yield StatusLine("Night", "not known", ok=False)
    elif state["night"] is None:
        yield StatusLine("Night", "none yet")
    else:
        names = ", ".join(state["names"].values())
        text = f"{state['night']}, deal {state['deal']}, {state['phase_name']}: {names}"
        yield StatusLine("Night", text)
    board = state["board"]
    text = f"{board['kind']}, {'connected' if board['link'] else 'not connected'}"
    yield StatusLine("Board", text, ok=board["link"])
    used = max((phone["used_ms"] for phone in phones), default=0)
    last = f", the last one used {minute_text(used)}" if used else ""
    yield StatusLine("Phones", f"{len(phones)} paired{last}")


def _backups(config: Config, now_ms: int) -> Iterator[StatusLine]:
    record = read_record(config.data)
    if record is None:
        yield StatusLine("Backup", "no daily backup has been made yet")
        return
    when = minute_text(record.time_ms)
    if record.problem:
        yield StatusLine("Backup", f"failed {when}: {record.problem}", ok=False)
        return
    late = now_ms - record.time_ms > _DAYS_MS
    yield StatusLine("Backup", f"{when}, {record.file}", ok=not late)
    if record.second_problem:
        yield StatusLine("Copy", record.second_problem, ok=False)
    elif record.second_file:
        yield StatusLine("Copy", record.second_file)
