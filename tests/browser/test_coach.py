"""Tips for beginners: above the controls for the first deals, and in the settings of the phone."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets


def test_a_tip_is_hidden_and_switched_on_again(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("start", ruleset="family", players=["Anna", "Ben", "Clara"])
    daemon.do("deal")
    phone = open_window(daemon, "phone", viewport={"width": 360, "height": 640})
    tip = phone.find("#coach p")
    phone.wait_until_live()
    assert not phone.find("#coach").is_visible()
    # They come with the first tap, after all that the table needs.
    phone.tap("#headline")
    tip.wait_for()
    assert tip.inner_text() == daemon.get("/api/state")["guidance"]["coach"]
    assert not violations(phone) + small_targets(phone)
    assert_fits(phone)
    daemon.do("next")
    told = daemon.get("/api/state")["guidance"]["coach"]
    phone.wait_until("the tip of the betting", lambda: tip.inner_text() == told)
    phone.tap("#coach button")
    phone.find("#coach").wait_for(state="hidden")
    phone.page.reload()
    phone.wait_until_live()
    phone.tap("footer [data-device]")
    switch = phone.find("[name=coach]")
    assert not switch.is_checked()
    assert not phone.find("#coach").is_visible()
    switch.check()
    phone.find("#coach p").wait_for()
