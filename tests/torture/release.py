"""The Debian package as a family gets it: installed, played with, upgraded, removed and purged.

On Debian bookworm and trixie, for this machine's processor under a real systemd, and for arm64 in
a changed root where the kernel runs its programs with qemu-user. Nothing else was tried on ARM.

As root: python -m tests.torture.release.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import pochboard
from pochboard.sheets.lines import DoLine, read_sheet
from tests.torture.appliance import machine_on
from tests.torture.machine import (
    FOLDER,
    PATH,
    ROOT,
    SUITES,
    Machine,
    make_root,
    run,
    skip_unless_possible,
    wait_for,
)

SHEET: Final = ROOT / "tests/nights/banker-a.jsonl"
QEMU: Final = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
LEDGER: Final = "var/lib/pochboard/ledger.db"


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


def add_wheels(root: Path, suite: str, *platform: str) -> None:
    """What the service needs, so that it is installed without a network."""
    run(
        *(sys.executable, "-m", "pip", "download", "--quiet", "--require-hashes"),
        *("--dest", root / "wheels", "--only-binary=:all:", "--python-version", SUITES[suite]),
        *platform,
        *("--requirement", ROOT / "constraints/run.txt"),
    )
    (root / "etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")


def within(root: Path, *words: str) -> str:
    return run("chroot", root, "env", "-i", PATH, "DEBIAN_FRONTEND=noninteractive", *words)


def inside(machine: Machine, command: str) -> str:
    """All that a command says in a running machine, without the variables of this one."""
    return machine.run("env", "-i", f"{PATH}:/usr/local/bin", "sh", "-c", f"{command} 2>&1")


def state(machine: Machine) -> dict[str, Any]:
    """What the page is told, once the daemon serves."""
    found = wait_for("the daemon serves", lambda: machine.ask("/api/state"))
    return {key: found[key] for key in ("phase", "deal", "stacks", "pools")}


def a_deal_is_played(machine: Machine) -> None:
    """The first deal of a sheet, command by command."""
    state(machine)
    for line in read_sheet(SHEET.read_bytes()):
        if isinstance(line, DoLine):
            assert machine.ask("/api/commands", line.command), line
            now = state(machine)
            if (now["phase"], now["deal"]) == ("idle", 1):
                return
    raise AssertionError("the sheet ends within its first deal")


def installed_played_upgraded_and_removed(root: Path, log: Path) -> None:
    """The whole life of a package under systemd."""
    old, new = packages(root / "srv")
    within(root, "dpkg", "--install", f"/srv/{old}")
    with machine_on(root, log) as machine:
        a_deal_is_played(machine)
        before = state(machine)
        inside(machine, f"dpkg --install /srv/{new}")
        assert "+newer" in inside(machine, "dpkg-query --show pochboard")
        assert state(machine) == before, "after an upgrade"
        inside(machine, "cd /opt/pochboard/.venv/lib && mv python3* python3.0")
        broken = inside(machine, "pochboard --version")
        assert "sudo bash /opt/pochboard/src/systemd/install.sh" in broken, broken
        inside(machine, "dpkg-trigger --by-package=python3-minimal /usr/bin/python3")
        said = inside(machine, "dpkg --configure --pending")
        assert inside(machine, "pochboard --version").startswith("pochboard, version"), said
        inside(machine, "systemctl restart pochboard")
        assert state(machine) == before, "after another Python"
        inside(machine, "dpkg --remove pochboard")
        assert (root / LEDGER).exists()
        said = inside(machine, "dpkg --purge pochboard")
        assert "Deleted the ledger" in said, said
        assert not (root / LEDGER).parent.exists()
    print("  installed, a deal played, upgraded, another Python, removed, purged", flush=True)


def on_arm(suite: str) -> None:
    """Installed from the package on arm64, as far as a changed root goes."""
    base, root = FOLDER / f"{suite}-arm64", FOLDER / f"{suite}-arm64-run"
    if not (base / "made").exists():
        shutil.rmtree(base, ignore_errors=True)
        include = "--include=systemd,python3,python3-venv,ca-certificates"
        run("debootstrap", "--arch=arm64", "--variant=minbase", include, suite, base)
        (base / "made").touch()
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "-a", base, root)
    platform = "--platform=manylinux_2_28_aarch64", "--platform=manylinux2014_aarch64"
    add_wheels(root, suite, *platform)
    old, new = packages(root / "srv")
    shutil.copy(SHEET, root / "srv/sheet.jsonl")
    for package in (old, new):
        within(root, "dpkg", "--install", f"/srv/{package}")
        within(root, "pochboard", "check", "/srv/sheet.jsonl")
        assert within(root, "pochboard", "--version").startswith("pochboard, version")
    within(root, "dpkg", "--purge", "pochboard")
    print("  arm64: installed, upgraded, purged", flush=True)


def main() -> None:
    """Runs all of it on each release, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="make the Debian roots again")
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; else all")
    args = parser.parse_args()
    skip_unless_possible("release-test")
    with tempfile.TemporaryDirectory() as folder:
        for suite in args.suites or SUITES:
            root = make_root(suite, fresh=args.fresh)
            add_wheels(root, suite)
            print(f"Debian {suite}:", flush=True)
            installed_played_upgraded_and_removed(root, Path(folder, "console.txt"))
            if QEMU.exists():
                on_arm(suite)
            else:
                print("  arm64: not tried; it needs binfmt_misc and qemu-user-static", flush=True)
    print(f"release-test: {', '.join(args.suites or SUITES)}: passed")


if __name__ == "__main__":
    main()
