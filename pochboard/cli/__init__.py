"""The command line."""

from pochboard.cli.interrupt import exit_on_interrupt

# Import nothing else before `main` has set its handler for Ctrl-C. Importing the commands takes a
# tenth of a second, during which Python's own handler would print a traceback.


def main() -> None:
    """The entry point. From here on, Ctrl-C ends every command with one line."""
    exit_on_interrupt(lambda: "Interrupted.")
    from pochboard.cli.commands import run_command

    run_command()
