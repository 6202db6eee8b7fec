"""No tap records something that the person did not mean:

double taps, two phones, late answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.window import Window

SETTLED_MS: Final = 1_500
"""After this long a second tap has been recorded if it ever will be."""

_TWICE: Final = """([selector, ms]) => new Promise((resolve) => {
  const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
  const tap = () => document.elementFromPoint(x + width / 2, y + height / 2)?.click();
  tap();
  setTimeout(() => { tap(); resolve(); }, ms);
})"""
"""Taps twice on the same point of the screen, whatever is there the second time."""


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon with a night of three."""
    daemon = make_daemon()
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    return daemon


def recorded(daemon: Daemon) -> list[str]:
    """The commands of the night, in order."""
    return [entry["command"]["do"] for entry in daemon.get("/api/nights/1/json")["entries"]]


def tap_twice(window: Window, selector: str, apart_ms: int = 60) -> None:
    part = window.find(selector)
    part.wait_for()
    part.scroll_into_view_if_needed()
    window.wait_until(f"{selector} acts", part.is_enabled)
    window.page.evaluate(_TWICE, [selector, apart_ms])
    window.page.wait_for_timeout(SETTLED_MS)


@pytest.mark.parametrize("apart_ms", [30, 300])
def test_a_double_tap_on_ace_does_not_take_the_king_too(
    daemon: Daemon, open_window: OpenWindow, apart_ms: int
) -> None:
    daemon.do("deal")
    window = open_window(daemon, "phone")
    window.wait_until_live()
    window.tap("[data-turn=later]")
    window.tap("#plates [data-seat='2']")
    before = window.find(".claims [data-pool]").all_text_contents()
    tap_twice(window, "[data-pool=ace]", apart_ms)
    assert recorded(daemon) == ["start", "deal", "claim"]
    # The pool that was taken stays where it was.
    after = window.find(".claims [data-pool]").all_text_contents()
    assert len(after) == len(before) == 7
    assert after[1:] == before[1:]
    assert window.find("[data-pool=ace]").is_disabled()
    window.tap("[data-pool=king]")
    window.wait_until("the King", lambda: recorded(daemon)[3:] == ["claim"])


def test_a_claim_is_not_for_the_seat_that_the_board_selects_under_the_thumb(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("deal")
    daemon.ask("POST", "/api/board/press", {"button": "seat2", "ms": 20})
    window = open_window(daemon, "phone")
    window.wait_until_live()
    window.tap("[data-turn=later]")
    window.find("#plates [data-seat='2'][aria-pressed=true]").wait_for()
    window.page.evaluate(
        """() => new MutationObserver((_, observer) => {
          if (!document.querySelector("#plates [data-seat='3'][aria-pressed=true]")) return;
          observer.disconnect();
          document.querySelector("[data-pool=ace]").click();
        }).observe(document.querySelector("#plates"), { subtree: true, attributes: true })"""
    )
    daemon.ask("POST", "/api/board/press", {"button": "seat3", "ms": 20})
    window.find("#toast.shown", has_text="The table has just changed").wait_for()
    assert recorded(daemon) == ["start", "deal"]
    # A moment later the tap is for whoever is selected then.
    window.tap("[data-pool=ace]")
    window.wait_until("the claim", lambda: recorded(daemon) == ["start", "deal", "claim"])


def test_what_is_tapped_while_a_command_is_under_way_stays(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """The event of a command may come before its answer, and people go on."""
    window = open_window(daemon, "phone")
    window.wait_until_live()
    held = window.hold("**/api/commands?*")

    def send(selector: str) -> Callable[[], None]:
        """Sends a command, which is recorded; its answer arrives with the result of this."""
        held.clear()
        window.tap(selector)
        window.wait_until("the command", lambda: held)
        answer = held[0].fetch()
        window.wait_for_newest_entry()

        def let_arrive() -> None:
            held[0].fulfill(response=answer)
            window.wait_until_controls_act()

        return let_arrive

    let_arrive = send("[data-command=deal]")
    window.tap("[data-turn=later]")
    window.tap("#plates [data-seat='2']")
    chosen = window.find("#plates [aria-pressed=true]")
    let_arrive()
    assert chosen.get_attribute("data-seat") == "2"
    # The next claim would be the same seat's.
    let_arrive = send("[data-pool=ace]")
    window.tap("#plates [data-seat='3']")
    let_arrive()
    assert chosen.get_attribute("data-seat") == "3"
    let_arrive = send("[data-command=next]")
    window.tap("[data-step='1']")
    let_arrive()
    assert window.find("#stake-chips").text_content() == "2"


def test_two_phones_that_tap_undo_at_once_take_back_one_entry(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("deal")
    daemon.do("claim", seat=1, pool="ace")
    phones = [open_window(daemon, "phone") for _ in range(2)]
    phones[0].watch.expect_refusals(409)
    for phone in phones:
        phone.wait_until_live()
        phone.find("[data-command=undo]").wait_for()
    # However busy the machine is, neither knows of the other's tap.
    sent = [phone.hold("**/api/commands?*") for phone in phones]
    for phone in phones:
        phone.page.evaluate("document.querySelector('[data-command=undo]').click()")
    phones[0].wait_until("both taps", lambda: all(sent))
    for (route,) in sent:
        route.continue_()
    for phone in phones:
        phone.wait_until_controls_act()
        phone.wait_for_newest_entry()
    assert recorded(daemon) == ["start", "deal", "claim", "undo"]


def test_enter_held_on_pass_passes_once(daemon: Daemon, open_window: OpenWindow) -> None:
    daemon.do("deal")
    daemon.do("next")
    window = open_window(daemon, "desktop")
    window.wait_until_live()
    window.find("[data-command=pass]").focus()
    for _ in range(20):
        window.page.keyboard.down("Enter")  # repeats while it is down
        window.page.wait_for_timeout(60)
    window.page.keyboard.up("Enter")
    window.page.wait_for_timeout(SETTLED_MS)
    assert recorded(daemon)[3:] == ["pass"]


def test_the_deal_is_settled_with_the_last_count_and_no_double_tap_counts_twice(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("deal")
    daemon.do("next")
    for seat in (2, 3, 1):
        daemon.do("pass", seat=seat)
    daemon.do("out", seat=1)
    window = open_window(daemon, "phone")
    window.wait_until_live()
    window.find("[data-number='4']:not([aria-disabled=true])").wait_for()
    counts = window.find("#seat-2 .word"), window.find("#seat-3 .word")
    # At once: on a busy machine two taps could be so far apart that they are two.
    window.find("[data-number='4']").evaluate("button => { button.click(); button.click(); }")
    window.page.wait_for_timeout(SETTLED_MS)
    counts[0].filter(has_text="4 cards").wait_for()
    # The second half of the double tap was not for the next seat.
    assert counts[1].text_content() == "counting"
    assert recorded(daemon)[-1] == "out"
    window.tap("[data-more]")
    window.tap("[data-number='0']")
    window.wait_until("the end of the deal", lambda: recorded(daemon)[-1] == "settle")
    entries = daemon.get("/api/nights/1/json")["entries"]
    assert entries[-1]["command"]["cards"] == {"2": 4, "3": 0}
