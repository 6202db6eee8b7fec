"""Bots on the page: their cards agree with the board, and a person plays among them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pytest
from playwright.sync_api import TimeoutError as TooLate

from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, TIMES, Daemon
from tests.browser.test_accessibility import ELSEWHERE, violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window
from tests.count_reader import read_counts

LOOK: Final = LightsConfig()
SHORT: Final = f"{TIMES}long_s = 0.3\nboth_s = 0.5\nnext_long_s = 1\n"
# So slow that everything comes to rest between two cards, even on a busy machine.
SLOW: Final = 0.1
MODERATE: Final = 2.5
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
    playable: all("#hand [data-lay]").map((card) => card.dataset.lay),
  };
}"""

# For each card of spades without a face: its width, and where its signs are, but those in corners.


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
    post(daemon, "/api/demo", {"players": 3, "seed": "1441", **options}, 201)


def watch(*windows: Window) -> None:
    """Phones that have not asked for the computer players follow them all the same."""
    for window in windows:
        window.tap("#elsewhere [data-watch]")


def set_speed(daemon: Daemon, speed: float) -> None:
    post(daemon, "/api/demo/speed", {"speed": speed}, 204)


def differences(window: Window) -> list[str]:
    """Where cards, chips, ledger and lights of the page differ from the daemon's answers."""
    daemon = window.daemon
    before = state_of(daemon)
    cards, seen = window.page.evaluate(_READ), window.seen()
    state, pixels = state_of(daemon), daemon.get("/api/board")["pixels"]
    if before["revision"] != state["revision"]:
        return ["the cards are moving"]
    demo = state["demo"]
    ledger = daemon.get(f"/api/nights/{state['night']}/entries?after={state['entry'] - 1}")
    counts = tuple(min(state["pools"].get(pool, 0), LOOK.max_chips) for pool in POOLS)
    settled = state["phase"] == "idle"
    due: dict[str, Any] = {
        "turned": demo["turned"],
        "run": demo["run"],
        "count": None if demo["count"] is None or not demo["run"] else str(demo["count"]),
        "took": [play["seat"] for play in demo["run"] if play["seat"] == demo["taker"]],
        "holders": {
            seat: {
                # After the deal all remaining cards lie open.
                "backs": 0 if settled else demo["held"].get(seat, 0),
                "shown": demo["shown"].get(seat, []),
                "held": demo["held"].get(seat, 0),
            }
            for seat in demo["players"]
        },
    }
    told = {key: cards[key] for key in due}
    due |= {
        "phase": state["phase"],
        "pools": {pool: str(state["pools"].get(pool, "")) for pool in POOLS},
        "stacks": {seat: str(chips) for seat, chips in state["stacks"].items()},
        "plaques": {str(state["places"][seat]): str(n) for seat, n in state["stacks"].items()},
        "entry": [[state["entry"], ledger[-1]["sentence"]]],
        "lights": counts,
        "pixels": pixels,
    }
    told |= {
        "phase": seen["phase"],
        "pools": seen["pools"],
        "stacks": {seat: one["stack"] for seat, one in seen["seats"].items()},
        "plaques": {place: chips for place, (_, chips) in seen["plaques"].items()},
        "entry": seen["entries"][:1],
        "lights": read_counts(_frame(pixels), LOOK),
        "pixels": seen["pixels"],
    }
    return [f"{key}: {told[key]!r}, not {due[key]!r}" for key in due if told[key] != due[key]]


def _frame(pixels: list[str]) -> bytes:
    return b"".join(bytes.fromhex(colour[1:]) for colour in pixels)


def slow_down_when(window: Window, said: str, holds: Callable[[dict[str, Any]], object]) -> None:
    """Lets the bots play fast until something is so, and then slowly; returns when all agrees.

    What comes once in a deal may be over before it is seen here. Then the next deals are watched,
    in which the bots play more slowly.
    """
    daemon, speed = window.daemon, float(FAST)
    while True:
        set_speed(daemon, speed)
        first = max(1, state_of(daemon)["deal"])

        def is_so_or_missed(first: int = first) -> bool:
            now = state_of(daemon)
            return bool(holds(now)) or now["deal"] > first

        window.wait_until(said, is_so_or_missed)
        set_speed(daemon, SLOW)
        window.wait_until_equal(lambda: differences(window))
        if holds(state_of(daemon)):
            return
        speed = max(speed / 2, MODERATE)


