"""Runs something again and again, killed at each of its file operations in turn.

`kill_at.c` is compiled and preloaded into one process, which forks a child for each kill.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SHIM = "kill_at.so"
SOURCE = Path(__file__).with_name("kill_at.c")
REPOSITORY = Path(__file__).parents[2]


def run_preloaded(module: str, *words: str) -> None:
    """Runs the main program of a module with the shim preloaded, and fails as it does."""
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder) / SHIM
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, SOURCE, "-ldl"], check=True)
        subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=REPOSITORY,
            env={**os.environ, "LD_PRELOAD": str(shim)},
            check=True,
        )


def kill_at_each(
    original: Path,
    folder: Path,
    act: Callable[[], None],
    check: Callable[[int], None],
    *,
    every: int = 1,
    offset: int = 0,
) -> int:
    """Acts on a copy of a folder, killed at every n-th file operation from an offset; then checks.

    The last time it is not killed. Every copy is at the same path, `folder`. Returns how often it
    was killed.
    """
    shim = ctypes.CDLL(None)
    kills = 0
    while True:
        number = offset + kills * every + 1
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(original, folder)
        killed = _run(act, number, shim)
        check(number)
        if not killed:
            return kills
        kills += 1


def _run(act: Callable[[], None], number: int, shim: ctypes.CDLL) -> bool:
    """Runs in a child that is killed at this operation; False if it ended before."""
    child = os.fork()
    if not child:
        status = 1
        try:
            shim.kill_at(ctypes.c_long(number))
            act()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, f"it failed at operation {number}"
    return False
