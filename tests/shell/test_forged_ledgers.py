"""Ledgers that somebody has forged: what is not ours is refused by name, and nothing of it runs."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pochboard.backup.archive import write_archive
from pochboard.errors import DamagedLedgerError
from pochboard.store import Store, rows
from tests.shell.daemons import Home
from tests.shell.test_repair import nights_of
from tests.shell.unguarded import unguarded

NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"
Change = Callable[[sqlite3.Connection], object]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    assert home.here("import", NIGHT).status == 0
    return home


def forge(ledger: Path, change: Change) -> None:
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        change(connection)


def run(*statements: str) -> Change:
    def change(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return change


def sql_of(name: str, old: str, new: str) -> Change:
    """Changes the text of a part of the schema, but no row."""

    def change(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA writable_schema = ON")
        changed = connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ? AND sql LIKE ?",
            (old, new, name, f"%{old}%"),
        )
        assert changed.rowcount == 1

    return change


def header(offset: int, value: int) -> Change:
    """A number in the header of the file."""

    def change(connection: sqlite3.Connection) -> None:
        ((_, _, file),) = connection.execute("PRAGMA database_list")
        connection.close()
        with Path(file).open("r+b") as database:
            database.seek(offset)
            database.write(value.to_bytes(4, "big"))

    return change


def other_encoding(connection: sqlite3.Connection) -> None:
    """The same tables and rows, in UTF-16."""
    ((_, _, file),) = connection.execute("PRAGMA database_list")
    script = list(connection.iterdump())
    connection.close()
    Path(file).unlink()
    with closing(sqlite3.connect(file, isolation_level=None)) as new:
        new.execute("PRAGMA encoding = 'UTF-16le'")
        new.execute("PRAGMA writable_schema = ON")
        new.executescript("\n".join(script))
        new.execute(f"PRAGMA application_id = {rows.APPLICATION_ID}")
        new.execute(f"PRAGMA user_version = {rows.VERSION}")


def without_rowid(connection: sqlite3.Connection) -> None:
    """The same columns, stored in another way."""
    sql_of("summaries", "STRICT", "STRICT, WITHOUT ROWID")(connection)


SPY = (
    "CREATE TRIGGER spy AFTER INSERT ON pairings BEGIN"
    " INSERT INTO pairings (digest, label, paired_ms, used_ms) VALUES (x'31', 'x', 1, 1); END"
)
FORGERIES: dict[str, tuple[Change, str]] = {
    "a trigger that pairs": (run(SPY), "it has the trigger spy, which is not pochboard's"),
    "a trigger that swallows entries": (
        run("CREATE TRIGGER a BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END"),
        "it has the trigger a, which",
    ),
    "a trigger that was changed": (
        sql_of("entries_delete", "is never changed", "may be changed"),
        "its trigger entries_delete was changed",
    ),
    "a trigger of another table": (
        run(
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET tbl_name = 'nights' WHERE name = 'entries_delete'",
        ),
        "entries_delete",
    ),
    "a trigger without an end": (run("DROP TRIGGER remarks_update"), "it lacks the trigger remark"),
    "a view": (run("CREATE VIEW more AS SELECT 1"), "it has the view more, which"),
    "a table": (run("CREATE TABLE more (id)"), "it has the table more, which"),
    "a virtual table": (
        run("CREATE VIRTUAL TABLE more USING fts5 (words)"),
        "it has the table more, which",
    ),
    "an index": (run("CREATE INDEX more ON entries (time_ms)"), "it has the index more, which"),
    "an index on an expression": (
        run("CREATE INDEX more ON entries (length(command) * 2)"),
        "it has the index more, which",
    ),
    "a generated column": (
        run("ALTER TABLE summaries ADD COLUMN more TEXT AS (hex(zeroblob(9))) VIRTUAL"),
        "its table summaries was changed",
    ),
    "one more column": (
        run("ALTER TABLE pairings ADD COLUMN more TEXT"),
        "its table pairings was changed",
    ),
    "a default": (
        sql_of("summaries", "digest BLOB NOT NULL", "digest BLOB NOT NULL DEFAULT x''"),
        "its table summaries was changed",
    ),
    "another check": (sql_of("nights", "(0, 1)", "(0, 2)"), "its table nights was changed"),
    "another collation": (
        sql_of("entries", "id TEXT,", "id TEXT COLLATE NOCASE,"),
        "its table entries was changed",
    ),
    "another type": (
        sql_of("nights", "started_ms INTEGER", "started_ms ANY"),
        "its table nights was changed",
    ),
    "no types": (sql_of("nights", ") STRICT", ")"), "its table nights was changed"),
    "no rowid": (without_rowid, "its table summaries was changed"),
    "no reference": (
        sql_of("entries", " REFERENCES nights (number)", ""),
        "its table entries was changed",
    ),
    "an index on fewer rows": (
        sql_of("nights_played", "imported = 0", "imported = 1"),
        "its index nights_played was changed",
    ),
    "statistics for the planner": (run("ANALYZE"), "it has the table sqlite_stat1, which"),
    "a name with an escape": (
        run('CREATE TABLE "\x1b[2Jmore" (id)'),
        r"it has the table \?\[2Jmore, which",
    ),
    "a cache that takes all memory": (header(48, 2**30), "its default_cache_size was changed"),
    "another encoding": (other_encoding, "its encoding was changed"),
    "pages for a vacuum": (header(52, 3), "its auto_vacuum was changed"),
    "two ids": (
        run("INSERT INTO identity SELECT zeroblob(32) FROM nights"),
        "its id is not what was stored",
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_not_ours_is_refused_by_name(home: Home, name: str) -> None:
    change, says = FORGERIES[name]
    forged = home.folder / "forged.db"
    shutil.copyfile(home.ledger, forged)
    forge(forged, change)
    archive = home.folder / "forged.zip"
    write_archive(archive, {"ledger.db": forged}, made_ms=1, nights=2, entries=24, ledger="0" * 64)
    before = home.ledger.read_bytes()
    for file in (archive, forged):
        refused = home.here("restore", file)
        assert refused.status == 1
        assert "\x1b" not in refused.err
        assert re.search(says, refused.said), refused.said
        assert refused.said.startswith(f"The ledger in {file} is damaged (")
        # What is in place is sound, so nothing is said about that.
        assert refused.said.endswith("). Use another backup.")
    assert home.ledger.read_bytes() == before
    assert {path.name for path in home.data.iterdir()} <= {
        "ledger.db",
        "ledger.db-head",
        "daemon.lock",
    }


COMPUTING = {"an index on an expression", "a generated column"}
"""What would run while rows are read."""
IN_PLACE = (
    *("a trigger that pairs", "a trigger that was changed", "a trigger without an end", "a view"),
    *("another check", "no rowid", "another encoding", *sorted(COMPUTING)),
)


@pytest.mark.parametrize("name", IN_PLACE)
def test_the_ledger_in_place_is_refused_by_name_and_repaired(home: Home, name: str) -> None:
    change, says = FORGERIES[name]
    expected = nights_of(home.ledger)
    forge(home.ledger, change)
    with pytest.raises(DamagedLedgerError, match=says):
        Store.open(home.ledger)
    verified = home.here("verify")
    assert verified.status == 1
    assert re.search(says, verified.out + verified.err)
    if name == "another encoding":
        return  # no text of it is what was stored
    repaired = home.folder / "repaired.db"
    ran = home.here("repair", repaired)
    assert ran.status == 1
    if name in COMPUTING:
        assert ran.said.startswith("Nothing in this ledger can be read (")
        assert not repaired.exists()
        return
    assert nights_of(repaired) == expected
    assert home.here("restore", repaired).status == 0
    assert home.here("verify").status == 0


def test_a_daemon_with_a_forged_ledger_says_so_and_records_nothing(home: Home) -> None:
    forge(home.ledger, run(SPY))
    with home.daemon() as daemon:
        fault = daemon.state["fault"]
        assert fault["code"] == "damaged"
        assert "it has the trigger spy, which is not pochboard's" in fault["message"]
        assert len(daemon.get("/api/nights")) == 2, "its nights can be read"
        refused = daemon.ask("POST", "/api/commands", {"do": "start", "ruleset": "modern"})
        assert refused.status >= 400
        assert daemon.stop()[0] == 0


def test_what_would_run_while_it_is_read_is_not_read(home: Home) -> None:
    """A view in place of a table, which never ends."""
    forge(
        home.ledger,
        run(
            "DROP TABLE remarks",
            "DROP TABLE summaries",
            "CREATE VIEW summaries AS WITH RECURSIVE n (night) AS"
            " (SELECT 1 UNION ALL SELECT night + 1 FROM n) SELECT night, 1 AS digest FROM n",
        ),
    )
    verified = home.here("verify")
    assert verified.status == 1
    assert "it lacks the table remarks" in verified.said
    with home.daemon() as daemon:
        assert daemon.get("/api/nights") == []
        assert daemon.stop()[0] == 0


def test_a_night_longer_than_any_real_one_is_refused(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = home.folder / "forged.db"
    shutil.copyfile(home.ledger, forged)
    monkeypatch.setattr("pochboard.store.verify.MOST_ENTRIES", 5)
    assert "Night 1 has more than 5 entries." in home.here("restore", forged).said
    assert "Night 1 has more than 5 entries." in home.here("verify").out
    assert home.here("backup").status == 1
    monkeypatch.setattr("pochboard.store.verify.MOST_ENTRIES", 24)
    assert home.here("restore", forged).status == 0


def test_a_journal_beside_a_ledger_is_not_rolled_back(home: Home) -> None:
    forged = home.folder / "forged.db"
    shutil.copyfile(home.ledger, forged)
    journal = home.folder / "forged.db-journal"
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") * 100)
    refused = home.here("restore", forged)
    assert (refused.status, refused.said) == (
        1,
        (
            f"{forged} cannot be restored with forged.db-journal beside it, which pochboard never"
            " leaves. Move that away, and try again."
        ),
    )


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_cannot_be_read_beside_a_ledger_is_named(
    home: Home, suffix: str, make: Callable[[Path], None]
) -> None:
    forged = home.folder / "forged.db"
    shutil.copyfile(home.ledger, forged)
    beside = forged.with_name(f"forged.db{suffix}")
    make(beside)
    refused = home.here("restore", forged)
    assert refused.status == 1
    assert re.search(
        rf"{beside} cannot be read: not a regular|with {beside.name} beside", refused.said
    )
    in_use = home.ledger.with_name(f"ledger.db{suffix}")
    beside.rename(in_use)
    refused = home.here("repair", home.folder / "new.db")
    assert (refused.status, refused.said) == (1, f"{in_use} cannot be read: not a regular file.")


BAD_ROWS: dict[str, tuple[str, str]] = {
    "a number of text": ("UPDATE nights SET started_ms = 'x'", "started_ms"),
    "a text of bytes": ("UPDATE entries SET command = CAST(command AS BLOB)", "command"),
    "a text of a number": (
        "UPDATE entries SET postings = 7 WHERE position = 2",
        "Night 1, entry 2 is damaged",
    ),
    "a chain of text": ("UPDATE entries SET chain = 'x' WHERE position = 3", "chain"),
    "no ruleset": ("UPDATE nights SET ruleset = NULL", "NULL value in nights.ruleset|ruleset"),
    "a fraction": ("UPDATE entries SET time_ms = 1.5 WHERE position = 1", "time_ms"),
    "text that is not UTF-8": (
        "UPDATE entries SET command = CAST(x'ff' AS TEXT) WHERE position = 1",
        "UTF-8|not what was stored",
    ),
    "no position": ("UPDATE entries SET position = -5 WHERE position = 1", "in order"),
    "a gap": ("UPDATE entries SET position = 99 WHERE position = 24", "in order"),
    "another night": ("UPDATE entries SET night = 2, number = 77 WHERE position = 1", "in order"),
    "no such night": ("UPDATE entries SET night = 9 WHERE position = 24", "FOREIGN|in order"),
    "a night below 1": ("UPDATE nights SET number = -1 WHERE number = 1", "in order"),
    "imported twice": ("UPDATE nights SET imported = 2", "CHECK constraint"),
    "a huge text": (
        "UPDATE nights SET last_names = hex(zeroblob(3000000))",
        "string or blob too big",
    ),
    "a huge number": ("UPDATE entries SET time_ms = 9223372036854775807", "not what was stored"),
    "a summary of nobody": ("UPDATE summaries SET night = 77 WHERE night = 1", "FOREIGN"),
    "one more summary": (
        ("INSERT INTO summaries VALUES (77, '{}', x'')"),
        "FOREIGN",
    ),
    "a remark out of order": (
        "INSERT INTO remarks VALUES (5, 1, '{}', x'00')",
        "remarks are numbered in order",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_rows_that_we_never_write_are_refused_by_name(home: Home, name: str) -> None:
    change, says = BAD_ROWS[name]
    forged = home.folder / "forged.db"
    shutil.copyfile(home.ledger, forged)
    with unguarded(forged) as connection:
        kept = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql > ''").fetchall()
        connection.execute("PRAGMA writable_schema = ON")
        # The types, the checks and NOT NULL are taken away, and put back after the change.
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT', ')'),"
            " ' NOT NULL', ''), ' CHECK (imported IN (0, 1))', '') WHERE type = 'table'"
        )
        with closing(sqlite3.connect(forged, isolation_level=None)) as other:
            other.execute(change)
            other.execute("PRAGMA writable_schema = ON")
            for part, sql in kept:
                other.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, part))
    before = home.ledger.read_bytes()
    refused = home.here("restore", forged)
    assert refused.status == 1
    assert re.search(says, refused.said), refused.said
    assert home.ledger.read_bytes() == before
    # In place of the ledger, it is refused or named by `verify`, and read without a traceback.
    shutil.copyfile(forged, home.ledger)
    assert home.here("verify").status == 1
    assert home.here("verify", "--replay").status == 1
    assert home.here("repair", home.folder / "new.db").status in (0, 1)
    for word in ("nights", "stats", "status"):
        assert home.here(word).status in (0, 1)
