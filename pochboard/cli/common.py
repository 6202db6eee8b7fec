"""What the commands share: options for folders and rulesets, and how lines are printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from pochboard.cli.usage import say_problem
from pochboard.config import Config
from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import Refusal
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import find_ruleset
from pochboard.rules.seating import resolve_among
from pochboard.rulesets.catalog import RulesetCatalog, load_catalog
from pochboard.text.allowed_values import quoted
from pochboard.text.decoding import decode_toml

T = TypeVar("T", bound=Callable[..., Any])

WRONG_USE: Final = 2
"""The exit status for wrong usage."""


def folders(command: T) -> T:
    """The options for the folders of ledger and configuration."""
    return config_option(data_option(command))


class _Folder(click.Path):
    """A folder, as an absolute path: nothing depends on the current folder later on."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, file_okay=False)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> Path:
        return Path(os.fsdecode(super().convert(value, parameter, context))).absolute()


def data_option(command: T) -> T:
    """The option for the folder of the ledger."""
    return click.option(
        "--data",
        type=_Folder(),
        envvar="POCHBOARD_DATA",
        help="Folder of the ledger.  [default: $XDG_DATA_HOME/pochboard or"
        " ~/.local/share/pochboard]",
    )(command)


def config_option(command: T) -> T:
    """The option for the folder of configuration and house rulesets."""
    return click.option(
        "--config",
        "settings",
        type=_Folder(),
        envvar="POCHBOARD_CONFIG",
        help="Folder of config.toml and house rulesets.  [default: $XDG_CONFIG_HOME/pochboard"
        " or ~/.config/pochboard]",
    )(command)


def listening(command: T) -> T:
    """The options for the address of the daemon; `listening_at` reads them."""
    command = click.option(
        "--port", type=click.IntRange(0, 65535), help="Port to listen on.  [default: 8441]"
    )(command)
    command = click.option("--host", help="Address to listen on.  [default: 127.0.0.1]")(command)
    return click.option(
        "--lan", is_flag=True, help="Listen on the LAN, so that phones can connect."
    )(command)


def listening_at(config: Config, *, lan: bool, host: str | None, port: int | None) -> Config:
    """The configuration with these options. Raises UsageError."""
    if lan and host:
        raise click.UsageError("Use --lan or --host, not both.")
    if lan:
        config = config.with_host("0.0.0.0")  # noqa: S104 - that is what --lan asks for
    if host:
        config = config.with_host(host)
    return config if port is None else config.with_port(port)


def read_config(settings: Path | None, data: Path | None) -> Config:
    """The configuration in these folders, or in the default ones, and times in the board's zone.

    Raises ConfigError.
    """
    from pochboard.store.durable import follow_zone

    config = load_config(settings or config_dir(), data or data_dir())
    follow_zone(config.ledger)
    return config


def read_catalog(settings: Path | None) -> RulesetCatalog:
    """The rulesets. Prints what is wrong with a bad file; the others still work."""
    catalog = load_catalog(settings or config_dir())
    for problem in catalog.problems:
        say_problem(problem.text)
    return catalog


def ruleset_options(command: T) -> T:
    """The options for a ruleset and its parameters; `chosen_rules` reads them."""
    command = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change a parameter, such as high_card=true. Can be given several times.",
    )(command)
    command = click.option(
        "--ruleset", default="modern", show_default=True, help="A shipped ruleset, or your own."
    )(command)
    return config_option(command)


def chosen_rules(settings: Path | None, name: str, options: Iterable[str]) -> Ruleset:
    """The named ruleset with these parameters changed. Raises BadParameter."""
    known = read_catalog(settings).rulesets
    if find_ruleset(known, name) is None:
        raise click.BadParameter(no_ruleset(name, known), param_hint="'--ruleset'")
    rules = resolve_among(known)(name, read_options(options))
    if isinstance(rules, Refusal):
        raise click.BadParameter(rules.sentence, param_hint="'--option'")
    return rules


def no_ruleset(name: str, known: Collection[str]) -> str:
    """The sentence for the name of an unknown ruleset."""
    return f"There is no ruleset {quoted(name)}. The rulesets are {', '.join(known)}."


def read_options(options: Iterable[str]) -> dict[str, Any]:
    """Parameters and their values. A value is TOML; a single word needs no quotation marks.

    Raises BadParameter.
    """
    values: dict[str, Any] = {}
    for option in options:
        key, equals, text = option.partition("=")
        key, text = key.strip(), text.strip()
        if not key or not equals:
            raise click.BadParameter(
                f"Write a parameter and its value, such as ante=2, not {quoted(option)}.",
                param_hint="'--option'",
            )
        if key in values:
            raise click.BadParameter(f'"{key}" is given twice.', param_hint="'--option'")
        values[key] = _value(key, text)
    return values


def _value(key: str, text: str) -> Any:
    try:
        tables = decode_toml(f"value = {text}")
    except ValueError:
        tables = {}
    if list(tables) == ["value"]:
        return tables["value"]
    if text and all(char.isalnum() or char in "-_" for char in text):
        return text
    raise click.BadParameter(
        f'The value of "{key}" cannot be read. Write it as in 2, true, tricks or [3, 6].',
        param_hint="'--option'",
    )


def read_day(text: str | None) -> date | None:
    """A day as an option names it. Raises BadParameter."""
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        message = f"The date must be a valid one, such as 2026-11-15, not {quoted(text)}."
        raise click.BadParameter(message) from None
    try:
        datetime.combine(day, time()).timestamp()
    except (ValueError, OverflowError):
        raise click.BadParameter("The date is too early.") from None
    return day
