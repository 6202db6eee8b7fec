"""Daemons that send their ledgers to a club, whatever happens to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from pochboard.club import admin, exchange
from pochboard.club.connection import open_club
from pochboard.club.sender import Sender
from pochboard.club.serving import club_server
from pochboard.config import ClubTable, Config
from pochboard.errors import ClubError
from pochboard.rulesets.catalog import load_catalog
from pochboard.store import End, Store
from tests.outside.postgres import NIGHT, Board, ClubDatabase, Postgres
from tests.shell.server_kit import Answer, House, ask, running_house, wait_until


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The senders of this process do not wait for more."""
    monkeypatch.setattr("pochboard.club.sender._SOON_S", 0.02)
    monkeypatch.setattr("pochboard.club.sender._AGAIN_S", (0.1,))


@pytest.fixture(scope="session")
def own() -> Iterator[Postgres]:
    """A server that the tests start and end."""
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with running_house(tmp_path / "house") as running:
        yield running


@contextmanager
def sending(house: House, table: ClubTable) -> Iterator[Sender]:
    sender = Sender(house.table, house.table._store, table)
    sender.start()
    try:
        yield sender
    finally:
        sender.close()


def play(house: House) -> None:
    for command in NIGHT:
        assert house.command(**command).status == 200


def ends(club: ClubDatabase) -> dict[str, End]:
    """By board, the end of what the club has."""
    with open_club(club.owner) as reached, reached.work() as connection:
        return {line.branch.board: line.branch.end for line in admin.branches(connection)}


def has_all(club: ClubDatabase, house: House) -> bool:
    with house.table._store.outbox() as outbox:
        return outbox.end() in ends(club).values()


def test_two_daemons_send_what_is_played(club: ClubDatabase) -> None:
    boards = [Board(club, "kitchen"), Board(club, "den")]
    boards[1].home.book(*NIGHT)
    with boards[0].home.daemon() as kitchen, boards[1].home.daemon() as den:
        wait_until("the old entries", lambda: ends(club)["den"].position == len(NIGHT))
        for command in NIGHT[:4]:
            kitchen.do(**command)
        den.do(do="undo")
        wait_until("the new ones", lambda: ends(club)["kitchen"].position == 4)
        wait_until("the undo", lambda: ends(club)["den"].position == len(NIGHT) + 1)
        status = boards[0].home.cli("status").out
        assert "  Club:    The club has 4 entries of kitchen: all that this ledger has." in status
        assert "of kitchen: all that this ledger has." in boards[0].home.cli("doctor").out
        kitchen.kill()
        for board in boards:
            secret = Path(board.table.password_file).read_text().strip()
            lines = Path(f"/proc/{den.process.pid}/cmdline").read_text()
            assert secret not in lines + kitchen.errors + den.errors + club.server.log
    with boards[0].home.daemon() as kitchen:
        kitchen.do(do="undo")
        wait_until("what came after", lambda: ends(club)["kitchen"].position == 5)
    assert all("is sound" in board.says("check") for board in boards)


