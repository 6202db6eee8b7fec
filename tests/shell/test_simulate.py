"""`pochboard simulate`: its output, its files, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S

SHORT = ("--ruleset", "thirty-one", "--nights", "20", "--jobs", "1")
ENDLESS = ("--nights", "1000000000")


def said(home: Home, *words: str | Path) -> str:
    """The table of a simulation that ends well."""
    ran = home.here("simulate", *words)
    assert (ran.status, ran.err) == (0, ""), ran
    return ran.out


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
    for pool in ("Ace", "King", "Queen", "Jack", "Ten", "Marriage", "Sequence", "Poch"):
        assert len(row_of(table, pool)) >= 6
    assert "Pinke" not in table, "this ruleset has none"
    named = said(home, "--ruleset", "oldest-board", "--nights", "1")
    assert [row_of(named, pool)[0] for pool in ("Deuce", "Bock")] == ["Deuce", "Bock"]


def test_any_number_of_processes_gives_the_same(home: Home) -> None:
    words = ("simulate", "--ruleset", "thirty-one", "--nights", "400", "--jobs")
    one, two = home.here(*words, "1"), home.cli(*words, "2")
    assert (one.status, one.err) == (two.status, two.err) == (0, "")
    assert one.out == two.out


# Wrong use.


WRITE = "'--option': Write a parameter and its value, such as ante=2"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--ruleset", "whist"], '\'--ruleset\': There is no ruleset "whist". The rulesets'),
        (["--players", "2"], "'--players': The ruleset modern is for 3 to 6 players, not 2"),
        (["--nights", "0"], "'--nights': 0 is not in the range x>=1."),
        (["--stack", "10001"], "'--stack': 10001 is not in the range 1<=x<=10000."),
        (["--option", "ante"], f'{WRITE}, not "ante".'),
    ],
)  # fmt: skip
def test_wrong_use(home: Home, words: list[str], sentence: str) -> None:
    ran = home.here("simulate", *ENDLESS, *words)
    assert ran.misused.removeprefix("Invalid value for ").startswith(sentence), ran


# Interruption.


@contextmanager
def simulating(home: Home, jobs: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A simulation that has played some nights, and the terminal to which it reports."""
    terminal, end = os.openpty()
    with subprocess.Popen(
        [PROGRAM, "simulate", *ENDLESS, "--jobs", jobs],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=end,
        start_new_session=True,
    ) as child:
        os.close(end)
        # The time that is left stands beside the share once a batch has been played.
        shown = b""
        while not re.search(rb"0%\s+\d", shown):
            shown += os.read(terminal, 1000)
        yield child, terminal
    os.close(terminal)
    gone(child.pid)


def ending(child: subprocess.Popen[bytes], terminal: int) -> tuple[int, str]:
    """Its exit status and its last line; it prints no report."""
    shown = b""
    # Linux fails once nobody holds the other end.
    with suppress(OSError):
        while part := os.read(terminal, 1000):
            shown += part
    out, _ = child.communicate(timeout=LONG_S)
    assert out == b""
    return child.returncode, shown.decode().splitlines()[-1]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_no_process(home: Home, jobs: str) -> None:
    with simulating(home, jobs) as (child, terminal):
        # As a terminal does it: to all processes at once.
        os.killpg(child.pid, signal.SIGINT)
        assert ending(child, terminal) == (130, "pochboard: Interrupted.")


def test_a_killed_worker_ends_the_simulation(home: Home) -> None:
    with simulating(home, "2") as (child, terminal):
        players = [
            int(pid)
            for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        assert len(players) == 2
        os.kill(players[1], signal.SIGKILL)
        assert ending(child, terminal) == (
            1,
            "pochboard: A worker process was killed; the simulation has stopped.",
        )


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
