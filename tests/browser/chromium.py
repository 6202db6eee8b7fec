"""Which Chromium the tests start, and how."""

from __future__ import annotations

import shutil
from typing import Final

from tests.browser.daemons import LAN_NAME, LOOPBACK

# Chromium's own services would show up as requests to elsewhere.
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {LAN_NAME} {LOOPBACK}",
)


def chromium_path() -> str:
    """Chromium's headless shell, or Chromium where the system has no such package.

    The shell opens a page in a tenth of the processor time, because it draws no window round it.
    """
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path, "Chromium is not installed; .ci/setup test installs it"
    return path
