"""Nothing moves sideways under a finger: no page, and no part of one but a wide table or chart.

On phones and larger screens, in German, whose words are longer, and with letters of twice the size.
"""

from __future__ import annotations

from typing import Final

from tests.browser.conftest import PHONE, OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import STAGES, reach
from tests.browser.test_accessibility import ELSEWHERE
from tests.browser.test_page import wait_for_all_of_it
from tests.browser.window import Window

SIZES: Final = (
    (320, 568),
    (360, 640),
    (640, 360),
    (768, 1024),
    (1280, 800),
)
TEXT_SIZES: Final = ("100%", "200%")
LONG_NAMES: Final = ["Maximiliane-Wilhelmine von und zu Hohenfels", "W" * 40, "Ö", "<b>Eve</b>"]
PAGES: Final = {
    "/nights": "a.plain",
    "/nights/1": "svg.chart",
    "/nights/1/rules": "dl",
    "/rules": "dl",
    "/rules/family": "dl",
    "/statistics": "#statistics .summary",
}
"""Pages after a night, and what each has once it is complete."""

# A wide table scrolls in a frame of its own. A line that ends in an ellipsis has more to it, and so
# has a field. What only screen readers read is in a tiny box that nobody sees.
_SIDEWAYS: Final = """async (sizes) => {
  const root = document.documentElement;
  const wide = (part) => part.scrollWidth > part.clientWidth + 1;
  const out = (part) => part.getBoundingClientRect().right > root.clientWidth + 1;
  const cut = (part) => {
    const {overflowX, textOverflow, webkitLineClamp} = getComputedStyle(part);
    const isShort = textOverflow === "ellipsis" || webkitLineClamp !== "none";
    return overflowX !== "visible" && !isShort && !part.matches("input, select");
  };
  const seen = (part) => part.checkVisibility() && !part.closest(".wide")
    && getComputedStyle(part).clipPath === "none";
  const found = [];
  for (const size of sizes) {
    root.style.fontSize = size;
    // What the page itself measures follows with the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const parts = [...document.querySelectorAll("body *:not(svg, svg *)")];
    found.push(...[
      ...[root].filter(wide),
      ...parts.filter((part) => wide(part) && cut(part) && seen(part)),
      ...parts.filter((part) => out(part) && ![...part.children].some(out) && seen(part)),
    ].map((part) =>
      `${size}: ${part.scrollWidth} in ${part.clientWidth}: ${part.outerHTML.slice(0, 160)}`));
  }
  root.style.fontSize = "";
  return found;
}"""


def sideways(window: Window) -> list[str]:
    """What is wider than its place, at each size of the window and of its letters."""
    wide: list[str] = []
    for width, height in SIZES:
        window.page.set_viewport_size({"width": width, "height": height})
        found = window.page.evaluate(_SIDEWAYS, TEXT_SIZES)
        wide += [f"{width} × {height}, {part}" for part in found]
    window.page.set_viewport_size(PHONE["viewport"])
    return wide


def assert_nothing(wide: list[str]) -> None:
    assert not wide, f"{len(wide)}\n" + "\n".join(wide)


def test_long_names(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("start", ruleset="modern", players=LONG_NAMES, places=[1, 3, 5, 8])
    window = open_window(daemon, "phone", host=LAN_NAME, locale="de-DE")
    wide: list[str] = []
    for stage, go in list(STAGES.items())[2:]:
        go(daemon)
        wait_for_all_of_it(window, stage)
        wide += [f"{stage}, {part}" for part in sideways(window)]
        if stage == "pochen":
            daemon.do("undo")
            window.find("#back [data-command=redo]").wait_for()
            status, _ = daemon.ask("POST", "/api/board/press", {"button": "next", "ms": 20})
            assert status == 200
            window.find("#toast.shown").wait_for()
            wide += [f"message, {part}" for part in sideways(window)]
            daemon.do("redo")
    for path, part in PAGES.items():
        window.open(path)
        window.find(part).first.wait_for()
        wide += [f"{path}, {part}" for part in sideways(window)]
    assert_nothing(wide)


def test_what_is_opened(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, locale="de-DE")
    wait_for_all_of_it(window, "lobby")
    window.tap(".house summary")
    wide = [f"house, {part}" for part in sideways(window)]
    window.tap("#settings")
    window.find("#drawer[open] h2").wait_for()
    wide += [f"drawer, {part}" for part in sideways(window)]
    window.page.keyboard.press("Escape")
    reach(daemon, "idle")
    wait_for_all_of_it(window, "idle")
    for name in ("rebuy", "join", "leave", "rename", "dealer", "adjust", "end"):
        window.tap(f"[data-open={name}]")
        window.find(f"#drawer [data-sheet={name}]").wait_for()
        wide += [f"{name}, {part}" for part in sideways(window)]
        window.page.keyboard.press("Escape")
    window.tap("#me")
    window.find("#who .pick").first.wait_for()
    wide += [f"who, {part}" for part in sideways(window)]
    watching = open_window(daemon, "phone", host=LAN_NAME, locale="de-DE", **ELSEWHERE)
    watching.find("#pairing").wait_for()
    wide += [f"pairing, {part}" for part in sideways(watching)]
    assert_nothing(wide)
