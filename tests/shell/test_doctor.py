"""`pochboard doctor` as people run it: its report, and what it leaves alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.firmware.board_process import FirmwareBoard
from tests.shell.daemons import Home
from tests.shell.server_kit import wait_until


def test_the_report(home: Home) -> None:
    home.configure("port = 0\n")
    ran = home.here("doctor")
    assert (ran.status, ran.err) == (0, "")
    *rows, empty, last = ran.out.splitlines()
    assert (empty, last) == ("", "Everything is fine.")
    assert all(re.match(r"(ok   |note |     ) ", row) for row in rows)
    assert f"{home.settings / 'config.toml'} is valid." in rows[0]


def test_problems_are_counted(home: Home) -> None:
    home.configure('board = "gpio"\nport = 0\n[gpio.pins]\nace = 17\n')
    ran = home.here("doctor")
    assert ran.status == 1
    assert "fix   buttons: pins     GPIO 17 has two buttons, ace and king.\n" in ran.out
    assert "\n                        Give each button its own pin in [gpio.pins]" in ran.out
    count = len(re.findall(r"^fix  ", ran.out, re.MULTILINE))
    assert ran.out.endswith(f"\n{count} problems to fix.\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[gpio.pins]\nace = 30\n",
            "Expected `int` <= 27 - at `$.gpio.pins.ace`",
        ),
        ("board = 3\n", "Expected `str`, got `int` - at `$.board`"),
        ("board\n", "is not TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_the_first_line(
    home: Home, text: str, says: str
) -> None:
    home.configure(text)
    ran = home.here("doctor")
    assert ran.status == 1
    first, fix, *others = ran.out.splitlines()
    assert first.startswith(f"fix   configuration     {home.settings / 'config.toml'}")
    assert says in first
    assert "docs/CONFIG.md" in fix
    assert any("ledger" in row for row in others)


def test_beside_a_daemon_the_board_is_left_alone(home: Home, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board:
        home.configure(f'board = "pico"\nport = 0\n[pico]\nport = "{board.port}"\n')
        with home.daemon() as daemon:
            wait_until("it is linked", lambda: daemon.state["board"]["link"])
            sentence = f"The daemon (process {daemon.process.pid}) is running and uses the board."
            report = home.here("doctor")
            assert f"note  daemon            {sentence} The board was not tested.\n" in report.out
            assert "board: greeting" not in report.out
            assert report.status == 0, report.out
            assert daemon.state["board"]["link"]
            assert daemon.errors == ""
        report = home.here("doctor")
        sentence = f"The board E6614C311B7D7A2F on {board.port} answers."
        assert f"ok    board: greeting   {sentence}" in report.out
