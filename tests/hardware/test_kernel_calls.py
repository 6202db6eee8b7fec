"""The board on the header with its real libraries, on one that answers in the kernel's place.

What it needs is compiled in a moment. `below.py` has the tests; they run in a process of their own,
because the library has to be there before anything else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize(
    ("revision", "which"),
    [(0xC03111, ""), (0x902120, "at_once or pixel")],
    ids=["Pi 4", "Zero 2 W"],
)
def test_the_board_on_the_interface_of_the_kernel(
    tmp_path: Path, revision: int, which: str
) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.fail("This needs a C compiler: sudo apt install gcc libc6-dev")
    library = tmp_path / "kernel_calls.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", library, HERE / "kernel_calls.c", "-ldl"],
        check=True,
    )
    tree = tmp_path / "tree/proc/device-tree"
    (tree / "system").mkdir(parents=True)
    (tree / "system/linux,revision").write_bytes(revision.to_bytes(4, "big"))
    (tree / "model").write_text("Raspberry Pi\0")
    (tree / "compatible").write_text("raspberrypi\0brcm,bcm2711\0")
    (tmp_path / "tree/proc/cpuinfo").write_text(
        f"Hardware\t: BCM2711\nRevision\t: {revision:x}\nModel\t\t: Raspberry Pi\n"
    )
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which),
            HERE / "below.py",
        ],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "BLINKA_OS_AGNOSTIC"}
        | {"LD_PRELOAD": str(library), "PI_LIBRARY": str(library), "PI_TREE": f"{tmp_path}/tree"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
