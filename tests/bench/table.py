"""What every part of the benchmark needs."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store

RESOLVE = resolve_among(shipped_rulesets())


class Row(NamedTuple):
    """A line of the table."""

    what: str
    found: str
    goal: str


def timed_store(path: Path) -> tuple[Store, list[float]]:
    """The real store, and the moments at which entries were on the disk."""
    committed: list[float] = []

    class Timed(Store):
        def append(self, *args: Any, **named: Any) -> None:
            super().append(*args, **named)
            committed.append(time.perf_counter())

    opened = Store.open(path)
    opened.__class__ = Timed
    return opened, committed


def say(text: str) -> None:
    """Progress, on the terminal alone."""
    print(f"  {text} …", file=sys.stderr, flush=True)
