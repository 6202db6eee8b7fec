"""A page that cannot start says why, and offers to load itself again."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import ExitStack
from typing import Final

import pytest
from playwright.sync_api import Page, Route

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.window import Window

_FILES: Final = ("page.css", "main.js", "page.js", "lobby.js")
"""What the table needs for its first look between nights, its panel last."""
_PAGES: Final = ("/", "/tv", "/nights", "/nights/1", "/statistics")


def expect_losses(window: Window) -> None:
    window.watch.expect_outages()
    window.watch.expect(r"^status (403|404|421|502) ", r"^console: ", r"^error: ")


def reason(window: Window) -> str:
    """What the page says while it does not start, once it has looked for the cause."""
    window.find("#not-started").wait_for()
    return window.find("#not-started p").text_content() or ""


def wait_for_reason(window: Window, words: str) -> None:
    window.find("#not-started").wait_for()
    window.wait_until_equal(
        lambda: [] if re.search(words, reason(window)) else [f"{words} in {reason(window)!r}"]
    )


@pytest.mark.parametrize("name", _FILES)
def test_a_lost_file_is_named_and_the_page_can_be_loaded_again(
    daemon: Daemon, open_window: OpenWindow, name: str
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    expect_losses(window)
    window.page.route(f"**/static/{name}", lambda route: route.abort())
    window.page.clock.install()
    window.open()
    window.page.clock.run_for(8_000)
    wait_for_reason(window, rf"/static/{name} does not load\. Check the Wi-Fi")
    window.page.unroute_all()
    window.tap("#not-started button")
    window.wait_until_live()
    window.find("#start").wait_for()
    assert window.find("#not-started").count() == 0


@pytest.mark.parametrize("path", _PAGES)
def test_every_page_says_what_is_wrong(daemon: Daemon, open_window: OpenWindow, path: str) -> None:
    reach(daemon, "closed")
    window = open_window(daemon, "phone", path=None, locale="de-DE")
    expect_losses(window)
    window.page.route("**/static/page.js", lambda route: route.abort())
    window.open(path)
    wait_for_reason(window, r"page\.js lädt nicht")
    assert window.find("#not-started strong").text_content() == "Die Seite startet nicht"
    assert window.find("#not-started button").text_content() == "Neu laden"


def answer_all(page: Page, pattern: str, status: int, body: str = "<h1>no</h1>") -> None:
    page.route(pattern, lambda route: route.fulfill(status=status, body=body))


@pytest.mark.parametrize(
    ("pattern", "status", "body", "words"),
    [
        ("**/static/*.js", 404, "no", "was not found .404.*proxy.*path"),
        ("**/static/*.js", 403, "no", "is refused .403.*proxy.*Host"),
        ("**/static/*.js", 502, "no", "was answered with 502"),
        ("**/api/**", 421, '{"message": "No such host here."}', "^The board says: No such host"),
        ("**/api/**", 404, "no", "/api/state was not found .404"),
    ],
)  # fmt: skip
def test_what_a_proxy_does_is_named(
    daemon: Daemon,
    open_window: OpenWindow,
    pattern: str,
    status: int,
    body: str,
    words: str,
) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    answer_all(window.page, pattern, status, body)
    window.page.clock.install()
    window.open()
    window.page.clock.run_for(8_000)
    wait_for_reason(window, words)


def test_a_module_that_cannot_be_parsed_is_reported(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    window.page.route(
        "**/static/page.js",
        lambda route: route.fulfill(content_type="text/javascript", body="export let = ;"),
    )
    window.open()
    wait_for_reason(window, "There was an error: .*Unexpected token")


def open_stalled(window: Window, pattern: str) -> list[Route]:
    """Opens the table while requests that match get no answer, and returns them."""
    held = window.hold(pattern)
    window.page.goto(window.daemon.url("/"), wait_until="commit")
    window.wait_until("the request", lambda: held)
    return held


def test_a_stalled_module_is_named_until_it_arrives(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", path=None)
    window.stop_clock()
    held = open_stalled(window, "**/static/page.js")
    window.page.clock.run_for(7_500)
    assert window.find("#not-started").count() == 0
    window.page.clock.run_for(600)
    wait_for_reason(window, r"does not load|has not started within 8 seconds")
    window.page.clock.resume()
    held[0].continue_()  # the others are probes that have given up
    window.page.unroute_all()
    window.wait_until_live()
    window.wait_until("it goes away", lambda: window.find("#not-started").count() == 0)
    # The page tells more than once that it works.
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window.find("#phase[data-phase=idle]").wait_for()


def test_a_message_is_seen_while_a_stylesheet_is_stalled(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """Browsers paint nothing while they wait for a stylesheet of the HTML."""
    window = open_window(daemon, "phone", path=None)
    install_clock(window)
    held = open_stalled(window, "**/static/page.css")
    window.page.clock.run_for(8_100)
    wait_for_reason(window, r"does not load|has not started within 8 seconds")
    wait_for_paint(window)
    for route in held:
        route.continue_()
    window.page.unroute_all()
    window.wait_until_live()
    window.wait_until("it goes away", lambda: window.find("#not-started").count() == 0)
    assert window.find("body").evaluate("body => getComputedStyle(body).margin") != "8px"


@pytest.mark.parametrize(
    ("end", "stalled"),
    [
        ('id="texts">{', False),
        ('<link rel="modulepreload', False),
        ('id="now"', False),
        ('id="now"', True),
        ('id="texts">{', True),
    ],
)
def test_html_that_is_cut_off_is_reported(
    daemon: Daemon, open_window: OpenWindow, end: str, stalled: bool
) -> None:
    html = daemon.text("/")
    part = html[: html.index(end) + len(end)].encode()
    window = open_window(daemon, path=None)
    expect_losses(window)
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as clients:
        port = server.getsockname()[1]

        def answer() -> None:
            client = clients.enter_context(server.accept()[0])
            client.recv(65_536)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
            client.sendall(head + part)
            if not stalled:
                client.close()

        # Files and probes come from the daemon.
        window.page.route(f"**:{port}/?*", lambda route: proxied(route, daemon.url("/")))
        install_clock(window)
        thread = threading.Thread(target=answer)
        thread.start()
        window.page.goto(f"http://127.0.0.1:{port}/", wait_until="commit")
        thread.join()
        window.page.clock.run_for(8_100)
        wait_for_reason(window, "has not started within 8 seconds" if stalled else "does not load")
        wait_for_paint(window)


def test_time_in_which_the_page_cannot_run_does_not_count(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """As when a device sleeps while the page loads: all timers are late at once."""
    window = open_window(daemon, "phone", path=None)
    window.stop_clock()
    held = open_stalled(window, "**/static/main.js")
    for _ in range(3):
        window.page.clock.fast_forward(600_000)
    assert window.find("#not-started").count() == 0
    held[0].continue_()
    window.page.unroute_all()
    window.page.clock.resume()
    window.wait_until_live()
    assert window.find("#not-started").count() == 0


_STRANGE: Final = """
    const strange = (filename, message) =>
      dispatchEvent(new ErrorEvent("error", {filename, message}));
    strange("moz-extension://4f1c/content.js", "extension");
    strange("chrome-extension://abcdef/static/content.js", "extension");
    strange("https://elsewhere.example/static/main.js", "another site");
    strange("", "Script error.");
    strange(location.href, "a script that an extension put into the page");
    for (const [name, key] of [["script", "src"], ["link", "href"], ["img", "src"]]) {
      const part = document.createElement(name);
      part.rel = "stylesheet";
      part.type = name === "script" ? "module" : "";
      part[key] = "chrome-extension://abcdef/lost";
      document.head.append(part);
    }
