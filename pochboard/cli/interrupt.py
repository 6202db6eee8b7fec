"""Ctrl-C ends a command with one line."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Final

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit status after Ctrl-C, by the convention of shells."""
_STANDARD_ERROR: Final = 2


def exit_on_interrupt() -> None:
    """Lets Ctrl-C print one line and end the process at once.

    An exception raised within a callback of the interpreter would be lost. Commands that have to
    clean up replace this handler.
    """

    def exit_interrupted(_signal: int, _frame: FrameType | None) -> None:
        # Even if Ctrl-C is pressed twice, only one line is printed.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.write(_STANDARD_ERROR, b"pochboard: Interrupted.\n")
        os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, exit_interrupted)
