"""The text of a file that people wrote, whatever their editor makes of it.

`systemd/install.sh` runs this file as well, with the system's own Python, so that it reads the
configuration as the daemon does. It therefore imports the standard library only.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

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
    # Looking for a NUL alone is far cheaper, and hardly a text has one.
    if "\0" in text and (nul := _WIDE.search(text)):
        # No text has a NUL beside its letters.
        at = len(text[: nul.start()].encode())
        raise UnicodeDecodeError(encoding, content, at, at + 1, "this is no text")
    return _FURTHER_MARKS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
