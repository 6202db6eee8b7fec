"""An optional part is a module with a `PART` and a line in `PARTS`, and nothing else names it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from pochboard import config as configuration
from pochboard.config import Config
from pochboard.config_file import load_config
from pochboard.daemon.daemon import daemon
from pochboard.doctor.daemon_checks import part_checks
from pochboard.errors import ConfigError, PochboardError
from pochboard.rules.commands import Start
from pochboard.rulesets import load_catalog
from pochboard.table.part import OptionalPart, Probe, Seat
from pochboard.table.snapshot import Listener, Snapshot
from pochboard.text.lazy import LazyText
from tests.shell.server_kit import ask, wait_until


class LampTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[lamp]`."""

    socket: str = ""
    password: str = ""


class Lamp(Listener):
    """A lamp that burns while a night is on."""

    def __init__(self, seat: Seat, socket: str) -> None:
        self.table, self.socket = seat.table, socket
        self.seen: list[str] = []
        self.closed = False

    def start(self) -> None:
        self.unlisten = self.table.listen(self)

    def close(self) -> None:
        self.unlisten()
        self.closed = True

    def on_snapshot(self, snapshot: Snapshot) -> None:
        self.seen.append(snapshot.state.phase)


DARK = "The lamp is dark."


def probes(lamp: LampTable, _: Config) -> Iterator[tuple[str, Probe]]:
    def tried() -> str:
        if lamp.socket != "hall":
            raise PochboardError(f"The lamp {lamp.socket} is dark.")
        return "The lamp burns."

    yield "lamp", tried


@pytest.fixture(autouse=True)
def lamps(monkeypatch: pytest.MonkeyPatch) -> list[Lamp]:
    there: list[Lamp] = []

    def made(seat: Seat, lamp: LampTable) -> Iterator[Lamp]:
        there.append(Lamp(seat, lamp.socket))
        yield there[-1]

    module = ModuleType("lamp_of_this_test")
    module.PART = OptionalPart(  # type: ignore[attr-defined]
        LampTable,
        made,
        probes,
        fix="Plug it in.",
        problem=lambda lamp: LazyText(DARK if lamp.socket == "cellar" else ""),
        refuse=lambda lamp, board: "socket is for a board" if board == "none" else "",
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(configuration.PARTS, "lamp", module.__name__)
    return there


def loaded(folder: Path, text: str) -> Config:
    (folder / "config.toml").write_text(text)
    return load_config(folder, folder)


def test_its_table_is_read_by_its_own_type(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[lamp]\nsocket = "hall"').parts["lamp"].socket == "hall"
    assert "lamp" not in loaded(tmp_path, "").parts
    assert loaded(tmp_path, "[lamp]").parts == {}, "it says nothing"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[lamp]\nsocket = 7", "`$.lamp.socket`"),
        ("[lamp]\ncolour = 7", "unknown field `colour` - at `$.lamp`"),
        ("lamp = 7", "at `$.lamp`"),
        ("[lanp]", "unknown field `lanp`"),
        ("[parts]", "There is no table [parts]"),
        ('board = "none"\n[lamp]\nsocket = "hall"', "lamp.socket is for a board"),
    ],
)
def test_a_wrong_table_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, text)
    assert says in str(refused.value)


def test_it_follows_the_table_until_the_daemon_ends(tmp_path: Path, lamps: list[Lamp]) -> None:
    config = loaded(tmp_path, 'port = 0\n[lamp]\nsocket = "cellar"')
    with daemon(config, load_catalog(tmp_path)) as server:
        server.context.table.command(Start(ruleset="modern", players=("Anna", "Ben", "Clara")))
        (lamp,) = lamps

        def told() -> str:
            return str(ask(server.port, "GET", "/healthz").body)

        wait_until("the lamp knows of the night", lambda: "idle" in lamp.seen)
        wait_until("its fault is shown", lambda: DARK in told())
        assert not lamp.closed
    assert lamp.closed


def test_what_is_wrong_with_it_is_shown(tmp_path: Path) -> None:
    checks = part_checks(loaded(tmp_path, '[lamp]\nsocket = "hall"'))
    assert [(check.name, check.ok, check.found) for check in checks] == [
        ("lamp", True, "The lamp burns.")
    ]
    checks = part_checks(loaded(tmp_path, '[lamp]\nsocket = "cellar"'))
    assert [(check.ok, str(check)) for check in checks] == [
        (False, "The lamp cellar is dark. Plug it in.")
    ]
