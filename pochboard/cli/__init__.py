"""The command line."""

import os
import signal
from types import FrameType
from typing import Final

# Import nothing else before `main` has set its handler for Ctrl-C. Importing the commands takes a
# tenth of a second, during which Python's own handler would print a traceback.

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit status after Ctrl-C, by the convention of shells."""
_STANDARD_ERROR: Final = 2


def main() -> None:
    """The entry point. From here on, Ctrl-C ends every command with one line."""
    signal.signal(signal.SIGINT, _exit_interrupted)
    from pochboard.cli.commands import run_command

    run_command()


def _exit_interrupted(_signal: int, _frame: FrameType | None) -> None:
    """Ends the process at once.

    An exception raised within a callback of the interpreter would be lost. Commands that have to
    clean up replace this handler.
    """
    # Even if Ctrl-C is pressed twice, only one line is printed.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.write(_STANDARD_ERROR, b"pochboard: Interrupted.\n")
    os._exit(INTERRUPTED)
