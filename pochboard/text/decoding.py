"""Text, JSON and TOML that others wrote, decoded alike whatever their editor and this Python.

A decoder fails where Python's stack ends. For JSON that is after 1,000 levels with Python 3.11 and
after 10,000 with 3.13, and TOML's dotted keys have no limit at all. What is nested deeper than
`MOST_NESTED` is therefore refused here, before code that goes through it level by level sees it.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from typing import Any, Final, TypeVar, overload

import msgspec

_T = TypeVar("_T")

MOST_NESTED: Final = 100
"""The most levels of arrays, objects and tables in one another; real ones have six at most."""


class NestedTooDeeplyError(msgspec.DecodeError, ValueError):
    """It has more levels than `MOST_NESTED`. Handlers for malformed JSON or TOML catch it, too."""


_MARKS: Final = (
    # The mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
"""How texts begin that say which encoding they have."""


_WIDE: Final = re.compile("\0(?=[^\0-\x1f])|(?<=[^\0-\x1f])\0")
"""A NUL beside a letter, as UTF-16 has it; without a byte order mark it looks like UTF-8."""
_FURTHER_MARKS: Final = re.compile("^\ufeff+", re.MULTILINE)


def written_text(content: bytes) -> str:
    """The text of a file, with a line feed at the end of each line.

    A byte order mark names the encoding, which is UTF-8 without one. Further marks at the beginning
    of lines, as in files that were joined, are left out. Raises UnicodeDecodeError.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    text = content.decode(encoding)
    nul = _WIDE.search(text)
    if nul:
        # No text has a NUL beside its letters.
        at = len(text[: nul.start()].encode())
        raise UnicodeDecodeError(encoding, content, at, at + 1, "this is no text")
    return _FURTHER_MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


@overload
def decode_json(text: bytes | str) -> Any: ...


@overload
def decode_json(text: bytes | str, kind: type[_T]) -> _T: ...


def decode_json(text: bytes | str, kind: Any = Any) -> Any:
    """The value of a JSON text. Raises msgspec.DecodeError, or UnicodeDecodeError."""
    try:
        value = msgspec.json.decode(text, type=kind)
    except RecursionError:
        raise NestedTooDeeplyError from None
    return refuse_deep(value)


def decode_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ValueError, of tomllib or for a number too long."""
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise NestedTooDeeplyError from None
    refuse_deep(tables)
    return tables


def refuse_deep(value: Any) -> Any:
    """The value, decoded by others. Raises NestedTooDeeplyError."""
    level = [value]
    for _ in range(MOST_NESTED + 1):
        level = [container for container in level if isinstance(container, list | dict)]
        if not level:
            return value
        level = [
            inner
            for container in level
            for inner in (container.values() if isinstance(container, dict) else container)
        ]
    raise NestedTooDeeplyError
