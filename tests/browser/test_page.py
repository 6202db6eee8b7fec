"""What the page asks for and is allowed, and whether fingers can hit its controls."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest
from playwright.sync_api import Route

from pochboard.geometry import face as faces
from pochboard.server.web_files import static_path
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import phase_of, reach
from tests.browser.window import Window

FINGER_PX: Final = 44
# The target of a finger: the control itself, or the label that belongs to it. Links within a
# sentence are as high as its lines, everywhere.
_TARGETS: Final = """() => [...document.querySelectorAll(
    "button, a[href], input, select, summary, [role=button]")]
  .map((one) => [one, one.closest("label") ?? one])
  .filter(([one]) => one.checkVisibility({visibilityProperty: true}) && !one.closest(".quiet"))
  .filter(([one]) => !(one.localName === "a" && one.closest("p, h2")
    && !one.matches(".plain, .link")))
  .map(([one, target]) => {
    const {width, height} = target.getBoundingClientRect();
    return [one.outerHTML.slice(0, 120), Math.round(width * 10) / 10, Math.round(height * 10) / 10];
  })"""

# The innermost parts that reach out over the right edge.
_TOO_WIDE: Final = """() => {
  const edge = document.documentElement.clientWidth + 1;
  if (document.documentElement.scrollWidth <= edge) return [];
  const out = (one) => one.checkVisibility({visibilityProperty: true})
    && one.getBoundingClientRect().right > edge;
  return [...document.body.querySelectorAll("*")]
    .filter((one) => out(one) && ![...one.children].some(out))
    .map((one) => one.outerHTML.slice(0, 200));
}"""


# The drawing in mm from the middle of the board, and what a tap on each of its buttons hits.
_BOARD_IN_MM: Final = """(radius) => {
  const frame = document.querySelector(".board").getBoundingClientRect();
  const rim = document.querySelector(".rim").getBoundingClientRect();
  const mm = 2 * radius / rim.width;
  const unit = radius / document.querySelector(".rim").r.baseVal.value;
  const [x, y] = [frame.left + frame.width / 2, frame.top + frame.height / 2];
  const disc = (one) => {
    const {left, top, width, height} = one.getBoundingClientRect();
    // A circle that is turned has a larger box.
    const r = one.r.baseVal.value;
    return [(left + width / 2 - x) * mm, (top + height / 2 - y) * mm, 2 * r * unit];
  };
  const middle = (one) => {
    const {left, top, width, height} = one.getBoundingClientRect();
    return [(left + width / 2 - x) * mm, (top + height / 2 - y) * mm];
  };
  const parts = [...document.querySelectorAll("[data-shape]")];
  const named = (of) => Object.fromEntries(parts.map((one) => [one.dataset.shape, of(one)]));
  const caps = named((one) => disc(one.querySelector(".cap")));
  const hit = ([across, down]) => document.elementFromPoint(x + across / mm, y + down / mm);
  return {
    pixels: [...document.querySelectorAll("circle[data-pixel]")]
      .sort((one, other) => one.dataset.pixel - other.dataset.pixel).map(disc),
    caps,
    buttons: Object.fromEntries(Object.entries(caps).map(([name, cap]) =>
      [name, hit(cap)?.dataset.button])),
    pools: Object.fromEntries(parts.filter((one) => one.matches(".pool"))
      .map((one) => [one.dataset.shape, disc(one.querySelector(".lip"))])),
    collars: [...document.querySelectorAll(".place .collar")].map((one) =>
      [middle(one), middle(one.parentElement.querySelector("[data-pixel]"))]),
  };
}"""


def wait_for_all_of_it(window: Window, stage: str) -> None:
    """Waits until a table shows all that it has to show: the newest state of this stage."""
    window.wait_until_live()
    window.find(f"#phase[data-phase={phase_of(stage)}]").wait_for()
    between = {
        "lobby": "[name=ruleset] option",
        "closed": "#result .ranking, [name=ruleset] option",
    }
    window.find(between.get(stage, "#controls")).first.wait_for(state="attached")
    if stage not in ("lobby", "closed"):
        window.find("#more button").first.wait_for(state="attached")
        window.wait_for_newest_entry()
        counts = (window.daemon.get("/api/state")["pending"] or {}).get("counts", ())
        for seat, _ in counts[-1] if counts else ():
            window.find(f"#seat-{seat}[data-flags~=cards]").wait_for(state="attached")


def test_the_page_asks_nobody_else_and_brings_its_state(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    held = window.hold("**/api/**")
    window.open()
    window.find("body:not(.undrawn, .waiting)").wait_for()
    window.find("#board .board").wait_for(state="attached")
    assert window.find("#badge").text_content() == "connecting"
    # A tap meanwhile is sent, and counts.
    window.tap("#controls [data-command=pass]")
    window.find("[data-command=pass][aria-busy=true]").wait_for()
    # The state may be old by now, and the daemon another one.
    daemon.kill()
    daemon.start()
    window.watch.expect_outages()
    for route in held:
        route.continue_()
    window.page.unroute_all()
    wait_for_all_of_it(window, "pochen")
    window.wait_until("the pass", lambda: daemon.get("/api/state")["to_act"] == 2)
    asked = [sent.url for sent in window.watch.requests]
    assert all(url.startswith(daemon.url("/", LAN_NAME)) for url in asked), asked


def test_files_are_kept_and_the_state_of_a_page_out_of_the_history_is_not(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone")
    wait_for_all_of_it(window, "meld")
    window.page.reload()
    wait_for_all_of_it(window, "meld")
    kept = "performance.getEntriesByType('resource').filter(({transferSize}) => !transferSize)"
    names: list[str] = window.page.evaluate(f"{kept}.map(({{name}}) => name)")
    files = {sent.url for sent in window.watch.requests if static_path() in sent.url}
    assert files - {*names} == {daemon.url(f"/{static_path()}icon.svg")} & files
    # A page from the history is as it was then, with its embedded data.
    window.open("/nights")
    window.page.go_back()
    wait_for_all_of_it(window, "meld")
    module = f'import("/{static_path()}requests.js")'
    assert window.page.evaluate(f'{module}.then(({{ embedded }}) => embedded("state"))') is None


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_a_page_from_before_an_update_loads_itself_again(
    daemon: Daemon, open_window: OpenWindow, path: str
) -> None:
    window = open_window(daemon, path=None)
    window.watch.expect_outages()
    window.watch.expect_refusals(404)
    window.open(path)
    window.wait_until_live()
    window.page.evaluate("document.body.id = 'old'")

    def is_gone(route: Route) -> None:
        if route.request.method == "HEAD":
            route.fulfill(status=404)
        else:
            route.fallback()

    window.page.route("**/connection.js", is_gone, times=1)
    daemon.kill()
    daemon.start()
    window.find("body#old").wait_for(state="detached")
    window.wait_until_live()


def test_the_drawn_board_is_the_board_that_is_built(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "desktop")
    wait_for_all_of_it(window, "lobby")
    face = daemon.get("/api/board/face")
    seen = window.page.evaluate(_BOARD_IN_MM, face["radius"])
    assert set(seen["buttons"]) == set(face["buttons"])
    near = partial(pytest.approx, abs=0.5)
    built = faces.face(8, face["pixels_per_ring"])
    for pixel, inlay in zip(seen["pixels"], built.inlays, strict=True):
        assert pixel == near([*inlay.centre, inlay.width])
    # The light of each place is in the middle of its collar.
    assert len(seen["collars"]) == 8
    for collar, pixel in seen["collars"]:
        assert collar == near(pixel)
    # A tap on a button of the drawing presses it.
    for name, spot in face["buttons"].items():
        assert seen["caps"][name] == near([*spot, face["button"]])
        assert seen["buttons"][name] == name
    for pool in face["pools"]:
        assert seen["pools"][pool["pool"]] == near([pool["x"], pool["y"], 2 * pool["flange"]])


def test_fingers_hit_all_that_belongs_to_a_replay(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "closed")
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    for path in ("/nights", "/nights/1"):
        window.open(path)
        window.find("a.plain").first.wait_for()
        assert not small_targets(window), path
        assert_fits(window)


def small_targets(window: Window) -> list[str]:
    """Targets that are too small for a finger."""
    targets = window.page.evaluate(_TARGETS)
    assert targets
    return [
        f"{width} × {height}: {what}"
        for what, width, height in targets
        if min(width, height) < FINGER_PX
    ]


def assert_fits(window: Window) -> None:
    """Nothing makes the page scroll sideways."""
    too_wide = window.page.evaluate(_TOO_WIDE)
    assert not too_wide, "\n".join(too_wide)


def test_the_ledger_on_the_table_keeps_the_latest_entries(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon)
    window.wait_until_live()
    for _ in range(20):
        daemon.do("deal")
        daemon.do("void")
    lines = window.find("#ledger li")
    window.find("#ledger li[data-entry='41']").wait_for(state="attached")
    assert lines.count() == 30
    window.tap("#story button.plain")
    window.find("#ledger li[data-entry='1']").wait_for(state="attached")
    daemon.do("deal")
    window.find("#ledger li[data-entry='42']").wait_for(state="attached")
    assert lines.count() == 42
