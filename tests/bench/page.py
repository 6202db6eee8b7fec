"""The page of the table: its size, and how soon it can be used over a slow network."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright

from tests.bench.process import daemon, free_port, wait_for
from tests.bench.table import Row, say
from tests.browser.chromium import launch_chromium
from tests.browser.slow_link import slow_link

_ONE_WAY_S: Final = 0.2
_USABLE: Final = """() => {
  const button = document.querySelector("#controls button:not([disabled])");
  return button?.checkVisibility({visibilityProperty: true}) && performance.now();
}"""


def page_figures(folder: Path, times: int) -> list[Row]:
    """The size of the page, and when it can be used if a round trip takes 400 ms."""
    say(f"{times} first loads of the page")
    port = free_port()
    with daemon(folder, port), sync_playwright() as playwright:
        wait_for(port)
        browser = launch_chromium(playwright)
        weight, requests = _weight(browser, port)
        with slow_link(port, _ONE_WAY_S) as link:
            ready_ms = statistics.median(_usable_ms(browser, link.port) for _ in range(times))
        browser.close()
    return [
        Row("page, compressed", f"{weight / 1000:.1f} kB", "≤ 60 kB"),
        Row("requests of the page", str(requests), "≤ 12"),
        Row("page usable with 400 ms of round trip", f"{ready_ms / 1000:.2f} s", "≤ 1.5 s"),
    ]


def _weight(browser: Browser, port: int) -> tuple[int, int]:
    """Bytes as sent, headers too, and requests, of the first page in a browser that is new."""
    sent = 0
    requests: list[str] = []

    def weigh(event: dict[str, Any]) -> None:
        nonlocal sent
        sent += event["encodedDataLength"]

    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", weigh)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"http://localhost:{port}/")
    page.wait_for_selector("body.live")
    page.wait_for_timeout(1000)
    page.close()
    return sent, len(requests)


def _usable_ms(browser: Browser, port: int) -> float:
    """From the start of the navigation until the first control can be tapped."""
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
    found: float = page.wait_for_function(_USABLE).json_value()
    page.close()
    return found
