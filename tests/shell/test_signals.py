"""SIGINT, SIGTERM and SIGHUP at every moment of the daemon and of other commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from pochboard.runtime.process import SWITCHED_OFF, find_daemon
from tests.shell.daemons import PROGRAM, Home
from tests.shell.server_kit import LONG_S

INTERRUPTED = "pochboard: Interrupted.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("after_s", [0.15, 0.3, 0.5, 0.8])
def test_a_signal_at_any_moment_ends_the_daemon(
    home: Home, number: signal.Signals, after_s: float
) -> None:
    daemon = home.launch("--port", "0")
    try:
        time.sleep(after_s)
        daemon.process.send_signal(number)
        status = daemon.process.wait(LONG_S)
        assert status in (0, 130, -number), daemon.errors
        assert "Traceback" not in daemon.errors or "/pochboard/" not in daemon.errors
        assert find_daemon(home.data) is None
    finally:
        daemon.close()


def test_a_second_signal_while_it_stops_does_no_harm(home: Home) -> None:
    with home.daemon() as daemon, daemon.stream() as stream:
        stream.next("state")
        for _ in range(50):
            daemon.process.send_signal(signal.SIGINT)
            daemon.process.send_signal(signal.SIGTERM)
        assert daemon.stop(signal.SIGINT) == (0, "Good night.\n")
        assert daemon.errors == ""


def test_a_closed_terminal_does_not_end_the_daemon(home: Home) -> None:
    with home.daemon() as daemon:
        for _ in range(5):
            daemon.process.send_signal(signal.SIGHUP)
        assert daemon.get("/healthz")["status"] == "ok"
        assert daemon.stop() == (0, "Good night.\n")
        assert daemon.errors == ""


@pytest.mark.parametrize("words", [("nights",), ("rulesets",), ("run", "--port", "0")])
def test_ctrl_c_while_commands_are_imported_is_one_line(
    home: Home, tmp_path: Path, words: tuple[str, ...]
) -> None:
    # Python runs the handler in the middle of importing this module, which the commands need.
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [PROGRAM, *words],
        env=home.environment({"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}),
        capture_output=True,
        check=False,
        timeout=LONG_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", INTERRUPTED.encode())


@pytest.mark.parametrize("status", [1, SWITCHED_OFF])
def test_a_daemon_that_hangs_while_it_stops_still_ends(tmp_path: Path, status: int) -> None:
    program = tmp_path / "hangs.py"
    program.write_text(
        textwrap.dedent(f"""
            import threading
            from pochboard.runtime.process import SWITCHED_OFF, stop_event

            with stop_event(grace_s=0.2) as stop:
                print("ready", flush=True)
                stop.wait()
                if {status} != 1:
                    stop.forced_status = {status}
                hanging = threading.Lock()
                hanging.acquire()
                hanging.acquire()
        """)
    )
    with subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=LONG_S)
    assert child.returncode == status
    assert b"The daemon has not stopped within 0.2 s, so it is forced to end." in errors
    assert b'hangs.py", line' in errors, "it prints where each thread was"
