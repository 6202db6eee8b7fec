"""A daemon as a process, and phones that ask it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

ENVIRONMENT: Final = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""A program that starts again finds its modules compiled, as on a user's machine."""
START: Final = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara", "David"]}


class Client:
    """One phone's connection, which stays open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, path: str, sent: object = None) -> tuple[float, bytes]:
        """Gets something, or posts JSON: the seconds to the end of the answer, and the answer."""
        body = None if sent is None else json.dumps(sent)
        headers = {"Accept-Encoding": "gzip"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        begun = time.perf_counter()
        self._connection.request("GET" if body is None else "POST", path, body, headers)
        response = self._connection.getresponse()
        answer = response.read()
        spent = time.perf_counter() - begun
        assert response.status == 200, (path, response.status, answer)
        return spent, answer

    def command(self, **command: object) -> tuple[float, dict[str, Any]]:
        """Sends a command: the seconds, and the answer."""
        spent, answer = self.ask("/api/commands", command)
        return spent, json.loads(answer)


@contextmanager
def daemon(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """A daemon on a data folder, and when it was started."""
    environment = {**ENVIRONMENT, "XDG_CONFIG_HOME": str(folder / "config")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [
            Path(sys.executable).with_name("pochboard"),
            *("run", "--port", str(port), "--data", str(folder)),
        ],
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    try:
        yield process, begun
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@contextmanager
def open_night(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int, Client]]:
    """A daemon with a night in progress, whose first deal was just dealt; its port, and a phone."""
    port = free_port()
    with daemon(folder, port) as (process, _):
        until_answered(port)
        with Client(port) as client:
            client.command(**START)
            client.command(do="deal")
            yield process, port, client


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def until_answered(port: int, path: str = "/healthz", patience_s: float = 120.0) -> None:
    """Returns once a server answers without an error."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with Client(port) as client:
                client.ask(path)
        except OSError:
            assert time.monotonic() < deadline, f"nothing listens on {port}"
            time.sleep(0.002)
        else:
            return


def resident_kb(pid: int) -> int:
    """Memory of a process that is in RAM."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0])


def cpu_s(pid: int) -> float:
    """Processor time of a process; schedstat counts nanoseconds, where stat counts ticks."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks) / 1e9
