"""The service: follows NetworkManager, opens and closes the machine's Wi-Fi, writes the state.

`Policy` says when to open it, and when to look for a known network again.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from pochboard.config import WifiTable
from pochboard.config_file import config_dir, data_dir, load_config
from pochboard.errors import PochboardError
from pochboard.text.encodings import written_text
from pochboard.text.lazy import os_reason
from pochboard.text.unicode_names import shown
from pochboard.wifi import FOLDER, WifiState, write_state

LOOK_AGAIN_S: Final = 600.0
"""How long the machine's own Wi-Fi stays open before known networks are looked for again.

A radio that is an access point cannot look for other networks, so the Wi-Fi is closed for that.
"""


class Seen(msgspec.Struct, frozen=True):
    """What NetworkManager reports, and whether a phone has the page open."""

    radio: bool = True
    """Whether there is a Wi-Fi device that it manages."""
    own: bool = False
    """Whether the machine's own Wi-Fi is open."""
    linked: bool = False
    """Whether another network is connected, by Wi-Fi or cable."""
    joining: bool = False
    used: bool = False


class Policy:
    """Decides by what is seen and by the time that the caller passes."""

    def __init__(self, wait_s: float) -> None:
        """`wait_s` is how long a known network may take to appear."""
        self._wait_s = wait_s
        self._alone_s: float | None = None
        """Since when no network has been connected."""
        self._unused_s: float | None = None
        """Since when nobody has used the machine's own Wi-Fi."""

    def decide(
        self, seen: Seen, now_s: float
    ) -> tuple[Literal["open", "close"] | None, float | None]:
        """What to do now, or when something is due if nothing changes; None if nothing is."""
        if not seen.own:
            self._unused_s = None
        elif self._unused_s is None or seen.used:
            self._unused_s = now_s
        if seen.own or seen.linked or not seen.radio:
            self._alone_s = None
        elif self._alone_s is None:
            self._alone_s = now_s
        if self._unused_s is not None:
            # With a cable plugged in, phones also reach the board through the house's network.
            due_s = self._unused_s + (0.0 if seen.linked and not seen.used else LOOK_AGAIN_S)
        elif self._alone_s is not None:
            # A wrong password may keep it connecting for ever.
            due_s = self._alone_s + (2 if seen.joining else 1) * self._wait_s
        else:
            return None, None
        if now_s < due_s:
            return None, due_s
        if seen.own:
            return "close", now_s
        # If it cannot be opened, try again after the same time.
        self._alone_s = now_s
        return "open", now_s


