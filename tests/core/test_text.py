"""Text of others: encodings, depth of JSON and TOML, and what people see of a name."""

from __future__ import annotations

import contextlib
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis.strategies import characters, text

from pochboard.text.decoding import MOST_NESTED, NestedTooDeeplyError, decode_json, decode_toml
from pochboard.text.encodings import written_text
from pochboard.text.unicode_names import (
    columns,
    fitted,
    is_name,
    is_unfit,
    shown,
    shown_lines,
    sight,
    tidy,
)

TEXT = 'name = "Zoë"\nplaces = 6\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_make_no_difference(encoding: str, newline: str) -> None:
    assert written_text(TEXT.replace("\n", newline).encode(encoding)) == TEXT


@pytest.mark.parametrize(
    ("content", "at"),
    [
        (TEXT.encode("latin-1"), 10),
        ("places".encode("utf-16-le"), 1),
        ("places".encode("utf-16-be"), 0),
        (b"\xef\xbb\xbfa\xff", 1),
        ("é\0".encode(), 2),
    ],
)
def test_other_encodings_are_refused_with_the_place(content: bytes, at: int) -> None:
    with pytest.raises(UnicodeDecodeError) as refused:
        written_text(content)
    assert refused.value.start == at


# Around our own limit, those of several Pythons, and far beyond all of them.
TOO_DEEP = (MOST_NESTED + 1, 400, 990, 1_500, 5_000, 9_990, 50_000, 300_000)


def arrays(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)


@pytest.mark.parametrize("depth", TOO_DEEP)
def test_deeper_json_is_refused(depth: int) -> None:
    for nested in (arrays(depth), objects(depth), f'{{"a": 1, "b": [2, {arrays(depth - 2)}]}}'):
        with pytest.raises(NestedTooDeeplyError) as raised:
            decode_json(nested)
        assert str(raised.value) == "it is nested too deeply"


class Row(msgspec.Struct):
    number: int


@pytest.mark.parametrize("depth", TOO_DEEP)
def test_a_typed_value_is_whole_or_refused(depth: int) -> None:
    """The depth of what a type leaves out does no harm, so Python's own limit may decide."""
    row: Row | None = None
    with contextlib.suppress(NestedTooDeeplyError):
        row = decode_json(f'{{"number": 1, "more": {arrays(depth)}}}', Row)
    assert row in (None, Row(1))
    assert row or depth > 900


@pytest.mark.parametrize("depth", [depth for depth in TOO_DEEP if depth <= 2_000])
def test_deeper_toml_is_refused(depth: int) -> None:
    keys = ".".join(["a"] * depth)
    inline = "{a = " * depth + "1" + "}" * depth
    for nested in (f"{keys} = 1", f"[{keys}]", f"a = {arrays(depth)}", f"a = {inline}"):
        with pytest.raises(NestedTooDeeplyError) as raised:
            decode_toml(nested)
        assert str(raised.value) == "it is nested too deeply"


# Joiners, selectors, tags, fillers, accents, blanks: what names can go wrong with.
STRANGE = (
    "\u200c\u200d\ufe0f\U000e0100\u180b\U0001f3f4\U000e0067\U000e007f"
    "\u00ad\u0308\u2800\u3164 \xa0aeB"
)
TEXTS = text(characters() | characters(whitelist_categories=(), whitelist_characters=STRANGE))


def flag(region: str) -> str:
    """A black flag with the letters of a region as tags."""
    return "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Soﬁa", "Sofia"), ("Ⅳ", "IV"), ("ﻣﺤﻤﺪ", "محمد"), ("µ", "μ"), ("Jo…", "Jo..."), ("K", "K"),
        ("Anna‐Lena", "Anna-Lena"), ("Anna‑Lena", "Anna-Lena"), ("O’Hara", "O'Hara"),
        ("Oʼ\u2060Hara", "O'Hara"),
        ("Ｂｅｎ", "Ben"), ("𝖡𝖾𝗇", "Ben"), ("𝓑𝓮𝓷", "Ben"), ("ｱﾝﾅ", "アンナ"),
        (flag("xxyy"), "\U0001f3f4"),
    ],
)  # fmt: skip
def test_what_looks_the_same_is_the_same(one: str, other: str) -> None:
    assert sight(one) == sight(other)


@pytest.mark.parametrize(
    "hidden",
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200d\u200f\u202e\u2060\u3164\ufe0f\ufeff\uffa0\ufff5"
    "\U0001bca2\U0001d17a\U000e0001\U000e0041\U000e0100\U000e0fff\x07\x1b\x9b\ufffa\U00013431\U00016fe4\ufffc\U0001107f",
)
def test_what_nobody_sees_does_not_count(hidden: str) -> None:
    assert sight(f"Zo{hidden}e{hidden}\u0308{hidden}") == "Zoë"
    assert sight(hidden) == ""
    assert not is_name(hidden)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "anna"), ("Anna", "Аnna"), ("Anna", "Anńa"), ("Jo Ann", "JoAnn"), ("1", "¹"),
        (flag("gbeng"), flag("gbsct")), (flag("gbwls"), "\U0001f3f4"), ("ſ", "s"),
        ("①", "1"),
        ("\U0001f1e9\U0001f1ea", "\U0001f1ea\U0001f1e9"),
    ],
)  # fmt: skip
def test_what_looks_different_is_different(one: str, other: str) -> None:
    assert sight(one) != sight(other)
    assert is_name(one)
    assert is_name(other)


@given(TEXTS)
def test_tidying_changes_nothing_that_people_see(name: str) -> None:
    kept = tidy(name)
    assert tidy(kept) == kept
    assert sight(kept) == sight(name)
    assert unicodedata.is_normalized("NFC", kept)


@given(TEXTS)
def test_what_fits_is_a_name_or_nothing(name: str) -> None:
    kept = fitted(name)
    assert not kept or is_name(kept)
    assert not is_unfit(kept)
    if is_name(name):
        assert kept == tidy(name)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Zoë 李 ❤\ufe0f", "Zoë 李 ❤\ufe0f"),
        ("\x1b[31m\x07\x9b\x7f", r"\x1b[31m\x07\x9b\x7f"),
        ("a\nb\r\tc\u2028d\x85", r"a\nb\r\tc\u2028d\x85"),
        ("\u202ex\u2066y\u200f\ufeff\u061c", r"\u202ex\u2066y\u200f\ufeff\u061c"),
        ("\u00ad\u3164\U000e0041\udc9b", r"\xad\u3164\U000e0041\udc9b"),
        # The translator keeps names of another direction together like this.
        ("\u2068مریم\u2069: 3", "\u2068مریم\u2069: 3"),
        ("\u2068a\u202eb\u2069\u2069", r"\u2068a\u202eb\u2069\u2069"),
    ],
)
def test_a_line_shows_what_would_steer_a_terminal(text: str, line: str) -> None:
    assert shown(text) == line
    assert shown_lines(f"{text.replace(chr(10), '')}\nx") == shown(text.replace("\n", "")) + "\nx"


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("", 0),
        ("Anna", 4),
        ("A\x1b", 5),
        ("陳", 2),
        ("ｱ", 1),
        ("Ａ", 2),
        ("e\u0301", 1),
        ("अ\u200d", 1),
    ],
)
def test_columns_are_those_of_what_is_shown(text: str, wide: int) -> None:
    assert columns(text) == wide
