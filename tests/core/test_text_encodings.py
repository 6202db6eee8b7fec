"""The text of files that people write: whatever their editor makes of it, the text is read."""

from __future__ import annotations

import pytest

from pochboard.text.encodings import written_text

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
