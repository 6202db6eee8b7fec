"""What every part of the benchmark needs."""

from __future__ import annotations

import sys
from typing import NamedTuple

from pochboard.rules.play import resolve_among
from pochboard.rules.ruleset import shipped_rulesets

RESOLVE = resolve_among(shipped_rulesets())


class Row(NamedTuple):
    """A line of the table."""

    what: str
    found: str
    goal: str


def say(text: str) -> None:
    """Progress, on the terminal alone."""
    print(f"  {text} …", file=sys.stderr, flush=True)
