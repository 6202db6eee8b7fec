"""What the page shows while a part of the daemon does not work."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import ELSEWHERE


def test_every_page_says_that_the_ledger_is_gone_until_it_is_back(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    player = open_window(daemon)
    watcher = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    for window in (player, watcher):
        window.wait_until_live()
        assert window.find("#fault").is_hidden()
    daemon.expect("^not stored: ", "^Nothing can be recorded: ", "^the ledger is usable again$")
    daemon.expect("^the ledger cannot be checked now: ")  # if the check has come to that by then
    away = daemon.data.rename(daemon.data.with_name("away"))
    player.press("next")
    for window in (player, watcher):
        window.find("#fault", has_text="Nothing can be recorded until then.").wait_for()
        assert window.find("#fault").get_attribute("role") == "alert"
    assert daemon.get("/api/state")["entry"] == 1

    away.rename(daemon.data)
    for window in (player, watcher):
        window.find("#fault").wait_for(state="hidden")
    player.find("button[data-button=next]").press("Space")  # by the keyboard, too
    watcher.wait_until("the deal", lambda: watcher.seen()["phase"] == "meld")
