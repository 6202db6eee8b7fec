"""A phone is played with one thumb: a bar at its lower edge says what to do now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, TIMES, Daemon
from tests.browser.phone import Phone, out_of_reach
from tests.browser.stages import reach, walk
from tests.browser.test_page import wait_for_all_of_it

LEAST_LETTER_PX: Final = 11
MOST_LINES: Final = 3
"""Of the question on the narrowest phone, however many buttons stand beside it."""
SIZES: Final = [(360, 640, "de-DE"), (768, 1024, "en-GB"), (1280, 800, "de-DE")]
"""German words are longer."""
MAIN: Final = {
    "lobby": ["[data-command=start]"],
    "idle": ["[data-command=deal]"],
    "meld": ["[data-command=claim]", "[data-command=next]", "#controls .pick[data-seat]"],
    "pochen": ["[data-command=stake]", "[data-command=pass]", ".stepper .typed"],
    "showdown": [
        "[data-command=showdown]", "[data-nobody]", "#controls .pick[data-seat]",
        "#controls [data-referee]",
    ],
    "shed": ["[data-command=out]"],
    "counting": ["[data-number]", "[data-count] output"],
    "closed": [],
}  # fmt: skip
"""The question in the bar at each stage. Right after a night, nothing is asked there."""


# Rows with parts below each other, although there is room beside.
_BROKEN_ROWS: Final = """() => [...document.querySelectorAll(".stepper, .usual, header nav")]
  .filter((row) => new Set([...row.children].filter((one) => one.checkVisibility())
    .map((one) => Math.round((one.getBoundingClientRect().top
      + one.getBoundingClientRect().bottom) / 4))).size > 1)
  .map((row) => row.outerHTML.slice(0, 160))"""

_SMALL_LETTERS: Final = """(least) => [...document.querySelectorAll("svg.board text")]
  .filter((text) => text.textContent.trim() && text.checkVisibility({visibilityProperty: true}))
  .map((text) => [text.textContent, parseFloat(getComputedStyle(text).fontSize)
    * text.ownerSVGElement.getBoundingClientRect().width / 1000])
  .filter(([, size]) => size < least - 0.01)"""

_LINES: Final = """(selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  return new Set([...range.getClientRects()].map(({top}) => Math.round(top))).size;
}"""

# How far the drawn board is from the middle of its column; the name of the phase if it is cut off.
_ASKEW: Final = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [board, column] = [box("svg.board"), box(".hero")];
  const [phase, line] = [box("#phase"), box("#headline")];
  const off = Math.abs(board.left + board.right - column.left - column.right) / 2;
  return [...off > 1 ? [off] : [],
    ...phase.right > line.right + 1 ? [document.querySelector("#phase").textContent] : []];
}"""

# The bar itself covers what has been scrolled beneath it.
_UNDER_THE_MESSAGE: Final = """() =>
  [...document.querySelectorAll("button, a, input, select, summary")].filter((one) => {
    if (!one.checkVisibility({visibilityProperty: true})) return false;
    const {left, right, top, bottom} = one.getBoundingClientRect();
    const bar = document.querySelector("#bar").getBoundingClientRect();
    const middle = (top + bottom) / 2;
    if (innerWidth < 900 && !one.closest("#bar") && middle > bar.top) return false;
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return on?.closest("#toast");
  }).map((one) => one.outerHTML.slice(0, 160))"""


