"""A part that hangs or dies is noticed and named, and a supervised daemon is restarted."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, cast

import pytest

from pochboard.backup import BackupService
from pochboard.config import Config
from pochboard.daemon.drivers import ScreenDriver
from pochboard.errors import StoppedError
from pochboard.rulesets import load_catalog
from pochboard.rulesets.house_rules import HouseRules
from pochboard.runtime.process import ServiceManager
from pochboard.runtime.threads import Faults, HealthMonitor, LoopThread, Part
from pochboard.server.context import Context
from pochboard.server.server import Server
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Listener, Setup, Snapshot
from pochboard.table.table import Table
from pochboard.views.screen import Reachable
from tests.shell.daemons import Home
from tests.shell.server_kit import LONG_S, House, RecordingBoard, wait_until

QUICK_S = 0.2


class Rounds(ServiceManager):
    """Counts the round trips."""

    count = 0

    def notify(self, *assignments: str) -> None:
        self.count += "WATCHDOG=1" in assignments


class Watched(House):
    """Running parts with a monitor that asks them often."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(folder / "ledger.db")
        self.simulator = RecordingBoard()
        house_rules = HouseRules(load_catalog(folder / "settings"))
        setup = Setup(resolve=house_rules.resolve)
        board = BoardInfo("simulator", link=True, simulated=True)
        self.table = Table(self.store, setup, board, self.simulator.show)
        self.dead: list[str] = []
        self.rounds = Rounds({})
        self.health = HealthMonitor(self.rounds, self.dead.append, QUICK_S)
        server = Server(
            Context(
                config=Config(data=folder, port=0),
                table=self.table,
                house_rules=house_rules,
                backups=BackupService(self.store, folder, folder / "settings"),
                health=self.health,
            )
        )
        self.table.start()
        self.simulator.start(self.table)
        server.start()
        super().__init__(self.table, server, self.simulator, None)
        self.may_draw = threading.Event()
        self.may_draw.set()
        self.screen = ScreenDriver(self.table, self.simulator, self._reach)
        self.screen.start()
        self.health.watch(
            [
                Part("table", self.table.worker.ping, self.table.worker.is_alive),
                Part("web", server.ping, server.is_alive),
                Part("display", self.screen.ping, self.screen.is_alive),
            ],
            self.store.check,
        )

    def _reach(self) -> Reachable:
        """What the display shows between nights."""
        self.may_draw.wait(LONG_S)
        return Reachable("http://192.168.1.9:8441")

    def wait_for_round(self) -> None:
        before = self.rounds.count
        wait_until("another round trip", lambda: self.rounds.count > before)

    def wait_for_faults(self, faults: Faults) -> None:
        wait_until(f"faults: {faults}", lambda: self.health.faults == faults)

    def close(self) -> None:
        self.health.close()
        self.screen.close()
        self.server.stop()
        self.simulator.close()
        self.table.stop()
        self.store.close()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    one = Watched(tmp_path)
    try:
        yield one
    finally:
        one.close()


