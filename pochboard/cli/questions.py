"""Questions on the terminal, each with a default answer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TypeVar

from pochboard.cli.language import echo, say
from pochboard.errors import ConfigError
from pochboard.text.lazy import LazyText, lazy_gettext

T = TypeVar("T")


def yes(question: LazyText) -> bool:
    """Asks for yes or no; the default is no."""
    return choose(question, {False: lazy_gettext("no"), True: lazy_gettext("yes")})


def choose(question: LazyText, choices: Mapping[T, LazyText], default: T | None = None) -> T:
    """Asks until the answer is the number of a choice. The default is the first one."""
    values = list(choices)
    first = 1 if default is None else values.index(default) + 1
    say(question)
    for number, text in enumerate(choices.values(), 1):
        say(LazyText("  {number}  {text}", number=number, text=text))
    while True:
        answer = typed_line(str(first)) or str(first)
        if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= len(values):
            return values[int(answer) - 1]
        say(lazy_gettext("A number from 1 to {count}, please.", count=len(values)))


def typed_line(default: str) -> str:
    """A line that somebody types. Raises ConfigError if there is none."""
    echo(f"[{default}] " if default else "", nl=False)
    line = sys.stdin.readline()
    if not line:
        raise ConfigError(lazy_gettext("The questions were not answered. Nothing was written."))
    return line.strip()
