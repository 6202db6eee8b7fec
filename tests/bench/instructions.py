"""The instructions that a start, a page, a command, a press and so on cost the processor.

Unlike times they do not depend on what else the machine does, so a change that costs more can be
found by a number. `instructions.json` keeps them: this fails if one has grown by more than 5 %, and
`--keep` writes today's, for which the commit gives the reason.

They are counted by callgrind, from outside: a real daemon runs in it, and is asked for pages. How
long a small Pi takes for them is estimated (`small_pi.py`).
"""

from __future__ import annotations

import argparse
import compileall
import http.client
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from tests.bench.peers import peer_python
from tests.bench.process import ENVIRONMENT, free_port, until_answered
from tests.bench.small_pi import PI_5, estimates
from tests.bench.table import DOCUMENT, ROOT, put_between, say

KEPT: Final = Path(__file__).with_name("instructions.json")
_LIMIT: Final = 1.05
_TIMES: Final = 20
_PATIENCE_S: Final = 900
_PROGRAM: Final = Path(sys.executable).with_name("pochboard")
_SCRIPTS: Final = {
    "logging_format": "logging",
    "pickle_pure_python": "pickle",
}
"""Benchmarks that share a script with others."""
_OPTIONS: Final = {
    "logging_format": ("format",),
    "pickle_pure_python": ("--pure-python", "pickle"),
}
_TOTAL: Final = re.compile(
    r"^desc: Trigger: dump (\w+)$.*^totals: (\d+)$", re.MULTILINE | re.DOTALL
)
_START: Final = {
    "do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara", "David"],
}  # fmt: skip


class Counted:
    """A daemon in callgrind."""

    def __init__(self, folder: Path, port: int, pid: int) -> None:
        self._folder, self._port, self._pid = folder, port, pid

    def ask(self, path: str, sent: object = None) -> None:
        """Gets a page, or posts something."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE_S)
        body = None if sent is None else json.dumps(sent)
        headers = {} if sent is None else {"Content-Type": "application/json"}
        connection.request("GET" if sent is None else "POST", path, body, headers)
        answer = connection.getresponse()
        assert answer.status == 200, (path, answer.read())
        answer.read()
        connection.close()

    def command(self, **command: object) -> None:
        """Sends a command, as a phone does."""
        self.ask("/api/commands", command)

    def since(self, name: str) -> int:
        """The instructions since the last call."""
        control = ["callgrind_control", "-d", name, str(self._pid)]
        subprocess.run(control, check=True, capture_output=True)
        for file in self._folder.glob("out.*"):
            match = _TOTAL.search(file.read_text("utf-8"))
            if match and match[1] == name:
                return int(match[2])
        raise AssertionError(f"callgrind has not written {name}")

    def each(self, name: str, act: Callable[[], None]) -> int:
        """The instructions of something, once the interpreter has seen it some times."""
        for _ in range(_TIMES):
            act()
        self.since(f"before_{name}")
        for _ in range(_TIMES):
            act()
        return self.since(name) // _TIMES


def _in_callgrind(
    folder: Path, *words: str | Path, python: str | Path = sys.executable
) -> subprocess.Popen[bytes]:
    out = f"--callgrind-out-file={folder}/out"
    environment = {**ENVIRONMENT, "PYTHONHASHSEED": "0", "XDG_CONFIG_HOME": str(folder)}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            ["valgrind", "--tool=callgrind", out, python, *words],
            stdout=subprocess.DEVNULL, stderr=log, env=environment,
        )  # fmt: skip


@contextmanager
def _daemon(folder: Path) -> Iterator[Counted]:
    port = free_port()
    data = folder / "data"
    process = _in_callgrind(folder, _PROGRAM, "run", "--port", str(port), "--data", data)
    try:
        until_answered(port, patience_s=_PATIENCE_S)
        yield Counted(folder, port, process.pid)
    finally:
        process.terminate()
        process.wait()


def measured(folder: Path) -> dict[str, int]:
    """The instructions of everything."""
    found = {}
    # What runs first would have to compile, which users have done once.
    for modules in ("pochboard", "tests"):
        assert compileall.compile_dir(ROOT / modules, quiet=1)
    say("a daemon in callgrind, which takes a minute to start")
    with _daemon(folder) as daemon:
        daemon.ask("/")
        found["start"] = daemon.since("start")
        daemon.ask("/api/commands", _START)
        daemon.command(do="deal")
        say("pages, commands and presses")
        found["page"] = daemon.each("page", lambda: daemon.ask("/"))
        found["state"] = daemon.each("state", lambda: daemon.ask("/api/state"))

        names = cycle(("Anna", "Anne"))

        def rename() -> None:
            # It moves no chips: a slow machine would count more frames of their animation.
            daemon.command(do="rename", seat=1, name=next(names))

        found["command"] = daemon.each("command", rename)
        daemon.command(do="next")

        def press() -> None:
            daemon.ask("/api/board/press", {"button": "seat2", "ms": 50})
            daemon.ask("/api/board/press", {"button": "seat2", "ms": 50})

        found["press"] = daemon.each("press", press) // 2
    say("frames and deals of bots")
    found["frame"] = _of_each(folder, ("-m", "tests.bench.frames"), (100, 300))
    found["deal"] = _deal(folder)
    return found


def published(folder: Path) -> dict[str, int]:
    """The instructions of a loop of each benchmark whose time on a Pi is published."""
    python, reason = peer_python("python")
    if python is None:
        print(f"What a small Pi takes cannot be estimated: {reason}.")
        return {}
    say("benchmarks of pyperformance")
    words = (python, "-c", "import pyperformance; print(pyperformance.__path__[0])")
    installed = Path(subprocess.run(words, check=True, capture_output=True, text=True).stdout[:-1])
    counts = {}
    for name, row in PI_5.items():
        stem = _SCRIPTS.get(name, name)
        script = installed / "data-files" / "benchmarks" / f"bm_{stem}" / "run_benchmark.py"
        options = ["--worker", "--values=1", "--warmups=0", *_OPTIONS.get(name, ()), "--loops"]
        counts[name] = _of_each(
            folder, (script, *options), (row.loops, 2 * row.loops), python=python
        )
    return counts


def _of_each(
    folder: Path,
    words: tuple[str | Path, ...],
    counts: tuple[int, int],
    python: str | Path = sys.executable,
) -> int:
    """The instructions of one repetition, of a program whose last argument says how many."""
    totals = [_total(folder, *words, str(count), python=python) for count in counts]
    return (totals[1] - totals[0]) // (counts[1] - counts[0])


def _total(folder: Path, *words: str | Path, python: str | Path = sys.executable) -> int:
    """The instructions of a whole program."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        process = _in_callgrind(Path(name), *words, python=python)
        assert process.wait() == 0, (Path(name) / "log").read_text("utf-8")
        return int((Path(name) / "out").read_text("utf-8").rpartition("totals: ")[2])


