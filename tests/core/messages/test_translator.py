"""How placeholders are filled."""

from __future__ import annotations

from pochboard.messages.translator import ENGLISH, isolated


def test_a_name_from_right_to_left_changes_no_order_of_words() -> None:
    # Else the number would stand before the name, and the two names would change places.
    name = "\N{FIRST STRONG ISOLATE}שרה\N{POP DIRECTIONAL ISOLATE}"
    assert ENGLISH.gettext("{name}: {chips}", name="שרה", chips="+3") == f"{name}: +3"
    assert ENGLISH.listed(["שרה", "Ben", "שרה"]) == f"{name}, Ben and {name}"
    assert ENGLISH.gettext("Undone: {sentence}", sentence=f"{name} passes.").count(name) == 1
    assert isolated("Jörg") == "Jörg"
