"""The questions of the first start of a real board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.conftest import OpenWindow
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window
from tests.shell.server_kit import running_house, wait_until
from tests.shell.test_server_pairing import pair

SMALL = {"width": 360, "height": 640}


def test_a_paired_phone_asks_once_until_one_has_answered(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    with running_house(
        tmp_path, simulated=False, left_open=("language", "places", "colours")
    ) as running:
        home: Any = running
        home.url = lambda path, _: f"http://127.0.0.1:{running.port}{path}"

        def paired_phone(**how: Any) -> Window:
            window = open_window(home, "phone", path=None, viewport=SMALL, **how)
            name, _, value = pair(running).cookie.partition("=")
            cookie: Any = {"name": name, "value": value, "url": home.url("/", None)}
            window.page.context.add_cookies([cookie])
            window.open("/")
            return window

        later = paired_phone()
        later.tap("#first .later")
        later.find("#first form").wait_for(state="detached")
        later.open("/")
        later.wait_until_live()
        assert later.find("#first form").count() == 0, "it has been put off on this phone"

        asked = paired_phone(locale="de-DE")
        asked.wait_until_live()
        questions = asked.find("#first")
        assert questions.locator("[name=language]").input_value() == "de"
        assert questions.locator("[name=places]").input_value() == "8"
        assert not violations(asked)
        assert not small_targets(asked)
        assert_fits(asked)
        asked.tap("#first .check")
        asked.tap("[data-begin]")
        asked.tap("[data-ask=rest] ~ * [data-said=absent]")
        asked.tap("[data-ask=red] ~ * [data-said=green]")
        asked.tap("[data-ask=green] ~ * [data-said=red]")
        asked.find("[data-fault]", has_text="GRB").wait_for()
        asked.tap("[data-again=chain]")
        asked.tap("[data-ask=red] ~ * [data-said=red]")
        asked.tap("header nav a")
        asked.wait_until_live()
        asked.find("#first .check").wait_for(state="detached")
        questions.locator("[name=places]").select_option("6")
        asked.tap("#first .done")
        questions.locator("form").wait_for(state="detached")
        kept = running.table.snapshot.settings
        assert (kept.answered, kept.language, kept.places, kept.order) == (True, "de", 6, "GRB")

        # No other phone asks; what was said can be put right in the dialog of the board.
        other = paired_phone()
        other.wait_until_live()
        assert other.find("#first form").count() == 0
        other.tap("#menu [data-device]")
        assert other.find("#drawer [name=places][data-on=true]").count() == 1
        other.find("#drawer label", has_text="7").tap()
        wait_until("7 places", lambda: running.table.snapshot.settings.places == 7)
        for window in (later, asked, other):
            window.page.close()
