"""A whole night by keyboard:

everything can be reached and is read aloud, and the focus is never lost.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.browser.conftest import KINDS, OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.window import Window

_MOST_TABS: Final = 90

# What a screen reader has been told: the texts of live regions, as they change.
_LISTEN: Final = """() => {
  window.told = [];
  for (const region of document.querySelectorAll("[aria-live], [role=alert]")) {
    new MutationObserver(() => told.push(region.textContent.trim()))
      .observe(region, {childList: true, characterData: true, subtree: true});
  }
}"""


class Keyboard:
    """Reaches controls with the tab key and nothing else."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.keys = window.page.keyboard

    def reach(self, selector: str) -> None:
        """Continues from the focused control, and goes round once if necessary."""
        self.window.find(selector).first.wait_for()
        for _ in range(_MOST_TABS):
            self.keys.press("Tab")
            if self.window.page.evaluate("one => document.activeElement.matches(one)", selector):
                return
        raise AssertionError(f"the tab key does not lead to {selector}")

    def do(self, selector: str, *words: str) -> None:
        """Presses Enter on a control, and waits until these words are said."""
        self.reach(selector)
        # In the first moments after a change nothing counts.
        self.window.find(f"{selector}:not([aria-disabled=true])").first.wait_for()
        self.keys.press("Enter")
        self.told(*words)
        self.window.wait_until(
            f"the focus after {selector}",
            lambda: self.window.page.evaluate("document.activeElement !== document.body"),
        )

    def told(self, *words: str) -> None:
        """A screen reader has been told all of these since the last time."""

        def missing() -> list[str]:
            said = self.window.page.evaluate("told")
            left = [word for word in words if not any(word in one for one in said)]
            return [f"{word} is not in {said}" for word in left]

        self.window.wait_until_equal(missing)
        # Nothing is said twice.
        said = self.window.page.evaluate("told.filter(Boolean)")
        assert len(set(said)) == len(said), said
        self.window.page.evaluate("told.splice(0)")


def test_a_night_by_keyboard(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, host=LAN_NAME)
    window.wait_until_live()
    window.page.evaluate(_LISTEN)
    keyboard = Keyboard(window)
    keyboard.keys.press("Tab")
    assert window.page.evaluate("document.activeElement.id") == "skip"
    keyboard.keys.press("Enter")
    for name in ("Anna", "Ben", "Clara"):
        keyboard.reach("#start [name=player]")
        keyboard.keys.type(name)
    keyboard.do("[data-command=start]", "A night begins: family.")
    keyboard.do("[data-command=deal]", "Anna deals", "Which suit is trumps?")
    keyboard.reach("[data-turn=later]")
    keyboard.keys.press("Enter")
    keyboard.told("Show your cards")
    keyboard.reach("#plates [data-seat='2']")
    keyboard.keys.press("Enter")
    keyboard.do("[data-pool=ace]", "Ben takes Ace")
    keyboard.do("[data-command=next]", "Melding is over.", "Ben’s turn")
    keyboard.do("[data-command=stake]", "Ben knocks", "Clara’s turn: 1 chip to stay in")
    keyboard.do("[data-command=pass]", "Clara passes.")
    keyboard.do("[data-command=stake]", "Anna ")
    keyboard.reach("#plates [data-seat='2']")
    keyboard.keys.press("Enter")
    keyboard.do("[data-command=showdown]", "Ben")
    keyboard.do("[data-command=out]", "Anna has played the last card.")
    # One that is not possible says why, after the first moments in which nothing counts.
    window.find("[data-command=undo]:not([aria-disabled=true])").wait_for()
    keyboard.reach("[data-number='2']")
    keyboard.keys.press("Enter")
    window.find("#plates [data-seat='3'][aria-pressed=true]").wait_for()
    window.page.wait_for_timeout(500)  # a second Enter would be a double one
    keyboard.do("[data-number='2']", "Anna gets 2 from Ben")
    keyboard.reach("#controls [data-end]")
    keyboard.keys.press("Enter")
    keyboard.do("[data-sheet=end] [data-command=end]", "The night is over")
    window.find("#result .ranking").wait_for()


_ORDER: Final = """() => {
  const places = [...document.querySelectorAll("#bar :is(button, input)")]
    .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect());
  return places.filter(({bottom}, i) => i && bottom <= places[i - 1].top).length;
}"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_tab_key_follows_what_is_seen(
    daemon: Daemon, open_window: OpenWindow, kind: str
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, kind, host=LAN_NAME)
    window.wait_until_live()
    window.find("#back [data-command=undo]").wait_for()
    window.find("#plates [data-seat]").first.wait_for()
    assert window.page.evaluate(_ORDER) == 0