class Blocker(Listener):
    """A listener that keeps the table's thread waiting."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def on_snapshot(self, _: Snapshot) -> None:
        self.gate.wait(LONG_S)


@contextmanager
def frozen_table(watched: Watched) -> Iterator[None]:
    blocker = Blocker()
    unlisten = watched.table.listen(blocker)
    watched.table.set_link(False)
    try:
        yield
    finally:
        blocker.gate.set()
        unlisten()


@contextmanager
def frozen_web(watched: Watched) -> Iterator[None]:
    gate = threading.Event()
    loop = watched.server.events._loop
    assert loop is not None
    loop.call_soon_threadsafe(gate.wait, LONG_S)
    try:
        yield
    finally:
        gate.set()


@contextmanager
def frozen_store(watched: Watched) -> Iterator[None]:
    with watched.store._writing:
        yield


@pytest.mark.parametrize(
    ("name", "freeze"),
    [
        ("table", frozen_table),
        ("web", frozen_web),
        ("store", frozen_store),
    ],
)
def test_a_part_that_hangs_is_named_until_it_answers_again(
    watched: Watched, name: str, freeze: Any
) -> None:
    watched.wait_for_round()
    with freeze(watched):
        watched.wait_for_faults({name: ""})
        completed = watched.rounds.count
        threading.Event().wait(5 * QUICK_S)
        assert watched.rounds.count == completed, "no round trip completes without it"
    watched.wait_for_faults({})
    watched.wait_for_round()


def test_a_display_that_hangs_is_named_and_restarts_nothing(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.wait_for_round()
    watched.may_draw.clear()
    try:
        watched.wait_for_faults({"display": ""})
        watched.wait_for_round()
        watched.wait_for_round()
        answer = watched.get("/healthz")
        assert (answer.status, "display" in answer.json["message"]) == (503, True)
        monkeypatch.setattr(watched.simulator, "has_display", False, raising=False)
        watched.wait_for_faults({})
        monkeypatch.undo()
        watched.wait_for_faults({"display": ""})
        with frozen_table(watched):
            watched.wait_for_faults({"display": "", "table": ""})
            completed = watched.rounds.count
            threading.Event().wait(5 * QUICK_S)
            assert watched.rounds.count == completed, "the table is needed"
    finally:
        watched.may_draw.set()
    watched.wait_for_faults({})


def test_phones_and_healthz_say_what_hangs(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pochboard.server.events.HEARTBEAT_S", 0.05)
    message = (
        "The game does not respond: presses and commands are not recorded. If this lasts, restart"
        " pochboard. Everything recorded so far is safe."
    )
    with watched.stream() as stream:
        stream.next("state")
        with frozen_table(watched):
            watched.wait_for_faults({"table": ""})
            answer = watched.get("/healthz")
            assert answer.status == 503
            assert answer.json == {"code": "not-responding", "message": message}
            assert stream.next("health").data == {"message": message}
            with watched.stream() as later:
                assert later.next("health").data == {"message": message}
        assert stream.next("health").data == {"message": None}
    watched.wait_for_faults({})
    assert watched.get("/healthz").status == 200


def test_a_ledger_locked_by_another_program_is_named_and_keeps_the_round_trip(
    watched: Watched, tmp_path: Path
) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        wait_until("the lock is noticed", lambda: watched.health.faults.get("store"))
        assert "is locked by another program" in watched.health.faults["store"]
        watched.wait_for_round()

        def is_said() -> bool:
            message = watched.get("/healthz").json.get("message", "")
            return bool(message.startswith("Nothing can be recorded: "))

        wait_until("it is said", is_said)
        other.execute("ROLLBACK")
    finally:
        other.close()
    watched.wait_for_faults({})


def test_a_thread_that_dies_is_reported_once_and_keeps_nobody_waiting(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    watched.wait_for_round()
    asked = [watched.table.edge("next", True) for _ in range(3)]
    dying = watched.table.worker.submit(sys.exit)
    later = watched.table.worker.submit(lambda: None)
    wait_until("it is reported", lambda: watched.dead)
    for future in (dying, later):
        with pytest.raises(StoppedError):
            future.result(LONG_S)
    for future in cast("list[Any]", asked):
        future.result(LONG_S)
    watched.wait_for_faults({"table": ""})
    assert watched.dead == ["table"]


# systemd, replaced by a socket.


class Systemd:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, folder: Path, *, watchdog_s: float | None = None) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(folder / "notify"))
        self._socket.settimeout(LONG_S)
        self.environment = {"NOTIFY_SOCKET": str(folder / "notify")}
        if watchdog_s is not None:
            self.environment["WATCHDOG_USEC"] = str(round(watchdog_s * 1_000_000))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def next(self) -> str:
        return self._socket.recv(65_536).decode()

    def wait_for(self, message: str) -> list[str]:
        """Waits for a message; returns the messages before it."""
        before = []
        while (one := self.next()) != message:
            before.append(one)
        return before


def test_messages_go_to_the_socket_of_systemd(tmp_path: Path) -> None:
    with Systemd(tmp_path, watchdog_s=30) as systemd:
        manager = ServiceManager(systemd.environment)
        manager.notify("READY=1", "STATUS=two\nlines")
        assert systemd.next() == "READY=1\nSTATUS=two lines"
        assert manager.watchdog_s == 30
    # Nobody is listening any longer. This is logged, but it is not a failure.
    manager.notify("WATCHDOG=1")
    assert ServiceManager({}).watchdog_s is None
    assert ServiceManager({"WATCHDOG_USEC": "1000000"}).watchdog_s is None, "no socket"
    other = {**systemd.environment, "WATCHDOG_PID": str(os.getpid() + 1)}
    assert ServiceManager(other).watchdog_s is None, "it is meant for another process"
    ServiceManager({}).notify("READY=1")


HANGING = """
    import sys, time
    from pathlib import Path
    from pochboard.boards.base import Simulator
    from pochboard.daemon.drivers import ScreenDriver
    from pochboard.cli import main
    from pochboard.runtime.threads import Worker

    hang, die, old = (Path(sys.argv[1], name) for name in ("hang", "die", "old"))
    run_job, picture = Worker._run_job, ScreenDriver._picture

    def picture_or_hang(self):
        while old.exists():
            time.sleep(0.01)
        return picture(self)

    def run_job_or_hang(self, job):
        while hang.exists():
            time.sleep(0.01)
        if die.exists():
            raise RuntimeError("the table dies")
        run_job(self, job)

    Worker._run_job = run_job_or_hang
    Simulator.has_display = True
    ScreenDriver._picture = picture_or_hang
    del sys.argv[1]
    main()
"""
"""The program. Its table hangs or dies while there is a file `hang` or `die`, its display `old`."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(HANGING))
    return Home(tmp_path, (Path(sys.executable), program, tmp_path))


