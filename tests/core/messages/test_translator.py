"""How placeholders are filled."""

from __future__ import annotations

from pochboard.text.translator import ENGLISH, isolated, translator


def test_a_name_from_right_to_left_changes_no_order_of_words() -> None:
    # Else the number would stand before the name, and the two names would change places.
    name = "\N{FIRST STRONG ISOLATE}שרה\N{POP DIRECTIONAL ISOLATE}"
    assert ENGLISH.gettext("{name}: {chips}", name="שרה", chips="+3") == f"{name}: +3"
    assert ENGLISH.listed(["שרה", "Ben", "שרה"]) == f"{name}, Ben and {name}"
    assert ENGLISH.gettext("Undone: {sentence}", sentence=f"{name} passes.").count(name) == 1
    assert isolated("Jörg") == "Jörg"


def test_numbers_have_the_marks_of_the_language() -> None:
    assert ENGLISH.number(1234567, ",") == "1,234,567"
    german = translator("de")
    assert german.number(1234.5, "+,.2f") == "+1.234,50"
    assert ENGLISH.number(-3.25, "+.1f") == "−3.2"
    assert german.gettext("{count:,} × {time:.2f}", count=4000, time=0.5) == "4.000 × 0,50"
