"""`verify` and `repair`: each change is named, and what is sound is saved elsewhere."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from pochboard.backup import repair_ledger
from pochboard.config import Config
from pochboard.errors import DamagedLedgerError, LedgerError
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import NightName, SamePerson
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Opening, Saved, Store, rows
from pochboard.store.verify import Report, verify
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.daemons import Home
from tests.shell.test_store import played
from tests.shell.unguarded import unguarded

NIGHT = Path(__file__).parents[1] / "nights" / "modern-b.jsonl"
START = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Two imported nights, a closed one, and one in progress."""
    home = Home(tmp_path)
    assert home.here("import", NIGHT).status == 0
    with Store.open(home.ledger) as store:
        setup = Setup(resolve=resolve_among(shipped_rulesets()))
        table = Table(store, setup, BoardInfo("simulator", link=True, simulated=True))
        for command in (
            START,
            {"do": "deal"},
            {"do": "undo"},
            {"do": "end"},
            START,
            {"do": "deal"},
        ):
            table.command(parse_command(command))
    return home


Nights = dict[int, Sequence[Entry]]


def nights_of(ledger: Path) -> Nights:
    with Store.open(ledger, readonly=True) as store:
        return {night.number: store.night(night.number).entries for night in store.all_nights()}


def identities_of(ledger: Path) -> dict[str, int]:
    with Store.open(ledger, readonly=True) as store:
        return store.identities()


def damage(home: Home, statement: str) -> None:
    with unguarded(home.ledger) as connection:
        connection.execute(statement)


def flip(position: int, original: bytes) -> bytes:
    damaged = bytearray(original)
    damaged[position] ^= 1 << random.Random(position).randrange(8)
    return bytes(damaged)


def wipe(position: int, original: bytes) -> bytes:
    """A page that reads as zeros."""
    start = position // 1024 * 1024
    return original[:start] + bytes(1024) + original[start + 1024 :]


def zeros_from(position: int, original: bytes) -> bytes:
    """Everything from one place on reads as zeros."""
    return original[:position] + bytes(len(original) - position)


def blank_rows(position: int, original: bytes) -> bytes:
    """A page whose rows read as zeros."""
    start = position // 1024 * 1024
    return original[: start + 24] + bytes(1000) + original[start + 1024 :]


# Verify

TWO_PROBLEMS = (
    "The ledger is damaged: 2 problems in 4 nights with 30 entries. Restore a backup, or"
    " save what is sound with: pochboard repair"
)


def test_a_sound_ledger_is_reported_as_sound(home: Home) -> None:
    for words in (["verify"], ["verify", "--replay"]):
        ran = home.here(*words)
        assert (ran.status, ran.err) == (0, "")
        assert ran.out == "The ledger is sound: 4 nights with 30 entries.\n"
    with home.daemon() as daemon:
        assert daemon.do(do="undo")
        assert home.cli("verify").out == "The ledger is sound: 4 nights with 31 entries.\n"


def test_everything_wrong_is_named_before_the_verdict(home: Home) -> None:
    damage(home, "UPDATE entries SET time_ms = 5 WHERE night = 1 AND number = 3")
    damage(home, "UPDATE summaries SET summary = '{}' WHERE night = 2")
    ran = home.here("verify")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "Night 1, entry 3 is damaged: it is not what was stored.",
        "The summary of night 2 is missing or damaged.",
        TWO_PROBLEMS,
    ]


@pytest.mark.parametrize("spoil", [wipe, blank_rows, zeros_from])
def test_no_damage_ends_verify_before_its_verdict(
    home: Home, spoil: Callable[[int, bytes], bytes]
) -> None:
    original = home.ledger.read_bytes()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        ledger = Path(folder) / "ledger.db"
        for position in range(1024, len(original), 1024):
            ledger.write_bytes(spoil(position, original))
            try:
                store = Store.open(ledger, readonly=True)
            except DamagedLedgerError as error:
                try:
                    store = Store.open_damaged(ledger, error)
                except DamagedLedgerError:
                    continue  # nothing of it can be read
            with store:
                report = store.verify(replayed=True)
                assert report.findings or not store.damage


