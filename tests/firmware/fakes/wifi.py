"""The Wi-Fi of a Pico W: one network, whose password is "secret night"."""

from __future__ import annotations


class Radio:
    connected = False
    ipv4_address = "127.0.0.1"

    def connect(self, ssid: str, password: str = "", *, timeout: float | None = None) -> None:
        if (ssid, password) != ("poch", "secret night"):
            raise ConnectionError("Authentication failure" if ssid == "poch" else "No network")
        self.connected = True


radio = Radio()
