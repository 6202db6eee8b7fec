"""Looks up messages in a language and fills their placeholders.

A language is one catalogue, `pochboard/locale/LANGUAGE.po`, which `hatch_build.py` compiles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Final

NOUN: Final = "\0"
"""Stands before a value that gets a capital letter where it begins a sentence."""
_BEGINS: Final = re.compile(f"(^|[.] ){NOUN}(.)")


def N_(message: str) -> str:  # noqa: N802 - its name in gettext's manual
    """Marks a message in a table for extraction; it is translated where it is used."""
    return message


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Marks the singular and plural of a message in a table."""
    return one, many


class Translatable(str):
    """An English text that can be had in other languages."""

    __slots__ = ()

    def in_language(self, t: Translator) -> str:
        """The text in another language."""
        raise NotImplementedError

    def within(self, t: Translator) -> str:
        """The text as a value of a message."""
        return self.in_language(t)


class Translator:
    """Messages in one language. `str.format` fills named placeholders such as `{name}`."""

    def __init__(
        self,
        catalogue: NullTranslations | None = None,
        language: str = "en",
        *,
        names_files: bool = False,
    ) -> None:
        self.language = language
        """The language as HTML's `lang` names it."""
        self.names_files = names_files
        """Whether to call a file what it is, as for people at the table, instead of by its path."""
        self._catalogue = catalogue or NullTranslations()

    def gettext(self, message: str, /, **places: object) -> str:
        """The message; without values it stays a template, as in tables of texts."""
        return self._filled(self._catalogue.gettext(message), places)

    def ngettext(self, one: str, many: str, count: int, /, **places: object) -> str:
        """The form that fits the count, which fills the placeholder `{count}`."""
        return self._filled(self._catalogue.ngettext(one, many, count), {"count": count, **places})

    def pgettext(self, context: str, message: str, /, **places: object) -> str:
        """A message too short to be understood alone; the context tells translators its use."""
        return self._filled(self._catalogue.pgettext(context, message), places)

    def _filled(self, text: str, places: dict[str, object]) -> str:
        if not places:
            return text
        text = text.format(**{name: self._place(value) for name, value in places.items()})
        if NOUN not in text:
            return text
        return _BEGINS.sub(lambda found: found[1] + found[2].upper(), text).replace(NOUN, "")

    def _place(self, value: object) -> object:
        if isinstance(value, int | float):
            return _Number(value, self)
        if isinstance(value, Exception) and value.args and isinstance(value.args[0], Translatable):
            value = value.args[0]
        if isinstance(value, Translatable):
            value = value.within(self)
        return isolated(self.person(value)) if isinstance(value, str) else value

    def translated(self, text: str) -> str:
        """A text that may be a `Translatable`."""
        return text.in_language(self) if isinstance(text, Translatable) else text

    def noun(self, message: str, path: Path | None = None, /, **places: object) -> str:
        """A noun phrase; or the path, for those who see paths."""
        return str(path) if path and not self.names_files else self.gettext(message, **places)

    def clause(self, sentence: Translatable) -> str:
        """A sentence without its full stop, for use within another one."""
        return sentence.in_language(self).removesuffix(".")

    def person(self, name: str) -> str:
        """What somebody is called: a place that nobody has given a name, in this language."""
        unnamed = _UNNAMED.fullmatch(name)
        return self.gettext("Place {place}", place=int(unnamed[1])) if unnamed else name

    @property
    def decimal_mark(self) -> str:
        """What stands before decimals; spreadsheets in the language expect the same."""
        return self.pgettext("decimal mark", ".")

    def number(self, value: float, spec: str) -> str:
        """A number in a format such as `,` or `.2f`, with the marks of the language."""
        separator = self.pgettext("thousands separator", ",")
        marks = {ord("."): self.decimal_mark, ord(","): separator, ord("-"): "\N{MINUS SIGN}"}
        return format(value, spec).translate(marks)

    def listed(self, words: Iterable[str]) -> str:
        """Words as a list: `Anna, Ben and Clara`. There must be at least one."""
        *others, last = (isolated(self.person(self.translated(word))) for word in words)
        if not others:
            return last
        return self.gettext("{others} and {last}", others=", ".join(others), last=last)

    def alternatives(self, words: Sequence[str]) -> str:
        """Words of which one is allowed: `"bank" or "split"`. There must be at least one."""
        *others, last = words
        if not others:
            return last
        return self.gettext("{others} or {last}", others=", ".join(others), last=last)

    def forms(self, one: str, many: str) -> dict[str, str]:
        """All forms of a message, unfilled, by the names of CLDR's plural categories."""
        samples = self.pgettext("a number of each of CLDR's plural categories", "one=1 other=2")
        pairs = (pair.split("=") for pair in samples.split())
        return {
            category: self._catalogue.ngettext(one, many, int(number)) for category, number in pairs
        }


class _Number:
    """A number in a message: formats such as `{count:,}` give it the marks of the language."""

    def __init__(self, value: float, translator: Translator) -> None:
        self._value, self._translator = value, translator

    def __format__(self, spec: str) -> str:
        if isinstance(self._value, float):
            spec = spec or "g"
        return self._translator.number(self._value, spec) if spec else str(self)

    def __repr__(self) -> str:
        return repr(self._value)


ENGLISH: Final = Translator()
_LOCALE: Final = Path(__file__).resolve().parents[1] / "locale"


@cache
def languages() -> tuple[str, ...]:
    """The languages that there is a translator for, as HTML's `lang` names them; English first."""
    compiled = _LOCALE.glob("*/LC_MESSAGES/pochboard.mo")
    return (ENGLISH.language, *sorted(file.parts[-3] for file in compiled))


@cache
def translator(language: str, *, names_files: bool = False) -> Translator:
    """The translator of one of `languages()`."""
    if language == ENGLISH.language:
        return Translator(names_files=True) if names_files else ENGLISH
    catalogue = translation("pochboard", _LOCALE, [language])
    return Translator(catalogue, language, names_files=names_files)


def table_translator(language: str) -> Translator:
    """The translator for people at the table, who have no use for the paths of files."""
    return translator(language, names_files=True)


_UNNAMED: Final = re.compile(r"Place (\d+)")
"""What is recorded for a player whose name nobody has typed."""
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ISOLATE: Final = "\N{FIRST STRONG ISOLATE}"


def isolated(text: str) -> str:
    """A text isolated so that it does not reorder the words around it.

    After a name in Hebrew or Arabic, a number would otherwise stand on the name's wrong side, and
    two such names would change places.
    """
    if not _RIGHT_TO_LEFT.search(text) or _ISOLATE in text:
        return text
    return f"{_ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
