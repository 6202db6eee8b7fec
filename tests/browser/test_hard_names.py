"""Eight players with difficult names, and pools of 300, on the pages after a night."""

from __future__ import annotations

import re
from base64 import b64encode
from itertools import combinations
from typing import Final

from playwright.sync_api import ViewportSize

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_page import wait_for_all_of_it
from tests.browser.window import Window

NAMES: Final = (
    '<b>Bold</b> & "Q"',
    "👩‍👩‍👧‍👦 Smith 🎲",
    "שרה בת־אברהם",
    "Ottilie-Wilhelmine von und zu Hohenstein",
    "محمد",
    "Zoë",
    "W" * 40,
    "O’Brien",
)  # fmt: skip
POOLS: Final = ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke")
_OUTSIDE: Final = """() => [...document.querySelectorAll("main *")]
  .filter((part) => part.getClientRects().length && !part.closest(".wide, svg, .quiet"))
  .filter((part) => getComputedStyle(part).clipPath === "none")
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5)
  .map((part) => part.outerHTML.slice(0, 120))"""

_BROKEN: Final = """() => [...document.querySelectorAll(".stack, .net")]
  .filter((part) => part.checkVisibility() && part.offsetHeight > 1.6 * parseFloat(
    getComputedStyle(part).fontSize) || part.scrollWidth > part.offsetWidth)
  .map((part) => part.outerHTML)"""
_OUT_OF_CHARTS: Final = """() => [...document.querySelectorAll("svg.chart *")]
  .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right
    > part.ownerSVGElement.getBoundingClientRect().right + 0.5)
  .map((part) => part.outerHTML)"""
_RECORD_LINES: Final = """() => {
  window.lines = [];
  const pen = CanvasRenderingContext2D.prototype;
  const write = pen.fillText;
  pen.fillText = function (said, x, y) {
    const box = this.measureText(said);
    window.lines.push({
      said,
      left: x - box.actualBoundingBoxLeft,
      right: x + box.actualBoundingBoxRight,
      top: y - box.actualBoundingBoxAscent,
      low: y + box.actualBoundingBoxDescent,
      px: parseFloat(/([0-9]+)px/.exec(this.font)[1]),
    });
    write.call(this, said, x, y);
  };
}"""
"""Keeps what is written in a picture, where, and how large."""
_DECODED: Final = """async (written) => {
  const bytes = Uint8Array.from(atob(written), (byte) => byte.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  return [picture.width, picture.height];
}"""
MOST_OF_A_PICTURE: Final = 600_000
"""What a chat sends without making it smaller, in bytes."""
_PAPER: Final[ViewportSize] = {"width": 703, "height": 1031}
"""A4 without its margins, in CSS pixels."""


def play(daemon: Daemon) -> None:
    daemon.do("start", ruleset="family", players=NAMES, stack=5000)
    daemon.do("deal")
    for pool in POOLS:
        fields = {"from": "bank", "to": f"pool:{pool}", "chips": 300, "reason": "<i>x</i>"}
        daemon.do("adjust", **fields)
    daemon.do("claim", seat=4, pool="ace")
    daemon.do("next")
    while (to_act := daemon.get("/api/state")["to_act"]) is not None:
        if to_act == 4:
            daemon.do("stake", seat=4, chips=20)
        else:
            daemon.do("pass", seat=to_act)
    daemon.do("out", seat=4)
    daemon.do("settle", cards={str(seat): 1 for seat in (1, 2, 3, 5, 6, 7, 8)})
    daemon.do("end")


def shown(window: Window, selector: str) -> set[str]:
    return {name.strip() for name in window.find(selector).all_text_contents()}


def test_long_names_of_pools_stay_within_the_board(daemon: Daemon, open_window: OpenWindow) -> None:
    pools = [{"at": pool, "name": f"{'M' * 19}{number}"} for number, pool in enumerate(POOLS)]
    daemon.do("start", ruleset="family", players=["Anna", "Ben"], options={"pool": pools})
    daemon.do("deal")
    window = open_window(daemon, "phone", viewport={"width": 360, "height": 640})
    wait_for_all_of_it(window, "meld")
    assert window.page.evaluate("document.documentElement.scrollWidth") == 360
    wider = """() => [...document.querySelectorAll(".bowl span")].filter((name) =>
      name.getBoundingClientRect().width > name.parentElement.getBoundingClientRect().width)"""
    assert window.page.evaluate(wider) == []


