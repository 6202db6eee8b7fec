"""The machine's own Wi-Fi where no known network is found, through NetworkManager's `nmcli`.

`service` is a process of its own, because the daemon, which phones talk to, must not be able to
change the network. The daemon and the command line only read the state that it writes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, Literal

import msgspec

from pochboard.text.decoding import decode_json

FOLDER: Final = Path("/run/pochboard-wifi")
"""The runtime folder of the service."""
FILE: Final = "state.json"


class WifiState(msgspec.Struct, frozen=True, kw_only=True):
    """How this machine is connected."""

    mode: Literal["none", "joined", "own"]
    """`joined`: to a network of the house, by Wi-Fi or cable; `own`: phones join this machine's."""
    network: str = ""
    """The network of the house that it has joined."""
    name: str
    """The name of the machine's own Wi-Fi, whether it is open or not."""
    password: str
    """Its password; empty if it is open to everybody."""
    address: str = ""
    """This machine's address in its own Wi-Fi, while that is open."""

    @property
    def qr_text(self) -> str:
        """What a QR code has to contain so that a phone joins the machine's own Wi-Fi."""
        if not self.password:
            return f"WIFI:T:nopass;S:{_escaped(self.name)};;"
        return f"WIFI:T:WPA;S:{_escaped(self.name)};P:{_escaped(self.password)};;"


def _escaped(text: str) -> str:
    """Text in the format that phones read, with its special characters escaped."""
    return re.sub(r'([\\;,":])', r"\\\1", text)


def write_state(folder: Path, state: WifiState) -> None:
    """Replaces the state. Only its owner and group may read it, because it has the password."""
    new = folder / f"{FILE}.new"
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as file:
        file.write(msgspec.json.encode(state))
    new.replace(folder / FILE)


def read_state(folder: Path = FOLDER) -> WifiState | None:
    """The state; None if the service is not running, or this user may not read it."""
    try:
        return decode_json((folder / FILE).read_bytes(), WifiState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
