"""A tap on a pool says what wins it and where its chips came from, and records a recount."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets, wait_for_all_of_it
from tests.browser.window import Window


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
    entry = daemon.get("/api/nights/1/entries")[-1]["command"]
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
    books_what_was_counted(daemon, window)


def books_what_was_counted(daemon: Daemon, window: Window) -> None:
    """A recount is of the chips that it shows, and a double tap records it once."""
    window.watch.expect_refusals(409)
    window.tap("#drawer .soft")
    window.tap("[data-account='pool:king']")
    drawer = window.find("#drawer[open]")
    drawer.wait_for()
    counted = drawer.locator("[name=counted]")
    counted.fill("3")
    fields = {"from": "bank", "to": "pool:king", "chips": 5, "reason": "meanwhile"}
    daemon.do("adjust", **fields)
    entries = len(daemon.get("/api/nights/1/entries"))
    window.tap("#drawer [data-form=recount] .main")
    drawer.locator("h2", has_text="King: 9 chips").wait_for()
    drawer.locator(".message", has_text="The table has moved on").wait_for()
    assert len(daemon.get("/api/nights/1/entries")) == entries
    assert counted.input_value() == "3", "what was counted stays"

    button = window.find("#drawer [data-form=recount] .main:not([aria-disabled])")
    asked = window.hold("**/recount?*")
    button.evaluate(
        """one => new Promise((resolve) => {
          one.click();
          setTimeout(() => { one.click(); resolve(); }, 60);
        })"""
    )
    window.wait_until("the recount", lambda: asked)
    (only,) = asked
    only.continue_()
    drawer.wait_for(state="detached")
    window.find("[data-account='pool:king'] b", has_text="3").wait_for()
    assert len(daemon.get("/api/nights/1/entries")) == entries + 1


def test_what_is_said_of_a_count_comes_too_late_for_a_dialog_that_was_left(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME)
    wait_for_all_of_it(window, "meld")
    window.tap("[data-account='pool:king']")
    asked = window.hold("**/recount?*")
    window.find("#drawer [name=counted]").fill("3")
    window.wait_until("what it would record", lambda: asked)
    window.page.keyboard.press("Escape")
    window.tap("[data-open=void]")
    window.find("#drawer [data-sheet=void]").wait_for()
    # Any error of the page is a complaint.
    with window.page.expect_response("**/recount?*") as answer:
        asked[0].continue_()
    answer.value.finished()
    assert window.find("#drawer [data-sheet=void]").is_visible()


def test_a_number_may_be_in_any_digits_and_a_wheel_changes_none(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME)
    wait_for_all_of_it(window, "meld")
    window.tap("[data-account='pool:king']")
    counted = window.find("#drawer [name=counted]")
    counted.fill("٧")
    counted.hover()
    window.page.mouse.wheel(0, -300)
    window.tap("#drawer [data-command=adjust]")
    window.find("#drawer[open]").wait_for(state="detached")
    assert daemon.get("/api/state")["pools"]["king"] == 7


def test_a_player_sits_out_and_plays_again_from_the_own_stack(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME)
    wait_for_all_of_it(window, "idle")
    flag = window.find("#seat-3[data-flags~=sitting-out]")
    for command in ("sit_out", "sit_in"):
        window.tap("[data-open=adjust]")
        window.tap("#drawer [data-account='seat:3']")
        window.tap(f"#drawer [data-command={command}]")
        flag.wait_for(state="attached" if command == "sit_out" else "detached")
        entry = daemon.get("/api/nights/1/entries")[-1]["command"]
        assert entry == {"do": command, "seat": 3}
