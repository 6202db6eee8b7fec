"""Requests that no browser sends, by the thousand: python -m tests.torture.web --requests 100000.

A seeded fuzzer writes whole, cut and damaged requests to raw sockets of a real daemon, schemathesis
sends requests derived from the API's description. Meanwhile half-open connections, streams and
clients that do not read are open. No answer is a 5xx, none is missing, presses work, and at the end
a further crowd takes no more memory.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import hypothesis
import msgspec
from hypothesis import HealthCheck, Phase

from pochboard.server.web_files import static_path
from tests.bench.process import daemon, free_port, resident_kb, until_answered
from tests.shell.server_kit import ask

START: Final = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}
PATHS: Final = (
    "/", "/nights", "/nights/1", f"/{static_path()}main.js", "/static/../x", "/favicon.ico",
    "/healthz", "/api/state", "/api/board", "/api/rulesets", "/api/nights", "/api/nights/1",
    "/api/nights/1/entries", "/api/nights/1/sheet", "/api/pairings", "/api/openapi.json",
    "/api/commands", "/api/board/edge", "/api/pair", "/api/demo/hand",
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
_SETTLED_S: Final = 20.0
"""After this time the daemon has dropped clients that do not read."""
_CROWDS: Final = 6
_MOST_KEPT_MB: Final = 0.5
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


def fuzz(port: int, seed: int, requests: int, jobs: int = 8) -> Counter[int]:
    """How often each status came. Raises AssertionError with the request that got a 5xx."""

    def one(number: int) -> list[int]:
        data = make_request(random.Random(f"{seed} {number}"))
        statuses, received = _exchange(port, number, data)
        assert all(status < 500 for status in statuses), (seed, number, data, received[-400:])
        return statuses

    found: Counter[int] = Counter()
    with ThreadPoolExecutor(jobs) as threads:
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
            assert str(response.status_code) in case.operation.definition.raw["responses"], (
                case.as_curl_command(),
                response.status_code,
            )

        send()
    return sent


@contextmanager
def crowd(port: int, half_open: int, streams: int, deaf: int) -> Iterator[None]:
    """Half-open connections, streams and clients that do not read, from many addresses."""
    events = b"GET /api/events?frames=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    page = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
    sends = [(b"", b"GET / HT", b"POST /api/commands HTTP/1.1\r\nHost: localhost\r\n")[n % 3]
             for n in range(half_open)]  # fmt: skip
    sends += [events] * streams + [page] * deaf
    with ExitStack() as clients:
        for number, data in enumerate(sends):
            source = f"127.0.4.{1 + number % 250}"
            with suppress(ConnectionError):
                client = clients.enter_context(
                    socket.create_connection(
                        ("127.0.0.1", port), timeout=_PATIENCE_S, source_address=(source, 0)
                    )
                )
                client.sendall(data)
        yield


class Commands(msgspec.Struct):
    """Commands sent ten times a second."""

    took_ms: list[float]
    refused: list[str]
    """What was answered to those that failed."""


def send_commands(port: int) -> Commands:
    """Sends commands until standard input ends."""
    sent, number = Commands([], []), 0
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        number += 1
        begun = time.perf_counter()
        command = {"do": "rename", "seat": 1, "name": f"Anna {number}"}
        try:
            answer = ask(port, "POST", "/api/commands", command)
        except OSError as error:
            sent.refused.append(str(error))
            continue
        sent.took_ms.append(1000 * (time.perf_counter() - begun))
        if answer.status >= 500:
            sent.refused.append(answer.body.decode())
    return sent


class Presser:
    """Has another process send commands, which does not wait for the fuzzer's threads."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, "--send-commands", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def close(self) -> Commands:
        """Ends the process, and returns what it sent."""
        told, _ = self._process.communicate()
        return msgspec.json.decode(told, type=Commands)


def _kept_of_crowds(port: int, pid: int, half_open: int, streams: int) -> float:
    """How many MB a further crowd leaves behind: the first that leaves little, or the last.

    Python keeps what the largest crowd needed, so one of the next may still add something.
    """
    before_kb = resident_kb(pid)
    kept_mb = 0.0
    for _ in range(_CROWDS):
        with crowd(port, half_open, streams, deaf=50):
            assert ask(port, "GET", "/api/state").status == 200
        time.sleep(2)
        after_kb = resident_kb(pid)
        kept_mb, before_kb = (after_kb - before_kb) / 1024, after_kb
        if kept_mb < _MOST_KEPT_MB:
            break
    return kept_mb


def main() -> None:
    """Runs everything and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--examples", type=int, default=100, help="of each operation of the API")
    parser.add_argument("--half-open", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=8, help="clients of the fuzzer at once")
    parser.add_argument("--send-commands", type=int, metavar="PORT", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.send_commands:
        print(msgspec.json.encode(send_commands(args.send_commands)).decode())
        return
    print(f"web, --seed {args.seed} --requests {args.requests}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        port = free_port()
        with daemon(Path(name), port) as (process, _):
            until_answered(port)
            ask(port, "POST", "/api/commands", START)
            # Run once first, so that one-time allocations do not count.
            with crowd(port, args.half_open, args.streams, deaf=50):
                fuzz(port, args.seed, 500)
            conform(port, args.seed, 2)
            time.sleep(_SETTLED_S)
            before_kb = resident_kb(process.pid)
            presser = Presser(port)
            try:
                with crowd(port, args.half_open, args.streams, deaf=50):
                    done = 0
                    found: Counter[int] = Counter()
                    while done < args.requests:
                        part = min(5000, args.requests - done)
                        found += fuzz(port, args.seed + 1 + done, part, args.jobs)
                        done += part
                        print(f"  {done:,} requests: {dict(sorted(found.items()))}", flush=True)
                sent = conform(port, args.seed, args.examples)
                print(f"  {sent:,} requests from the API description", flush=True)
            finally:
                commands = presser.close()
            time.sleep(_SETTLED_S)
            grown_mb = (resident_kb(process.pid) - before_kb) / 1024
            kept_mb = _kept_of_crowds(port, process.pid, args.half_open, args.streams)
            alive = process.poll() is None
    took = sorted(commands.took_ms)
    print(f"commands meanwhile: {len(took)}, median {statistics.median(took):.1f} ms,"
          f" p99 {took[99 * len(took) // 100]:.0f} ms, longest {took[-1]:.0f} ms,"
          f" {len(commands.refused)} failed")  # fmt: skip
    print(f"memory afterwards: {grown_mb:+.1f} MB, of a further crowd: {kept_mb:+.1f} MB")
    good = (
        alive and found[200] and not commands.refused and grown_mb < 20 and kept_mb < _MOST_KEPT_MB
    )
    total = f"{done:,} damaged requests and {sent:,} from the API description"
    print(f"web: {total}: {'passed' if good else f'FAILED, --seed {args.seed}'}")
    sys.exit(not good)


if __name__ == "__main__":
    main()
