"""Damaged requests, and requests derived from the API's description: no answer is a 5xx."""

from __future__ import annotations

import json
import random
import re
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase

from pochboard.server.web_files import static_path
from tests.shell.server_kit import ask, running_house

PATHS: Final = (
    "/", "/nights", "/nights/1", f"/{static_path()}main.js", "/static/../x", "/favicon.ico",
    "/healthz", "/api/state", "/api/board", "/api/rulesets", "/api/nights", "/api/nights/1",
    "/api/nights/1/entries", "/api/nights/1/sheet", "/api/pairings", "/api/openapi.json",
    "/api/commands", "/api/board/press", "/api/pair", "/api/bots/hand",
)  # fmt: skip
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT")
HEADERS: Final = (
    "Accept: text/html", "Accept-Encoding: gzip;q=x", "Content-Length: -1", "Content-Length: 99",
    "Content-Length: 18446744073709551616", "Transfer-Encoding: chunked", "Expect: 100-continue",
    "Transfer-Encoding: gzip", "Cookie: pochboard=" + "x" * 43, "Origin: null", "Range: bytes=0-",
    "Origin: http://evil.example", "Sec-Fetch-Site: cross-site", 'If-None-Match: "x", W/', "X:",
    "Upgrade: h2c", "Upgrade: websocket", "Connection: Upgrade", "Authorization: Bearer \xff",
    "If-Modified-Since: yesterday", "If-Range: x", "Forwarded: for=x", "Content-Type: text/plain",
    "Content-Type: application/json; charset=utf-7", "Content-Encoding: gzip", "Host: evil.example",
)  # fmt: skip
_WORDS: Final[tuple[object, ...]] = (
    None, True, -1, 0, 1, 2**63, 1e308, "", "next", "ace", "seat1", "\ud83d", "x" * 300, [], {},
)  # fmt: skip
_ANSWER: Final = re.compile(rb"(?:^|\n)HTTP/1\.1 (\d\d\d) ")
_PATIENCE_S: Final = 60.0
_QUIET_S: Final = 0.2


def make_request(chance: random.Random) -> bytes:
    """One request, often damaged."""
    path = chance.choice(PATHS)
    if chance.random() < 0.3:
        extra = "".join(chr(chance.randrange(33, 127)) for _ in range(chance.randrange(400)))
        path += chance.choice(("/", "?", "%", "%00", "//", "?after=", "?limit=", "/..")) + extra
    body = b""
    if chance.random() < 0.5:
        keys = ("do", "button", "down", "ms", "id", "seat", "code", "name", "players", "client")
        value = {chance.choice(keys): chance.choice(_WORDS) for _ in range(chance.randrange(5))}
        body = json.dumps(value).encode()
    lines = [f"{chance.choice(METHODS)} {path} HTTP/1.{chance.choice('0111112')}"]
    lines += ["Host: localhost"] * (chance.random() < 0.95)
    lines += ["Connection: close"] * (chance.random() < 0.8)
    if body and chance.random() < 0.9:
        lines += [f"Content-Length: {len(body)}", "Content-Type: application/json"]
    lines += chance.sample(HEADERS, chance.choice((0, 0, 1, 2, 4)))
    data = bytearray("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
    for _ in range(chance.choice((0, 0, 0, 1, 3, 20))):
        match chance.randrange(4):
            case 0:
                data[chance.randrange(len(data))] = chance.randrange(256)
            case 1:
                del data[chance.randrange(1, len(data) + 1) :]
            case 2:
                at = chance.randrange(len(data))
                data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(20)))
            case _:
                at = chance.randrange(len(data))
                data += data[at : at + chance.randrange(200)]
    return bytes(data)


def _exchange(port: int, number: int, data: bytes) -> tuple[list[int], bytes]:
    """The statuses of the answers on a new connection, and all bytes received."""
    source = f"127.0.3.{1 + number % 250}"
    received = b""
    with (
        socket.create_connection(
            ("127.0.0.1", port), timeout=_PATIENCE_S, source_address=(source, 0)
        ) as client,
        suppress(ConnectionError),
    ):
        client.sendall(data)
        client.settimeout(_QUIET_S)  # much of it is only half a request
        with suppress(TimeoutError):
            while piece := client.recv(65536):
                received += piece
    return [int(status) for status in _ANSWER.findall(received)], received


def fuzz(port: int, seed: int, requests: int) -> Counter[int]:
    """How often each status came. Raises AssertionError with the request that got a 5xx."""

    def one(number: int) -> list[int]:
        data = make_request(random.Random(f"{seed} {number}"))
        statuses, received = _exchange(port, number, data)
        assert all(status < 500 for status in statuses), (seed, number, data, received[-400:])
        return statuses

    found: Counter[int] = Counter()
    with ThreadPoolExecutor(8) as threads:
        for statuses in threads.map(one, range(requests)):
            found.update(statuses)
    return found


def conform(port: int, seed: int, examples: int) -> int:
    """Sends requests derived from the API's description, this many for each operation.

    Returns how many it sent. Raises an error of schemathesis, or AssertionError for a 5xx.
    """
    import schemathesis.core.result  # takes half a second, and only this needs it

    described = ask(port, "GET", "/api/openapi.json").body
    schema = schemathesis.openapi.from_dict(json.loads(described))
    sent = 0
    for result in schema.get_all_operations():
        assert isinstance(result, schemathesis.core.result.Ok), result
        operation = result.ok()
        if operation.path == "/api/events":
            continue  # it never ends
        kinds = operation.definition.raw.get("requestBody", {}).get("content", {})
        if kinds.keys() - {"application/json"}:
            continue  # score sheets and backups, which schemathesis cannot make

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy())
        def send(case: schemathesis.Case[Any]) -> None:
            nonlocal sent
            sent += 1
            response = case.call(base_url=f"http://127.0.0.1:{port}")
            assert response.status_code < 500, (case.as_curl_command(), response.text)
            declared = case.operation.definition.raw["responses"]
            known = str(response.status_code) in declared or response.status_code >= 400
            assert known, (case.as_curl_command(), response.status_code)

        send()
    return sent


def test_no_damaged_request_gets_a_5xx_or_leaves_anything_behind(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_house(tmp_path) as house:
        house.start_night()
        statuses = fuzz(house.port, 1, 400)
        assert statuses[200]
        assert house.get("/healthz").status == 200
        house.command(do="rename", seat=1, name="Anna after all")
    assert caplog.records == []


def test_what_follows_from_the_description_is_answered_as_it_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with running_house(tmp_path) as house:
        house.start_night()
        assert conform(house.port, 1, 3) > 30
    assert [record for record in caplog.records if record.name.startswith("pochboard")] == []
