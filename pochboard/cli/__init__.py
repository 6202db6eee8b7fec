"""The command line."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
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


# Import nothing else before `main` has set its handler for Ctrl-C. Importing the commands takes a
# tenth of a second, during which Python's own handler would print a traceback.


def main() -> None:
    """The entry point. From here on, Ctrl-C ends every command with one line."""
    exit_on_interrupt()
    with loading_modules():
        from pochboard.cli.commands import run_command

    run_command()


@contextmanager
def loading_modules() -> Iterator[None]:
    """A context that imports modules without looking for garbage meanwhile, nor in them later.

    They make hardly any, and stay. Looking for it takes a fifth of a start; later, each time, some
    hundredths of a second in which nothing else runs.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
