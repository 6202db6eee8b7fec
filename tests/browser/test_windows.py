"""Several windows of one browser share one stream of events."""

from __future__ import annotations

from collections import Counter
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

_RECORD: Final = """() => {
  const phase = document.querySelector("#phase");
  globalThis.record = [phase.dataset.phase];
  new MutationObserver(() => {
    const now = document.querySelector("#phase").dataset.phase;
    if (record.at(-1) !== now) record.push(now);
  }).observe(document.querySelector("#headline"), {attributes: true, subtree: true});
}"""
"""Records the phases that a page shows from now on."""


def open_sibling(window: Window, path: str = "/") -> Window:
    """A further window of the same browser."""
    page = window.page.context.new_page()
    window.watch.follow(page)
    sibling = Window(page, window.daemon, window.watch, host=window.host)
    sibling.open(path)
    return sibling


def open_siblings(first: Window) -> list[Window]:
    """Two live windows of one browser."""
    windows = [first, open_sibling(first)]
    for window in windows:
        window.wait_until_live()
    return windows


def streams(windows: list[Window]) -> Counter[int]:
    """How many streams of events these windows have, by their number."""
    pages = [window.page for window in windows]
    return Counter(
        pages.index(request.frame.page)
        for request in windows[0].watch.requests
        if "/api/events" in request.url and _is_open(request) and request.frame.page in pages
    )


def _is_open(request: Request) -> bool:
    return request.failure is None and request.timing["responseEnd"] == -1


def wait_for_one_stream(windows: list[Window]) -> int:
    """Waits until only one window has a stream, and returns its number."""
    windows[0].wait_until_equal(
        lambda: [] if (now := streams(windows)).total() == 1 else [f"the streams: {now}"]
    )
    (leader,) = streams(windows)
    return leader


def unlike(windows: list[Window]) -> list[str]:
    """Whether the windows show different lights."""
    lights = {"".join(window.seen()["pixels"]) for window in windows}
    return [] if len(lights) == 1 else ["the lights differ"]


def wait_for_phase(windows: list[Window], phase: str) -> None:
    for window in windows:
        window.find(f"#phase[data-phase={phase}]").wait_for()
        window.wait_until_live()


def test_eight_windows_are_all_live_on_one_stream(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    first = open_window(daemon, host=LAN_NAME)
    assert first.page.evaluate("isSecureContext") is False
    windows = [first, *(open_sibling(first) for _ in range(_MANY - 2))]
    screen = open_sibling(first, "/tv")
    for window in (*windows, screen):
        window.wait_until_live()
    assert wait_for_one_stream([*windows, screen]) == 0
    daemon.do("deal")
    wait_for_phase(windows, "meld")
    screen.find("#news li").first.wait_for()
    first.wait_until_equal(lambda: unlike(windows))
    # One after the other closes, and the next leads.
    while len(windows) > 5:
        windows.pop(0).page.close()
        wait_for_one_stream([*windows, screen])
    daemon.do("next")
    wait_for_phase(windows, "pochen")


def test_pairing_one_window_pairs_them_all(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    windows = open_siblings(open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE))
    german = open_sibling(windows[0], "/?lang=de")
    for window in windows:
        only_watches(window)
    german.wait_until_live()
    assert wait_for_one_stream(windows) == 0
    pair(windows[1])
    for window in (windows[0], german):
        window.find("#more .more").wait_for()
    assert wait_for_one_stream(windows) == 0


def wait_for_words(windows: list[Window], phase: str, said: str) -> None:
    for window in windows:
        window.find("#phase", has_text=phase).wait_for()
        window.find("#said", has_text=said).wait_for()


def test_each_window_keeps_its_language(daemon: Daemon, open_window: OpenWindow) -> None:
    """They share the cookie, which names the language that was chosen last."""
    reach(daemon, "idle")
    english = open_siblings(open_window(daemon))
    german = open_sibling(english[0], "/?lang=de")
    screen = open_sibling(english[0], "/tv")  # in the language of the cookie
    german.wait_until_live()
    screen.wait_until_live()
    # Who leads the English ones connects again.
    for shown in (english[0], german):
        _show(shown, "hidden")
        shown.find("body.stale").wait_for()
    daemon.do("deal")
    for shown in (english[0], german):
        _show(shown, "visible")
    wait_for_phase([*english, german], "meld")
    wait_for_words(english, "Melding", "Deal 1: Anna deals")
    wait_for_words([german], "Melden", "Runde 1: Anna gibt")
    screen.find("#news", has_text="Runde 1: Anna gibt").wait_for()
    assert wait_for_one_stream(english) == 1
    # What is loaded later, and refusals.
    english[0].tap("[data-device]")
    english[0].find("#drawer", has_text="Sounds").wait_for()
    german.tap("[data-device]")
    german.find("#drawer", has_text="Geräusche").wait_for()
    daemon.do("undo")
    wait_for_phase([english[1], german], "idle")
    daemon.ask("POST", "/api/board/press", {"button": "ace", "ms": 20})
    for window, words in ((english[1], "The Ace button"), (german, "Der Knopf „Ass“")):
        window.find("[role=alert]:visible", has_text=words).wait_for()


def _show(window: Window, state: str) -> None:
    """Lets the page believe that it is hidden, or visible again."""
    window.page.evaluate(_VISIBILITY, state)


def test_a_leader_that_is_hidden_hands_over_and_follows_later(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    windows = open_siblings(open_window(daemon))
    _show(windows[0], "hidden")
    windows[0].find("body.stale").wait_for()
    assert wait_for_one_stream(windows) == 1
    daemon.do("deal")
    wait_for_phase(windows[1:], "meld")
    _show(windows[0], "visible")
    wait_for_phase(windows, "meld")
    assert wait_for_one_stream(windows) == 1


def test_a_leader_that_is_frozen_is_replaced(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    windows = open_siblings(open_window(daemon))
    assert wait_for_one_stream(windows) == 0
    frozen = windows[0].devtools
    frozen.send("Debugger.enable")
    frozen.send("Debugger.pause")
    daemon.do("deal")
    # After two heartbeats are missing.
    wait_for_phase(windows[1:], "meld")
    daemon.do("next")
    wait_for_phase(windows[1:], "pochen")
    # Once it thaws, it passes on nothing of what it has missed.
    windows[1].page.evaluate(_RECORD)
    frozen.send("Debugger.disable")
    wait_for_phase(windows, "pochen")
    wait_for_one_stream(windows)
    daemon.do("stake", seat=2, chips=2)
    for window in windows:
        window.find("#said", has_text="Benjamin the Younger").wait_for()
    assert windows[1].page.evaluate("record") == ["pochen"]


def test_no_window_believes_a_leader_without_a_connection(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    windows = open_siblings(open_window(daemon))
    windows[0].watch.expect_outages()
    daemon.kill()
    for window in windows:
        window.find("#badge", has_text="reconnecting").wait_for()
    for window in windows:
        window.find("body.stale").wait_for()
    daemon.start()
    daemon.do("deal")
    wait_for_phase(windows, "meld")
    wait_for_one_stream(windows)


def test_a_browser_that_forbids_storage_and_channels_is_live(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """Firefox does so where cookies are blocked."""
    reach(daemon, "idle")
    window = open_window(daemon, path=None)
    window.page.add_init_script("""
      const refuse = () => { throw new DOMException("not allowed", "SecurityError"); };
      globalThis.BroadcastChannel = class { constructor() { refuse(); } };
      for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(globalThis, name, {get: refuse});
    """)
    window.open()
    window.wait_until_live()
    daemon.do("deal")
    wait_for_phase([window], "meld")
