"""Debian machines as a family gets them: from a card, and from the Debian package.

On Debian bookworm and trixie with a real systemd (systemd-nspawn). A card's user-data is carried
out by cloud-init, and the Pi's Wi-Fi belongs to a real NetworkManager; there is no radio, and no
config.txt is read. Then the package is installed, played with, upgraded, removed and purged. On
arm64 it is installed and purged in a changed root, where qemu-user runs its programs.

The first use makes the roots in build/systemd. As root: python -m tests.torture.release.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pochboard
from pochboard.sheets import DoLine, Sheet

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build/systemd"
SUITES: Final = {"bookworm": "3.11", "trixie": "3.13"}
"""The releases of Debian, and of Raspberry Pi OS, that are supported, and their Python."""
PACKAGES: Final = "systemd,systemd-sysv,dbus,udev,kmod,python3,python3-venv,ca-certificates,sudo"
"""What debootstrap installs."""
MORE: Final = (
    "libpam-systemd polkitd network-manager dnsmasq-base cloud-init iproute2 wpasupplicant"
)
"""What apt installs afterwards: debootstrap does not know virtual packages."""
ENVIRONMENT: Final = ("env", "-i", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
LONG_S: Final = 1200.0
UNIT: Final = "pochboard"
LEDGER: Final = "var/lib/pochboard/ledger.db"
SHEET: Final = ROOT / "tests/nights/banker-a.jsonl"
SEED: Final = "var/lib/cloud/seed/nocloud"
CONFIG: Final = '# "böse" Zeichen\nboard = "pico"\nplaces = 6\n\n[pico]\n\torder = "RGB"\n'
PROFILE_PROGRAM: Final = """
from pochboard.wifi.service import Nmcli, WifiError
try:
    Nmcli().save_profile("Poch am Tisch", "geheim12")
    Nmcli().save_profile("Poch", "geheim13")
    print("saved")
    Nmcli().open()
except WifiError as error:
    print(error)
"""
SWITCHED_OFF: Final = "[Service]\nType=exec\nExecStart=\nExecStart=/bin/sh -c 'sleep 1; exit 83'\n"
QEMU: Final = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")
BINFMT: Final = Path("/proc/sys/fs/binfmt_misc")


def run(*words: str | Path, **options: Any) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(words, check=False, capture_output=True, text=True, **options)
    assert done.returncode == 0, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return str(done.stdout)


def within(root: Path, *words: str) -> str:
    """The same in a root that does not run."""
    return run("chroot", root, *ENVIRONMENT, "DEBIAN_FRONTEND=noninteractive", *words)


def wait_for(said: str, holds: Callable[[], Any]) -> Any:
    """Waits until a condition is true, and returns its value."""
    until_s = time.monotonic() + LONG_S
    while not (found := holds()):
        assert time.monotonic() < until_s, f"not in {LONG_S:g} s: {said}"
        time.sleep(0.2)
    return found


# Roots.


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
        within(base, "sh", "-c", f"apt-get update -qq && {install}")
        policy.unlink()
        (base / "made").touch()
    return base


def _copy(base: Path, suite: str, *platform: str) -> Path:
    """A copy of a root, with both packages in /srv and what the service needs in /wheels.

    It looks like a Pi that has just been set up: it is called raspberrypi and has a config.txt. Of
    the board on the header only rpi-ws281x, which this machine's processor does not need, has to be
    compiled (BOARD.md 8): everything else is there as a wheel.
    """
    root, wheels = base.with_name(f"{base.name}-run"), base.with_name(f"{base.name}-wheels")
    run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes", "--dest", wheels),
        *("--only-binary=:all:", "--python-version", SUITES[suite], *platform),
        *("--requirement", ROOT / "constraints/run.txt"),
        *("--requirement", ROOT / "constraints/pico.txt"),
        *("--requirement", ROOT / "constraints/gpio.txt"),
    )
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", base, root)
    shutil.copytree(wheels, root / "wheels")
    (root / "etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    (root / "etc/hostname").write_text("raspberrypi\n")
    (root / "etc/hosts").write_text("127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n")
    (root / "boot/firmware").mkdir(parents=True)
    (root / "boot/firmware/config.txt").write_text("dtparam=audio=on\n")
    return root


def packages(folder: Path) -> tuple[str, str]:
    """The package and one of a newer version, in /srv of a root; their names."""
    run(ROOT / ".ci/deb", folder, cwd=ROOT)
    (old,) = folder.glob("pochboard_*.deb")
    parts = folder / "parts"
    run("dpkg-deb", "--raw-extract", old, parts)
    control = parts / "DEBIAN/control"
    newer = f"{pochboard.__version__}+newer"
    control.write_text(control.read_text().replace(pochboard.__version__, newer, 1))
    new = folder / f"pochboard_{newer}_all.deb"
    run("dpkg-deb", "--root-owner-group", "--build", parts, new)
    shutil.rmtree(parts)
    return old.name, new.name


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
        """What a command says in the machine, whatever its status, without our variables."""
        done = subprocess.run(
            ["nsenter", "--target", str(self.init), "--all", "--", *ENVIRONMENT, *words],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONG_S,
        )
        return done.stdout

    def ask(self, path: str, body: object = None) -> Any:
        """The daemon's answer; None if there is none."""
        program = (
            "import sys, urllib.request as u; b = sys.argv[2].encode() or None\n"
            "r = u.Request('http://127.0.0.1:8441' + sys.argv[1], b,"
            " {'Content-Type': 'application/json'} if b else {})\n"
            "try: print(u.urlopen(r, timeout=60).read().decode())\n"
            "except OSError: print('null')"
        )
        text = "" if body is None else json.dumps(body)
        return json.loads(self.run("python3", "-c", program, path, text) or "null")

    def has_ended(self) -> bool:
        """Whether it is off."""
        return self._nspawn.poll() is not None

    def stop(self) -> None:
        """Powers it off, if it runs."""
        if not self.has_ended():
            os.kill(self.init, signal.SIGRTMIN + 4)  # systemd's signal for poweroff.target
            try:
                self._nspawn.wait(60)
            except subprocess.TimeoutExpired:
                os.kill(self.init, signal.SIGKILL)
                self._nspawn.wait(60)


