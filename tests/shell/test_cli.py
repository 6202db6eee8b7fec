"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pochboard.errors import Refusal
from pochboard.ledger.book import Book
from pochboard.ledger.replay import replay
from pochboard.messages.entries import sentences
from pochboard.rules.commands import Start, parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import public_state
from pochboard.rulesets import load_catalog
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S

NIGHTS = Path(__file__).parent.parent / "nights"
SHEETS = sorted(NIGHTS.glob("*.jsonl"))
MODERN = NIGHTS / "modern-b.jsonl"


COMMANDS = (
    "backup", "card", "check", "doctor", "export", "firmware",
    "import", "mqtt", "nights", "referee", "repair", "restore", "rulesets", "run", "settle", "show",
    "simulate", "stats", "status", "verify", "wifi",
)  # fmt: skip
START: dict[str, Any] = {"do": "start", "ruleset": "modern", "players": ["Anna", "Jörg", "Clara"]}
HOUSE = """name = "haus"
base = "modern"
stack = 33
ante = 2
bluff_penalty = 3
"""


def play(home: Home, *commands: dict[str, Any] | Start) -> int:
    """Plays commands at a table of this home, each of which is accepted; returns the night."""
    catalog = load_catalog(home.settings)
    with Store.open(home.ledger) as store:
        setup = Setup(resolve=resolve_among(catalog.rulesets))
        table = Table(store, setup, BoardInfo("simulator", link=True, simulated=True))
        for command in commands:
            parsed = command if isinstance(command, Start) else parse_command(command)
            done = table.command(parsed)
            assert not isinstance(done, Refusal), (command, done)
        assert table.snapshot.night is not None
        return table.snapshot.night


def quick(home: Home, *words: str | Path) -> str:
    """The output of a command that succeeds."""
    ran = home.here(*words)
    assert (ran.status, ran.err) == (0, ""), ran
    return ran.out


def stored(home: Home, number: int) -> Book:
    """The book of a stored night."""
    with Store.open(home.ledger, readonly=True) as store:
        return replay(store.night(number))


def stacks(home: Home, number: int) -> list[int]:
    """The stacks of a stored night, by seat."""
    return list(public_state(stored(home, number).state)["stacks"].values())


def files_of(home: Home) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in home.data.iterdir()} if home.data.exists() else {}


def test_the_help_shows_how_each_thing_is_done(home: Home) -> None:
    ran = home.here("--help")
    assert ran.status == 0
    assert "\\b" not in ran.out
    shown = re.findall(r"^  (?:[A-Z][a-z ]+: +| +)pochboard (\w+)", ran.out, re.MULTILINE)
    assert sorted(set(shown)) == sorted(COMMANDS)
    assert len(shown) == len(COMMANDS) + 1, "one example a line, and two of run"
    assert home.here("-h").out == ran.out


# Wrong use.


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["frobnicate"], "No such command 'frobnicate'."),
        (["show", "one"], "'[NIGHT]': 'one' is not a valid integer range."),
        (["export", "1", "--format", "pdf"], "Invalid value for '--format': 'pdf' is not one of"),
        (["check"], "Missing argument 'FILES...'."),
        (["import", "a", "a"], "a is named twice."),
        (
            ["import", "a", "--date", "yesterday"],
            "'yesterday' does not match the format '%Y-%m-%d'.",
        ),
    ],
)
def test_wrong_use(home: Home, words: list[str], sentence: str) -> None:
    ran = home.here(*words).misused
    assert sentence in ran
    assert not home.data.exists()


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def none(path: Path) -> None:
    path.write_text("Dear diary, tonight I lost at Poch.\n" * 100)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (newer, "was written by a newer pochboard (version 99 of the file"),
        (cut, "is damaged"),
        (none, "holds no nights of pochboard"),
    ],
)
def test_a_ledger_that_cannot_be_used_is_left_untouched(
    home: Home, spoil: Any, sentence: str
) -> None:
    play(home, START, {"do": "deal"})
    spoil(home.ledger)
    before = home.ledger.read_bytes()
    commands: list[list[str | Path]] = [
        ["nights"],
        ["show", "1"],
        ["export", "1"],
        ["import", MODERN],
    ]
    if spoil is newer:
        commands.append(["run", "--port", "0"])
    for words in commands:
        ran = (home.cli if "run" in words else home.here)(*words)
        assert ran.status == 1
        assert sentence in ran.said
        assert str(home.ledger) in ran.said
    if spoil is not newer:
        with home.daemon() as daemon:
            assert sentence in daemon.state["fault"]["message"]
            assert f"{home.ledger} {sentence}" in daemon.errors
            assert daemon.send(do="end").code == "damaged"
            assert daemon.stop()[0] == 0
    assert home.ledger.read_bytes() == before


