"""Settings for every test: the same inputs on every run, however slow the machine is."""

from __future__ import annotations

import gc
import re
import signal
from collections.abc import Collection, Generator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from hatch_build import compile_catalogues

SLOWEST_FIRST: Final = (
    "shell/test_soak.py", "firmware", "shell/boards", "browser", "shell/test_bots.py", "shell",
)  # fmt: skip
"""Files and folders whose tests wait for pages, processes and timers.

Those that wait for timers come before those that keep the processors busy, so that both run at the
same time.
"""

NO_RACE: Final = re.compile(
    "from pytest-timeout|Target crashed|(page|context|browser) has been closed"
)
"""In the report of a browser's test that hung, or whose browser died."""
_NO_RACE_KEY: Final = pytest.StashKey[bool]()

# Derandomized, so that a change fails on its own faults only, and the same on every machine. As
# the examples are always the same, 60 are enough; `--hypothesis-profile=search` looks for others.
_ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _ANY_SPEED, derandomize=True, max_examples=60)
settings.register_profile("search", _ANY_SPEED)
settings.load_profile("repeatable")

# A shell starts background jobs with SIGINT ignored, and the programs under test would inherit
# that: Ctrl-C could not end them.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Compiles the catalogues as they are now, before any worker reads them."""
    if not hasattr(config, "workerinput"):
        compile_catalogues()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Excludes the thousands of tests, which all stay alive, from garbage collection."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> None:
    """Refuses an empty constant in a module of tests: a loop over it would assert nothing.

    Constants that a module imports from the program count, too. `NOTHING` is meant to be empty.
    """
    if name.isupper() and name != "NOTHING" and isinstance(obj, Collection) and not obj:
        message = f"{name} is empty, so tests that go through it show nothing."
        raise collector.CollectError(message)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Lets the browser's tests run again if they fail, and spreads the slow files.

    `--dist worksteal` first gives every worker a block of the same number of tests. Each gets some
    of the slow files to begin with, so that none of them runs last.
    """
    if not config.getoption("usepdb"):
        for item in items:
            if "chromium" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.flaky(reruns=1, condition=partial(_may_race, item)))
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers < 2:
        return
    files = [list(group) for _, group in groupby(items, lambda item: item.path)]
    blocks: list[list[pytest.Item]] = [[] for _ in range(workers)]
    begun: set[pytest.Item] = set()
    for name in SLOWEST_FIRST:
        for file in files:
            if _is_in(file, name) and begun.isdisjoint(file):
                min(blocks, key=len).extend(file)
                begun.update(file)
    rest = [item for item in items if item not in begun]
    length = -(-len(items) // workers)
    items[:] = []
    for block in blocks:
        more = max(0, length - len(block))
        items += block + rest[:more]
        del rest[:more]
    items += rest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, object, object]:
    """Notes that a test has hung or crashed, in whatever phase, and whatever failed after it."""
    report = yield
    assert isinstance(report, pytest.TestReport)
    if report.failed and NO_RACE.search(report.longreprtext):
        item.stash[_NO_RACE_KEY] = True
    return report


def _may_race(item: pytest.Item) -> bool:
    return _NO_RACE_KEY not in item.stash


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_handlecrashitem() -> bool:
    """Leaves a test failed whose worker has crashed: who answers first decides that it stays so."""
    return True


def _is_in(file: list[pytest.Item], name: str) -> bool:
    return file[0].path.is_relative_to(Path(__file__).parent / name)
