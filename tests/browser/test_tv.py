"""The table for a large screen: large letters, nothing to touch, and it follows all night."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import violations
from tests.browser.window import Window

NAMES: Final = ["Anna", "<b>Eve</b> & 'co'", "W" * 40, "Dora", "Emil", "Ö", "Gerd", "يوسف 🃏"]
LEAST_LETTER: Final = 0.028
"""Of the height of a screen: 15 mm on one of 40 inches, which is read from three metres."""

# The letters as they are drawn: SVG is scaled to its place.
_SMALL: Final = """(least) => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || parent.closest("noscript, .quiet")) continue;
    if (!parent.checkVisibility({visibilityProperty: true})) continue;
    const svg = parent.closest("svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const px = parseFloat(getComputedStyle(parent).fontSize) * scale;
    if (px < least * innerHeight) found.push(`${px}px: ${parent.outerHTML.slice(0, 120)}`);
  }
  return found;
}"""
_OUTSIDE: Final = """() => [...document.querySelectorAll(
    "svg.board, #headline, #badge, #ask, .seats li, .stack, #reach > *, #lines p, .standings tr")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const {top, left, right, bottom} = one.getBoundingClientRect();
    return top < 0 || left < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
  }).map((one) => one.outerHTML.slice(0, 120))"""
# The stakes that are cut off, wholly or in part; whatever is said if there are none.
_HIDDEN_STAKES: Final = """() => {
  const stakes = [...document.querySelectorAll(".seats .committed")];
  return stakes.length ? stakes.filter((stake) => {
    const [inner, outer] = [stake, stake.closest(".who")].map((part) =>
      part.getBoundingClientRect());
    return inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1
      || inner.right > outer.right + 1 || outer.bottom > innerHeight;
  }).map((stake) => stake.textContent) : ["no stake"];
}"""
_CONTROLS: Final = ":is(a, button, input, select, textarea, summary, [tabindex]):visible"


def faults(window: Window) -> list[Any]:
    """What cannot be read from across the room, or is cut off, or could be touched."""
    small = window.page.evaluate(_SMALL, LEAST_LETTER)
    outside = window.page.evaluate(_OUTSIDE)
    return [*small, *outside, *window.find(_CONTROLS).all()]


def test_a_large_screen_shows_what_to_do(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, path="/tv")
    window.find("#seat-1.turn").wait_for()
    question = window.find("#ask")
    assert question.text_content() == "Anna’s turn: 4 chips to stay in"
    box = question.bounding_box()
    assert box is not None
    assert box["width"] > window.page.evaluate("innerWidth") / 5
    assert box["height"] > window.page.evaluate("innerHeight") * LEAST_LETTER
    assert question.evaluate("(part) => getComputedStyle(part).clipPath") == "none"


def news(window: Window) -> list[str]:
    return [line.strip() for line in window.find("#news li").all_text_contents()]


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_large_screen_follows_across_nights_and_restarts(
    daemon: Daemon, open_window: OpenWindow, locale: str
) -> None:
    english = locale == "en"
    size = {"width": 1920, "height": 1080} if english else {"width": 1280, "height": 720}
    window = open_window(daemon, host=LAN_NAME, path="/tv", viewport=size, locale=locale)
    window.wait_until_live()
    address = f"http://{LAN_NAME}:{daemon.port}/"
    window.find("#reach", has_text=address).wait_for()
    window.find("#reach svg path").wait_for()
    assert not faults(window)
    problems = violations(window)

    daemon.do("start", ruleset="family", players=NAMES)
    daemon.do("deal")
    daemon.do("claim", seat=1, pool="ace")
    window.find("#news", has_text="Anna takes" if english else "Anna kassiert").wait_for()
    assert window.find("#reach").is_hidden()
    assert window.find(".seats .name").all_text_contents() == NAMES
    assert window.find("#pool-ace .chips").text_content() == "0"
    assert window.find("[data-shape=undo] text", has_text="undo" if english else "Zurück").count()
    daemon.do("next")
    window.find("#seat-2.turn").wait_for()
    daemon.do("stake", seat=2, chips=2)
    window.find("#seat-3.turn").wait_for()
    title = "turn: 2 chips to stay in" if english else "Zum Halten fehlen 2 Chips"
    window.find("#ask", has_text=title).wait_for()
    window.find("#news li:first-child[data-entry='5']").wait_for()
    assert title in window.page.title()
    daemon.do("undo")
    window.find("#news li.struck").wait_for()
    daemon.do("stake", seat=2, chips=2)
    window.find("#seat-3.turn").wait_for()
    assert not faults(window)
    problems += violations(window)

    window.watch.expect_outages()
    daemon.kill()
    window.find(
        "#badge", has_text="reconnecting" if english else "verbindet sich wieder"
    ).wait_for()
    with window.reconnecting():
        daemon.start()
    window.find("body.live #badge", has_text="live").wait_for()
    for seat in (3, 4, 5, 6, 7, 8, 1):
        daemon.do("pass", seat=seat)
    daemon.do("void")
    daemon.do("end")
    window.find(".standings").wait_for()
    window.find("#reach", has_text=address).wait_for()
    window.wait_until("no news of a night that is over", lambda: news(window) == [])
    assert not faults(window)
    problems += violations(window)

    daemon.do("start", ruleset="modern", players=NAMES[:3], stack=70)
    window.find("#seat-1 .stack", has_text="70").wait_for()
    window.wait_until("the news of the new night", lambda: len(news(window)) == 1)
    assert not problems


@pytest.mark.parametrize("ruleset", ["modern", "W" * 40])
def test_the_headline_ends_with_the_phase_and_is_not_cut_off(
    daemon: Daemon, open_window: OpenWindow, ruleset: str
) -> None:
    if ruleset != "modern":
        body = {"name": ruleset, "base": "modern", "options": {"players": [3, 8], "deck": "auto"}}
        status, answer = daemon.ask("POST", "/api/rulesets", body)
        assert status == 201, answer
    players = NAMES[:6] if ruleset == "modern" else NAMES
    daemon.do("start", ruleset=ruleset, players=players)
    daemon.do("deal")
    size = {"width": 1280, "height": 800}
    window = open_window(daemon, host=LAN_NAME, path="/tv", viewport=size, locale="de")
    window.wait_until_live()
    headline = window.find("#headline", has_text=f"{ruleset} · Runde 1 · Melden")
    headline.wait_for()
    assert headline.evaluate("""one => [one.scrollWidth - one.clientWidth,
        one.scrollHeight - one.clientHeight]""") == [0, 0]
    assert not window.page.evaluate(_OUTSIDE)


_WIDER_THAN_ITS_POOL: Final = """() => [...document.querySelectorAll(".pool text")]
  .filter((one) => one.checkVisibility() && one.textContent)
  .filter((one) => {
    const ring = one.parentElement.querySelector(".lip");
    return one.getBoundingClientRect().width > ring.getBoundingClientRect().width;
  }).map((one) => one.outerHTML)"""


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1080, 1920), (800, 1280)])
@pytest.mark.parametrize("locale", ["de-DE", "en-GB"])
def test_a_large_screen_shows_what_everybody_has_staked(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int], locale: str
) -> None:
    names = ["Lena", "Oma Hilde", "Benjamin der Jüngere", "Opa Karl", "Johanna-Katharina", "Emil"]
    daemon.do("start", ruleset="family", players=names, dealer=6)
    daemon.do("deal")
    daemon.do("next")
    for seat, chips in ((1, 1), (2, 1), (3, 4), (4, 4), (5, 10), (6, 12)):
        daemon.do("stake", seat=seat, chips=chips)
    viewport = {"width": size[0], "height": size[1]}
    window = open_window(daemon, path="/tv", viewport=viewport, locale=locale)
    window.find("#seat-1.turn").wait_for()
    assert window.page.evaluate(_HIDDEN_STAKES) == []


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_pool_that_stays_is_struck_through_on_a_large_screen(
    daemon: Daemon, open_window: OpenWindow, locale: str
) -> None:
    size = {"width": 1280, "height": 800}
    window = open_window(daemon, host=LAN_NAME, path="/tv", viewport=size, locale=locale)
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    daemon.do("deal")
    daemon.do("turn", card="9H")
    name = window.find("#pool-sequence.blocked .pool-name")
    name.wait_for()
    assert name.evaluate("(one) => getComputedStyle(one).textDecorationLine") == "line-through"
    assert not window.page.evaluate(_WIDER_THAN_ITS_POOL)


MOST_SHIFT: Final = 0.05
"""Half of what a page that counts as steady may have (Core Web Vitals)."""
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


def shift_until_now(window: Window) -> float:
    """How far things have moved on a page that has watched it from the beginning."""
    return float(window.page.evaluate("shiftUntilNow()"))


@pytest.mark.parametrize("size", [(1080, 1920), (390, 844), (320, 568)])
def test_an_upright_screen_is_steady_and_its_letters_follow_the_reader(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    reach(daemon, "pochen")
    viewport = {"width": size[0], "height": size[1]}
    window = open_window(daemon, path=None, viewport=viewport)
    window.page.add_init_script(f"({WATCH_SHIFTS})()")
    window.open("/tv")
    window.wait_until_live()
    window.find("#news li").first.wait_for()
    window.find("svg.board").wait_for()
    assert shift_until_now(window) <= MOST_SHIFT
    root = "document.documentElement"
    assert window.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    letters = "() => parseFloat(getComputedStyle(document.querySelector('#ask')).fontSize)"
    before = window.page.evaluate(letters)
    window.page.evaluate(f"{root}.style.fontSize = '200%'")
    assert window.page.evaluate(letters) > before * (1.5 if size[0] < 900 else 1.1)


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


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 844)])
def test_nothing_moves_on_a_large_screen_while_a_deal_is_played(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara", "Dora"], dealer=4)
    viewport = {"width": size[0], "height": size[1]}
    window = open_window(daemon, path=None, viewport=viewport, locale="de")
    window.page.add_init_script(f"({WATCH_SHIFTS})()")
    window.open("/tv")
    window.wait_until_live()
    for seen, (name, fields) in enumerate(_A_DEAL, 2):
        daemon.do(name, **fields)
        window.find(f"#news li:first-child[data-entry='{seen}']").wait_for()
        assert window.find("#do").text_content(), "it says what to do"
    assert shift_until_now(window) <= MOST_SHIFT


_COVERED_BY_THE_FAULT: Final = """() => {
  const {top, bottom} = document.querySelector("#fault").getBoundingClientRect();
  return [...document.querySelectorAll(".seats li, .stakes")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.top < bottom && top < box.bottom;
  }).map((one) => one.textContent);
}"""


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1080, 1920)])
def test_a_fault_takes_the_place_of_what_is_to_be_done(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int], locale: str
) -> None:
    daemon.do("start", ruleset="family", players=NAMES)
    daemon.do("deal")
    viewport = {"width": size[0], "height": size[1]}
    window = open_window(daemon, path=None, viewport=viewport, locale=locale)
    window.page.add_init_script(f"({WATCH_SHIFTS})()")
    window.open("/tv")
    window.wait_until_live()
    window.find("#news li").first.wait_for()
    window.find("#board .art").first.wait_for(state="attached")
    before = shift_until_now(window)
    daemon.expect("^not stored: ", "^Nothing can be recorded: ", "^the ledger is usable again$")
    daemon.expect("^the ledger cannot be checked now: ")  # if the check has come to that by then
    away = daemon.data.rename(daemon.data.with_name("away"))
    status, _ = daemon.ask("POST", "/api/commands", {"do": "next"})
    assert status != 200
    window.find("#fault code", has_text="pochboard restore").wait_for()
    assert window.page.evaluate(_COVERED_BY_THE_FAULT) == []
    assert not window.page.evaluate(_OUTSIDE)
    away.rename(daemon.data)
    window.find("#fault").wait_for(state="hidden")
    assert shift_until_now(window) == before


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
    assert window.find("[data-stake=pot] dd").text_content() == "7"
    assert window.find("[data-stake=need] dd").text_content() == "4"
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
