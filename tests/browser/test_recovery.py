"""The page after the daemon fell silent, was restarted, or the phone slept."""

from __future__ import annotations

import signal

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.reference import Reference
from tests.browser.window import Window

PLAYERS = ["Anna", "Ben", "Clara"]


def begun(daemon: Daemon, *commands: str) -> Reference:
    """A night of three, as far as these commands."""
    book = Reference()
    book.do("start", ruleset="modern", players=PLAYERS)
    daemon.do("start", ruleset="modern", players=PLAYERS)
    for command in commands:
        book.do(command)
        daemon.do(command)
    return book


def is_grey(window: Window) -> bool:
    """Whether the board is drawn grey, because its state is unknown."""
    opacity, grey = window.find("main.table").evaluate(
        "part => [getComputedStyle(part).opacity, getComputedStyle(part).filter]"
    )
    return float(opacity) < 1 and "grayscale(1)" in grey


def test_a_silent_daemon_greys_the_page_out_until_it_speaks_again(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    book = begun(daemon, "deal")
    window = open_window(daemon, "phone", host=LAN_NAME, path=None)
    window.stop_clock()
    window.open()
    window.wait_until_live()
    window.page.clock.run_for(1)  # the board is drawn in a separate task
    book.agree(window)
    assert not is_grey(window)

    daemon.signal(signal.SIGSTOP)
    window.page.clock.fast_forward(11_000)  # two heartbeats are missing, which may happen
    assert window.seen()["stale"] is None
    window.page.clock.fast_forward(1_500)
    window.wait_until("that it is stale", lambda: window.seen()["stale"])
    seen = window.seen()
    assert seen["badge"] == "not live"
    assert seen["stale"].startswith("Nothing heard from the board since ")
    assert is_grey(window)
    assert window.find("#bar").get_attribute("inert") is not None
    assert window.find('button[data-button="next"]').is_disabled()

    window.page.clock.resume()
    daemon.signal(signal.SIGCONT)
    window.wait_until_live()
    book.agree(window)
    assert not is_grey(window)
    assert window.find("#bar").get_attribute("inert") is None
    daemon.do("next")
    book.do("next")
    book.agree(window)


def test_a_clock_that_is_set_back_does_not_hide_the_silence(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    begun(daemon)
    window = open_window(daemon, path=None)
    window.stop_clock()
    window.open()
    window.wait_until_live()
    window.page.evaluate("{ const now = Date.now(); Date.now = () => now - 3_600_000; }")
    daemon.signal(signal.SIGSTOP)
    window.page.clock.fast_forward(12_500)
    window.find("body.stale").wait_for()
    daemon.signal(signal.SIGCONT)
    window.page.clock.resume()
    window.wait_until_live()


def test_a_command_given_while_the_daemon_restarts_is_recorded_once(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    book = begun(daemon)
    window = open_window(daemon, "phone")
    window.wait_until_live()
    window.find("[data-command=deal]").wait_for()
    window.watch.expect_outages()
    with window.reconnecting():
        daemon.kill()
        window.tap("[data-command=deal]")
        daemon.start()
    book.do("deal")
    book.agree(window)


def test_the_way_back_from_another_page_leads_to_a_live_table(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    book = begun(daemon, "deal")
    window = open_window(daemon)
    window.wait_until_live()
    window.tap("#menu a[href$='nights']")
    window.find("li[data-night='1']").wait_for()
    daemon.do("next")
    book.do("next")
    window.page.go_back()
    window.wait_until_live()
    book.agree(window)


def test_a_command_is_shown_though_the_events_are_late(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon, path=None)
    window.page.route("**/api/events*", lambda _: None)  # never answered
    window.open()
    window.tap("[data-command=deal]")
    window.find("#phase[data-phase=meld]").wait_for()
    window.find("#phase[data-phase=meld]").wait_for()
