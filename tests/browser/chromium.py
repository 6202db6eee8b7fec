"""Which Chromium the tests start, and how."""

from __future__ import annotations

import shutil
from typing import Final

from playwright.sync_api import Browser, Playwright

from tests.browser.daemons import LAN_NAME, LOOPBACK

# Chromium's own services would show up as requests to elsewhere.
_FLAGS: Final = (
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
# A condition that is not met by then is not going to be.
PATIENCE_MS: Final = 120_000


def launch_chromium(playwright: Playwright) -> Browser:
    """Starts Chromium's headless shell, or Chromium where the system has no such package.

    The shell opens a page in a tenth of the processor time, because it draws no window round it.
    """
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    assert path, "Chromium is not installed; .ci/setup test installs it"
    return playwright.chromium.launch(executable_path=path, args=list(_FLAGS), timeout=PATIENCE_MS)
