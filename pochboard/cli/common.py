"""What the commands share: options, lines that do not steer a terminal, imports once wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from pochboard.config import Config
from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import Refusal
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import find_ruleset
from pochboard.rules.seating import resolve_among
from pochboard.rulesets import RulesetCatalog, load_catalog
from pochboard.text.allowed_values import quoted
from pochboard.text.decoding import decode_toml
from pochboard.text.unicode_names import columns, json_shown, shown, shown_lines, toml_shown


def echo(text: str, *, nl: bool = True) -> None:
    """Prints a text of one or more lines, whoever wrote what is in it."""
    click.echo(shown_lines(text), nl=nl)


def echo_json(text: str) -> None:
    """Prints JSON, which is UTF-8 whatever the terminal's encoding."""
    click.echo(json_shown(text).encode())


def echo_toml(text: str) -> None:
    """Prints TOML, which is UTF-8 too."""
    click.echo(toml_shown(text).encode())


def say(text: str) -> None:
    """Prints one line."""
    click.echo(shown(text))


def say_problem(text: object) -> None:
    """Prints what is wrong on standard error, after the program's name."""
    click.echo(f"pochboard: {shown(str(text))}", err=True)


def padded(text: str, width: int) -> str:
    """A text of a stranger as the first cell of a row, as wide as it is printed."""
    return shown(text) + " " * (width - columns(text))


@contextmanager
def progress(name: str) -> Iterator[Callable[[float], None]]:
    """Shows in a terminal how much of something is done, from 0 to 1, until the context ends."""

    def write(text: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r{text}", nl=False, err=True)

    try:
        yield lambda done: write(f"{name:<16} {done:4.0%} ")
    finally:
        write(" " * 22 + "\r")


T = TypeVar("T", bound=Callable[..., Any])

WRONG_USE: Final = 2
"""The exit status for wrong usage."""


_FOLDER: Final = click.Path(path_type=Path, file_okay=False, resolve_path=True)
"""As an absolute path: nothing depends on the current folder later on."""

data_option: Final = click.option(
    "--data",
    type=_FOLDER,
    envvar="POCHBOARD_DATA",
    help="Folder of the ledger.  [default: $XDG_DATA_HOME/pochboard or ~/.local/share/pochboard]",
)
config_option: Final = click.option(
    "--config",
    "settings",
    type=_FOLDER,
    envvar="POCHBOARD_CONFIG",
    help="Folder of config.toml and house rulesets.  [default: $XDG_CONFIG_HOME/pochboard"
    " or ~/.config/pochboard]",
)


def folders(command: T) -> T:
    """The options for the folders of ledger and configuration."""
    return config_option(data_option(command))


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
        say_problem(problem)
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
