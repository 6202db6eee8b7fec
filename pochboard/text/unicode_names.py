"""What people see of a text: how names are written and compared, and how lines are printed.

Two names that look alike must be one name, and a line of a stranger's file must not steer the
terminal that shows it. Both need to know which characters are drawn. Letters that look alike in
different scripts, such as the Latin and the Cyrillic A, are told apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Final

MOST_CHARACTERS: Final = 100
"""The most characters of a name."""

# The code points with the property Default_Ignorable_Code_Point of Unicode's
# DerivedCoreProperties.txt, which `unicodedata` lacks.
_IGNORABLE: Final = (
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f"
    "\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
)
# Controls, marks of interlinear text and of embedded objects, the format controls of hieroglyphs, a
# filler, a joiner of numbers.
_OTHERS_UNSEEN: Final = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\ufff9-\\ufffc\\U00013430-\\U00013440"
    "\\U00013447-\\U00013455\\U00016fe4\\U0001107f"
)
# Blank, although `str.split` does not take them for white space: an empty Braille cell, a null
# note head, blank hieroglyphs.
_BLANKS: Final = "\u2800\U0001d159\U00013441\U00013442"
_AROUND: Final = _BLANKS + "".join(filter(str.isspace, map(chr, range(0x3001))))
# Keyboards and word processors choose between these.
_HYPHENS: Final = "\u2010\u2011"
_APOSTROPHES: Final = "\u2019\u02bc"
_AS_TYPED: Final = str.maketrans(
    _BLANKS + _HYPHENS + _APOSTROPHES,
    " " * len(_BLANKS) + "-" * len(_HYPHENS) + "'" * len(_APOSTROPHES),
)
# The kinds of compatible characters that look alike, or are the same letters in another style or
# width, unlike superscripts and circled digits.
_SAME_LOOK: Final = (
    "<compat>", "<initial>", "<medial>", "<final>", "<isolated>", "<font>", "<wide>", "<narrow>",
)  # fmt: skip
_LONGEST: Final = 2_000
"""Composing takes time that grows with the square of the length; no name is so long."""
# The flags of England, Scotland and Wales are a black flag with letters that nobody sees.
_FLAG: Final = (
    "\\U0001f3f4\\U000e0067\\U000e0062(?:\\U000e0065\\U000e006e\\U000e0067"
    "|\\U000e0073\\U000e0063\\U000e0074|\\U000e0077\\U000e006c\\U000e0073)\\U000e007f"
)
# The patterns are compiled when a text that is not ASCII first needs them: `re` keeps them, and a
# daemon starts sooner.
_UNSEEN: Final = f"({_FLAG})|[{_IGNORABLE}{_OTHERS_UNSEEN}]"

# Joiners and variation selectors are part of real names and of emoji: Persian, Mongolian, some
# Japanese names, a family. They stay in a name, but do not tell names apart.
_JOINERS: Final = "\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\U000e0100-\\U000e01ef"
# What is shown as an escape on a line: whatever else is unseen, line separators, lone surrogates.
_HIDDEN: Final = (
    f"(?![{_JOINERS}])[{_IGNORABLE}{_OTHERS_UNSEEN}\\t-\\r\\x1c-\\x1f\\x85\\u2028\\u2029"
    "\\ud800-\\udfff]"
)
# A pair of marks that keeps a name of another direction together turns nothing else round. The
# translator sets them.
_ISOLATED: Final = "\\u2068[^\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]*\\u2069"
_TO_ESCAPE: Final = f"({_FLAG}|{_ISOLATED})|{_HIDDEN}"
# What no name may contain: besides, code points for private use, and those that never become
# characters.
_NEVER: Final = "".join(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(0xF))
_UNFIT: Final = f"{_HIDDEN}|[\\ue000-\\uf8ff\\ufdd0-\\ufdef{_NEVER}\\U000f0000-\\U0010ffff]"


def tidy(text: str) -> str:
    """A name as it is kept: composed (NFC), without blanks around it."""
    return _composed(text).strip(_AROUND)


def sight(text: str) -> str:
    """What people see of a name: names are equal if this is. It is empty if they see nothing."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    seen = re.sub(_UNSEEN, lambda match: match[1] or "", text)
    seen = "".join(map(_parted, _composed(seen)))
    seen = " ".join(_composed(seen).translate(_AS_TYPED).split())
    # A name of nothing but accents is as good as blank.
    return seen if any(unicodedata.category(char)[0] not in "MZ" for char in seen) else ""


def _parted(char: str) -> str:
    """The letters of a ligature, and the letter of an Arabic form, which look the same."""
    if unicodedata.decomposition(char).startswith(_SAME_LOOK) and char != "ſ":
        return unicodedata.normalize("NFKC", char)
    return char


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text) if len(text) <= _LONGEST else text


def is_unfit(text: str) -> bool:
    """Whether a text has characters that people cannot see or type, and so no name can have."""
    # Most texts are printable ASCII, and finding that out is cheapest.
    if text.isascii() and text.isprintable():
        return False
    return bool(re.search(_UNFIT, re.sub(_FLAG, "", text)))


def is_name(text: str) -> bool:
    """Whether a tidy text can be a name: short, visible, without unfit characters."""
    return len(text) <= MOST_CHARACTERS and not is_unfit(text) and bool(sight(text))


def fitted(text: str) -> str:
    """A stranger's text without what no name may contain; it may be empty."""
    kept = re.sub(_UNFIT, "", text) if is_unfit(text) else text
    return tidy(kept)[:MOST_CHARACTERS].rstrip() if sight(kept) else ""


def shown(text: str) -> str:
    r"""A text as one line for a terminal, a log or a report.

    Line breaks, and what is not seen but may steer a terminal or turn a text round, become escapes
    such as `\x1b`.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(
        _TO_ESCAPE, lambda match: match[1] or match[0].encode("unicode_escape").decode(), text
    )


def columns(text: str) -> int:
    """How many columns of a terminal a line takes as it is `shown`."""
    return sum(map(_columns, shown(text)))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0  # drawn on the letter before, or not at all
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def encodable(text: str) -> str:
    """The text with escapes for the bytes of a path that are not UTF-8."""
    return text.encode(errors="backslashreplace").decode()


def shown_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(shown, text.split("\n")))


def json_shown(text: str) -> str:
    """JSON of the same value, in which escapes stand for what is not seen."""
    return _escaped(text, lambda char: json.dumps(char)[1:-1])


def toml_shown(text: str) -> str:
    """The same for TOML, whose escapes have one number for each character."""
    return _escaped(text, lambda char: f"\\U{ord(char):08x}")


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    if text.isascii() and "\x7f" not in text:
        return text  # strings have no other control characters as they are
    kept = "\t\n\r"  # between values
    return re.sub(
        _TO_ESCAPE,
        lambda match: match[0] if match[1] or match[0] in kept else escape(match[0]),
        text,
    )