# Output that nobody takes.


def test_output_closed_early(home: Home) -> None:
    play(home, START, {"do": "deal"})
    for words in (["show", "1"], ["nights"], ["rulesets", "modern"], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "wb") as closed:
            done = subprocess.run(
                [PROGRAM, *words],
                env=home.environment(),
                stdout=closed,
                stderr=subprocess.PIPE,
                check=False,
                timeout=LONG_S,
            )
        assert (done.returncode, done.stderr) == (1, b"")


# check.


# export.


def exports(home: Home, number: int) -> str:
    """A night as a sheet that holds where there is no house ruleset, and its state is the same."""
    text = quick(home, "export", str(number))
    bare = Home(home.folder / "bare")
    sheet = home.folder / f"night-{number}.jsonl"
    sheet.write_text(text, "utf-8")
    assert quick(bare, "check", sheet) == f"{sheet}: ok\n"
    rows = [json.loads(row) for row in text.splitlines() if not row.startswith("#")]
    assert rows[-1] == {"expect": json.loads(json.dumps(public_state(stored(home, number).state)))}
    return text


@pytest.mark.parametrize("sheet", SHEETS[::9], ids=lambda path: path.stem)
def test_a_night_in_progress_is_exported_wherever_it_stops(home: Home, sheet: Path) -> None:
    quick(home, "import", sheet)
    commands = [
        msgspec.json.decode(msgspec.json.encode(entry.command)) for entry in stored(home, 1).entries
    ]
    for stop in range(1, len(commands), max(1, len(commands) // 3)):
        other = Home(home.folder / str(stop))
        rules = stored(home, 1).state.rules
        options = {
            key: value
            for key, value in rules.parameters().items()
            if value != shipped_rulesets()[rules.name].parameters()[key]
        }
        start = {**commands[0], "options": options}
        other.folder.mkdir()
        exports(other, play(other, start, *commands[1:stop]))


@pytest.mark.parametrize("after", ["deleted", "changed", "spoiled"])
def test_a_night_of_a_house_ruleset_outlives_its_file(home: Home, after: str) -> None:
    file = home.house_ruleset("haus.toml", HOUSE)
    number = play(
        home,
        {**START, "ruleset": "haus", "options": {"run_bonus": 1, "leftover": "split"}},
        {"do": "deal"},
        {"do": "claim", "seat": 2, "pool": "ace"},
        {"do": "void"},
        {"do": "rebuy", "seat": 2, "chips": 7},
    )
    if after == "deleted":
        file.unlink()
    else:
        changed = HOUSE.replace("33", "44").replace("ante = 2", "ante = 1")
        file.write_text({"changed": changed, "spoiled": "name = 7"}[after], "utf-8")
    text = exports(home, number)
    assert "# house ruleset haus, put as modern with options" in text
    assert json.loads(text.splitlines()[3])["options"] == {
        "source": "the rules of this house",
        "stack": 33, "ante": 2, "bluff_penalty": 3, "run_bonus": 1, "leftover": "split",
    }  # fmt: skip
    assert "haus, in progress" in home.here("show", str(number)).out
    assert stacks(home, number) == [33, 40, 33]


# import.


BAD_PAPER: list[tuple[list[object], int, str]] = [
    (["# nobody came"], 1, "There is no night on this sheet: it has no start."),
    (
        [START, {"expect": {"deal": 2}}],
        1,
        "line 2: The sheet expects deal = 2, but it is 0. Nothing was imported.",
    ),
    ([START, {"do": "end"}, START, {"expect": {"phase": "meld"}}], 1, "line 4: The sheet expects"),
    ([START, {"expect": {"mood": 1}}], 2, 'line 2: "expect" cannot have the key "mood"'),
    (["my notes"], 2, "line 1: This is not JSON: "),
]


@pytest.mark.parametrize(("lines", "status", "says"), BAD_PAPER)
def test_a_bad_sheet_is_not_imported(
    home: Home, lines: list[object], status: int, says: str
) -> None:
    sheet = home.sheet("sheet", *lines)
    ran = home.here("import", sheet)
    assert ran.status == status
    assert ran.said.startswith(f"{sheet}: {says}")
    assert files_of(home) == {}
    play(home, START)
    before = home.ledger.read_bytes()
    assert home.here("import", sheet).said == ran.said
    assert home.ledger.read_bytes() == before


def test_import_beside_a_daemon(home: Home) -> None:
    home.house_ruleset("haus.toml", HOUSE)
    sheet = home.sheet("sheet", {**START, "ruleset": "haus"}, {"do": "deal"})
    with home.daemon() as daemon:
        daemon.do(**START)
        daemon.do(do="deal")
        before = daemon.state
        ran = home.here("import", sheet, "--date", "2024-12-31")
        assert (ran.status, ran.err) == (0, "")
        assert ran.out.splitlines() == [
            f"{sheet}: The sheet stops in the middle of deal 1; that deal is void.",
            f"{sheet}: The sheet does not end its night; it was closed.",
            "Imported as night 2.",
        ]
        assert daemon.state == before, "the night in progress is the same"
        listed = daemon.get("/api/nights")
        assert [night["number"] for night in listed] == [2, 1]
        assert "haus" in listed[0]["summary"]
        assert "Kept on paper." in listed[0]["summary"]
        assert daemon.do(do="claim", seat=1, pool="ace") == 3
        rows = quick(home, "nights").splitlines()
        assert rows[1].split()[:4] == ["2", "2024-12-31", "haus", "0"]
        assert rows[2].endswith("in progress")
        # The numbers continue after the imported nights.
        daemon.do(do="void")
        daemon.do(do="end")
        daemon.do(**START)
        assert daemon.state["night"] == 3


# nights, show.


def test_the_list_and_a_night_in_the_terminal(home: Home) -> None:
    play(home, START, {"do": "rebuy", "seat": 2, "chips": 9}, {"do": "end"})
    play(home, START, {"do": "deal"}, {"do": "claim", "seat": 3, "pool": "ace"})
    listed = home.here("nights")
    assert listed.status == 0
    head, second, first = listed.out.splitlines()
    assert head.split() == ["night", "date", "ruleset", "deals", "result"]
    assert re.fullmatch(r" +2  \d{4}-\d\d-\d\d  modern +1  in progress", second)
    assert re.fullmatch(r" +1  .*  modern +0  Anna ±0, Jörg ±0, Clara ±0", first)

    shown = home.here("show", "2")
    assert (shown.status, shown.err) == (0, "")
    rows = shown.out.splitlines()
    assert re.fullmatch(r"Night 2, \d{4}-\d\d-\d\d: modern, in progress", rows[0])
    assert [row.split() for row in rows[2:6]] == [
        ["chips", "net"],
        ["Clara", "44", "−6"],
        ["Anna", "41", "−9"],
        ["Jörg", "41", "−9"],
    ]
    book = stored(home, 2)
    texts = sentences(book.entries, book.states)
    assert len(rows) == 7 + len(texts)
    for number, (row, words) in enumerate(zip(rows[7:], texts, strict=True), start=1):
        assert re.fullmatch(rf" +{number}  \d\d:\d\d:\d\d  {re.escape(words)}", row)
    closed = home.here("show", "1")
    assert "in progress" not in closed.out


# rulesets.


@pytest.mark.parametrize("name", [*shipped_rulesets(), "haus"])
def test_a_ruleset_is_shown_as_the_file_that_makes_it(home: Home, name: str) -> None:
    home.house_ruleset("haus.toml", HOUSE)
    shown = quick(home, "rulesets", name)
    assert shown.startswith(f'name = "{name}"\n')
    copy = shown.replace(f'name = "{name}"', 'name = "copy"', 1)
    home.house_ruleset("copy.toml", copy)
    assert quick(home, "rulesets", "copy") == copy
    original, made = (load_catalog(home.settings).rulesets[key] for key in (name, "copy"))
    assert made.parameters() == original.parameters()
    assert made.source == original.source
