"""The program as people run it: real processes, each with its own folders."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from unittest.mock import patch
from urllib.parse import urlsplit

import msgspec
import pytest
from click.testing import CliRunner

from pochboard.cli import main
from pochboard.ledger.book import Step
from pochboard.ledger.replay import replay
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.runtime.process import find_daemon
from pochboard.store import Store
from pochboard.table.journal import Journal
from tests.forked import Forked, fork_server
from tests.shell.server_kit import LONG_S, Answer, Stream, ask

PROGRAM = Path(sys.executable).with_name("pochboard")
TUNED_PROGRAM = (Path(sys.executable), Path(__file__).with_name("tuned_host.py"))
"""The program for tests with a board on USB, which a busy machine keeps waiting, and for tests of
folders of sheets, which need not wait for its next look."""

_FORKED = {
    (PROGRAM,): "pochboard.cli:main",
    TUNED_PROGRAM: "tests.shell.tuned_host:run",
}
"""The programs that a fork server can start, if one is shared."""
_READ_AT_START = {"PYTHONIOENCODING", "PYTHONPATH", "PYTHONUTF8"}
"""Variables that are read only when a program is loaded, so that it cannot be forked."""


class Ran(msgspec.Struct, frozen=True):
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """The one sentence of an error; nothing else was printed."""
        assert self.out == "", self.out
        assert self.err.startswith("pochboard: "), self.err
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("pochboard: ").rstrip("\n")

    @property
    def misused(self) -> str:
        """The sentence of a usage error."""
        assert (self.status, self.out) == (2, ""), self
        *usage, sentence = self.err.splitlines()
        assert not any(row.startswith((" ", "Traceback")) for row in usage), self.err
        assert usage[0].startswith("Usage: pochboard"), self.err
        return sentence.removeprefix("Error: ")


@contextmanager
def signal_handlers_kept() -> Iterator[None]:
    """Restores the handlers that a command replaces for the rest of its process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in kept.items():
            signal.signal(number, handler)


