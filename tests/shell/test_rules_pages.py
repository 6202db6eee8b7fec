"""The pages of the rules: how Poch is played, each ruleset, and the rules of a night."""

from __future__ import annotations

import re
from html import unescape

from pochboard.messages.labels import ruleset_name
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.text.translator import translator
from tests.shell.server_kit import House


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
