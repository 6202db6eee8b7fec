"""Boards and their club in a real PostgreSQL (docs/CLUB.md)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace
from psycopg import Connection

from pochboard.club import exchange
from pochboard.club.connection import open_club
from pochboard.config import ClubTable
from pochboard.errors import ClubError, ConfigError, DamagedLedgerError
from pochboard.ledger.remarks import NightName
from pochboard.store import Store
from tests.outside.postgres import NIGHT, Board, ClubDatabase, Postgres
from tests.shell.daemons import Home


@pytest.fixture
def kitchen(club: ClubDatabase) -> Board:
    board = Board(club, "kitchen")
    board.home.book(*NIGHT)
    return board


def test_a_club_is_made_and_used_as_the_documentation_says(
    postgres: Postgres, tmp_path: Path
) -> None:
    club = postgres.make_club(tmp_path)
    owner, home = club.words(club.owner), Home(tmp_path / "owner")
    assert "is ready" in home.here("club", "init", *owner).out
    assert "up to date" in home.here("club", "init", *owner).out
    assert "no boards yet" in home.here("club", "status", *owner).out
    file = tmp_path / "kitchen.password"
    added = home.here("club", "add-board", *owner, "--to", file, "kitchen")
    assert (added.status, added.err) == (0, "")
    assert (file.stat().st_mode & 0o777, len(file.read_text())) == (0o600, 33)
    assert file.read_text().strip() not in added.out
    settings = added.out.partition("\n")[2].replace("/etc/pochboard/", f"{tmp_path}/")

    board = Home(tmp_path / "kitchen")
    board.configure(settings)
    board.book(*NIGHT)
    assert board.here("club", "status").out == "The club lacks 7 entries of kitchen.\n"
    assert board.here("club", "push").out == "7 entries were sent.\n"
    assert board.here("club", "push").out == "The club has everything already.\n"
    assert "has 7 entries of kitchen: all" in board.here("club", "status").out
    assert board.here("club", "check").out == "The club is sound: 7 entries.\n"
    assert "kitchen: 7 entries, the last one" in home.here("club", "status", *owner).out
    assert home.here("club", "check", *owner).out == "The club is sound: 7 entries.\n"

    # No password is in any log, although the server logs every statement.
    assert file.read_text().strip() not in postgres.log
    assert "exists already" in home.here("club", "add-board", *owner, "--to", file, "den").said
    assert "There is a user" in home.here("club", "add-board", *owner, "kitchen").said
    assert not Path("kitchen.password").exists()
    new = tmp_path / "new.password"
    renewed = home.here("club", "add-board", *owner, "--renew", "--to", new, "kitchen")
    assert (renewed.status, renewed.err) == (0, "")
    assert "refuses the user or the password" in board.here("club", "status").said
    new.replace(file)
    assert "all that this ledger has" in board.here("club", "status").out


def test_an_older_backup_fetches_what_it_lacks(kitchen: Board) -> None:
    backup = kitchen.home.ledger.read_bytes()
    kitchen.home.book({"do": "undo"}, {"do": "redo"})
    with Store.open(kitchen.home.ledger) as store:
        store.add_remark(NightName(1, "Ostern"), 1_000_000_000_000)
    kitchen.says("push")
    rows = kitchen.entries()
    shutil.rmtree(kitchen.home.data)
    kitchen.home.data.mkdir()
    kitchen.home.ledger.write_bytes(backup)
    assert "The club has 3 entries more than this ledger" in kitchen.refuses("push")
    assert kitchen.says("fetch") == "2 entries were fetched.\n"
    assert kitchen.entries() == rows
    assert kitchen.says("fetch") == "The club has no more than this ledger.\n"
    # It plays on, and is sent as before.
    kitchen.home.book({"do": "undo"})
    assert kitchen.says("push") == "1 entry was sent.\n"


def test_an_empty_folder_gets_the_whole_ledger(kitchen: Board) -> None:
    kitchen.home.book({"do": "void"}, {"do": "end"})
    kitchen.says("push")
    rows = kitchen.entries()
    before = kitchen.home.here("nights").out
    shutil.rmtree(kitchen.home.data)
    assert kitchen.says("fetch") == "9 entries were fetched.\n"
    assert kitchen.entries() == rows
    assert kitchen.home.here("nights").out == before
    assert "is sound" in kitchen.home.here("verify", "--replay").out
    assert kitchen.says("push") == "The club has everything already.\n"


def test_a_fork_is_refused_until_a_branch_is_opened(club: ClubDatabase, kitchen: Board) -> None:
    backup = kitchen.home.ledger.read_bytes()
    kitchen.home.book({"do": "undo"})
    kitchen.says("push")
    shutil.rmtree(kitchen.home.data)
    kitchen.home.data.mkdir()
    kitchen.home.ledger.write_bytes(backup)
    kitchen.home.book({"do": "undo"}, {"do": "redo"})
    for command in ("push", "status", "fetch"):
        assert "go on differently" in kitchen.refuses(command)
    owner = club.words(club.owner)
    opened = kitchen.home.here("club", "add-board", *owner, "--branch", "kitchen")
    assert (opened.status, opened.err) == (0, "")
    assert kitchen.says("push") == "9 entries were sent.\n"
    assert kitchen.says("check") == "The club is sound: 17 entries.\n"
    listed = kitchen.home.here("club", "status", *owner).out
    assert [line.partition(",")[0] for line in listed.splitlines()] == [
        "kitchen: 8 entries", "kitchen: 9 entries",
    ]  # fmt: skip


def test_a_copied_card_does_not_pass_for_its_board(club: ClubDatabase, kitchen: Board) -> None:
    kitchen.says("push")
    den = Board(club, "den")
    den.home.data.mkdir(parents=True)
    den.home.ledger.write_bytes(kitchen.home.ledger.read_bytes())
    assert "another board has this ledger already" in den.refuses("push")


def test_a_ledger_of_another_kind_forks(kitchen: Board) -> None:
    kitchen.says("push")
    shutil.rmtree(kitchen.home.data)
    kitchen.home.book(*NIGHT[:2])
    assert "go on differently" in kitchen.refuses("push")


# A board that lies


ENTRIES = (
    "INSERT INTO club.entries (branch, position, night, number, time_ms, command, postings, chain)"
)
ATTACKS = {
    "change an entry": "UPDATE club.entries SET command = '{}'",
    "delete entries": "DELETE FROM club.entries",
    "empty a table": "TRUNCATE club.entries",
    "replace an entry": ENTRIES + " SELECT branch, position, night, number, time_ms, '{}',"
    " postings, chain FROM club.entries ON CONFLICT (branch, position) DO UPDATE SET id = 'x'",
    "an entry with a wrong chain": ENTRIES + " SELECT branch, max(position) + 1, 1,"
    " max(number) + 1, 0, '{}', '[]', '\\x00' FROM club.entries GROUP BY branch",
    "leave an entry out": ENTRIES + " SELECT branch, max(position) + 2, 1, max(number) + 1, 0,"
    " '{}', '[]', '\\x00' FROM club.entries GROUP BY branch",
    "append to another board": ENTRIES + " VALUES (2, 1, 1, 1, 0, '{}', '[]', '\\x00')",
    "an entry of a night that is not there": ENTRIES + " SELECT branch, max(position) + 1, 9, 1, 0,"
    " '{}', '[]', '\\x00' FROM club.entries GROUP BY branch",
    "a night out of order": "INSERT INTO club.nights (branch, number, started_ms, ruleset, heard,"
    " imported) VALUES (1, 9, 0, '{}', '{}', 0)",
    "a night for another board": "INSERT INTO club.nights (branch, number, started_ms, ruleset,"
    " heard, imported) VALUES (2, 1, 0, '{}', '{}', 0)",
    "change a night": "UPDATE club.nights SET started_ms = 0",
    "a remark with a wrong chain": "INSERT INTO club.remarks (branch, number, time_ms, remark,"
    " chain) VALUES (1, 1, 0, '{}', '\\x00')",
    "a remark for another board": "INSERT INTO club.remarks (branch, number, time_ms, remark,"
    " chain) VALUES (2, 1, 0, '{}', '\\x00')",
    "copy entries in": "COPY club.entries FROM STDIN",
    "take another ledger": "UPDATE club.branches SET ledger = sha256('x')",
    "become another board": "UPDATE club.branches SET board = 2",
    "rename itself": "UPDATE club.boards SET name = 'den'",
    "open a branch": "INSERT INTO club.branches (board) VALUES (1)",
    "add a board": "INSERT INTO club.boards (name, role) VALUES ('x', current_user)",
    "claim a ledger": "INSERT INTO club.ledgers VALUES (sha256('x'), 1)",
    "read all ledgers": "SELECT * FROM club.ledgers",
    "switch the triggers off": "SET session_replication_role = replica",
    "drop a trigger": "DROP TRIGGER check_entry ON club.entries",
    "disable the triggers": "ALTER TABLE club.entries DISABLE TRIGGER ALL",
    "disable the policies": "ALTER TABLE club.entries DISABLE ROW LEVEL SECURITY",
    "replace a function": "CREATE OR REPLACE FUNCTION club.check_entry() RETURNS trigger LANGUAGE"
    " plpgsql AS 'BEGIN RETURN NEW; END'",
    "make a function of its own": "CREATE FUNCTION public.sha256(bytea) RETURNS bytea LANGUAGE sql"
    " AS 'SELECT $1'",
    "make a schema": "CREATE SCHEMA mine",
    "make a temporary table": "CREATE TEMPORARY TABLE entries (x int)",
    "call a trigger": "SELECT club.check_ledger()",
    "be the owner": "SET ROLE owner",
    "be all boards": "GRANT {club}_boards TO current_user WITH ADMIN OPTION",
    "give itself rights": "GRANT ALL ON club.entries TO PUBLIC",
    "make a user": "CREATE ROLE me LOGIN",
    "change another's password": "ALTER ROLE {club}_board_den PASSWORD 'x'",
    "read passwords": "SELECT rolpassword FROM pg_authid",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "look at others' statements": "SELECT 1 / count(*) FROM pg_stat_activity"
    " WHERE usename <> current_user AND query LIKE '%SELECT%'",
    "end the others": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE usename = 'owner'",
    "read tournaments": "SELECT * FROM club.tournaments",
    "sit elsewhere": "UPDATE club.tables SET names = '{A,B,C}'",
    "remove a tournament": "DELETE FROM club.tournaments",
    "lock everybody out": "LOCK TABLE club.branches IN EXCLUSIVE MODE",
    "change the version": "UPDATE club.version SET version = 99",
}  # fmt: skip
"""What a board may try with its own password; each must fail."""


RIGHTS = "SELECT relname, relacl::text FROM pg_class ORDER BY 1"
ALL_ENTRIES = "SELECT * FROM club.entries ORDER BY branch, position"


def test_a_board_can_append_its_own_entries_and_nothing_else(club: ClubDatabase) -> None:
    kitchen, den = Board(club, "kitchen"), Board(club, "den")
    for board in (kitchen, den):
        board.home.book(*NIGHT)
        board.says("push")
    with open_club(club.owner) as owner, club.connect(kitchen.table) as attacker:
        queries = (ALL_ENTRIES, RIGHTS, "SELECT * FROM club.branches", "SELECT * FROM pg_roles")
        before = [owner.connection.execute(query).fetchall() for query in queries]
        assert len(before[0]) == 14
        succeeded = {name for name, attack in ATTACKS.items() if _attack(attacker, attack, club)}
        # Neither is an error: the one finds no row, the other gives no right.
        assert succeeded == {"take another ledger", "give itself rights"}
        assert [owner.connection.execute(query).fetchall() for query in queries] == before
        assert attacker.execute("SELECT DISTINCT branch FROM club.entries").fetchall() == [(1,)]
        assert attacker.execute("SELECT name FROM club.boards").fetchall() == [("kitchen",)]
    assert kitchen.says("check") == "The club is sound: 7 entries.\n"


def _attack(attacker: Connection, attack: str, club: ClubDatabase) -> bool:
    statement = attack.replace("{club}", club.name).encode()
    try:
        with attacker.transaction():
            if attack.endswith("FROM STDIN"):
                with attacker.cursor().copy(statement) as copy:
                    copy.write_row((1, 8, 1, 8, 0, "{}", None, None, "[]", b"", "now"))
            else:
                attacker.execute(statement)
    except psycopg.Error:
        return False
    return True


def test_the_owner_cannot_change_entries_by_mistake(club: ClubDatabase, kitchen: Board) -> None:
    kitchen.says("push")
    with open_club(club.owner) as owner:
        for change in ("UPDATE club.entries SET id = 'x'", "DELETE FROM club.entries",
                       "TRUNCATE club.remarks"):  # fmt: skip
            with pytest.raises(psycopg.Error, match="never changed"):
                owner.connection.execute(change.encode())


def test_what_somebody_changed_with_all_rights_is_found(
    club: ClubDatabase, kitchen: Board, postgres: Postgres
) -> None:
    kitchen.says("push")
    with postgres.connect(club.name) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE club.entries SET time_ms = 7 WHERE position = 4")
    assert "Night 1, entry 4 is damaged" in kitchen.refuses("check")
    with open_club(kitchen.table) as reached:
        branch = exchange.find_branch(reached.connection, None)
        with pytest.raises(DamagedLedgerError):
            list(exchange.fetch(reached, branch, branch.beginning))


def test_every_entry_of_the_shipped_sheets_is_proven(club: ClubDatabase) -> None:
    board = Board(club, "kitchen")
    sheets = sorted((Path(__file__).parent.parent / "nights").glob("*.jsonl"))[::3]
    for sheet in sheets:
        assert board.home.here("import", "--again", sheet).status == 0
    said = board.says("push")
    count = int(said.split()[0])
    assert count > 500
    assert board.says("check") == f"The club is sound: {count:,} entries.\n".replace(",", "")


# What can be wrong


def test_what_is_wrong_is_said(club: ClubDatabase, kitchen: Board, tmp_path: Path) -> None:
    def says(table: ClubTable) -> str:
        with (
            pytest.raises((ClubError, ConfigError)) as error,
            open_club(table) as reached,
            reached.work() as connection,
        ):
            exchange.find_branch(connection, None)
        return str(error.value)

    table = kitchen.table
    wrong = tmp_path / "wrong"
    wrong.write_text("guess")
    wrong.chmod(0o600)

    assert "refuses the user or the password" in says(replace(table, password_file=str(wrong)))
    wrong.chmod(0o640)
    assert "Others may read the password" in says(replace(table, password_file=str(wrong)))
    assert "cannot be read" in says(replace(table, password_file="/nowhere"))
    assert "wants a password" in says(replace(table, password_file=""))
    assert "nothing listens" in says(
        replace(table, url=table.url.replace(str(club.server.port), "1"))
    )
    assert "its name cannot be resolved" in says(
        replace(table, url="postgresql://kitchen@club.invalid/club")
    )
    assert "none of the club's boards" in says(club.owner)
    assert "Run there: pochboard club init" in says(club.server.make_club(tmp_path).owner)
    assert "club.url is empty" in says(ClubTable())


def test_the_certificate_of_a_club_elsewhere_is_checked(
    club: ClubDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.club.connection._is_near", lambda _: False)
    right = replace(club.owner, ca=str(club.server.folder / "certificate"))
    with open_club(right) as reached:
        assert reached.connection.pgconn.ssl_in_use
    for table, reason in [
        (club.owner, "its certificate is refused"),
        (replace(right, ca="/nowhere.pem"), "/nowhere.pem"),
        (replace(right, url=right.url.replace("127.0.0.1", "127.0.0.2")), "another name"),
    ]:
        with pytest.raises(ClubError, match=reason), open_club(table):
            pass


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://kitchen:secret@club.example/club", "club.example", "mysql://kitchen@x/y",
        "postgresql://kitchen@club.example/club?sslmode=disable", "postgresql://a@b,c/club",
    ],
)  # fmt: skip
def test_an_address_has_no_password_and_no_options(tmp_path: Path, url: str) -> None:
    home = Home(tmp_path)
    home.configure(f'[club]\nurl = "{url}"\n')
    ran = home.here("club", "status")
    assert "club.url must be an address without a password" in ran.err
    assert "secret" not in ran.err
    home.configure("")
    assert "--url must be an address" in home.here("club", "push", "--url", url).err


def test_nothing_of_it_is_loaded_while_it_is_off() -> None:
    program = "import sys, pochboard.cli, pochboard.daemon.daemon; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = ran.stdout.decode().split()
    assert "pochboard.daemon.daemon" in loaded
    assert [name for name in loaded if name.startswith(("psycopg", "pochboard.club"))] == []


def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("pochboard.club.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = Home(tmp_path).here("club", "status", "--url", "postgresql:///club").err
    assert f"needs psycopg. Install it with: {sys.executable} -m pip install 'psycopg" in said
