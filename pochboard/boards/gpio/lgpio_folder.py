"""Imports lgpio where it can be imported, whatever folder this program was started in.

When lgpio is imported it makes a FIFO named `.lgd-nfy0` in the folder that `LG_WD` names, or else
in the current one. It makes that folder the current one, and opens the FIFO by its relative name
(lgpio 0.2.2). In a folder that cannot be written the import fails; elsewhere the FIFO stays behind.
Both of its ends are open after the import, so nobody needs its name later.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import tempfile
import threading
from typing import Final

_VARIABLE: Final = "LG_WD"
_importing: Final = threading.Lock()


def import_lgpio() -> None:
    """Imports lgpio, if it is installed. Raises OSError if there is no folder for its FIFO."""
    with _importing:
        if "lgpio" in sys.modules or importlib.util.find_spec("lgpio") is None:
            return
        here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if _usable(os.environ.get(_VARIABLE, "")):
                importlib.import_module("lgpio")
            else:
                _import_in_own_folder()
        finally:
            # Relative paths mean what they meant before.
            os.fchdir(here)
            os.close(here)


def _usable(folder: str) -> bool:
    if not folder:
        return False
    try:
        # Permissions do not say whether files can be made in a folder such as /proc.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _import_in_own_folder() -> None:
    given = os.environ.get(_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="pochboard-") as folder:
        os.environ[_VARIABLE] = folder
        try:
            importlib.import_module("lgpio")
        finally:
            if given is None:
                del os.environ[_VARIABLE]
            else:
                os.environ[_VARIABLE] = given
