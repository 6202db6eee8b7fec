"""The pages of a club: the same answers as those of the boards, and a league over all."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pochboard.club import exchange
from pochboard.club.archive import ClubArchive
from pochboard.club.connection import open_club
from pochboard.club.keeper import keep_up
from pochboard.club.serving import club_server
from pochboard.config import Config
from pochboard.ledger.remarks import NightDate, NightDeleted, NightName, SamePerson
from pochboard.rulesets.catalog import load_catalog
from pochboard.server.server import Server
from pochboard.store import End, Piece, Store, chain
from tests.outside.postgres import NIGHT, Board, ClubDatabase
from tests.shell.server_kit import Answer, ask, check_as_declared, running_house, wait_until

SHEETS = Path(__file__).parent.parent / "nights"
OVER = [
    *NIGHT,
    {"do": "out", "seat": 2},
    {"do": "settle", "cards": {"1": 3, "3": 2}},
    {"do": "end"},
]


def kept(club: ClubDatabase) -> int:
    with open_club(club.owner) as reached:
        return keep_up(reached)


@pytest.fixture
def kitchen(club: ClubDatabase) -> Board:
    """A board whose ledger is at the club, and kept."""
    board = Board(club, "kitchen")
    for name in ("modern-b", "family-a", "pagat-a"):
        assert board.home.here("import", SHEETS / f"{name}.jsonl").status == 0
    board.home.book(*NIGHT)
    board.says("push")
    return board


def get(server: Server, path: str) -> Answer:
    answer = ask(server.port, "GET", path)
    if path.startswith("/api/"):
        check_as_declared("GET", path, answer)
    return answer


def test_a_club_answers_as_its_only_board_does(
    club: ClubDatabase, kitchen: Board, server: Server
) -> None:
    wait_until("all is kept", lambda: len(get(server, "/api/nights").json) == 5)
    numbers = [night["number"] for night in get(server, "/api/nights").json]
    paths = ["/api/statistics", "/api/league", "/api/league?from=2020-01-01&to=2020-12-31"]
    for number in numbers:
        night = f"/api/nights/{number}"
        paths += [
            night, f"{night}/milestones", f"{night}/picture", f"{night}/entries?pixels=1",
            f"{night}/settlement", f"{night}/sheet", f"{night}/csv", f"{night}/json",
            f"{night}/beancount", f"{night}/hledger", f"{night}/bgstats",
        ]  # fmt: skip
    home = kitchen.home.folder / "house"
    home.mkdir()
    (home / "ledger.db").write_bytes(kitchen.home.ledger.read_bytes())
    with running_house(home) as house:
        same = 0
        for path in paths:
            there, here = get(server, path), house.get(path)
            # The list and the head of a night say which board it is of.
            told = there.body.replace(b'"name":"kitchen"', b'"name":null')
            told = told.replace("kitchen · ".encode(), b"")
            assert (there.status, told) == (here.status, here.body), path
            same += 1
    assert same == 3 + 11 * 5


def test_boards_share_a_league_and_a_list(club: ClubDatabase, server: Server) -> None:
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    for board in (kitchen, den):
        board.home.book(*OVER)
        board.says("push")
    wait_until("both are kept", lambda: get(server, "/api/league").json["nights"] == 2)
    rows = {row["name"]: row for row in get(server, "/api/league").json["rows"]}
    assert set(rows) == {"Anna", "Jörg", "Clara"}
    assert {row["nights"] for row in rows.values()} == {2}
    assert sum(row["net"] for row in rows.values()) % 2 == 0
    names = [night["name"] for night in get(server, "/api/nights").json]
    assert sorted(names) == ["den", "kitchen"]
    page = get(server, "/")
    assert "Anna" in page.body.decode()
    assert "League" in page.body.decode()
    assert get(server, "/league?year=1999").body.decode().count("<tr>") == 0
    assert get(server, "/api/league?from=yesterday").status == 400

    # A night that ends later, and one that is played on, are kept again.
    den.home.book({"do": "undo"})
    den.says("push")
    wait_until("it is open again", lambda: get(server, "/api/league").json["nights"] == 1)


def test_people_are_called_what_the_owner_says(club: ClubDatabase, server: Server) -> None:
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    for board in (kitchen, den):
        board.home.book(*OVER)
        board.says("push")
    owner = club.words(club.owner)

    def says(*words: str) -> str:
        ran = kitchen.home.here("club", "people", *owner, *words)
        assert (ran.status, ran.err) == (0, ""), ran
        return ran.out

    def names() -> set[str]:
        return {row["name"] for row in get(server, "/api/league").json["rows"]}

    wait_until("both are kept", lambda: get(server, "/api/league").json["nights"] == 2)
    assert says() == ""
    says("--board", "den", "Anna", "Annette")
    says("Jörg", "Guest")
    assert says("Clara", "Guest").splitlines() == [
        "Anna is shown as Annette at den.", "Jörg is shown as Guest.", "Clara is shown as Guest.",
    ]  # fmt: skip
    wait_until("it is seen", lambda: names() == {"Anna", "Annette", "Guest", "Guest 2"})
    # Nor is the name anywhere in the night.
    numbers = {night["name"]: night["number"] for night in get(server, "/api/nights").json}
    for path in ("", "/entries?pixels=1", "/sheet", "/json", "/csv", "/picture"):
        text = get(server, f"/api/nights/{numbers['den']}{path}").body.decode()
        assert not re.search("Jörg|J\\\\u00f6rg|Clara|Anna\\b", text), path
    says("Clara", "Clara")
    assert "Clara" not in says("Jörg", "Jörg")
    wait_until("it is taken back", lambda: names() == {"Anna", "Annette", "Clara", "Jörg"})
    assert "has no board attic" in kitchen.home.here(
        "club", "people", *owner, "--board", "attic", "A", "B"
    ).said  # fmt: skip


def test_what_people_say_at_a_board_holds_in_the_club(club: ClubDatabase, server: Server) -> None:
    board = Board(club, "kitchen")
    board.home.book(*OVER)
    with Store.open(board.home.ledger) as store:
        store.add_remark(NightName(1, "Ostern"), 1)
        store.add_remark(NightDate(1, 1_600_000_000_000), 2)
        store.add_remark(SamePerson("Anna", "Anne"), 3)
    board.says("push")
    wait_until("it is kept", lambda: get(server, "/api/nights").json)
    (night,) = get(server, "/api/nights").json
    assert (night["name"], night["started_ms"]) == ("kitchen: Ostern", 1_600_000_000_000)
    league = get(server, "/api/league?from=2020-09-01&to=2020-09-30").json
    assert (league["years"], league["nights"], len(league["rows"])) == ([2020], 1, 3)
    assert "Anne" in {row["name"] for row in league["rows"]}
    with Store.open(board.home.ledger) as store:
        store.add_remark(NightDeleted(1, deleted=True), 4)
    board.says("push")
    wait_until("it is deleted", lambda: get(server, "/api/nights").json == [])
    assert get(server, "/api/league").json["rows"] == []


def test_a_night_in_two_branches_or_at_two_boards_counts_once(club: ClubDatabase) -> None:
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    kitchen.home.book(*OVER)
    kitchen.says("push")
    sheet = kitchen.home.folder / "night.jsonl"
    sheet.write_text(kitchen.home.here("export", "--format", "sheet").out)
    assert den.home.here("import", sheet).status == 0
    den.says("push")
    kitchen.home.here("club", "add-board", *club.words(club.owner), "--branch", "kitchen")
    kitchen.home.book(*NIGHT)
    kitchen.says("push")
    assert kept(club) == 4
    assert kept(club) == 0
    archive = ClubArchive(club.owner)
    try:
        names = archive.remarks().names
        assert [names[night.number] for night in archive.each()] == ["kitchen", "kitchen"]
        assert len(archive.statistics().nights) == 1
    finally:
        archive.close()


def test_a_clock_that_was_wrong_is_marked(
    club: ClubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Board(club, "kitchen")
    monkeypatch.setattr("pochboard.table.journal.now_ms", lambda: 4_000_000_000_000, raising=False)
    monkeypatch.setattr("pochboard.table.clock.time.time_ns", lambda: 4_000_000_000_000_000_000)
    board.home.book(*OVER)
    monkeypatch.undo()
    board.says("push")
    kept(club)
    archive = ClubArchive(club.owner)
    try:
        (night,) = archive.each()
        assert archive.remarks().names == {night.number: "≈ kitchen"}
        with open_club(club.owner) as reached:
            row = reached.connection.execute("SELECT received FROM club.entries").fetchone()
        assert row is not None
        assert night.started_ms == round(row[0].timestamp() * 1000)
        entries = archive.night(night.number).stored.entries
        assert entries[0].time_ms == night.started_ms
    finally:
        archive.close()


def test_a_board_that_lies_does_not_count(club: ClubDatabase) -> None:
    board = Board(club, "kitchen")
    board.home.book(*OVER)
    # Somebody forges the board's own ledger, with a chain that holds.
    with Store.open(board.home.ledger, readonly=True) as store, store.outbox() as outbox:
        piece = outbox.after(End(0, outbox.ledger, 0, outbox.ledger), 100)
        before, forged = outbox.ledger, []
        night = tuple(v.encode() if isinstance(v, str) else v for v in piece.nights[0])
        for row in piece.entries:
            text = row[4].replace('"chips":2', '"chips":2000')
            columns: Any = (*row[:4], text, *row[5:8])
            as_bytes = tuple(v.encode() if isinstance(v, str) else v for v in columns)
            before = chain.link(before, as_bytes, night if row[2] == 1 else None)
            forged.append((*columns, before))
        ledger = outbox.ledger
    with open_club(board.table) as reached, reached.work() as connection:
        branch = exchange.find_branch(connection, ledger)
        exchange._put(connection, branch.number, Piece(piece.nights, forged, []))
    assert kept(club) == 1
    archive = ClubArchive(club.owner)
    try:
        (night_summary,) = archive.each()
        assert night_summary.status == "damaged"
        assert archive.statistics().nights == []
    finally:
        archive.close()


def test_nothing_can_be_changed_through_the_pages(kitchen: Board, server: Server) -> None:
    for method, path, body in [
        ("POST", "/api/commands", {"do": "deal"}),
        ("POST", "/api/remarks", {"about": "night-name", "night": 1, "name": "x"}),
        ("GET", "/api/backup", None),
    ]:
        assert ask(server.port, method, path, body).status == 401, path


def test_a_reader_shows_everything_and_changes_no_ledger(
    club: ClubDatabase, kitchen: Board, tmp_path: Path
) -> None:
    reader = club.table(f"{club.name}_web", "w")
    role = f"CREATE ROLE {club.name}_web LOGIN PASSWORD 'w' IN ROLE {club.name}_readers"
    with club.connect(club.owner) as owner:
        owner.execute(role.encode())
    with open_club(reader) as reached:
        assert keep_up(reached) == 5
        for change in [
            "DELETE FROM club.entries",
            "INSERT INTO club.people (name, called) VALUES ('a', 'b')",
            "UPDATE club.boards SET name = 'x'",
            "SELECT * FROM club.ledgers",
            "INSERT INTO club.branches (board) VALUES (1)",
            "INSERT INTO club.tournaments (name) VALUES ('x')",
            "UPDATE club.tables SET names = '{A,B,C}'",
        ]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reached.connection.execute(change.encode())
    with club_server(
        Config(data=tmp_path / "none", port=0, club=reader), load_catalog(tmp_path)
    ) as running:
        assert len(get(running, "/api/nights").json) == 5


def test_a_machine_without_postgresql_serves_its_own_ledger(kitchen: Board, tmp_path: Path) -> None:
    config = Config(data=kitchen.home.data, port=0)
    with club_server(config, load_catalog(tmp_path)) as running:
        assert len(get(running, "/api/nights").json) == 5
        assert "Anna" in get(running, "/").body.decode()
        assert get(running, "/nights/1").status == 200


def test_the_pages_are_served_until_somebody_stops_them(club: ClubDatabase, kitchen: Board) -> None:
    words = ("serve", "--port", "0", *club.words(club.owner))
    running = kitchen.home.launch(*words, command="club")
    try:
        assert running.process.stdout is not None
        lines = [running.process.stdout.readline().decode() for _ in range(2)]
        assert lines[-1] == "The club is open. Ctrl-C stops it.\n", running.errors
        running.port = int(lines[0].strip().rpartition(":")[2].rstrip("/"))
        wait_until("all is kept", lambda: len(running.get("/api/nights")) == 5)
        assert running.stop(signal.SIGINT) == (0, "")
        assert running.errors == ""
    finally:
        running.close()
    wrong = kitchen.home.here("club", "serve", "--url", club.owner.url)
    assert "wants a password" in wrong.said
