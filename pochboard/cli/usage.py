"""Help and usage errors in the language of the terminal.

Our own texts are translated where they are formatted or raised. Click asks Python's `gettext` for
its own, which reads them from the compiled file that `.ci/messages` makes of each catalogue.
"""

from __future__ import annotations

import contextlib
import gettext
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, Final, TypeVar

import click
from msgspec import Meta

from pochboard.cli.language import in_terminal_language, terminal_translator
from pochboard.text.allowed_values import why_refused
from pochboard.text.catalogues import LOCALE
from pochboard.text.lazy import LazyText
from pochboard.text.translator import Translator, gettext_noop, ngettext_noop
from pochboard.text.visible import shown

_Decorated = TypeVar("_Decorated", bound="Callable[..., Any] | click.Command")

CLICK_MESSAGES: Final = (
    gettext_noop("Usage:"),
    gettext_noop("Options"),
    gettext_noop("Commands"),
    gettext_noop("Show this message and exit."),
    gettext_noop("default: {default}"),
    gettext_noop("Error: {message}"),
    gettext_noop("Try '{command} {option}' for help."),
    gettext_noop("Missing command."),
    gettext_noop("No such option {name!r}."),
    gettext_noop("No such command {name!r}."),
    ngettext_noop("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    ngettext_noop(
        "Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"
    ),
    gettext_noop("Option {name!r} does not take a value."),
    ngettext_noop(
        "Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."
    ),
    gettext_noop("Invalid value for {param_hint}: {message}"),
    gettext_noop("Invalid value: {message}"),
    ngettext_noop("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    gettext_noop("{value!r} is not a valid {number_type}."),
    gettext_noop("{name} {filename!r} does not exist."),
    gettext_noop("{name} {filename!r} is a file."),
    gettext_noop("{name} {filename!r} is a directory."),
    gettext_noop("{name} {filename!r} is not readable."),
    gettext_noop("{name} {filename!r} is not writable."),
)
"""What click asks `gettext` for when this program is called, by click's own message."""

TYPES: Final = (
    gettext_noop("File"),
    gettext_noop("Directory"),
    gettext_noop("Path"),
    gettext_noop("integer"),
)
"""The names of types in click's errors, which ask for a translation at import or never."""

METAVARS: Final = (
    gettext_noop("OPTIONS"),
    gettext_noop("COMMAND"),
    gettext_noop("ARGS"),
    gettext_noop("FILE"),
    gettext_noop("FILES"),
    gettext_noop("DIRECTORY"),
    gettext_noop("FOLDER"),
    gettext_noop("INTEGER"),
    gettext_noop("ADDRESS"),
    gettext_noop("DATE"),
    gettext_noop("TEXT"),
    gettext_noop("NIGHT"),
    gettext_noop("NAME"),
    gettext_noop("NAMES"),
    gettext_noop("NUMBER"),
    gettext_noop("KEY=VALUE"),
    gettext_noop("SECONDS"),
    gettext_noop("AMOUNT"),
    gettext_noop("SEAT"),
    gettext_noop("CARD"),
    gettext_noop("CARDS"),
    gettext_noop("SUIT"),
)
"""What stands for a value in help and errors."""

_METAVAR: Final = re.compile(r"(?<![-\w])[A-Z]{3,}(?:=VALUE)?(?![-\w])")


class UsageError(click.UsageError):
    """A wrong use of a command, said in the language of the terminal."""

    def __init__(self, text: LazyText, ctx: click.Context | None = None) -> None:
        super().__init__(in_terminal_language(text), ctx)


class BadParameter(click.BadParameter):
    """A wrong value of an option or argument, said in the language of the terminal."""

    def __init__(self, text: str | Exception, *, param_hint: str | None = None) -> None:
        super().__init__(in_terminal_language(text), param_hint=param_hint)


class Argument(click.Argument):
    """An argument, named in the language of the terminal."""

    def make_metavar(self, ctx: click.Context) -> str:
        """What stands for the argument in help and errors."""
        return _metavars(super().make_metavar(ctx), terminal_translator())


def argument(*names: str, **settings: Any) -> Callable[[_Decorated], _Decorated]:
    """Declares an argument, as `click.argument` does."""
    return click.argument(*names, cls=Argument, **settings)


class FilePath(click.Path):
    """A path; its errors name its kind in the language of the terminal."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._kind = self.name.title()

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 - as in click
        """What stands for the value of an option in help."""
        return self._kind.upper() if isinstance(param, click.Option) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises click.BadParameter."""
        self.name = terminal_translator().gettext(self._kind)
        return super().convert(value, param, ctx)


class Int(click.types.IntParamType):
    """A whole number; its errors say so in the language of the terminal."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - as in click
        """What stands for the value in help."""
        return "INTEGER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises click.BadParameter."""
        self.name = terminal_translator().gettext("integer")
        return super().convert(value, param, ctx)


class IntRange(click.IntRange):
    """A whole number within limits, which its error names as the configuration's does."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 - as in click
        """What stands for the value of an option in help: nobody types a range."""
        return "INTEGER" if isinstance(param, click.Option) else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises click.UsageError."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            raise _not_in_range(Annotated[int, _limits(self)], value, param, ctx) from None


class FloatRange(click.FloatRange):
    """A number within limits, which its error names as the configuration's does."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - as in click
        """What stands for the value in help."""
        return "NUMBER"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number. Raises click.UsageError."""
        try:
            return float(super().convert(value, param, ctx))
        except click.BadParameter:
            raise _not_in_range(Annotated[float, _limits(self)], value, param, ctx) from None


def _limits(kind: click.IntRange | click.FloatRange) -> Meta:
    return Meta(ge=kind.min, le=kind.max)


def _not_in_range(
    hint: Any, value: Any, param: click.Parameter | None, ctx: click.Context | None
) -> click.UsageError:
    """The error for a value that is not a number within the limits of a type."""
    given: Any = value
    for number in (int, float):
        with contextlib.suppress(ValueError):
            given = number(value)
            break
    name = param.opts[0] if isinstance(param, click.Option) else ""
    if isinstance(param, click.Argument):
        name = LazyText(param.human_readable_name)
    return UsageError(why_refused(hint, given, name, bare=True), ctx)


class HelpFormatter(click.HelpFormatter):
    """Writes help in the language of the terminal."""

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self._t = terminal_translator()

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Writes how a command is called."""
        super().write_usage(prog, _metavars(args, self._t), prefix)

    def write_text(self, text: str) -> None:
        """Writes paragraphs."""
        made = (mark + self._t.gettext(paragraph) for mark, paragraph in paragraphs(text))
        super().write_text("\n\n".join(made))

    def write_dl(self, rows: Any, *widths: int, **more: int) -> None:
        """Writes options or commands, each with its help."""
        super().write_dl(
            [(_metavars(name, self._t), self._option_help(text)) for name, text in rows],
            *widths,
            **more,
        )

    def _option_help(self, text: str) -> str:
        help_text, extras = split_help(text)
        made = self._t.gettext(help_text) if help_text else ""
        return "  ".join(filter(None, (made, *map(self._extra, extras))))

    def _extra(self, extra: str) -> str:
        default, *others = extra.split("; ")
        named = default.removeprefix("default: ")
        if named != default:
            default = self._t.gettext("default: {default}", default=self._t.gettext(named))
        return f"[{'; '.join((default, *others))}]"


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The messages in a help text, each after its mark: a marked paragraph keeps its lines."""
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b\n"):
            yield "\b\n", part.removeprefix("\b\n")
        else:
            yield "", " ".join(part.split())


def split_help(text: str) -> tuple[str, list[str]]:
    """The help of an option, and what stands after it in brackets, such as its default."""
    match = re.fullmatch(r"(.*?)((?:(?:^|  )\[[^\]]*\])*)", text, re.DOTALL)
    assert match is not None, "both parts may be empty"
    return match[1], re.findall(r"\[([^\]]*)\]", match[2])


def _metavars(text: str, t: Translator) -> str:
    return _METAVAR.sub(lambda found: t.gettext(found[0]), text)


class Context(click.Context):
    """A context that formats help in the language of the terminal."""

    formatter_class = HelpFormatter


class Command(click.Command):
    """A command with help in the language of the terminal."""

    context_class = Context

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option --help, whose text click would keep in the language of the first call."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = gettext.gettext("Show this message and exit.")
        return option

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
    """The whole program; its errors are in the language of the terminal too."""

    def main(self, *settings: Any, **more: Any) -> Any:
        """Runs the program."""
        with _click_in_terminal_language():
            return super().main(*settings, **more)

    def make_context(self, *settings: Any, **more: Any) -> click.Context:
        """Reads the arguments."""
        with _shown_errors():
            return super().make_context(*settings, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        with _shown_errors():
            return super().invoke(ctx)


@contextmanager
def _click_in_terminal_language() -> Iterator[None]:
    """Click asks for the domain `messages`, in the language that LANGUAGE names first of all."""
    gettext.bindtextdomain("messages", LOCALE)
    before = os.environ.get("LANGUAGE")
    os.environ["LANGUAGE"] = terminal_translator().language
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("LANGUAGE", None)
        else:
            os.environ["LANGUAGE"] = before


@contextmanager
def _shown_errors() -> Iterator[None]:
    """Usage errors that quote arguments without what may steer a terminal."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise click.UsageError(shown(_message(error)), error.ctx) from error


def _message(error: click.UsageError) -> str:
    """What an error says. Click puts only this one together from words."""
    if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Argument):
        hint = error.param.get_error_hint(error.ctx)
        return terminal_translator().gettext("Missing argument {param_hint}.", param_hint=hint)
    return error.format_message()