# Repair


def test_a_sound_ledger_is_saved_as_it_is(home: Home) -> None:
    before = home.ledger.read_bytes()
    ran = home.here("repair", home.folder / "new.db")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        f"Saved 4 nights with 30 entries to {home.folder / 'new.db'}.\n"
        f"To use it: pochboard restore {home.folder / 'new.db'}\n"
    )
    assert home.ledger.read_bytes() == before
    expected, identities = nights_of(home.ledger), identities_of(home.ledger)
    assert home.here("restore", home.folder / "new.db").status == 0
    assert nights_of(home.ledger) == expected
    assert identities_of(home.ledger) == identities
    with home.daemon() as daemon:
        assert daemon.state["night"] == 4
        assert daemon.do(do="undo")


LOST: tuple[tuple[str, list[str]], ...] = (
    (
        "UPDATE entries SET postings = '[]' WHERE night = 3 AND number = 2",
        ["Night 3 is saved up to entry 1. Night 3, entry 2 is damaged: it is not what was stored."],
    ),
    (
        "DELETE FROM entries WHERE night = 2 AND number >= 3",
        ["Night 2 is saved up to entry 2. Night 2, entry 3 is lost."],
    ),
    (
        "DELETE FROM entries WHERE night = 1 AND number = 2",
        ["Night 1 is saved up to entry 1. Night 1, entry 2 is lost."],
    ),
    (
        "UPDATE entries SET time_ms = 5 WHERE night = 1 AND number = 3",
        ["Night 1 is saved up to entry 2. Night 1, entry 3 is damaged: it is not what was stored."],
    ),
    (
        "DELETE FROM nights WHERE number = 2",
        [
            "Night 2 is lost. Its beginning cannot be read.",
            "Night 3 is night 2 in the new ledger.",
            "Night 4 is night 3 in the new ledger.",
        ],
    ),
    (
        "DELETE FROM entries WHERE position > 28",
        ["Night 4 is lost. It has no entries.", "The last 2 entries are lost."],
    ),
    (
        "UPDATE entries SET night = 1 << 60 WHERE night = 1 AND number = 3",
        [
            "Night 1 is saved up to entry 2. Night 1, entry 3 is lost.",
            "Night 1152921504606846976 is lost. Its beginning cannot be read.",
        ],
    ),
    (
        "UPDATE nights SET ruleset = '{}' WHERE number = 3",
        ["Night 3 is lost. Night 3, entry 1 is damaged: it is not what was stored."],
    ),
)


@pytest.mark.parametrize(("statement", "named"), LOST)
def test_unsound_entries_are_named(home: Home, statement: str, named: list[str]) -> None:
    damage(home, statement)
    ran = home.here("repair", home.folder / "new.db")
    assert ran.status == 1
    for text, line in zip(named, ran.out.splitlines(), strict=False):
        assert line.startswith(text)
    assert home.here("restore", home.folder / "new.db").status == 0
    assert home.here("verify", "--replay").status == 0
    home.book({"do": "undo"})


def test_a_repair_is_refused_while_a_daemon_runs(home: Home) -> None:
    with home.daemon():
        assert "is in use by the pochboard daemon" in home.cli("repair").said


def check_saved(saved: Saved, ledger: Path, original: Nights) -> None:
    """Each saved night is the unchanged beginning of a night, or a remark names the difference."""
    remarks = "\n".join(saved.remarks)
    moved = dict(re.findall(r"Night (\d+) is night (\d+) in", remarks))
    in_new = nights_of(ledger)
    for number, entries in original.items():
        if f"Night {number} is lost." in remarks:
            continue
        if number > saved.nights and re.search(
            r"^The last \d+ entries are lost\.$", remarks, re.MULTILINE
        ):
            continue  # nothing shows which nights they belonged to
        kept = in_new[int(moved.get(str(number), number))]
        named = re.search(rf"Night {number} is saved up to entry (\d+)\.", remarks)
        assert len(kept) == (int(named[1]) if named else len(entries)), remarks
        for was, now in zip(entries, kept, strict=False):
            assert was == now, remarks


