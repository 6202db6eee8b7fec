"""Which failed tests `.ci/checks` runs again, tried with real runs of tests that fail at first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.second_run import main

ROOT: Final = Path(__file__).resolve().parents[2]

PASSES: Final = "def test_passes(): pass\n"
BROKEN: Final = "def test_broken(): assert False\n"


def at_first(what: str, name: str = "flaky") -> str:
    """A test that does something the first time it is run, and passes the next time."""
    return f"""
import os, pathlib, time
import pytest
def test_{name}():
    mark = pathlib.Path(__file__).with_name("{name}")
    if not mark.exists():
        mark.touch()
        {what}
"""


FLAKY: Final = at_first("assert False")
FLAKY_TEARDOWN: Final = """
import pathlib
import pytest
@pytest.fixture
def late():
    yield
    mark = pathlib.Path(__file__).with_name("late")
    if not mark.exists():
        mark.touch()
        assert False
def test_flaky_teardown(late): pass
"""


class Tree:
    """A folder of tests, checked as `.ci/checks` does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "tree"
        self._folder.mkdir()
        slow = "-p no:schemathesis -p no:anyio -p no:hypothesispytest"
        (self._folder / "pytest.ini").write_text(f"[pytest]\naddopts = {slow}\n")
        self._outcome = folder / "outcome"

    def _python(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    def run(self, text: str, *options: str, workers: int = 0) -> Path:
        """Runs tests, of which some fail; returns the file with how that ended."""
        (self._folder / "test_it.py").write_text(text)
        plugin = ("-p", "tests.second_run", "--outcome", self._outcome)
        first = self._python("-m", "pytest", *plugin, "-n", str(workers), *options)
        assert first.returncode != 0, first.stdout
        return self._outcome

    def check(self, text: str, *options: str, workers: int = 0) -> tuple[int, str]:
        """Runs tests, and the failed ones again: the status for both, and what was printed."""
        outcome = self.run(text, *options, workers=workers)
        second = self._python("-m", "tests.second_run", outcome, *options)
        return second.returncode, second.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.mark.parametrize("workers", [0, 2])
def test_tests_that_pass_alone_have_lost_a_race(tree: Tree, workers: int) -> None:
    text = PASSES + FLAKY + at_first("raise KeyError", "second") + FLAKY_TEARDOWN
    status, printed = tree.check(text, "--maxfail", "9", workers=workers)
    assert status == 0, printed
    (race,) = [line for line in printed.splitlines() if line.startswith("RACE: ")]
    for name in ("test_flaky", "test_second", "test_flaky_teardown"):
        assert f"test_it.py::{name}" in race
    assert "test_passes" not in race


def test_a_test_that_fails_again_fails_the_run(tree: Tree) -> None:
    status, printed = tree.check(FLAKY + BROKEN + PASSES)
    assert status == 1
    assert "Running the failed tests again" in printed
    assert "RACE" not in printed


@pytest.mark.parametrize(
    ("text", "options", "workers", "why"),
    [
        (FLAKY + BROKEN, ["-x"], 0, "cut short: 1 tests did not finish"),
        (FLAKY + PASSES * 50 + BROKEN, ["-x"], 2, "cut short: "),
        (at_first("pytest.exit('enough', 1)") + BROKEN, [], 0, "cut short: 2 tests"),
        (at_first("os._exit(9)"), [], 2, " crashed."),
        (at_first("os._exit(9)"), [], 0, "The run did not come to its end."),
        (at_first("time.sleep(60)"), ["--timeout", "1"], 0, "test_flaky took too long."),
        (FLAKY + "import nothing_like_that\n", [], 0, "test_it.py could not be collected."),
        (
            "".join(at_first("assert False", name) for name in ("a", "b", "c", "d")),
            [],
            0,
            "4 tests failed.",
        ),
        (PASSES, ["-k", "nothing"], 0, "The run was cut short: 0 tests did not finish."),
    ],
)
def test_nothing_else_is_forgiven(
    tree: Tree,
    text: str,
    options: list[str],
    workers: int,
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(tree.run(text, *options, workers=workers), options) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No second run: ")
    assert why in line


def test_the_checks_record_how_the_run_ended() -> None:
    script = (ROOT / ".ci/checks").read_text()
    assert '-p tests.second_run --outcome "$logs/outcome"' in script
    assert '-m tests.second_run "$logs/outcome" "$@" || failed=yes' in script
