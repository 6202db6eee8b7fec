"""Several windows of one browser: only those that can be seen have a stream of events."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Request

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import ELSEWHERE
from tests.browser.test_pairing import only_watches, pair
from tests.browser.window import Window

_MANY: Final = 8
"""More than the six connections that browsers open to one server over HTTP/1.1."""

_VISIBILITY: Final = """(state) => {
  Object.defineProperty(document, "visibilityState", {get: () => state, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def open_sibling(window: Window, path: str = "/") -> Window:
    """A further window of the same browser, which is live."""
    page = window.page.context.new_page()
    window.watch.follow(page)
    sibling = Window(page, window.daemon, window.watch, host=window.host)
    sibling.open(path)
    sibling.wait_until_live()
    return sibling


def show(window: Window, state: str) -> None:
    """Lets the page believe that it is hidden, or visible again."""
    window.page.evaluate(_VISIBILITY, state)
    window.find("body.stale" if state == "hidden" else "body.live").wait_for()


def streams(window: Window) -> int:
    """How many streams of events a window has."""
    return sum(
        "/api/events" in request.url and _is_open(request) and request.frame.page == window.page
        for request in window.watch.requests
    )


def _is_open(request: Request) -> bool:
    return request.failure is None and request.timing["responseEnd"] == -1


def wait_for_phase(windows: list[Window], phase: str) -> None:
    for window in windows:
        window.find(f"#phase[data-phase={phase}]").wait_for()
        window.wait_until_live()


def test_many_windows_of_which_one_is_seen_are_live_when_they_are(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    windows = [open_window(daemon, host=LAN_NAME)]
    windows[0].wait_until_live()
    while len(windows) < _MANY:
        show(windows[-1], "hidden")
        windows.append(open_sibling(windows[0]))
    windows[0].wait_until(
        "one stream", lambda: [streams(one) for one in windows] == [0] * (_MANY - 1) + [1]
    )
    daemon.do("deal")
    wait_for_phase(windows[-1:], "meld")
    for before, window in zip([windows[-1], *windows], windows, strict=False):
        show(before, "hidden")
        show(window, "visible")
        wait_for_phase([window], "meld")
        assert streams(window) == 1


def test_pairing_one_window_pairs_them_all(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    first = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    windows = [first, open_sibling(first), open_sibling(first, "/?lang=de")]
    for window in windows[:2]:
        only_watches(window)
    pair(windows[1])
    for window in windows:
        window.find("#more button").first.wait_for(state="attached")


def test_each_window_keeps_its_language(daemon: Daemon, open_window: OpenWindow) -> None:
    """They share the cookie, which names the language that was chosen last."""
    reach(daemon, "idle")
    english = open_window(daemon)
    english.wait_until_live()
    german = open_sibling(english, "/?lang=de")
    screen = open_sibling(english, "/tv")  # in the language of the cookie
    for window in (english, german):
        show(window, "hidden")
    daemon.do("deal")
    for window in (english, german):
        show(window, "visible")
    for window, phase, said in (
        (english, "Melding", "Deal 1: Anna deals"),
        (german, "Melden", "Runde 1: Anna gibt"),
    ):
        window.find("#phase", has_text=phase).wait_for()
        window.find("#said", has_text=said).wait_for()
    screen.find("#last", has_text="Runde 1: Anna gibt").wait_for()
    # What is opened later, and refusals.
    english.tap("#menu [data-device]")
    english.find("#drawer", has_text="Sounds").wait_for()
    english.page.keyboard.press("Escape")
    daemon.do("undo")
    wait_for_phase([english, german], "idle")
    daemon.ask("POST", "/api/board/press", {"button": "ace", "ms": 20})
    for window, words in ((english, "The Ace button"), (german, "Der Knopf „Ass“")):
        window.find("[role=alert]:visible", has_text=words).wait_for()


def test_a_browser_that_forbids_storage_is_live(daemon: Daemon, open_window: OpenWindow) -> None:
    """Firefox does so where cookies are blocked."""
    reach(daemon, "idle")
    window = open_window(daemon, path=None)
    window.page.add_init_script("""
      const refuse = () => { throw new DOMException("not allowed", "SecurityError"); };
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(globalThis, name, {get: refuse});
    """)
    window.open()
    window.wait_until_live()
    daemon.do("deal")
    wait_for_phase([window], "meld")
