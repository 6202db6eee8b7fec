"""The pixels of the display: letters, numbers, QR codes, and what fits."""

from __future__ import annotations

import re

import pytest
import segno

from pochboard.screen import (
    BLANK,
    HEIGHT,
    SIZE,
    WIDTH,
    Canvas,
    Figure,
    Screen,
    _fitted,
    draw,
    font,
)
from pochboard.table.journal import _SHORT
from pochboard.text.lazy import lazy_gettext
from pochboard.text.translator import languages, translator
from tests.core.messages.test_refusals import decided
from tests.core.messages.test_sentences import SAID
from tests.not_empty import not_empty


def is_lit(bitmap: bytes, x: int, y: int) -> bool:
    return bool(bitmap[y // 8 * WIDTH + x] >> y % 8 & 1)


def is_whole(text: str) -> bool:
    return _fitted(text, HEIGHT)[2]


def rows(bitmap: bytes, left: int, top: int, width: int, height: int) -> list[str]:
    return [
        "".join("#" if is_lit(bitmap, x, y) else "." for x in range(left, left + width))
        for y in range(top, top + height)
    ]


def test_letters_are_those_of_the_font() -> None:
    canvas = Canvas()
    assert canvas.bitmap() == BLANK
    canvas.text("Üb", 0, 10, font("R08"))
    assert font("R08").width("Üb") == 11
    assert rows(canvas.bitmap(), 0, 1, 11, 10) == [
        "...........",
        "..#.#......",
        ".......#...",
        ".#...#.#...",
        ".#...#.###.",
        ".#...#.#..#",
        ".#...#.#..#",
        ".#...#.#..#",
        "..###..###.",
        "...........",
    ]
    # Nothing is drawn outside the display, and unknown letters lose their accent or become "?".
    canvas.text("WWW", 120, 70, font("B24"))
    assert len(canvas.bitmap()) == SIZE
    small = font("R08")
    assert small.glyph("ắ") == small.glyph("a")
    assert small.glyph("漢") == small.glyph("?")
    # An emoji of several characters, here with a skin tone and a selector, is one unknown letter.
    for emoji in ("🌸", "👍🏽", "❤\ufe0f"):
        assert small.width(f"Mia {emoji}") == small.width("Mia ?")


def test_code_can_be_scanned() -> None:
    for text in ("http://192.168.178.20:8441", "WIFI:T:WPA;S:pochboard;P:pinke-1441-sechs;;"):
        made = segno.make(text, micro=False, error="l", boost_error=False)
        code = [list(row) for row in made.matrix]
        bitmap = draw(Screen("The page", lines=("192.168.178.20", ":8441"), qr=text))
        scale, size = 2, len(code)
        start = (HEIGHT - scale * size) // 2
        assert start >= scale, "there is a light rim round it"
        for y in range(HEIGHT):
            for x in range(HEIGHT):
                column, row = (x - start) // scale, (y - start) // scale
                inside = 0 <= column < size and 0 <= row < size
                assert is_lit(bitmap, x, y) != (inside and bool(code[row][column]))


@pytest.mark.parametrize("length", [1, 20, 40, 60, 90, 120, 200, 300])
def test_a_code_of_any_size_is_whole_and_as_large_as_it_can_be(length: int) -> None:
    text = "x" * length
    size = len(list(segno.make(text, micro=False, error="l", boost_error=False).matrix))
    bitmap = draw(Screen("", lines=("x",), qr=text))
    square = [(x, y) for y in range(HEIGHT) for x in range(HEIGHT)]
    dark = [at for at in square if not is_lit(bitmap, *at)]
    left, right = min(x for x, _ in dark), max(x for x, _ in dark)
    assert (left, right) == (min(y for _, y in dark), max(y for _, y in dark))
    scale, rest = divmod(right - left + 1, size)
    assert (rest, left >= 1, right <= HEIGHT - 2) == (0, True, True), "a light rim round it"
    assert (scale + 1) * (size + 2) > HEIGHT


def test_numbers_of_any_size_stay_in_their_columns() -> None:
    for value in ("7", "48", "1024", "123456789"):
        figures = tuple(Figure("To stay in", value) for _ in range(3))
        bitmap = draw(Screen("Franziska-Henriette’s turn", figures))
        for border in (42, 84):
            assert not any(is_lit(bitmap, border, y) for y in range(18, HEIGHT))
        cells = tuple(Figure("10", value[:4]) for _ in range(9))
        assert draw(Screen("Anna", cells=cells)) != BLANK


def test_a_sentence_begins_right_below_the_title() -> None:
    large = font("B12")
    for title, top in (("Title", 18), ("", 0)):
        canvas = Canvas()
        canvas.text("Next", 1, top + large.ascent, large)
        whole = rows(canvas.bitmap(), 0, 17, WIDTH, 47)
        assert rows(draw(Screen(title, lines=("Next",))), 0, 17, WIDTH, 47) == whole


def test_alarm_that_needs_the_place_of_its_title_is_dark_on_light_everywhere() -> None:
    lines = ("Every king is blocked because the turned card is one. " * 3,)
    plain, alarm = (draw(Screen("Not", lines=lines, alarm=is_alarm)) for is_alarm in (False, True))
    assert plain == draw(Screen("", lines=lines)), "the title has given way"
    inverted = str.maketrans("#.", ".#")
    assert rows(alarm, 0, 0, WIDTH, HEIGHT) == [
        row.translate(inverted) for row in rows(plain, 0, 0, WIDTH, HEIGHT)
    ]


@pytest.mark.parametrize("language", languages())
def test_every_refusal_at_the_board_fits(language: str) -> None:
    t = translator(language)

    def filled(place: re.Match[str]) -> str:
        numbers = ("count", "need", "stack", "seconds", "most", "place", "seat")
        return "12" if place[1] in numbers else "Franziska"

    for code, sentence in decided():
        if code in ("bad-argument", "unknown-command"):
            continue  # the form of a command that only a program sends
        forms = [sentence] if isinstance(sentence, str) else t.forms(*sentence).values()
        for form in not_empty(forms):
            text = re.sub(r"\{(\w+)\}", filled, t.gettext(form))
            assert is_whole(text), text
    for short in _SHORT.values():
        assert is_whole(short.in_language(t)), short
    for reason in SAID[:6]:
        text = lazy_gettext("{reason} Nothing was recorded.", reason=reason).in_language(t)
        assert is_whole(text), text
    assert not is_whole("Too quick: wait a second, then press next again." * 9)


def test_a_sentence_that_is_too_long_ends_with_an_ellipsis() -> None:
    small, wide = font("R08"), WIDTH - 2
    whole, cut = (
        max((f"{'x' * count}{end}" for count in range(wide)), key=lambda line: fits(line, wide))
        for end in ("", "…")
    )
    canvas = Canvas()
    lines = HEIGHT // small.height
    for number, line in enumerate([whole] * (lines - 1) + [cut]):
        canvas.text(line, 1, small.ascent + number * small.height, small)
    assert draw(Screen("", lines=("x" * 1_000,))) == canvas.bitmap()


def fits(line: str, wide: int) -> int:
    """The width of a line in small letters; 0 if it is too wide."""
    width = font("R08").width(line)
    return width if width <= wide else 0
