"""A home whose daemon has a disk and a clock that can fail."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.shell.daemons import Home
from tests.torture.shim import Control

QUICK = "[times]\ntoo_soon_s = 0\nlong_s = 3\nselect_s = 60\nlobby_s = 60\n"
"""Lets tests press `next` faster than people do, and short presses last up to 3 s."""


class FaultyHome(Home):
    """Its programs run with the shim preloaded; `control` makes the data folder fail."""

    def __init__(self, folder: Path, control: Control) -> None:
        super().__init__(Path(os.path.realpath(folder)))
        self.control = control
        self.configure(QUICK)

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**super().environment(more), **self.control.environment(self.data)}


@contextmanager
def faulty_home(folder: Path) -> Iterator[FaultyHome]:
    """A home in a folder that exists."""
    control = Control(folder / "control")
    try:
        yield FaultyHome(folder, control)
    finally:
        control.close()
