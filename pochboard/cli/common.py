"""What the commands share: their options for folders, what they read, how they print a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from pochboard.config import Config, config_dir, data_dir, load_config
from pochboard.shelf import Shelf, load_shelf

T = TypeVar("T", bound=Callable[..., Any])

WRONG_USE: Final = 2
"""The exit status of a command that was used wrongly."""


def folders(command: T) -> T:
    """The options for where data and configuration lie."""
    command = click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="POCHBOARD_DATA",
        help="Folder of the ledger.  [default: $XDG_DATA_HOME/pochboard]",
    )(command)
    return config_option(command)


def config_option(command: T) -> T:
    """The option for where configuration and house rulesets lie."""
    return click.option(
        "--config",
        "settings",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="POCHBOARD_CONFIG",
        help="Folder of config.toml and house rulesets.  [default: $XDG_CONFIG_HOME/pochboard]",
    )(command)


def configured(settings: Path | None, data: Path | None) -> Config:
    """The configuration of these folders, or of the usual ones. Raises ConfigError."""
    return load_config(settings or config_dir(), data or data_dir())


def read_shelf(settings: Path | None) -> Shelf:
    """The rulesets; a bad file is named and the others still work."""
    shelf = load_shelf(settings or config_dir())
    for problem in shelf.problems:
        click.echo(f"pochboard: {problem}", err=True)
    return shelf


def one_line(text: str) -> str:
    """The text on one line: what would break it, or move the cursor, is shown as an escape."""
    return "".join(
        char.encode("unicode_escape").decode() if unicodedata.category(char) in _UNSHOWN else char
        for char in text
    )


_UNSHOWN = ("Cc", "Cs", "Zl", "Zp")
"""Control characters, halves of characters, and separators of lines and paragraphs."""
