"""The line over Wi-Fi of a board in this process, whose network cannot be joined."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import Any

import pytest


class Radio:
    """A radio that finds no network."""

    connected = False

    def __init__(self) -> None:
        self.tries = 0

    def connect(self, *_: object, timeout: float) -> None:
        self.tries += 1
        raise ConnectionError("No network")


def test_a_board_without_wifi_sends_nothing_and_pauses_before_it_joins_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    radio, clock = Radio(), SimpleNamespace(now_s=5.0)
    monkeypatch.setitem(sys.modules, "wifi", SimpleNamespace(radio=radio))
    sockets = SimpleNamespace(Socket=object, SocketPool=object)
    monkeypatch.setitem(sys.modules, "socketpool", sockets)
    monkeypatch.delitem(sys.modules, "firmware.wifi_line", raising=False)
    module: Any = importlib.import_module("firmware.wifi_line")
    monkeypatch.delitem(sys.modules, "firmware.wifi_line")
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now_s))
    line = module.WifiLine("poch", "secret night", bytes(32), 4000)
    seen = []
    for clock.now_s in (5.0, 5.1, 14.9, 15.0, 24.9, 25.0):
        assert not line.connected
        assert line.write(b"press") == 0
        seen.append(radio.tries)
    assert seen == [1, 1, 1, 2, 2, 3]
