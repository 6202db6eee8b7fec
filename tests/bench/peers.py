"""Environments for packages that are only measured beside ours, which never has them.

Each is made on first use below `build/peers`, from a list with versions and hashes in
`constraints/peers`. Where that is not possible, the row that needs it says why.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.bench.table import ROOT, say

_FOLDER: Final = ROOT / "build" / "peers"
_LISTS: Final = ROOT / "constraints" / "peers"

Peer = Callable[[str], tuple[Path | None, str]]


@functools.cache
def peer_python(name: str, lists: Path = _LISTS, folder: Path = _FOLDER) -> tuple[Path | None, str]:
    """The Python of an environment; without it, None and the reason."""
    wanted, made = lists / f"{name}.txt", folder / name
    python, stamp = made / "bin" / "python", made / ".set-up"
    if stamp.exists() and stamp.read_bytes() == wanted.read_bytes() and python.exists():
        return python, ""
    say(f"setting up the packages of {wanted.name}")
    shutil.rmtree(made, ignore_errors=True)
    pip = (python, "-m", "pip", "--no-input", "--disable-pip-version-check", "--quiet")
    for words in (
        (sys.executable, "-m", "venv", made),
        (*pip, "install", "--require-hashes", "--requirement", wanted),
    ):
        try:
            subprocess.run(words, check=True, capture_output=True, text=True, timeout=600)
        except subprocess.CalledProcessError as error:
            shutil.rmtree(made, ignore_errors=True)
            lines = error.stderr.strip().splitlines() or [f"exit status {error.returncode}"]
            return None, f"{name} cannot be installed ({lines[-1]})"
        except subprocess.TimeoutExpired:
            shutil.rmtree(made, ignore_errors=True)
            return None, f"{name} cannot be installed (no answer in ten minutes)"
    shutil.copyfile(wanted, stamp)
    return python, ""
