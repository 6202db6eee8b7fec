"""The daemon with a board on USB: the firmware in a process behind a port, and presses on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from tests.count_reader import part_of, read_counts
from tests.firmware.board_process import FirmwareBoard
from tests.shell.daemons import TUNED_PROGRAM, Daemon, Home
from tests.shell.server_kit import LONG_S, pools, wait_until

# The tests press `next` faster than people do, and no press is meant to be long.
QUICK = (
    "[times]\ntoo_soon_s = 0\nlong_s = 3\nnext_long_s = 10\noff_s = 30\n"
    "lobby_s = 60\nselect_s = 60\n"
)
LOOK = LightsConfig()
FIRST = shipped_rulesets()["family"]
"""What a new ledger is played with."""
ANTED = {pool: 3 * FIRST.ante if pool in FIRST.ante_pools else 0 for pool in POOLS}
"""The chips of each pool after the first deal of three."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path, TUNED_PROGRAM)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FirmwareBoard]:
    with FirmwareBoard(tmp_path) as made:
        yield made


def configure(home: Home, port: Path, more: str = "") -> None:
    home.configure(f'board = "pico"\n{QUICK}[pico]\nport = "{port}"\n{more}')


def is_linked(daemon: Daemon) -> bool:
    board_state = daemon.state["board"]
    assert (board_state["kind"], board_state["simulated"]) == ("pico", False)
    return bool(board_state["link"])


def wait_for_link(daemon: Daemon, up: bool = True) -> None:
    wait_until(f"the link is {up}", lambda: is_linked(daemon) is up)


def test_presses_on_the_board_are_recorded_and_its_rings_count(
    home: Home, board: FirmwareBoard
) -> None:
    configure(home, board.port)
    with home.daemon() as daemon:
        wait_for_link(daemon)
        for button in ("seat1", "seat3", "seat4", "next", "next", "next"):
            board.tap(button)
        wait_until("a deal is under way", lambda: daemon.state["phase"] == "meld")
        assert pools(daemon.state) == ANTED
        board.wait_pixels(lambda seen: counts(seen) == tuple(ANTED.values()))
        board.tap("undo")
        wait_until("it is taken back", lambda: daemon.state["phase"] == "idle")
        board.wait_pixels(lambda seen: counts(seen) == (0,) * 9)
        assert (daemon.stop(), daemon.errors) == ((0, "Good night.\n"), "")
        assert not any(board.wait_pixels(lambda seen: not any(seen)))
    shown = home.here("show", "1").out
    assert [word in shown for word in ("Place 1", "Place 3", "Place 4")] == [True] * 3


def test_the_machine_can_be_switched_off_at_the_board(home: Home, board: FirmwareBoard) -> None:
    home.configure(
        'board = "pico"\n[times]\nnext_long_s = 1\noff_s = 2\noff_ask_s = 60\n'
        f'[pico]\nport = "{board.port}"\n'
    )
    with home.daemon("--switch-off") as daemon:
        wait_for_link(daemon)
        board.press("next")
        wait_until("it asks", lambda: daemon.state["switching_off"] == "asked")
        assert daemon.state["guidance"]["title"] == "Switch the board off?"
        board.wait_pixels(lambda seen: any(part_of(seen, LightsConfig(), "pinke")))
        board.release("next")
        board.rest(0.05)
        board.tap("next")
        wait_until("it is confirmed", lambda: daemon.state["switching_off"] == "confirmed")
        assert daemon.process.wait(LONG_S) == 83, "the unit then powers off"
        assert not any(board.wait_pixels(lambda seen: not any(seen)))


def counts(seen: bytes) -> tuple[int | None, ...] | None:
    """What the rings count, or None where an effect is under way."""
    try:
        return read_counts(seen, LOOK)
    except ValueError:
        return None
