"""Verification finds every change of a stored ledger, and names it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from pochboard.ledger.remarks import NightName, SamePerson
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.store import Opening, Store, rows
from pochboard.store.verify import Report, verify
from tests.shell.test_store import START, played
from tests.shell.unguarded import unguarded

MODERN = shipped_rulesets()["modern"]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A closed night, an imported one, one in progress that was begun before it, and a pairing."""
    path = tmp_path / "ledger.db"
    closed = played(START, {"do": "deal"}, {"do": "void"}, {"do": "end"})
    current = played(START, {"do": "deal", "id": "deal-1"}, {"do": "undo"})
    summary = summarize(1, closed.entries, closed.state)
    with Store.open(path) as store:
        for entry in closed.entries:
            opening = Opening(MODERN, {2: "Jörg"}) if entry.number == 1 else None
            over = summary if entry.number == 4 else msgspec.UNSET
            store.append(1, entry, opening=opening, summary=over)
        for entry in current.entries[:2]:
            opening = Opening(MODERN, {}) if entry.number == 1 else None
            store.append(2, entry, opening=opening)
        paper = StoredNight(0, MODERN, {}, True, closed.entries)
        store.add_nights([(paper, msgspec.structs.replace(summary, imported=True))])
        store.append(2, current.entries[2])
        store.pair(b"1" * 32, "phone", 5)
        store.add_remark(NightName(1, "Christmas"), 7)
        store.add_remark(SamePerson("Anja", "Anna"), 8)
    return path


def report_of(path: Path) -> Report:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return verify(connection)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE entries SET time_ms = time_ms + 1 WHERE position = 2", "Night 1, entry 2 is"),
        (
            "UPDATE entries SET night = 3, number = 5 WHERE position = 2",
            "Night 3, entry 5 is damaged: it stands where entry 1",
        ),
        (
            "UPDATE entries SET number = 9 WHERE position = 4",
            "entry 9 is damaged: it stands where entry 4 belongs",
        ),
        ("UPDATE entries SET id = 'deal-2' WHERE id = 'deal-1'", "Night 2, entry 2 is damaged"),
        ("UPDATE entries SET id = '' WHERE position = 1", "Night 1, entry 1 is damaged"),
        ("UPDATE entries SET ref = 1 WHERE position = 11", "Night 2, entry 3 is damaged"),
        ("UPDATE entries SET command = command || ' '", "Night 1, entry 1 is damaged"),
        (
            """UPDATE entries SET postings = '[["bank",1]]' WHERE position = 2""",
            "Night 1, entry 2 is damaged",
        ),
        ("UPDATE entries SET postings = '{' WHERE position = 2", "Night 1, entry 2 is damaged"),
        ("UPDATE entries SET chain = zeroblob(32) WHERE position = 11", "Night 2, entry 3 is"),
        ("DELETE FROM entries WHERE position = 2", "The entries 2 to 2 are missing"),
        ("UPDATE nights SET last_names = '{}' WHERE number = 1", "Night 1, entry 1 is damaged"),
        ("UPDATE nights SET started_ms = 0 WHERE number = 1", "The summary of night 1 is missing"),
        ("UPDATE nights SET imported = 0 WHERE number = 3", "Night 3, entry 1 is damaged"),
        ("DELETE FROM nights WHERE number = 3", "Night 3 has entries, but is missing."),
        ("DELETE FROM nights WHERE number = 1", "Night 1 is missing."),
        ("UPDATE identity SET id = zeroblob(32)", "Night 1, entry 1 is damaged"),
        ("DELETE FROM summaries WHERE night = 1", "The summary of night 1 is missing or damaged."),
        ("UPDATE summaries SET players = '[]'", "The summary of night 1 is missing or damaged."),
        ("UPDATE summaries SET digest = x''", "The summary of night 3 is missing or damaged."),
        ("UPDATE remarks SET time_ms = 6 WHERE number = 1", "remark 1 is not what was stored"),
        ("UPDATE remarks SET remark = '{}' WHERE number = 2", "remark 2 is not what was stored"),
        ("DELETE FROM remarks WHERE number = 1", "remark 1 is not what was stored"),
        (
            "INSERT INTO summaries SELECT 9, 1, 'x', '[]', 1, 1, NULL, x'' FROM nights LIMIT 1",
            "There is a summary of night 9, but no such night.",
        ),
        ("INSERT INTO identity SELECT zeroblob(32)", "its id is not what was stored"),
    ],
)
def test_a_change_is_found(ledger: Path, change: str, found: str) -> None:
    with unguarded(ledger) as connection:
        assert connection.execute(change).rowcount > 0
    report = report_of(ledger)
    assert any(found in finding.text for finding in report.findings), report.findings


def test_a_summary_is_compared_with_its_entries(ledger: Path) -> None:
    wrong = {"entries": 3, "ended_ms": 2, "standings": [(1, 9, 0)], "deals": 7}
    for field, value in wrong.items():
        with Store.open(ledger) as store, store._write() as connection:
            right = rows.get_summary(connection, 1)
            assert right
            rows.put_summary(connection, 1, msgspec.structs.replace(right, **{field: value}))
        (finding,) = [finding for finding in report_of(ledger).findings if finding.night == 1]
        assert finding.part == ("summaries" if field == "entries" else "replay"), finding
        with Store.open(ledger) as store, store._write() as connection:
            rows.put_summary(connection, 1, right)
    assert report_of(ledger).ok


def test_wrong_postings_in_a_sound_chain_are_found_by_the_replay_alone(tmp_path: Path) -> None:
    first, last = played(START, {"do": "rebuy", "seat": 1, "chips": 7}).entries
    forged = msgspec.structs.replace(last, postings=(("seat1", 70), ("bank", -70)))
    with Store.open(tmp_path / "ledger.db") as store:
        store.append(1, first, opening=Opening(MODERN, {}))
        store.append(1, forged)
        assert store.verify().ok
        (finding,) = store.verify(replayed=True).findings
    assert finding.text.startswith("Night 1, entry 2 is wrong: the stored postings are")


def test_an_index_that_lost_an_entry_is_found(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_entries_1'"
        ).fetchone()
    data = bytearray(ledger.read_bytes())
    page = (root - 1) * 1024
    data[page + 3 : page + 5] = (data[page + 4] - 1).to_bytes(2, "big")  # one cell less
    ledger.write_bytes(data)
    texts = [finding.text for finding in report_of(ledger).findings if finding.part == "file"]
    assert any("wrong # of entries in index sqlite_autoindex_entries_1" in text for text in texts)
