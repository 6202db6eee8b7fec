"""A test that leaves a thread, a child process, a socket, a file or a blocked signal behind fails.

The folders whose tests touch such things import the fixture in their `conftest.py`. It collects
garbage around every test, which would be most of the time that the tests of `tests/core` take.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

# How long threads and processes that were told to stop may take to end.
GRACE_S = 30.0


def _children() -> set[int]:
    """The direct child processes that are alive; empty where there is no /proc."""
    found: set[int] = set()
    for listing in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        try:
            pids = listing.read_text().split()
        except OSError:  # the thread has ended since
            continue
        found.update(int(pid) for pid in pids)
    return {pid for pid in found if not _is_zombie(pid)}


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def _sockets() -> set[str]:
    """The open sockets of this process, by inode."""
    found: set[str] = set()
    for entry in Path("/proc/self/fd").glob("*"):
        try:
            target = str(entry.readlink())
        except OSError:  # closed since; the listing itself is one of them
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


def _blocked_signals() -> set[signal.Signals]:
    """The signals that this thread and its children do not receive."""
    return {signal.Signals(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, ())}


def _wait_until_empty(leaked: Callable[[], set[T]]) -> set[T]:
    deadline = time.monotonic() + GRACE_S
    while (left := leaked()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


@pytest.fixture(autouse=True)
def leak_check() -> Iterator[None]:
    """Fail a test that leaks a thread, a child process or a socket, or a file it never closed.

    So does one that leaves signals blocked: all programs that later tests start would inherit that.
    Fixtures of a wider scope are set up before this one, so what they keep open is not counted. A
    file or socket that is never closed warns when it is collected, and warnings are errors.
    """
    # Freezing what exists before the test keeps the collection after it short.
    gc.collect()
    gc.freeze()
    threads, children, sockets = set(threading.enumerate()), _children(), _sockets()
    blocked = _blocked_signals()
    yield
    newly_blocked = _blocked_signals() - blocked
    # Clear them, so that only this test fails.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, newly_blocked)
    gc.collect()
    leaked_threads = _wait_until_empty(lambda: set(threading.enumerate()) - threads)
    leaked_children = _wait_until_empty(lambda: _children() - children)
    leaked_sockets = _wait_until_empty(lambda: _sockets() - sockets)
    assert not leaked_threads, f"threads left running: {sorted(t.name for t in leaked_threads)}"
    assert not leaked_children, f"processes left running: {sorted(leaked_children)}"
    assert not leaked_sockets, f"sockets left open: {sorted(leaked_sockets)}"
    assert not newly_blocked, f"signals left blocked: {sorted(newly_blocked)}"
