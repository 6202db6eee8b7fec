"""Every declared route, tested from its declaration; and the document made from all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pochboard.rules.commands import COMMANDS
from pochboard.server.events import EVENTS_ROUTE
from pochboard.server.routes import API
from pochboard.server.routing import Route, Upload, flask_rule
from tests.not_empty import not_empty
from tests.shell.server_kit import Answer, House
from tests.shell.test_server_pairing import PROXIED

PAIRED = [route for route in API if route.paired]
OPEN = [route for route in API if not route.paired]
WITH_BODY = [route for route in API if route.body is not None]
BODILESS = [route for route in API if route.body is None and route.method != "GET"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def send(
    house: House,
    route: Route,
    body: str | bytes | None = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """A request of this route; a night, seat or pairing has the number 1."""
    return house.ask(route.method, re.sub(r"{\w+}", "1", route.path), body, headers)


def media_type(route: Route) -> dict[str, str]:
    upload = isinstance(route.body, Upload)
    return {"Content-Type": route.body.media_types[0] if upload else "application/json"}


def test_routes_for_paired_clients_refuse_others_whatever_they_send(house: House) -> None:
    for route in PAIRED:
        answer = send(house, route, "nonsense", {**PROXIED, **FORM})
        assert (answer.status, answer.code) == (401, "not-paired"), route


def test_routes_for_anyone_need_no_pairing(house: House) -> None:
    with house.stream(headers=PROXIED) as stream:
        assert stream.status == 200
    for route in OPEN:
        if route is not EVENTS_ROUTE:
            assert send(house, route, headers=PROXIED).status != 401, route


def test_a_body_of_another_type_is_415(house: House) -> None:
    for route in WITH_BODY:
        assert send(house, route, "x=1", FORM).status == 415, route
        if route.needs_body:
            assert send(house, route).status == 415, route


def test_a_body_that_makes_no_sense_is_400(house: House) -> None:
    for route in WITH_BODY:
        assert send(house, route, "{", media_type(route)).status == 400, route


def test_a_body_over_the_limit_is_413(house: House) -> None:
    for route in WITH_BODY:
        limit = route.body.limit if isinstance(route.body, Upload) else 16 * 1024
        assert send(house, route, b" " * limit, media_type(route)).status == 400, route
        answer = send(house, route, b" " * (limit + 1), media_type(route))
        assert (answer.status, answer.code) == (413, "too-large"), route
    for route in API:
        if route.body is not None or route.handler is None:  # answered without the body
            continue
        answer = send(house, route, b" " * (16 * 1024 + 1), media_type(route))
        assert (answer.status, answer.code) == (413, "too-large"), route


def test_a_form_is_refused_where_no_body_is_expected(house: House) -> None:
    for route in BODILESS:
        answer = send(house, route, "x=1", FORM)
        assert (answer.status, answer.code) == (415, "not-json"), route


def test_every_route_refuses_foreign_hosts_and_origins(house: House) -> None:
    for route in API:
        answer = send(house, route, headers={"Host": "evil.example"})
        assert (answer.status, answer.code) == (421, "wrong-host"), route
        for foreign in (
            {"Origin": "http://evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
        ):
            if "Origin" not in foreign and not route.path.startswith("/api/"):
                continue  # a link to a page
            answer = send(house, route, headers=foreign)
            assert (answer.status, answer.code) == (403, "wrong-origin"), route


def test_every_route_refuses_while_the_daemon_stops(house: House) -> None:
    house.server.events.end()
    house.server.context.stopping.set()
    for route in API:
        answer = send(house, route, "{}", media_type(route))
        assert (answer.status, answer.code) == (503, "stopping"), route


def test_flask_serves_the_declared_routes_and_no_other(house: House) -> None:
    served = {
        (method, rule.rule)
        for rule in house.server.app.url_map.iter_rules()
        if rule.rule.startswith(("/api/", "/healthz"))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert served == {(route.method, flask_rule(route.path)) for route in API}
    assert len(API) == len(served)


def test_the_description_holds_together(house: House) -> None:
    document = house.get("/api/openapi.json").json
    assert document["openapi"].startswith("3.1")
    schemas = document["components"]["schemas"]

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
    assert set(references(document)) <= known
    described = {(m.upper(), path) for path, methods in document["paths"].items() for m in methods}
    assert described == {(route.method, route.path) for route in API}
    commands = document["paths"]["/api/commands"]["post"]["requestBody"]["content"]
    kinds = commands["application/json"]["schema"]["anyOf"]
    assert len(kinds) == len(COMMANDS)
    assert "StateAnswer" in schemas
    for methods in not_empty(document["paths"].values()):
        for operation in not_empty(methods.values()):
            assert "default" in operation["responses"]
            assert "lang" in {parameter["name"] for parameter in operation["parameters"]}


def test_real_answers_are_as_declared(house: House) -> None:
    for path in ("/api/state", "/api/board", "/api/rulesets", "/api/nights", "/healthz"):
        house.get(path)
    house.command(do="start", ruleset="banker", players=["A", "B", "C"])
    for do in ("deal", "next", "deal", "dance"):
        house.command(do=do)
        house.get("/api/state")
    for press in ("seat2", "seat2", "pinke", "ace", "seat9"):
        house.post("/api/board/press", {"button": press, "ms": 1})
        house.get("/api/state")
    for do in ("void", "undo", "redo", "end"):
        house.command(do=do)
    house.post("/api/pair", {})
    for path in ("/api/state", "/api/nights", "/api/pairings", "/api/openapi.json"):
        house.get(path)
    for night in (1, 9):
        for rest in ("", "/entries", "/sheet"):
            house.get(f"/api/nights/{night}{rest}")
    house.ask("DELETE", "/api/pairings/9")
    house.post("/api/nights", "{", {"Content-Type": "text/plain"})
