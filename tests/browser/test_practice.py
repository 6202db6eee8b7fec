"""A practice deal on a phone: the coach, the pools that it rings, and the hand that is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_bots import FASTEST, SHORT, set_speed
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window

_READ = """() => {
  const practice = document.querySelector("#practice");
  const due = (selector) => practice?.querySelector(`${selector}:enabled`) ? selector : null;
  const named = (all) => [...all].map((one) => one.dataset.bowl);
  return {
    lesson: practice?.dataset.lesson ?? null,
    taught: named(document.querySelectorAll(".bowl.taught")),
    tap: due("[data-read]") ?? due(".advised [data-lay]") ?? due(".actions .main")
      ?? due("[data-action=next]"),
  };
}"""

_LEFT = """() => {
  const {scrollHeight, clientHeight} = document.querySelector("#bar");
  return [scrollHeight - clientHeight].filter((left) => left > 1);
}"""

_TAP = """([lesson, selector]) => {
  document.querySelector(`#practice[data-lesson="${lesson}"] ${selector}:enabled`)?.click();
}"""


def begin(daemon: Daemon, window: Window) -> None:
    window.tap("#learn")
    window.find("#practice").wait_for()
    set_speed(daemon, FASTEST)


def play(window: Window, look: Callable[[str], None]) -> dict[str, set[str]]:
    """Does what the coach says, until the end; the pools that were ringed in each lesson."""
    ringed: dict[str, set[str]] = {}
    while True:
        now: dict[str, Any] = {}

        def is_due(now: dict[str, Any] = now) -> bool:
            now.update(window.page.evaluate(_READ))
            return bool(now["tap"]) or now["lesson"] is None

        window.wait_until("something to tap", is_due)
        lesson = now["lesson"]
        if lesson is None:
            return ringed
        if lesson not in ringed:
            look(lesson)
        ringed.setdefault(lesson, set()).update(now["taught"])
        # What has just been tapped may be gone by now, and another lesson be there.
        window.page.evaluate(_TAP, [lesson, now["tap"]])


def test_a_practice_teaches_every_stage_on_a_small_phone(
    make_daemon: Callable[..., Daemon], open_window: OpenWindow
) -> None:
    daemon = make_daemon(times=SHORT)
    size = {"width": 360, "height": 640}
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=size, locale="de-DE")
    window.language = "de"  # its words are longer
    # A tap that comes too late for its moment is refused, as at any table.
    window.watch.expect_refusals(409)
    window.find("#learn").wait_for()
    begin(daemon, window)
    looks: list[str] = []

    def look(lesson: str) -> None:
        looks.extend(f"{lesson}: {one}" for one in small_targets(window))
        if lesson in ("meld", "lead"):
            looks.extend(f"{lesson}: {one}" for one in violations(window))
        assert_fits(window)
        # All is in sight, and the controls of the table are not in the way.
        looks.extend(f"{lesson}: scrolls by {left}" for left in window.page.evaluate(_LEFT))
        assert not window.find("#controls").is_visible()

    ringed = play(window, look)
    assert not looks, "\n".join(looks)
    family = daemon.get("/api/nights/1/json")["parameters"]
    assert ringed["board"] == set(family["ante_pools"])
    assert ringed["bet"] == {"poch", family["bet_pool"]}
    assert ringed["left"] == ringed["night"] == {"sequence"}
    window.find("#phase[data-phase=closed]").wait_for()
    window.find("#start").wait_for()
    window.find(".practising, .bowl.taught").first.wait_for(state="detached")
    assert daemon.get("/api/nights") == []


def test_the_hand_survives_a_reload_and_leaving_ends_the_night(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    # The hand may be asked for just when the practice ends.
    window.watch.expect_refusals(409)
    other = open_window(daemon, host=LAN_NAME)
    begin(daemon, window)
    # Others are asked before they see a night of bots, with their own controls.
    other.find("#elsewhere h2", has_text="Somebody is learning Poch on another phone").wait_for()
    assert window.find("#elsewhere").is_hidden()
    other.tap("#elsewhere [data-watch]")
    other.find("#elsewhere").wait_for(state="hidden")
    other.find("#cards [data-holder]").first.wait_for()
    other.find("#learn").wait_for(state="detached")
    assert other.find("#practice").count() == 0
    window.page.reload()
    window.find("#practice[data-lesson=welcome] [data-read]").wait_for()
    window.tap("#practice [data-leave]")
    window.find("#phase[data-phase=closed]").wait_for()
    window.find("#learn").wait_for()
    window.wait_until(
        "no seat", lambda: window.page.evaluate("sessionStorage.getItem('seat')") is None
    )
