"""The machine's own Wi-Fi: when it opens and closes, and the commands to NetworkManager.

`make release-test` runs the same service against a real nmcli; here a program stands in for it,
which answers as nmcli 1.42 does and keeps what it was told.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import cast

import pytest

from pochboard.config import Config, WifiTable
from pochboard.daemon import daemon
from pochboard.server.context import Context, Reach
from pochboard.wifi import WifiState, read_state, write_state
from pochboard.wifi.service import (
    LOOK_AGAIN_S,
    Nmcli,
    Policy,
    Seen,
    WifiService,
    drawn_password,
    page_is_open,
)
from tests.shell.server_kit import LONG_S, wait_until

ALONE = (
    "wlan0:wifi:disconnected:\nlo:loopback:connected (externally):lo\neth0:ethernet:unavailable:\n"
)
HOME = "wlan0:wifi:connected:Home\\: 2\nlo:loopback:connected (externally):lo\n"

NMCLI = """
import sys
from pathlib import Path

folder = Path(sys.argv[1])
words = sys.argv[2:]
with (folder / "told").open("a") as told:
    print(*words, file=told)
if (folder / "fails").exists() and "up" in words:
    sys.exit("Error: " + (folder / "fails").read_text())
if words[-1] == "device":
    print((folder / "devices").read_text(), end="")
elif words[-2:] == ["connection", "show"]:
    print("Home\\\\: 2:802-11-wireless\\nlo:loopback")
    if (folder / "profile").exists():
        print("pochboard:802-11-wireless")
elif words[:2] == ["connection", "add"]:
    (folder / "profile").touch()
elif words[:2] == ["connection", "delete"]:
    (folder / "profile").unlink()
elif words[-2:] == ["up", "pochboard"]:
    (folder / "devices").write_text("wlan0:wifi:connected:pochboard\\n")
elif words[-2:] == ["down", "pochboard"]:
    (folder / "devices").write_text("wlan0:wifi:disconnected:\\n")
elif "IP4.ADDRESS" in words:
    print("10.42.0.1/24")