def test_the_watchdog_is_fed_only_while_all_parts_answer(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Systemd(tmp_path, watchdog_s=0.6) as systemd:
        for name, value in systemd.environment.items():
            monkeypatch.setenv(name, value)
        with home.daemon() as daemon:
            systemd.wait_for("READY=1\nSTATUS=The table is set.")
            for _ in range(3):
                systemd.wait_for("WATCHDOG=1")
            (tmp_path / "hang").touch()
            hangs = (
                "STATUS=The game does not respond: presses and commands are not recorded. If this"
                " lasts, pochboard restarts by itself within a minute."
            )
            systemd.wait_for(hangs)
            answer = daemon.ask("GET", "/healthz").json["message"]
            assert answer.startswith("The game does not respond")
            (tmp_path / "hang").unlink()
            # A busy machine may keep other parts waiting too, and this is said in between.
            assert "WATCHDOG=1" not in systemd.wait_for("STATUS=The table is set.")
            systemd.wait_for("WATCHDOG=1")
            (tmp_path / "old").touch()
            systemd.wait_for(
                "STATUS=The display does not respond: what it shows may be out of date. The lights"
                " and the phones are right. If this lasts, restart pochboard. Everything recorded"
                " so far is safe."
            )
            for _ in range(2):
                systemd.wait_for("WATCHDOG=1")
            (tmp_path / "old").unlink()
            systemd.wait_for("STATUS=The table is set.")
            assert daemon.stop() == (0, "Good night.\n")
            systemd.wait_for("STOPPING=1")
        assert hangs.removeprefix("STATUS=") in daemon.errors


def is_asleep(stat: Path) -> bool:
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "S"
    except OSError:  # it has ended since
        return False


def test_a_daemon_that_systemd_gives_up_prints_where_each_thread_is(home: Home) -> None:
    with home.daemon() as daemon:
        # Python prints the threads without stopping them first, and may fail at one that runs.
        stats = f"/proc/{daemon.process.pid}/task"
        wait_until("all threads wait", lambda: all(map(is_asleep, Path(stats).glob("*/stat"))))
        daemon.process.send_signal(signal.SIGABRT)
        assert daemon.process.wait(LONG_S) == -signal.SIGABRT
        assert "Fatal Python error: Aborted" in daemon.errors
        for file in ("process.py", "web_server.py", "threads.py"):
            assert file in daemon.errors


def test_a_dead_thread_ends_the_daemon_and_the_night_continues(home: Home, tmp_path: Path) -> None:
    with home.daemon() as daemon:
        daemon.do(do="start", ruleset="modern", players=["Anna", "Ben", "Clara"])
        (tmp_path / "die").touch()
        assert daemon.process.wait(LONG_S) == 1
        assert "RuntimeError: the table dies" in daemon.errors
        last = "pochboard: A part of the daemon has died (table). Start the daemon again."
        assert daemon.errors.splitlines()[-1] == last
    (tmp_path / "die").unlink()
    with home.daemon() as daemon:
        assert daemon.state["phase"] == "idle"


class Counting(LoopThread):
    """Counts its turns; each of them can be held up."""

    def __init__(self, *, pauses: bool = False) -> None:
        super().__init__("counting", join_s=0.01)
        self.turns = 0
        self.may_work = threading.Event()
        self.may_work.set()
        self.begins = threading.Event()
        self._sleep = self._pause if pauses else self._wait

    def wake(self) -> None:
        self._wake()

    def _run(self) -> None:
        while not self._closing:
            self.begins.set()
            self.may_work.wait(LONG_S)
            self.turns += 1
            self._sleep(LONG_S)


@contextmanager
def counting(*, pauses: bool = False) -> Iterator[Counting]:
    loop = Counting(pauses=pauses)
    loop.start()
    try:
        wait_until("its first turn", lambda: loop.turns == 1)
        yield loop
    finally:
        loop.may_work.set()
        loop.close()
        wait_until("its end", lambda: not loop.is_alive())


def test_a_ping_is_answered_once_by_the_loop_itself() -> None:
    answers: list[str] = []
    with counting() as loop:
        loop.ping(lambda: answers.append(threading.current_thread().name))
        wait_until("an answer", lambda: bool(answers))
        loop.wake()
        wait_until("further turns", lambda: loop.turns >= 3)
    assert answers == ["counting"]


def test_a_pause_ends_early_only_for_the_end_and_still_answers() -> None:
    answered = threading.Event()
    with counting(pauses=True) as loop:
        loop.ping(answered.set)
        assert answered.wait(LONG_S)
        loop.wake()
        assert loop.turns == 1


def test_a_loop_that_hangs_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    with counting() as loop:
        loop.may_work.clear()
        loop.begins.clear()
        loop.wake()
        assert loop.begins.wait(LONG_S)
        loop.close()
        assert loop.is_alive()
        assert loop._thread.daemon, "it does not keep the process from ending"
        assert "the thread counting does not end" in caplog.text
