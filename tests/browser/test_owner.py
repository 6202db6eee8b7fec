"""A phone belongs to somebody: own claims in one tap, own chips in sight, a sign at one's turn."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.phone import DOUBLE_TAP_MS, Phone, out_of_reach
from tests.browser.stages import reach, walk
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import assert_fits, small_targets, wait_for_all_of_it
from tests.browser.test_pairing import pair
from tests.browser.window import Window

_RECORD_SIGNS = """
  window.signs = [];
  navigator.vibrate = (ms) => { signs.push("vibration"); return true; };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { signs.push("tone"); start.call(this, at); };
"""


def signs(window: Window) -> set[str]:
    """The signs since the last look."""
    return set(window.page.evaluate("signs.splice(0)"))


def own(window: Window) -> str:
    """What the page says of the phone's owner."""
    return " ".join(window.find("#me").inner_text().split())


def wait_for_command(window: Window, command: dict[str, Any]) -> None:
    """Waits until this is the command of the last entry."""

    def differences() -> list[str]:
        last = window.daemon.get("/api/nights/1/entries")[-1]["command"]
        return [] if last == command else [f"{last}, not {command}"]

    window.wait_until_equal(differences)


def label(daemon: Daemon) -> str:
    """What the only paired phone is called."""
    (pairing,) = daemon.get("/api/pairings")
    return str(pairing["label"])


def test_trumps_are_asked_for_on_every_phone_until_somebody_says(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.wait_until_live()
    pair(window)
    phone = Phone(window)
    phone.tap("#who [data-owner='3']")
    window.find("#who").wait_for(state="hidden")
    daemon.do("deal")
    suits, pools = window.find("#controls [data-command=turn]"), window.find("[data-command=claim]")
    suits.nth(3).wait_for()
    assert_fits(window)
    assert not small_targets(window)
    assert not violations(window)
    phone.tap("[data-turn=later]")
    pools.first.wait_for()
    window.tap("#trump button")
    suits.first.wait_for()
    phone.tap("#controls [data-card=S]")
    pools.first.wait_for()
    wait_for_command(window, {"do": "turn", "card": "S"})
    # It stays in sight until the deal ends.
    shown = window.find("#trump [data-suit=S]")
    for command in ("next", "void"):
        shown.wait_for()
        daemon.do(command)
    shown.wait_for(state="hidden")


def test_after_pairing_a_phone_asks_whose_it_is(daemon: Daemon, open_window: OpenWindow) -> None:
    reach(daemon, "idle")
    window = open_window(
        daemon, "phone", host=LAN_NAME, viewport={"width": 360, "height": 640}, **ELSEWHERE
    )
    window.wait_until_live()
    assert window.find("#me").is_hidden()
    pair(window)
    window.find("#who [data-owner]").first.wait_for()
    window.tap("[data-view=table]")
    assert window.find("#who [data-owner]").all_inner_texts() == [
        "Anna", "Benjamin the Younger", "Clara", "Dora", "The table’s phone",
    ]  # fmt: skip
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)
    # The list of phones says so, too; a label has at most 40 characters.
    with window.page.expect_response("**/api/pairings/*"):
        Phone(window).tap("#who [data-owner='2']")
    window.find("#who").wait_for(state="hidden")
    assert own(window) == "Benjamin the Younger’s phone change"
    assert label(daemon) == "Benjamin the Younger’s phone"
    window.page.reload()
    window.find(".plate.own .name", has_text="Benjamin the Younger").wait_for()
    # Another phone is not asked again, but may say so.
    daemon.do("rename", seat=2, name="Ben")
    window.find(".plate.own .name", has_text="Ben").wait_for()


