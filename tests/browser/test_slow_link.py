"""The simulated board's buttons on a phone with a slow network, and on one that disappears.

Daemon and page run as shipped, with their real clocks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.slow_link import SlowLink, slow_link
from tests.browser.window import KEYS, Window

DELAY_S = 0.4

_TAP = """(key) => {
  for (const kind of ["keydown", "keyup"]) {
    document.body.dispatchEvent(new KeyboardEvent(kind, { key, code: key, bubbles: true }));
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
def link(daemon: Daemon) -> Iterator[SlowLink]:
    with slow_link(daemon.port, DELAY_S) as link:
        yield link


@pytest.fixture
def phone(daemon: Daemon, link: SlowLink, open_window: OpenWindow) -> Window:
    """A phone behind the slow link."""
    window = open_window(daemon, "phone", path=None)
    window.page.goto(f"http://127.0.0.1:{link.port}/")
    window.wait_until_live()
    return window


def tap(phone: Window, button: str) -> None:
    with phone.edge(button, down=False):
        phone.page.evaluate(_TAP, KEYS[button])


def hold_until(phone: Window, button: str, said: str, holds: Callable[[], object]) -> None:
    """Holds a button until a condition is true.

    On a busy machine the page may be silent for so long that the daemon releases the button. So it
    is pressed again after that time, and held longer each time.
    """
    patience_s, pressed_s = 5.0, float("-inf")

    def is_so() -> bool:
        nonlocal patience_s, pressed_s
        if time.monotonic() > pressed_s + patience_s:
            phone._up(button, "key")
            phone._down(button, "key")
            patience_s, pressed_s = 1.5 * patience_s, time.monotonic()
        return bool(holds())

    phone.wait_until(said, is_so)
    phone._up(button, "key")


def state(daemon: Daemon) -> dict[str, Any]:
    found: dict[str, Any] = daemon.get("/api/state")
    return found


def test_a_tap_stays_a_tap_and_a_hold_a_hold(daemon: Daemon, phone: Window) -> None:
    tap(phone, "seat2")
    assert (state(daemon)["pending"], state(daemon)["to_act"]) == ({"seat": 2, "chips": 1}, 2)
    tap(phone, "undo")
    assert not state(daemon)["pending"]
    hold_until(phone, "seat2", "the seat has passed", lambda: state(daemon)["to_act"] == 3)


def test_next_held_for_three_seconds_opens_pairing(daemon: Daemon, phone: Window) -> None:
    hold_until(phone, "next", "the window is open", lambda: state(daemon)["pairing"]["open"])


def test_a_phone_out_of_reach_presses_nothing(
    daemon: Daemon, link: SlowLink, phone: Window
) -> None:
    before = state(daemon)
    phone.watch.expect_outages()
    link.cut_after = b'"down":true'
    phone._down("seat2", "key")
    phone.wait_until("the press has arrived", lambda: link.is_cut)
    phone.page.wait_for_timeout(4_000)  # the daemon has released it after 2 s
    after = state(daemon)
    for fact in ("entry", "to_act", "pending"):
        assert after[fact] == before[fact]