POLL_S: Final = 30.0
"""How often to check whether phones use the machine's own Wi-Fi."""
SETTLE_S: Final = 1.0
"""A change comes as several lines of `nmcli monitor` in quick succession."""
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""The characters of a password, without those that look alike. Ten of them have 49 bits."""
_WPA_LENGTHS: Final = range(8, 64)
"""How long a WPA password may be."""
_ESTABLISHED: Final = "01"
_LOOPBACK: Final = (
    "0100007F",
    "00000000000000000000000001000000",
    "0000000000000000FFFF00000100007F",
)


def drawn_password(folder: Path) -> str:
    """The password generated at the first start; a new one if it is missing or invalid."""
    file = folder / "password"
    with contextlib.suppress(FileNotFoundError, UnicodeDecodeError):
        kept = written_text(file.read_bytes()).strip()
        if kept.isascii() and kept.isprintable() and len(kept) in _WPA_LENGTHS:
            return kept
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(10))
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as writing:
        writing.write(f"{drawn}\n")
    return drawn


def page_is_open(port: int, net: Path = Path("/proc/net")) -> bool:
    """Whether another machine is connected to this port: the page keeps a connection open."""
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for row in (net / name).read_text().splitlines()[1:]:
                _, local, remote, state, *_ = row.split()
                ours = int(local.rpartition(":")[2], 16) == port and state == _ESTABLISHED
                if ours and remote.rpartition(":")[0] not in _LOOPBACK:
                    return True
    return False


class WifiService:
    """Keeps the machine reachable. `run` returns when NetworkManager ends."""

    def __init__(
        self,
        table: WifiTable,
        *,
        nmcli: Nmcli,
        state: Path,
        kept: Path,
        used: Callable[[], bool],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`state` and `kept` are the folders of the state and of the password."""
        self._table = table
        self._nmcli = nmcli
        self._state = state
        self._used = used
        self._now_s = now_s
        self._password = "" if table.open else table.password or drawn_password(kept)
        self._policy = Policy(table.wait_s)
        self._shown: WifiState | None = None

    def run(self) -> None:
        """Follows the changes until NetworkManager ends. Raises WifiError."""
        monitor = self._nmcli.monitor()
        assert monitor.stdout is not None
        lines = monitor.stdout.fileno()
        try:
            while True:
                wait_s = self.step()
                changed, _, _ = select.select([lines], [], [], wait_s)
                if changed:
                    if not os.read(lines, 65_536):
                        raise WifiError("NetworkManager has ended.")
                    time.sleep(SETTLE_S)
        finally:
            monitor.terminate()
            monitor.stdout.close()
            monitor.wait()

    def step(self) -> float | None:
        """Does what is due; returns the seconds until the next step. Raises WifiError."""
        devices = self._nmcli.devices()
        own = next((each for each in devices if each.is_connected and each.is_own), None)
        # Other kinds of devices are bridges, tunnels and such.
        links = [each for each in devices if each.kind in ("wifi", "ethernet")]
        joined = (each for each in links if each.is_connected and not each.is_own)
        house = next((each.connection for each in joined), "")
        state = WifiState(
            mode="own" if own else "joined" if house else "none",
            network="" if own else house,
            name=self._table.name,
            password=self._password,
            address=self._nmcli.address(own.name) if own else "",
        )
        if state != self._shown:
            self._shown = state
            write_state(self._state, state)
        if not self._table.own:
            return None
        seen = Seen(
            radio=any(each.kind == "wifi" and each.state != "unmanaged" for each in devices),
            own=own is not None,
            linked=bool(house),
            joining=any(each.state.startswith("connecting") for each in links),
            used=own is not None and self._used(),
        )
        action, due_s = self._policy.decide(seen, self._now_s())
        if action is None:
            return None if due_s is None else min(POLL_S, max(0.0, due_s - self._now_s()))
        try:
            if action == "open":
                _say(f"No known network was found. Opening the Wi-Fi {self._table.name}.")
                self._nmcli.save_profile(self._table.name, self._password)
                self._nmcli.open()
            else:
                _say("Looking for a known network again.")
                self._nmcli.close()
        except WifiError as error:
            _say(f"NetworkManager refused that: {error}")
        return 0.0


def _say(text: str) -> None:
    print(shown(text))  # noqa: T201 - the journal reads it


PROFILE: Final = "pochboard"
"""The name of the profile of the machine's own Wi-Fi."""
OWN_ADDRESS: Final = "10.42.0.1"
"""The address of the machine in its own Wi-Fi."""
_TIMEOUT_S: Final = 60.0


class WifiError(PochboardError):
    """NetworkManager has refused something, or does not run."""


class Device(NamedTuple):
    """A network device."""

    name: str
    kind: str
    """`wifi`, `ethernet`, …"""
    state: str
    """`connected`, `connecting (…)`, `disconnected`, `unavailable` or `unmanaged`."""
    connection: str
    """The name of the active profile; empty if there is none."""

    @property
    def is_connected(self) -> bool:
        """Whether a profile is active on it."""
        return self.state.startswith("connected")

    @property
    def is_own(self) -> bool:
        """Whether this is the profile of the machine's own Wi-Fi."""
        return self.connection == PROFILE


def _fields(line: str) -> list[str]:
    """The fields of a terse line: between colons, each colon within a field after a backslash."""
    parts = re.findall(r"(?:^|:)((?:[^:\\]|\\.)*)", line)
    return [re.sub(r"\\(.)", r"\1", part) for part in parts]


