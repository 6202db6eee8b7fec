"""Somebody tests a board while building it, with a phone beside the workbench."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window

POOLS = ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke")


def mark(window: Window, name: str) -> str:
    """How a part or a button is drawn."""
    classes = window.find(f"[data-bench='{name}']").get_attribute("class") or ""
    return " ".join(classes.split()[1:])


def assert_can_be_used(window: Window) -> None:
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)


def test_lights_and_buttons_are_tested_one_by_one_and_faults_drawn(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", viewport={"width": 360, "height": 640})
    window.wait_until_live()
    window.tap("footer [data-device]")
    window.tap("[data-workbench]")
    window.find("[data-lit=ace]").wait_for()
    assert_can_be_used(window)
    # The king's ring stays dark.
    for pool in (*POOLS, "places"):
        window.find(f"[data-lit={pool}]").wait_for()
        if pool != "places":
            assert mark(window, f"ring {pool}") == "now"
        window.tap(f"[data-seen={'dark' if pool == 'king' else 'right'}]")
    window.find("[data-heard]", has_text="No button has been heard yet.").wait_for()
    faces = list(daemon.get("/api/board/face")["buttons"])
    for button in faces:
        if button != "jack":
            daemon.ask("POST", "/api/board/press", {"button": button, "ms": 1})
    window.find(f"[data-heard='{faces[-1]}']").wait_for()
    assert (mark(window, "ace"), mark(window, "jack")) == ("right", "")
    assert_can_be_used(window)
    window.tap("[data-result]")
    window.find("[data-faults]").wait_for()
    faults = window.find("[data-faults] li").all_inner_texts()
    assert [fault.split(".")[0] for fault in faults] == ["King: dark", "Not heard: Jack"]
    assert "number 12 of the chain" in faults[0]
    assert (mark(window, "ring king"), mark(window, "jack")) == ("dark", "dark")
    assert_can_be_used(window)
    window.tap("[data-again]")
    window.find("[data-lit=ace]").wait_for()
    # Nothing of this happened at the table, and the board shows it again.
    window.tap("#drawer .main")
    window.find("[data-workbench]").wait_for()
    window.wait_until("it is over", lambda: daemon.get("/api/state")["board"]["test"] is None)
    assert daemon.get("/api/state")["pending"] is None
