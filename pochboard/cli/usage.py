"""Help and usage errors in the language of the terminal.

Click fills in its own messages before it raises them, and reads translations only from compiled
catalogues in a folder. So help is translated where it is formatted. An error is matched with
`CLICK_MESSAGES`, and the translation of the message found is filled in.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from string import Formatter as Fields
from typing import IO, Annotated, Any, Final

import click
from msgspec import Meta

from pochboard.cli.language import echo, terminal_translator
from pochboard.text.allowed_values import why_refused
from pochboard.text.lazy import LazyText
from pochboard.text.translator import Translator, gettext_noop, ngettext_noop
from pochboard.text.visible import shown

CLICK_MESSAGES: Final = (
    gettext_noop("Missing argument {param_hint}."),
    gettext_noop("Missing option {param_hint}."),
    gettext_noop("Missing command."),
    gettext_noop("No such option {name}."),
    gettext_noop("No such command {name}."),
    gettext_noop("{message} Did you mean {possibility}?"),
    gettext_noop("{message} (Did you mean one of: {possibilities}?)"),
    ngettext_noop(
        "Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"
    ),
    gettext_noop("Option {name} does not take a value."),
    gettext_noop("Option {name} requires an argument."),
    gettext_noop("Invalid value for {param_hint}: {message}"),
    gettext_noop("Invalid value: {message}"),
    gettext_noop("{value} is not one of {choices}."),
    gettext_noop("{value} is not a valid {number_type}."),
    gettext_noop("{kind} {filename} does not exist."),
    gettext_noop("{kind} {filename} is a file."),
    gettext_noop("{kind} {filename} is a directory."),
    gettext_noop("{kind} {filename} is not readable."),
    gettext_noop("{kind} {filename} is not writable."),
)
"""What click may say about the commands of this program; quoted values keep their quotes."""

CLICK_WORDS: Final = (
    gettext_noop("Options"),
    gettext_noop("Commands"),
    gettext_noop("Usage:"),
    gettext_noop("Show this message and exit."),
    gettext_noop("default: {default}"),
    gettext_noop("File"),
    gettext_noop("Directory"),
    gettext_noop("Path"),
    gettext_noop("integer"),
    gettext_noop("number"),
)
"""Click's other words."""

_PLAINER: Final = {
    "integer range": "integer",
    "float": "number",
    "float range": "number",
    "INTEGER RANGE": "INTEGER",
    "FLOAT RANGE": "NUMBER",
}
"""What click calls a type, and what people call it: nobody types a range."""

