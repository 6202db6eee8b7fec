"""Packages that only some people need: what to install where one is missing."""

from __future__ import annotations

import shlex
import sys


def missing_package(error: ImportError, what: str, requirement: str) -> str:
    """What to install for an option or a key of the configuration, `what`.

    Raises the error again if it is one of our modules that cannot be imported.
    """
    if (error.name or "").partition(".")[0] == "pochboard":
        raise error
    return (
        f"{what} needs {requirement.partition('[')[0]}. Install it with:"
        f" {shlex.quote(sys.executable)} -m pip install {shlex.quote(requirement)}"
    )
