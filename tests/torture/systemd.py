"""The service under a real systemd: each thread is frozen in turn, and the night continues.

As root: python -m tests.torture.systemd. Needs debootstrap and systemd-container. The first run
makes a Debian root in build/systemd (some minutes); `--fresh` makes it again. Each run installs the
program into a copy with systemd/install.sh and boots it with systemd-nspawn.

A thread is frozen with ptrace, which stops this thread alone, wherever it is.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build/systemd"
PACKAGES: Final = "systemd,systemd-sysv,dbus,python3,python3-venv,ca-certificates"
LONG_S: Final = 300.0
SKIPPED: Final = 77
"""The exit status if this machine cannot do it."""
UNIT: Final = "pochboard"
THREADS: Final = ("main", "signals", "table", "simulator", "web", "health", "health-store")
"""The threads of the daemon in the order in which they start."""
NOTICED: Final = {
    "table": "The game does not respond",
    "simulator": "The board does not respond",
    "web": "The web server does not respond",
    "health": "",
    "health-store": "The disk with the ledger does not respond",
}
"""The journal's message for each frozen thread that the watchdog notices."""

_ATTACH, _INTERRUPT, _DETACH = 0x4206, 0x4207, 17  # PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH


def run(*words: str | Path, **options: Any) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(words, check=False, capture_output=True, text=True, **options)
    assert done.returncode == 0, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return str(done.stdout)


def wait_for(said: str, holds: Callable[[], Any]) -> Any:
    """Waits until a condition is true, and returns its value."""
    until_s = time.monotonic() + LONG_S
    while not (found := holds()):
        assert time.monotonic() < until_s, f"not in {LONG_S:g} s: {said}"
        time.sleep(0.2)
    return found


def make_root(*, fresh: bool) -> Path:
    """A Debian root, made once, and a copy of it with the program installed by install.sh."""
    base, root, wheels = FOLDER / "base", FOLDER / "root", FOLDER / "wheels"
    if fresh:
        shutil.rmtree(base, ignore_errors=True)
    if not (base / "made").exists():
        print("making a Debian root …", flush=True)
        shutil.rmtree(base, ignore_errors=True)
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", base)
        (base / "made").touch()
    print("installing …", flush=True)
    constraints = ROOT / "constraints-run.txt"
    run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes"),
        *("--dest", wheels, "--requirement", constraints),
    )
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", base, root)
    source = root / "src"
    source.mkdir()
    files = run("git", "-C", ROOT, "ls-files", "-z").split("\0")
    for name in filter(None, files):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    shutil.copytree(wheels, root / "wheels")
    run(
        *("chroot", root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "PIP_NO_INDEX=1"),
        *("PIP_FIND_LINKS=/wheels", "/src/systemd/install.sh", "--no-start"),
    )
    return root


class Machine:
    """A booted root, and what is run in it."""

    def __init__(self, root: Path, log: Path) -> None:
        boot = (
            "mkdir -p /run/systemd && mount -t tmpfs tmpfs /run/systemd && exec systemd-nspawn"
            " --quiet --boot --private-network --register=no --keep-unit"
            f" --machine=pochboard-test --directory={root}"
        )
        with log.open("wb") as out:
            self._nspawn = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", boot],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        self.init = wait_for("systemd runs", self._find_init)

    def _find_init(self) -> int:
        assert self._nspawn.poll() is None, "systemd-nspawn has ended"
        pid = self._nspawn.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return int(child)
        return 0

    def run(self, *words: str) -> str:
        """The output of a command in the machine, whatever its status."""
        done = subprocess.run(
            ["nsenter", "--target", str(self.init), "--all", "--", *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=LONG_S,
        )
        return done.stdout

    def unit(self, name: str) -> str:
        """A property of the unit."""
        return self.run("systemctl", "show", "--value", f"--property={name}", UNIT).strip()

    def journal(self) -> str:
        """The unit's log."""
        return self.run("journalctl", "--no-pager", "--unit", UNIT, "--output=cat")

    def ask(self, path: str, body: object = None) -> Any:
        """The daemon's answer; None if there is none."""
        program = (
            "import sys, urllib.request as u; b = sys.argv[2].encode() or None\n"
            "r = u.Request('http://127.0.0.1:8441' + sys.argv[1], b,"
            " {'Content-Type': 'application/json'} if b else {})\n"
            "print(u.urlopen(r, timeout=60).read().decode())"
        )
        text = "" if body is None else json.dumps(body)
        out = self.run("/usr/bin/python3", "-c", program, path, text)
        return json.loads(out) if out else None

    def daemon(self) -> int:
        """The process of the daemon as this machine's kernel numbers it; 0 while it is not up."""
        if self.unit("ActiveState") != "active":
            return 0
        wanted = self.unit("MainPID")
        for status in Path("/proc").glob("[0-9]*/status"):
            with contextlib.suppress(OSError):
                rows = dict(row.split(":\t", 1) for row in status.read_text().splitlines())
                numbers = rows["NSpid"].split()
                if len(numbers) == 2 and numbers[1] == wanted:
                    return int(numbers[0])
        return 0

    def stop(self) -> None:
        """Powers it off."""
        os.kill(self.init, signal.SIGRTMIN + 4)  # systemd's signal for poweroff.target
        try:
            self._nspawn.wait(60)
        except subprocess.TimeoutExpired:
            os.kill(self.init, signal.SIGKILL)
            self._nspawn.wait(60)


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
    """The threads of the daemon by name; None until all have started."""
    numbers = sorted(int(task.name) for task in Path(f"/proc/{process}/task").iterdir())
    return dict(zip(THREADS, numbers, strict=False)) if len(numbers) >= len(THREADS) else None


def _other_daemon(machine: Machine, process: int) -> bool:
    return machine.daemon() not in (0, process)


def freeze_in_turn(machine: Machine) -> None:
    """Freezes each thread, and waits until the service is back. Raises AssertionError."""
    entry = machine.ask("/api/commands", {**_START})["entry"]
    for name in THREADS:
        process = wait_for("it runs", machine.daemon)
        threads = wait_for("its threads have started", partial(all_threads_of, process))
        before = machine.journal()
        begun = time.monotonic()
        with frozen(threads[name]):
            if name not in NOTICED:
                # Play does not need this thread, but stopping does.
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
    booked: int = machine.ask("/api/commands", {"do": "rebuy", "seat": 1, "chips": 1})["entry"]
    assert booked == entry + 1
    return booked


def main() -> None:
    """Boots the machine, freezes each thread, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", help="ignored: nothing here is random")
    parser.add_argument("--fresh", action="store_true", help="make the Debian root again")
    args = parser.parse_args()
    missing = [name for name in ("debootstrap", "systemd-nspawn") if not shutil.which(name)]
    if os.geteuid() or missing:
        print(f"systemd: skipped; it needs {' and '.join(['root', *missing])}")
        sys.exit(SKIPPED)
    root = make_root(fresh=args.fresh)
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