def check_repair(config: Config, original: Nights) -> None:
    """Saves what can be saved; if there is nothing, no file is made."""
    target = config.data / "saved.db"
    try:
        _, saved = repair_ledger(config, target)
    except LedgerError as error:
        if not str(error).startswith("Nothing in this ledger "):
            raise
        assert not target.exists()
        return
    assert saved.nights
    check_saved(saved, target, original)
    target.unlink()


@pytest.mark.parametrize(("spoil", "step"), [(flip, 499), (wipe, 1024)])
def test_damage_anywhere_is_named_or_repaired(
    home: Home, spoil: Callable[[int, bytes], bytes], step: int
) -> None:
    original, expected = home.ledger.read_bytes(), nights_of(home.ledger)
    # In memory, where a sync costs nothing.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        config = Config(data=Path(folder))
        for position in range(0, len(original), step):
            damaged = spoil(position, original)
            config.ledger.write_bytes(damaged)
            check_repair(config, expected)
            assert config.ledger.read_bytes() == damaged


def without_end(original: bytes) -> Iterator[bytes]:
    """The rest of a ledger if a disk loses everything from one place on."""
    for start in range(1024, len(original), 4 * 1024):
        yield original[:start]
        yield original[:start] + bytes(len(original) - start)


def test_a_ledger_without_its_end_is_saved_up_to_there_or_refused(home: Home) -> None:
    expected, cases = nights_of(home.ledger), list(without_end(home.ledger.read_bytes()))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        config = Config(data=Path(folder))
        shutil.copyfile(f"{home.ledger}-head", f"{config.ledger}-head")
        for damaged in cases:
            config.ledger.write_bytes(damaged)
            check_repair(config, expected)


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
            "Night 1, entry 2 is lost.",
        ),
        (
            "UPDATE entries SET number = 9 WHERE position = 4",
            "Night 1, entry 4 is lost.",
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
        ("DELETE FROM entries WHERE position = 2", "Night 1, entry 2 is lost."),
        ("UPDATE nights SET last_names = '{}' WHERE number = 1", "Night 1, entry 1 is damaged"),
        ("UPDATE nights SET started_ms = 0 WHERE number = 1", "Night 1, entry 1 is damaged"),
        ("UPDATE nights SET imported = 0 WHERE number = 3", "Night 3, entry 1 is damaged"),
        ("DELETE FROM nights WHERE number = 3", "Night 3 is missing."),
        ("DELETE FROM nights WHERE number = 1", "Night 1 is missing."),
        ("UPDATE identity SET id = zeroblob(32)", "Night 1, entry 1 is damaged"),
        ("DELETE FROM summaries WHERE night = 1", "The summary of night 1 is missing or damaged."),
        ("UPDATE summaries SET summary = '{}'", "The summary of night 1 is missing or damaged."),
        ("UPDATE summaries SET digest = x''", "The summary of night 3 is missing or damaged."),
        ("UPDATE remarks SET time_ms = 6 WHERE number = 1", "remark 1 is not what was stored"),
        ("UPDATE remarks SET remark = '{}' WHERE number = 2", "remark 2 is not what was stored"),
        ("DELETE FROM remarks WHERE number = 1", "remark 1 is not what was stored"),
        (
            "INSERT INTO summaries VALUES (9, '{}', x'')",
            "Night 9 is missing.",
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
        assert ("but its summary says" in finding.text) == (field == "entries"), finding
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
    assert finding.text.startswith("Night 1, entry 2 does not follow: its number, reference")


def test_an_index_that_lost_an_entry_is_found(ledger: Path) -> None:
    with closing(sqlite3.connect(ledger, isolation_level=None)) as connection:
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_entries_1'"
        ).fetchone()
    data = bytearray(ledger.read_bytes())
    page = (root - 1) * 1024
    data[page + 3 : page + 5] = (data[page + 4] - 1).to_bytes(2, "big")  # one cell less
    ledger.write_bytes(data)
    texts = [finding.text for finding in report_of(ledger).findings]
    assert any("wrong # of entries in index sqlite_autoindex_entries_1" in text for text in texts)
