"""Sentences for people, made where a fact is found and translated where they are shown.

Errors and the doctor's checks come from below `pochboard.messages` and do not know who reads them:
the log is English, the terminal has the language of its user. A `LazyText` is therefore a string,
its English text, that remembers what it was made from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, Self


class SupportsGettext(Protocol):
    """What translates: the `Translator` of `text.translator`.

    It translates values that are a `LazyText`, too.
    """

    language: str
    """The language as HTML's `lang` names it."""
    names_files: bool
    """Whether a `File` is called what it is to people at the table, instead of by its path."""

    def gettext(self, message: str, /, **places: object) -> str:
        """The message with its placeholders filled."""

    def ngettext(self, one: str, many: str, count: int, /, **places: object) -> str:
        """The form that fits the count."""


class _English:
    """The source language."""

    language = "en"
    names_files = False

    def gettext(self, message: str, /, **places: object) -> str:
        return filled(message, places, self) if places else message

    def ngettext(self, one: str, many: str, count: int, /, **places: object) -> str:
        return filled(one if count == 1 else many, {"count": count, **places}, self)


_ENGLISH: Final = _English()


class LazyText(str):
    """A text in English that can still be translated, with the values of its placeholders.

    Babel extracts the literals of `lazy_gettext`, `lazy_ngettext` and `Noun` only. The class itself
    is for texts that consist of placeholders, or that are in the catalogue already.
    """

    __slots__ = ("_count", "_many", "_one", "_values")

    _one: str
    _many: str | None
    _count: int
    _values: dict[str, object]

    def __new__(
        cls, one: str, many: str | None = None, number: int = 0, /, **values: object
    ) -> Self:
        """`many` is the plural, for the count `number`."""
        made = super().__new__(cls, _filled(one, many, number, values, _ENGLISH))
        made._one, made._many, made._count, made._values = one, many, number, values
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The text in another language, with all sentences that fill its placeholders."""
        return _filled(self._one, self._many, self._count, self._values, t)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, object]]:
        """How to pickle it, so that other processes can return errors."""
        return (self._one, self._many, self._count), self._values


class Noun(LazyText):
    """A noun phrase such as `the ledger`, with a capital letter where it begins a sentence.

    Its message must be a literal, as that of `lazy_gettext`.
    """

    __slots__ = ()

    def beginning(self, t: SupportsGettext) -> str:
        """The phrase as the beginning of a sentence."""
        text = self.in_language(t)
        return text[:1].upper() + text[1:]


class File(Noun):
    """A file in a sentence: its path, or a noun for people at the table, who see no paths."""

    __slots__ = ("_noun", "_path")

    _path: Path
    _noun: Noun

    def __new__(cls, path: Path, noun: Noun) -> Self:
        """In English, and in the log, it is its path."""
        made = super().__new__(cls, "{path}", path=path)
        made._path, made._noun = path, noun
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """What it is called for whoever reads `t`."""
        return self._noun.in_language(t) if t.names_files else str(self)

    def beginning(self, t: SupportsGettext) -> str:
        """The same as the beginning of a sentence."""
        return self._noun.beginning(t) if t.names_files else str(self)

    def __getnewargs_ex__(self) -> tuple[tuple[Path, Noun], dict[str, object]]:
        return (self._path, self._noun), {}


class Clause(LazyText):
    """A sentence without its full stop, within another one."""

    __slots__ = ("_sentence",)

    _sentence: LazyText

    def __new__(cls, sentence: LazyText) -> Self:
        """`sentence` ends with a full stop, in every language."""
        made = super().__new__(cls, "{clause}", clause=sentence.removesuffix("."))
        made._sentence = sentence
        return made

    def in_language(self, t: SupportsGettext) -> str:
        """The clause in another language."""
        return self._sentence.in_language(t).removesuffix(".")

    def __getnewargs_ex__(self) -> tuple[tuple[LazyText], dict[str, object]]:
        return (self._sentence,), {}


_BEGINS: Final = re.compile(r"(^|[.] )\{(\w+)\}")


def filled(
    text: str,
    places: Mapping[str, object],
    t: SupportsGettext,
    render: Callable[[object], object] = lambda value: value,
) -> str:
    """A message with its values, each as `render` returns it."""
    values = {name: render(value) for name, value in places.items()}
    nouns = {name: value for name, value in places.items() if isinstance(value, Noun)}
    if nouns:
        values |= {f"{name}_": render(noun.beginning(t)) for name, noun in nouns.items()}
        text = _BEGINS.sub(lambda m: f"{m[1]}{{{m[2]}{'_' * (m[2] in nouns)}}}", text)
    return text.format(**values)


def _filled(
    one: str, many: str | None, count: int, values: dict[str, object], t: SupportsGettext
) -> str:
    if many is None:
        return t.gettext(one, **values)
    return t.ngettext(one, many, count, **values)


def lazy_gettext(message: str, /, **values: object) -> LazyText:
    """A sentence with named placeholders, such as `{path}`. The message must be a literal."""
    return LazyText(message, **values)


def lazy_ngettext(one: str, many: str, count: int, /, **values: object) -> LazyText:
    """The singular or plural of a sentence; `{count}` is the count. Both must be literals."""
    return LazyText(one, many, count, **values)


def lazy_listed(words: Sequence[str]) -> LazyText:
    """Words as a list: `Anna, Ben and Clara`. There must be at least one."""
    *others, last = words
    if not others:
        return LazyText("{last}", last=last)
    # Each word is a value of its own, because names are isolated one by one.
    places = {f"word_{number}": word for number, word in enumerate(others)}
    first = LazyText(", ".join(f"{{{place}}}" for place in places), **places)
    return lazy_gettext("{others} and {last}", others=first, last=last)


def lazy_alternatives(words: Sequence[str]) -> LazyText:
    """Words of which one is allowed: `"bank" or "split"`. There must be at least one."""
    *others, last = words
    if not others:
        return LazyText("{last}", last=last)
    return lazy_gettext("{others} or {last}", others=", ".join(others), last=last)


def gettext_noop(message: str) -> str:
    """Marks a message in a table for extraction; it is translated where it is used."""
    return message


N_: Final = gettext_noop
"""The same by its short name in gettext's manual, for tables of many messages."""


def lazy_text(error: Exception) -> LazyText:
    """What an error says, which can be translated if it was raised with such a text."""
    text = error.args[0] if error.args else ""
    return text if isinstance(text, LazyText) else LazyText("{text}", text=str(error))


def translated(value: object, t: SupportsGettext) -> Any:
    """A sentence, or that of an error, in a language; every other value as it is."""
    if isinstance(value, Exception) and value.args and isinstance(value.args[0], LazyText):
        value = value.args[0]
    return value.in_language(t) if isinstance(value, LazyText) else value


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