def test_the_owner_claims_with_one_tap_and_is_called_at_their_turn(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    window.page.add_init_script(_RECORD_SIGNS)
    window.open()
    window.wait_until_live()
    window.tap("#me")
    window.tap("#who [data-owner='2']")
    daemon.do("deal")
    daemon.do("turn", card="9H")
    window.find("[data-pool=ace]:enabled").wait_for()
    daemon.ask("POST", "/api/board/press", {"button": "seat1", "ms": 20})
    window.find("[data-shape=seat1].chosen").wait_for(state="attached")
    # What the board has selected is not whom this phone claims for.
    thumb = Phone(window)
    thumb.tap("[data-pool=ace]")
    window.find("#said", has_text="Benjamin the Younger takes Ace").wait_for()
    assert thumb.taps == 1
    # It can still act for others; what was opened for them stays open until it is closed.
    thumb.tap("[data-others]")
    thumb.tap("#plates [data-seat='1']")
    thumb.tap("[data-pool=king]")
    window.find("#said", has_text="Anna takes King").wait_for()
    window.find("#seat-1.chosen").wait_for()
    thumb.tap("[data-own]")
    thumb.tap("[data-pool=queen]")
    window.find("#said", has_text="Benjamin the Younger takes Queen").wait_for()
    assert signs(window) == set()

    daemon.do("next")
    window.find("#ask", has_text="Who’s betting? Your turn").wait_for()
    assert window.page.title() == "Who’s betting? Your turn – Pochboard"
    window.wait_until("signs", lambda: window.page.evaluate("signs.length > 1"))
    assert signs(window) == {"vibration", "tone"}
    daemon.do("stake", seat=2, chips=1)
    window.find("#ask", has_text="Clara’s turn: 1 chip to stay in").wait_for()
    assert window.page.title() == "Clara’s turn: 1 chip to stay in – Pochboard"
    assert signs(window) == set()
    window.tap("#me")
    window.tap("#menu [data-device]")
    window.tap("#drawer [name=sound]")
    window.tap("#drawer .main")
    daemon.do("stake", seat=3, chips=3)
    for seat in (4, 1):
        daemon.do("pass", seat=seat)
    window.find("#ask", has_text="Your turn: 2 chips to stay in").wait_for()
    assert signs(window) == set()


_LOOK: Final = """() => ({
  bar: getComputedStyle(document.querySelector("#bar")).backgroundColor,
  edge: getComputedStyle(document.querySelector("#bar")).borderTopStyle,
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_mine_and_not_mine_look_different(
    daemon: Daemon, open_window: OpenWindow, scheme: str
) -> None:
    reach(daemon, "pochen")
    window = open_window(daemon, "phone", host=LAN_NAME, color_scheme=scheme)
    window.wait_until_live()
    phone = Phone(window)
    phone.belong_to(2)
    others = window.find("[data-others]")
    others.wait_for()
    assert others.inner_text() == "For Anna"
    assert not window.find("[data-command=stake], [data-command=pass]").count()
    phone.tap("[data-others]")
    window.find("[data-command=pass]").wait_for()
    for_anna = window.page.evaluate(_LOOK)
    assert for_anna["edge"] == "dashed"
    window.find("#back [data-own]").wait_for()
    # What is open is for this turn: the next one begins with whose it is.
    daemon.do("stake", seat=1, chips=4)
    window.find("#ask", has_text="Your turn: 2 chips to stay in").wait_for()
    window.find("#back [data-own]").wait_for(state="detached")
    mine = window.page.evaluate(_LOOK)
    assert mine["bar"] != for_anna["bar"]
    assert mine["edge"] != "dashed"
    assert not others.count()
    assert not violations(window)
    phone.tap("[data-command=pass]")
    window.find("#phase[data-phase=showdown]").wait_for()
    window.find("[data-others]:text-is('For others')").wait_for()


def test_all_that_an_owner_may_do_is_on_a_small_screen(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    size = {"width": 360, "height": 640}
    window = open_window(daemon, "phone", host=LAN_NAME, viewport=size, locale="de-DE", path=None)
    window.page.add_init_script("""localStorage.setItem("owner", '{"name": "Dora"}')""")
    window.open()
    found: list[tuple[str, list[str]]] = []
    for stage in walk(daemon):
        if stage in ("lobby", "closed"):
            continue
        wait_for_all_of_it(window, stage)
        for shown in ("[data-others]", "[data-own]"):
            window.find(f"#bar :is({shown}, [data-command])").first.wait_for()
            found.append((stage, out_of_reach(window, "#bar button", "#ask")))
            found.append((stage, small_targets(window)))
            found.append((stage, violations(window)))
            if window.find("[data-others]").count():
                window.tap("[data-others]")
        if window.find("[data-own]").count():
            window.tap("[data-own]")
    assert not [one for one in found if one[1]]


def test_own_acts_in_one_tap_and_those_of_others_in_two(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="thirty-one", players=["Anna", "Ben", "Clara"], stack=12)
    daemon.do("adjust", **{"from": "seat:2", "to": "bank", "chips": 10, "reason": "lost"})
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    phone = Phone(window)
    phone.belong_to(2)
    window.find("[data-command=rebuy]", has_text="I buy in for 12 chips").wait_for()
    phone.tap("[data-command=rebuy]")
    phone.tap("[data-others]")
    phone.tap("[data-command=deal]")
    phone.tap("[data-turn=later]")
    king = window.find("[data-pool=king]")
    king.wait_for()
    phone.tap("[data-pool=king]")
    window.find("#said", has_text="Ben takes King").wait_for()
    phone.tap("[data-command=next]")
    window.find("[data-command=pass]").wait_for()
    for seat in (2, 3, 1):
        daemon.do("pass", seat=seat)
    window.find("[data-command=go]").wait_for()
    acts = window.find("#controls [data-command]").all_inner_texts()
    assert acts == ["I ended a run", "My last card!"]
    phone.tap("[data-command=go]")
    wait_for_command(window, {"do": "go", "seat": 2})
    phone.taps = 0
    phone.tap("[data-others]")
    phone.tap("#plates [data-seat='3']")
    phone.tap("[data-command=out][data-seat='3']")
    wait_for_command(window, {"do": "out", "seat": 3})
    assert phone.taps == 3


def test_two_phones_count_their_own_cards_and_the_last_count_settles_the_deal(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "shed")
    bens, claras = (open_window(daemon, "phone", host=LAN_NAME) for _ in range(2))
    phones = {2: Phone(bens), 3: Phone(claras)}
    for seat, phone in phones.items():
        phone.window.wait_until_live()
        phone.belong_to(seat)
    daemon.do("out", seat=1)
    for phone in phones.values():
        phone.window.find("#ask", has_text="How many cards do you have left?").wait_for()
        phone.taps = 0
    assert_fits(bens)
    assert not violations(bens)
    phones[2].tap("[data-number='4']")
    # What is in is on every phone and screen, and so is who is missing.
    for window in (bens, claras):
        window.find("#seat-2 .word", has_text="4 cards").wait_for()
        window.find("#seat-3 .word", has_text="counting").wait_for()
    # Somebody without a phone is counted by another one, which then asks for its owner's cards.
    phones[3].tap("[data-others]")
    phones[3].tap("#plates [data-seat='4']")
    phones[3].tap("[data-number='1']")
    bens.find("#seat-4 .word", has_text="1 card").wait_for()
    bens.page.wait_for_timeout(DOUBLE_TAP_MS)
    # The owner's count is corrected by the owner.
    phones[2].tap("[data-number='5']")
    claras.find("#seat-2 .word", has_text="5 cards").wait_for()
    phones[3].tap("[data-more]")
    phones[3].tap("[data-number='0']")
    bens.find("#phase[data-phase=idle]").wait_for()
    wait_for_command(bens, {"do": "settle", "cards": {"2": 5, "3": 0, "4": 1}})
    # An undo asks again, and only what was wrong is entered again.
    phones[2].tap("#back [data-command=undo]")
    for phone in phones.values():
        phone.window.find("#seat-4 .word", has_text="1 card").wait_for()
    phones[3].tap("[data-number='2']")
    bens.find("#phase[data-phase=idle]").wait_for()
    wait_for_command(bens, {"do": "settle", "cards": {"2": 5, "3": 2, "4": 1}})


def test_the_seat_that_is_counted_stays_when_another_phone_counts_it(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "shed")
    daemon.do("out", seat=1)
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.find("#plates [data-seat='2'][aria-pressed=true]").wait_for()
    daemon.ask("PUT", "/api/counts", {"seat": 2, "cards": 3})
    window.find("#seat-2 .word", has_text="3").wait_for()
    window.find("#plates [data-seat='2'][aria-pressed=true]").wait_for()
    Phone(window).tap("[data-number='4']")
    window.find("#seat-2 .word", has_text="4").wait_for()
    window.find("#plates [data-seat='3'][aria-pressed=true]").wait_for()


def test_the_owner_is_found_again_in_the_next_night(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    reach(daemon, "idle")
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    window.tap("#me")
    window.tap("#who [data-owner='3']")
    daemon.do("end")
    window.find("#phase[data-phase=closed]").wait_for()
    daemon.do("start", ruleset="modern", players=["Clara", "Anna", "Dora"], stack=70)
    window.find(".plate.own .name", has_text="Clara").wait_for()
    daemon.do("end")
    daemon.do("start", ruleset="modern", players=["Anna", "Dora", "Emil"])
    window.find("#seat-3 .name", has_text="Emil").wait_for()
    assert window.find(".plate.own").count() == 0
