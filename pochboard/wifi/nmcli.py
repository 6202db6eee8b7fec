"""NetworkManager's command line: what is connected, and the profile of the machine's own Wi-Fi."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from typing import Final, NamedTuple

from pochboard.errors import PochboardError
from pochboard.text.lazy import os_reason

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


def parse_devices(text: str) -> list[Device]:
    """The devices of `nmcli --terse --fields DEVICE,TYPE,STATE,CONNECTION device`."""
    rows = [_fields(line) for line in text.splitlines()]
    return [Device(*row) for row in rows if len(row) == 4]


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
        return parse_devices(self._run("--terse", "--fields", fields, "device"))

    def save_profile(self, name: str, password: str) -> None:
        """Makes or changes the profile of the machine's own Wi-Fi. Raises WifiError.

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
        exists = any(_fields(line)[0] == PROFILE for line in known)
        if exists and not password:
            # It may have been made with one, and its security cannot be taken away.
            self._run("connection", "delete", PROFILE)
            exists = False
        if exists:
            self._run("connection", "modify", PROFILE, *words)
        else:
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
