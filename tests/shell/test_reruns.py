"""Which failed tests run again, tried with real runs of tests that fail at first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
CHROMIUM: Final = """
import os, pathlib, time
import pytest

@pytest.fixture
def chromium():
    yield
"""


def at_first(what: str, name: str = "races", fixture: str = "chromium") -> str:
    """A test that does something the first time it is run, and passes the next time."""
    return f"""
def test_{name}({fixture}):
    mark = pathlib.Path(__file__).with_name("{name}")
    if not mark.exists():
        mark.touch()
        {what}
"""


HANGS: Final = "@pytest.mark.timeout(1)" + at_first("time.sleep(60)")
HANGS_AND_LEAVES_A_MESS: Final = "@pytest.mark.timeout(1)" + at_first("""try:
            time.sleep(60)
        finally:
            assert False""")


def run(folder: Path, text: str, workers: int) -> tuple[int, dict[str, int]]:
    """Runs tests as this project's are run: the status, and how many ended how."""
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:schemathesis -p no:anyio\n")
    (folder / "test_it.py").write_text(CHROMIUM + text)
    words = (
        "-m", "pytest", "-p", "tests.conftest", "-raR", "--max-suite-reruns", "3",
        "--numprocesses", str(workers), "--dist", "worksteal",
    )  # fmt: skip
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    summary = ran.stdout.splitlines()[-1].strip("= ").partition(" in ")[0]
    counted = (part.split() for part in summary.split(", "))
    return ran.returncode, {how: int(count) for count, how in counted}


@pytest.mark.parametrize("workers", [0, 2])
def test_a_test_of_the_browser_that_has_lost_a_race_runs_again(
    tmp_path: Path, workers: int
) -> None:
    text = at_first("assert False") + at_first("raise KeyError", "second")
    assert run(tmp_path, text, workers) == (0, {"passed": 2, "rerun": 2})


@pytest.mark.parametrize(
    ("text", "workers", "ended"),
    [
        ("def test_broken(chromium): assert False\n", 2, {"failed": 1, "rerun": 1}),
        (at_first("assert False", fixture=""), 0, {"failed": 1}),
        (at_first("assert False", fixture=""), 2, {"failed": 1}),
        (at_first("os._exit(9)"), 2, {"failed": 1}),
        (HANGS, 0, {"failed": 1}),
        (HANGS, 2, {"failed": 1}),
        (HANGS_AND_LEAVES_A_MESS, 0, {"failed": 1}),
        (at_first("raise RuntimeError('Page.click: Target crashed')"), 0, {"failed": 1}),
        (
            "".join(at_first("assert False", name) for name in ("a", "b", "c", "d")),
            0,
            {"failed": 1, "passed": 3, "rerun": 3},
        ),
    ],
)
def test_nothing_else_is_forgiven(
    tmp_path: Path, text: str, workers: int, ended: dict[str, int]
) -> None:
    assert run(tmp_path, text, workers) == (1, ended)
