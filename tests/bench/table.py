"""The rows of the benchmark: how they are printed, kept, and compared with those of another run."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final, Literal, Self

import msgspec

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store

RESOLVE: Final = resolve_among(shipped_rulesets())
ROOT: Final = Path(__file__).resolve().parents[2]
DOCUMENT: Final = ROOT / "docs" / "BENCHMARKS.md"
_COLUMNS: Final = ("", "median", "p99", "beside it", "ratio", "goal", "met")
_IN_S: Final = {"s": 1.0, "ms": 1e3, "µs": 1e6}


class Goal(msgspec.Struct, frozen=True):
    """A limit that the project aims at."""

    limit: float
    of: Literal["median", "p99", "ratio"] = "median"
    at_least: bool = False

    def is_met(self, row: Row) -> bool | None:
        """None if what it limits could not be measured."""
        value = getattr(row, self.of)
        if value is None:
            return None
        return bool(value >= self.limit if self.at_least else value <= self.limit)

    def text(self, unit: str) -> str:
        """As it stands in the table."""
        sign = "≥" if self.at_least else "≤"
        if self.of == "ratio":
            return f"{sign} {self.limit:g}×"
        return f"{'p99 ' if self.of == 'p99' else ''}{sign} {shown(self.limit, unit)}"


class Row(msgspec.Struct, frozen=True):
    """A figure, and what stands beside it."""

    what: str
    """The same in every run: two runs are compared by it."""
    unit: str
    median: float | None
    p99: float | None = None
    beside: str = ""
    """What was measured beside it, in the same run; or why that could not be had."""
    other: float | None = None
    """The median of that, in the same unit."""
    goals: tuple[Goal, ...] = ()
    cell: tuple[str, str] | None = None
    """Row and column in a grid of its group, if it has no line of its own in the table."""

    @property
    def ratio(self) -> float | None:
        """How many times as much as what stands beside it."""
        return self.median / self.other if self.median is not None and self.other else None

    @property
    def met(self) -> bool | None:
        """Whether all goals are met; None if there are none, or they could not be measured."""
        verdicts = [goal.is_met(self) for goal in self.goals]
        return None if None in verdicts or not verdicts else all(verdicts)

    def cells(self) -> tuple[str, ...]:
        """The texts of its columns."""
        beside = self.beside
        if self.other is not None:
            beside += f": {shown(self.other, self.unit)}"
        return (
            self.what,
            shown(self.median, self.unit),
            "" if self.p99 is None else shown(self.p99, self.unit),
            beside,
            "" if self.ratio is None else f"{_digits(self.ratio)}×",
            "; ".join(goal.text(self.unit) for goal in self.goals),
            {True: "yes", False: "**no**", None: "–" if self.goals else ""}[self.met],
        )


def times(
    what: str,
    seconds: Sequence[float],
    unit: str = "ms",
    *,
    beside: tuple[str, Sequence[float]] | None = None,
    goals: tuple[Goal, ...] = (),
) -> Row:
    """A row of times; with fewer than fifty there is no 99th percentile."""
    scale = _IN_S[unit]
    name, others = beside or ("", ())
    return Row(
        what,
        unit,
        scale * median(seconds),
        scale * quantiles(seconds, n=100, method="inclusive")[98] if len(seconds) >= 50 else None,
        name,
        scale * median(others) if others else None,
        goals,
    )


def missing(what: str, unit: str, reason: str, goals: tuple[Goal, ...] = ()) -> Row:
    """A row of what could not be measured."""
    return Row(what, unit, None, beside=f"not measured: {reason}", goals=goals)


def shown(value: float | None, unit: str) -> str:
    """A figure with its unit, three digits or more."""
    if value is None:
        return "–"
    return f"{_digits(value)} {unit}".rstrip() if unit else _digits(value)


def _digits(value: float) -> str:
    size = abs(value)
    places = 0 if size >= 100 or value == round(value) else 1 if size >= 10 else 2
    # Shares of a per cent, and ratios to what takes very much longer.
    if 0 < size < 0.1:
        return f"{value:.2g}"
    return f"{value:,.{places}f}"


class Run(msgspec.Struct):
    """All rows that were measured at one time on one machine, by the names of their groups."""

    commit: str
    day: str
    machine: str
    load: str
    groups: dict[str, list[Row]] = {}
    took_s: float = 0.0

    @classmethod
    def begin(cls) -> Self:
        """A run that begins now, here."""
        load = f"a load of {os.getloadavg()[0]:.1f} before it began"
        return cls(_commit(), f"{date.today():%Y-%m-%d}", _machine(), load)  # noqa: DTZ011

    @classmethod
    def read(cls, path: Path) -> Run:
        """A run that was kept. Raises OSError, msgspec.DecodeError."""
        return msgspec.json.decode(path.read_bytes(), type=cls)

    def keep(self, path: Path) -> None:
        """Writes it to a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    def rows(self) -> dict[tuple[str, str], Row]:
        """All rows by group and name."""
        return {(name, row.what): row for name, rows in self.groups.items() for row in rows}

    def only(self, names: Sequence[str]) -> Run:
        """The rows of these names."""
        kept = [row for row in self.rows().values() if row.what in names]
        return msgspec.structs.replace(self, groups={"": kept})

    @property
    def title(self) -> str:
        """Where and when it was measured."""
        return f"{self.day}, {self.commit}: {self.machine}, {self.load}"

    def markdown(self, *, goals: bool = True) -> str:
        """The table, with or without the goals, and then the grids."""
        columns = len(_COLUMNS) - 2 * (not goals)
        lines = [_line(_COLUMNS[:columns]), _line(["---"] * columns)]
        lines += [_line(cells[:columns]) for cells in self._cells()]
        for name, grid in self._grids():
            lines += ["", f"**{name}**", "", _line(grid[0]), _line(["---"] * len(grid[0]))]
            lines += [_line(cells) for cells in grid[1:]]
        return "\n".join(lines)

    def text(self) -> str:
        """The same for a terminal."""
        table = list(self._cells())
        parts = [_aligned([_COLUMNS, *table])] if table else []
        parts += [f"{name}\n{_aligned(grid)}" for name, grid in self._grids()]
        return "\n\n".join(parts).replace("**no**", "no")

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for rows in self.groups.values():
            yield from (row.cells() for row in rows if row.cell is None)

    def _grids(self) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
        for name, rows in self.groups.items():
            cells = {row.cell: row for row in rows if row.cell}
            if not cells:
                continue
            down = list(dict.fromkeys(cell[0] for cell in cells))
            across = sorted({cell[1] for cell in cells}, key=_number)
            grid = [("", *across)]
            for left in down:
                found = [cells.get((left, top)) for top in across]
                grid.append((left, *(row.cells()[1] if row else "" for row in found)))
            yield name, grid


