"""Boards write their nights into folders as sheets, and a collection takes them in."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pochboard.daemon.sheet_folders import SheetCollector, SheetWriter
from pochboard.ledger.remarks import NightDate, NightDeleted, NightName
from pochboard.ledger.replay import duration_ms
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.table import clock
from pochboard.table.snapshot import BoardInfo, Recorded, Setup
from pochboard.table.table import Table
from tests.shell.daemons import TUNED_PROGRAM, Daemon, Home
from tests.shell.server_kit import wait_until
from tests.torture.shim import ALL_FILES, Control, Kind

BEGAN_MS = 1_793_000_000_000
DEAL = (
    {"do": "deal"},
    {"do": "turn", "card": "9H"},
)


class Machine:
    """A board with its folder, or a collection with its folders."""

    def __init__(self, table: Table, store: Store) -> None:
        self.table = table
        self.store = store

    def do(self, **command: Any) -> None:
        recorded = self.table.command(parse_command(command))
        assert isinstance(recorded, Recorded), recorded

    def begin(self, *players: str) -> None:
        self.do(do="start", ruleset="modern", players=list(players or ("Anna", "Ben", "Clara")))

    def play(self, *players: str) -> None:
        """A short night."""
        self.begin(*players)
        self.do(do="end")

    def writer(self, folder: Path) -> SheetWriter:
        return SheetWriter(str(folder), self.table, self.store)

    def collectors(self, *folders: Path) -> list[SheetCollector]:
        names = tuple(map(str, folders))
        resolve = resolve_among(shipped_rulesets())
        return [SheetCollector(name, self.table, self.store, names, resolve) for name in names]

    def collect(self, *folders: Path) -> list[str]:
        """Looks once as after a start; returns what was refused."""
        collectors = self.collectors(*folders)
        for collector in collectors:
            collector.look()
        return [str(why) for collector in collectors for why in collector.refusals.values()]

    @property
    def nights(self) -> list[tuple[list[str], int]]:
        """The players of each night that counts, and how many entries it has, the oldest first."""
        counts = self.store.remarks().counts
        return [(n.players, n.entries) for n in self.store.all_nights()[::-1] if counts(n.number)]


@contextmanager
def machine(folder: Path) -> Iterator[Machine]:
    folder.mkdir(exist_ok=True)
    with Store.open(folder / "ledger.db") as store:
        setup = Setup(resolve=resolve_among(shipped_rulesets()))
        table = Table(store, setup, BoardInfo("pico", link=True, simulated=False))
        table.start()
        try:
            yield Machine(table, store)
        finally:
            table.stop()


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Machine]:
    with machine(tmp_path / "board") as made:
        yield made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Machine]:
    with machine(tmp_path / "other") as made:
        yield made


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Machine]:
    with machine(tmp_path / "collection") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "kitchen"
    made.mkdir()
    return made


@pytest.fixture
def second(tmp_path: Path) -> Path:
    made = tmp_path / "cellar"
    made.mkdir()
    return made


@pytest.fixture
def time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry is a minute after the one before."""
    ticks = iter(range(BEGAN_MS, BEGAN_MS + 10**9, 60_000))
    monkeypatch.setattr(clock, "now_ms", lambda: next(ticks))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# What a board writes


def test_a_night_is_written_when_it_ends_and_not_before(board: Machine, folder: Path) -> None:
    writer = board.writer(folder)
    board.begin()
    writer.look()
    assert names(folder) == []
    board.do(do="end")
    writer.look()
    identity = board.store.identity(1)
    assert names(folder) == [f"night-0001-{identity[:16]}.jsonl"]


def test_a_night_that_goes_on_or_is_renamed_keeps_its_file(board: Machine, folder: Path) -> None:
    writer = board.writer(folder)
    board.play()
    writer.look()
    (before,) = names(folder)
    first = (folder / before).read_text()
    board.do(do="undo")
    writer.look()
    assert (folder / before).read_text() == first
    board.do(do="end")
    board.store.add_remark(NightName(1, "Christmas"), 0)
    board.store.add_remark(NightDate(1, BEGAN_MS), 0)
    writer.look()
    assert names(folder) == [before]
    assert '"name":"Christmas"' in (folder / before).read_text()


