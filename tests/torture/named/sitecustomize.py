"""Loaded by Python when it starts: makes the system show the name of each thread."""

from __future__ import annotations

import ctypes
import threading

_SET_NAME = 15  # PR_SET_NAME
_begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]


def _named(thread: threading.Thread) -> None:
    ctypes.CDLL(None).prctl(_SET_NAME, thread.name.encode()[:15], 0, 0, 0)
    _begin(thread)


threading.Thread._bootstrap_inner = _named  # type: ignore[attr-defined]