class Nmcli:
    """Runs `nmcli`."""

    def __init__(self, program: Sequence[str] = ("nmcli",)) -> None:
        self._program = tuple(program)

    def devices(self) -> list[Device]:
        """All network devices. Raises WifiError."""
        fields = "DEVICE,TYPE,STATE,CONNECTION"
        rows = map(_fields, self._run("--terse", "--fields", fields, "device").splitlines())
        return [Device(*row) for row in rows if len(row) == 4]

    def save_profile(self, name: str, password: str) -> None:
        """Replaces the profile of the machine's own Wi-Fi. Raises WifiError.

        Without a password the Wi-Fi is open.
        """
        settings = {
            "connection.autoconnect": "no",
            "802-11-wireless.ssid": name,
            "802-11-wireless.mode": "ap",
            "802-11-wireless.band": "bg",
            # Gives addresses to the phones.
            "ipv4.method": "shared",
            "ipv4.addresses": f"{OWN_ADDRESS}/24",
            "ipv6.method": "disabled",
        }
        if password:
            settings |= {
                "802-11-wireless-security.key-mgmt": "wpa-psk",
                "802-11-wireless-security.proto": "rsn",
                "802-11-wireless-security.pairwise": "ccmp",
                "802-11-wireless-security.psk": password,
                # Protected management frames are optional by default, which the radio of a Pi
                # announces and does not do in this mode: no phone gets in (systemd/README.md).
                "802-11-wireless-security.pmf": "disable",
            }
        words = [word for setting in settings.items() for word in setting]
        known = self._run("--terse", "--fields", "NAME,TYPE", "connection", "show").splitlines()
        if any(_fields(line)[0] == PROFILE for line in known):
            # Not changed: it may have a password, and its security cannot be taken away.
            self._run("connection", "delete", PROFILE)
        kind = ("type", "wifi", "con-name", PROFILE, "ifname", "*", "ssid", name)
        self._run("connection", "add", *kind, "--", *words)

    def open(self) -> None:
        """Opens the machine's own Wi-Fi. Raises WifiError."""
        self._run("radio", "wifi", "on")
        self._run("--wait", "30", "connection", "up", PROFILE)

    def close(self) -> None:
        """Closes it; NetworkManager then joins a known network if it can. Raises WifiError."""
        self._run("--wait", "30", "connection", "down", PROFILE)

    def address(self, device: str) -> str:
        """The first IPv4 address of a device; empty if it has none. Raises WifiError."""
        address = self._run("--get-values", "IP4.ADDRESS", "device", "show", device)
        return address.partition("|")[0].partition("/")[0].strip()

    def monitor(self) -> subprocess.Popen[bytes]:
        """A process that prints a line for each change. Raises WifiError."""
        try:
            words = (*self._program, "monitor")
            return subprocess.Popen(words, stdout=subprocess.PIPE)  # noqa: S603 - fixed words
        except OSError as error:
            raise WifiError(f"nmcli cannot be run: {os_reason(error)}.") from None

    def _run(self, *words: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - no shell
                [*self._program, *words],
                check=False,
                capture_output=True,
                encoding="utf-8",
                errors="replace",  # the names of networks are any bytes
                timeout=_TIMEOUT_S,
            )
        except OSError as error:
            raise WifiError(f"nmcli cannot be run: {os_reason(error)}.") from None
        except subprocess.TimeoutExpired:
            raise WifiError("NetworkManager does not respond.") from None
        if done.returncode:
            reason = (done.stderr or done.stdout).strip().removeprefix("Error: ")
            raise WifiError(reason or f"nmcli has failed with status {done.returncode}.")
        return done.stdout


def main() -> None:
    """Runs in the folders that systemd gives it until NetworkManager ends, then is restarted."""
    try:
        config = load_config(config_dir(), data_dir())
        WifiService(
            config.wifi,
            nmcli=Nmcli(),
            state=Path(os.environ.get("RUNTIME_DIRECTORY", str(FOLDER))),
            kept=Path(os.environ.get("STATE_DIRECTORY", "/var/lib/pochboard-wifi")),
            used=lambda: page_is_open(config.port),
        ).run()
    except (PochboardError, OSError) as error:
        print(f"pochboard-wifi: {shown(str(error))}", file=sys.stderr)  # noqa: T201 - no other output
        sys.exit(1)


if __name__ == "__main__":
    main()
