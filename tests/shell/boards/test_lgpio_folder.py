"""lgpio makes a FIFO in the current folder when it is imported: nowhere does that end the start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
REAL = Path(sys.prefix) / "lgpio"
"""The package itself, where `.ci/setup test` has found one for this Python."""
# What lgpio 0.2.2 does when it is imported, without its library in C.
STAND_IN = """
import os
_folder = os.environ.get("LG_WD") or os.getcwd()
os.mkfifo(os.path.join(_folder, ".lgd-nfy0"))
os.chdir(_folder)
_out = os.open(".lgd-nfy0", os.O_RDWR | os.O_NONBLOCK)
_file = open(".lgd-nfy0", "rb")
"""
# As the board on the header does it; gpiozero is not needed to import the driver.
PROGRAM = """
import os, sys
from pochboard.boards.gpio.lgpio_folder import import_lgpio
here = os.getcwd()
import_lgpio()
import_lgpio()
import lgpio
assert os.getcwd() == here, os.getcwd()
print("LG_WD" in os.environ, os.listdir("/proc/self/fd").__len__() > 3)
"""
PROC = Path("/proc")
"""A folder in which nobody, not even root, can make a file."""


@pytest.fixture(params=["stand-in", *(["real"] if REAL.exists() else [])])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "real":
        return REAL
    (tmp_path / "lgpio.py").write_text(STAND_IN)
    return tmp_path


def imported(library: Path, folder: Path, program: str = PROGRAM, **env: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "LG_WD"}
        | {"PYTHONPATH": f"{ROOT}:{library}", "PYTHONDONTWRITEBYTECODE": "1"}
        | env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_lgpio_itself_cannot_be_imported_in_a_folder_that_cannot_be_written(library: Path) -> None:
    with pytest.raises(AssertionError, match="No such file"):
        imported(library, PROC, "import lgpio")


@pytest.mark.parametrize("given", [None, "", "/nonexistent", "/proc"])
def test_the_board_imports_it_anywhere_and_leaves_nothing(
    given: str | None, library: Path, tmp_path: Path
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)} | ({} if given is None else {"LG_WD": given})
    before = sorted(tmp_path.iterdir())
    for folder in (PROC, tmp_path):
        assert imported(library, folder, **env) == f"{given is not None} True"
        assert sorted(tmp_path.iterdir()) == before
        assert list(temporary.iterdir()) == []


def test_a_folder_that_somebody_has_chosen_is_used(library: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    assert imported(library, PROC, LG_WD=str(chosen)) == "True True"
    assert [path.name for path in chosen.iterdir()] == [".lgd-nfy0"]


def test_without_lgpio_nothing_happens(tmp_path: Path) -> None:
    program = "from pochboard.boards.gpio.lgpio_folder import import_lgpio; import_lgpio()"
    assert imported(tmp_path, PROC, program) == ""