def test_a_week_without_the_folder_is_made_up_for(
    board: Machine, folder: Path, collection: Machine
) -> None:
    folder.rmdir()
    writer = board.writer(folder)
    for night in range(30):
        board.play("Anna", "Ben", f"Guest {night}")
        with pytest.raises(FileNotFoundError):
            writer.look()
    folder.mkdir()
    writer.look()
    assert len(names(folder)) == 30
    assert collection.collect(folder) == []
    assert collection.nights == board.nights


def test_what_stands_in_a_sheet_s_place_is_named_and_stops_no_other(
    board: Machine, folder: Path
) -> None:
    for names in (("Anna", "Ben", "Clara"), ("Dora", "Emil", "Fritz")):
        board.play(*names)
    writer = board.writer(folder)
    writer.look()
    first, second = sorted(folder.iterdir())
    for make in (Path.mkdir, os.mkfifo):
        first.unlink() if first.is_fifo() or first.is_file() else None
        second.unlink()
        make(first)
        blocked = writer.look()
        assert second.is_file()
        assert str(blocked) == (
            f"{first.name} in {folder} is not a file. Remove it; night 1 can then be written."
        )
        first.rmdir() if first.is_dir() else first.unlink()
        assert not writer.look()
        assert first.is_file()


# What a collection takes in


@pytest.mark.usefixtures("time_passes")
def test_nights_arrive_once_with_their_times(
    board: Machine, other: Machine, collection: Machine, folder: Path, second: Path
) -> None:
    board.play()
    other.play("Dora", "Emil", "Frida")
    board.writer(folder).look()
    other.writer(second).look()
    for _ in range(2):
        assert collection.collect(folder, second) == []
    assert collection.nights == board.nights + other.nights
    at_board, collected = board.store.night(1).entries, collection.store.night(1).entries
    assert duration_ms(collected) == duration_ms(at_board) > 0
    assert [entry.time_ms for entry in collected] == [entry.time_ms for entry in at_board]


def test_a_night_that_went_on_is_appended(
    board: Machine, collection: Machine, folder: Path
) -> None:
    writer, (collector,) = board.writer(folder), collection.collectors(folder)
    board.play()
    writer.look()
    collector.look()
    assert collection.table.nights.night(1).stored.entries[-1].number == 2
    board.do(do="undo")
    for command in DEAL:
        board.do(**command)
    board.do(do="void")
    board.do(do="end")
    writer.look()
    collector.look()
    assert collector.refusals == {}
    assert collection.nights == board.nights
    # The page had it in memory.
    assert len(collection.table.nights.night(1).stored.entries) == board.nights[0][1]
    assert collection.store.verify(replayed=True).ok


def test_what_people_say_about_a_night_comes_along(
    board: Machine, collection: Machine, folder: Path
) -> None:
    writer, (collector,) = board.writer(folder), collection.collectors(folder)
    board.play()
    writer.look()
    collector.look()
    for remark in (
        NightName(1, "Christmas"),
        NightDate(1, BEGAN_MS),
        NightDeleted(1, deleted=True),
    ):
        board.store.add_remark(remark, 0)
    writer.look()
    collector.look()
    remarks = collection.store.remarks()
    assert remarks.names == {1: "Christmas"}
    assert remarks.deleted == {1}
    assert collection.store.night(1).entries[0].time_ms == BEGAN_MS
    board.store.add_remark(NightDeleted(1, deleted=False), 0)
    writer.look()
    collector.look()
    assert collection.nights == board.nights


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Ben"', '"Bernd"'),
        ('"ruleset":"modern"', '"ruleset":"modern","options":{"stack":99}'),
        ('{"do":"end"', '{"do":"deal"}\n{"do":"void"}\n{"do":"end"'),
    ],
)
def test_a_night_that_went_otherwise_is_refused(
    board: Machine, collection: Machine, folder: Path, old: str, new: str
) -> None:
    board.play()
    board.writer(folder).look()
    collection.collect(folder)
    before = collection.nights
    (file,) = folder.iterdir()
    rows = [row for row in file.read_text().splitlines() if not row.startswith('{"expect"')]
    text = "\n".join(rows)
    assert old in text
    file.write_text(text.replace(old, new))
    (why,) = collection.collect(folder)
    assert "It is not how night 1 went." in why
    assert collection.nights == before


