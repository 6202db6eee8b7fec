"""Each request gets its language: by its query, else its cookie, else Accept-Language."""

from __future__ import annotations

import pytest

from tests.shell.server_kit import House

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.mark.parametrize(
    ("headers", "phase"),
    [
        ({}, "No night yet"),
        ({"Accept-Language": "*"}, "No night yet"),
        ({"Accept-Language": "fr, es;q=0.4"}, "No night yet"),
        ({"Accept-Language": "en-US,en;q=0.9,de;q=0.8"}, "No night yet"),
        ({"Accept-Language": "fr, de;q=0.4, en;q=0.3"}, "Noch kein Spielabend"),
        (GERMAN, "Noch kein Spielabend"),
        ({**GERMAN, "Cookie": "language=en"}, "No night yet"),
        ({**GERMAN, "Cookie": "language=xx"}, "Noch kein Spielabend"),
        ({"Cookie": "other=1; language=de"}, "Noch kein Spielabend"),
    ],
)
def test_the_language_of_a_state(house: House, headers: dict[str, str], phase: str) -> None:
    answer = house.get("/api/state", headers)
    assert answer.json["phase_name"] == phase
    vary = answer.headers["vary"]
    assert "Accept-Language" in vary
    assert "Cookie" in vary


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


def test_two_languages_of_a_revision_have_different_tags(house: House) -> None:
    english, german = house.get("/api/state"), house.get("/api/state", GERMAN)
    assert english.json["revision"] == german.json["revision"]
    assert english.headers["etag"] != german.headers["etag"]
    again = house.get("/api/state", {**GERMAN, "If-None-Match": german.headers["etag"]})
    assert again.status == 304
    other = house.get("/api/state", {"If-None-Match": german.headers["etag"]})
    assert other.status == 200


def test_everything_about_a_night_is_said_in_german(house: House) -> None:
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    state = house.get("/api/state", GERMAN).json
    assert state["phase_name"] == "Melden"
    assert state["headline"] == ["Spielabend 1", "modern", "Runde 1"]
    assert state["guidance"]["title"] == "Zeigt eure Karten"
    assert state["actions"]["void"]["label"] == "Vergeben"
    assert [pool["name"] for pool in state["pool_details"]][:2] == ["Ass", "König"]
    assert state["last_sentence"] == "Runde 1: Anna gibt, und alle setzen je 9 Chips."
    night = house.get("/api/nights/1", GERMAN).json
    assert night["result"] == "Noch nicht zu Ende"
    entries = house.get("/api/nights/1/entries", GERMAN).json
    assert entries[0]["sentence"].startswith("Ein Spielabend beginnt: modern.")
    assert house.get("/api/nights", GERMAN).json[0]["summary"].startswith("Spielabend 1, modern:")
    rulesets = house.get("/api/rulesets", GERMAN).json
    labels = {field["name"]: field["label"] for field in rulesets["form"]}
    assert labels["direction"] == "Spielrichtung"


def test_the_ledger_keeps_no_language(house: House) -> None:
    start = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
    assert house.post("/api/commands", start, GERMAN).status == 200
    assert house.get("/api/state").json["last_sentence"].startswith("A night begins: modern.")


def test_refused_presses_are_said_in_german(house: House) -> None:
    house.start_night()
    nothing = "Der Knopf „Ass“ bewirkt gerade nichts."
    edge = {"button": "ace", "down": True, "client": "a phone"}
    down = house.post("/api/board/edge", edge, GERMAN)
    assert [refused["message"] for refused in down.json["refused"]] == [nothing]
    house.post("/api/board/edge", {**edge, "down": False}, GERMAN)
    press = house.post("/api/board/press", {"button": "ace", "ms": 20}, GERMAN)
    assert [refused["message"] for refused in press.json["refused"]] == [nothing]


def test_refusals_are_said_in_german(house: House) -> None:
    refused = house.post("/api/commands", {"do": "claim", "seat": 1, "pool": "ace"}, GERMAN)
    assert refused.status == 409
    assert refused.json["message"] == "Es gibt noch keinen Spielabend. Beginnt einen."
    assert house.get("/api/nights/9", GERMAN).json["message"] == (
        "Spielabend 9 gibt es nicht; es gibt noch keinen."
    )
    missing = house.get("/nothing", {**GERMAN, "Accept": "text/html"})
    text = missing.body.decode()
    assert "<html lang=de>" in text
    assert "<h1>Nicht gefunden</h1>" in text
    assert "Unter dieser Adresse gibt es nichts." in text
    # Refused before Flask sees it.
    foreign = house.post("/api/commands", {}, {**GERMAN, "Origin": "http://elsewhere.example"})
    assert foreign.json["message"] == (
        f"Die Seite liegt auf elsewhere.example, ihre Anfrage ist aber für 127.0.0.1:{house.port}. "
        "Ein Proxy dazwischen muss Host weitergeben, oder trag „elsewhere.example“ in config.toml "
        "unter names ein."
    )


def test_a_stream_speaks_its_own_language(house: House) -> None:
    with house.stream(headers=GERMAN) as german, house.stream() as english:
        assert german.next("state").data["phase_name"] == "Noch kein Spielabend"
        assert english.next("state").data["phase_name"] == "No night yet"
        house.post("/api/board/press", {"button": "ace"})
        assert german.next("refused").data["message"].startswith("Der Knopf „Ass“ bewirkt")
        assert english.next("refused").data["message"].startswith("The Ace button does nothing")


def test_the_referee_answers_in_german(house: House) -> None:
    house.start_night("Anna", "Ben", "Clara")
    house.command(do="deal")
    hands = {"1": ["7H", "8H", "9H"]}
    body = {"hands": hands, "trump": "H"}
    answer = house.post("/api/referee/sequence", body, GERMAN).json
    assert answer["why"] == "Anna hat Herz 7 8 9 (Trumpf)."
    assert answer["book_label"] == "Eintragen: Anna kassiert sie"
    answer = house.post("/api/referee/sequence", {**body, "names": "german"}, GERMAN).json
    assert answer["why"] == "Anna hat Rot 7 8 9 (Trumpf)."


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
