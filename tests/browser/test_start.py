"""A page that cannot start says which of its files is lost or does not run."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.stages import reach
from tests.browser.window import Window


def expect_losses(window: Window) -> None:
    window.watch.expect_outages()
    window.watch.expect(r"^status 404 ", r"^console: ", r"^error: ")


def wait_for_reason(window: Window, words: str) -> None:
    window.find("#not-started code", has_text=re.compile(words)).wait_for()


@pytest.mark.parametrize("name", ["base.css", "store.js"])
def test_a_lost_file_is_named_and_the_page_can_be_loaded_again(
    daemon: Daemon, open_window: OpenWindow, name: str
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    expect_losses(window)
    window.page.route(f"**/static/*/{name}", lambda route: route.abort())
    window.open()
    wait_for_reason(window, re.escape(name.rpartition("/")[2]))
    window.page.unroute_all()
    window.tap("#not-started a")
    window.wait_until_live()
    window.find("#start").wait_for()
    assert not window.find("#not-started").is_visible()


@pytest.mark.parametrize("path", ["/", "/nights/1"])
def test_every_page_says_what_is_wrong(daemon: Daemon, open_window: OpenWindow, path: str) -> None:
    reach(daemon, "closed")
    window = open_window(daemon, "phone", path=None, locale="de-DE")
    expect_losses(window)
    window.page.route("**/elements.js", lambda route: route.fulfill(status=404))
    window.open(path)
    wait_for_reason(window, r"elements\.js")
    assert window.find("#not-started strong").text_content() == "Die Seite ist unvollständig"
    assert window.find("#not-started a").text_content() == "Noch einmal versuchen"


def test_a_module_that_cannot_be_parsed_is_reported(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    window.page.route(
        "**/views.js",
        lambda route: route.fulfill(content_type="text/javascript", body="export let = ;"),
    )
    window.open()
    wait_for_reason(window, "Unexpected token")


def test_a_browser_without_modules_is_told_so(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, path=None)
    window.page.add_init_script("delete HTMLScriptElement.prototype.noModule")
    window.open()
    wait_for_reason(window, "^JavaScript modules$")
    assert "Safari 15.4" in window.find("#not-started").inner_text()


def test_without_javascript_the_page_says_that_it_needs_it(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", path=None, java_script_enabled=False)
    window.watch.expect("^failed .*: csp$")
    window.open()
    words = window.find("noscript p")
    assert "This page needs JavaScript" in words.inner_text()
    box = words.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 200


_STRANGE: Final = """
    const strange = (filename, message) =>
      dispatchEvent(new ErrorEvent("error", {filename, message}));
    strange("moz-extension://4f1c/content.js", "extension");
    strange("chrome-extension://abcdef/static/content.js", "extension");
    strange("https://elsewhere.example/static/main.js", "another site");
    strange("", "Script error.");
    strange(location.href, "a script that an extension put into the page");
    for (const [name, key] of [["script", "src"], ["link", "href"], ["img", "src"]]) {
      const part = document.createElement(name);
      part.rel = "stylesheet";
      part.type = name === "script" ? "module" : "";
      part[key] = "chrome-extension://abcdef/lost";
      document.head.append(part);
    }
"""


@pytest.mark.parametrize("path", ["/", "/rules"])
def test_errors_of_other_peoples_scripts_are_not_ours(
    daemon: Daemon, open_window: OpenWindow, path: str
) -> None:
    window = open_window(daemon, path=None)
    expect_losses(window)
    window.watch.expect("^failed GET chrome-extension:")
    window.page.add_init_script(
        f"document.addEventListener('readystatechange', () => {{ {_STRANGE} }}, {{once: true}});"
    )
    window.open(path)
    window.find("link[href*=extension]").wait_for(state="attached")
    window.find("body:not(.undrawn)").wait_for()
    assert not window.find("#not-started").is_visible()
    # Nor is an error of ours once the page has started.
    file = "document.querySelector('link[rel=stylesheet]').href"
    window.page.evaluate(
        f"dispatchEvent(new ErrorEvent('error', {{filename: {file}, message: 'late'}}))"
    )
    assert not window.find("#not-started").is_visible()
