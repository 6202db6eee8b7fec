"""All checks in order, and the report made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pochboard.boards.choose import lights_of
from pochboard.boards.pico.firmware_installer import firmware_version
from pochboard.config import Config
from pochboard.config_file import FILE, config_dir, data_dir, load_config
from pochboard.doctor.check import Check, failed, problem_of
from pochboard.doctor.daemon_checks import board_in_use, daemon_checks
from pochboard.doctor.machine import machine_checks
from pochboard.errors import ConfigError
from pochboard.lights.frame import RINGS
from pochboard.store.durable import with_found

_WIDE: Final = 17
"""The width of the names of checks."""


def check_all(settings: Path | None, data: Path | None) -> Iterator[Check]:
    """Checks the configuration in these folders, or the default ones, and all that it names.

    If the configuration cannot be used, the rest is checked with the defaults.
    """
    try:
        settings, data = settings or config_dir(), data or data_dir()
    except ConfigError as error:
        yield failed("configuration", problem_of(error))
        return
    config = Config(data=data)
    try:
        config = with_found(load_config(settings, data))
    except ConfigError as error:
        fix = "Correct it; docs/CONFIG.md lists every key."
        yield Check("configuration", ok=False, found=str(error), fix=fix)
    else:
        file = settings / FILE
        found = f"{file} is valid." if file.exists() else f"There is no {file}: defaults apply."
        yield Check("configuration", ok=True, found=found)
    yield from check_machine(config)


def check_machine(config: Config, *, root: Path = Path("/")) -> Iterator[Check]:
    """Checks machine, board and daemon. `root` is the root folder of the machine.

    A board that a daemon uses is not tested.
    """
    yield from machine_checks(config, root=root)
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
        from pochboard.doctor.gpio import gpio_checks

        yield from gpio_checks(config.gpio, lights, root=root)
    elif config.board == "pico":
        from pochboard.doctor.pico import pico_checks

        yield from pico_checks(
            config.pico,
            lights,
            newest=firmware_version(),
            talk=board_in_use(config, root) is None,
            root=root,
        )


def report_lines(checks: Iterable[Check]) -> Iterator[str]:
    """The lines of the report, those of each check as soon as it is made."""
    for check in checks:
        start = f"{check.state:<5} {check.name:<{_WIDE}}"
        yield f"{start} {check.found!s}"
        if check.fix:
            yield f"{'':<{len(start)}} {check.fix!s}"


def summary(checks: Iterable[Check]) -> str:
    """The last line of the report."""
    count = sum(not check.ok for check in checks)
    if not count:
        return "Everything is fine."
    return f"{count} problem to fix." if count == 1 else f"{count} problems to fix."