# Whose folder it is


def test_a_forged_folder_replaces_nobodys_night(
    board: Machine, other: Machine, collection: Machine, folder: Path, second: Path
) -> None:
    board.play()
    board.writer(folder).look()
    (file,) = folder.iterdir()
    other.play("Dora", "Emil", "Frida")
    other.writer(second).look()
    (own,) = second.iterdir()
    # The identity of the other board's night, on a sheet of this one's ledger, comes first.
    text = own.read_text()
    for theirs, stolen in (
        (other.store.identity(1), board.store.identity(1)),
        ("Dora", "Liar"),
    ):
        text = text.replace(theirs, stolen)
    own.write_text(text)
    assert collection.collect(second) == []
    assert collection.collect(folder, second) == []
    assert [players[0] for players, _ in collection.nights] == ["Liar", "Anna"]
    # A copy of the other board's sheet in this board's folder, as it is and changed.
    for stolen in (file.read_text(), file.read_text().replace("Anna", "Liar")):
        (second / "copy.jsonl").write_text(stolen)
        (why,) = collection.collect(folder, second)
        assert why == "It belongs to another ledger than the folder's first sheet."
    assert len(collection.nights) == 2


@pytest.mark.usefixtures("time_passes")
def test_a_ledger_has_one_folder_until_it_is_moved(
    board: Machine, collection: Machine, folder: Path, second: Path
) -> None:
    board.play()
    board.writer(folder).look()
    board.play()
    board.writer(second).look()
    assert collection.collect(folder) == []
    why = f"The sheets of this ledger are in {folder}."
    assert collection.collect(folder, second) == [why, why]
    assert collection.collect(second) == []
    assert collection.nights == board.nights


def test_what_is_no_sheet_of_a_night_is_refused_by_name_and_the_rest_goes_on(
    board: Machine,
    collection: Machine,
    folder: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (folder / "a-letter.jsonl").write_text("Dear all,\n")
    (folder / "b-large.jsonl").write_bytes(b"#" * (4 * 1024 * 1024 + 1))
    (folder / "c-paper.jsonl").write_text(
        '{"do":"start","ruleset":"modern","players":["A","B","C"]}'
    )
    (folder / "d-link.jsonl").symlink_to(tmp_path / "board" / "ledger.db")
    os.mkfifo(folder / "e-pipe.jsonl")
    (folder / "f-folder.jsonl").mkdir()
    board.play()
    board.writer(folder).look()
    (collector,) = collection.collectors(folder)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            collector.look()
    assert [*collector.refusals] == ["a-letter.jsonl", "b-large.jsonl", "c-paper.jsonl"]
    said = zip(collector.refusals, caplog.messages, strict=True)
    assert all(str(folder / name) in row for name, row in said)
    assert collection.nights == board.nights


# The programs


class SheetHome(Home):
    """A board whose folder of sheets can fail."""

    def __init__(self, folder: Path, control: Control, sheets: Path) -> None:
        super().__init__(folder, TUNED_PROGRAM)
        self.control = control
        self.sheets = sheets
        self.configure(f'[sheets]\nto = "{sheets}"\n')

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**super().environment(more), **self.control.environment(self.sheets)}


@pytest.fixture
def home(tmp_path: Path, folder: Path) -> Iterator[SheetHome]:
    control = Control(tmp_path / "control")
    yield SheetHome(tmp_path, control, folder)
    control.heal()
    control.close()


def play_at(daemon: Daemon) -> None:
    daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    daemon.do(do="end")


