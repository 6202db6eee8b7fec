"""After a night: settling it on the page, and the files to keep it in."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Locator

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.phone import out_of_reach
from tests.browser.test_accessibility import violations
from tests.browser.window import Window

SHEETS = Path(__file__).resolve().parent.parent / "nights"
AFTER_GUARD_MS = 500
"""After this long a tap on a list that has changed counts again."""


def end_a_night(daemon: Daemon) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    daemon.do("deal")
    daemon.do("claim", seat=2, pool="ace")
    daemon.do("next")
    for seat in (2, 3, 1):
        daemon.do("pass", seat=seat)
    daemon.do("out", seat=2)
    daemon.do("settle", cards={"1": 4, "3": 2})
    daemon.do("end")


def payments(window: Window) -> list[str]:
    said = window.page.locator("#settlement .payments summary").all_text_contents()
    return [text.replace("\N{NO-BREAK SPACE}", " ").strip() for text in said]


def settles(window: Window, expected: list[str]) -> None:
    window.wait_until(f"settles: {expected}", lambda: payments(window) == expected)


def test_a_night_is_settled_where_it_ended(
    daemon: Daemon, open_window: OpenWindow, tmp_path: Path
) -> None:
    phone = open_window(daemon, "phone", viewport={"width": 360, "height": 640})
    phone.wait_until_live()
    end_a_night(daemon)
    settles(phone, ["Anna pays Ben 6 chips.", "Clara pays Ben 4 chips."])
    phone.find("#settlement [name=worth]").fill("0,05")
    phone.find("#settlement [name=way]").select_option("pairwise")
    settles(phone, ["Anna pays Ben 0.30 €.", "Clara pays Ben 0.20 €."])
    phone.find("#settlement summary").first.tap()
    why = phone.find("#settlement .why").first
    why.wait_for()
    assert why.text_content() == "Ben won from Anna: Ace 1, Pinke 1, cards left 4."
    assert not violations(phone)
    headings = phone.page.locator("#settlement th")
    assert headings.all_text_contents() == ["Player", "With the share", "To settle"]
    # What was chosen is still chosen on the page of the night.
    phone.open("/nights/1")
    settles(phone, ["Anna pays Ben 0.30 €.", "Clara pays Ben 0.20 €."])
    with phone.page.expect_download() as started:
        phone.find("#downloads [data-format=json]").click()
    started.value.save_as(tmp_path / "night.json")
    assert json.loads((tmp_path / "night.json").read_text("utf-8"))["night"] == 1
    phone.find("#settlement [name=worth]").fill("a lot")
    phone.find("#settlement [name=bank]").select_option("kept")
    assert phone.page.locator("#settlement input:invalid").count() == 1
    phone.find("#settlement [name=worth]").fill("")
    phone.find("#settlement [name=way]").select_option("fewest")
    settles(
        phone,
        [
            "Anna pays the bank 13 chips.",
            "Clara pays the bank 8 chips.",
            "Clara pays Ben 3 chips.",
        ],
    )
    assert headings.all_text_contents() == ["Player", "Won or lost"], "chips are said once"
    # A new night takes its place on the table.
    phone.open("/")
    phone.find("#settlement").wait_for()
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    phone.find("#settlement").wait_for(state="detached")


def test_statistics_over_the_years(daemon: Daemon, open_window: OpenWindow) -> None:
    for sheet in ("modern-a", "modern-b", "philos-a", "meyer-1908-b", "banker-b"):
        daemon.import_sheet(SHEETS / f"{sheet}.jsonl")
    end_a_night(daemon)
    while (statistics := daemon.get("/api/statistics"))["pending"]:
        time.sleep(0.05)  # nights are still being counted
    phone = open_window(daemon, "phone", path="/statistics", viewport={"width": 360, "height": 640})
    phone.find("#statistics .summary").wait_for()
    assert phone.find("#statistics .summary").text_content() == statistics["summary"]
    rows = phone.page.locator("table.people td:last-child").all_text_contents()
    assert rows == [person["net_text"] for person in statistics["people"]]
    # Everybody's line begins before their first night, so that a single night is a line too.
    lines = phone.page.locator("svg.courses polyline").evaluate_all(
        "lines => lines.map((line) => line.getAttribute('points').split(' ').length)"
    )
    assert lines == [len(person["points"]) + 1 for person in statistics["people"]]
    totals = [point["total"] for person in statistics["people"] for point in person["points"]]
    numbers = phone.page.locator("svg.courses .axis-text").all_text_contents()
    assert numbers[-1] == f"\N{MINUS SIGN}{-min(totals)}"
    first = phone.find("details.person").first
    first.locator("summary").tap()
    assert first.locator("li").all_text_contents() == statistics["people"][0]["facts"]
    heads = phone.page.locator("ul.heads li").all_text_contents()
    assert heads == statistics["heads"]
    # No letter of a chart is smaller than 11 px, however narrow the screen.
    sizes = phone.page.evaluate(
        """() => [...document.querySelectorAll("#statistics svg")].map((drawn) =>
          parseFloat(getComputedStyle(drawn.querySelector("text")).fontSize)
            * drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width)"""
    )
    assert min(sizes) >= 11
    assert not violations(phone)


def test_a_night_is_named_and_deleted_from_the_list(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    end_a_night(daemon)
    end_a_night(daemon)
    phone = open_window(daemon, "phone", path="/nights", viewport={"width": 360, "height": 640})
    first = phone.find('#nights li[data-night="1"]')
    first.locator("summary").tap()
    first.locator("[name=name]").fill("Christmas")
    first.locator(".rename button").tap()
    first.locator("h2", has_text="Christmas").wait_for()
    assert not violations(phone)
    phone.page.wait_for_timeout(AFTER_GUARD_MS)
    second = phone.find('#nights li[data-night="2"]')
    second.locator("summary").tap()
    # A double tap does not delete what moves up.
    second.locator(".delete").evaluate("button => { button.click(); button.click(); }")
    phone.find("#deleted summary").tap()
    phone.page.wait_for_timeout(AFTER_GUARD_MS)
    assert [night["number"] for night in daemon.get("/api/nights")] == [1]
    phone.find("#deleted li button").tap()
    phone.find('#nights li[data-night="2"]').wait_for()
    merges_and_separates(phone)


def merges_and_separates(phone: Window) -> None:
    """Two spellings become one person."""
    phone.open("/statistics")
    phone.find("#merge [name=name]").fill("Clara")
    phone.find("#merge [name=called]").fill("Klara")
    phone.find("#merge form button").tap()
    phone.find("table.people td:text-is('Klara')").wait_for()
    # And two persons again.
    separate = phone.find("#merge [data-merged=Clara] button")
    assert separate.get_attribute("aria-label") == "Separate Clara from Klara"
    assert not violations(phone)
    separate.tap()
    phone.find("table.people td:text-is('Clara')").wait_for()
    assert phone.find("[data-merged]").count() == 0


def test_what_is_shown_of_an_ended_night_goes_away_if_that_is_undone_meanwhile(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon)
    window.wait_until_live()
    late = window.hold("**/settlement*")
    daemon.do("end")
    window.wait_until("the request", lambda: late)
    settlement = late[0].fetch()
    daemon.do("undo")
    window.find("#phase[data-phase=idle]").wait_for()
    with window.page.expect_response("**/settlement*") as answer:
        late[0].fulfill(response=settlement)
    answer.value.finished()
    window.wait_for_frame()
    assert window.find("#settlement").count() == 0


def test_the_result_is_revealed_from_the_last_place_and_a_tap_shows_it_at_once(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    daemon.do("deal")
    daemon.do("claim", seat=2, pool="ace")
    daemon.do("void")
    daemon.do("adjust", **{"from": "seat:1"}, to="seat:2", chips=5, reason="fair")
    windows = [
        open_window(daemon, kind, path=path, reduced_motion="no-preference")
        for kind, path in (("phone", "/"), ("desktop", "/tv"))
    ]
    for window in windows:
        window.wait_until_live()
        # The time of the page stands still until the test lets it go on.
        window.page.clock.install()
        window.pause_clock()
    daemon.do("end")
    for window in windows:
        rows = window.find("[data-rank]")
        rows.nth(2).wait_for(state="attached")
        cells = [rows.nth(i).locator(".name").first for i in range(3)]

        def shown(cells: list[Locator] = cells) -> list[bool]:
            return [cell.is_visible() for cell in cells]

        assert shown() == [False, False, False]
        window.page.clock.run_for(1_000)
        assert shown() == [False, False, True]
        window.page.mouse.click(5, 5)
        assert shown() == [True, True, True]
        assert "Ben" in rows.first.inner_text()


def test_another_round_is_the_main_control_after_a_night_on_every_phone(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    phones = [open_window(daemon, "phone") for _ in range(2)]
    for phone in phones:
        phone.wait_until_live()
    daemon.do("end")
    again = "#bar [data-command=start]"
    for phone in phones:
        phone.find(again, has_text="Another round").wait_for()
        phone.find("#settlement").wait_for()
        assert not out_of_reach(phone, again)
        assert not phone.find("#start").count()
    # The same on a page that is opened then; there may be others at the table.
    phones[0].page.reload()
    phones[0].tap("[data-otherwise]")
    names = phones[0].find("#start [name=player]")
    names.first.wait_for()
    assert [name.input_value() for name in names.all()] == ["Anna", "Ben", "Clara"]
    phones[1].page.wait_for_timeout(AFTER_GUARD_MS)
    phones[1].tap(again)
    phones[1].find("#phase[data-phase=idle]").wait_for()
    assert daemon.get("/api/state")["night"] == 2
    # Whoever opens the page another day finds the form.
    daemon.do("end")
    later = open_window(daemon, "phone", path=None)
    later.page.clock.install(time=datetime.now(UTC) + timedelta(days=1))
    later.open()
    later.find("#start [name=player]").first.wait_for()


_SHARES = """(why) => {
  window.sent = [];
  navigator.canShare = () => true;
  navigator.share = async ({files}) => {
    window.sent.push([files[0].name, files[0].type, files[0].size > 10000]);
    if (why) throw new DOMException("", why);
  };
}"""


def test_a_picture_is_sent_where_the_browser_can(daemon: Daemon, open_window: OpenWindow) -> None:
    end_a_night(daemon)
    phone = open_window(daemon, "phone", path="/nights/1")
    phone.find("#share").wait_for()
    saved: list[str] = []
    phone.page.on("download", lambda download: saved.append(download.suggested_filename))
    # Somebody who closes the dialog does not get the picture in another way.
    for why in ("", "AbortError"):
        phone.page.evaluate(_SHARES, why)
        phone.find("#share").click()
        phone.wait_until("it is sent", lambda: phone.page.evaluate("sent.length") == 1)
        assert phone.page.evaluate("sent") == [["night-1.png", "image/png", True]]
    assert not saved
    phone.page.evaluate(_SHARES, "NotAllowedError")
    with phone.page.expect_download() as started:
        phone.find("#share").click()
    assert started.value.suggested_filename == "night-1.png"