METAVARS: Final = (
    gettext_noop("OPTIONS"),
    gettext_noop("COMMAND"),
    gettext_noop("ARGS"),
    gettext_noop("FILE"),
    gettext_noop("FILES"),
    gettext_noop("DIRECTORY"),
    gettext_noop("FOLDER"),
    gettext_noop("INTEGER"),
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

_METAVAR: Final = re.compile(r"(?<![-\w])[A-Z]{3,}(?: RANGE|=VALUE)?(?![-\w])")
_WORDS_WITHIN: Final = frozenset({"message", "number_type", "kind"})
"""The placeholders that click fills with its own words, not the user's."""


class IntRange(click.IntRange):
    """A whole number within limits, which its error names as the configuration's does."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number. Raises click.UsageError."""
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            raise _not_in_range(Annotated[int, _limits(self)], value, param, ctx) from None


class FloatRange(click.FloatRange):
    """A number within limits, which its error names as the configuration's does."""

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
    if isinstance(param, click.Option):
        return click.UsageError(why_refused(hint, given, param.opts[0], bare=True), ctx)
    name = "" if param is None else param.human_readable_name
    return click.UsageError(why_refused(hint, given, LazyText(name), bare=True), ctx)


class HelpFormatter(click.HelpFormatter):
    """Writes help in the language of the terminal."""

    def __init__(self, *settings: Any, **more: Any) -> None:
        super().__init__(*settings, **more)
        self._t = terminal_translator()

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Writes how a command is called."""
        prefix = prefix or f"{self._t.gettext('Usage:')} "
        super().write_usage(prog, _metavars(args, self._t), prefix)

    def write_heading(self, heading: str) -> None:
        """Writes the heading of a section."""
        super().write_heading(self._t.gettext(heading))

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
    found = re.fullmatch(r"(.*?)((?:(?:^|  )\[[^\]]*\])*)", text, re.DOTALL)
    assert found is not None, "both parts may be empty"
    return found[1], re.findall(r"\[([^\]]*)\]", found[2])


def _metavars(text: str, t: Translator) -> str:
    return _METAVAR.sub(lambda found: t.gettext(_PLAINER.get(found[0], found[0])), text)


class Context(click.Context):
    """A context that formats help in the language of the terminal."""

    formatter_class = HelpFormatter


class Command(click.Command):
    """A command with help in the language of the terminal."""

    context_class = Context

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002 - as in click
        """The line in the list of commands: the first sentence, not cut off."""
        return self.short_help or inspect.cleandoc(self.help or "").partition("\n\n")[0]


class Group(Command, click.Group):
    """A command of commands."""

    command_class = Command
    group_class = type


class Program(Group):
    """The whole program; its errors are in the language of the terminal too."""

    def make_context(self, *settings: Any, **more: Any) -> click.Context:
        """Reads the arguments."""
        try:
            return super().make_context(*settings, **more)
        except click.UsageError as error:
            raise _translated_error(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _translated_error(error) from error


class _TranslatedError(click.UsageError):
    """A usage error in the language of the terminal."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints how the command is called, and what is wrong."""
        t, err = terminal_translator(), file is None
        if self.ctx is not None:
            echo(self.ctx.get_usage(), file=file, err=err)
            command, option = self.ctx.command_path, "--help"
            hint = t.gettext("Try '{command} {option}' for help.", command=command, option=option)
            echo(f"{hint}\n", file=file, err=err)
        echo(t.gettext("Error: {message}", message=self.message), file=file, err=err)


def _translated_error(error: click.UsageError) -> click.UsageError:
    t, said = terminal_translator(), error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error  # its message is the help
    if isinstance(error.message, LazyText):
        # Click has put a sentence of ours, in English, into one of its own.
        before, _, after = said.rpartition(error.message)
        made = shown(error.message.in_language(t))
        said = click_text(f"{before}{_OURS}{after}", t).replace(_OURS, made)
    else:
        said = click_text(said, t)
    return _TranslatedError(said, error.ctx)


_OURS: Final = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for a sentence of ours while click's around it is translated."""


def click_text(text: str, t: Translator) -> str:
    """A text of click's in another language; a text that is not known stays as it is."""
    for pattern, message, number in _patterns():
        found = pattern.fullmatch(text)
        if found is None:
            continue
        values: dict[str, Any] = {
            name: click_text(value, t) if name in _WORDS_WITHIN else value
            for name, value in found.groupdict().items()
        }
        if "param_hint" in values:
            values["param_hint"] = _metavars(values["param_hint"], t)
        if isinstance(message, str):
            return t.gettext(message, **values)
        return t.ngettext(*message, number, **values)
    text = _PLAINER.get(text, text)
    return t.gettext(text) if text in CLICK_WORDS else text


@cache
def _patterns() -> list[tuple[re.Pattern[str], str | tuple[str, str], int]]:
    """Each message as a pattern, with the number of its form.

    Messages that contain others come first, then the longest.
    """
    found: list[tuple[str, str | tuple[str, str], int]] = []
    for message in CLICK_MESSAGES:
        forms = (message,) if isinstance(message, str) else message
        found += [(form, message, number) for number, form in enumerate(forms, 1)]
    found.sort(key=lambda row: ("{message}" not in row[0], -len(re.sub(r"\{\w+\}", "", row[0]))))
    return [(_pattern(form), message, number) for form, message, number in found]


def _pattern(message: str) -> re.Pattern[str]:
    parts = Fields().parse(message)
    return re.compile(
        "".join(re.escape(text) + (f"(?P<{name}>.+)" if name else "") for text, name, *_ in parts),
        re.DOTALL,
    )
