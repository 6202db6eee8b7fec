"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
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
from pochboard.rulesets.catalog import load_catalog
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S

NIGHTS = Path(__file__).parent.parent / "nights"
SHEETS = sorted(NIGHTS.glob("*.jsonl"))
MODERN = NIGHTS / "modern-b.jsonl"
COMMANDS = (
    "backup", "bundle", "card", "check", "doctor", "export", "firmware",
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


# Help.


def test_the_help_shows_how_each_thing_is_done(home: Home) -> None:
    ran = home.here("--help")
    assert ran.status == 0
    assert "\\b" not in ran.out
    shown = re.findall(r"^  (?:[A-Z][a-z ]+: +| +)pochboard (\w+)", ran.out, re.MULTILINE)
    assert sorted(set(shown)) == sorted(COMMANDS)
    assert len(shown) == len(COMMANDS) + 1, "one example a line, and two of run"
    assert home.here("-h").out == ran.out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command(home: Home, command: str) -> None:
    ran = home.here(command, "--help")
    assert (ran.status, ran.err) == (0, "")
    usage, _, rest = ran.out.partition("\n")
    assert usage.startswith(f"Usage: pochboard {command} [OPTIONS]")
    assert re.match(r"\n  [A-Z][^.]+\.", rest), "a sentence says what it does"
    options = rest.partition("Options:")[2]
    for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", options, re.MULTILINE):
        line = options[options.index(option) :]
        assert re.match(rf"{option}( [A-Z\[\]a-z|%<>=0-9-]+)*\s+[A-Z]\w+", line), option
    assert home.here(command, "-h").out == ran.out
    assert home.here("--version").out.startswith("pochboard, version ")
    assert not home.data.exists()


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
            'The date must be a valid one, such as 2026-11-15, not "yesterday".',
        ),
        (["import", "a", "--date", "0001-01-01"], "The date is too early."),
        (["nights", "7"], "Got unexpected extra argument (7)"),
        (
            ["rulesets", "canasta"],
            'There is no ruleset "canasta". The rulesets are modern, banker, ',
        ),
        (["run", "--lan", "--host", "127.0.0.1"], "Use --lan or --host, not both."),
        (["run", "--port", "65536"], "'--port': 65536 is not in the range 0<=x<=65535."),
    ],
)
def test_wrong_use(home: Home, words: list[str], sentence: str) -> None:
    ran = home.here(*words).misused
    assert sentence in ran
    assert not home.data.exists()


