"""The rows of the benchmark, and how they are printed."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[2]
_COLUMNS: Final = ("", "median", "p99", "beside it", "ratio")
_IN_S: Final = {"s": 1.0, "ms": 1e3}


class Row(msgspec.Struct, frozen=True):
    """A figure, and what stands beside it."""

    what: str
    unit: str
    median: float
    p99: float | None = None
    beside: str = ""
    """What was measured beside it, in the same run."""
    other: float | None = None
    """The median of that, in the same unit."""

    def cells(self) -> tuple[str, ...]:
        """The texts of its columns."""
        other = "" if self.other is None else f": {_shown(self.other, self.unit)}"
        return (
            self.what,
            _shown(self.median, self.unit),
            "" if self.p99 is None else _shown(self.p99, self.unit),
            self.beside + other,
            "" if self.other is None else f"{_digits(self.median / self.other)}×",
        )


def times(
    what: str, seconds: Sequence[float], unit: str = "ms", *, beside: tuple[str, Sequence[float]]
) -> Row:
    """A row of times; with fewer than fifty there is no 99th percentile."""
    scale = _IN_S[unit]
    name, others = beside
    return Row(
        what,
        unit,
        scale * median(seconds),
        scale * quantiles(seconds, n=100, method="inclusive")[98] if len(seconds) >= 50 else None,
        name,
        scale * median(others),
    )


def markdown(rows: Iterable[Row]) -> str:
    """The table of a document."""
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def text(rows: Iterable[Row]) -> str:
    """The same for a terminal."""
    table = [_COLUMNS, *(row.cells() for row in rows)]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, wide, strict=True)).rstrip()
        for cells in table
    )


def put_between(document: str, mark: str, inside: str) -> str:
    """The text with something else between the two comments of this name."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    head, opened, rest = document.partition(begin)
    _, closed, tail = rest.partition(end)
    assert opened, f"there is no {begin.strip()}"
    assert closed, f"there is no {end.strip()}"
    return f"{head}{begin}\n{inside.strip()}\n\n{end}{tail}"


def here() -> str:
    """The day, the commit, the machine, and how many processes want a processor now."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith(("model name", "Model"))
        ),
        platform.machine(),
    )
    machine = f"{model}, {os.cpu_count()} processors, Python {platform.python_version()}"
    return f"{date.today():%Y-%m-%d}, {_commit()}: {machine}, a load of {os.getloadavg()[0]:.1f}"  # noqa: DTZ011


def say(progress: str) -> None:
    """Shows progress, on the terminal only."""
    print(f"  {progress} …", file=sys.stderr, flush=True)


def _shown(value: float, unit: str) -> str:
    return f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    """Three digits or more; two of a small share."""
    if 0 < value < 0.1:
        return f"{value:.2g}"
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def _commit() -> str:
    git = shutil.which("git")
    if git is None:
        return "no commit"
    commit = _said(git, "rev-parse", "--short", "HEAD") or "no commit"
    return f"{commit} with changes" if _said(git, "status", "--short") else commit


def _said(*words: str) -> str:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
