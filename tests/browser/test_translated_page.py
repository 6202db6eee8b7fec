"""The page under a browser's translation: what it says is what is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.stages import reach, walk
from tests.browser.window import Window

_TRANSLATOR: Final = Path(__file__).with_name("translator.js").read_text("utf-8")
WAYS: Final = ("wrap", "replace", "edit", "merge", "add")
"""How translators change the nodes of a page."""

# All words in upper case, but not those that have their own time.
_WORDS: Final = """() => {
  const all = document.body.cloneNode(true);
  const apart = "script, noscript, svg, #stale, #toast, #keys";
  all.querySelectorAll(apart).forEach((part) => part.remove());
  return [all.textContent.replace(/[\\s…]+/g, "").toUpperCase(), document.title];
}"""

OpenTranslated = Callable[..., tuple[Window, Window]]


@pytest.fixture
def open_translated(daemon: Daemon, open_window: OpenWindow) -> OpenTranslated:
    """Opens a page twice: translated, and as it is."""

    def open_(how: str, path: str = "/", *, polite: bool = False) -> tuple[Window, Window]:
        translated, plain = (open_window(daemon, path=None) for _ in range(2))
        options = json.dumps({"how": how, "polite": polite})
        translated.page.add_init_script(f"({_TRANSLATOR})({options})")
        for window in (translated, plain):
            window.open(path)
        translated.find("html.translated-ltr").wait_for()
        return translated, plain

    return open_


def agree(translated: Window, plain: Window, where: str) -> None:
    """Waits until both show the same."""

    def differences() -> list[str]:
        one, other = (window.page.evaluate(_WORDS) for window in (translated, plain))
        return [] if one == other else [f"{where}:", str(one), str(other)]

    translated.wait_until_equal(differences)


@pytest.mark.parametrize("how", ["wrap", "merge", "add"])
def test_every_stage_reads_the_same_whatever_a_translator_does(
    daemon: Daemon, open_translated: OpenTranslated, how: str
) -> None:
    windows = open_translated(how)
    for window in windows:
        window.wait_until_live()
    screens = open_translated(how, "/tv") if how == "wrap" else ()
    translated = windows[0]
    for stage in walk(daemon):
        agree(*windows, stage)
        if screens:
            agree(*screens, f"the large screen, {stage}")
        if stage not in ("lobby", "closed"):
            # Both may agree on what was: a form closes once what it asks for has changed.
            for window in windows:
                window.wait_for_newest_entry()
            for window in windows:
                window.tap("[data-open=void]" if stage != "idle" else "[data-open=rebuy]")
            agree(*windows, f"a form, {stage}")
            for window in windows:
                window.tap("#drawer [data-cancel]")
                window.tap("[data-view=table]")
                window.tap("[data-account='pool:pinke']")
                window.find("#drawer[open]").wait_for()
            agree(*windows, f"the dialog, {stage}")
            for window in windows:
                window.tap("#drawer button.soft:not([data-command])")
        assert translated.find("html[lang=xx]").count() == 1


@pytest.mark.parametrize("how", WAYS)
def test_what_a_translated_button_says_is_recorded(
    daemon: Daemon, open_translated: OpenTranslated, how: str
) -> None:
    reach(daemon, "meld")
    translated, plain = open_translated(how)
    for window in (translated, plain):
        window.wait_until_live()
    daemon.do("next")
    for chips in range(2, 8):
        translated.tap("[data-step='1']")
        shown = f"#controls [data-command=stake][data-chips='{chips}']"
        translated.find(shown).wait_for()
        assert f" {chips}" in (translated.find(shown).text_content() or "")
        assert translated.find(".stepper input").input_value() == str(chips)
    assert "BENJAMIN" in (translated.find("#ask").text_content() or "").upper()
    translated.tap("#controls [data-command=stake]")
    translated.wait_until("the stake", lambda: daemon.get("/api/state")["entry"] == 6)
    assert daemon.get("/api/nights/1/entries")[-1]["command"] == {
        "do": "stake",
        "seat": 2,
        "chips": 7,
    }
    agree(translated, plain, "after a stake")


def test_a_form_that_is_half_filled_stays_so(
    daemon: Daemon, open_translated: OpenTranslated
) -> None:
    translated, _ = open_translated("merge")
    translated.wait_until_live()
    names = translated.find("#start [name=player]")
    names.first.fill("Anna")
    names.nth(1).focus()
    translated.page.keyboard.type("Be")
    daemon.ask("POST", "/api/board/press", {"button": "seat3", "ms": 20})
    translated.wait_until("place 3 is in", lambda: "3" in translated.seen()["plaques"])
    translated.page.keyboard.type("n")
    assert [names.nth(i).input_value() for i in range(2)] == ["Anna", "Ben"]


def test_the_pages_of_nights_read_the_same(daemon: Daemon, open_translated: OpenTranslated) -> None:
    reach(daemon, "counting")
    daemon.do("settle", cards={"2": 1, "3": 2, "4": 3})
    daemon.do("end")
    for path, ready in (("/nights", "li[data-night]"), ("/statistics", "[data-person]")):
        windows = open_translated("wrap", path)
        for window in windows:
            window.find(ready).first.wait_for()
        agree(*windows, path)
    windows = open_translated("wrap", "/nights/1#1")
    for window in windows:
        window.find("#settlement .payments li").first.wait_for()
    for key in ("ArrowRight", "ArrowRight", "]", "End", "ArrowLeft"):
        for window in windows:
            window.page.keyboard.press(key)
        agree(*windows, f"the replay after {key}")


def test_only_rules_to_read_may_be_translated(
    daemon: Daemon, open_translated: OpenTranslated
) -> None:
    """By a translator that obeys the page, as browsers do."""
    reach(daemon, "meld")
    found: dict[str, Any] = {}
    for path in ("/", "/tv", "/nights", "/nights/1", "/statistics", "/rules", "/nights/1/rules"):
        translated, _ = open_translated("wrap", path, polite=True)
        translated.find("main").wait_for()
        found[path] = translated.find("font").count() > 0
    assert [path for path, changed in found.items() if changed] == ["/rules", "/nights/1/rules"]
