"""The lock on a data folder: held by one daemon, which says who it is, until it ends."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pochboard.errors import LedgerError, LedgerInUseError
from pochboard.runtime.process import DaemonInfo, DaemonLock, find_daemon

ME = DaemonInfo(os.getpid(), None, "secret")

HOLD = """
import sys
from pathlib import Path
from pochboard.runtime.process import DaemonInfo, DaemonLock
with DaemonLock.acquire(Path(sys.argv[1]), DaemonInfo(4711, "http://127.0.0.1:8441", "t")):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_daemon_is_told_who_holds_it(tmp_path: Path) -> None:
    with DaemonLock.acquire(tmp_path, ME) as lock:
        with pytest.raises(LedgerInUseError, match=f"process id {os.getpid()}. Use that one"):
            DaemonLock.acquire(tmp_path, DaemonInfo(1))
        lock.update("http://poch.local:8441")
        with pytest.raises(LedgerInUseError, match=r"at http://poch\.local:8441\. Use that one"):
            DaemonLock.acquire(tmp_path, DaemonInfo(1))
        assert find_daemon(tmp_path) == lock.daemon
        assert lock.daemon == DaemonInfo(os.getpid(), "http://poch.local:8441", "secret")
    assert find_daemon(tmp_path) is None
    DaemonLock.acquire(tmp_path, ME).close()


def test_a_shorter_description_replaces_a_longer_one_completely(tmp_path: Path) -> None:
    with DaemonLock.acquire(tmp_path, ME) as lock:
        lock.update("http://a-very-long-name.example:8441")
        lock.update("http://a:1")
        assert find_daemon(tmp_path) == DaemonInfo(os.getpid(), "http://a:1", "secret")


def test_close_may_be_repeated(tmp_path: Path) -> None:
    first = DaemonLock.acquire(tmp_path, ME)
    first.close()
    with DaemonLock.acquire(tmp_path, ME):
        first.close()
        assert find_daemon(tmp_path) == ME


def test_killing_the_daemon_releases_the_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        assert find_daemon(tmp_path) == DaemonInfo(4711, "http://127.0.0.1:8441", "t")
        with pytest.raises(LedgerInUseError, match="process id 4711 at http://127"):
            DaemonLock.acquire(tmp_path, ME)
        child.send_signal(signal.SIGKILL)
    assert (tmp_path / "daemon.lock").read_bytes() != b"", "it had no chance to clean up"
    assert find_daemon(tmp_path) is None
    with DaemonLock.acquire(tmp_path, ME):
        assert find_daemon(tmp_path) == ME


def test_a_daemon_that_has_not_yet_written_who_it_is(tmp_path: Path) -> None:
    for text in (b"", b'{"pid": 1', b"\xff", b"[]"):
        (tmp_path / "daemon.lock").write_bytes(text)
        with (tmp_path / "daemon.lock").open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            assert find_daemon(tmp_path) == DaemonInfo(0)
            with pytest.raises(LedgerInUseError, match="just starting"):
                DaemonLock.acquire(tmp_path, ME)


def test_looking_for_a_daemon_does_not_keep_another_from_starting(tmp_path: Path) -> None:
    (tmp_path / "daemon.lock").touch()
    done = threading.Event()

    def ask() -> None:
        while not done.wait(0.002):
            find_daemon(tmp_path)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    try:
        for _ in range(20):
            DaemonLock.acquire(tmp_path, ME).close()
    finally:
        done.set()
        for thread in asking:
            thread.join()
    assert find_daemon(tmp_path) is None


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerError, match=r"The data folder .*file cannot be used: File exists"):
        DaemonLock.acquire(tmp_path / "file", ME)
    with pytest.raises(LedgerError, match="Not a directory"):
        DaemonLock.acquire(tmp_path / "file" / "data", ME)
    assert find_daemon(tmp_path / "file") is None
    (tmp_path / "daemon.lock").mkdir()
    with pytest.raises(LedgerError, match="cannot be used: Is a directory"):
        DaemonLock.acquire(tmp_path, ME)