@contextlib.contextmanager
def machine_on(root: Path) -> Iterator[Machine]:
    """A machine that is off in the end. After an error, prints what it said."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "console.txt")
        machine = Machine(root, log)
        try:
            yield machine
        except BaseException:
            print(log.read_text(errors="replace")[-2000:])
            if not machine.has_ended():
                print(machine.run("journalctl", "--no-pager", "--lines=60"))
            raise
        finally:
            machine.stop()


# What is tried.


def state(machine: Machine) -> dict[str, Any]:
    """What the page is told, once the daemon serves."""
    found = wait_for("the daemon serves", lambda: machine.ask("/api/state"))
    return {key: found[key] for key in ("phase", "deal", "stacks", "pools")}


def a_deal_is_played(machine: Machine) -> None:
    """The first deal of a sheet, command by command."""
    state(machine)
    for line in Sheet(SHEET.read_bytes()):
        if isinstance(line, DoLine):
            assert machine.ask("/api/commands", line.command), line
            now = state(machine)
            if (now["phase"], now["deal"]) == ("idle", 1):
                return
    raise AssertionError("the sheet ends within its first deal")


def first_boot_from_a_card(root: Path) -> None:
    """cloud-init installs the program from the user-data alone; the machine restarts into it."""
    seed = root / SEED
    seed.mkdir(parents=True)
    (seed / "my.toml").write_text(CONFIG)
    card = (Path(sys.executable).with_name("pochboard"), "card", "--timezone", "Europe/Vienna")
    run(*card, "--config", seed / "my.toml", "--out", seed / "made", cwd=ROOT)
    shutil.copy(seed / "made/user-data", seed)
    (seed / "meta-data").write_text("instance-id: first-boot\n")
    # As in Raspberry Pi OS.
    (root / "etc/cloud/cloud.cfg.d/99-nocloud.cfg").write_text("datasource_list: [NoCloud, None]\n")
    schema = ("cloud-init", "schema", "--config-file", f"/{SEED}/user-data")
    assert "Valid" in within(root, *schema)
    with machine_on(root) as machine:
        wait_for("it restarts, which ends this container", machine.has_ended)
    assert not (root / "var/lib/pochboard-first-boot").exists()
    assert (root / "etc/hostname").read_text() == "pochboard\n"
    assert "dtoverlay=gpio-shutdown" in (root / "boot/firmware/config.txt").read_text()
    assert (root / "etc/pochboard/config.toml").read_text() == CONFIG
    assert (root / "etc/localtime").readlink().match("*/Europe/Vienna")


def the_wifi_service_may_change_the_network_and_the_daemon_may_not(machine: Machine) -> None:
    """With the real NetworkManager and polkit."""
    wait_for(
        "the Wi-Fi service has written its state",
        lambda: "Own Wi-Fi: pochboard\n" in machine.run("pochboard", "wifi"),
    )

    def as_user(user: str) -> str:
        words = ("systemd-run", "--quiet", "--collect", "--wait", "--pipe", f"--uid={user}")
        python = "/opt/pochboard/.venv/bin/python"
        return machine.run(*words, "--working-directory=/tmp", python, "-c", PROFILE_PROGRAM)

    refused = as_user("pochboard")
    assert "Insufficient privileges" in refused or "Not authorized" in refused, refused
    allowed = as_user("pochboard-wifi")
    # Only the radio is missing.
    assert allowed.startswith("saved\nConnection activation failed: No suitable device"), allowed
    fields = "802-11-wireless.ssid,802-11-wireless.mode,802-11-wireless-security.psk,ipv4.method"
    shown = machine.run("nmcli", "-s", "-g", fields, "connection", "show", "pochboard")
    assert shown.split() == ["Poch", "ap", "geheim13", "shared"], shown


def from_a_card(root: Path) -> None:
    """First boot, house rulesets, the Wi-Fi, and switching off at the board."""
    first_boot_from_a_card(root)
    with machine_on(root) as machine:
        state(machine)
        # This machine may play on a simulated board without being paired.
        (root / "etc/pochboard/config.toml").write_text('board = "simulator"\n')
        machine.run("systemctl", "restart", UNIT)
        state(machine)
        body = {"name": "Bei Oma", "base": "modern", "options": {"ante": 2}}
        assert machine.ask("/api/rulesets", body), "the unit lets the daemon write a ruleset"
        the_wifi_service_may_change_the_network_and_the_daemon_may_not(machine)
        drop_in = root / f"etc/systemd/system/{UNIT}.service.d"
        drop_in.mkdir()
        (drop_in / "test.conf").write_text(SWITCHED_OFF)
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "restart", "--no-block", UNIT)
        wait_for("status 83 powers it off", machine.has_ended)
    print("  card: first boot, a house ruleset, the Wi-Fi's rights, switched off", flush=True)


def from_a_package(root: Path) -> None:
    """The whole life of a package under systemd."""
    old, new = packages(root / "srv")
    within(root, "dpkg", "--install", f"/srv/{old}")
    with machine_on(root) as machine:
        a_deal_is_played(machine)
        before = state(machine)
        machine.run("dpkg", "--install", f"/srv/{new}")
        assert "+newer" in machine.run("dpkg-query", "--show", "pochboard")
        assert state(machine) == before, "after an upgrade"
        machine.run("sh", "-c", "cd /opt/pochboard/.venv/lib && mv python3* python3.0")
        broken = machine.run("pochboard", "--version")
        assert "sudo bash /opt/pochboard/src/systemd/install.sh" in broken, broken
        machine.run("dpkg-trigger", "--by-package=python3-minimal", "/usr/bin/python3")
        said = machine.run("dpkg", "--configure", "--pending")
        assert machine.run("pochboard", "--version").startswith("pochboard, version"), said
        machine.run("systemctl", "restart", "pochboard")
        assert state(machine) == before, "after another Python"
        machine.run("dpkg", "--remove", "pochboard")
        assert (root / LEDGER).exists()
        said = machine.run("dpkg", "--purge", "pochboard")
        assert "Deleted the ledger" in said, said
    left = run("find", root, "-xdev", "-name", "*pochboard*", "-not", "-path", f"{root}/srv/*")
    assert [name for name in left.splitlines() if "/wheels/" not in name] == []
    assert "pochboard" not in (root / "etc/passwd").read_text()
    print("  package: a deal played, upgraded, another Python, removed, purged", flush=True)


def on_arm(suite: str, *, fresh: bool) -> None:
    """The package on arm64, as far as a changed root goes."""
    known = BINFMT / "qemu-aarch64"
    if not QEMU.exists() or not (BINFMT / "register").exists():
        print("  arm64: not tried; it needs binfmt_misc and qemu-user-static", flush=True)
        return
    if not known.exists():  # as systemd-binfmt does
        (BINFMT / "register").write_text(QEMU.read_text())
    base = FOLDER / f"{suite}-arm64"
    if fresh or not (base / "made").exists():
        shutil.rmtree(base, ignore_errors=True)
        include = "--include=systemd,python3,python3-venv,ca-certificates"
        run("debootstrap", "--arch=arm64", "--variant=minbase", include, suite, base)
        (base / "made").touch()
    platform = "--platform=manylinux_2_28_aarch64", "--platform=manylinux2014_aarch64"
    root = _copy(base, suite, *platform)
    old, new = packages(root / "srv")
    shutil.copy(SHEET, root / "srv/sheet.jsonl")
    for package in (old, new):
        within(root, "dpkg", "--install", f"/srv/{package}")
        within(root, "pochboard", "check", "/srv/sheet.jsonl")
    within(root, "dpkg", "--purge", "pochboard")
    print("  arm64: installed, a sheet checked, upgraded, purged", flush=True)


def main() -> None:
    """Runs all of it on each release, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="make the Debian roots again")
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; else all")
    args = parser.parse_args()
    missing = [tool for tool in ("debootstrap", "systemd-nspawn") if not shutil.which(tool)]
    if os.geteuid() or missing:
        sys.exit(f"release-test needs {' and '.join(['root', *missing])}.")
    for suite in args.suites or SUITES:
        base = _base(suite, fresh=args.fresh)
        print(f"Debian {suite}:", flush=True)
        from_a_card(_copy(base, suite))
        from_a_package(_copy(base, suite))
        on_arm(suite, fresh=args.fresh)
    print(f"release-test: {', '.join(args.suites or SUITES)}: passed")


if __name__ == "__main__":
    main()
