"""All checks in order, and the report made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pochboard.boards.choose import lights_of
from pochboard.boards.pico.firmware_installer import firmware_version
from pochboard.config import FILE, Config, config_dir, data_dir, load_config
from pochboard.doctor.check import Check, failed, problem_of
from pochboard.doctor.daemon_checks import board_in_use, daemon_checks
from pochboard.doctor.machine import machine_checks
from pochboard.errors import ConfigError
from pochboard.lights.frame import RINGS
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_ngettext, lazy_text, translated
from pochboard.text.translator import ENGLISH, Translator, gettext_noop, pgettext_noop


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
        config = load_config(settings, data)
    except ConfigError as error:
        fix = lazy_gettext("Correct it; docs/CONFIG.md lists every key.")
        yield Check("configuration", ok=False, found=lazy_text(error), fix=fix)
    else:
        file = settings / FILE
        found = (
            lazy_gettext("{file} is valid.", file=file)
            if file.exists()
            else lazy_gettext("There is no {file}: defaults apply.", file=file)
        )
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
        found = lazy_text(cause if isinstance(cause, ValueError) else error)
        yield Check(
            "lights", ok=False, found=found, fix=lazy_gettext("Change [lights] in config.toml.")
        )
        return
    if config.board == "none":
        there_is_none = "There is no board: this machine collects the nights of others."
        yield Check("board", ok=True, found=there_is_none)
        return
    yield Check(
        "board",
        ok=True,
        found=lazy_gettext(
            'The configured board is "{board}", with {rings} rings of {pixels_per_ring}'
            " pixels and {places} places: {pixels} pixels, at most {limit_ma} mA.",
            board=config.board,
            rings=RINGS,
            pixels_per_ring=lights.pixels_per_ring,
            places=lights.places,
            pixels=lights.pixels,
            limit_ma=lights.limit_ma,
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


def report_lines(checks: Iterable[Check], t: Translator = ENGLISH) -> Iterator[str]:
    """The lines of the report, those of each check as soon as it is made."""
    states = {state: t.pgettext("outcome", word) for state, word in _STATES.items()}
    wide = max(5, *map(len, states.values()))
    wide_name = max(17, *(len(t.gettext(name)) for name in NAMES))
    for check in checks:
        start = f"{states[check.state]:<{wide}} {t.gettext(check.name):<{wide_name}}"
        yield f"{start} {translated(check.found, t)}"
        if check.fix:
            yield f"{'':<{len(start)}} {translated(check.fix, t)}"


_STATES: Final = {
    "ok": pgettext_noop("outcome", "ok"),
    "note": pgettext_noop("outcome", "note"),
    "fix": pgettext_noop("outcome", "fix"),
}
"""The outcomes of a check."""
NAMES: Final = (
    gettext_noop("configuration"),
    gettext_noop("lights"),
    gettext_noop("board"),
    gettext_noop("python"),
    gettext_noop("machine"),
    gettext_noop("system"),
    gettext_noop("user"),
    gettext_noop("groups"),
    gettext_noop("boot"),
    gettext_noop("boot: pixels"),
    gettext_noop("boot: buses"),
    gettext_noop("boot: sound"),
    gettext_noop("buttons: pins"),
    gettext_noop("buttons: library"),
    gettext_noop("buttons: driver"),
    gettext_noop("buttons: chip"),
    gettext_noop("display: bus"),
    gettext_noop("sound: piezo"),
    gettext_noop("pixels: Blinka"),
    gettext_noop("pixels: library"),
    gettext_noop("pixels: pins"),
    gettext_noop("pixels: driver"),
    gettext_noop("pixels: PIO"),
    gettext_noop("pixels: pin"),
    gettext_noop("pixels: SPI"),
    gettext_noop("pixels: length"),
    gettext_noop("network: access"),
    gettext_noop("wifi: own"),
    gettext_noop("wifi: router"),
    gettext_noop("network: key"),
    gettext_noop("serial: library"),
    gettext_noop("serial: port"),
    gettext_noop("serial: access"),
    gettext_noop("serial: modems"),
    gettext_noop("board: greeting"),
    gettext_noop("board: line"),
    gettext_noop("board: firmware"),
    gettext_noop("board: layout"),
    gettext_noop("board: display"),
    gettext_noop("board: sound"),
    gettext_noop("data"),
    gettext_noop("disk"),
    gettext_noop("ledger"),
    gettext_noop("clock"),
    gettext_noop("daemon"),
    gettext_noop("port"),
    gettext_noop("MQTT broker"),
)
"""The names of all checks."""


def summary(checks: Iterable[Check]) -> LazyText:
    """The last line of the report."""
    count = sum(not check.ok for check in checks)
    if not count:
        return lazy_gettext("Everything is fine.")
    return lazy_ngettext("{count} problem to fix.", "{count} problems to fix.", count)
