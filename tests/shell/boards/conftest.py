"""The tests of all boards, on a machine that may be busy."""

from __future__ import annotations

import importlib

import pytest

from tests.shell.boards.pico_rig import wait_longer


@pytest.fixture(autouse=True)
def patient_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts wait longer for a board on USB than they do by default."""
    wait_longer(monkeypatch)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bytes sent on the pin of the pixels."""
    # The rig tells Blinka that this is no Pi, which must be known before it is imported.
    importlib.import_module("tests.shell.boards.gpio_rig")
    import neopixel

    data: list[bytes] = []
    monkeypatch.setattr(neopixel, "neopixel_write", lambda pin, buffer: data.append(bytes(buffer)))
    return data