def test_an_empty_table_offers_bots_after_the_form_for_people(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    watching = open_window(daemon, "phone", host=LAN_NAME, **ELSEWHERE)
    window.find("#watch:enabled").wait_for()
    assert window.find("#start ~ .house-offer #watch").count() == 1
    watching.find("#pairing").wait_for()
    assert watching.find("#watch").count() == 0
    window.tap("#watch")
    window.find("#cards").wait_for()
    window.find("#watch").wait_for(state="detached")
    state = state_of(daemon)
    assert (state["ruleset"]["name"], len(state["live"])) == ("family", 4)
    # A client that may not press is not asked to, and sees the cards.
    watching.find("#cards [data-holder]").nth(3).wait_for()
    assert watching.find("[data-take], [data-dismiss], [data-speed]").count() == 0
    window.tap("[data-speed='5']")
    window.wait_until("the speed", lambda: state_of(daemon)["demo"]["speed"] == 5)
    window.tap("[data-dismiss]")
    window.find("#cards").wait_for(state="hidden")
    after = state_of(daemon)
    assert (after["demo"], after["night"], after["live"]) == (None, state["night"], state["live"])
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
    state = {**state_of(other), "demo": state_of(daemon)["demo"]}
    run = [{"seat": 1, "card": "7S"}]
    state["demo"] |= {"stuck": "The link to the board is down.", "turned": None, "run": run}
    stuck = open_told(open_window, daemon, {**state, "bots_settle": False})
    stuck.find("#stuck", has_text="The link to the board is down.").wait_for()
    # Then people see to what the bots would.
    stuck.find("#controls [data-command=turn]").first.wait_for()
    assert stuck.find("#turned .back-side [viewBox='0 0 50 70']").is_visible()
    # Nothing is counted in this ruleset.
    assert stuck.find("#run").is_visible()
    assert stuck.find("#count").count() == 0
    state["demo"]["stuck"] = None
    well = open_told(open_window, daemon, {**state, "bots_settle": True})
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
    assert state_of(daemon)["demo"] is None
    end_whatever_is_played(daemon)
    # Those that it asks for itself it follows, and it is asked again for the next ones.
    window.tap("#watch:enabled")
    window.find("#cards [data-holder]").first.wait_for()
    assert not asked.count()
    status, _ = daemon.ask("DELETE", "/api/demo")
    assert status == 204
    end_whatever_is_played(daemon)
    invite(daemon)
    asked.wait_for()


def test_cards_board_and_ledger_agree_while_the_house_plays(
    quick: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(quick, "desktop", host=LAN_NAME)
    window.wait_until_live()
    invite(quick, ruleset="thirty-one", options={"deals": "open"})
    watch(window)
    window.find("#cards").wait_for()
    looks = []
    for said, holds in {
        "a claim": lambda now: now["phase"] == "meld" and now["demo"]["shown"],
        "a run": lambda now: len(now["demo"]["run"]) >= 2,
        "the end of a deal": lambda now: now["phase"] == "idle" and now["deal"] >= 1,
    }.items():
        slow_down_when(window, said, holds)
        if said == "a claim":
            # The cards follow the entry of a claim in a separate state.
            window.wait_until("the cards of each claim", lambda: _claims_are_shown(quick))
        elif said == "a run":
            looks += violations(window)
        assert_fits(window)
    assert not looks, "\n".join(looks)


def _claims_are_shown(daemon: Daemon) -> bool:
    """Whether all see the trumps that pay for each pool claimed in this deal (RULES.md 4)."""
    state = state_of(daemon)
    suit = state["demo"]["turned"][1]
    ranks = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T", "marriage": "KQ"}
    claims: list[dict[str, Any]] = []
    for entry in daemon.get("/api/nights/1/entries"):
        command = entry["command"]
        if entry["number"] > state["entry"]:
            break
        if command["do"] == "deal":
            claims.clear()
        elif command["do"] == "claim" and command["pool"] in ranks:
            claims.append(command)
    assert claims
    shown = state["demo"]["shown"]
    return all(
        {rank + suit for rank in ranks[claim["pool"]]} <= set(shown.get(str(claim["seat"]), ()))
        for claim in claims
    )


def take(window: Window, seat: int) -> None:
    """Takes a bot's seat; returns once the page has the key of its cards."""
    window.tap(f"[data-take='{seat}']")
    window.find("#hand").wait_for()


class Person:
    """A person who plays a seat from a window, and does what is expected there."""

    def __init__(self, window: Window, seat: int) -> None:
        self._window = window
        self._seat = seat
        self.done: set[str] = set()

    @property
    def hand(self) -> dict[str, Any]:
        """The daemon's answer about this seat's cards."""
        key = self._window.page.evaluate("JSON.parse(sessionStorage.getItem('seat')).key")
        status, hand = self._window.daemon.ask("GET", "/api/demo/hand", None, {"X-Seat-Key": key})
        assert status == 200
        assert isinstance(hand, dict)
        return hand

    def play(self, enough: set[str]) -> None:
        """Does what is awaited until all of this has been done."""
        while not enough <= self.done:
            self._window.wait_until("the turn of the person", self._awaited)
            state = state_of(self._window.daemon)
            what = state["demo"]["waits"]["what"]
            self._window.wait_until_equal(self._unlike)
            {"meld": self._meld, "bet": self._bet, "lay": self._lay}[what](state)

    def _awaited(self) -> bool:
        state = state_of(self._window.daemon)
        waits = state["demo"]["waits"]
        if not waits or waits["seat"] != self._seat:
            return False
        # The last expected action may still be shown for a moment.
        return bool(waits["what"] != "bet" or state["to_act"] == self._seat)

    def _unlike(self) -> list[str]:
        seen, hand = self._window.page.evaluate(_READ), self.hand
        due = {"hand": hand["cards"], "playable": hand["playable"]}
        return [f"{key}: {seen[key]}, not {due[key]}" for key in due if seen[key] != due[key]]

    def _says(self, words: str) -> None:
        self._window.find("#awaited", has_text=words).wait_for()

    def _meld(self, state: dict[str, Any]) -> None:
        hand = self.hand
        if due := hand["due"]:
            # Pools are due for cards in the hand (RULES.md 4).
            if "ace" in due:
                assert f"A{state['trump']}" in hand["cards"]
            self._says(f"Claim what you hold: {due[0].capitalize()}")
            claim = self._tap(f"#hand [data-action=claim][data-pool={due[0]}]", "claim")
            assert (claim["seat"], claim["pool"]) == (self._seat, due[0])
        else:
            self._says("Press next")
            self._tap("#hand [data-action=next]", "next")

    def _bet(self, state: dict[str, Any]) -> None:
        self._says("Your turn: ")
        # Once is enough to have been in it; the others need not be seen through.
        action = "pass" if "stake" in self.done else "stake"
        bet = self._tap(f"#hand [data-action={action}]", action)
        assert bet["seat"] == self._seat
        if action == "stake":
            assert bet["chips"] == min(max(state["need"], 1), state["stacks"][str(self._seat)])

    def _lay(self, state: dict[str, Any]) -> None:
        self._says("Your turn: play a card.")
        hand = self.hand
        # The question in the bar is the hand itself, and nobody is asked what the cards say.
        assert self._window.find("#bar #hand [data-lay]").count() == len(hand["playable"])
        assert self._window.find("#controls [data-command=out]").count() == 0
        card = hand["playable"][-1]
        self._window.tap(f"#hand [data-lay='{card}']")
        self._window.wait_until(f"{card} out of the hand", lambda: card not in self.hand["cards"])

        def is_on_the_table() -> bool:
            after = state_of(self._window.daemon)
            if after["deal"] != state["deal"] or after["phase"] != "shed":
                return True  # the deal has gone on
            run = [play["card"] for play in after["demo"]["run"]]
            return card in run + after["demo"]["laid"]

        self._window.wait_until(f"{card} on the table", is_on_the_table)
        self.done.add("lay")

    def _tap(self, selector: str, command: str) -> dict[str, Any]:
        """Taps a control that sends a command, and returns the command as it was recorded."""
        before = state_of(self._window.daemon)["entry"]
        # The bots may change the table just before the tap. Then nothing is recorded.
        self._window.watch.expect_refusals(409)
        tapped_s = float("-inf")

        def is_recorded() -> bool:
            nonlocal tapped_s
            if any(entry["do"] == command for entry in self._entries(before)):
                return True
            if time.monotonic() > tapped_s + 2:
                tapped_s = time.monotonic()
                # A late recording removes its control, and then nothing is left to tap.
                with suppress(TooLate):
                    self._window.find(selector).tap(timeout=2_000)
            return False

        self._window.wait_until(f"{command} in the ledger", is_recorded)
        entries = [entry for entry in self._entries(before) if entry["do"] == command]
        self.done.add(command)
        return entries[0]

    def _entries(self, after: int) -> list[dict[str, Any]]:
        path = f"/api/nights/1/entries?after={after}"
        return [entry["command"] for entry in self._window.daemon.get(path)]


def test_a_taken_hand_is_played_from_the_bar_and_no_phone_can_deny_its_cards(
    quick: Daemon, open_window: OpenWindow
) -> None:
    phones = [open_window(quick, "phone", host=LAN_NAME) for _ in range(2)]
    mine = phones[0]
    invite(quick, ruleset="modern", speed=FAST, seed="b")
    watch(*phones)
    take(mine, 1)
    person = Person(mine, 1)
    person.play({"lay"})
    mine.wait_until("the next card", person._awaited)
    if state_of(quick)["demo"]["waits"]["what"] == "lay":
        mine.wait_until_equal(person._unlike)
        assert_fits(mine)
        for window in phones:
            assert window.find("#controls [data-command=out]").count() == 0
        status, refusal = quick.ask("POST", "/api/commands", {"do": "out", "seat": 1})
        held = len(person.hand["cards"])
        assert (status, refusal["code"]) == (409, "known-cards")
        assert f"still holds {held} card" in refusal["message"]


def test_a_person_takes_a_seat_and_gives_it_back(quick: Daemon, open_window: OpenWindow) -> None:
    window = open_window(quick, "phone", host=LAN_NAME)
    other = open_window(quick, host=LAN_NAME)
    other.wait_until_live()
    # With this seed, the person can do everything within a few deals.
    invite(quick, ruleset="modern", speed=1, seed="b")
    watch(window, other)
    take(window, 1)
    window.wait_until("whose seat", lambda: state_of(quick)["demo"]["players"]["1"] == "person")
    bot = state_of(quick)["names"]["1"]
    window.find("[data-form=own-name] [name=name]").fill("Gerda")
    window.tap("[data-form=own-name] button")
    window.wait_until("the name", lambda: state_of(quick)["names"]["1"] == "Gerda")
    window.find("#me", has_text="Gerda").wait_for(state="attached")
    # One seat a tab: no other one is offered here, and this one is not offered elsewhere.
    assert window.find("[data-take]").count() == 0
    other.find("[data-holder='1'] [data-give]").wait_for()
    assert other.find("[data-take]").count() == 2
    assert other.find("#hand").count() == 0
    other.page.goto("about:blank")
    set_speed(quick, FAST)
    person = Person(window, 1)
    person.play({"claim", "next", "stake", "lay"})
    window.wait_until("a turn once more", lambda: state_of(quick)["demo"]["waits"])
    problems = violations(window) + small_targets(window)
    assert not problems, "\n".join(problems)
    assert_fits(window)
    window.page.reload()
    window.wait_until_equal(person._unlike)
    assert person.hand["cards"]
    window.tap("#hand [data-give='1']")
    window.find("#hand").wait_for(state="detached")
    players = {"1": "sensible", "2": "bold", "3": "careful"}
    window.wait_until("all of them", lambda: state_of(quick)["demo"]["players"] == players)
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
