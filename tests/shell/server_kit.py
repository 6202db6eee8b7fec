"""A whole daemon except for its process:

ledger, table, simulated board and server, on a free port.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard import ssd1306
from pochboard.backup import BackupService
from pochboard.boards.base import Simulator, Tune
from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import Question
from pochboard.config import Config
from pochboard.errors import RefusalAnswer
from pochboard.lights.lights_config import LightsConfig
from pochboard.rulesets import load_catalog
from pochboard.rulesets.house_rules import HouseRules
from pochboard.screen import BLANK, Bitmap
from pochboard.server import web_server
from pochboard.server.context import Context
from pochboard.server.routes import API
from pochboard.server.routing import Route
from pochboard.server.server import Server
from pochboard.store import Store
from pochboard.table.bot_runner import BotRunner
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table

LONG_S = 120.0
"""Nothing takes this long, even on a busy machine, so whatever still waits has failed."""
QUICK = PressTimes(
    long_us=400_000,
    next_long_us=450_000,
    leave_us=450_000,
    both_us=450_000,
    overlap_us=200_000,
    too_soon_us=0,
)


def stacks(state: Any) -> dict[str, int]:
    """The stacks in the answer of /api/state, by seat."""
    return {str(row["seat"]): row["stack"] for row in state["rows"]}


def pools(state: Any) -> dict[str, int]:
    """The chips of the pools that are played, in the answer of /api/state."""
    found = {pool["pool"]: pool["chips"] for pool in state["pool_details"]}
    return {pool: chips for pool, chips in found.items() if chips is not None}


class Answer(msgspec.Struct):
    """An answer, with header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        problem = self.json
        assert set(problem) == {"code", "message"}, problem
        assert problem["message"].strip()
        return str(problem["code"])

    @property
    def cookie(self) -> str:
        return self.headers["set-cookie"].partition(";")[0]


def ask(
    port: int,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    *,
    source: str = "127.0.0.1",
) -> Answer:
    """One request on its own connection. A body other than text or bytes is sent as JSON.

    `source` is the client's address; every address in 127.0.0.0/8 is this machine.
    """
    sent = {"Connection": "close", **(headers or {})}
    if body is not None and not isinstance(body, bytes | str):
        body = json.dumps(body)
        sent.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=LONG_S, source_address=(source, 0)
    )
    try:
        skip = "Host" in sent
        connection.putrequest(method, path, skip_host=skip, skip_accept_encoding=True)
        data = body.encode() if isinstance(body, str) else body
        if data is not None and "Content-Length" not in sent:
            sent["Content-Length"] = str(len(data))
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders()
        if data:
            connection.send(data)
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, named, answer.read())
    finally:
        connection.close()


def declared_route(method: str, path: str) -> Route | None:
    """The route that a request is for, if the API declares it."""
    path, _, _ = path.partition("?")
    for route in API:
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(route.path))
        if route.method == method and re.fullmatch(pattern, path):
            return route
    return None


def check_as_declared(method: str, path: str, answer: Answer) -> None:
    """The status is declared for the route, and the body is of the type declared for it."""
    route = declared_route(method, path)
    if route is None:
        return
    assert answer.status == route.status or answer.status >= 400, (method, path, answer.status)
    kind = route.answer if answer.status == route.status else RefusalAnswer
    if isinstance(kind, str):
        assert answer.headers["content-type"].startswith(kind)
    elif kind is None:
        assert answer.body == b""
    elif answer.headers.get("content-encoding") != "gzip":
        # Strict in both directions: the body has the type, and nothing beyond it.
        again = msgspec.json.encode(msgspec.json.decode(answer.body, type=kind))
        assert msgspec.json.decode(again) == msgspec.json.decode(answer.body)


class RecordingBoard(Simulator):
    """A board that also has a display and a piezo, and remembers what they were told."""

    has_display = has_sound = True
    screen: Bitmap = BLANK
    contrast = ssd1306.CONTRAST
    tune: Tune | None = None

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        self.screen, self.contrast = bitmap, contrast

    def play(self, tune: Tune) -> None:
        self.tune = tune