def health_of(daemon: Daemon) -> str:
    return str(daemon.ask("GET", "/healthz").json.get("message", ""))


@pytest.mark.parametrize(
    ("kinds", "error"),
    [
        (Kind.WRITE, errno.ENOSPC),
        (Kind.OPEN | Kind.NAME, errno.EROFS),
        (Kind.OPEN, errno.EACCES),
        (Kind.SYNC, errno.EIO),
    ],
)
def test_a_folder_that_fails_is_never_felt_at_the_table(
    home: SheetHome, kinds: Kind, error: int
) -> None:
    home.control.fail(kinds, ALL_FILES, error)
    with home.daemon() as daemon:
        play_at(daemon)
        wait_until("it fails", lambda: home.control.failed > 0)
        play_at(daemon)
        assert daemon.state["night"] == 2
        assert not any(file.suffix == ".jsonl" for file in home.sheets.iterdir())
        home.control.heal()
        wait_until("it is written", lambda: len(names(home.sheets)) == 2)
        assert daemon.stop()[0] == 0


def test_a_folder_that_hangs_is_never_felt_at_the_table(home: SheetHome) -> None:
    home.control.fail(Kind.SYNC, ALL_FILES, 0)
    with home.daemon() as daemon:
        play_at(daemon)
        wait_until("it hangs", lambda: home.control.failed > 0)
        play_at(daemon)
        assert daemon.state["night"] == 2
        wait_until("it is said", lambda: "does not respond" in health_of(daemon))
        play_at(daemon)
        assert daemon.stop()[0] == 0
    home.control.heal()
    with home.daemon():
        wait_until("it is written", lambda: len(names(home.sheets)) == 3)


@pytest.mark.parametrize("kind", [Kind.WRITE, Kind.SYNC, Kind.NAME])
def test_a_sheet_is_there_whole_or_not_at_all(
    home: SheetHome, collection: Machine, kind: Kind
) -> None:
    home.control.fail(kind, ALL_FILES, 0)
    with home.daemon() as daemon:
        play_at(daemon)
        wait_until("it is being written", lambda: home.control.failed > 0)
        assert all(name.startswith(".") for name in names(home.sheets))
        daemon.kill()
    assert collection.collect(home.sheets) == []
    assert collection.nights == []
    home.control.heal()
    with home.daemon():
        wait_until("it is written", lambda: any(home.sheets.glob("*.jsonl")))
        assert len(names(home.sheets)) == 1
    assert collection.collect(home.sheets) == []
    assert collection.nights == [(["Anna", "Ben", "Clara"], 2)]


def test_a_collection_has_the_pages_of_nights_and_people_only(
    tmp_path: Path, board: Machine, folder: Path
) -> None:
    board.play()
    board.writer(folder).look()
    home = Home(tmp_path, TUNED_PROGRAM)
    home.configure(f'board = "none"\n[sheets]\nfrom = ["{folder}"]\n')
    with home.daemon() as daemon:
        assert "The nights are collected" in daemon.greeting
        wait_until("the night is there", lambda: len(daemon.get("/api/nights")) == 1)
        for path in ("/", "/tv"):
            answer = daemon.ask("GET", path)
            assert (answer.status, answer.headers["location"]) == (303, "./nights")
        for path in ("/nights", "/nights/1", "/statistics", "/rules"):
            answer = daemon.ask("GET", path)
            assert answer.status == 200
            assert b'href="/"' not in answer.body.partition(b"<nav>")[2]
        start = daemon.send(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        for answer in (start, daemon.ask("POST", "/api/pair", {"code": "1"})):
            assert answer.json["code"] == "no-table"
            assert "only collects nights" in answer.json["message"]
        remark = {"about": "night-deleted", "night": 1, "deleted": True}
        assert daemon.ask("POST", "/api/remarks", remark).json["code"] == "no-table"
        remark = {"about": "same-person", "name": "Ben", "called": "Benno"}
        assert daemon.ask("POST", "/api/remarks", remark).status == 204
        status = home.here("status")
        assert "1 night; the last one is over" in status.out
        assert "Board" not in status.out