def test_names_and_numbers_fit_and_a_night_is_printed_and_shared(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    play(daemon)
    window = open_window(
        daemon, "phone", path="/nights/1#11", viewport={"width": 360, "height": 640}
    )
    for path, wanted, names in (
        ("/nights/1#11", "#settlement .payments li", "#charts .name"),
        ("/", "#settlement .payments li", "#result .name"),
        ("/statistics", "ul.heads li", "table.people td:first-child"),
    ):
        window.open(path)
        window.find(wanted).first.wait_for()
        if path == "/nights/1#11":
            window.tap("#chart-table summary")
        assert shown(window, names) == set(NAMES), path
        assert window.find("main b:text-is('Bold'), main i:text-is('x')").count() == 0
        assert window.page.evaluate(_OUT_OF_CHARTS) == [], path
        # Numbers stay on one line.
        assert window.page.evaluate(_BROKEN) == [], path
        assert window.page.evaluate(_OUTSIDE) == [], path
        assert window.page.evaluate("document.documentElement.scrollWidth") == 360, path
        assert violations(window) == []
    prints(window)


def prints(window: Window) -> None:
    """The night is shared as a picture, and printed on one page."""
    window.open("/nights/1")
    window.find("#chart-table").wait_for()
    window.find("#settlement .payments li").first.wait_for()
    window.page.evaluate(_RECORD_LINES)
    with window.page.expect_download() as shared:
        window.tap("#share")
    picture = shared.value.path().read_bytes()
    width, height = window.page.evaluate(_DECODED, b64encode(picture).decode())
    assert width == 1080
    assert len(picture) < MOST_OF_A_PICTURE
    lines = window.page.evaluate("lines")
    for line in lines:
        assert 0 <= line["left"] <= line["right"] <= width, line
        assert 0 <= line["top"] <= line["low"] <= height, line
    for one, other in combinations(lines, 2):
        beside = one["right"] <= other["left"] or other["right"] <= one["left"]
        below = one["low"] <= other["top"] or other["low"] <= one["top"]
        assert beside or below, (one, other)
    # Each name is written at least from its beginning, and the result large enough for a preview.
    said = [line["said"] for line in lines]
    night = window.daemon.get("/api/nights/1")
    for row in night["standings_rows"]:
        assert row["net_text"] in said
        assert any(
            line == row["name"] or (line[-1:] == "…" and row["name"].startswith(line[:-1].strip()))
            for line in said
        ), row["name"]
    result = night["standings_rows"][0]["net_text"]
    assert max(line["px"] for line in lines if line["said"] == result) >= width / 10
    printed = window.page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    window.page.emulate_media(media="print")
    window.page.set_viewport_size(_PAPER)
    assert window.page.evaluate(_OUTSIDE.replace(".wide, ", "")) == []
    text = window.find("main").inner_text()
    for part in (*NAMES, "For 2 to 8 players.", "Deal 1", "5915", "+915", "115 chips"):
        assert part in text, part
    for part in ("#board", "#replay", "#entries", "#downloads"):
        assert not window.find(part).is_visible(), part
    window.page.set_viewport_size({"width": 360, "height": 640})
    # On the page of the table there is a link that prints.
    window.page.add_init_script("window.print = () => { window.printed = true; }")
    window.page.emulate_media(media="screen")
    window.open("/")
    # The lobby shows a name of ten letters whole.
    window.tap("[data-otherwise]")
    name = window.find("#start [name=player]").first
    name.fill("Friederike")
    assert name.evaluate("field => field.scrollWidth <= field.clientWidth")
    window.open("/")
    window.tap("a#print")
    window.page.wait_for_url("**/nights/1?print*")
    window.wait_until("it is printed", lambda: window.page.evaluate("window.printed === true"))
