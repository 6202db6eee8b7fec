"""Gives the kernel the names of the threads, for `top -H` and `ps -L`; Python 3.14 does so too."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Final

_TASKS: Final = Path("/proc/self/task")
_LONGEST: Final = 15
"""In bytes; from TASK_COMM_LEN in linux/sched.h."""


def name_threads() -> None:
    """Names every thread, those of libraries' pools too. The main one keeps the process's name."""
    for thread in threading.enumerate():
        if thread is threading.main_thread() or thread.native_id is None:
            continue
        # The thread may have ended, and only Linux has these files.
        with contextlib.suppress(OSError):
            name = _TASKS / str(thread.native_id) / "comm"
            name.write_bytes(thread.name.encode()[:_LONGEST])
