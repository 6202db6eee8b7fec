"""Importing score sheets: each night once, in slices, with its own date (RULES.md 9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pochboard.errors import LedgerError, UnknownOutcomeError
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.table import ledger_nights
from pochboard.table.ledger_nights import Slice, import_nights
from tests.shell.daemons import Home
from tests.shell.server_kit import running_house

NIGHTS = Path(__file__).parent.parent / "nights"
NIGHT = NIGHTS / "banker-presses.jsonl"
RESOLVE = resolve_among(shipped_rulesets())
START = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Eva"]}
KNOWN = "This is night 1 already."
AGAIN = "To import a night again all the same: --again"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ledger.db") as opened:
        yield opened


def rows(*objects: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in objects)


def take(store: Store, content: bytes, **options: Any) -> list[int]:
    return import_nights(content, store, RESOLVE, **options).nights


def export(home: Home, number: int) -> str:
    ran = home.here("export", str(number))
    assert ran.status == 0, ran
    return ran.out


def nights_of(home: Home) -> int:
    ran = home.here("stats")
    assert ran.status == 0, ran
    return int(ran.out.split()[0]) if ran.out[0].isdigit() else 0


def heading(sheet: str) -> dict[str, str]:
    lines = [json.loads(line) for line in sheet.splitlines() if not line.startswith("#")]
    heading = lines[0]["night"]
    assert isinstance(heading, dict)
    return heading


# Once.


def test_a_night_that_is_there_already_is_not_imported(home: Home) -> None:
    first = home.here("import", NIGHT)
    assert first.out == "Imported as night 1.\n"
    again = home.here("import", NIGHT)
    assert (again.status, again.out) == (1, f"{KNOWN} Nothing was imported.\n{AGAIN}\n")
    assert nights_of(home) == 1
    assert home.here("import", "--again", NIGHT).out == "Imported as night 2.\n"
    assert nights_of(home) == 2


def test_a_sheet_that_goes_further_than_the_night_says_so(tmp_path: Path) -> None:
    one, two = Home(tmp_path / "one"), Home(tmp_path / "two")
    path = tmp_path / "night.jsonl"
    one.book(START, {"do": "deal"})
    path.write_text(export(one, 1))
    assert two.here("import", path).status == 0
    one.book(
        {"do": "void"},
        {"do": "deal"},
        {"do": "void"},
        {"do": "deal"},
        {"do": "void"},
        {"do": "end"},
    )
    path.write_text(export(one, 1))
    ran = two.here("import", path)
    assert ran.out.splitlines()[0] == (
        "This is night 1 already, which ends earlier: it has 4 entries, and the sheet has 8."
        " Nothing was imported."
    )


def test_a_ledger_that_was_restored_gets_the_lost_night_back_once(home: Home) -> None:
    home.book(START, {"do": "end"})
    early = home.ledger.read_bytes()
    home.book(START, {"do": "deal"}, {"do": "void"}, {"do": "end"})
    path = home.folder / "2.jsonl"
    path.write_text(export(home, 2))
    for file in home.data.iterdir():
        file.unlink()
    home.ledger.write_bytes(early)
    # Another night 2, which is not the one on the sheet.
    home.book(START, {"do": "deal"}, {"do": "void"}, {"do": "end"})
    with Store.open(home.ledger, readonly=True) as store:
        assert store.identity(2) != heading(path.read_text())["id"]
    assert home.here("import", "--date", "2026-11-15", path).out == "Imported as night 3.\n"
    assert home.here("import", path).out.startswith("This is night 3 already.")


# In slices.


def tiny_nights(count: int) -> bytes:
    return b"".join(rows({**START, "stack": 1 + number}, {"do": "end"}) for number in range(count))


def test_a_night_that_is_twice_on_a_sheet_is_imported_once(store: Store) -> None:
    done = import_nights(NIGHT.read_bytes() * 2, store, RESOLVE)
    remark = "Night 2 of this sheet: It is on this sheet twice."
    assert (done.nights, done.remarks) == ([1], [remark])


def test_long_sheets_are_stored_in_slices(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_nights, "_SLICE", 4)
    sizes: list[int] = []

    def book(nights: Slice) -> list[int]:
        sizes.append(sum(len(night.entries) for night, _ in nights))
        return store.add_nights(nights)

    done = import_nights(tiny_nights(5), store, RESOLVE, book=book)
    assert (done.nights, sizes) == ([1, 2, 3, 4, 5], [4, 4, 2])


@pytest.mark.parametrize("error", [LedgerError, UnknownOutcomeError])
def test_an_import_that_is_interrupted_says_what_was_imported(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: Callable[[str], LedgerError]
) -> None:
    monkeypatch.setattr(ledger_nights, "_SLICE", 4)

    def book(nights: Slice) -> list[int]:
        if store.all_nights():
            raise error("The disk is full.")
        return store.add_nights(nights)

    with pytest.raises(LedgerError) as refused:
        import_nights(tiny_nights(5), store, RESOLVE, book=book)
    assert type(refused.value) is error
    assert str(refused.value) == (
        "The nights 1, 2 were imported, the rest of the sheet was not. The disk is full."
    )
    # What is left can be imported with the same sheet.
    assert take(store, tiny_nights(5)) == [3, 4, 5]


def test_commands_are_answered_during_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_nights, "_SLICE", 2)
    with running_house(tmp_path) as running:
        running.start_night()
        real, recorded = running.table._store.add_nights, []

        def add_nights(nights: Slice) -> list[int]:
            # A phone sends a command, which waits for this slice, but not for the next one.
            recorded.append(
                running.table.worker.submit(lambda: len(list(running.table.nights.each())))
            )
            return real(nights)

        monkeypatch.setattr(running.table._store, "add_nights", add_nights)
        assert running.table.nights.import_sheet(tiny_nights(4)).nights == [2, 3, 4, 5]
        assert [future.result() for future in recorded] == [2, 3, 4, 5]


# Dates.
