"""Bots on the page: their cards agree with the board, and a person plays among them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, TIMES, Daemon
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window

SHORT: Final = f"{TIMES}long_s = 0.3\nboth_s = 0.5\nnext_long_s = 1\n"
# So slow that everything comes to rest between two cards, even on a busy machine.
SLOW: Final = 0.1
FAST: Final = 20
FASTEST: Final = 100

_READ: Final = """() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? null;
  const cards = (selector, within) => all(`${selector} [data-card]`, within)
    .map((card) => card.dataset.card);
  return {
    turned: cards("#turned")[0] ?? null,
    run: all("#run li").map((one) => ({seat: Number(one.dataset.seat), card: cards("", one)[0]})),
    took: all("#run li.took").map((one) => Number(one.dataset.seat)),
    count: text("#count b"),
    holders: Object.fromEntries(all("[data-holder]").map((one) => [one.dataset.holder, {
      backs: all(".backs > *", one).length, shown: cards(".shown", one),
      held: parseInt(one.querySelector(".held").textContent),
    }])),
    hand: cards("#hand"),
  };
}"""


@pytest.fixture
def quick(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon whose long presses are short."""
    return make_daemon(times=SHORT)


def state_of(daemon: Daemon) -> dict[str, Any]:
    state: dict[str, Any] = daemon.get("/api/state")
    return state


def post(daemon: Daemon, path: str, body: object, status: int) -> None:
    answer = daemon.ask("POST", path, body)
    assert answer[0] == status, answer


def invite(daemon: Daemon, **options: object) -> None:
    post(daemon, "/api/bots", {"players": 3, "seed": "1441", **options}, 201)


def watch(*windows: Window) -> None:
    """Phones that have not asked for the computer players follow them all the same."""
    for window in windows:
        window.tap("#elsewhere [data-watch]")


def set_speed(daemon: Daemon, speed: float) -> None:
    post(daemon, "/api/bots/speed", {"speed": speed}, 204)


def differences(window: Window) -> list[str]:
    """Where the cards on the page differ from the daemon's answer."""
    before = state_of(window.daemon)
    cards = window.page.evaluate(_READ)
    state = state_of(window.daemon)
    if before["revision"] != state["revision"]:
        return ["the cards are moving"]
    bots = state["bots"]
    # After the deal all remaining cards lie open.
    settled = state["phase"] == "idle"
    due: dict[str, Any] = {
        "turned": bots["turned"],
        "run": bots["run"],
        "count": None if bots["count"] is None or not bots["run"] else str(bots["count"]),
        "took": [play["seat"] for play in bots["run"] if play["seat"] == bots["taker"]],
        "holders": {
            seat: {
                "backs": 0 if settled else bots["held"].get(seat, 0),
                "shown": bots["shown"].get(seat, []),
                "held": bots["held"].get(seat, 0),
            }
            for seat in bots["players"]
        },
    }
    return [f"{key}: {cards[key]!r}, not {due[key]!r}" for key in due if cards[key] != due[key]]


