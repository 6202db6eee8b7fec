"""The description of the API says what is really answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.server.openapi import WAYS
from tests.shell.server_kit import Answer, House, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


def served(home: House) -> set[tuple[str, str]]:
    """Methods and paths of the application's API."""
    rules = home.server.app.url_map.iter_rules()
    return {
        (method.lower(), rule.rule.replace("<", "{").replace(">", "}"))
        for rule in rules
        if rule.rule.startswith(("/api/", "/healthz"))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def named(way: tuple[str, str]) -> tuple[str, str]:
    method, path = way
    if path.startswith("/api/nights/"):
        path = path.replace("{number}", "{night}")
    return method, path


def test_every_path_and_method_is_described_and_no_other(home: House) -> None:
    assert {named(way) for way in served(home)} == {(way.method, way.path) for way in WAYS}


def test_the_description_holds_together(home: House) -> None:
    told = home.get("/api/openapi.json").json
    assert told["openapi"].startswith("3.1")
    schemas = told["components"]["schemas"]

    def references(part: Any) -> Iterator[str]:
        if isinstance(part, dict):
            if "$ref" in part:
                yield part["$ref"]
            for value in part.values():
                yield from references(value)
        elif isinstance(part, list):
            for value in part:
                yield from references(value)

    known = {f"#/components/schemas/{name}" for name in schemas}
    assert set(references(told)) <= known
    commands = told["paths"]["/api/commands"]["post"]["requestBody"]["content"]
    kinds = commands["application/json"]["schema"]["anyOf"]
    assert len(kinds) == 21
    assert "StateAnswer" in schemas
    for methods in told["paths"].values():
        for operation in methods.values():
            assert {"403", "421", "500", "503"} <= set(operation["responses"])


def check(method: str, path: str, answer: Answer) -> None:
    """The answer's status is described, and its body is of the type that is described for it."""
    (way,) = (way for way in WAYS if (way.method, way.path) == (method, path))
    described = {**way.answers, **dict.fromkeys((403, 421, 500, 503), way.answers.get(403))}
    assert answer.status in described, (method, path, answer.status)
    kind = described[answer.status]
    if isinstance(kind, str):
        assert answer.headers["content-type"].startswith(kind)
    elif kind is None:
        assert answer.body == b""
    else:
        body = msgspec.json.decode(answer.body)
        # Strictly both ways: of the type, and nothing in it that the type does not know.
        again = msgspec.json.encode(msgspec.json.decode(answer.body, type=kind))
        assert msgspec.json.decode(again) == body


def test_real_answers_are_as_described(home: House) -> None:
    def get(path: str, described: str | None = None) -> None:
        check("get", described or path, home.get(path))

    def post(path: str, body: object) -> None:
        check("post", path, home.post(path, body))

    for path in ("/api/state", "/api/board", "/api/rulesets", "/api/nights", "/healthz"):
        get(path)
    post("/api/commands", {"do": "start", "ruleset": "banker", "players": ["A", "B", "C"]})
    for do in ("deal", "next", "deal", "dance"):
        post("/api/commands", {"do": do})
        get("/api/state")
    for press in ("seat2", "seat2", "pinke", "ace", "seat9"):
        post("/api/board/press", {"button": press, "ms": 1})
        get("/api/state")
    post("/api/board/edge", {"button": "ace", "down": True})
    post("/api/commands", {"do": "void"})
    post("/api/commands", {"do": "undo"})
    post("/api/commands", {"do": "redo"})
    post("/api/commands", {"do": "end"})
    post("/api/pair", {})
    for path in ("/api/state", "/api/nights", "/api/pairings", "/api/openapi.json"):
        get(path)
    get("/api/nights/1", "/api/nights/{night}")
    get("/api/nights/1/entries", "/api/nights/{night}/entries")
    get("/api/nights/1/sheet", "/api/nights/{night}/sheet")
    for rest in ("", "/entries", "/sheet"):
        get(f"/api/nights/9{rest}", f"/api/nights/{{night}}{rest}")
    check("delete", "/api/pairings/{number}", home.ask("DELETE", "/api/pairings/9"))
    check("delete", "/api/pairings", home.ask("DELETE", "/api/pairings"))
    check("post", "/api/nights", home.post("/api/nights", "{", {"Content-Type": "text/plain"}))


def test_the_referee_answers_as_described(home: House) -> None:
    def ask(argument: str, status: int, **hands: list[str]) -> None:
        path = f"/api/referee/{argument}"
        answer = home.post(path, {"hands": {seat[1:]: cards for seat, cards in hands.items()}})
        assert answer.status == status
        check("post", path, answer)

    home.command(do="start", ruleset="banker", players=["A", "B", "C"])
    ask("sequence", 409, s1=["7H"])
    home.command(do="deal")
    ask("sequence", 200, s1=["7H", "8H", "9H"])
    ask("sequence", 200, s1=["7H"])
    ask("sequence", 400, s1=["7H", "7H"])
    ask("showdown", 409, s1=["7H"])
    home.command(do="next")
    for seat in (2, 3, 1):
        home.command(do="stake", seat=seat, chips=1)
    ask("showdown", 200, s1=["7H", "7D"], s2=["KH", "KD"], s3=["KS", "KC"])
    ask("showdown", 400, s1=[])


def test_house_players_answer_as_described(home: House) -> None:
    def ask(method: str, path: str, status: int, body: object = None, key: str = "") -> Answer:
        sent = "" if body is None and method != "get" else body
        answer = home.ask(method.upper(), path, sent, {"X-Seat-Key": key} if key else None)
        assert answer.status == status, answer
        check(method, re.sub(r"/seats/.*", "/seats/{number}", path), answer)
        return answer

    ask("delete", "/api/demo", 409)
    ask("post", "/api/demo", 400, {"players": 1})
    ask("post", "/api/demo", 201, {"speed": 100})
    ask("post", "/api/demo", 409, {})
    key = ask("post", "/api/demo/seats/2", 201).json["key"]
    ask("post", "/api/demo/seats/2", 409)
    ask("post", "/api/demo/seats/99999999999", 404)
    ask("get", "/api/state", 200)
    ask("get", "/api/demo/hand", 200, key=key)
    ask("get", "/api/demo/hand", 409)
    ask("post", "/api/demo/cards", 400, {"card": "joker"}, key)
    ask("post", "/api/demo/cards", 409, {"card": "7H"}, key)
    ask("post", "/api/demo/speed", 400, {"speed": 0})
    ask("post", "/api/demo/speed", 204, {"speed": 2})
    ask("delete", "/api/demo/seats/2", 204)
    ask("delete", "/api/demo/seats/two", 404)
    ask("delete", "/api/demo", 204)
