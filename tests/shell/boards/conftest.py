"""The tests of all boards, on a machine that may be busy."""

from __future__ import annotations

import pytest

from tests.shell.boards.pico_rig import wait_longer


@pytest.fixture(autouse=True)
def patient_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts wait longer for a board on USB than they do by default."""
    wait_longer(monkeypatch)
