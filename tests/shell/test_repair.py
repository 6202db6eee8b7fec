"""`verify` and `repair`: faults are named, and what is sound is saved elsewhere."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from pochboard.backup.making import repair_ledger
from pochboard.config import Config
from pochboard.errors import DamagedLedgerError, LedgerError
from pochboard.ledger.entry import Entry
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Saved, Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.daemons import Home
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
        return {night.number: store.entries(night.number) for night in store.all_nights()}


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
    damage(home, "UPDATE summaries SET deals = 9 WHERE night = 2")
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
        ["Night 3 is saved up to entry 1. Entry 2 is not what was stored."],
    ),
    (
        "DELETE FROM entries WHERE night = 2 AND number >= 3",
        ["Night 2 is saved up to entry 2. Entry 3 is lost."],
    ),
    (
        "DELETE FROM entries WHERE night = 1 AND number = 2",
        ["Night 1 is saved up to entry 1. Entry 2 is lost."],
    ),
    (
        "UPDATE entries SET time_ms = 5 WHERE night = 1 AND number = 3",
        ["Night 1 is saved up to entry 2. Entry 3 is not what was stored."],
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
            "Night 1 is saved up to entry 2. Entry 3 is lost.",
            "Night 1152921504606846976 is lost. Its beginning cannot be read.",
        ],
    ),
    (
        "UPDATE nights SET ruleset = '{}' WHERE number = 3",
        ["Night 3 is lost. Entry 1 is not what was stored."],
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
