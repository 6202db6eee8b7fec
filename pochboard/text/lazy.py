"""Sentences for people, made where a fact is found and translated where they are shown.

Errors and the doctor's checks come from below `pochboard.messages` and do not know who reads them:
the log is English, the terminal has the language of its user. A `LazyText` is therefore a string,
its English text, that remembers what it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Self

from pochboard.text.translator import ENGLISH, NOUN, Translatable, Translator


class LazyText(Translatable):
    """A text in English that can still be translated, with the values of its placeholders.

    Babel extracts the literals of `lazy_gettext`, `lazy_ngettext` and `Noun` only. The class itself
    is for texts that consist of placeholders, that are in the catalogue already, or that a function
    makes.
    """

    __slots__ = ("_args", "_render", "_values")

    _look_up: ClassVar[Callable[..., str]] = Translator.gettext
    _render: Callable[..., str]
    _args: tuple[Any, ...]
    _values: dict[str, object]

    def __new__(cls, message: str | Callable[..., str], /, *args: object, **values: object) -> Self:
        """A function of a module stands for what it returns for a translator and these values."""
        if isinstance(message, str):
            render, args = cls._look_up, (message, *args)
        else:
            render = message
        made = super().__new__(cls, render(ENGLISH, *args, **values))
        made._render, made._args, made._values = render, args, values
        return made

    def in_language(self, t: Translator) -> str:
        """The text in another language, with all sentences that fill its placeholders."""
        return self._render(t, *self._args, **self._values)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, object]]:
        """How to pickle it, so that other processes can return errors."""
        return (self._render, *self._args), self._values


class Noun(LazyText):
    """A noun phrase such as `the ledger`, with a capital letter where it begins a sentence.

    Its message must be a literal. With a path it is a file, and only people at the table, who see
    no paths, read what it is.
    """

    __slots__ = ()
    _look_up = Translator.noun

    def within(self, t: Translator) -> str:
        """The phrase, marked so that a sentence can begin with it."""
        text = self.in_language(t)
        return text if self._args[1:] and not t.names_files else f"{NOUN}{text}"


def lazy_gettext(message: str, /, **values: object) -> LazyText:
    """A sentence with named placeholders, such as `{path}`. The message must be a literal."""
    return LazyText(message, **values)


def lazy_ngettext(one: str, many: str, count: int, /, **values: object) -> LazyText:
    """The singular or plural of a sentence; `{count}` is the count. Both must be literals."""
    return LazyText(Translator.ngettext, one, many, count, **values)


def lazy_listed(words: Sequence[str]) -> LazyText:
    """Words as a list: `Anna, Ben and Clara`. There must be at least one."""
    return LazyText(Translator.listed, words)


def lazy_alternatives(words: Sequence[str]) -> LazyText:
    """Words of which one is allowed: `"bank" or "split"`. There must be at least one."""
    return LazyText(Translator.alternatives, words)


def clause(sentence: LazyText) -> LazyText:
    """A sentence without its full stop, within another one."""
    return LazyText(Translator.clause, sentence)


def lazy_text(error: Exception) -> LazyText:
    """What an error says, which can be translated if it was raised with such a text."""
    text = error.args[0] if error.args else ""
    return text if isinstance(text, LazyText) else LazyText("{text}", text=str(error))


def os_reason(error: OSError) -> LazyText:
    """Why the system refused something, such as `Permission denied`."""
    return LazyText(error.strerror or str(error))


_REASONS: Final = (
    lazy_gettext("Permission denied"),
    lazy_gettext("Operation not permitted"),
    lazy_gettext("No such file or directory"),
    lazy_gettext("No space left on device"),
    lazy_gettext("Read-only file system"),
    lazy_gettext("Input/output error"),
)
"""The reasons that people at the table meet, for the catalogues; others stay English."""
