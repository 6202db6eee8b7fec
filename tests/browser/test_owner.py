"""A phone belongs to somebody: own claims in one tap, own chips in sight, a sign at one's turn."""

from __future__ import annotations

from typing import Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import Phone
from tests.browser.stages import reach
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.test_pairing import pair
from tests.browser.window import Window

_RECORD_SIGNS = """
  window.signs = [];
  navigator.vibrate = (ms) => { signs.push("vibration"); return true; };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { signs.push("tone"); start.call(this, at); };
"""


def signs(window: Window) -> set[str]:
    """The signs since the last look."""
    return set(window.page.evaluate("signs.splice(0)"))


def own(window: Window) -> str:
    """What the page says of the phone's owner."""
    return " ".join(window.find("#me").inner_text().split())


def label(daemon: Daemon) -> str:
    """What the only paired phone is called."""
    (pairing,) = daemon.get("/api/pairings")
    return str(pairing["label"])


def test_after_pairing_a_phone_asks_whose_it_is(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    window = open_window(
        daemon, "phone", host=LAN_NAME, viewport={"width": 360, "height": 640}, **ELSEWHERE
    )
    window.wait_until_live()
    assert window.find("#me").is_hidden()
    pair(window)
    window.find("#who [data-owner]").first.wait_for()
    window.tap("[data-view=table]")
    assert window.find("#who [data-owner]").all_inner_texts() == [
        "Anna", "Benjamin the Younger", "Clara", "Dora", "The table’s phone",
    ]  # fmt: skip
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    # The list of phones says so, too; a label has at most 40 characters.
    with window.page.expect_response("**/api/pairings/*"):
        Phone(window).tap("#who [data-owner='2']")
    window.find("#who").wait_for(state="hidden")
    assert own(window) == "Benjamin the Younger’s phone change"
    assert label(daemon) == "Benjamin the Younger’s phone"
    window.page.reload()
    window.find(".plate.own .name", has_text="Benjamin the Younger").wait_for()
    # Another phone is not asked again, but may say so.
    daemon.do("rename", seat=2, name="Ben")
    window.find(".plate.own .name", has_text="Ben").wait_for()


def test_the_owner_claims_with_one_tap_and_is_called_at_their_turn(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    window.page.add_init_script(_RECORD_SIGNS)
    window.open()
    window.wait_until_live()
    window.tap("#me")
    window.tap("#who [data-owner='2']")
    daemon.do("deal")
    daemon.do("turn", card="9H")
    window.find("[data-pool=ace]:enabled").wait_for()
    daemon.ask("POST", "/api/board/press", {"button": "seat1", "ms": 20})
    window.find("[data-shape=seat1].chosen").wait_for(state="attached")
    # What the board has selected is not whom this phone claims for.
    thumb = Phone(window)
    thumb.tap("[data-pool=ace]")
    window.find("#said", has_text="Benjamin the Younger takes Ace").wait_for()
    assert thumb.taps == 1
    # It can still act for others; what was opened for them stays open until it is closed.
    thumb.tap("[data-others]")
    thumb.tap("#plates [data-seat='1']")
    thumb.tap("[data-pool=king]")
    window.find("#said", has_text="Anna takes King").wait_for()
    window.find("#seat-1.chosen").wait_for()
    thumb.tap("[data-own]")
    thumb.tap("[data-pool=queen]")
    window.find("#said", has_text="Benjamin the Younger takes Queen").wait_for()
    assert signs(window) == set()

    daemon.do("next")
    window.find("#ask", has_text="Who’s betting? Your turn").wait_for()
    assert window.page.title() == "Who’s betting? Your turn – Pochboard"
    window.wait_until("signs", lambda: window.page.evaluate("signs.length > 1"))
    assert signs(window) == {"vibration", "tone"}
    daemon.do("stake", seat=2, chips=1)
    window.find("#ask", has_text="Clara’s turn: 1 chip to stay in").wait_for()
    assert window.page.title() == "Clara’s turn: 1 chip to stay in – Pochboard"
    assert signs(window) == set()
    window.tap("#me")
    window.tap("#menu [data-device]")
    window.tap("#drawer [name=sound]")
    window.tap("#drawer .main")
    daemon.do("stake", seat=3, chips=3)
    for seat in (4, 1):
        daemon.do("pass", seat=seat)
    window.find("#ask", has_text="Your turn: 2 chips to stay in").wait_for()
    assert signs(window) == set()


_LOOK: Final = """() => ({
  bar: getComputedStyle(document.querySelector("#bar")).backgroundColor,
  edge: getComputedStyle(document.querySelector("#bar")).borderTopStyle,
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_mine_and_not_mine_look_different(
    daemon: Daemon, open_window: OpenWindow, scheme: str
) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, "phone", host=LAN_NAME, color_scheme=scheme)
    window.wait_until_live()
    phone = Phone(window)
    phone.belong_to(2)
    others = window.find("[data-others]")
    others.wait_for()
    assert others.inner_text() == "For Anna"
    assert not window.find("[data-command=stake], [data-command=pass]").count()
    phone.tap("[data-others]")
    window.find("[data-command=pass]").wait_for()
    for_anna = window.page.evaluate(_LOOK)
    assert for_anna["edge"] == "dashed"
    window.find("#back [data-own]").wait_for()
    # What is open is for this turn: the next one begins with whose it is.
    daemon.do("stake", seat=1, chips=4)
    window.find("#ask", has_text="Your turn: 2 chips to stay in").wait_for()
    window.find("#back [data-own]").wait_for(state="detached")
    mine = window.page.evaluate(_LOOK)
    assert mine["bar"] != for_anna["bar"]
    assert mine["edge"] != "dashed"
    assert not others.count()
    assert not violations(window)
    phone.tap("[data-command=pass]")
    window.find("#phase[data-phase=showdown]").wait_for()
    window.find("[data-others]:text-is('For others')").wait_for()


def test_the_seat_that_is_counted_stays_when_another_phone_counts_it(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "shed")
    daemon.do("out", seat=1)
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.find("#plates [data-seat='2'][aria-pressed=true]").wait_for()
    daemon.ask("PUT", "/api/counts", {"seat": 2, "cards": 3})
    window.find("#seat-2 .word", has_text="3").wait_for()
    window.find("#plates [data-seat='2'][aria-pressed=true]").wait_for()
    Phone(window).tap("[data-number='4']")
    window.find("#seat-2 .word", has_text="4").wait_for()
    window.find("#plates [data-seat='3'][aria-pressed=true]").wait_for()


def test_the_owner_is_found_again_in_the_next_night(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.tap("#me")
    window.tap("#who [data-owner='3']")
    daemon.do("end")
    window.find("#phase[data-phase=closed]").wait_for()
    daemon.do("start", ruleset="modern", players=["Clara", "Anna", "Dora"], stack=70)
    window.find(".plate.own .name", has_text="Clara").wait_for()
    daemon.do("end")
    daemon.do("start", ruleset="modern", players=["Anna", "Dora", "Emil"])
    window.find("#seat-3 .name", has_text="Emil").wait_for()
    assert window.find(".plate.own").count() == 0
