"""A ledger that the first version wrote is read unchanged, and can be continued."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from pochboard.errors import Refusal
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store, schema
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from pochboard.text.translator import table_translator
from tests.shell.daemons import Home

WRITTEN = Path(__file__).with_name("ledger-0.1.0.sql")
LAST_DEAL = Path(__file__).with_name("ledger-0.1.0-last-deal.sql")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(WRITTEN.read_text("utf-8"))
    return path


def test_its_commands_are_read_as_they_were_sent(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger)) as connection:
        stored = [
            msgspec.json.decode(text)
            for (text,) in connection.execute("SELECT command FROM entries ORDER BY number")
        ]
    with Store.open(ledger) as store:
        read = [msgspec.to_builtins(entry.command) for entry in store.entries(1)]
    assert len(read) == 14
    # Tuples of the structs are lists in JSON.
    assert msgspec.json.decode(msgspec.json.encode(read)) == stored


def test_its_night_goes_on(ledger: Path) -> None:
    setup = Setup(resolve=resolve_among(shipped_rulesets()))
    with Store.open(ledger) as store:
        table = Table(store, setup, BoardInfo("simulator", link=True, simulated=True))
        state = table.snapshot.state
        # Ante 9 each; Änne took ace (3) and shared the bets (3 each, with 3 in the pool).
        assert (state.phase, state.leader, state.dealer) == ("shed", 3, 2)
        assert [state.stack_of(seat) for seat in state.seats] == [47, 38, 44]
        for raw in (
            {"do": "deal", "id": "x"},  # recorded before, under this id
            {"do": "out", "seat": 1},
            {"do": "settle", "cards": {"2": 1, "3": 2}},
            {"do": "undo"},
        ):
            assert not isinstance(table.command(parse_command(raw)), Refusal), raw
        assert table.snapshot.entry == 17
    with Store.open(ledger, readonly=True) as store:
        assert len(store.entries(1)) == 17


def test_a_night_whose_last_deal_went_to_poch_keeps_that_rule(home: Home) -> None:
    home.data.mkdir(parents=True)
    with closing(sqlite3.connect(home.ledger)) as connection:
        connection.executescript(LAST_DEAL.read_text("utf-8"))
    with home.daemon() as daemon:
        state = daemon.state
        assert (state["fault"], state["night"], state["entry"]) == (None, 1, 6)
        assert state["ruleset"]["parameters"]["last_deal_to"] == "poch"
        # Three antes and 18 chips from the pools that nobody has won.
        assert state["pools"]["poch"] == 21
        assert daemon.stop()[0] == 0
    ran = home.here("verify")
    assert (ran.status, ran.out) == (0, "The ledger is sound: 1 night with 6 entries.\n")
    assert '"options":{"deals":1,"last_deal_to":"poch"}' in home.here("export").out


def test_a_night_keeps_names_that_look_alike(home: Home) -> None:
    home.data.mkdir(parents=True)
    names = ("A\u0308nne", "\u00c4nne", "C\u200d")
    sql = WRITTEN.read_text("utf-8").replace('"\u00c4nne"," Ben ","C"', json.dumps(names)[1:-1])
    with closing(sqlite3.connect(home.ledger)) as connection:
        connection.executescript(sql)
    with home.daemon() as daemon:
        assert (daemon.state["fault"], daemon.state["entry"]) == (None, 14)
        assert tuple(daemon.state["names"].values()) == names
        # Only what is new must look different.
        assert daemon.send(do="rename", seat=1, name="\u00c4nne").status == 400
        daemon.do(do="out", seat=1)
        daemon.do(do="settle", cards={"2": 1, "3": 2})
        daemon.do(do="end")
        assert len(daemon.get("/api/nights/1")["state"]["standings"]) == 3
        people = daemon.get("/api/statistics")["people"]
        assert {person["name"] for person in people} == {"\u00c4nne", "C\u200d"}
        assert daemon.stop()[0] == 0
    assert home.here("verify").status == 0
    sheet = home.folder / "sheet.jsonl"
    assert home.here("export", "-o", sheet).status == 0
    assert home.here("check", sheet).status == 0


def damage_postings(ledger: Path, number: int) -> None:
    with closing(sqlite3.connect(ledger)) as connection:
        named = "FROM sqlite_schema WHERE name = 'entries_update'"
        (trigger,) = connection.execute(f"SELECT sql {named}").fetchone()
        connection.execute("DROP TRIGGER entries_update")
        connection.execute(
            "UPDATE entries SET postings = replace(postings, 'seat:2', 'seat:3') WHERE number = ?",
            (number,),
        )
        connection.execute(trigger)
        connection.commit()


def test_damage_from_before_the_migration_is_still_found_after_it(home: Home) -> None:
    home.data.mkdir(parents=True)
    with closing(sqlite3.connect(home.ledger)) as connection:
        connection.executescript(WRITTEN.read_text("utf-8"))
    damage_postings(home.ledger, 2)
    with home.daemon() as daemon:
        state = daemon.state
        assert (state["fault"]["code"], state["entry"]) == ("damaged", 0)
        assert "Night 1, entry 2 is damaged" in state["fault"]["message"]
        assert daemon.stop()[0] == 0
    ran = home.here("verify")
    assert ran.status == 1
    assert ran.out.startswith("Night 1, entry 2 is damaged: it is not what was stored.\n")
    saved = home.here("repair", home.folder / "new.db")
    assert saved.out.startswith("Night 1 is saved up to entry 1. Night 1, entry 2 is wrong:")


def test_a_night_that_was_chained_but_does_not_add_up_is_damaged(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage_postings(ledger, 2)
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "_first_unsound", lambda *_: None)
        Store.open(ledger).close()
    setup = Setup(resolve=resolve_among(shipped_rulesets()))
    with Store.open(ledger) as store:
        table = Table(store, setup, BoardInfo("simulator", link=True, simulated=True))
        fault = table.snapshot.fault
        assert fault is not None
        assert fault.code == "damaged"
        assert fault.sentence.in_language(table_translator("en")).startswith(
            "The record of the nights is damaged (Night 1, entry 2 is wrong: the stored"
            " postings are"
        )


def test_a_summary_that_was_damaged_before_the_migration_is_made_again(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger)) as connection:
        named = "FROM sqlite_schema WHERE name = 'nights_update'"
        (trigger,) = connection.execute(f"SELECT sql {named}").fetchone()
        connection.execute("DROP TRIGGER nights_update")
        connection.execute("UPDATE nights SET imported = 1")
        connection.execute(trigger)
        connection.execute(
            "INSERT OR REPLACE INTO summaries"
            " VALUES (1, NULL, 'modern', '[\"half', 1, 14, '[[1, 2')"
        )
        connection.commit()
    with Store.open(ledger) as store:
        (night,) = store.nights()
    assert (night.number, night.entries, night.standings) == (1, 14, None)
