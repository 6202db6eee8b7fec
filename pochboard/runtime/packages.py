"""Packages that only some people need: what to install where one is missing."""

from __future__ import annotations

import shlex
import sys

from pochboard.text.lazy import LazyText, lazy_gettext


def missing_package(error: ImportError, what: str, requirement: str) -> LazyText:
    """What to install for an option or a key of the configuration, `what`.

    Raises the error again if it is one of our modules that cannot be imported.
    """
    if (error.name or "").partition(".")[0] == "pochboard":
        raise error
    return lazy_gettext(
        "{what} needs {package}. Install it with: {python} -m pip install {requirement}",
        what=what,
        package=requirement.partition("[")[0],
        python=shlex.quote(sys.executable),
        requirement=shlex.quote(requirement),
    )