def test_all_that_is_to_be_done_is_on_the_screen_and_legible(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    windows = [
        open_window(
            daemon,
            "phone" if width < 900 else "desktop",
            host=LAN_NAME,
            viewport={"width": width, "height": height},
            locale=locale,
        )
        for width, height, locale in SIZES
    ]
    found: list[Any] = []
    for stage in walk(daemon):
        for window in windows:
            wait_for_all_of_it(window, stage)
            wide = window.find("#fold").is_hidden()
            wanted = (*MAIN[stage], "#now h2" if wide else "#ask", "header nav a[href$='rules']")
            window.find(wanted[0]).first.wait_for()
            found += [(stage, one) for one in out_of_reach(window, *wanted)]
            found += [(stage, one) for one in window.page.evaluate(_SMALL_LETTERS, LEAST_LETTER_PX)]
            found += [(stage, one) for one in window.page.evaluate(_BROKEN_ROWS)]
            found += [(stage, one) for one in window.page.evaluate(_ASKEW)]
        if stage == "showdown":
            daemon.do("undo")
            windows[0].find("#back [data-command=redo]").wait_for()
            assert windows[0].page.evaluate(_LINES, "#ask") <= MOST_LINES
            daemon.do("redo")
    assert not found, "\n".join(map(str, found))


MOST_OF_THE_SCREEN: Final = 0.55
"""What the bar may cover of a phone that is held upright."""
# The stops of the keyboard outside the bar that cannot be seen once they have the focus: their
# middle is off the screen or beneath something else.
_HIDDEN_STOPS: Final = """() => [...document.querySelectorAll("a, button, input, select, summary")]
  .filter((stop) => !stop.closest("#bar") && stop.tabIndex >= 0 && !stop.disabled
    && stop.checkVisibility({visibilityProperty: true}))
  .filter((stop) => {
    stop.focus();
    const {left, right, top, bottom} = stop.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return !on || !(stop.contains(on) || on.contains(stop));
  }).map((stop) => stop.outerHTML.slice(0, 160))"""
_OFF_SCREEN: Final = """(selector) => [...document.querySelectorAll(selector)]
  .filter((part) => part.getBoundingClientRect().bottom > innerHeight)
  .map((part) => part.outerHTML.slice(0, 160))"""
# What the bar and the board have in common, as a part of the board.
_COVERED_BOARD: Final = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [bar, board] = [box("#bar"), box("svg.board")];
  const common = (from, to) =>
    Math.max(0, Math.min(bar[to], board[to]) - Math.max(bar[from], board[from]));
  return common("left", "right") * common("top", "bottom") / (board.width * board.height);
}"""


@pytest.mark.parametrize("size", [(320, 568), (640, 360), (390, 844)])
def test_the_bar_covers_no_stop_of_the_keyboard(
    daemon: Daemon, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    width, height = size
    viewport = {"width": width, "height": height}
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=viewport, locale="de-DE")
    found: list[Any] = []
    for stage in walk(daemon):
        wait_for_all_of_it(window, stage)
        window.wait_for_frame()
        if width > height:
            found += [(stage, part) for part in [window.page.evaluate(_COVERED_BOARD)] if part > 0]
        else:
            covered = window.find("#bar").evaluate("bar => bar.offsetHeight / innerHeight")
            found += [(stage, part) for part in [covered] if part > MOST_OF_THE_SCREEN + 0.002]
        found += [(stage, stop) for stop in window.page.evaluate(_HIDDEN_STOPS)]
        window.page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        # Right after a night the button for another one is no part of the bar.
        found += [(stage, part) for part in window.page.evaluate(_OFF_SCREEN, "#bar .stage .main")]
    assert not found, "\n".join(map(str, found))


def test_six_players_count_on_the_smallest_phone(daemon: Daemon, open_window: OpenWindow) -> None:
    names = ["Anna", "Benjamin der Jüngere", "Zoë", "Dörte", "Emil", "Friederike"]
    daemon.do("start", ruleset="thirty-one", players=names, stack=60)
    daemon.do("deal")
    daemon.do("next")
    for seat in (2, 3, 4, 5, 6, 1):
        daemon.do("pass", seat=seat)
    daemon.do("out", seat=6)
    size = {"width": 360, "height": 640}
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=size, locale="de-DE")
    window.find("[data-number]").first.wait_for()
    wanted = (*MAIN["counting"], "#controls .pick[data-seat]", "#ask", "#back [data-command=undo]")
    assert not out_of_reach(window, *wanted)
    status, _ = daemon.ask("POST", "/api/board/press", {"button": "next", "ms": 20})
    assert status == 200
    window.find("#toast.shown").wait_for()
    assert not out_of_reach(window, *wanted[:-2], "#toast", "#back [data-command=undo]")


def test_undo_stays_on_the_screen_of_a_laptop(daemon: Daemon, open_window: OpenWindow) -> None:
    names = ["Anna", "Benjamin der Jüngere", "Zoë", "Dörte", "Emil", "Friederike"]
    daemon.do("start", ruleset="modern", players=names)
    daemon.do("deal")
    daemon.do("turn", card="9D")
    size = {"width": 1280, "height": 720}
    window = open_window(daemon, "desktop", viewport=size, locale="de-DE")
    window.find("[data-command=next]").wait_for()
    assert not out_of_reach(window, *MAIN["meld"], "#back [data-command=undo]", "#now h2")


def test_buy_in_stands_where_deal_stood(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"], stack=12)
    daemon.do("adjust", **{"from": "seat:2", "to": "bank", "chips": 10, "reason": "lost"})
    window = open_window(daemon, "phone", host=LAN_NAME, viewport={"width": 360, "height": 640})
    buy_in = window.find("#controls [data-command=rebuy]")
    buy_in.wait_for()
    assert buy_in.all_inner_texts() == ["Ben buys in for 12 chips"]
    assert window.find("[data-command=deal]").count() == 0
    Phone(window).tap("#controls [data-command=rebuy]")
    Phone(window).tap("[data-command=deal]")
    window.find("[data-command=next]").wait_for()


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_a_message_covers_no_control(daemon: Daemon, open_window: OpenWindow, kind: str) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, kind, host=LAN_NAME)
    wait_for_all_of_it(window, "pochen")
    before = window.find("[data-command=stake]").bounding_box()
    window.press("next")
    window.find("#toast.shown").wait_for()
    assert window.page.evaluate(_UNDER_THE_MESSAGE) == []
    assert not out_of_reach(window, "[data-command=stake]", "[data-command=pass]", "#toast")
    assert window.find("[data-command=stake]").bounding_box() == before


def test_the_board_can_be_folded_away_and_stays_so(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.find("svg.board").wait_for()
    window.tap("#fold")
    window.find("svg.board").wait_for(state="hidden")
    window.page.reload()
    window.wait_until_live()
    assert window.find("svg.board").is_hidden()
    window.tap("#fold[aria-expanded=false]")
    window.find("svg.board").wait_for()


def test_lights_are_not_drawn_while_the_board_is_folded(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.tap("#fold")
    window.find("svg.board").wait_for(state="hidden")
    window.page.evaluate("""() => new Promise(requestAnimationFrame).then(() => {
      window.drawn = 0;
      new MutationObserver((changes) => { drawn += changes.length; })
        .observe(document.querySelector("svg.board"), {attributes: true, subtree: true,
          attributeFilter: ["fill", "fill-opacity"]});
    })""")
    daemon.do("deal")
    daemon.do("claim", seat=2, pool="ace")
    window.find("#pool-ace .chips", has_text="0").wait_for(state="attached")
    assert window.page.evaluate("drawn") == 0
    window.tap("#fold")
    window.wait_until("the lights are drawn", lambda: window.page.evaluate("drawn"))


def test_beside_a_real_board_it_is_folded_at_first(
    make_daemon: Callable[..., Daemon], open_window: OpenWindow
) -> None:
    daemon = make_daemon(times=f'board = "pico"\n{TIMES}')
    daemon.expect("Pico")
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    assert window.find("#board").is_hidden()
    window.tap("#fold")
    window.find("svg.board").wait_for()


def test_a_large_screen_shows_the_next_step_after_a_form_further_down(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon, "desktop", viewport={"width": 1280, "height": 400})
    window.wait_until_live()
    above = "() => document.querySelector('#now').getBoundingClientRect().top < -1"
    window.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert window.page.evaluate(above)
    # Wherever a command is given, as by the keyboard here.
    window.find("[data-command=deal]:not([aria-disabled=true])").evaluate("one => one.click()")
    window.find("#phase[data-phase=meld]").wait_for()
    window.wait_until("the next step is in sight", lambda: not window.page.evaluate(above))
    window.find("#now", has_text="Show your cards").wait_for()
