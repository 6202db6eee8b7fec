"""Starts the program quickly: forks it from a process that has already imported it.

Importing it takes a quarter of a second of processor time, and the tests start it hundreds of
times. What is forked is a process like any other: it has its own id, environment and files, is
killed by signals, and ends with a status. Tests of starting itself run the installed program
instead.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pytest

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.text.translator import languages, translator
from tests.torture.shim import obey

_PRELOADED: Final = (
    "pochboard.cli.commands",
    "pochboard.daemon.daemon",
    "tests.browser.quick_lights",
    "tests.shell.tuned_host",
)
_MOST_BYTES: Final = 200_000
_STANDARD_FILES: Final = 3
_PR_SET_CHILD_SUBREAPER: Final = 36
"""From Linux's prctl.h."""


class Forked:
    """A forked process, with the methods of `subprocess.Popen` that the tests need."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its status if it has ended: negative if a signal has ended it."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its status, once it has ended. Raises `subprocess.TimeoutExpired`."""
        if self.poll() is None:
            watched = os.pidfd_open(self.pid)
            try:
                readable, _, _ = select.select([watched], [], [], timeout)
            finally:
                os.close(watched)
            if not readable:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        status = self.poll()
        assert status is not None, "it has ended"
        return status

    def send_signal(self, number: int) -> None:
        """Sends a signal if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills it, so that it cannot tidy up."""
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """The process that has imported the program, and the way to ask it.

    A `library` is preloaded into it, and so into everything that it starts.
    """

    def __init__(self, library: str = "") -> None:
        preloaded = {"LD_PRELOAD": library} if library else {}
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[1],
                env={**os.environ, **preloaded},
            )

    def start(
        self,
        program: str,
        words: Sequence[str],
        environment: Mapping[str, str],
        errors: IO[Any],
        *,
        cwd: Path | None = None,
    ) -> Forked:
        """Starts a program, named as `module:function`, with the words of its command line."""
        job = {
            "program": program,
            "words": words,
            "environment": dict(environment),
            "cwd": str(cwd or Path.cwd()),
        }
        out, its_out = os.pipe()
        its_in = os.open(os.devnull, os.O_RDONLY)
        with _adopting():
            socket.send_fds(
                self._channel, [json.dumps(job).encode()], [its_in, its_out, errors.fileno()]
            )
            pid = int(self._channel.recv(_MOST_BYTES))
        os.close(its_in)
        os.close(its_out)
        return Forked(pid, os.fdopen(out, "rb"))

    def close(self) -> None:
        """Ends the server; the daemons continue."""
        self._channel.close()
        self._process.wait()


@contextmanager
def _adopting() -> Iterator[None]:
    """Meanwhile, a descendant whose parent ends becomes a child of this process.

    The process between the server and a daemon ends at once. Only the parent of a daemon can learn
    its status.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


_running: dict[str, ForkServer] = {}
"""The servers of this process, by the libraries that are preloaded."""


def fork_server(library: str = "") -> ForkServer | None:
    """The server that programs with this library preloaded are started from, if there is one."""
    return _running.get(library)


@contextmanager
def running_fork_server(library: str = "") -> Iterator[None]:
    """Meanwhile, this process starts programs with this library preloaded from a fork server."""
    if library in _running:
        yield
        return
    _running[library] = ForkServer(library)
    try:
        yield
    finally:
        _running.pop(library).close()


@pytest.fixture(scope="session", autouse=True)
def share_fork_server() -> Iterator[None]:
    """Lets tests start daemons from a fork server. Folders whose tests do so import it."""
    with running_fork_server():
        yield


def _next_job(channel: socket.socket) -> dict[str, Any] | None:
    """In the server: None if no more daemons are wanted. In a forked process: what it runs."""
    while True:
        message, files, _, _ = socket.recv_fds(channel, _MOST_BYTES, _STANDARD_FILES)
        if not message:
            return None
        told, tell = os.pipe()
        between = os.fork()
        if between:
            os.waitpid(between, 0)
            channel.send(os.read(told, _MOST_BYTES))
            for file in (*files, told, tell):
                os.close(file)
            continue
        pid = os.fork()
        if pid:
            os.write(tell, str(pid).encode())
            os._exit(0)
        for number, file in enumerate(files):
            os.dup2(file, number)
        for file in (*files, told, tell):
            os.close(file)
        channel.close()
        found: dict[str, Any] = json.loads(message)
        return found


def _run(job: Mapping[str, Any]) -> None:
    """Makes a forked process look as if its program had just been started, and runs it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(job["environment"])
    time.tzset()
    os.chdir(job["cwd"])
    # The server's own streams remember what kind of files they belonged to.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1, closefd=False)
    if chosen := os.environ.get("PYTHONWARNINGS"):
        warnings.simplefilter(chosen)  # type: ignore[arg-type]
    if control := os.environ.get("TORTURE_CONTROL"):
        obey(os.environ["TORTURE_FOLDER"], control)
    sys.argv = ["pochboard", *job["words"]]
    status: int | str | None = 1

    def end() -> None:
        # Objects that nobody closed warn when they are collected.
        gc.collect()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a program may have given it up
                stream.flush()
        os._exit(status if isinstance(status, int) else 1 if status else 0)

    # Registered first, this runs last. Otherwise Python would tear down all modules, and so copy
    # them from the server. That is a third of the time of a daemon that is only started and ended.
    atexit.register(end)
    try:
        pkgutil.resolve_name(job["program"])()
        status = 0
    except SystemExit as ended:
        status = ended.code
        raise


def _serve(channel: socket.socket) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _PRELOADED:
        importlib.import_module(name)
    for language in languages():
        translator(language)
    shipped_rulesets()
    # Existing objects are never garbage, and stay shared between the processes.
    gc.collect()
    gc.freeze()
    job = _next_job(channel)
    if job is not None:
        _run(job)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
