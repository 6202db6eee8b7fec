"""A browser, a daemon for each test, and windows in which any complaint is a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.chromium import PATIENCE_MS, launch_chromium
from tests.browser.daemons import LOOPBACK, Daemon
from tests.browser.watch import Watch
from tests.browser.window import Window
from tests.forked import share_fork_server
from tests.leak_check import leak_check

__all__ = ["leak_check", "share_fork_server"]

PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
KINDS: Final = {"phone": PHONE, "desktop": DESKTOP}


OpenWindow = Callable[..., Window]


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of this folder.

    Playwright keeps an event loop in this thread as long as it runs, so it ends before the tests of
    other folders, which may need their own.
    """
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture
def watch() -> Watch:
    """The complaints of pages; each window checks them at its end."""
    return Watch()


@pytest.fixture
def make_daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Starts daemons, which end with the test and must not have complained."""
    made: list[Daemon] = []

    def make(*options: str, **how: Any) -> Daemon:
        folder = tmp_path / f"home{len(made) + 1}"
        folder.mkdir()
        daemon = Daemon(folder, *options, **how)
        made.append(daemon)
        daemon.start()
        return daemon

    yield make
    for daemon in made:
        daemon.stop()
    complaints = [line for daemon in made for line in daemon.complaints]
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon with an empty ledger, on loopback."""
    return make_daemon()


@pytest.fixture
def open_window(
    chromium: Browser, make_daemon: Callable[..., Daemon], watch: Watch
) -> Iterator[OpenWindow]:
    """Opens windows on a daemon, each with its own cookies, and closes them.

    Without a path the window is empty at first.
    """
    contexts: list[BrowserContext] = []

    def open_(
        daemon: Daemon,
        kind: str = "desktop",
        *,
        host: str = LOOPBACK,
        path: str | None = "/",
        **how: Any,
    ) -> Window:
        context = chromium.new_context(**{"reduced_motion": "reduce", **KINDS[kind], **how})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        watch.follow(page)
        window = Window(page, daemon, watch, host=host, touch=kind == "phone")
        if path is not None:
            window.open(path)
        return window

    yield open_
    # Let whatever is still on its way arrive before the windows close.
    for context in contexts:
        for page in context.pages:
            page.evaluate("0")
    watch.close()
    for context in contexts:
        context.close()
    assert not watch.complaints, "\n".join(watch.complaints)