def powerless() -> list[str | Path]:
    """The prefix of a command that makes permissions hold for it, even if this is root."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    return [setpriv, "--inh-caps=-all", "--bounding-set=-all"]


@pytest.mark.parametrize("there", [True, False], ids=["ledger", "no ledger"])
def test_a_data_folder_that_cannot_be_written(home: Home, there: bool) -> None:
    without_power = powerless()
    home.data.mkdir(parents=True)
    if there:
        play(home, START)
    before = files_of(home)
    home.data.chmod(0o500)
    try:
        for words in (["run", "--port", "0"], ["import", str(MODERN)]):
            done = subprocess.run(
                [*without_power, PROGRAM, *words],
                env=home.environment(),
                capture_output=True,
                text=True,
                check=False,
                timeout=LONG_S,
            )
            assert (done.returncode, done.stdout) == (1, ""), done
            assert re.fullmatch(r"pochboard: .*cannot be.*Permission denied.*\n", done.stderr)
    finally:
        home.data.chmod(0o700)
    assert files_of(home) == before
    assert bool(before) == there


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


def test_a_port_in_use(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = home.cli("run", "--port", str(port))
        assert ran.status == 1
        assert ran.said.startswith(f"port {port} is in use")
        home.configure(f"port = {port}")
        assert home.cli("run").said == ran.said
    with home.daemon():
        pass  # nothing was left behind that keeps the next one away


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_output_to_a_full_disk(home: Home) -> None:
    play(home, START)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [PROGRAM, "export", "1"],
            env=home.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=LONG_S,
        )
    assert (done.returncode, done.stderr) == (1, b"pochboard: No space left on device.\n")


def test_interrupted(home: Home) -> None:
    with subprocess.Popen(
        [PROGRAM, "check", "/dev/stdin"],
        env=home.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin is not None
        # More than a pipe holds: by the time this is written, it is being read.
        child.stdin.write(b"# score\n" * 100_000)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=LONG_S)
    assert (child.returncode, out, err) == (130, b"", b"pochboard: Interrupted.\n")


# check.


def test_several_files_get_one_line_each(home: Home) -> None:
    fails = home.sheet("fails", START, {"expect": {"deal": 1}})
    none = home.sheet("none", "no")
    assert home.here("check", SHEETS[0], fails, SHEETS[1]).status == 1
    for order in ([fails, none, SHEETS[0]], [none, SHEETS[0], fails]):
        ran = home.here("check", *order)
        assert ran.status == 2
        rows = ran.out.splitlines()
        assert [row.partition(": ")[0] for row in rows] == [str(path) for path in order]


def test_names_that_would_break_the_line(home: Home) -> None:
    twice = {**START, "players": ["A\nB\x1b[31m", "A\nB\x1b[31m", "C"]}
    ran = home.here("check", home.sheet("s\nheet\udcff", twice))
    assert ran.status == 1
    assert ran.out.count("\n") == 1
    assert "\x1b" not in ran.out
    assert "s\\nheet\\udcff: line 1: " in ran.out


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


def test_a_night_that_the_most_chips_win_is_listed_so_and_sound(home: Home) -> None:
    start: dict[str, Any] = {"do": "start", "ruleset": "family", "players": ["Anna", "Ben"]}
    start["options"] = {"won_by": "most-chips"}
    bought = {"do": "rebuy", "seat": 2, "chips": 20}
    lost = {"do": "adjust", "from": "seat:2", "to": "bank", "chips": 10, "reason": "lost"}
    quick(home, "import", home.sheet("won", start, bought, lost, {"do": "end"}))
    assert "Ben \N{MINUS SIGN}10, Anna" in quick(home, "nights")
    assert "is sound" in quick(home, "verify", "--replay")


def test_every_night_imported_is_exported_as_a_sheet_that_holds(home: Home) -> None:
    for sheet in SHEETS[::4]:
        quick(home, "import", sheet)
    with Store.open(home.ledger, readonly=True) as store:
        numbers = [night.number for night in store.nights()]
    assert len(numbers) >= len(SHEETS[::4])
    for number in numbers:
        exports(home, number)


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


def test_export_into_a_file(home: Home) -> None:
    number = str(play(home, START))
    out = home.folder / "night.jsonl"
    ran = home.here("export", number, "-o", out)
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert out.read_bytes().decode() == home.here("export", number, "--format", "sheet").out
    assert home.here("check", out).status == 0
    ran = home.here("export", number, "--output", home.folder / "none" / "night")
    assert ran.status == 1
    assert ran.said.endswith("cannot be written: No such file or directory")
    assert "is a directory" in home.here("export", number, "--output", home.folder).misused


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


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a daemon"])
def test_one_bad_sheet_of_several_keeps_all_out(home: Home, beside: bool) -> None:
    good = home.sheet("good", START, {"do": "end"})
    fails = home.sheet("fails", START, {"expect": {"deal": 2}})
    none = home.sheet("none", "my notes")
    with home.daemon() if beside else nullcontext():
        for sheets, status in (((good, fails), 1), ((fails, good, none), 2)):
            ran = home.here("import", *sheets)
            assert (ran.status, ran.out) == (status, "")
            bad = [sheet for sheet in sheets if sheet != good]
            assert [row.split(": ")[:2] for row in ran.err.splitlines()] == [
                ["pochboard", str(sheet)] for sheet in bad
            ]
        with Store.open(home.ledger) if not beside else nullcontext():
            assert "No night has been played yet" in quick(home, "nights")


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
        assert (listed[0]["imported"], listed[0]["ruleset"]) == (True, "haus")
        assert daemon.do(do="claim", seat=1, pool="ace") == 3
        rows = quick(home, "nights").splitlines()
        assert rows[1].split()[:4] == ["2", "2024-12-31", "haus", "0"]
        assert rows[2].endswith("in progress")
        # The numbers continue after the imported nights.
        daemon.do(do="void")
        daemon.do(do="end")
        daemon.do(**START)
        assert daemon.state["night"] == 3


def test_a_bad_sheet_is_refused_beside_a_daemon_as_it_is_alone(home: Home) -> None:
    sheets = [home.sheet(f"sheet-{number}", *lines) for number, (lines, *_) in enumerate(BAD_PAPER)]
    (home.folder / "latin").write_bytes(b'{"do": "J\xf6rg"}\n')
    sheets += [home.folder / "latin", home.folder / "none"]
    alone = [home.here("import", sheet) for sheet in sheets]
    with home.daemon() as daemon:
        assert [home.here("import", sheet) for sheet in sheets] == alone
        assert daemon.get("/api/nights") == []


# nights, show.


def test_the_last_night_is_shown_and_exported_by_default(home: Home) -> None:
    Store.open(home.ledger).close()
    for command in ("show", "export"):
        ran = home.here(command)
        assert (ran.status, ran.out) == (2, "")
        assert ran.said == "No night has been played yet. Start the table with: pochboard run"
    quick(home, "import", MODERN)
    last = str(play(home, START, {"do": "deal"}))
    for command in ("show", "export"):
        assert quick(home, command) == quick(home, command, last) != quick(home, command, "1")


def test_an_unknown_night(home: Home) -> None:
    play(home, START)
    for command in ("show", "export"):
        for number in ("2", "9" * 30):
            ran = home.here(command, number)
            assert ran.status == 2
            assert ran.said == f"There is no night {number}; the last one is 1."


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


def test_names_cannot_draw_on_the_terminal(home: Home) -> None:
    # Such names are no longer accepted, but an older ledger may contain some.
    old = Start(ruleset="modern", players=("A\x1b[2J", "B\nC", "D\u2028E\x07"))
    number = play(home, old, {"do": "end"})
    for words in (["show", str(number)], ["nights"]):
        out = home.here(*words).out
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", out)
        assert r"A\x1b[2J" in out
        assert r"B\nC" in out


# rulesets.


def test_house_rulesets_good_and_bad(home: Home) -> None:
    home.house_ruleset("haus.toml", HOUSE)
    bad = home.house_ruleset("bad.toml", 'name = "bad"\nbase = "modern"\nante = 101\n')
    worse = home.house_ruleset("worse.toml", "name = ")
    unknown = home.house_ruleset("z.toml", 'name = "z"\nbase = "modern"\njokers = 2\n')
    ran = home.here("rulesets")
    assert ran.status == 0
    assert [row.split()[0] for row in ran.out.splitlines()] == [*shipped_rulesets(), "haus"]
    named = ran.err.splitlines()
    assert named[0].startswith(f'pochboard: {bad}: "ante" must be ')
    assert named[1].startswith(f"pochboard: {worse}: This is not TOML: ")
    assert named[2].startswith(
        f'pochboard: {unknown}: "jokers" is not a parameter. The parameters are source, '
    )
    assert len(named) == 3
    assert "stack = 33\n" in home.here("rulesets", "haus").out
    sheet = home.sheet("sheet", {**START, "ruleset": "haus"}, {"expect": {"stacks": {"1": 33}}})
    assert home.here("check", sheet).out == f"{sheet}: ok\n"
    assert home.here("rulesets", "bad").status == 2


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


def test_a_command_imports_no_other_and_is_then_collected_as_usual() -> None:
    code = (
        "import gc, sys\n"
        "from pochboard.cli import main\n"
        "sys.argv = ['pochboard', 'rulesets']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(*[name for name in sys.modules if name.startswith('pochboard.cli.')])\n"
        "print(gc.isenabled(), gc.get_freeze_count() > 1000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, modules, collecting = done.stdout.splitlines()
    own = {"commands", "common"}
    assert set(modules.split()) == {f"pochboard.cli.{name}" for name in own}
    assert collecting == "True True"
