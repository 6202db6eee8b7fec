"""How lines are printed in a terminal."""

from __future__ import annotations

import sys
from typing import IO, Any, Final

import click

from pochboard.text.visible import columns, json_shown, shown, shown_lines, toml_shown


def echo(text: str, *, err: bool = False, nl: bool = True, file: IO[Any] | None = None) -> None:
    """Prints a text of one or more lines, whoever wrote what is in it."""
    click.echo(shown_lines(text), file=file, err=err, nl=nl)


def echo_json(text: str) -> None:
    """Prints JSON, which is UTF-8 whatever the terminal's encoding."""
    click.echo(json_shown(text).encode())


def echo_toml(text: str) -> None:
    """Prints TOML, which is UTF-8 too."""
    click.echo(toml_shown(text).encode())


def say(text: str | Exception, *, err: bool = False) -> None:
    """Prints one line."""
    click.echo(shown(str(text)), err=err)


def say_problem(text: object) -> None:
    """Prints what is wrong on standard error, after the program's name."""
    click.echo(f"pochboard: {shown(str(text))}", err=True)


def print_line(text: str) -> None:
    """Prints a message of the daemon, which keeps running even if nobody reads its output."""
    try:
        echo(text)  # a QR code has several lines
    except OSError:
        sys.stdout = None


def padded(text: str, width: int) -> str:
    """A text of a stranger as the first cell of a row, as wide as it is printed."""
    return shown(text) + " " * (width - columns(text))


_PROGRESS_WIDTH: Final = 16


def show_progress(name: str, done: float) -> None:
    """Shows in a terminal how much of something is done, from 0 to 1, instead of what it showed."""
    if sys.stderr.isatty():
        click.echo(f"\r{name:<{_PROGRESS_WIDTH}} {done:4.0%} ", nl=False, err=True)


def clear_progress() -> None:
    """Removes what `show_progress` has shown."""
    if sys.stderr.isatty():
        click.echo(f"\r{'':{_PROGRESS_WIDTH + 6}}\r", nl=False, err=True)
