"""How fast this machine is: from a press to the disk and to the lights, and from a start to a page.

All parts are those of a real table, on a ledger of its own. Beside a press stands what any program
needs at least for a record that survives a power cut: one commit of as many bytes on the same disk.
"""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import quantiles
from typing import Final, Self

import msgspec

from pochboard.buttons.press import PressTimes
from pochboard.errors import BenchError
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.store.bare import BareCommit
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from pochboard.text.lazy import lazy_gettext

_START: Final = "from pochboard.cli import main; main()"
_PATIENCE_S: Final = 120
_ASK_AGAIN_S: Final = 0.005
_REST_S: Final = 0.002
"""Between two presses, so that one finds the machine as a person's press does."""


class Spread(msgspec.Struct, frozen=True):
    """Seconds, of many measurements."""

    median: float
    slowest: float
    """Of a hundred, the slowest but one."""


class PressFigures(msgspec.Struct, frozen=True):
    """What a press takes, and what a bare commit took in turn with it."""

    press: Spread
    commit: Spread


class StartFigures(msgspec.Struct, frozen=True):
    """What the start of a daemon with neither a board nor nights takes."""

    first_page: float
    """Seconds until its page was there."""
    memory: int
    """Its resident memory then, in bytes."""


class PressRig:
    """A table with the lights of a simulated board, six players and a bet to make."""

    def __init__(self, store: Store) -> None:
        self.frames: list[float] = []
        self.table = Table(
            store,
            Setup(resolve_among(shipped_rulesets()), PressTimes()),
            BoardInfo("simulator", link=True, simulated=True),
            lambda _: self.frames.append(time.perf_counter()),
        )

    def __enter__(self) -> Self:
        """Starts the table."""
        self.table.start()
        begin_betting(self.table)
        return self

    def __exit__(self, *_: object) -> None:
        """Stops it."""
        self.table.stop()

    def press(self) -> tuple[float, float]:
        """Stakes a chip, and undoes it: the moments of the edge and of the frame after its commit.

        A stake makes the bet pool's ring and the turn's place change at once, so a frame follows.
        """
        table, seat = self.table, self.table.snapshot.state.to_act
        button = f"seat{seat}"
        for edge, down in ((button, True), (button, False), ("poch", True)):
            table.edge(edge, down).result()
        shown = len(self.frames)
        begun = time.perf_counter()
        table.edge("poch", False).result()
        lit = self.frames[shown]
        table.command(parse_command({"do": "undo"}))
        time.sleep(_REST_S)
        return begun, lit


def begin_betting(table: Table) -> None:
    """Six players, the first of them to act."""
    players = [f"P{seat}" for seat in range(1, 7)]
    start = {"do": "start", "ruleset": "modern", "players": players, "stack": 10_000}
    for command in (start, {"do": "deal"}, {"do": "next"}):
        table.command(parse_command(command))


def measure_presses(folder: Path, presses: int, progress: Callable[[float], None]) -> PressFigures:
    """This many presses and commits in turn, on the disk of the folder. Raises LedgerError."""
    pressed, committed = [], []
    with (
        Store.open(folder / "ledger.db") as store,
        closing(BareCommit(folder / "bare.db")) as bare,
        PressRig(store) as rig,
    ):
        for done in range(presses):
            committed.append(bare.commit())
            begun, lit = rig.press()
            pressed.append(lit - begun)
            progress((done + 1) / presses)
    return PressFigures(spread(pressed), spread(committed))


def spread(seconds: list[float]) -> Spread:
    """The spread of at least two measurements."""
    cuts = quantiles(seconds, n=100, method="inclusive")
    return Spread(cuts[49], cuts[98])


def measure_start(folder: Path) -> StartFigures:
    """Starts a daemon on a ledger of its own in the folder. Raises BenchError."""
    # After an upgrade the first start compiles the program.
    _started(folder)
    return _started(folder)


def _started(folder: Path) -> StartFigures:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    # An empty configuration, so that the daemon that runs keeps its board.
    options = ("--config", folder / "config", "--data", folder / "data", "--port", str(port))
    words = (sys.executable, "-c", _START, "run", *options)
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        while not _has_page(port):
            if process.poll() is not None or time.perf_counter() - begun > _PATIENCE_S:
                raise BenchError(
                    lazy_gettext("The daemon to be measured does not start. See why: pochboard run")
                )
            time.sleep(_ASK_AGAIN_S)
        spent = time.perf_counter() - begun
        status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    finally:
        process.terminate()
        process.wait()
    return StartFigures(spent, 1024 * int(status.partition("VmRSS:")[2].split()[0]))


def _has_page(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
