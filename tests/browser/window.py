"""A window on the page:

presses the simulated board's buttons, and reads everything that the page shows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from playwright.sync_api import Error

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Response, Route

    from tests.browser.daemons import Daemon
    from tests.browser.watch import Watch

Scheme = Literal["light", "dark"]

_STEP_MS: Final = 30
_LONGEST_STEP_MS: Final = 200
_PATIENCE_S: Final = 120

_READ: Final = """() => {
  const text = (selector, within = document) =>
    within.querySelector(selector)?.textContent.replace(/\\s+/g, " ").trim() ?? null;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const pixels = [];
  for (const dot of all("circle[data-pixel]")) pixels[dot.dataset.pixel] = dot.getAttribute("fill");
  return {
    phase: document.querySelector("#phase")?.dataset.phase ?? null,
    headline: text("#menu-title"),
    badge: text("#badge"),
    stale: document.querySelector("#stale")?.hidden === false ? text("#stale") : null,
    now: text("#ask"),
    toast: text("#toast.shown"),
    said: text("#said"),
    pools: Object.fromEntries(
      all(".bowls .bowl").map((pool) => [pool.dataset.bowl, text("b", pool)])),
    blocked: all(".bowl.blocked").map((pool) => pool.dataset.bowl),
    claimable: all(".bowl.claimable").map((pool) => pool.dataset.bowl),
    may: all("[data-shape].may").map((part) => part.dataset.shape),
    plaques: Object.fromEntries(all(".place.taken").map((place) =>
      [place.dataset.shape.slice(4), [text(".seat-name", place), text(".seat-chips", place)]])),
    dealers: all(".place.dealer").map((place) => Number(place.dataset.shape.slice(4))),
    chosen: all(".place.chosen").map((place) => Number(place.dataset.shape.slice(4))),
    turns: all(".place.turn").map((place) => Number(place.dataset.shape.slice(4))),
    seats: Object.fromEntries(all("#plates li").map((seat) => [seat.id.slice(5), {
      name: text(".name", seat), stack: text(".stack", seat), word: text(".word", seat),
      flags: seat.dataset.flags, turn: seat.classList.contains("turn"),
    }])),
    entries: all("#ledger li").map((line) => [Number(line.dataset.entry), text(".sentence", line)]),
    struck: all("#ledger li.struck").map((line) => Number(line.dataset.entry)),
    standings: all("#result .ranking li").map((row) =>
      [".name", ".stack", ".net"].map((part) => text(part, row))),
    pixels: document.body.classList.contains("shows-board") ? pixels : null,
  };
}"""
_FRAME: Final = """() => new Promise((resolve) =>
  requestAnimationFrame(() => setTimeout(resolve)))"""
# The point of a button above the bar at the lower edge of a phone, and what is on top there.
_MIDDLE: Final = """part => {
  part.scrollIntoView({block: "nearest"});
  const {left, top, width, height} = part.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  return {x, y, top: document.elementFromPoint(x, y)?.dataset?.button ?? null};
}"""


class Window:
    """A page on a daemon, in a browser context with its own cookies."""

    def __init__(
        self, page: Page, daemon: Daemon, watch: Watch, *, host: str, touch: bool = False
    ) -> None:
        self.language = "en"
        """The language that its page is expected to be in."""
        self.page = page
        self.daemon = daemon
        self.watch = watch
        self.host = host
        self.touch = touch
        self.devtools = page.context.new_cdp_session(page)
        self._streams = 0
        page.on("response", self._count_streams)

    def open(self, path: str = "/") -> None:
        """Goes to a page, by the name that this window knows the daemon under."""
        self.page.goto(self.daemon.url(path, self.host))

    def stop_clock(self) -> None:
        """From now on the page's time moves only by `page.clock`; before the page is opened."""
        self.page.clock.install(time=0)
        self.page.clock.pause_at(1)

    def pause_clock(self) -> None:
        """Stops the page's time, which `page.clock` has counted until now, a moment later."""
        ahead_s = 1
        while True:
            now_s = self.page.evaluate("Date.now() / 1000")
            try:
                return self.page.clock.pause_at(now_s + ahead_s)
            except Error as error:
                # On a busy machine that moment is over by then.
                if "to the past" not in error.message:
                    raise
                ahead_s *= 2

    # Reading.

    def seen(self) -> dict[str, Any]:
        """All that the page shows, at one moment."""
        found: dict[str, Any] = self.page.evaluate(_READ)
        return found

    def wait_until(self, said: str, holds: Callable[[], object]) -> None:
        """Waits until a condition holds; on failure, says which one never did."""
        self.wait_until_equal(lambda: [] if holds() else [f"never came: {said}"])

    def wait_until_equal(self, differences: Callable[[], list[str]]) -> None:
        """Waits until there are no differences, and fails with the last ones.

        It looks less and less often, because looking takes the processor from what it waits for.
        """
        deadline, step_ms = time.monotonic() + _PATIENCE_S, _STEP_MS
        while left := differences():
            assert time.monotonic() < deadline, "\n".join(left)
            self.page.wait_for_timeout(step_ms)
            step_ms = min(step_ms * 2, _LONGEST_STEP_MS)

    def wait_until_live(self) -> None:
        """Waits for the first event from the daemon, or the first one after a silence."""
        self.page.locator("body.live").wait_for()

    def wait_for_newest_entry(self) -> None:
        """Waits until the table shows what was recorded last, perhaps from elsewhere.

        Until then it may be drawn again under a tap, and what is open may close.
        """
        newest = self.daemon.get("/api/state")["entry"]
        self.find(f"#ledger li[data-entry='{newest}']").wait_for(state="attached")

    def wait_until_controls_act(self) -> None:
        """In the first moments after a change no control does, except to say why."""
        self.find("[aria-disabled=true]:not([data-dead])").first.wait_for(state="detached")

    def wait_for_frame(self) -> None:
        """Waits until the page has drawn what it knows by now."""
        self.page.evaluate(_FRAME)

    def choose_scheme(self, scheme: Scheme) -> None:
        """Chooses colours; returns once the page is drawn in them, and nothing moves."""
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self.wait_for_frame()

    @contextmanager
    def reconnecting(self) -> Iterator[None]:
        """Waits at its end until the page follows again by itself."""
        before = self._streams
        yield
        self.wait_until("a new stream of events", lambda: self._streams > before)

    def _count_streams(self, response: Response) -> None:
        if "/api/events" in response.url and response.ok:
            self._streams += 1

    def find(self, selector: str, **how: str | re.Pattern[str]) -> Locator:
        """A part of the page."""
        return self.page.locator(selector, **how)  # type: ignore[arg-type]

    def tap(self, selector: str) -> None:
        """Taps on a phone, clicks elsewhere; scrolls there and waits until that is possible.

        What is in the menu is tapped there.
        """
        part = self.page.locator(selector)
        part.first.wait_for(state="attached")
        if part.first.evaluate("one => one.closest('#menu:not([open])') !== null"):
            self.tap("#dots")
        if self.touch:
            part.tap()
        else:
            part.click()

    def hold(self, *patterns: str) -> list[Route]:
        """Lets requests to these addresses wait for the test, which finds them in this list."""
        held: list[Route] = []

        def keep(route: Route) -> None:
            held.append(route)

        for pattern in patterns:
            self.page.route(pattern, keep)
        return held

    # Pressing.

    def press(self, button: str) -> None:
        """A short press; returns once the page knows its result."""
        with self._answer_to(button):
            self._down(button)
            self._up()

    @contextmanager
    def holding(self, button: str) -> Iterator[None]:
        """Holds a button while the context lasts, and for as long as its long press takes."""
        with self._answer_to(button):
            self._down(button)
        try:
            yield
        finally:
            self._up()

    @contextmanager
    def _answer_to(self, button: str) -> Iterator[None]:
        """Waits at its end until the daemon has answered a press of this button."""

        def is_of_it(response: Response) -> bool:
            if "/api/board/press?" not in response.url:
                return False
            sent: Any = response.request.post_data_json
            return bool(sent["button"] == button)

        with self.page.expect_response(is_of_it) as answer:
            yield
        answer.value.finished()

    def _down(self, button: str) -> None:
        x, y = self._middle(button)
        if self.touch:
            self._touch("touchStart", {"x": x, "y": y})
        else:
            self.page.mouse.move(x, y)
            self.page.mouse.down()

    def _up(self) -> None:
        if self.touch:
            self._touch("touchEnd")
        else:
            self.page.mouse.up()

    def _touch(self, kind: str, *points: dict[str, float]) -> None:
        self.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [*points]})

    def _show(self, button: str) -> Locator:
        """A button of the board, which is shown in place of the table if it is not."""
        part = self.page.locator(f'button[data-button="{button}"]')
        part.wait_for(state="attached")
        if part.is_hidden():
            self.tap("[data-view=board]")
        return part

    def _middle(self, button: str) -> tuple[float, float]:
        """Where to press, once this button is on top there.

        The bar at the lower edge of a phone may still grow with the state that was just published.
        """
        part, found = self._show(button), dict[str, Any]()

        def covered() -> list[str]:
            found.update(part.evaluate(_MIDDLE))
            top = found["top"]
            return [] if top == button else [f"at the middle of {button} is {top}"]

        self.wait_until_equal(covered)
        return found["x"], found["y"]
