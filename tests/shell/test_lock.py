"""The lock on a data folder: held by one daemon, which says who it is, until it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pochboard.errors import LedgerInUseError
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
