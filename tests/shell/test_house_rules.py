"""House rulesets are saved, replaced and deleted by paired clients, without a restart."""

from __future__ import annotations

import errno
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pochboard.errors import Refusal
from pochboard.rulesets import load_catalog
from pochboard.rulesets.house_rules import HouseRules
from tests.shell.server_kit import House

ELSEWHERE = {"X-Forwarded-For": "192.168.1.20"}


def files(folder: Path) -> dict[str, dict[str, Any]]:
    return {
        file.name: tomllib.loads(file.read_text("utf-8"))
        for file in sorted((folder / "rulesets").iterdir())
    }


def test_a_ruleset_is_saved_and_played_at_once(house: House, tmp_path: Path) -> None:
    body = {
        "name": " Bei Oma ",
        "base": "modern",
        "options": {"ante": 2, "source": 'wie "bei\\ Oma"', "deals": "round"},
    }
    answer = house.post("/api/rulesets", body)
    assert answer.status == 201
    (saved,) = [ruleset for ruleset in answer.json["rulesets"] if not ruleset["shipped"]]
    assert (saved["name"], saved["preset"], saved["parameters"]["ante"]) == ("Bei Oma", "modern", 2)
    assert files(tmp_path / "settings") == {
        "bei-oma.toml": {
            "name": "Bei Oma",
            "base": "modern",
            "source": 'wie "bei\\ Oma"',
            "ante": 2,
            "deals": "round",
        }
    }
    assert (tmp_path / "settings/rulesets/bei-oma.toml").stat().st_mode & 0o777 == 0o644
    start = {"do": "start", "ruleset": "Bei Oma", "players": ["A", "B", "C"]}
    assert house.post("/api/commands", start).status == 200
    page = house.get("/rules/Bei%20Oma").body.decode()
    assert "What differs from “modern”" in page
    assert house.post("/api/rulesets", body, ELSEWHERE).status == 401
    assert house.ask("DELETE", "/api/rulesets/Bei%20Oma", None, ELSEWHERE).status == 401
    # The night keeps its rules when the ruleset has gone.
    assert house.ask("DELETE", "/api/rulesets/Bei%20Oma").status == 200
    assert files(tmp_path / "settings") == {}
    assert house.command(do="deal").status == 200
    assert "Each player puts 2 chips" in house.get("/nights/1/rules").body.decode()


def test_there_are_only_so_many_rulesets_of_the_house(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.rulesets.house_rules.MOST_RULESETS", 2)
    monkeypatch.setattr("pochboard.rulesets.MOST_RULESETS", 2)
    for name in ("one", "two"):
        body: dict[str, Any] = {"name": name, "base": "modern", "options": {}}
        assert house.post("/api/rulesets", body).status == 201
    third = house.post("/api/rulesets", {"name": "three", "base": "modern", "options": {}})
    assert (third.status, third.code) == (400, "bad-ruleset")
    (tmp_path / "settings/rulesets/three.toml").write_text('name = "three"\nbase = "modern"\n')
    loaded = load_catalog(tmp_path / "settings")
    assert len(loaded.files) == 2
    assert "more than 2 rulesets" in str(loaded.problems[0].reason)


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    rules = HouseRules(load_catalog(tmp_path))
    assert not isinstance(rules.save("Sunday", "modern", {"ante": 2}), Refusal)
    again = rules.save("sunday", "banker", {})
    assert isinstance(again, Refusal)
    assert again.sentence == "There is a ruleset Sunday already."
    assert rules.catalog.rulesets["Sunday"].ante == 2
    # Its own parameters are a base, too.
    assert not isinstance(rules.save("Sunday", "Sunday", {"stack": 60}, replace=True), Refusal)
    assert files(tmp_path) == {
        "sunday.toml": {
            "name": "Sunday",
            "base": "modern",
            "source": "the rules of this house",
            "ante": 2,
            "stack": 60,
        }
    }
    # A file that was written by hand meanwhile, or that cannot be used, stays as it is.
    (tmp_path / "rulesets" / "monday.toml").write_text("not TOML", "utf-8")
    assert not isinstance(rules.save("Monday", "modern", {}), Refusal)
    assert (tmp_path / "rulesets" / "monday.toml").read_text("utf-8") == "not TOML"
    assert (tmp_path / "rulesets" / "monday-2.toml").exists()
    shipped = rules.save("Modern", "banker", {}, replace=True)
    assert isinstance(shipped, Refusal)
    assert shipped.sentence == "modern comes with pochboard. Choose another name."


@pytest.mark.parametrize(
    "name", ["", "  ", "a/b", "../x", ".x", "x" * 41, "a\nb", "<b>", "\u202ex"]
)
def test_names_that_are_refused(tmp_path: Path, name: str) -> None:
    refusal = HouseRules(load_catalog(tmp_path)).save(name, "modern", {})
    assert isinstance(refusal, Refusal)
    assert refusal.code == "bad-ruleset"
    assert refusal.sentence.startswith("A ruleset’s name begins with a letter or digit.")
    assert not (tmp_path / "rulesets").exists()


@pytest.mark.parametrize(
    ("base", "options", "said"),
    [
        ("none", {}, "There is no ruleset “none”."),
        ("modern", {"ante": 0}, '"ante" must be a whole number from 1 to 100, not 0.'),
        ("modern", {"source": "x\x7f"}, "The text about the source has at most 200 characters"),
    ],
)
def test_rules_that_are_refused(
    tmp_path: Path, base: str, options: dict[str, Any], said: str
) -> None:
    refusal = HouseRules(load_catalog(tmp_path)).save("x", base, options)
    assert isinstance(refusal, Refusal)
    assert refusal.sentence.startswith(said)


def test_a_base_is_not_deleted(house: House, tmp_path: Path) -> None:
    assert house.post("/api/rulesets", {"name": "a", "base": "family"}).status == 201
    (tmp_path / "settings/rulesets/b.toml").write_text('name = "b"\nbase = "a"\n', "utf-8")
    answer = house.ask("DELETE", "/api/rulesets/a")
    assert (answer.status, answer.code) == (409, "ruleset-in-use")
    assert house.ask("DELETE", "/api/rulesets/b").status == 200
    assert house.ask("DELETE", "/api/rulesets/a").status == 200
    assert house.ask("DELETE", "/api/rulesets/a").status == 400
    assert house.ask("DELETE", "/api/rulesets/modern").code == "ruleset-shipped"


def test_a_disk_that_refuses_is_reported(house: House, tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir(exist_ok=True)
    (tmp_path / "settings" / "rulesets").write_text("", "utf-8")
    answer = house.post("/api/rulesets", {"name": "a", "base": "modern"})
    assert (answer.status, answer.code) == (503, "ruleset-not-saved")
    assert "could not be saved" in answer.json["message"]


def test_a_full_disk_is_said_in_plain_words(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert house.post("/api/rulesets", {"name": "a", "base": "modern"}).status == 201
    monkeypatch.setattr("pochboard.rulesets.house_rules.os.fsync", fail)
    body = {"name": "a", "base": "family", "replace": True}
    answer = house.post("/api/rulesets", body, {"Accept-Language": "de"})
    assert (answer.status, answer.code) == (503, "ruleset-not-saved")
    sentence = "Für das Regelwerk ist kein Platz: Der Datenträger ist voll. Mach Platz und versuch"
    sentence += " es noch einmal."
    assert answer.json["message"] == sentence
    monkeypatch.undo()
    assert house.post("/api/rulesets", body).status == 201
