"""The text of files that people write, in the encodings that their editors choose."""

from __future__ import annotations

import codecs
from typing import Final

_MARKS: Final = (
    # The mark of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


def written_text(content: bytes) -> str:
    """The text of a file, with a line feed at the end of each line.

    A byte order mark names the encoding, which is UTF-8 without one. Raises UnicodeDecodeError.
    """
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    text = content.decode(encoding)
    nul = text.find("\0")
    if nul >= 0:
        # UTF-16 without a mark: no text has this character.
        at = len(text[:nul].encode())
        raise UnicodeDecodeError(encoding, content, at, at + 1, "this is no text")
    return text.replace("\r\n", "\n").replace("\r", "\n")
