"""The command line."""

from pochboard.cli.main import main

__all__ = ["main"]
