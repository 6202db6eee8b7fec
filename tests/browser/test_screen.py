"""One calm screen for each stage: nothing to scroll, few controls, and nothing that moves."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import Phone, out_of_reach
from tests.browser.stages import reach, walk
from tests.browser.test_page import small_targets, wait_for_all_of_it
from tests.browser.window import Window
from tests.shell.server_kit import stacks

EIGHT: Final = [
    "Oma Hilde", "Jörg", "Anne-Sophie", "Ben", "Maximilian", "Tante Uschi", "Lea", "Opa Karl-Heinz",
]  # fmt: skip
PHONES: Final = [(360, 640, "de-DE"), (390, 844, "en-GB"), (640, 360, "de-DE")]
"""German words are longer."""
SMALLEST: Final = {"width": 360, "height": 640}
IN_A_NIGHT: Final = ("idle", "meld", "pochen", "showdown", "shed", "counting")
MOST_CONTROLS: Final = 7
MAIN: Final = {
    "idle": ["[data-command=deal]"],
    "meld": ["[data-command=claim]", "[data-command=next]", "#plates [data-seat]"],
    "pochen": ["[data-command=stake]", "[data-command=pass]", ".stepper .typed", "[data-step]"],
    "showdown": ["[data-command=showdown]", "[data-nobody]", "#controls [data-referee]"],
    "shed": ["#plates [data-command=out]"],
    "counting": ["[data-number]", "#plates [data-seat]"],
}
# How much there is to scroll, what of the plates and the table is cut, and their boxes.
_SCREEN: Final = """() => {
  const root = document.documentElement;
  const box = (selector) => {
    const {left, top, width, height} = document.querySelector(selector).getBoundingClientRect();
    return [left, top, width, height].map(Math.round);
  };
  const cut = [...document.querySelectorAll(".plate .name, .plate .stack, .bowl span")]
    .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
    .map((one) => one.textContent);
  return {down: root.scrollHeight - innerHeight, across: root.scrollWidth - innerWidth, cut,
    table: box(".bowls"), sheet: box("#bar"), back: box("#back")};
}"""


def look(window: Window) -> dict[str, Any]:
    """The measures of what is on the screen."""
    found: dict[str, Any] = window.page.evaluate(_SCREEN)
    return found


@pytest.mark.parametrize("players", [2, 4, 8])
def test_a_phone_shows_each_stage_without_scrolling_and_the_table_keeps_its_size(
    daemon: Daemon, open_window: OpenWindow, players: int
) -> None:
    windows = [
        open_window(
            daemon,
            "phone",
            host=LAN_NAME,
            viewport={"width": width, "height": height},
            locale=locale,
        )
        for width, height, locale in PHONES
    ]
    daemon.do("start", ruleset="family", players=EIGHT[:players])
    tables: dict[int, set[tuple[int, ...]]] = {}
    found: list[Any] = []
    for command in ({"do": "deal"}, {"do": "next"}, None):
        for number, window in enumerate(windows):
            window.wait_until_live()
            window.wait_for_newest_entry()
            window.wait_for_frame()
            seen = look(window)
            tables.setdefault(number, set()).add(tuple(seen["table"]))
            bad = {key: seen[key] for key in ("down", "across", "cut") if seen[key] not in (0, [])}
            found += [(PHONES[number], command, bad)] if bad else []
            found += out_of_reach(window, "#controls button", "#ask", "#dots")
        if command:
            daemon.do(command["do"])
    assert not found, "\n".join(map(str, found))
    for boxes in tables.values():
        assert max(size for *_, size in boxes) - min(size for *_, size in boxes) <= 2, tables


def test_what_is_to_be_done_is_in_sight_in_every_stage_with_few_controls(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    table = open_window(daemon, "phone", host=LAN_NAME, viewport=SMALLEST, locale="de-DE")
    owner = open_window(daemon, "phone", host=LAN_NAME, viewport=SMALLEST, path=None)
    owner.page.add_init_script("""localStorage.setItem("owner", '{"name": "Dora"}')""")
    owner.open()
    found: list[Any] = []
    places = set()
    for stage in walk(daemon):
        if stage not in IN_A_NIGHT:
            continue
        wait_for_all_of_it(table, stage)
        found += [(stage, one) for one in out_of_reach(table, *MAIN[stage], "#ask")]
        found += [(stage, one) for one in small_targets(table)]
        if table.find("#back button").count():
            places.add(look(table)["back"][1])
        wait_for_all_of_it(owner, stage)
        acts = owner.find(
            "#controls :is([data-command]:not([data-command=next]), [data-number], input)"
        )
        if acts.count() > MOST_CONTROLS:
            found.append((stage, acts.count()))
        found += [(stage, one) for one in out_of_reach(owner, "#bar button", "#ask")]
    assert not found, "\n".join(map(str, found))
    assert len(places) == 1, "undo stays where it is"


def test_a_second_tap_on_deal_does_not_end_the_melding(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME)
    phone = Phone(window)
    phone.wait_until_on("[data-command=deal]")
    box = window.find("[data-command=deal]").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    window.page.touchscreen.tap(x, y)
    window.find("#phase[data-phase=meld]").wait_for()
    for _ in range(3):
        window.page.touchscreen.tap(x, y)
        window.page.wait_for_timeout(250)
    assert daemon.get("/api/state")["phase"] == "meld"


def test_a_message_covers_no_control_and_moves_nothing(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "meld")
    window = open_window(daemon, "phone", host=LAN_NAME)
    wait_for_all_of_it(window, "meld")
    before = look(window)
    window.tap("[data-command=claim][data-pool=king]")
    window.find("#toast.shown", has_text="Tap first").wait_for()
    assert look(window) == before
    assert not out_of_reach(window, "#controls button", "#back button")


def test_the_simulated_board_is_shown_instead_of_the_table_and_stays_so(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    reach(daemon, "idle")
    window.find(".bowls").wait_for()
    assert window.find("svg.board").is_hidden()
    window.tap("[data-view=board]")
    window.find("svg.board").wait_for()
    assert window.find(".bowls").is_hidden()
    window.open()
    window.find("svg.board").wait_for()
    lit = window.find("circle[data-pixel]:not([fill='#000000'])")
    lit.first.wait_for(state="attached")


def test_a_phone_beside_a_real_board_never_sees_the_object(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", path=None)

    def as_real(route: Any) -> None:
        answer = route.fetch()
        html = answer.text().replace('"simulated":true', '"simulated":false')
        begin = html.index('<div id="views"')
        html = html[:begin] + html[html.index("</div>", begin) + 6 :]
        route.fulfill(response=answer, body=html)

    window.page.route("**/", as_real)
    reach(daemon, "meld")
    window.open()
    window.find(".bowls").wait_for()
    assert window.find("svg.board").count() == 0
    assert window.find("#views").count() == 0


def test_whoever_is_short_of_chips_is_named_and_buys_in_with_one_tap(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    daemon.do("adjust", **{"from": "seat:2", "to": "bank", "chips": 48, "reason": "lost"})
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=SMALLEST)
    window.find("#ask", has_text="Benjamin the Younger").wait_for()
    Phone(window).tap("#controls [data-command=rebuy][data-seat='2']")
    window.find("#ask", has_text="Benjamin").wait_for(state="detached")
    assert stacks(daemon.get("/api/state"))["2"] == 52
