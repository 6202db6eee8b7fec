"""The command line."""

import os
import signal
from types import FrameType
from typing import Final

# Nothing else is imported before `main` has dealt with Ctrl-C: importing the commands takes a tenth
# of a second, in which Python's own handler would print a traceback.

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit status after Ctrl-C, as of programs that a shell ends."""
_STANDARD_ERROR: Final = 2


def main() -> None:
    """The entry point. From here on, Ctrl-C ends every command with one line."""
    signal.signal(signal.SIGINT, _exit_interrupted)
    from pochboard.cli.commands import run_command

    run_command()


def _exit_interrupted(_signal: int, _frame: FrameType | None) -> None:
    """Ends the process at once.

    An exception would be lost if it were raised in a callback of the interpreter. Commands that
    have something to clean up replace this handler.
    """
    # Pressed twice, it prints one line all the same.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.write(_STANDARD_ERROR, b"pochboard: Interrupted.\n")
    os._exit(INTERRUPTED)
