"""Damage that opening a ledger does not find is found, and shown, while the table is in use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pochboard.daemon.ledger_check import LedgerCheck
from pochboard.errors import DamagedLedgerError, Refusal
from pochboard.rules.commands import parse_command
from pochboard.store import Store
from pochboard.table.snapshot import Recorded
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until
from tests.shell.test_table import table_on

START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}


def two_nights(home: Home) -> None:
    """A closed night in which Ben becomes Berta, and one in progress."""
    with home.daemon() as daemon:
        for command in (START, {"do": "rename", "seat": 2, "name": "Berta"}, {"do": "end"}, START):
            daemon.do(**command)
        assert daemon.stop()[0] == 0


def damage_the_first(home: Home) -> None:
    """Changes Berta's name in night 1."""
    data = bytearray(home.ledger.read_bytes())
    data[data.index(b'"name":"Berta"') + 8] ^= 2
    home.ledger.write_bytes(data)


def test_a_damaged_entry_of_an_old_night_is_shown_beside_play(home: Home) -> None:
    two_nights(home)
    damage_the_first(home)
    with home.daemon() as daemon:
        assert daemon.do(do="deal") == 2

        def listed() -> list[tuple[int, str]]:
            return [(night["number"], night["ruleset"]) for night in daemon.get("/api/nights")]

        wait_until("the night is found", lambda: listed() == [(2, "modern"), (1, "damaged")])
        assert daemon.state["fault"] is None
        assert daemon.do(do="void") == 3
        says = (
            "Night 1, entry 2 is damaged: it is not what was stored. The night in progress is not "
            "affected. Restore a backup with `pochboard restore`, or save what is sound with "
            "`pochboard repair`."
        )
        wait_until("the status says it", lambda: says in home.cli("status").out)
    assert says in daemon.errors
    assert "Traceback" not in daemon.errors


def index_page(path: Path) -> int:
    """Where an index of the entries begins in the file."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_entries_1'"
        ).fetchone()
    return 1024 * (int(root) - 1)


def test_a_file_found_to_be_damaged_is_only_read_from_then_on(home: Home) -> None:
    two_nights(home)
    with Store.open(home.ledger) as store:
        table = table_on(store)
        table.start()
        sound, check = LedgerCheck(store, table, delay_s=0), LedgerCheck(store, table, delay_s=0)
        try:
            sound.start()
            sound.close()
            assert isinstance(table.command(parse_command({"do": "deal"})), Recorded)
            store.checkpoint()
            at = index_page(home.ledger)
            with home.ledger.open("r+b") as file:
                # One cell less. A file that is larger than this one is not read when it is opened.
                file.seek(at + 3)
                cells = int.from_bytes(file.read(2), "big")
                file.seek(at + 3)
                file.write((cells - 1).to_bytes(2, "big"))
            check.start()
            wait_until("it is found", lambda: table.snapshot.fault is not None)
            fault = table.snapshot.fault
            assert fault is not None
            assert fault.code == "damaged"
            assert "The structure of the file is damaged" in fault.sentence
            refused = table.command(parse_command({"do": "void"}))
            assert isinstance(refused, Refusal)
            assert refused.code == "damaged"
            with pytest.raises(DamagedLedgerError, match="The structure of the file"):
                store.pair(b"1" * 32, "phone", 5)
            assert table.snapshot.entry == 2
        finally:
            check.close()
            table.stop()


def test_a_ledger_that_cannot_be_read_is_checked_later(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    two_nights(home)
    damage_the_first(home)
    with Store.open(home.ledger) as store:
        check = LedgerCheck(store, table_on(store), delay_s=0, retry_s=0.02)
        away = home.data.rename(home.data.with_name("away"))
        check.start()
        try:
            wait_until("it is reported", lambda: "cannot be checked now" in caplog.text)
            away.rename(home.data)
            damage = "Night 1, entry 2 is damaged"
            wait_until("the damage is found", lambda: damage in caplog.text)
        finally:
            check.close()
    assert caplog.text.count("cannot be checked now") == 1


def test_a_check_ends_when_the_daemon_stops(tmp_path: Path) -> None:
    with Store.open(tmp_path / "ledger.db") as store:
        table = table_on(store)
        waiting = LedgerCheck(store, table, delay_s=3600)
        waiting.start()
        waiting.close()
        waiting.close()
