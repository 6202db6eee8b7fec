"""What the command line prints about nights."""

from __future__ import annotations

from pochboard.messages.terminal import (
    in_progress,
    night_title,
    nights_columns,
    nights_won_columns,
    no_night,
    standings_columns,
)
from pochboard.text.catalogues import translator
from pochboard.text.translator import ENGLISH

GERMAN = translator("de")


def test_the_list_of_nights() -> None:
    assert nights_columns(ENGLISH) == ("night", "date", "ruleset", "deals", "result")
    assert nights_columns(GERMAN) == ("Abend", "Datum", "Regelwerk", "Runden", "Ergebnis")
    assert nights_won_columns(ENGLISH) == ("nights", "won", "net")
    assert nights_won_columns(GERMAN) == ("Abende", "Siege", "Bilanz")
    assert in_progress(ENGLISH) == "in progress"
    assert in_progress(GERMAN) == "läuft noch"
    assert no_night(ENGLISH) == (
        "No night has been played yet. Start the table with: pochboard run"
    )
    assert no_night(GERMAN) == (
        "Es gab noch keinen Spielabend. Starte den Tisch mit: pochboard run"
    )


def test_a_night() -> None:
    title = night_title(3, "2026-11-22", "modern", ENGLISH, closed=True)
    assert title == "Night 3, 2026-11-22: modern"
    title = night_title(3, "2026-11-22", "modern", ENGLISH, closed=False)
    assert title == "Night 3, 2026-11-22: modern, in progress"
    title = night_title(3, "2026-11-22", "modern", GERMAN, closed=False)
    assert title == "Spielabend 3, 2026-11-22: modern, läuft noch"
    assert standings_columns(ENGLISH) == ("chips", "net")
    assert standings_columns(GERMAN) == ("Chips", "Bilanz")