def compared(before: Run, now: Run) -> str:
    """How each row of a run differs from the same row of another one."""
    table: list[tuple[str, ...]] = [("", "before", "now", "change", "ratio before", "now")]
    old, new = before.rows(), now.rows()
    for key, row in new.items():
        earlier = old.get(key)
        if earlier is None or earlier.median is None or row.median is None:
            table.append((row.what, "–", shown(row.median, row.unit), "", "", ""))
            continue
        # What is the same in another unit would be compared wrongly.
        assert earlier.unit == row.unit, f"{row.what} was in {earlier.unit}"
        change = f"{row.median / earlier.median - 1:+.0%}" if earlier.median else ""
        cells = earlier.cells()
        table.append((row.what, cells[1], row.cells()[1], change, cells[4], row.cells()[4]))
    gone = [what for key in old if key not in new for what in [key[1]] if key[0] in now.groups]
    lines = [f"before: {before.title}", f"now:    {now.title}", "", _aligned(table)]
    return "\n".join([*lines, *(f"not measured any more: {what}" for what in gone)])


def put_between(text: str, mark: str, inside: str) -> str:
    """The text with something else between the two comments of this name."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->\n"
    head, opened, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    assert opened, f"there is no {begin.strip()}"
    assert closed, f"there is no {end.strip()}"
    return f"{head}{begin}\n{inside.strip()}\n\n{end}{tail}"


def _number(title: str) -> int:
    """The number that the title of a column begins with."""
    return int(title.split(maxsplit=1)[0].replace(",", ""))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _aligned(table: Sequence[Sequence[str]]) -> str:
    wide = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip()
        for row in table
    )


def _commit() -> str:
    git = shutil.which("git")
    if git is None:
        return "no commit"
    commit = _said(git, "rev-parse", "--short", "HEAD") or "no commit"
    return f"{commit} with changes" if _said(git, "status", "--short") else commit


def _said(*words: str) -> str:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _machine() -> str:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith(("model name", "Model"))
        ),
        platform.machine(),
    )
    return f"{model}, {os.cpu_count()} processors, Python {platform.python_version()}"


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
    """Shows progress, on the terminal only."""
    print(f"  {text} …", file=sys.stderr, flush=True)
