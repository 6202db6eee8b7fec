"""Each request gets its language: by its query, else its cookie, else Accept-Language."""

from __future__ import annotations

import pytest

from tests.shell.server_kit import House

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.mark.parametrize(
    ("query", "phase"),
    [
        ("lang=en", "No night yet"),
        ("frames=1&lang=en", "No night yet"),
        ("lang=en&lang=de", "No night yet"),
        ("lang=xx", "Noch kein Spielabend"),
        ("lang=", "Noch kein Spielabend"),
        ("lang=%ff%00", "Noch kein Spielabend"),
        ("lang", "Noch kein Spielabend"),
        ("slang=en", "Noch kein Spielabend"),
    ],
)
def test_a_page_names_its_own_language_whatever_another_window_has_chosen(
    house: House, query: str, phase: str
) -> None:
    german = {"Cookie": "language=de"}
    state = house.get(f"/api/state?{query}", german)
    assert state.json["phase_name"] == phase
    assert "Set-Cookie" not in state.headers
    with house.stream(f"/api/events?{query}", headers=german) as stream:
        assert stream.next("state").data["phase_name"] == phase


def test_a_refusal_before_flask_is_in_the_language_of_the_query(house: House) -> None:
    foreign = {"Origin": "http://elsewhere.example", "Cookie": "language=en"}
    refused = house.post("/api/commands?lang=de", {}, foreign)
    assert refused.json["message"].startswith("Die Seite liegt auf elsewhere.example")
    missing = house.get("/api/nights/9?lang=de").json["message"]
    assert missing == "Spielabend 9 gibt es nicht; es gibt noch keinen."


def test_a_stream_speaks_its_own_language(house: House) -> None:
    with house.stream(headers=GERMAN) as german, house.stream() as english:
        assert german.next("state").data["phase_name"] == "Noch kein Spielabend"
        assert english.next("state").data["phase_name"] == "No night yet"
        house.post("/api/board/press", {"button": "ace"})
        assert german.next("refused").data["message"].startswith("Der Knopf „Ass“ bewirkt")
        assert english.next("refused").data["message"].startswith("The Ace button does nothing")


def test_pages_have_the_language_and_a_switch(house: House) -> None:
    english = house.get("/").body.decode()
    assert '<html lang="en">' in english
    assert '<a href="?lang=de" hreflang="de" lang="de">Deutsch</a>' in english
    german = house.get("/", GERMAN).body.decode()
    assert '<html lang="de">' in german
    assert "<title>Pochbrett</title>" in german
    assert '<a href="?lang=en" hreflang="en" lang="en">English</a>' in german


def test_the_switch_is_remembered(house: House) -> None:
    chosen = house.get("/nights?lang=de")
    assert chosen.status == 303
    assert chosen.headers["location"] == "./nights"
    cookie = chosen.headers["set-cookie"]
    assert cookie.startswith("language=de; ")
    assert "Max-Age=31536000" in cookie
    assert "SameSite=Lax" in cookie
    page = house.get("/nights", {"Cookie": "language=de"}).body.decode()
    assert "<title>Spielabende – Pochbrett</title>" in page
    assert house.get("/nights?lang=xx").status == 200
