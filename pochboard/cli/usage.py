"""Commands that are imported when they are wanted, and errors that do not steer a terminal."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from pochboard.text.visible import shown


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