def test_an_empty_table_offers_bots_after_the_form_for_people(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    watching = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.find("#watch:enabled").wait_for()
    assert window.find("#start ~ .house-offer #watch").count() == 1
    watching.find("#pairing").wait_for()
    assert watching.find("#watch").count() == 0
    window.find("#start [name=ruleset]").select_option("pagat")
    window.tap("#watch")
    window.find("#cards").wait_for()
    window.find("#watch").wait_for(state="detached")
    state = state_of(daemon)
    assert ("McLeod" in state["headline_text"], len(state["live"])) == (True, 4)
    # A client that may not press is not asked to, and sees the cards.
    watching.find("#cards [data-holder]").nth(3).wait_for()
    assert watching.find("[data-take], [data-dismiss], [data-speed]").count() == 0
    window.tap("[data-speed='5']")
    window.wait_until("the speed", lambda: state_of(daemon)["bots"]["speed"] == 5)
    window.tap("[data-dismiss]")
    window.find("#cards").wait_for(state="hidden")
    after = state_of(daemon)
    assert (after["bots"], after["night"], after["live"]) == (None, state["night"], state["live"])
    assert after["phase"] != "closed"
    window.find("#more button").first.wait_for(state="attached")


def open_told(open_window: OpenWindow, daemon: Daemon, state: dict[str, Any]) -> Window:
    """A window that receives this state, whatever the daemon's is."""
    told = f"event: state\ndata: {json.dumps(state)}\n\n"
    window = open_window(daemon, path=None)
    window.page.route(
        "**/api/events*",
        lambda route: route.fulfill(content_type="text/event-stream", body=told),
    )
    window.open()
    return window


def test_bots_that_are_stuck_say_why(
    make_daemon: Callable[..., Daemon], open_window: OpenWindow
) -> None:
    daemon, other = make_daemon(), make_daemon()
    invite(daemon, speed=2)
    # Melding, and no card has been turned up: that is when people are asked for it.
    other.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    other.do("deal")
    state = {**state_of(other), "bots": state_of(daemon)["bots"]}
    run = [{"seat": 1, "card": "7S"}]
    state["bots"] |= {"stuck": "The link to the board is down.", "turned": None, "run": run}
    stuck = open_told(open_window, daemon, state)
    stuck.find("#stuck", has_text="The link to the board is down.").wait_for()
    # Then people see to what the bots would.
    stuck.find("#controls [data-command=turn]").first.wait_for()
    assert stuck.find("#turned .back-side [viewBox='0 0 50 70']").is_visible()
    # Nothing is counted in this ruleset.
    assert stuck.find("#run").is_visible()
    assert stuck.find("#count").count() == 0
    state["bots"]["stuck"] = None
    well = open_told(open_window, daemon, state)
    well.find("#controls [data-command=next]").wait_for()
    well.find("#run").wait_for()
    assert well.find("#stuck, #controls [data-command=turn]").count() == 0


def test_at_a_real_board_people_play(daemon: Daemon, open_window: OpenWindow) -> None:
    state = state_of(daemon)
    state["board"]["simulated"] = False
    window = open_told(open_window, daemon, state)
    window.find("#start [name=ruleset] option").first.wait_for(state="attached")
    window.find("#watch").wait_for(state="detached")


def end_whatever_is_played(daemon: Daemon) -> None:
    """Ends the night that bots have left, between two deals or in the middle of one."""
    if state_of(daemon)["phase"] not in ("idle", "closed"):
        daemon.do("void")
    if state_of(daemon)["phase"] == "idle":
        daemon.do("end")


def test_a_phone_is_asked_before_it_follows_computer_players_of_another(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.find("#watch:enabled").wait_for()
    asked = window.find("#elsewhere[open]")
    invite(daemon)
    asked.wait_for()
    assert not violations(window)
    window.page.keyboard.press("Escape")
    assert asked.count() == 1
    window.tap("#elsewhere [data-stop]")
    asked.wait_for(state="detached")
    assert state_of(daemon)["bots"] is None
    end_whatever_is_played(daemon)
    # Those that it asks for itself it follows, and it is asked again for the next ones.
    window.tap("#watch:enabled")
    window.find("#cards [data-holder]").first.wait_for()
    assert not asked.count()
    status, _ = daemon.ask("DELETE", "/api/bots")
    assert status == 204
    end_whatever_is_played(daemon)
    invite(daemon)
    asked.wait_for()


def test_the_cards_of_a_run_are_those_that_the_house_plays(
    quick: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(quick, "desktop", host=LAN_NAME)
    window.wait_until_live()
    invite(quick, ruleset="thirty-one", options={"deals": "open"}, speed=FAST)
    watch(window)
    window.wait_until("a run", lambda: len(state_of(quick)["bots"]["run"]) >= 2)
    set_speed(quick, SLOW)
    window.wait_until_equal(lambda: differences(window))
    assert not violations(window)
    assert_fits(window)


def take(window: Window, seat: int) -> None:
    """Takes a bot's seat; returns once the page has the key of its cards."""
    window.tap(f"[data-take='{seat}']")
    window.find("#hand").wait_for()


def test_a_person_takes_a_seat_and_gives_it_back(quick: Daemon, open_window: OpenWindow) -> None:
    window = open_window(quick, "phone", host=LAN_NAME)
    other = open_window(quick, host=LAN_NAME)
    other.wait_until_live()
    invite(quick, ruleset="modern", speed=1, seed="b")
    watch(window, other)
    take(window, 1)
    window.wait_until("whose seat", lambda: state_of(quick)["bots"]["players"]["1"] == "person")
    bot = state_of(quick)["names"]["1"]
    quick.do("rename", seat=1, name="Gerda")
    window.wait_until("the name", lambda: state_of(quick)["names"]["1"] == "Gerda")
    # One seat a tab: no other one is offered here, and this one is not offered elsewhere.
    assert window.find("[data-take]").count() == 0
    other.find("[data-holder='1'] [data-give]").wait_for()
    assert other.find("[data-take]").count() == 2
    assert other.find("#hand").count() == 0
    other.page.goto("about:blank")
    set_speed(quick, FAST)
    window.wait_until("the turn of the person", lambda: state_of(quick)["bots"]["waits"])
    window.find("#hand [data-card]").first.wait_for()
    cards = window.page.evaluate(_READ)["hand"]
    problems = violations(window) + small_targets(window)
    assert not problems, "\n".join(problems)
    assert_fits(window)
    window.page.reload()
    window.find("#hand [data-card]").first.wait_for()
    assert window.page.evaluate(_READ)["hand"] == cards, "the tab keeps its key"
    window.tap("#hand [data-give='1']")
    window.find("#hand").wait_for(state="detached")
    players = {"1": "sensible", "2": "bold", "3": "careful"}
    window.wait_until("all of them", lambda: state_of(quick)["bots"]["players"] == players)
    window.find("[data-take='1']").wait_for()
    window.wait_until("the bot's name", lambda: state_of(quick)["names"]["1"] == bot)
    # What another tab gives back is dropped here without a word, even if it was just asked for.
    window.watch.expect_refusals(409)
    take(window, 2)
    other.open()
    other.tap("[data-give='2']")
    window.find("#hand").wait_for(state="detached")
    assert window.page.evaluate("sessionStorage.getItem('seat')") is None
    assert window.seen()["toast"] is None
