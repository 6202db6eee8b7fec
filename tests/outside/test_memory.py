"""The daemon with the memory that its unit grants it, and the worst sheets (SECURITY.md 3)."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pochboard.exports import FORMATS
from pochboard.ledger.book import Book, Step
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.runtime.process import find_daemon
from pochboard.store import Store
from tests.outside.memory_limit import limited
from tests.shell.daemons import PROGRAM, Daemon, Home
from tests.shell.server_kit import Answer, ask

MOST_BYTES = 4 * 1024 * 1024
START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Eva"]}
LONG_NAMES = [f"{seat} {'ÄÖÜ' * 12}" for seat in range(1, 9)]
CROWD = {**START, "ruleset": "family", "players": LONG_NAMES, "stack": 10_000}
WATCHER = "127.0.0.9"
"""A client that is not paired."""


def rows(*objects: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in objects)


def back_and_forth(start: dict[str, Any], times: int) -> bytes:
    return rows(start, {"do": "deal"}) + rows({"do": "undo"}, {"do": "redo"}) * times


def wide_night() -> bytes:
    """The most seats, the longest names and reasons, blocked pools, huge numbers of chips."""
    commands: list[dict[str, Any]] = [CROWD]
    for deal in range(300):
        seat = 1 + deal % 8
        commands += [
            {"do": "rename", "seat": seat, "name": f"{deal} {'ÄÖÜ' * 12}"},
            {"do": "rebuy", "seat": seat, "chips": 10_000},
            {
                "do": "adjust", "from": "bank", "to": f"seat:{seat}", "chips": 10_000,
                "reason": "ß" * 200,
            },
            {"do": "deal"}, {"do": "turn", "card": "TH"}, {"do": "void"}, {"do": "undo"},
            {"do": "redo"},
        ]  # fmt: skip
    return rows(*commands)


def tiny_nights(count: int) -> bytes:
    return b"".join(rows({**START, "stack": 1 + i % 10_000}, {"do": "end"}) for i in range(count))


def long_ledger(path: Path, entries: int) -> None:
    """A ledger with a night that is as long as can be."""
    book = Book(resolve_among(shipped_rulesets()))

    def apply(command: dict[str, Any]) -> None:
        step = book.consider(parse_command(command), 1_800_000_000_000)
        assert isinstance(step, Step), step
        book.accept(step)

    apply(CROWD)
    apply({"do": "deal"})
    for number in range(entries):
        if len(book) > entries - 8:
            break
        apply({"do": "undo"})
        apply({"do": "redo"})
        apply({"do": "rename", "seat": 1 + number % 8, "name": f"{number}. {'Ä' * 30}"})
        apply({"do": "void" if number % 2 else "undo"})
        if number % 2:
            apply({"do": "deal"})
    if book.state.phase != "idle":
        apply({"do": "void"})
    apply({"do": "end"})
    path.parent.mkdir(parents=True)
    summary = summarize(0, book.entries, book.state, imported=True)
    night = StoredNight(0, book.state.rules, {}, imported=True, entries=book.entries)
    with Store.open(path) as store:
        store.add_nights([(night, summary)])


class Player:
    """Plays on without a pause while others read and import; the daemon must answer."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._play)
        self.recorded = 0
        self.problem: object = None

    @contextmanager
    def playing(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()

    def _play(self) -> None:
        try:
            while not self._over.wait(0.05):
                self._daemon.do(do="rename", seat=1, name=f"Anna {self.recorded}")
                assert self._daemon.ask("GET", "/healthz").status == 200
                self.recorded += 1
        except Exception as error:  # noqa: BLE001 - the test shows it
            self.problem = error


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with limited(PROGRAM, tmp_path) as program:
        folder = tmp_path / "home"
        folder.mkdir()
        yield Home(folder, (program,))


def read(daemon: Daemon, path: str) -> Answer:
    answer = ask(daemon.port, "GET", path, source=WATCHER)
    assert answer.status == 200, (path, answer.status, answer.body[:500])
    return answer


def test_nobody_who_only_watches_uses_up_the_memory(home: Home) -> None:
    entries = 10_000
    long_ledger(home.ledger, entries)
    with home.daemon() as daemon:
        daemon.do(**START)
        player = Player(daemon)
        with player.playing():
            for path in (
                "/api/nights", "/api/nights/1", "/api/statistics", "/api/nights/1/settlement",
                "/api/nights/1/settlement?way=pairwise", f"/api/nights/1/entries?after={entries}",
                "/api/nights/1/entries?after=6000&table=1", "/nights/1", "/nights/1/rules",
                *(f"/api/nights/1/{name}" for name in FORMATS),
            ):  # fmt: skip
                read(daemon, path)
                assert player.problem is None
        assert player.recorded > 10
        assert len(read(daemon, "/api/nights/1/csv").body) > MOST_BYTES
        assert daemon.process.poll() is None
        assert daemon.stop()[0] == 0


def test_nobody_who_imports_uses_up_the_memory(home: Home) -> None:
    with home.daemon() as daemon:
        daemon.do(**START)
        holder = find_daemon(home.data)
        assert holder is not None
        headers = {
            "Content-Type": "application/x-ndjson", "Authorization": f"Bearer {holder.token}",
        }  # fmt: skip

        def post(sheet: bytes) -> Answer:
            assert len(sheet) <= MOST_BYTES
            return daemon.ask("POST", "/api/nights", sheet, headers)

        player = Player(daemon)
        with player.playing():
            too_long = post(back_and_forth(START, 139_000))
            assert too_long.json["message"] == (
                "line 10001: This night is too long: a night on a sheet may have at most 10,000"
                " entries. Nothing was imported."
            )
            too_many = post(tiny_nights(30_000))
            assert too_many.json["message"].startswith("line 2001: A sheet may have at most 1,000")
            for sheet, nights in (
                (back_and_forth(CROWD, 4_998), 1), (wide_night(), 1), (tiny_nights(1_000), 1_000),
            ):  # fmt: skip
                before = player.recorded
                done = post(sheet)
                assert (done.status, len(done.json.get("nights", ()))) == (201, nights), done
                assert player.problem is None
                assert player.recorded > before
        assert len(read(daemon, "/api/nights").json) == 1_003
        for number in (2, 3):
            for path in ("", "/entries?after=1000&table=1", *(f"/{name}" for name in FORMATS)):
                read(daemon, f"/api/nights/{number}{path}")
        assert daemon.process.poll() is None
        assert daemon.stop()[0] == 0