"""


class Rig:
    """The service beside a stand-in for nmcli, with a clock that stands still."""

    def __init__(self, folder: Path, table: WifiTable | None = None) -> None:
        self.folder = folder
        self.now_s = 0.0
        self.used = False
        (folder / "nmcli.py").write_text(NMCLI)
        self.sees(ALONE)
        self.service = WifiService(
            table or WifiTable(),
            nmcli=Nmcli((sys.executable, "-S", str(folder / "nmcli.py"), str(folder))),
            state=folder,
            kept=folder,
            used=lambda: self.used,
            now_s=lambda: self.now_s,
        )

    def sees(self, devices: str) -> None:
        (self.folder / "devices").write_text(devices)

    def step(self, after_s: float = 0.0) -> float | None:
        self.now_s += after_s
        return self.service.step()

    @property
    def state(self) -> WifiState:
        state = read_state(self.folder)
        assert state is not None
        return state

    def mode(self) -> str:
        return self.state.mode

    def told(self) -> list[str]:
        lines = (self.folder / "told").read_text().splitlines()
        return [line for line in lines if not line.endswith("device")]


def test_without_a_known_network_it_opens_its_own_and_goes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = Rig(tmp_path)
    assert rig.step() == 30.0
    assert rig.mode() == "none"
    assert rig.step(44) == 1.0
    assert rig.step(1) == 0.0
    opening = "No known network was found. Opening the Wi-Fi pochboard.\n"
    assert capsys.readouterr().out == opening
    rig.step()
    password = rig.state.password
    assert len(password) == 10
    assert rig.state == WifiState(
        mode="own", name="pochboard", password=password, address="10.42.0.1"
    )
    add = next(line for line in rig.told() if line.startswith("connection add"))
    assert "type wifi con-name pochboard ifname * ssid pochboard --" in add
    for setting in (
        "connection.autoconnect no",
        "802-11-wireless.mode ap",
        "802-11-wireless-security.key-mgmt wpa-psk",
        f"802-11-wireless-security.psk {password}",
        "802-11-wireless-security.pmf disable",
        "ipv4.method shared",
        "ipv4.addresses 10.42.0.1/24",
    ):
        assert setting in add
    # While a phone has the page open, it stays.
    rig.used = True
    rig.step(LOOK_AGAIN_S)
    assert rig.mode() == "own"
    rig.used = False
    rig.step(LOOK_AGAIN_S - 1)
    assert capsys.readouterr().out == ""
    rig.step(1)
    assert capsys.readouterr().out == "Looking for a known network again.\n"
    rig.sees(HOME)
    assert rig.step(5) is None, "nothing is due until something changes"
    assert (rig.mode(), rig.state.network) == ("joined", "Home: 2")
    # The network is gone: it opens its own again, with the same password and the same profile.
    rig.sees(ALONE)
    rig.step()
    rig.step(45)
    rig.step()
    assert (rig.mode(), rig.state.password) == ("own", password)
    profiles = [line.split()[1] for line in rig.told() if line.startswith("connection ")]
    assert profiles == ["add", "delete", "add"]


def test_what_networkmanager_refuses_is_said_and_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rig = Rig(tmp_path)
    rig.step()
    (tmp_path / "fails").write_text("Not authorized to control networking.")
    assert rig.step(45) == 0.0
    refused = "NetworkManager refused that: Not authorized to control networking.\n"
    assert capsys.readouterr().out.endswith(f"Opening the Wi-Fi pochboard.\n{refused}")
    (tmp_path / "fails").unlink()
    assert rig.step() == 30.0
    rig.step(45)
    rig.step()
    assert rig.mode() == "own"


def test_the_service_follows_changes_and_ends_with_networkmanager(tmp_path: Path) -> None:
    """As systemd runs it, with a stand-in for nmcli on the path; the unit starts it again."""
    rig = Rig(tmp_path, WifiTable(own=False))
    nmcli = tmp_path / "bin" / "nmcli"
    nmcli.parent.mkdir()
    nmcli.write_text(
        f"#!/bin/sh\n[ $1 != monitor ] || exec cat {tmp_path}/changes\n"
        f'exec {sys.executable} -S {tmp_path}/nmcli.py {tmp_path} "$@"\n'
    )
    nmcli.chmod(0o755)
    os.mkfifo(tmp_path / "changes")
    (tmp_path / "pochboard").mkdir()
    (tmp_path / "pochboard" / "config.toml").write_text('[wifi]\nown = false\nname = "Stube"\n')
    with subprocess.Popen(
        [sys.executable, "-m", "pochboard.wifi.service"],
        env={
            "PATH": f"{nmcli.parent}:{os.environ['PATH']}",
            "XDG_CONFIG_HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path),
            "RUNTIME_DIRECTORY": str(tmp_path),
            "STATE_DIRECTORY": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as service:
        with (tmp_path / "changes").open("w") as changes:
            wait_until("it sees no network", lambda: read_state(tmp_path) is not None)
            assert (rig.state.mode, rig.state.name) == ("none", "Stube")
            rig.sees(HOME)
            changes.write("wlan0: connected\nConnectivity is now 'full'\n")
            changes.flush()
            wait_until("it sees the house's", lambda: rig.mode() == "joined")
            assert service.poll() is None
        assert service.wait(LONG_S) == 1
        assert service.communicate() == ("", "pochboard-wifi: NetworkManager has ended.\n")


def test_the_password_is_drawn_once_and_only_its_user_may_read_it(tmp_path: Path) -> None:
    drawn = drawn_password(tmp_path)
    assert drawn_password(tmp_path) == drawn
    assert stat.S_IMODE((tmp_path / "password").stat().st_mode) == 0o600
    umask = os.umask(0o027)
    try:
        write_state(tmp_path, WifiState(mode="none", name="pochboard", password=drawn))
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "state.json").stat().st_mode) == 0o640


@pytest.mark.parametrize("spoiled", [b"", b"pinke-1441\xff", b"pinke\x01-1441", b"pinke"])
def test_a_password_that_is_spoiled_is_drawn_again(tmp_path: Path, spoiled: bytes) -> None:
    (tmp_path / "password").write_bytes(spoiled)
    drawn = drawn_password(tmp_path)
    assert len(drawn) == 10
    assert drawn_password(tmp_path) == drawn


class Network:
    """A machine that gets addresses."""

    def __init__(self, config: Config, *reaches: Reach) -> None:
        self.config = config
        self._reaches = list(reaches)

    def reach(self) -> Reach:
        return self._reaches.pop(0) if len(self._reaches) > 1 else self._reaches[0]


def test_the_daemon_says_where_the_page_is_once_there_is_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daemon, "_ADDRESSES_S", 0.001)
    config = Config(data=tmp_path, host="0.0.0.0")
    named = Reach(["http://pochboard.local:8441"])
    own = WifiState(mode="own", name="pochboard", password="geheim12")
    opened = Reach([*named.urls, "http://10.42.0.1:8441"], own)
    stop, lines = threading.Event(), list[str]()

    def say(text: str) -> None:
        lines.append(text)
        if "▀" in text:
            stop.set()

    network = Network(config, named, named, opened)
    daemon.follow_addresses(cast("Context", network), say, stop)
    assert lines[:6] == [
        (
            "The table is set. There is no network yet. You can play at the board; the page's"
            " address will follow."
        ),
        "Ctrl-C stops it.",
        "The network has changed. Phones can join the Wi-Fi “pochboard”: sudo pochboard wifi",
        "Then open the page. Point a phone's camera at the code, or open one of these:",
        "  http://pochboard.local:8441",
        "  http://10.42.0.1:8441",
    ]
    assert "geheim12" not in "".join(lines)


@pytest.mark.parametrize(
    ("seen", "due_s"),
    [
        (Seen(), 45.0),
        (Seen(joining=True), 90.0),
        (Seen(linked=True), None),
        (Seen(radio=False), None),
        (Seen(own=True), LOOK_AGAIN_S),
        (Seen(own=True, linked=True), 0.0),
        (Seen(own=True, linked=True, used=True), LOOK_AGAIN_S),
    ],
)
def test_when_something_is_due(seen: Seen, due_s: float | None) -> None:
    assert Policy(45.0).decide(seen, 0.0)[1] == due_s


def test_a_page_is_open_while_another_machine_is_connected_to_the_port(tmp_path: Path) -> None:
    head = "  sl  local_address rem_address   st tx_queue\n"
    row = "   0: 01002A0A:20F9 {}:D2A4 {} 00000000:00000000 00:00000000 00000000  0 0 1\n"
    phone, loopback = "17002A0A", "0100007F"

    def opened(*rows: str) -> bool:
        (tmp_path / "tcp").write_text(head + "".join(rows))
        return page_is_open(8441, tmp_path)

    assert opened(row.format(phone, "01"))
    assert not opened(row.format(loopback, "01"))
    assert not opened(row.format(phone, "06"))
    assert not page_is_open(8442, tmp_path)
