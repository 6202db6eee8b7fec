"""Runs a handful of failed tests again, alone: those that pass then have lost a race.

`pytest -p tests.second_run --outcome FILE` notes how a run ended, and `python -m tests.second_run
FILE [options of that run]` decides. Only a race is forgiven, and a race makes a single test fail.
A crash or a hanging test may be a fault of the product that is rare, and behind the end of a run
that was cut short, as by `-x`, there may be tests that always fail.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

FEW: Final = 3
"""More failed tests than these are no coincidence."""
_TIMEOUT: Final = "from pytest-timeout"
"""In the report of a test that pytest-timeout has ended."""


class Outcome(msgspec.Struct):
    """How a run of tests ended."""

    finished: list[str] = []
    """The tests that were run to their end, by their ids."""
    failed: list[str] = []
    """The tests that failed."""
    unforgivable: list[str] = []
    """Why a second run would prove nothing, a sentence each."""


class _Recorder:
    """The plugin: collects the outcome, in the process that gets the reports of all workers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._outcome = Outcome()
        self._collected: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected.update(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._collected.update(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        if error:
            self._forgive_nothing(f"Worker {node.gateway.id} crashed.")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._forgive_nothing(f"{report.nodeid} could not be collected.")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self._outcome.finished.append(report.nodeid)
        if not report.failed:
            return
        if report.nodeid not in self._outcome.failed:
            self._outcome.failed.append(report.nodeid)
        if _TIMEOUT in report.longreprtext:
            self._forgive_nothing(f"{report.nodeid} took too long.")

    def pytest_internalerror(self) -> None:
        self._forgive_nothing("pytest itself failed.")

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        left = self._collected.difference(self._outcome.finished)
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or left:
            self._forgive_nothing(f"The run was cut short: {len(left)} tests did not finish.")
        self._path.write_bytes(msgspec.json.encode(self._outcome))

    def _forgive_nothing(self, why: str) -> None:
        self._outcome.unforgivable.append(why)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option for the file."""
    parser.addoption("--outcome", type=Path, help="the file to write how the run ended to")


def pytest_configure(config: pytest.Config) -> None:
    """Starts to record, unless this is a worker, whose reports come to another process."""
    path = config.getoption("--outcome")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(path.absolute()))


def why_it_fails(first: Outcome, few: int = FEW) -> str | None:
    """Why failed tests are not run again; None if they are."""
    if first.unforgivable:
        return " ".join(first.unforgivable)
    if not first.failed:
        return "The run failed, but none of its tests."
    if len(first.failed) > few:
        return f"{len(first.failed)} tests failed."
    return None


def read_outcome(path: Path) -> Outcome:
    """How a run ended. One that left no file did not come to its end."""
    if not path.exists():
        return Outcome(unforgivable=["The run did not come to its end."])
    return msgspec.json.decode(path.read_bytes(), type=Outcome)


def main(path: Path, options: list[str]) -> int:
    """Runs the failed tests of a run again, and returns the status for the whole."""
    first = read_outcome(path)
    why = why_it_fails(first)
    if why:
        print(f"No second run: {why}")
        return 1
    print("Running the failed tests again, alone …", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder, "outcome")
        words = [sys.executable, "-m", "pytest", "-p", "tests.second_run", "--outcome", str(again)]
        words += ["--last-failed", "--last-failed-no-failures", "none", *options]
        status = subprocess.run(words, check=False, stdin=subprocess.DEVNULL).returncode
        second = read_outcome(again)
    if status or second.unforgivable or set(second.finished) != set(first.failed):
        return 1
    print(f"RACE: {', '.join(first.failed)} failed above and passed alone.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