"""


@pytest.mark.parametrize("path", ["/", "/rules"])
def test_errors_of_other_peoples_scripts_are_not_ours(
    daemon: Daemon, open_window: OpenWindow, path: str
) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    window.watch.expect("^failed GET chrome-extension:")
    window.page.add_init_script(
        f"document.addEventListener('readystatechange', () => {{ {_STRANGE} }}, {{once: true}});"
    )
    window.stop_clock()
    if path == "/":
        window.page.route("**/static/page.js", lambda _: None)
    window.page.goto(daemon.url(path), wait_until="commit")
    window.find("link[href*=extension]").wait_for(state="attached")
    window.page.clock.run_for(7_000)
    assert window.find("#not-started").count() == 0
    window.page.clock.run_for(2_000)
    if path == "/":
        window.find("#not-started").wait_for()
    assert window.find("#not-started").count() == (path == "/")


def install_clock(window: Window) -> None:
    """Keeps the browser's own record of what it paints."""
    window.page.add_init_script("globalThis.record = performance;")
    window.page.clock.install()


def wait_for_paint(window: Window) -> None:
    painted = "record.getEntriesByName('first-contentful-paint').length"
    window.wait_until("it is painted", lambda: window.page.evaluate(painted))


def proxied(route: Route, root: str) -> None:
    """Lets the daemon answer instead of the server of the HTML."""
    path = route.request.url.split("/", 3)[3]
    if "/events" in path:
        route.abort()
    else:
        route.fulfill(response=route.fetch(url=root + path))


def test_too_old_a_browser_is_told_so(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    window.page.add_init_script("delete Array.prototype.at")
    window.open()
    wait_for_reason(window, r"too old.*Safari 15\.4")


def test_pages_without_modules_have_nothing_to_wait_for(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, path=None)
    window.page.clock.install()
    window.open("/rules")
    window.page.clock.fast_forward(20_000)
    assert window.find("main h2").count() == 1
    assert window.find("#not-started").count() == 0
