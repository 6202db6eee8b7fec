"""A tap on a pool says what wins it and where its chips came from, and records a recount."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets, wait_for_all_of_it


def test_a_pool_is_explained_and_recounted(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME, viewport={"width": 360, "height": 640})
    wait_for_all_of_it(window, "meld")
    window.tap("[data-account='pool:queen']")
    drawer = window.find("#drawer[open]")
    drawer.wait_for()
    assert drawer.locator("h2").inner_text() == "Queen: 4 chips"
    said = drawer.inner_text()
    assert "Whoever shows the queen of trumps takes this pool." in said
    assert "nobody can win it, because the queen of hearts is turned up" in said
    assert drawer.locator("[data-movement]").count() == 1
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    drawer.locator("[name=counted]").fill("3")
    assert drawer.locator("#count-hint").inner_text() == (
        "That is exactly 1 ante less. Has somebody not put in theirs?"
    )
    window.tap("#drawer [data-form=recount] .main")
    drawer.wait_for(state="detached")
    window.find("[data-account='pool:queen'] b", has_text="3").wait_for()
    window.tap("[data-open=adjust]")
    hints = window.find("#drawer .hint").all_inner_texts()
    window.tap("#drawer [data-cancel]")
    assert [hint.partition(".")[0] for hint in hints] == [
        "1 chip is missing: 200 should be in play",
        "Queen holds 3, but the ante of this deal alone is 4",
    ]
    entry = daemon.get("/api/nights/1/json")["entries"][-1]["command"]
    assert {key: entry[key] for key in ("do", "from", "to", "chips", "reason")} == {
        "do": "adjust",
        "from": "pool:queen",
        "to": "bank",
        "chips": 1,
        "reason": "recount of Queen: 3 instead of 4",
    }
    window.tap("[data-account='pool:queen']")
    drawer.wait_for()
    assert drawer.locator("[data-movement]").count() == 2
    assert drawer.locator(".uncounted").count() == 0
