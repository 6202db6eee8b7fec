"""Without the hardware's packages everything works except the boards themselves."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.shell.daemons import PROGRAM, Home

ROOT = Path(__file__).resolve().parents[3]
HARDWARE = (
    "gpiozero", "gpiod", "board", "busio", "digitalio", "neopixel", "neopixel_spi",
    "neopixel_write", "adafruit_blinka", "adafruit_pixelbuf", "adafruit_platformdetect",
    "adafruit_raspberry_pi5_neopixel_write", "_rpi_ws281x", "rpi_ws281x", "serial", "colorzero",
)  # fmt: skip
# Read by Python at its start, wherever the folder is on its path.
BLOCKER = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HARDWARE!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has none of these packages."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare/sitecustomize.py").write_text(BLOCKER)
    return {"PYTHONPATH": str(tmp_path / "bare")}


def python(home: Home, bare: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env=home.environment(bare),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def test_every_module_but_those_of_the_boards_can_be_imported(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    code = (
        "import pkgutil, importlib, pochboard\n"
        "for found in pkgutil.walk_packages(pochboard.__path__, 'pochboard.'):\n"
        "    if not found.name.startswith(('pochboard.boards.pico', 'pochboard.boards.gpio.')) \\\n"
        "            and not found.name.endswith('__main__'):\n"
        "        importlib.import_module(found.name); print(found.name)\n"
    )
    ran = python(Home(tmp_path), bare, "-W", "error", "-c", code)
    assert ran.returncode == 0, ran.stderr
    assert {"pochboard.cli", "pochboard.daemon.daemon"} <= set(ran.stdout.split())


def test_the_commands_work(home: Home, bare: dict[str, str]) -> None:
    for words in (["--help"], ["rulesets"], ["run", "--help"]):
        ran = home.cli(*words, environment=bare)
        assert (ran.status, ran.err) == (0, "")
    assert PROGRAM.exists()


def test_the_board_on_the_header_says_what_it_lacks(home: Home, bare: dict[str, str]) -> None:
    home.configure('board = "gpio"\n')
    played = {"BLINKA_OS_AGNOSTIC": "1"}
    ran = home.cli("run", "--port", "0", environment=bare | played)
    assert ran.status == 1
    assert ran.said.startswith("The Python packages gpiozero, gpiod, ")


# What is pinned.


def pinned(name: str) -> dict[str, str]:
    """The versions of a list; each package has its hashes."""
    text = (ROOT / name).read_text()
    blocks = re.split(r"\n(?=[a-z0-9])", text)
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE))


def wanted(extra: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + project["optional-dependencies"].get(extra, [])
    return {re.split(r"[<>=!~;\[ ]", line)[0].lower().replace("_", "-") for line in lines}


@pytest.mark.parametrize("extra", ["gpio", "pico", "drawings"])
def test_list_of_an_extra_pins_what_it_needs_in_the_tested_versions(extra: str) -> None:
    mine, tested, run = (
        pinned(f"constraints/{extra}.txt"), pinned("constraints/test.txt"),
        pinned("constraints/run.txt"),
    )  # fmt: skip
    assert wanted(extra) <= set(mine)
    # A clone compiles its catalogues and is installed editable; a Pi gets what is built.
    assert {name for name in run if mine.get(name) != run[name]} <= {"babel", "editables"}
    assert {name: mine[name] for name in mine.keys() & tested} == {
        name: tested[name] for name in mine.keys() & tested
    }
