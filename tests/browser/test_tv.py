"""The table for a large screen: large letters, nothing to touch, and it follows all night."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import violations
from tests.browser.window import Window

NAMES: Final = ["Anna", "<b>Eve</b> & 'co'", "W" * 40, "Dora", "Emil", "Ö", "Gerd", "يوسف 🃏"]
SIZES: Final = ((720, 576), (960, 540), (1024, 576), (1280, 720), (1920, 1080), (3840, 2160))
"""Of televisions' own browsers, and of screens."""
LEAST_LETTER: Final = 0.025
"""Of the height of a screen, less on old narrow ones: 12 mm on one of 40 inches, which is read from
three metres."""

_FAULTS: Final = """(least) => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight)
    found.push(`scrolls: ${root.scrollWidth} × ${root.scrollHeight}`);
  const seen = (part) => part.checkVisibility({visibilityProperty: true});
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const part = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || part.closest("noscript, .quiet")) continue;
    if (!seen(part)) continue;
    const px = parseFloat(getComputedStyle(part).fontSize);
    if (px < least * Math.min(innerHeight, 0.72 * innerWidth))
      found.push(`${px}px: ${part.outerHTML.slice(0, 120)}`);
  }
  const parts = [...document.querySelectorAll(
    ".bowl, .plate, .stack, .word, .name, #ask, #last, #stakes > *, #reach > *, .strip")];
  const boxes = parts.filter(seen).map((part) => [part, part.getBoundingClientRect()]);
  for (const [part, {top, left, right, bottom}] of boxes)
    if (top < 0 || left < 0 || right > innerWidth + 1 || bottom > innerHeight + 1)
      found.push(`outside: ${part.outerHTML.slice(0, 120)}`);
  const over = ([, one], [, other]) => one.left < other.right - 1 && other.left < one.right - 1
    && one.top < other.bottom - 1 && other.top < one.bottom - 1;
  const kinds = [".strip", "#board", "#seats .plate", "#ask", "#last", "#stakes > *", "#reach"];
  const apart = kinds.flatMap((kind) => [...document.querySelectorAll(kind)]).filter(seen)
    .filter((part) => part.textContent.trim()).map((part) => [part, part.getBoundingClientRect()]);
  apart.forEach((one, i) => apart.slice(i + 1).filter((other) => over(one, other)).forEach(
    (other) => found.push(`${one[0].textContent.trim()} covers ${other[0].textContent.trim()}`)));
  for (const control of document.querySelectorAll("a, button, input, select, [tabindex]"))
    if (seen(control)) found.push(`to touch: ${control.outerHTML}`);
  return found;
}"""
"""What cannot be read from across the room, is cut off or covered, or could be touched."""


def faults(window: Window, least: float = LEAST_LETTER) -> list[str]:
    """What is wrong at each size."""
    found: list[str] = []
    for width, height in SIZES:
        window.page.set_viewport_size({"width": width, "height": height})
        found += [f"{width}: {one}" for one in window.page.evaluate(_FAULTS, least)]
    return found


def go_on(daemon: Daemon, window: Window, do: str, **fields: Any) -> None:
    """Records something, and waits until what happened last is shown."""
    daemon.do(do, **fields)
    last = daemon.get(f"/api/state?lang={window.language}")["last"]["sentence"]
    window.find("#last", has_text=last).wait_for()


@pytest.mark.parametrize(("language", "names"), [("en", NAMES[:2]), ("de", NAMES)])
def test_every_stage_fits_every_television(
    daemon: Daemon, open_window: OpenWindow, language: str, names: list[str]
) -> None:
    window = open_window(daemon, host=LAN_NAME, path="/tv", locale=language)
    window.language = language
    window.wait_until_live()
    window.find("#reach svg path").wait_for()
    found = faults(window)
    for place, name in enumerate(names, 1):
        daemon.ask("PUT", "/api/lobby", {"place": place, "name": name})
    window.find(".plate").nth(len(names) - 1).wait_for()
    found += faults(window)
    problems = violations(window)
    go_on(daemon, window, "start", ruleset="family", players=names, stack=20)
    for do, fields in (
        ("deal", {}),
        ("turn", {"card": "QH"}),
        ("claim", {"seat": 1, "pool": "ace"}),
        ("next", {}),
        ("stake", {"seat": 2, "chips": 12}),
    ):
        go_on(daemon, window, do, **fields)
        found += faults(window)
    problems += violations(window)
    while (state := daemon.get("/api/state"))["phase"] == "pochen":
        seat = state["to_act"]
        go_on(daemon, window, "stake", seat=seat, chips=state["need"])
    found += faults(window)
    go_on(daemon, window, "showdown", ranking=[1])
    go_on(daemon, window, "out", seat=2)
    found += faults(window)
    daemon.do("void")
    daemon.do("end")
    window.find("[data-rank]").first.wait_for()
    window.find("#ask", has_text="over" if language == "en" else "zu Ende").wait_for()
    found += faults(window)
    assert not found
    assert not [*problems, *violations(window)]


