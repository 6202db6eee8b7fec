"""The service under a real systemd: each thread is frozen in turn, and the night continues.

As root: python -m tests.torture.systemd. Needs debootstrap and systemd-container. The first run
makes a Debian root in build/systemd (some minutes); `--fresh` makes it again.

A thread is frozen with ptrace, which stops this thread alone, wherever it is.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from tests.torture.machine import UNIT, Machine, install, make_root, skip_unless_possible, wait_for

THREADS: Final = (
    *("main", "signals", "table", "simulator", "web", "display"),
    *("ledger-check", "health"),
    "health-store_0",
)
"""The threads of the daemon. That of the check of the ledger lives for some seconds only."""
NOTICED: Final = {
    "table": "The game does not respond",
    "simulator": "The board does not respond",
    "web": "The web server does not respond",
    "health": "",
    "health-store_0": "The disk with the ledger does not respond",
}
"""The journal's message for each frozen thread that the watchdog notices."""
NAMED: Final = {"display": "The display does not respond"}
"""The journal's message for a frozen thread without which people can play."""

_ATTACH, _INTERRUPT, _DETACH = 0x4206, 0x4207, 17  # PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH


@contextlib.contextmanager
def frozen(thread: int) -> Iterator[None]:
    """Keeps one thread of a process stopped, until the context or the process ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    attached, over = threading.Event(), threading.Event()
    failed: list[int] = []

    def ptrace(request: int) -> None:
        if libc.ptrace(request, thread, None, None) < 0:
            failed.append(ctypes.get_errno())

    def trace() -> None:
        # Only the thread that attached may detach. It also has to reap the frozen thread when its
        # process is killed, or the process would remain.
        ptrace(_ATTACH)
        ptrace(_INTERRUPT)
        attached.set()
        while not over.wait(0.1):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(thread, os.WNOHANG | 0x40000000)  # __WALL
        ptrace(_DETACH)

    tracer = threading.Thread(target=trace)
    tracer.start()
    attached.wait()
    assert not failed, f"ptrace: {os.strerror(failed[0])}"
    try:
        yield
    finally:
        over.set()
        tracer.join()


def all_threads_of(process: int) -> dict[str, int] | None:
    """The threads of the daemon by name; None until all have started and have their names."""
    threads = {"main": process}
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # it may have ended
            threads.setdefault((task / "comm").read_text().strip(), int(task.name))
    return threads if threads.keys() >= set(THREADS) else None


def _other_daemon(machine: Machine, process: int) -> bool:
    return machine.daemon() not in (0, process)


def _says(machine: Machine, text: str) -> bool:
    return text in machine.journal()


def freeze_in_turn(machine: Machine) -> None:
    """Freezes each thread, and waits until the service is back. Raises AssertionError."""
    entry = machine.ask("/api/commands", {**_START})["entry"]
    for name in THREADS:
        # So that all threads are there. A restart counts for the unit's limit of starts.
        machine.run("systemctl", "reset-failed", UNIT)
        machine.run("systemctl", "restart", UNIT)
        process = wait_for("it runs", machine.daemon)
        threads = wait_for("its threads have started", partial(all_threads_of, process))
        before = machine.journal()
        begun = time.monotonic()
        with frozen(threads[name]):
            if name not in NOTICED:
                # Play does not need this thread, but stopping does.
                entry = _book(machine, entry)
                if name in NAMED:
                    wait_for("it is said", partial(_says, machine, NAMED[name]))
                    entry = _book(machine, entry)
                machine.run("systemctl", "restart", UNIT)
            wait_for("it is another process", partial(_other_daemon, machine, process))
        took_s = time.monotonic() - begun
        said = machine.journal().removeprefix(before)
        if name in NOTICED:
            assert NOTICED[name] in said, said
            assert "Watchdog timeout" in said, said
            assert "Fatal Python error: Aborted" in said, said
        state = wait_for("it answers", lambda: machine.ask("/api/state"))
        assert (state["phase"], state["entry"]) == ("idle", entry), state
        entry = _book(machine, entry)
        assert machine.ask("/healthz")["status"] == "ok"
        print(f"{name:<13} frozen: back after {took_s:.0f} s, the night continues", flush=True)


_START: Final = {"do": "start", "ruleset": "modern", "players": ["Anna", "Ben", "Clara"]}


def _book(machine: Machine, entry: int) -> int:
    recorded: int = machine.ask("/api/commands", {"do": "rebuy", "seat": 1, "chips": 1})["entry"]
    assert recorded == entry + 1
    return recorded


def main() -> None:
    """Boots the machine, freezes each thread, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", help="ignored: nothing here is random")
    parser.add_argument("--fresh", action="store_true", help="make the Debian root again")
    args = parser.parse_args()
    skip_unless_possible("systemd")
    root = make_root(fresh=args.fresh)
    install(root, "--no-packages")
    with tempfile.TemporaryDirectory() as name:
        log = Path(name, "console.txt")
        begun = time.monotonic()
        machine = Machine(root, log)
        try:
            wait_for("the service is up", machine.daemon)
            print(f"booted, and the service is up, in {time.monotonic() - begun:.0f} s", flush=True)
            freeze_in_turn(machine)
        except BaseException:
            print(log.read_text(errors="replace")[-3000:])
            print(machine.journal()[-5000:])
            raise
        finally:
            machine.stop()
    print(f"systemd: {len(THREADS)} threads frozen, the service came back each time: passed")


if __name__ == "__main__":
    main()
