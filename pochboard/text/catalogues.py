"""The languages that are shipped: one catalogue each, `pochboard/locale/LANGUAGE.po`.

A catalogue is compiled in memory when it is first used. So there is no compiled file that could be
older than its source, and nothing to build after a change. Only click's own messages are compiled
by `.ci/messages` (`cli/usage.py`).
"""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Iterable, Iterator
from functools import cache
from gettext import GNUTranslations
from pathlib import Path
from typing import Final

from pochboard.text.translator import ENGLISH, Translator

LOCALE: Final = Path(__file__).resolve().parents[1] / "locale"
_MAGIC: Final = 0x950412DE
_KEYWORD: Final = r"msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?"
_FIELD: Final = re.compile(rf'^({_KEYWORD}) (".*"(?:\n".*")*)$', re.MULTILINE)
_OTHER_LINE: Final = re.compile(rf'^(?!#|$|(?:(?:{_KEYWORD}) )?".*"$).*', re.MULTILINE)


@cache
def languages() -> tuple[str, ...]:
    """The languages that there is a translator for, as HTML's `lang` names them; English first."""
    return (ENGLISH.language, *sorted(file.stem for file in LOCALE.glob("*.po")))


class SourceText:
    """The text of a language's catalogue: compiling it for a message takes a tenth of a start."""

    def __init__(self, language: str) -> None:
        self._text = "" if language == ENGLISH.language else _text_of(language)

    def pgettext(self, context: str, text: str) -> str:
        """The translation of a short text in a context; the text itself if there is none."""
        _, found, rest = self._text.partition(f'\nmsgctxt "{context}"\nmsgid "{text}"\n')
        return _fields(rest.partition("\n\n")[0])["msgstr"] if found else text


@cache
def translator(language: str, *, names_files: bool = False) -> Translator:
    """The translator of one of `languages()`."""
    if language == ENGLISH.language:
        return Translator(names_files=True) if names_files else ENGLISH
    catalogue = _catalogue(language)
    samples = _plural_samples(catalogue)
    return Translator(catalogue, language, samples, names_files=names_files)


@cache
def _catalogue(language: str) -> GNUTranslations:
    return compiled(_text_of(language))


def _text_of(language: str) -> str:
    return (LOCALE / f"{language}.po").read_text("utf-8")


def table_translator(language: str) -> Translator:
    """The translator for people at the table, who have no use for the paths of files."""
    return translator(language, names_files=True)


def _plural_samples(catalogue: GNUTranslations) -> dict[str, int]:
    """A number of each plural category, from the header `X-Plural-Samples: one=1 other=2`."""
    pairs = (pair.split("=") for pair in catalogue.info()["x-plural-samples"].split())
    return {category: int(number) for category, number in pairs}


def compiled(text: str) -> GNUTranslations:
    """A catalogue from the text of a PO file, as `.ci/messages` writes it."""
    return GNUTranslations(io.BytesIO(machine_object(text)))


def machine_object(text: str) -> bytes:
    """The text of a PO file in the format of MO files, which Python's `gettext` reads."""
    other = _OTHER_LINE.search(text)
    if other:
        raise ValueError(f"this is not a line of a PO file: {other[0]}")
    messages = {}
    for block in text.split("\n\n"):
        fields = _fields(block)
        if "msgid" not in fields:
            continue  # nothing but comments
        context = f"{fields['msgctxt']}\x04" if "msgctxt" in fields else ""
        plural = f"\0{fields['msgid_plural']}" if "msgid_plural" in fields else ""
        forms = [form for name, form in fields.items() if name.startswith("msgstr")]
        messages[f"{context}{fields['msgid']}{plural}"] = "\0".join(forms)
    return _packed(messages)


def _fields(block: str) -> dict[str, str]:
    """The strings of a message by their keywords; a string may continue over several lines."""
    return {name: _unquoted(lines.replace('"\n"', "")) for name, lines in _FIELD.findall(block)}


def _unquoted(text: str) -> str:
    # The escapes of PO files that occur are those of JSON, and most strings have none.
    return json.loads(text) if "\\" in text else text[1:-1]


def _packed(messages: dict[str, str]) -> bytes:
    pairs = sorted((key.encode(), value.encode()) for key, value in messages.items())
    keys_at = 7 * 4
    values_at = keys_at + 8 * len(pairs)
    texts_at = values_at + 8 * len(pairs)
    keys, texts = _table((key for key, _ in pairs), texts_at)
    values, more = _table((value for _, value in pairs), texts_at + len(texts))
    header = struct.pack("<7I", _MAGIC, 0, len(pairs), keys_at, values_at, 0, 0)
    return header + keys + values + texts + more


def _table(texts: Iterable[bytes], begin: int) -> tuple[bytes, bytes]:
    """Length and offset of each text, and the texts, each with a zero byte at its end."""

    def rows() -> Iterator[tuple[bytes, bytes]]:
        offset = begin
        for text in texts:
            yield struct.pack("<2I", len(text), offset), text + b"\0"
            offset += len(text) + 1

    made = list(rows())
    return b"".join(row for row, _ in made), b"".join(text for _, text in made)
