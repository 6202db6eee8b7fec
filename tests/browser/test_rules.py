"""The rules to read, and house rules that are saved from the form, on a narrow phone."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets

NARROW = {"width": 360, "height": 640}


def test_house_rules_are_saved_replaced_and_deleted(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=NARROW)
    window.watch.expect_refusals(409)
    window.tap(".house summary")
    window.find("[name='option-ante']").fill("2")
    window.find("[name='option-ante']").blur()
    window.tap("[name='option-high_card']")
    changed = window.find(".field[data-changed]")
    assert [parameter.get_attribute("data-field") for parameter in changed.all()] == [
        "ante",
        "high_card",
    ]
    # Back to the preset, one by one.
    window.tap("[data-reset=high_card]")
    changed.nth(1).wait_for(state="detached")
    window.find("[name='house-name']").fill("Bei Oma")
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    # Enter saves, and begins no night.
    window.find("[name='house-name']").press("Enter")
    window.find("#delete-ruleset").wait_for()
    assert window.find("[name=ruleset]").input_value() == "Bei Oma"
    assert daemon.get("/api/state")["night"] is None
    assert changed.get_attribute("data-field") == "ante"
    window.find("[name='option-ante']").fill("3")
    window.find("[name='option-ante']").blur()
    window.tap("#save-ruleset")
    assert window.find("[data-error=ruleset]").inner_text() == (
        "There is a ruleset Bei Oma already."
    )
    window.tap("#replace-ruleset")
    window.find("#replace-ruleset").wait_for(state="detached")

    def ante() -> int | None:
        listed = daemon.get("/api/rulesets")["rulesets"]
        return next(
            (ruleset["parameters"]["ante"] for ruleset in listed if not ruleset["shipped"]), None
        )

    assert ante() == 3
    window.find("[href$='rules/Bei%20Oma']").click()
    window.find("[data-parameter=ante]", has_text="3").wait_for()
    assert not violations(window)
    window.page.go_back()
    window.find("[name=ruleset]").select_option("Bei Oma")
    window.tap(".house summary")
    window.page.once("dialog", lambda dialog: dialog.accept())
    window.tap("#delete-ruleset")
    window.find("#delete-ruleset").wait_for(state="detached")
    assert (ante(), window.find("[name=ruleset]").input_value()) == (None, "family")


def test_the_form_follows_rulesets_that_another_phone_saves_and_deletes(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=NARROW)
    window.watch.expect_refusals(400)
    ruleset = window.find("#start [name=ruleset]")
    ruleset.wait_for()
    body = {"name": "Bei Oma", "base": "modern", "options": {"stack": 77}}
    assert daemon.ask("POST", "/api/rulesets", body)[0] == 201
    daemon.do("start", ruleset="Bei Oma", players=["Anna", "Ben", "Clara"])
    window.find("#phase[data-phase=idle]").wait_for()
    daemon.do("end")
    window.tap("[data-otherwise]")
    summary = window.find("#start .about")
    summary.filter(has_text="Everybody starts with 77 chips").wait_for()
    assert ruleset.input_value() == "Bei Oma"

    assert daemon.ask("DELETE", "/api/rulesets/Bei%20Oma")[0] == 200
    window.tap("[data-command=start]")
    window.find("[data-error=start]", has_text="There is no ruleset “Bei Oma”").wait_for()
    summary.filter(has_text="Everybody starts with 50 chips").wait_for()
    assert ruleset.input_value() == "family"
    window.tap("[data-command=start]")
    window.find("#phase[data-phase=idle]").wait_for()
    assert "family" in daemon.get("/api/state")["headline_text"]


def test_the_rules_can_be_read_on_a_phone(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(
        daemon, "phone", host=LAN_NAME, path="/rules", viewport=NARROW, locale="de-DE"
    )
    for title in ("So spielt man Poch", "Regeln: Familie"):
        window.find("h2", has_text=title).wait_for()
        assert not violations(window)
        assert not small_targets(window)
        assert_fits(window)
        if title.startswith("So"):
            window.find("a[href$='/rules/family']").click()
