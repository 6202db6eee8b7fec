"""All checks of machine, board and house, and how they are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pochboard.boards.checks import Check, failed
from pochboard.boards.choose import make_display
from pochboard.config import FILE, Config, config_dir, data_dir, load_config
from pochboard.doctor.house import house_checks, in_the_way
from pochboard.doctor.machine import machine_checks
from pochboard.drive import firmware_version
from pochboard.errors import ConfigError
from pochboard.lights.frame import RINGS


def examine_all(settings: Path | None, data: Path | None) -> Iterator[Check]:
    """Looks at the configuration of these folders, or the usual ones, and at all that it names.

    Where it cannot be used the rest is looked at as if there were none.
    """
    try:
        settings, data = settings or config_dir(), data or data_dir()
    except ConfigError as error:
        yield failed("configuration", str(error))
        return
    config = Config(data=data)
    try:
        config = load_config(settings, data)
    except ConfigError as error:
        found, mend = str(error), "Correct it as docs/CONFIG.md has it."
        yield Check("configuration", ok=False, found=found, mend=mend)
    else:
        file = settings / FILE
        found = f"{file} is good." if file.exists() else f"All is by default: no {file} is there."
        yield Check("configuration", ok=True, found=found)
    yield from examine(config)


def examine(config: Config, *, root: Path = Path("/")) -> Iterator[Check]:
    """Looks at everything in turn; `root` is where the machine's own files are.

    A board that a daemon has is not spoken to.
    """
    yield from machine_checks(config, root=root)
    yield from _board(config, root)
    yield from house_checks(config, root=root)


def _board(config: Config, root: Path) -> Iterator[Check]:
    try:
        look = make_display(config)
    except ConfigError as error:
        yield failed("lights", str(error).removeprefix("lights: "))
        return
    said = f"{RINGS} rings of {look.pixels_per_ring} pixels and {look.places} places"
    yield Check(
        "board",
        ok=True,
        found=f'"{config.board}" is configured: {said}, {look.pixels} pixels, at most'
        f" {look.limit_ma} mA.",
    )
    if config.board == "gpio":
        from pochboard.boards.gpio.checks import gpio_checks

        yield from gpio_checks(config.gpio, look, root=root)
    elif config.board == "pico":
        from pochboard.boards.pico.checks import pico_checks

        yield from pico_checks(
            config.pico,
            look,
            newest=firmware_version(),
            talk=in_the_way(config, root) is None,
            root=root,
        )


def told(checks: Iterable[Check]) -> Iterator[str]:
    """The lines of a report, each check's as soon as it has been made."""
    for check in checks:
        yield f"{check.state:<5} {check.name:<17} {check.found}"
        if check.mend:
            yield f"{'':<23} {check.mend}"


def summed_up(checks: Iterable[Check]) -> str:
    """The last line of a report."""
    count = sum(not check.ok for check in checks)
    if not count:
        return "All is as it should be."
    return f"{count} thing{' is' if count == 1 else 's are'} to be mended."
