"""The page of the table: its size, and how soon it can be used over a slow network."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright

from tests.bench.octoprint import octoprint_server
from tests.bench.peers import Peer, peer_python
from tests.bench.process import daemon, free_port, until_answered
from tests.bench.table import Goal, Row, say
from tests.browser.chromium import launch_chromium
from tests.browser.slow_link import slow_link

_ONE_WAY_S: Final = 0.2
_SLOWER: Final = 6
_SETTLED_MS: Final = 3000
_USABLE: Final = """() => {
  const button = document.querySelector("#controls button:not([disabled])");
  return button?.checkVisibility({visibilityProperty: true}) && performance.now();
}"""


def page_figures(folder: Path, times: int, peer: Peer = peer_python) -> list[Row]:
    """The size of the page, and when it can be used if a round trip takes 400 ms."""
    say(f"{times} first loads of the page")
    port = free_port()
    with daemon(folder, port), sync_playwright() as playwright:
        until_answered(port)
        browser = launch_chromium(playwright)
        weight, stream, requests = _weight(browser, port, "body.live")
        with slow_link(port, _ONE_WAY_S) as link:
            ready_ms = median(_usable_ms(browser, link.port) for _ in range(times))
            slow_ms = median(_usable_ms(browser, link.port, _SLOWER) for _ in range(times))
        with octoprint_server(folder / "octoprint", peer) as (other_port, reason):
            other_weight = other_requests = None
            if other_port is not None:
                say("OctoPrint's page")
                other_weight, _, other_requests = _weight(browser, other_port, "#navbar")
        browser.close()
    beside = reason or "OctoPrint's page"
    far = "with 400 ms of round trip"
    return [
        Row(
            "page, compressed, with headers",
            "kB",
            weight / 1000,
            None,
            beside,
            other_weight and other_weight / 1000,
            (Goal(45.0),),
        ),
        Row("the same with the first events of its stream", "kB", (weight + stream) / 1000),
        Row("requests of the page", "", requests, None, beside, other_requests, (Goal(9.0),)),
        Row(f"page usable {far}", "s", ready_ms / 1000, goals=(Goal(0.9),)),
        Row(
            f"the same on a processor {_SLOWER} times slower",
            "s",
            slow_ms / 1000,
            goals=(Goal(2.0),),
        ),
    ]


def _weight(browser: Browser, port: int, drawn: str) -> tuple[int, int, int]:
    """What the first page in a new browser takes: the bytes of its answers, and those of its
    streams until each event has come once, headers too, and the number of requests.
    """
    sent = 0
    streamed: dict[str, int] = {}
    requests: list[str] = []

    def weigh(event: dict[str, Any]) -> None:
        nonlocal sent
        sent += event["encodedDataLength"]

    def weigh_head(event: dict[str, Any]) -> None:
        if event["type"] == "EventSource":
            streamed["head"] = event["response"]["encodedDataLength"]

    def weigh_event(event: dict[str, Any]) -> None:
        name, data = event["eventName"], event["data"]
        streamed.setdefault(name, len(f"event: {name}\ndata: {data}\n\n".encode()))

    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", weigh)
    session.on("Network.responseReceived", weigh_head)
    session.on("Network.eventSourceMessageReceived", weigh_event)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"http://localhost:{port}/")
    page.wait_for_selector(drawn)
    page.wait_for_timeout(_SETTLED_MS)
    page.close()
    return sent, sum(streamed.values()), len(requests)


def _usable_ms(browser: Browser, port: int, slower: int = 1) -> float:
    """From the start of the navigation until the first control can be tapped."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
    found: float = page.wait_for_function(_USABLE).json_value()
    page.close()
    return found
