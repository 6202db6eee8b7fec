"""The simulated board's buttons on a phone with a slow network, and on one that disappears.

Daemon and page run as shipped, with their real clocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.daemons import Daemon
from tests.browser.slow_link import SlowLink
from tests.browser.window import Window

_TAP = """(button) => {
  for (const kind of ["keydown", "keyup"]) {
    button.dispatchEvent(new KeyboardEvent(kind, { key: " ", code: "Space", bubbles: true }));
  }
}"""
"""Even a busy machine cannot delay the up after the down."""


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon as it is shipped. Seat 2 at place 2 is to act."""
    daemon = make_daemon(shipped=True)
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    daemon.do("deal")
    daemon.do("next")
    return daemon


@pytest.fixture
def delay_s() -> float:
    """Twice as late as elsewhere: an answer takes as long as a long press."""
    return 0.4


def tap(far_phone: Window, button: str) -> None:
    with far_phone.edge(button, down=False):
        far_phone._show(button).evaluate(_TAP)


def hold_until(far_phone: Window, button: str, said: str, holds: Callable[[], object]) -> None:
    """Holds a button until a condition is true.

    On a busy machine the page may be silent for so long that the daemon releases the button. So it
    is pressed again after that time, and held longer each time.
    """
    patience_s, pressed_s = 5.0, float("-inf")

    def is_so() -> bool:
        nonlocal patience_s, pressed_s
        if time.monotonic() > pressed_s + patience_s:
            far_phone._up(button, "focus")
            far_phone._down(button, "focus")
            patience_s, pressed_s = 1.5 * patience_s, time.monotonic()
        return bool(holds())

    far_phone.wait_until(said, is_so)
    far_phone._up(button, "focus")


def state(daemon: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = daemon.get("/api/state")
    return found


def test_a_tap_stays_a_tap_and_a_hold_a_hold(daemon: Daemon, far_phone: Window) -> None:
    tap(far_phone, "seat2")
    assert (state(daemon)["pending"], state(daemon)["to_act"]) == ({"seat": 2, "chips": 1}, 2)
    tap(far_phone, "undo")
    assert not state(daemon)["pending"]
    hold_until(far_phone, "seat2", "the seat has passed", lambda: state(daemon)["to_act"] == 3)


def test_next_held_for_three_seconds_opens_pairing(daemon: Daemon, far_phone: Window) -> None:
    hold_until(far_phone, "next", "the window is open", lambda: state(daemon)["pairing"]["open"])


def test_a_phone_out_of_reach_presses_nothing(
    daemon: Daemon, link: SlowLink, far_phone: Window
) -> None:
    before = state(daemon)
    far_phone.watch.expect_outages()
    link.cut_after = b'"down":true'
    far_phone._down("seat2", "focus")
    far_phone.wait_until("the press has arrived", lambda: link.is_cut)
    far_phone.page.wait_for_timeout(4_000)  # the daemon has released it after 2 s
    after = state(daemon)
    for fact in ("entry", "to_act", "pending"):
        assert after[fact] == before[fact]
