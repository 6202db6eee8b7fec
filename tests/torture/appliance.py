"""The service as a family uses it, under a real systemd on Debian bookworm and trixie.

First boot by cloud-init, power cuts, switching off at the board, updating and removing, house
rulesets, the limits of the unit, and the Pi's own Wi-Fi with a real NetworkManager.

As root: python -m tests.torture.appliance.

What this cannot show is listed in systemd/README.md: there is no radio, no config.txt that
is read, and no GPIO.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.torture.machine import (
    PATH,
    ROOT,
    SUITES,
    UNIT,
    Machine,
    make_root,
    run,
    skip_unless_possible,
    wait_for,
)

SETTINGS: Final = "etc/pochboard/config.toml"
SEED: Final = "var/lib/cloud/seed/nocloud"
CONFIG: Final = '# "böse" Zeichen\nboard = "pico"\nplaces = 6\n\n[pico]\n\torder = "RGB"\n'
HOUSE: Final = "Bei Oma"
HOUSE_FILE: Final = "etc/pochboard/rulesets/bei-oma.toml"
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
PORTAL_PROGRAM: Final = """
import http.client
phone = http.client.HTTPConnection("10.42.0.1", timeout=60)
phone.request("GET", "/generate_204")
answer = phone.getresponse()
print(answer.status, answer.getheader("Location"))
"""
SWITCHED_OFF: Final = "[Service]\nType=exec\nExecStart=\nExecStart=/bin/sh -c 'sleep 1; exit 83'\n"


def the_debian_package_installs_and_leaves_nothing(root: Path) -> None:
    """Installed, installed again as an update does, removed, and purged."""
    run(ROOT / ".ci/deb", root / "srv", cwd=ROOT)
    (package,) = (root / "srv").glob("pochboard_*.deb")

    def within(*words: str) -> str:
        return run("chroot", root, "env", "-i", PATH, "DEBIAN_FRONTEND=noninteractive", *words)

    for _ in range(2):
        within("dpkg", "--install", f"/srv/{package.name}")
        assert within("systemctl", "is-enabled", UNIT) == "enabled\n"
        assert within("/usr/local/bin/pochboard", "--version").startswith("pochboard, version")
    within("dpkg", "--remove", "pochboard")
    assert "pochboard:" in (root / "etc/passwd").read_text(), "its nights are kept"
    within("dpkg", "--purge", "pochboard")
    assert "pochboard" not in (root / "etc/passwd").read_text()
    package.unlink()
    left = run("find", root, "-xdev", "-name", "*pochboard*", "-not", "-path", f"{root}/src/*")
    assert [name for name in left.splitlines() if "/wheels/" not in name] == []
    print("  Debian package: installed, updated, removed and purged", flush=True)


def prepare_first_boot(root: Path) -> None:
    """Puts the user-data where cloud-init finds it, after its schema was checked."""
    seed = root / SEED
    seed.mkdir(parents=True)
    made = seed / "made"
    config = seed / "my.toml"
    config.write_text(CONFIG)
    card = (Path(sys.executable).with_name("pochboard"), "card", "--timezone", "Europe/Vienna")
    run(*card, "--config", config, "--out", made, cwd=ROOT)
    shutil.copy(made / "user-data", seed)
    (seed / "meta-data").write_text("instance-id: first-boot\n")
    # As in Raspberry Pi OS.
    (root / "etc/cloud/cloud.cfg.d/99-nocloud.cfg").write_text("datasource_list: [NoCloud, None]\n")
    schema = ("cloud-init", "schema", "--config-file", f"/{SEED}/user-data")
    assert "Valid" in run("chroot", root, "env", "-i", PATH, *schema)


def first_boot_installs_it(machine: Machine, root: Path) -> None:
    """cloud-init installs the program from the user-data alone; the machine restarts into it."""
    wait_for("it restarts, which ends this container", machine.has_ended)
    assert not (root / "var/lib/pochboard-first-boot").exists()
    assert not (root / "etc/systemd/system/pochboard-first-boot.service").exists()
    assert (root / "etc/hostname").read_text() == "pochboard\n"
    assert "dtoverlay=gpio-shutdown" in (root / "boot/firmware/config.txt").read_text()
    assert (root / SETTINGS).read_text() == CONFIG
    assert (root / "etc/localtime").readlink().match("*/Europe/Vienna")
    print("  first boot: cloud-init installs it, and restarts into it", flush=True)


def no_network_is_waited_for(machine: Machine) -> None:
    """The service is up although there is no network, and says so."""
    wait_for("the service is up", machine.daemon)
    # Others of the system may wait for it, such as the update of the packages.
    for kind in ("After", "Wants", "Requires"):
        assert "network-online.target" not in machine.unit(kind).split(), kind
    wait_for("it says so", lambda: "There is no network yet." in machine.journal())
    chain = machine.run("systemd-analyze", "critical-chain", "--no-pager", UNIT)
    assert "network" not in chain, chain
    status = machine.run("pochboard", "status")
    assert "Page:    http://pochboard.local:8441" in status, status
    print("  without a network: the service is up", flush=True)


def the_doctor_sees_the_limits(machine: Machine, root: Path) -> None:
    """A port that the unit forbids is named by the doctor, although root may open it."""
    port = "/dev/ttyACM0"
    # There is no driver of a Pico's port here. A port of another class is forbidden in the same way
    # as that of a Pico was while its driver was not loaded.
    machine.run("mknod", port, "c", "4", "64")
    machine.run("chgrp", "dialout", port)
    machine.run("chmod", "660", port)
    closed = ("systemd-run", "--quiet", "--wait", "--pipe", "--property=DevicePolicy=closed")
    if machine.run(*closed, "sh", "-c", f": <{port} && echo opened").strip() == "opened":
        machine.run("rm", port)
        print("  doctor: SKIPPED, because this machine's kernel forbids no device", flush=True)
        return
    (root / SETTINGS).write_text(f'board = "pico"\n[pico]\nport = "{port}"\n')
    machine.run("systemctl", "stop", UNIT)
    said = machine.run("pochboard", "doctor")
    assert f"The service is not permitted to use {port}" in said, said
    assert "sudo systemctl restart pochboard" in said, said
    machine.run("rm", port)
    print("  doctor: looks from within the limits of the unit", flush=True)


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
    pmf = machine.run(
        "nmcli", "-g", "802-11-wireless-security.pmf", "connection", "show", "pochboard"
    )
    assert "disable" in pmf or pmf.strip() == "1", pmf
    # The address is there once the Wi-Fi is open; the socket waits for it.
    machine.run("ip", "address", "add", "10.42.0.1/24", "dev", "lo")
    redirect = machine.run("python3", "-c", PORTAL_PROGRAM)
    assert redirect == "302 http://10.42.0.1/\n", redirect
    print("  Wi-Fi: its service may make the profile, the daemon may not", flush=True)


def a_house_ruleset_is_saved(machine: Machine, root: Path) -> None:
    """As from the page: the daemon may write it, and nothing else of the configuration."""
    body = {"name": HOUSE, "base": "modern", "options": {"ante": 2}}
    saved = machine.ask("/api/rulesets", body)
    assert HOUSE in {ruleset["name"] for ruleset in saved["rulesets"]}, saved
    assert "ante = 2" in (root / HOUSE_FILE).read_text()
    settings, rulesets = (root / SETTINGS).parent, (root / HOUSE_FILE).parent
    owner = f"pochboard:x:{rulesets.stat().st_uid}:"
    assert owner in (root / "etc/passwd").read_text(), owner
    assert (settings.stat().st_uid, (root / SETTINGS).stat().st_uid) == (0, 0)
    print("  house rulesets: the daemon saves them", flush=True)


def start_night(machine: Machine, root: Path) -> int:
    """Plays a little on the simulated board, which this machine may do unpaired."""
    (root / SETTINGS).write_text('board = "simulator"\n')
    machine.run("systemctl", "restart", UNIT)
    wait_for("it answers", lambda: machine.ask("/api/state"))
    a_house_ruleset_is_saved(machine, root)
    players = ["Anna", "Ben", "Clara"]
    machine.ask("/api/commands", {"do": "start", "ruleset": HOUSE, "players": players})
    entry: int = machine.ask("/api/commands", {"do": "deal"})["entry"]
    return entry


def the_night_is_as_it_was(machine: Machine, entry: int, after: str) -> None:
    """The service has started by itself, and the night continues."""
    state = wait_for("it answers", lambda: machine.ask("/api/state"))
    assert (state["phase"], state["entry"]) == ("meld", entry), state
    listed = machine.ask("/api/rulesets")
    assert HOUSE in {ruleset["name"] for ruleset in listed["rulesets"]}, listed["problems"]
    print(f"  {after}: the night is as it was", flush=True)


def update(machine: Machine) -> None:
    """The script again, on the running machine."""
    before = machine.daemon()
    said = machine.run("/src/systemd/install.sh", "--no-packages")
    assert "Installed and started." in said, said
    assert "Changed" not in said.replace("Changed /boot/firmware/config.txt", "", 1), said
    wait_for("it is another process", lambda: machine.daemon() not in (0, before))


def status_83_powers_off(machine: Machine, root: Path) -> None:
    """What the daemon does after the gesture at the board; see test_daemon_pico.py for that."""
    folder = root / "etc/systemd/system/pochboard.service.d"
    folder.mkdir()
    (folder / "test.conf").write_text(SWITCHED_OFF)
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "--no-block", UNIT)
    wait_for("the machine is off", machine.has_ended)
    (folder / "test.conf").unlink()
    folder.rmdir()
    print("  status 83: the machine is off", flush=True)


def nothing_stays_after_uninstalling(machine: Machine, root: Path) -> None:
    """Neither files nor users nor lines of config.txt."""
    said = machine.run("/src/systemd/install.sh", "--uninstall", "--purge")
    assert said.endswith("Removed.\n"), said
    left = run("find", root, "-xdev", "-name", "*pochboard*", "-not", "-path", f"{root}/src/*")
    kept = [name for name in left.splitlines() if "/wheels/" not in name and SEED not in name]
    assert kept == [], kept
    assert "pochboard" not in (root / "etc/passwd").read_text()
    assert (root / "boot/firmware/config.txt").read_text() == "dtparam=audio=on\n"
    assert machine.run("systemctl", "is-active", UNIT).strip() in ("inactive", "unknown")
    print("  uninstalled: nothing is left", flush=True)


def one_release(root: Path, log: Path) -> None:
    """Boots a fresh root several times. Raises AssertionError."""
    the_debian_package_installs_and_leaves_nothing(root)
    prepare_first_boot(root)
    with machine_on(root, log) as machine:
        first_boot_installs_it(machine, root)
    with machine_on(root, log) as machine:
        no_network_is_waited_for(machine)
        the_wifi_service_may_change_the_network_and_the_daemon_may_not(machine)
        the_doctor_sees_the_limits(machine, root)
        entry = start_night(machine, root)
        machine.cut_power()
    with machine_on(root, log) as machine:
        the_night_is_as_it_was(machine, entry, "after a power cut")
        update(machine)
        the_night_is_as_it_was(machine, entry, "after an update")
        status_83_powers_off(machine, root)
    with machine_on(root, log) as machine:
        the_night_is_as_it_was(machine, entry, "switched on again")
        nothing_stays_after_uninstalling(machine, root)


@contextlib.contextmanager
def machine_on(root: Path, log: Path) -> Iterator[Machine]:
    """A machine that is off in the end. After an error, prints what it said."""
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


def main() -> None:
    """Runs all of it on each release, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", help="ignored: nothing here is random")
    parser.add_argument("--fresh", action="store_true", help="make the Debian roots again")
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; else all")
    args = parser.parse_args()
    skip_unless_possible("appliance")
    with tempfile.TemporaryDirectory() as folder:
        for suite in args.suites or SUITES:
            root = make_root(suite, fresh=args.fresh)
            print(f"Debian {suite}:", flush=True)
            one_release(root, Path(folder, "console.txt"))
    print(f"appliance: {', '.join(args.suites or SUITES)}: passed")


if __name__ == "__main__":
    main()