def test_it_follows_across_nights_and_restarts(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, host=LAN_NAME, path="/tv")
    window.wait_until_live()
    window.find("#reach", has_text=f"http://{LAN_NAME}:{daemon.port}/").wait_for()
    daemon.ask("PUT", "/api/lobby", {"place": 2, "name": "Anna"})
    window.find(".plate .name", has_text="Anna").wait_for()
    daemon.do("start", ruleset="family", players=NAMES)
    window.find("#seat-8").wait_for()
    assert window.find(".plate .name").all_text_contents() == NAMES
    assert window.find("#reach").is_hidden()
    window.watch.expect_outages()
    daemon.kill()
    window.find("#badge", has_text="reconnecting").wait_for()
    with window.reconnecting():
        daemon.start()
    window.find("#badge").wait_for(state="hidden")
    go_on(daemon, window, "deal")
    go_on(daemon, window, "undo")
    daemon.do("end")
    window.find("[data-rank]").first.wait_for()
    daemon.do("start", ruleset="modern", players=NAMES[:3], stack=70)
    window.find("#seat-1 .stack", has_text="70").wait_for()


MOST_SHIFT: Final = 0.01
"""By one act: a tenth of what a page that counts as steady may have (Core Web Vitals)."""
WATCH_SHIFTS: Final = """() => {
  window.shift = 0;
  const add = (all) => all.forEach(({value}) => { shift += value; });
  const observer = new PerformanceObserver((list) => add(list.getEntries()));
  observer.observe({type: "layout-shift", buffered: true});
  // What has been drawn is reported with the frame after it.
  window.shiftUntilNow = () => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => {
      add(observer.takeRecords());
      resolve(shift);
    }));
  });
}"""

_A_DEAL: Final[list[tuple[str, dict[str, Any]]]] = [
    ("deal", {}),
    ("turn", {"card": "9H"}),
    ("claim", {"seat": 1, "pool": "ace"}),
    ("next", {}),
    ("stake", {"seat": 1, "chips": 2}),
    ("stake", {"seat": 2, "chips": 4}),
    ("pass", {"seat": 3}),
    ("pass", {"seat": 4}),
    ("stake", {"seat": 1, "chips": 2}),
    ("showdown", {"ranking": [2, 1]}),
    ("out", {"seat": 3}),
    ("settle", {"cards": {"1": 2, "2": 1, "4": 3}}),
]


@pytest.mark.parametrize("size", [(960, 540)])
def test_nothing_moves_while_a_deal_is_played(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara", "Dora"], dealer=4)
    viewport = {"width": size[0], "height": size[1]}
    window = open_window(daemon, path=None, viewport=viewport)
    window.page.add_init_script(f"({WATCH_SHIFTS})()")
    window.open("/tv")
    window.wait_until_live()
    table = window.find("#board").bounding_box()
    for name, fields in _A_DEAL:
        go_on(daemon, window, name, **fields)
        assert window.find("#board").bounding_box() == table
        assert window.page.evaluate("shiftUntilNow()") <= MOST_SHIFT
        window.page.evaluate("shift = 0")


@pytest.mark.parametrize("language", ["de"])
def test_a_fault_is_a_strip_that_covers_nothing(
    daemon: Daemon, open_window: OpenWindow, language: str
) -> None:
    daemon.do("start", ruleset="family", players=NAMES)
    daemon.do("deal")
    window = open_window(daemon, path="/tv", locale=language)
    window.language = language
    window.wait_until_live()
    daemon.expect("^not stored: ", "^Nothing can be recorded: ", "^the ledger is usable again$")
    daemon.expect("^the ledger cannot be checked now: ")  # if the check has come to that by then
    away = daemon.data.rename(daemon.data.with_name("away"))
    status, _ = daemon.ask("POST", "/api/commands", {"do": "next"})
    assert status != 200
    window.find("#fault code", has_text="pochboard restore").wait_for()
    # What is wrong is more than what is played.
    assert not faults(window, 0.9 * LEAST_LETTER)
    away.rename(daemon.data)
    window.find("#fault").wait_for(state="hidden")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_happens_is_seen_from_the_sofa(
    daemon: Daemon, open_window: OpenWindow, motion: Any
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"], dealer=3)
    daemon.do("deal")
    window = open_window(daemon, path="/tv", reduced_motion=motion)
    window.wait_until_live()
    window.page.evaluate("""() => {
      window.flown = [];
      new MutationObserver((changes) => {
        for (const {addedNodes} of changes) for (const node of addedNodes)
          flown.push(`${node.className} ${node.textContent}`.trim());
      }).observe(document.querySelector("#flights"), {childList: true});
    }""")
    assert not window.find("#spotlight p").count(), "nothing has happened yet"
    daemon.do("claim", seat=2, pool="king")
    window.find("#seat-2.spot").wait_for()
    # A screen that gets two entries at once shows neither happen.
    daemon.do("next")
    window.find("#seat-1.turn").wait_for()
    daemon.do("stake", seat=1, chips=4)
    window.find("#spotlight b", has_text="Anna").wait_for()
    daemon.do("pass", seat=2)
    window.find("#seat-3.turn").wait_for()
    daemon.do("pass", seat=3)
    window.find("#spotlight span", has_text="Anna gets 7 chips").wait_for()
    moved = ["chip 3", "chip 4", "knock", "knock", "chip 7"]
    assert window.page.evaluate("flown") == ([] if motion == "reduce" else moved)
    window.find("#spotlight p").wait_for(state="detached")
    daemon.do("undo")
    window.find("#seat-3.turn").wait_for()
    assert not window.find("#spotlight p").count(), "taking back is no moment"