def test_a_club_that_is_killed_in_the_middle_gets_everything_once(
    own: Postgres, house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with own:
        club = own.make_club(tmp_path)
        club.init()
        table = club.add("kitchen")
        with sending(house, table):
            play(house)
            wait_until("it has them", lambda: has_all(club, house))
            own.__exit__()
            for _ in range(20):
                house.command(do="undo")
                house.command(do="redo")
            wait_until("it is missed", lambda: caplog.records)
            own.__enter__()
            wait_until("it has the others", lambda: has_all(club, house))
            wait_until("it says so", lambda: "can be used again" in caplog.text)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * len(caplog.records)
    assert len(caplog.records) <= 4, caplog.text


def test_a_club_that_is_killed_while_it_stores_has_whole_batches(
    own: Postgres, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "BATCH", 5)
    play(house)
    for _ in range(100):
        house.command(do="undo")
        house.command(do="redo")
    with own:
        club = own.make_club(tmp_path)
        club.init()
        table = club.add("kitchen")

        def kill(done: float) -> None:
            if done > 0.5:
                own.__exit__()

        with house.table._store.outbox() as outbox:
            with open_club(table) as reached, pytest.raises(ClubError):
                exchange.push(reached, outbox, kill)
            own.__enter__()
            stored = ends(club)["kitchen"].position
            assert stored % 5 == 0
            assert 0 < stored < outbox.end().position
            with open_club(table) as reached:
                assert exchange.push(reached, outbox) == outbox.end().position - stored
            with open_club(table) as reached:
                branch = exchange.find_branch(reached.connection, None)
                assert list(admin.check(reached, branch))[-1] == outbox.end().position


def test_a_club_that_hangs_keeps_nobody_waiting(
    own: Postgres, house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    monkeypatch.setattr("pochboard.club.connection.ANSWER_S", 1)
    monkeypatch.setattr("pochboard.club.connection.WORK_S", 1)
    with own:
        club = own.make_club(tmp_path)
        club.init()
        table = club.add("kitchen")
        with sending(house, table):
            with own.hanging():
                play(house)
                wait_until("it is missed", lambda: "it does not answer" in caplog.text)
                house.command(do="undo")
            wait_until("it has all", lambda: has_all(club, house))
        with own.hanging(), sending(house, table):
            house.command(do="redo")
    assert "does not end" not in caplog.text


def test_a_club_that_hangs_in_the_middle_is_given_up(own: Postgres, tmp_path: Path) -> None:
    with own:
        owner = own.make_club(tmp_path).owner
        with (
            open_club(owner) as club,
            pytest.raises(ClubError, match="it does not answer"),
            own.hanging(),
            club.work(0.3),
        ):
            pass  # the begin of the transaction hangs
        # So is one that somebody wants to leave, from outside.
        with open_club(owner) as club:
            leave = threading.Timer(0.1, club.hang_up)
            leave.start()
            with pytest.raises(ClubError, match="connection is lost"), own.hanging(), club.work():
                pass
            leave.join()


def test_the_pages_of_a_club_outlive_its_server(
    own: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.club.archive._FRESH_S", 0.0)
    monkeypatch.setattr("pochboard.club.keeper._AGAIN_S", (0.1,))
    with own:
        club = own.make_club(tmp_path)
        club.init()
        board = Board(club, "kitchen")
        board.home.book(*NIGHT)
        board.says("push")
        config = Config(data=tmp_path / "none", port=0, club=club.owner)
        with club_server(config, load_catalog(tmp_path)) as server:

            def get(path: str) -> Answer:
                return ask(server.port, "GET", path)

            wait_until("it is kept", lambda: get("/api/nights").json)
            own.__exit__()
            assert [night["name"] for night in get("/api/nights").json] == ["kitchen"]
            away = get("/api/nights/1")
            assert (away.status, away.code) == (503, "ledger")
            assert "The club at" in away.json["message"]
            own.__enter__()
            assert get("/api/nights/1").status == 200
            board.home.book({"do": "undo"})
            board.says("push")
            more = len(NIGHT) + 1
            wait_until("it is kept again", lambda: get("/api/nights").json[0]["entries"] == more)


def test_a_wrong_password_is_said_once(
    club: ClubDatabase, house: House, caplog: pytest.LogCaptureFixture
) -> None:
    table = club.add("kitchen")
    wrong = Path(table.password_file).with_name("wrong")
    wrong.write_text("stilles Wasser\n")
    wrong.chmod(0o600)
    with sending(house, replace(table, password_file=str(wrong))):
        play(house)
        wait_until("it is said", lambda: caplog.records)
        wrong.write_bytes(Path(table.password_file).read_bytes())
        wait_until("it has all", lambda: has_all(club, house))
    assert "refuses the user or the password" in caplog.records[0].getMessage()
    assert "stilles Wasser" not in caplog.text
    assert len(caplog.records) == 2


def test_weeks_without_a_club_are_sent_in_batches(
    club: ClubDatabase, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "BATCH", 50)
    play(house)
    for _ in range(150):
        house.command(do="undo")
        house.command(do="redo")
    with sending(house, club.add("kitchen")):
        wait_until("it has all", lambda: has_all(club, house))
    assert ends(club)["kitchen"].position == len(NIGHT) + 300


def test_a_daemon_with_an_older_backup_says_what_to_do(club: ClubDatabase) -> None:
    board = Board(club, "kitchen")
    board.home.book(*NIGHT[:3])
    backup = board.home.ledger.read_bytes()
    board.home.book(*NIGHT[3:])
    board.says("push")
    for path in board.home.data.iterdir():
        path.unlink()
    board.home.ledger.write_bytes(backup)
    with board.home.daemon() as daemon:
        sentence = "The club has 4 entries more than this ledger."
        wait_until("it is logged", lambda: sentence in daemon.errors)
        status = board.home.cli("status")
        assert f"! Club:    {sentence}" in status.out
        assert status.status == 1
        assert sentence in board.home.cli("doctor").out
        assert "is in use" in board.refuses("fetch")
        daemon.stop()
    assert board.says("fetch") == "4 entries were fetched.\n"


def test_a_daemon_without_a_club_sends_nothing(club: ClubDatabase, tmp_path: Path) -> None:
    board = Board(club, "kitchen")
    board.home.configure("")
    with board.home.daemon() as daemon:
        daemon.do(**NIGHT[0])
        tasks = Path(f"/proc/{daemon.process.pid}/task").glob("*/comm")
        names = [task.read_text().strip() for task in tasks]
        assert "table" in names
        assert "club" not in names
    with Store.open(board.home.ledger, readonly=True) as store:
        assert store.last_number() == 1
    assert ends(club)["kitchen"].position == 0