class House:
    """The running parts, and how to ask them. Every answer must be as its route declares."""

    def __init__(
        self, table: Table, server: Server, simulator: RecordingBoard, bots: BotRunner | None
    ) -> None:
        self.table = table
        self.bots = bots
        self.server = server
        self.simulator = simulator
        self.port = server.port

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        source: str = "127.0.0.1",
    ) -> Answer:
        answer = ask(self.port, method, path, body, headers, source=source)
        check_as_declared(method, path, answer)
        return answer

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("GET", path, None, headers)

    def post(self, path: str, body: object, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("POST", path, body, headers)

    def put(self, path: str, body: object, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("PUT", path, body, headers)

    def command(self, **fields: object) -> Answer:
        return self.post("/api/commands", fields)

    def start_night(self, *players: str) -> None:
        answer = self.command(
            do="start", ruleset="modern", players=players or ("Anna", "Ben", "Clara")
        )
        assert answer.status == 200, answer.body

    def start_threads(self) -> None:
        """Starts all threads that answer, for a house that several tests share.

        Otherwise the first requests of a test would start some, which would then look like leaks.
        """
        pool = self.server._middleware._threads
        all_run = threading.Barrier(pool._max_workers)
        for waiting in [pool.submit(all_run.wait) for _ in range(pool._max_workers)]:
            waiting.result(LONG_S)

    @contextmanager
    def stream(
        self,
        path: str = "/api/events",
        headers: dict[str, str] | None = None,
        *,
        source: str = "127.0.0.1",
    ) -> Iterator[Stream]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=LONG_S, source_address=(source, 0)
        )
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        try:
            yield Stream(response)
        finally:
            response.close()
            connection.close()


class Event(msgspec.Struct):
    name: str
    id: int
    data: Any


class Stream:
    """An event stream as a client reads it."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.response = response
        self.status = response.status

    def next(self, *names: str) -> Event:
        """The next event of one of these names."""
        while (event := self.read()) is not None:
            if event.name in names:
                return event
        raise AssertionError(f"the stream ended before an event {names}")

    def read(self) -> Event | None:
        """The next event, or None when the stream has ended."""
        fields: dict[str, str] = {}
        for raw in iter(self.response.readline, b""):
            line = raw.decode().rstrip("\n")
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "event" in fields:
                return Event(fields["event"], int(fields["id"]), json.loads(fields["data"]))
        return None


def drop_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets houses made from here on wait for clients that do not read, longer than any test."""
    monkeypatch.setattr(web_server, "_VANISHED_MS", round(5 * LONG_S * 1000))


@contextmanager
def running_house(
    folder: Path,
    *,
    simulated: bool = True,
    times: PressTimes = QUICK,
    config: Config | None = None,
    window_s: float = 60.0,
    lights: LightsConfig | None = None,
    left_open: tuple[Question, ...] = (),
) -> Iterator[House]:
    """Everything, started, and stopped in the daemon's order."""
    house_rules = HouseRules(load_catalog(folder / "settings"))
    simulator = RecordingBoard()
    with Store.open(folder / "ledger.db") as store:
        table = Table(
            store,
            Setup(
                resolve=house_rules.resolve,
                times=times,
                window_s=window_s,
                lights=lights or LightsConfig(),
            ),
            BoardInfo(
                "simulator" if simulated else "gpio",
                link=True,
                simulated=simulated,
                left_open=left_open,
            ),
            simulator.show,
        )
        table.start()
        simulator.start(table)
        bots = BotRunner(table)
        server = Server(
            Context(
                config=config or Config(data=folder, port=0),
                table=table,
                house_rules=house_rules,
                backups=BackupService(store, folder, folder / "settings"),
                bots=bots,
                local_token="the-local-token",
            )
        )
        try:
            server.start()
            yield House(table, server, simulator, bots)
        finally:
            server.stop()
            bots.close()
            simulator.close()
            table.stop()


def wait_until(said: str, holds: Any) -> None:
    """Waits until other threads have made a condition true; checks less and less often."""
    deadline = time.monotonic() + LONG_S
    pause, pause_s = threading.Event(), 0.005
    while not holds():
        assert time.monotonic() < deadline, f"not in {LONG_S} s: {said}"
        pause.wait(pause_s)
        pause_s = min(1.3 * pause_s, 0.1)
