"""A daemon as a separate process with its own folders: started, killed, stopped and asked."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
from pathlib import Path
from typing import Any, Final

from tests.forked import Forked, fork_server

LAN_NAME: Final = "pochboard.lan"
"""A name under which browsers have no secure context; the browser maps it to this machine."""

LOOPBACK: Final = "127.0.0.1"

# `next` may be pressed as fast as a machine does, and a slow machine may take its time between
# two presses; all other times are as they are shipped.
TIMES: Final = "[times]\ntoo_soon_s = 0\nselect_s = 60\nlobby_s = 60\npairing_window_s = 600\n"
_PROGRAM: Final = "tests.browser.quick_lights:run"
_SHIPPED: Final = "pochboard.cli:main"
_PORT: Final = re.compile(rb"http://\S+?:(\d+)")
_PATIENCE_S: Final = 120


class Daemon:
    """`pochboard run` on a port that stays the same over restarts.

    Its lights are quick (see quick_lights.py). With `shipped`, it runs as it is shipped.
    """

    def __init__(
        self, folder: Path, *options: str, times: str = TIMES, shipped: bool = False
    ) -> None:
        self._program = _SHIPPED if shipped else _PROGRAM
        self._folder = folder
        self._options = options
        self._errors = folder / "errors.txt"
        self._expected: list[re.Pattern[str]] = []
        self.data = folder / "data" / "pochboard"
        """Its folder of the ledger."""
        self._process: Forked | None = None
        self.port = 0
        settings = folder / "config" / "pochboard"
        settings.mkdir(parents=True)
        (settings / "config.toml").write_text(f'names = ["{LAN_NAME}"]\n{times}', "utf-8")

    def start(self) -> None:
        """Starts the daemon, and returns once it listens."""
        assert self._process is None, "it is running"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._folder),
            "XDG_DATA_HOME": str(self._folder / "data"),
            "XDG_CONFIG_HOME": str(self._folder / "config"),
            "PYTHONWARNINGS": "default",
        }
        server = fork_server()
        assert server is not None, "no fork server is running"
        words = ["run", "--port", str(self.port), *self._options]
        with self._errors.open("a", encoding="utf-8") as errors:
            self._process = server.start(
                self._program, words, environment, errors, cwd=self._folder
            )
        for line in self._process.stdout:
            if found := _PORT.search(line):
                self.port = int(found[1])
                return
        raise AssertionError(f"the daemon did not start: {self.errors}")

    @property
    def errors(self) -> str:
        """All complaints of the daemon."""
        return self._errors.read_text("utf-8") if self._errors.exists() else ""

    def expect(self, *patterns: str) -> None:
        """The test provokes lines that match; they are not complaints."""
        self._expected += map(re.compile, patterns)

    @property
    def complaints(self) -> list[str]:
        """Unexpected lines on standard error."""
        return [
            line
            for line in self.errors.splitlines()
            if not any(pattern.search(line) for pattern in self._expected)
        ]

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        assert self._process is not None, "it is not running"
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kills it, so that it cannot tidy up."""
        self.signal(signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """Ends it as Ctrl-C does. Does nothing if it is not running."""
        if self._process is not None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGINT)
            status = self._wait()
            assert status == 0, f"the daemon ended with {status}: {self.errors}"

    def _wait(self) -> int:
        process, self._process = self._process, None
        assert process is not None
        try:
            return process.wait(_PATIENCE_S)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def url(self, path: str = "/", host: str = LOOPBACK) -> str:
        """An address of it, under one of its names."""
        return f"http://{host}:{self.port}{path}"

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """One request from this machine: the status and the JSON of the answer."""
        status, text = self._ask(method, path, body, headers)
        return status, json.loads(text) if text else None

    def _ask(
        self, method: str, path: str, body: object, headers: dict[str, str] | None
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=_PATIENCE_S)
        sent = {"Connection": "close", **(headers or {})}
        content = body if isinstance(body, bytes) else None
        if body is not None and content is None:
            content = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def get(self, path: str, language: str = "en") -> Any:
        """The JSON at an address."""
        status, answer = self.ask("GET", path, headers={"Accept-Language": language})
        assert status == 200, f"{path}: {status} {answer}"
        return answer

    def text(self, path: str) -> str:
        """The text at an address."""
        status, answer = self._ask("GET", path, None, None)
        assert status == 200, f"{path}: {status} {answer}"
        return answer

    def do(self, name: str, /, **fields: object) -> None:
        """A command from elsewhere, which must be accepted."""
        status, answer = self.ask("POST", "/api/commands", {"do": name, **fields})
        assert status == 200, f"{name} {fields}: {answer}"

    def import_sheet(self, sheet: Path, day: str = "") -> None:
        """Imports a night kept on paper, which was played on this day or as the sheet says."""
        kind = {"Content-Type": "application/x-ndjson"}
        path = f"/api/nights?day={day}" if day else "/api/nights"
        status, said = self._ask("POST", path, sheet.read_bytes(), kind)
        assert status == 201, f"{sheet}: {status} {said}"