def _deal(folder: Path) -> int:
    """The instructions of a deal: what more nights cost, by their deals."""
    totals, deals = [], []
    rows = folder / "rows.csv"
    for nights in (2, 6):
        words = ("simulate", "--jobs", "1", "--nights", str(nights), "--csv", str(rows))
        totals.append(_total(folder, _PROGRAM, *words))
        deals.append(len(rows.read_text("utf-8").splitlines()))
        rows.unlink()
    return (totals[1] - totals[0]) // (deals[1] - deals[0])


def main() -> int:
    """Counts, and compares with what is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write today's figures to the file")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("Please install what is missing and try again: sudo apt install valgrind")
        return 2
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    here = f"Python {platform.python_version()}, {platform.machine()}"
    if kept.get("on") not in (None, here) and not options.keep:
        print(f"{KEPT.name} is of {kept['on']}; this is {here}, whose instructions differ.")
        return 2
    begun_s = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        found = measured(Path(name))
    say(f"{time.monotonic() - begun_s:.0f} s")
    more = []
    for what, count in found.items():
        before = kept.get("instructions", {}).get(what)
        change = f"{count / before - 1:+7.1%}" if before else "    new"
        print(f"{what:<10}{count / 1e6:>12,.2f} M  {change}")
        if before and count > before * _LIMIT:
            more.append(what)
    if options.keep:
        # They are of the interpreter alone, and take as long as everything else together.
        benchmarks = kept.get("pyperformance", {}) if kept.get("on") == here else {}
        if not benchmarks:
            with tempfile.TemporaryDirectory() as name:
                benchmarks = published(Path(name))
        today = {"on": here, "instructions": found, "pyperformance": benchmarks}
        KEPT.write_text(json.dumps(today, indent=2) + "\n", "utf-8")
        if benchmarks:
            table = estimates(found, benchmarks)
            text = DOCUMENT.read_text("utf-8")
            DOCUMENT.write_text(put_between(text, "small-pi", table), "utf-8")
    elif more:
        print(f"More than 5 % more than {KEPT.name} has: {', '.join(more)}. --keep accepts it.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