class Home:
    """The folders of one user."""

    def __init__(self, folder: Path, program: Sequence[Path] = (PROGRAM,)) -> None:
        self.folder = folder
        self.program = program
        self.data = folder / "share" / "pochboard"
        self.settings = folder / "config" / "pochboard"
        self.installed = False
        """Whether programs are always started as installed, even where they could be forked."""

    @property
    def ledger(self) -> Path:
        return self.data / "ledger.db"

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        known = {k: v for k, v in os.environ.items() if not k.startswith(("POCHBOARD", "PYTHON"))}
        return {
            **known,
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder / "share"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "TZ": "Europe/Berlin",
            "LC_ALL": "C.UTF-8",
            **(more or {}),
        }

    def configure(self, text: str) -> None:
        self.settings.mkdir(parents=True, exist_ok=True)
        (self.settings / "config.toml").write_text(text, "utf-8")

    def house_ruleset(self, file: str, text: str) -> Path:
        folder = self.settings / "rulesets"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, "utf-8")
        return folder / file

    def book(self, *commands: Mapping[str, object], killed: bool = False) -> None:
        """Records commands like a daemon that is then stopped or killed; none may be running."""
        with Store.open(self.ledger) as store:
            journal = Journal(store, resolve_among(shipped_rulesets()))
            for command in commands:
                step = journal.apply(parse_command(command))
                assert isinstance(step, Step), step
            left = {path: path.read_bytes() for path in self.data.iterdir() if killed}
        for path, content in left.items():
            path.write_bytes(content)

    def night(self) -> tuple[int, str]:
        """How many entries the current night has, and its phase; no daemon may be running."""
        with Store.open(self.ledger) as store:
            stored = store.current()
        assert stored
        return len(stored.entries), replay(stored).state.phase

    def cli(self, *words: str | Path, environment: Mapping[str, str] | None = None) -> Ran:
        """Runs a command to its end; it must not show a traceback."""
        chosen = self.environment(environment)
        with TemporaryFile() as errors:
            process = self._start(words, chosen, errors)
            assert process.stdout is not None
            with process.stdout:
                out = process.stdout.read().decode("utf-8", "surrogateescape")
            status = process.wait(2 * LONG_S)
            errors.seek(0)
            err = errors.read().decode("utf-8", "surrogateescape")
        assert "Traceback" not in err, err
        assert status in (0, 1, 2), (status, err)
        return Ran(status, out, err)

    def here(self, *words: str | Path, answers: str = "") -> Ran:
        """Runs a command in this process, which is quicker; it must not start a daemon.

        `answers` is what somebody types.
        """
        removed = dict.fromkeys(os.environ.keys() - self.environment().keys())
        with (
            signal_handlers_kept(),
            CliRunner().isolation(answers, {**removed, **self.environment()}) as (out, err, _),
            patch.object(sys, "argv", ["pochboard", *map(str, words)]),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        code = ended.value.code
        assert isinstance(code, int), code
        return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    def sheet(self, name: str, *lines: object) -> Path:
        """A score sheet of these lines."""
        path = self.folder / name
        rows = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
        return path

    @contextmanager
    def daemon(self, *words: str) -> Iterator[Daemon]:
        """A running daemon on a free port; it is ended if the test has not done so."""
        daemon = self.launch("--port", "0", *words)
        try:
            daemon.wait_for_address()
            yield daemon
        finally:
            daemon.close()

    def launch(self, *words: str, command: str = "run") -> Daemon:
        """A daemon that has just been started; close it."""
        errors = self.folder / "errors.txt"
        with errors.open("ab") as log:
            process = self._start([command, *words], self.environment(), log)
        return Daemon(self, process, errors)

    def _start(
        self, words: Sequence[str | Path], environment: Mapping[str, str], errors: IO[bytes]
    ) -> subprocess.Popen[bytes] | Forked:
        program = self._forked(environment)
        server = fork_server(environment.get("LD_PRELOAD", ""))
        if program is not None and server is not None:
            return server.start(program, [*map(str, words)], environment, errors)
        return subprocess.Popen(
            [*self.program, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )

    def _forked(self, environment: Mapping[str, str]) -> str | None:
        """What a fork server starts instead of the program, if it can."""
        if self.installed or _READ_AT_START & environment.keys():
            return None
        return _FORKED.get(tuple(self.program))


class Daemon:
    """A daemon process, and how to ask it."""

    def __init__(self, home: Home, process: subprocess.Popen[bytes] | Forked, errors: Path) -> None:
        self.home = home
        self.process = process
        self._errors = errors
        self.greeting = ""
        self.port = 0

    @property
    def errors(self) -> str:
        """What it, and earlier daemons of this home, wrote to standard error."""
        return self._errors.read_text("utf-8")

    def wait_for_address(self) -> None:
        """Reads the greeting up to its end; by then it serves, and has said so in the lock."""
        assert self.process.stdout is not None
        for row in iter(self.process.stdout.readline, b""):
            self.greeting += row.decode()
            if b"Ctrl-C stops it." in row:
                break
        else:
            raise AssertionError(f"it ended with {self.process.wait()}: {self.errors}")
        self.find_port()

    def find_port(self) -> None:
        """Reads in the lock's file where it listens."""
        holder = find_daemon(self.home.data)
        assert holder is not None
        assert holder.pid == self.process.pid
        assert holder.url is not None
        self.port = urlsplit(holder.url).port or 0

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        return ask(self.port, method, path, body, headers)

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    @property
    def state(self) -> dict[str, Any]:
        state = self.get("/api/state")
        assert isinstance(state, dict)
        return state

    def send(self, **fields: object) -> Answer:
        """A command."""
        return self.ask("POST", "/api/commands", fields)

    def do(self, **fields: object) -> int:
        """A command that is accepted; returns the number of its entry."""
        answer = self.send(**fields)
        assert answer.status == 200, answer
        return int(answer.json["entry"])

    def press(self, button: str | list[str], ms: int = 50) -> list[dict[str, Any]]:
        """Presses on the simulated board; returns what was refused."""
        answer = self.ask("POST", "/api/board/press", {"button": button, "ms": ms})
        assert answer.status == 200, answer
        refused = answer.json["refused"]
        assert isinstance(refused, list)
        return refused

    @contextmanager
    def stream(self) -> Iterator[Stream]:
        """An open event stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG_S)
        connection.request("GET", "/api/events?frames=1")
        response = connection.getresponse()
        try:
            yield Stream(response)
        finally:
            response.close()
            connection.close()

    def kill(self) -> None:
        """Kills it, as if the plug was pulled."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(LONG_S)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Tells it to end; returns its status, and its last output."""
        self.process.send_signal(how)
        status = self.process.wait(LONG_S)
        assert self.process.stdout is not None
        return status, self.process.stdout.read().decode()

    def close(self) -> None:
        """Ends the daemon and closes its pipes."""
        if self.process.poll() is None:
            self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()
