"""Texts that players wrote, in the formats of other programs: one function for each format."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from pochboard.text.visible import shown

# The characters by which spreadsheets recognise a formula, and their forms in other widths and
# heights, which East Asian versions take too.
_SIGNS: Final = (
    "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u208c\u208a\u2a75\u2a76"
)
_SEPARATORS: Final = ";,|"


def csv_text(text: str, separator: str) -> str:
    """A text of which no spreadsheet takes any part for a formula, at any of the usual separators.

    An apostrophe goes before each character that would begin a formula: at the beginning, and after
    another separator than the file's. Readers that expect that one begin a cell there, because to
    them only the first field of a row begins with a quotation mark.
    """
    others = _SEPARATORS.replace(separator, "")
    # A cell may begin with a quotation mark, which such a reader drops.
    return re.sub(rf"(?:^\s*|(?<=[{others}])[\s\"]*)(?=[{_SIGNS}])", r"\g<0>'", shown(text))


def beancount_text(text: str) -> str:
    """A string of beancount."""
    escaped = shown(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def hledger_text(text: str) -> str:
    """A description of hledger, after the code of its transaction.

    A semicolon would begin a comment, and a bar would end the payee.
    """
    return shown(text).replace(";", ",").replace("|", "/")


def account_part(name: str) -> str:
    """A name as part of an account's in beancount and hledger: letters, digits and hyphens.

    It does not tell all names apart, so the number of the seat stands before it.
    """
    kept = [c if unicodedata.category(c)[0] == "L" or c.isdecimal() else "-" for c in name]
    return "-".join(filter(None, "".join(kept).split("-")))
