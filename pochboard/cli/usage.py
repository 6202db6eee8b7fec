"""Commands that are imported when they are wanted, and lines that do not steer a terminal."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any, Final

import click

from pochboard.text.unicode_names import columns, json_shown, shown, shown_lines, toml_shown


class Command(click.Command):
    """A command."""

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - as in click
        """The line in the list of commands: the first sentence, not cut off."""
        return self.short_help or inspect.cleandoc(self.help or "").partition("\n\n")[0]


class Group(Command, click.Group):
    """A command of commands. Those that are `later` are imported once they are wanted.

    `later` gives the module of each by its name, which is that of the function in it, too.
    """

    command_class = Command
    group_class = type

    def __init__(self, *settings: Any, later: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(*settings, **more)
        self._later = later or {}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command. If there is none, click compares the name with those of all others."""
        if cmd_name not in self.commands:
            for name in (cmd_name,) if cmd_name in self._later else self._later:
                self.add_command(getattr(import_module(self._later[name]), name))
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        """The names of all commands."""
        return sorted({*self.commands, *self._later})


class Program(Group):
    """The whole program."""

    def make_context(self, *settings: Any, **more: Any) -> click.Context:
        """Reads the arguments."""
        with _shown_errors():
            return super().make_context(*settings, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with _shown_errors():
            return super().invoke(ctx)


@contextmanager
def _shown_errors() -> Iterator[None]:
    """Usage errors that quote arguments without what may steer a terminal."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise click.UsageError(shown(error.format_message()), error.ctx) from error


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
