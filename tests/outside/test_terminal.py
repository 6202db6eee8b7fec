"""What strangers wrote, printed in a real terminal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TRICKS = "\x1b]0;taken\x07\x1b[2J\x1b[31m\x9b31m\x1b[3;3HX\u202eabc\u2066\u2028\x08\x08\r\t"
_DEADLINE_S = 60


class Terminal:
    """A screen of tmux, in which a shell runs."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("tmux")
        assert program is not None, "Debian's package tmux"
        self._tmux = [program, "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self._folder = folder
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "screen-256color"}
        env |= {"LC_ALL": "C.UTF-8", "SHELL": "/bin/sh", "PS1": "ready> "}
        self._env = env
        self._run("new-session", "-d", "-x", "240", "-y", "50", "-n", "before", "/bin/sh")
        self._run("set-option", "-g", "allow-rename", "on")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._tmux, *words],
            check=True, capture_output=True, text=True, env=self._env, cwd=self._folder, timeout=60,
        )  # fmt: skip
        return done.stdout

    def run(self, *command: str) -> str:
        """The screen, with its colours as escapes, once a command has ended."""
        done = self._folder / "done"
        words = " ".join(f"'{word}'" for word in command)
        self._run("send-keys", "-l", f"clear; {words}; touch {done}")
        self._run("send-keys", "Enter")
        deadline = time.monotonic() + _DEADLINE_S
        while not done.exists():
            assert time.monotonic() < deadline, self._run("capture-pane", "-p")
            time.sleep(0.05)
        done.unlink()
        # What the command has printed last may still be on its way to the screen.
        while "ready>" not in (screen := self._run("capture-pane", "-e", "-p", "-J")):
            assert time.monotonic() < deadline, screen
            time.sleep(0.05)
        return screen

    @property
    def title(self) -> str:
        """The title that programs give the terminal."""
        return self._run("display-message", "-p", "#{pane_title}").strip()

    @property
    def column(self) -> int:
        """Where the cursor is, from 0."""
        return int(self._run("display-message", "-p", "#{cursor_x}"))

    def close(self) -> None:
        """Ends the shell and the server."""
        self._run("kill-server")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    opened = Terminal(tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_no_escape_of_a_stranger_reaches_the_terminal(terminal: Terminal, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.jsonl"
    start = {"do": "start", "ruleset": "modern", "players": ["A", "B", "C"]}
    sheet.write_text(f"{json.dumps(start)}\n{json.dumps({'do': TRICKS})}\n", "utf-8")
    settings = tmp_path / "config"
    (settings / "rulesets").mkdir(parents=True)
    house = {"name": "house", "base": "modern", "source": TRICKS}
    rows = "".join(f"{key} = {json.dumps(value)}\n" for key, value in house.items())
    (settings / "rulesets" / "a.toml").write_text(rows, "utf-8")
    (settings / "rulesets" / "b.toml").write_text(f"{rows}{json.dumps(TRICKS)} = 1\n", "utf-8")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.toml").write_text(f"{json.dumps(TRICKS)} = 1\n", "utf-8")
    title = terminal.title
    # The terminal obeys what is printed as it is.
    plain = tmp_path / "plain"
    plain.write_text("\x1b]2;taken\x07\x1b[31mred\x1b[0m\n", "utf-8")
    assert "\x1b[31m" in terminal.run("cat", str(plain))
    assert terminal.title == "taken"
    program = str(Path(sys.executable).with_name("pochboard"))
    folders = ("--config", str(settings))
    for command in (
        (program, "check", str(sheet)),
        (program, "import", *folders, "--data", str(tmp_path / "data"), str(sheet)),
        (program, "rulesets", *folders),
        (program, "rulesets", *folders, "house"),
        (program, "doctor", "--config", str(broken), "--data", str(tmp_path / "data")),
        (program, "status", "--config", str(broken), "--data", str(tmp_path / "data")),
    ):
        screen = terminal.run(*command)
        assert "\x1b" not in screen.replace("\x1b[39m", "").replace("\x1b[0m", "")
        assert "\\x1b]0;taken" in screen or "\\u001b]0;taken" in screen, screen
        assert terminal.title == "taken" != title
