"""An entry further back is corrected in the ledger on the page."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window
from tests.shell.server_kit import pools, stacks

ACE = 4
"""The entry in which Anna takes Ace."""


def open_form(window: Window, number: int = ACE) -> None:
    line = window.find(f"#ledger [data-entry='{number}']")
    line.locator("summary").wait_for(state="attached")
    if line.locator("details").get_attribute("open") is None:
        window.tap(f"#ledger [data-entry='{number}'] summary")
    window.tap(f"[data-correct='{number}']")
    window.find("#drawer[open] [data-form=correction]").wait_for()


def test_a_claim_is_corrected_after_a_preview(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, "phone", host=LAN_NAME, viewport={"width": 360, "height": 640})
    open_form(window)
    drawer = window.find("#drawer[open]")
    assert drawer.locator("h2").inner_text() == f"Correct entry {ACE}"
    drawer.locator("[name=seat]").select_option("3")
    window.tap("#drawer [data-form=correction] .main")
    preview = drawer.locator("[data-preview]")
    preview.wait_for()
    assert "It will say: Clara takes Ace: 4 chips." in preview.inner_text()
    changes = [
        row.inner_text().split("\t") for row in preview.locator("table.changes tr:has(td)").all()
    ]
    assert changes == [["Anna", "45", "41"], ["Clara", "41", "45"]]
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    # Another choice needs another preview.
    drawer.locator("[name=seat]").select_option("2")
    preview.wait_for(state="detached")
    drawer.locator("[name=seat]").select_option("3")
    window.tap("#drawer [data-form=correction] .main")
    window.tap("#drawer [data-record]")
    drawer.wait_for(state="detached")
    window.find(f"#ledger [data-entry='{ACE}'].struck").wait_for(state="attached")
    assert window.find(f"#ledger [data-entry='{ACE}'] [data-correct]").count() == 0
    assert stacks(daemon.get("/api/state"))["1"] == 41


def test_what_no_longer_holds_is_said_and_an_entry_is_left_out(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    daemon.do("claim", seat=2, pool="king")
    window = open_window(daemon, "phone", host=LAN_NAME)
    open_form(window)
    drawer = window.find("#drawer[open]")
    window.watch.expect_refusals(409)
    drawer.locator("[name=pool]").select_option("king")
    window.tap("#drawer [data-form=correction] .main")
    problem = drawer.locator("[data-error=correction]")
    problem.wait_for()
    assert "Entry 5 would no longer hold" in problem.inner_text()
    window.tap("#drawer [data-leave-out]")
    drawer.locator("[data-preview] p", has_text="The entry is left out.").wait_for()
    window.tap("#drawer [data-record]")
    drawer.wait_for(state="detached")
    assert pools(daemon.get("/api/state"))["ace"] == 4
