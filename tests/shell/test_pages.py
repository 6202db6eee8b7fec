"""Pages and their files: the rules to read, the languages, and where their words come from."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Catalog

from pochboard.messages.labels import ruleset_name
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.server.web_files import modules_of, texts_in
from pochboard.text.translator import ENGLISH, languages, translator
from tests.catalogues import PACKAGE, extracted, faults, page_files, read_files
from tests.shell.server_kit import House

WEB: Final = Path(__file__).resolve().parents[2] / "web"
MODULES: Final = {path.name: path.read_text("utf-8") for path in (WEB / "static").glob("*.js")}
TEMPLATES: Final = "".join(
    path.read_text("utf-8") for path in sorted((WEB / "templates").glob("*.html"))
)


def test_every_text_of_the_page_is_a_literal() -> None:
    """Otherwise no catalogue has it."""
    for path in page_files():
        code = path.read_text("utf-8")
        calls = re.findall(r"(?<![.\w])[np]?text\((?!english|one)", code)
        chosen = re.findall(r"\btext\(\s*[^\"`()]*\? ", code)
        assert len(list(texts_in(code))) == len(calls) + len(chosen), path


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_knows_the_pools(name: str) -> None:
    code = re.sub(r"^ *//.*$|/\*.*?\*/", "", MODULES[name], flags=re.DOTALL | re.MULTILINE)
    assert [pool for pool in POOLS if re.search(rf"""["']{pool}["']""", code)] == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_module_knows_a_rule(name: str) -> None:
    rules = (
        r"ante|bet_pool|bluff|all_in|raises|run_bonus|leftover|high_card|shedding|prove_set"
        r"|trump-789|best-run|longest-run|palette"
    )
    assert re.findall(rf"\b(?:{rules})\b", MODULES[name]) == []


def test_no_address_begins_at_the_root_of_the_host() -> None:
    # A proxy may serve the pages below a path: templates link by `root`, modules by `at`.
    assert re.findall(r'\b(?:href|src|action)="/', TEMPLATES) == []
    rooted = re.compile(r'(?:href="?|src="?|\bimport\(|\bfetch\(|Source\(|Worker\()["`]?/')
    assert {name: found for name, code in MODULES.items() if (found := rooted.findall(code))} == {}


def test_a_page_asks_at_once_for_all_that_its_modules_import() -> None:
    for page in ("main.js", "tv.js", "replay.js", "nights.js", "statistics.js", "build.js"):
        found = modules_of(page)
        imported = {one for name in found for one in re.findall(r'from "\./(.*)"', _code(name))}
        assert set(found) == {page, *imported}
        # What is asked for later might be of another version by then.
        assert not [name for name in found if re.search(r"\bimport\(", _code(name))]


def _code(name: str) -> str:
    """A module without the comments that stand in lines of their own."""
    written = (WEB / "static" / name).read_text("utf-8")
    return re.sub(r"^ *(?://|/?\*).*$", "", written, flags=re.MULTILINE)


def words(house: House, path: str, language: str = "en") -> str:
    answer = house.get(path, {"Accept-Language": language})
    assert answer.status == 200
    _, _, body = answer.body.decode().partition("<main")
    return " ".join(unescape(re.sub("<[^>]*>", " ", body)).split())


def test_every_ruleset_has_a_page_in_both_languages(house: House) -> None:
    listed = house.get("/rules").body.decode()
    for name in shipped_rulesets():
        assert f'href="./rules/{name}"' in listed
        english, german = (ruleset_name(name, translator(one)) for one in ("en", "de"))
        assert f"Rules: {english}" in words(house, f"/rules/{name}")
        assert f"Regeln: {german}" in words(house, f"/rules/{name}", "de")
    assert "there are no trumps here" in words(house, "/rules/alvensleben-1853").lower()
    assert "von zwei gleichen Paaren" in words(house, "/rules/modern", "de").replace("Von", "von")
    philos = words(house, "/rules/philos")
    assert "What differs from “modern” Rule Here modern Penalty for a bluff" in philos
    assert "What differs" not in words(house, "/rules/modern")
    assert house.get("/rules/nothing").status == 404


def test_a_night_has_the_rules_that_it_began_with(house: House) -> None:
    start = {"do": "start", "ruleset": "modern", "players": ["A", "B", "C"]}
    options = {"ante": 2, "bluff_penalty": 3}
    assert house.post("/api/commands", {**start, "options": options}).status == 200
    assert 'href="./nights/1/rules"' in house.get("/rules").body.decode()
    text = words(house, "/nights/1/rules")
    assert "The rules of night 1" in text
    assert "Chips into each pool 2 1 Penalty for a bluff, times the stake 3 0" in text
    assert "pays their stake 3 more times." in text
    assert house.get("/nights/2/rules").status == 404
    # Those of earlier nights can still be read.
    house.command(do="end")
    house.start_night("A", "B", "C")
    assert "Each player puts 2 chips" in words(house, "/nights/1/rules")
    assert "Each player puts 1 chip" in words(house, "/nights/2/rules")
    assert "What differs" not in words(house, "/nights/2/rules")


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
    assert missing == "Spielabend 9 gibt es nicht."


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


FILES = read_files(PACKAGE / "locale")


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return extracted()


def test_every_message_has_an_up_to_date_translation(messages: Catalog) -> None:
    assert not list(faults(FILES, messages))


def test_the_languages_are_english_and_the_catalogues() -> None:
    assert languages() == ("en", "de")
    assert translator("en") is ENGLISH
    german = translator("de")
    assert german.language == "de"
    assert german.forms("{count} card", "{count} cards") == {
        "one": "{count} Karte",
        "other": "{count} Karten",
    }
