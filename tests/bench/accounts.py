"""A long night read from the disk and verified, beside beancount's check of its own export."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final

from pochboard.exports.exported_night import ExportedNight
from pochboard.exports.formats import FORMATS
from pochboard.ledger.replay import replay
from pochboard.store import Store
from pochboard.text.translator import ENGLISH
from tests.bench.nights import Night, night_of
from tests.bench.process import ENVIRONMENT
from tests.bench.table import Goal, Row, say

_TIMES: Final = 3


def verified_night(folder: Path, entries: int) -> list[Row]:
    """Both programs as processes, from their start to their end."""
    say(f"a night of {entries:,} entries")
    night = night_of(entries)
    with Store.open(folder / "ledger.db") as store:
        store.add_nights([night])
    export = folder / "night.beancount"
    export.write_text("".join(journal_of(night, "beancount")), "utf-8")
    count = len(night[0].entries)
    bin_folder = Path(sys.executable).parent
    say("pochboard verify")
    ours = _rate(count, str(bin_folder / "pochboard"), "verify", "--data", str(folder))
    again = _rate(count, str(bin_folder / "pochboard"), "verify", "--replay", "--data", str(folder))
    say("bean-check")
    # Its cache would answer instead from the second time on.
    theirs = count / run_s(str(bin_folder / "bean-check"), "--no-cache", str(export))
    beside = "bean-check of its own export"
    goals = (Goal(20.0, "ratio", at_least=True),)
    return [
        Row("entries of a long night read and verified", "/s", ours, None, beside, theirs, goals),
        Row("the same, and replayed under the rules", "/s", again, None, beside, theirs),
    ]


def journal_of(night: Night, form: str) -> Iterator[str]:
    """A night in the format of an accounting program."""
    stored, _ = night
    exported = ExportedNight(stored, replay(stored).states, _local)
    return FORMATS[form].write(exported, ENGLISH)


def run_s(*words: str) -> float:
    """The seconds that a program takes. Raises CalledProcessError if it fails."""
    begun = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    return time.perf_counter() - begun


def _rate(entries: int, *words: str) -> float:
    return entries / median(run_s(*words) for _ in range(_TIMES))


def _local(time_ms: int) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, UTC)
