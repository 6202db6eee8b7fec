"""Eight players with names that pages stumble over, and pools of 300, on the pages afterwards."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.window import Window

NAMES: Final = (
    '<b>Bold</b> & "Q"',
    "👩‍👩‍👧‍👦 Smith 🎲",
    "שרה בת־אברהם",
    "Ottilie-Wilhelmine von und zu Hohenstein",
    "محمد",
    "Zoë",
    "李小龍",
    "O’Brien",
)  # fmt: skip
POOLS: Final = ("ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke")
_OUTSIDE: Final = """() => [...document.querySelectorAll("main *")]
  .filter((part) => part.getClientRects().length && !part.closest(".wide, svg, .quiet"))
  .filter((part) => getComputedStyle(part).clipPath === "none")
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5)
  .map((part) => part.outerHTML.slice(0, 120))"""


@pytest.fixture
def night(daemon: Daemon) -> Daemon:
    daemon.do("start", ruleset="family", players=NAMES, stack=5000)
    daemon.do("deal")
    for pool in POOLS:
        fields = {"from": "bank", "to": f"pool:{pool}", "chips": 300, "reason": "<i>x</i>"}
        daemon.do("adjust", **fields)
    daemon.do("claim", seat=4, pool="ace")
    daemon.do("next")
    while (to_act := daemon.get("/api/state")["to_act"]) is not None:
        if to_act == 4:
            daemon.do("stake", seat=4, chips=20)
        else:
            daemon.do("pass", seat=to_act)
    daemon.do("out", seat=4)
    daemon.do("settle", cards={str(seat): 1 for seat in (1, 2, 3, 5, 6, 7, 8)})
    daemon.do("end")
    return daemon


def shown(window: Window, selector: str) -> set[str]:
    return {name.strip() for name in window.find(selector).all_text_contents()}


def test_names_and_numbers_fit_and_say_what_they_are(
    night: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(
        night, "phone", path="/nights/1#11", viewport={"width": 360, "height": 640}
    )
    for path, wanted, names in (
        ("/nights/1#11", "#settlement .payments li", "#charts .name"),
        ("/", "#settlement .payments li", "#seats .name"),
        ("/statistics", "ul.heads li", "tr[data-person] td:first-child"),
    ):
        window.open(path)
        window.find(wanted).first.wait_for()
        if path == "/nights/1#11":
            window.tap("#chart-table summary")
            window.tap("[data-chart=pools]")
        assert shown(window, names) == set(NAMES), path
        assert window.find("main b:text-is('Bold'), main i:text-is('x')").count() == 0
        assert window.page.evaluate(_OUTSIDE) == [], path
        assert window.page.evaluate("document.documentElement.scrollWidth") == 360, path
        assert violations(window) == []


def test_a_night_is_printed_on_one_page_and_shared_as_a_picture(
    night: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(night, path="/nights/1")
    window.find("#settlement .payments li").first.wait_for()
    with window.page.expect_download() as shared:
        window.tap("#share")
    picture = shared.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == 1080
    printed = window.page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    window.page.emulate_media(media="print")
    text = window.find("main").inner_text()
    for part in (*NAMES, "For 2 to 8 players.", "Deal 1", "5915", "+915", "115 chips"):
        assert part in text, part
    for part in ("#board", "#replay", "#entries", "#downloads"):
        assert not window.find(part).is_visible(), part
    # On the page of the table there is a link that prints.
    window.page.add_init_script("window.print = () => { window.printed = true; }")
    window.page.emulate_media(media="screen")
    window.open("/")
    window.tap("a#print")
    window.wait_until("it is printed", lambda: window.page.evaluate("window.printed === true"))
