"""`pochboard simulate`: its output, its files, and how it ends."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import pochboard.simulate
from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S

SHORT = ("--ruleset", "thirty-one", "--nights", "20", "--jobs", "1")
ENDLESS = ("--nights", "1000000000")


def said(home: Home, *words: str | Path) -> str:
    """The table of a simulation that ends well."""
    ran = home.here("simulate", *words)
    assert (ran.status, ran.err) == (0, ""), ran
    return ran.out


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table by the names of its columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def row_of(table: str, first: str) -> list[str]:
    """The cells of a row of the table."""
    row = next(row for row in table.splitlines() if row.startswith(first))
    return re.split(r"  +", row)


# The table.


def test_the_table_fits_a_terminal(home: Home) -> None:
    table = said(home, *SHORT, "--players", "6", "--strategies", "sensible,random")
    assert all(line.isprintable() for line in table.splitlines())
    assert max(map(len, table.splitlines())) <= 80
    assert not any(line.endswith(" ") for line in table.splitlines())
    assert table.startswith("thirty-one with 6 players, seed 1: 20 nights, ")
    for pool in ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch"):
        assert len(row_of(table, pool)) >= 6
    assert "pinke" not in table, "this ruleset has none"


def test_any_number_of_processes_gives_the_same(home: Home) -> None:
    outcomes = []
    for jobs, run in (("1", home.here), ("2", home.cli)):
        rows, picture = home.folder / f"{jobs}.csv", home.folder / f"{jobs}.svg"
        ran = run(
            "simulate", "--ruleset", "thirty-one", "--nights", "50", "--jobs", jobs,
            "--csv", rows, "--plot", picture,
        )  # fmt: skip
        assert (ran.status, ran.err) == (0, ""), ran
        outcomes.append((ran.out, rows.read_bytes(), picture.read_bytes()))
    assert outcomes[0] == outcomes[1]
    text = outcomes[0][2].decode()
    assert ET.fromstring(text).tag.endswith("svg")
    # Text is drawn, and named in comments.
    for words in ("deal of the night", "chips", "marriage", "seat 4, sensible"):
        assert f"<!-- {words} -->" in text, words
    assert "<dc:date>" not in text


# The rows.


def test_rows_on_standard_output(home: Home) -> None:
    ran = home.here("simulate", *SHORT, "--csv", "-")
    path = home.folder / "deals.csv"
    table = said(home, *SHORT, "--csv", path)
    assert ran.status == 0
    assert ran.out == path.read_bytes().decode()
    assert ran.err == table


def test_a_file_is_replaced_whole(home: Home) -> None:
    path = home.folder / "deals.csv"
    path.write_text("old", "utf-8")
    link = home.folder / "link.csv"
    link.symlink_to(path)
    said(home, *SHORT, "--csv", link)
    assert link.is_symlink()
    assert len(read(path)) == 80
    assert sorted(p.name for p in home.folder.iterdir()) == ["deals.csv", "link.csv"]


# The picture.


def test_without_matplotlib(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "pochboard.simulate.plot", raising=False)
    monkeypatch.delattr(pochboard.simulate, "plot", raising=False)
    ran = home.here("simulate", *ENDLESS, "--plot", home.folder / "a.png")
    assert ran.status == 1
    assert ran.said == (
        f"--plot needs matplotlib. Install it with: {sys.executable} -m pip install matplotlib"
    )
    assert list(home.folder.iterdir()) == []


# Wrong use.


WRITE = "'--option': Write a parameter and its value, such as ante=2"
UNREADABLE = "'--option': The value of \"ante\" cannot be read. Write it as in 2, true, "


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--ruleset", "whist"], '\'--ruleset\': There is no ruleset "whist". The rulesets'),
        (["--players", "2"], "'--players': The ruleset modern is for 3 to 6 players, not 2"),
        (["--nights", "0"], "'--nights': 0 is not in the range x>=1."),
        (["--stack", "10001"], "'--stack': 10001 is not in the range 1<=x<=10000."),
        (["--option", "ante"], f'{WRITE}, not "ante".'),
        (["--option", "ante=0"], "'--option': \"ante\" must be a whole number from 1 to 100"),
        (["--option", "ante=two chips"], UNREADABLE),
        (["--option", "ante=2\ndeck=32"], UNREADABLE),
        (["--option", f"ante={'9' * 9000}"], "'--option': \"ante\" must be "),
        (["--option", "deck=32", "--option", "hand=6"], "'--option': \"hand\" is too large: 6 "),
        (["--strategies", ""], '\'--strategies\': There is no strategy "". The strategies are '),
        (["--plot", "a.pdf"], "'--plot': The file must end in .svg or .png, not a.pdf."),
    ],
)  # fmt: skip
def test_wrong_use(home: Home, words: list[str], sentence: str) -> None:
    ran = home.here("simulate", *ENDLESS, *words)
    assert ran.misused.removeprefix("Invalid value for ").startswith(sentence), ran


def test_two_files_of_one_name(home: Home) -> None:
    same = home.folder / "a.svg"
    ran = home.here("simulate", *ENDLESS, "--csv", same, "--plot", same)
    assert ran.misused == "--csv and --plot need two different files."


@pytest.mark.parametrize("option", ["--csv", "--plot"])
def test_a_file_that_cannot_be_written_is_said_before(home: Home, option: str) -> None:
    nowhere = home.folder / "none" / "a.svg"
    ran = home.here("simulate", *ENDLESS, option, nowhere)
    assert (ran.status, ran.said) == (1, f"{nowhere} cannot be written: No such file or directory.")
    pipe = home.folder / "pipe.svg"
    os.mkfifo(pipe)
    ran = home.here("simulate", *ENDLESS, option, pipe)
    assert (ran.status, ran.said) == (1, f"{pipe} cannot be written: it is not a regular file.")
    folder = home.folder / "folder.svg"
    folder.mkdir()
    assert "is a directory" in home.here("simulate", *ENDLESS, option, folder).misused
    # Matplotlib keeps its own cache in the home.
    files = {p.name for p in home.folder.iterdir()}
    assert files - {".cache", ".config", "config"} == {"folder.svg", "pipe.svg"}


# Interruption.


def simulating(home: Home, *words: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [PROGRAM, "simulate", *ENDLESS, *words],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_rows(home: Home) -> None:
    """Until rows of deals have reached the file that is being written."""
    deadline = time.monotonic() + LONG_S
    while not any(p.stat().st_size > 2000 for p in home.folder.glob(".*.part")):
        assert time.monotonic() < deadline, list(home.folder.iterdir())
        time.sleep(0.02)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_the_old_file_and_no_process(home: Home, jobs: str) -> None:
    path = home.folder / "deals.csv"
    path.write_text("old", "utf-8")
    with simulating(home, "--jobs", jobs, "--csv", path) as child:
        wait_for_rows(home)
        # As a terminal does it: to all processes at once.
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=LONG_S)
    assert (child.returncode, out) == (130, b"")
    assert err == b"pochboard: The simulation was interrupted; nothing was written.\n"
    assert [p.name for p in home.folder.iterdir()] == ["deals.csv"]
    assert path.read_text("utf-8") == "old"
    gone(child.pid)


def test_sigterm_leaves_no_file_and_no_process(home: Home) -> None:
    with simulating(home, "--jobs", "2", "--csv", home.folder / "deals.csv") as child:
        wait_for_rows(home)
        child.terminate()
        out, err = child.communicate(timeout=LONG_S)
    assert (child.returncode, out) == (143, b"")
    assert err == b"pochboard: The simulation was interrupted; nothing was written.\n"
    assert list(home.folder.iterdir()) == []
    gone(child.pid)


def test_a_killed_worker_ends_the_simulation(home: Home) -> None:
    with simulating(home, "--jobs", "2", "--csv", home.folder / "deals.csv") as child:
        wait_for_rows(home)
        players = [
            int(pid)
            for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        assert len(players) == 2
        os.kill(players[1], signal.SIGKILL)
        out, err = child.communicate(timeout=LONG_S)
    assert (child.returncode, out) == (1, b"")
    assert err == b"pochboard: A worker process was killed; the simulation has stopped.\n"
    assert list(home.folder.iterdir()) == []
    gone(child.pid)


def test_workers_end_when_their_parent_is_killed(home: Home) -> None:
    with simulating(home, "--jobs", "2", "--csv", home.folder / "deals.csv") as child:
        wait_for_rows(home)
        child.kill()
        child.communicate(timeout=LONG_S)
    gone(child.pid)


def gone(group: int) -> None:
    """No process of the group is left."""
    deadline = time.monotonic() + LONG_S
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, "processes were left running"
        time.sleep(0.02)
