"""The command line."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pochboard.cli.interrupt import exit_on_interrupt

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
