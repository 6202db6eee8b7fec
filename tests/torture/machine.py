"""Machines with a real systemd: a Debian root in a folder, booted with systemd-nspawn.

The first use makes the root in build/systemd (some minutes). The program is installed into a copy
of it with systemd/install.sh.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build/systemd"
SUITES: Final = {"bookworm": "3.11", "trixie": "3.13"}
"""The releases of Debian, and of Raspberry Pi OS, that are supported, and their Python."""
PACKAGES: Final = "systemd,systemd-sysv,dbus,udev,kmod,python3,python3-venv,ca-certificates,sudo"
"""What debootstrap installs."""
MORE: Final = (
    "libpam-systemd polkitd network-manager dnsmasq-base avahi-daemon cloud-init iproute2"
    " wpasupplicant"
)
"""What apt installs afterwards: debootstrap does not know virtual packages."""
PATH: Final = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
LONG_S: Final = 1200.0
SKIPPED: Final = 77
"""The exit status if this machine cannot do it."""
UNIT: Final = "pochboard"


def skip_unless_possible(name: str) -> None:
    """Exits with the status for a test that this machine cannot do, after a sentence."""
    missing = [tool for tool in ("debootstrap", "systemd-nspawn") if not shutil.which(tool)]
    if os.geteuid() or missing:
        print(f"{name}: skipped; it needs {' and '.join(['root', *missing])}")
        sys.exit(SKIPPED)


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


def _base(suite: str, *, fresh: bool) -> Path:
    """A root of this release of Debian, made once."""
    base = FOLDER / suite
    if fresh or not (base / "made").exists():
        print(f"making a root of Debian {suite} …", flush=True)
        shutil.rmtree(base, ignore_errors=True)
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, base)
        policy = base / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")  # starts no service
        policy.chmod(0o755)
        shutil.copytree("/etc/apt/apt.conf.d", base / "etc/apt/apt.conf.d", dirs_exist_ok=True)
        install = f"apt-get install --yes -qq --no-install-recommends {MORE}"
        words = ("env", "-i", PATH, "DEBIAN_FRONTEND=noninteractive", "sh", "-c")
        run("chroot", base, *words, f"apt-get update -qq && {install}")
        policy.unlink()
        (base / "made").touch()
    return base


def make_root(suite: str = "bookworm", *, fresh: bool = False) -> Path:
    """A copy of the root of this release, with the sources in /src and all wheels for offline use.

    It looks like a Pi that has just been set up: it is called raspberrypi and has a config.txt.
    """
    base, root, wheels = (
        _base(suite, fresh=fresh),
        FOLDER / f"{suite}-run",
        FOLDER / f"{suite}-wheels",
    )
    run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--dest", wheels),
        *("--only-binary=:all:", "--python-version", SUITES[suite]),
        *("--requirement", ROOT / "constraints/pico.txt"),
    )
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", base, root)
    source = root / "src"
    source.mkdir()
    for name in filter(None, run("git", "-C", ROOT, "ls-files", "-z").split("\0")):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    shutil.copytree(wheels, root / "wheels")
    (root / "etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    (root / "etc/hostname").write_text("raspberrypi\n")
    (root / "etc/hosts").write_text("127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n")
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/config.txt").write_text("dtparam=audio=on\n")
    return root


def install(root: Path, *options: str) -> str:
    """Installs the program into a root that does not run. Returns what the script said."""
    script = root / "src/systemd/install.sh"
    return run("env", "-i", PATH, script, "--root", root, *options)


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

    def has_ended(self) -> bool:
        """Whether it is off."""
        return self._nspawn.poll() is not None

    def cut_power(self) -> None:
        """Ends everything in it at once."""
        os.kill(self.init, signal.SIGKILL)
        self._nspawn.wait(60)

    def stop(self) -> None:
        """Powers it off, if it runs."""
        if self.has_ended():
            return
        os.kill(self.init, signal.SIGRTMIN + 4)  # systemd's signal for poweroff.target
        try:
            self._nspawn.wait(60)
        except subprocess.TimeoutExpired:
            self.cut_power()
