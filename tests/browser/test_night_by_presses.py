"""A night played by nothing but the buttons of the simulated board, compared at every step."""

from __future__ import annotations

from itertools import cycle
from typing import Any, Final

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, LOOPBACK, Daemon
from tests.browser.night import Night
from tests.browser.reference import Reference, check_the_sheet
from tests.browser.window import KEYS, Window

# One of every phase, and one with something to redo. What is pending does not outlive the daemon.
POWER_CUTS: Final = frozenset((
    "the claim is taken back", "a raise", "a showdown", "seat 2 is out of cards", "settled",
    "the end",
))  # fmt: skip
TYPED_ON_MS: Final = 2_200
"""So long after a field was left, keys are not buttons."""
CHANGES: Final = frozenset(("a raise", "settled"))
"""The power cuts after which the other window continues."""


def test_state_ledger_page_and_lights_agree_at_every_step(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    """A computer and a phone take turns."""
    kinds = cycle([("desktop", LOOPBACK), ("phone", LAN_NAME)])

    def opened() -> Window:
        kind, host = next(kinds)
        window = open_window(daemon, kind, host=host)
        window.wait_until_live()
        assert window.page.evaluate("isSecureContext") == (host == LOOPBACK)
        return window

    book = Reference()
    night = Night(opened(), book)
    night.window.watch.expect_outages()
    met = set()
    last = "the beginning"
    for done in night.whole():
        try:
            book.agree(night.window)
            if done in POWER_CUTS:
                met.add(done)
                with night.window.reconnecting():
                    daemon.kill()
                    daemon.start()
                book.pending = None
                book.agree(night.window)
            if done in CHANGES:
                night.window.page.close()
                night.window = opened()
                book.agree(night.window)
        except AssertionError as error:
            raise AssertionError(f"after {last!r}, then {done!r}: {error}") from None
        last = done
    assert met == POWER_CUTS
    check_the_sheet(daemon, 1)


def test_lots_are_drawn_on_the_board(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon, "phone", host=LAN_NAME)
    window.wait_until_live()
    for place in (1, 3, 6):
        window.press(f"seat{place}")
    window.press("pinke")

    def lobby_now() -> Any:
        return daemon.get("/api/state")["pending"]["lobby"]

    # The first of the places deals before the lot is drawn: the page has to say what holds now.
    def words() -> str:
        return window.find("#legend").text_content() or ""

    window.wait_until(
        "the word of the lot", lambda: f"Place {lobby_now()['dealer']} deals first" in words()
    )
    lobby = lobby_now()
    assert lobby["places"] == [1, 3, 6]
    assert f"Place {lobby['dealer']} deals first" in words()
    assert window.seen()["dealers"] == [lobby["dealer"]]
    window.press("next")
    window.press("next")
    book = Reference()
    players = ["Place 1", "Place 3", "Place 6"]
    first = (1, 3, 6).index(lobby["dealer"]) + 1
    book.do("start", ruleset="family", players=players, places=[1, 3, 6], dealer=first)
    book.agree(window)


def test_a_click_from_a_screen_reader_is_a_press(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon)
    window.wait_until_live()
    window.press("seat3", "click")
    window.wait_until("place 3 is in", lambda: "3" in window.seen()["plaques"])


def test_keys_of_what_is_typed_press_nothing(daemon: Daemon, open_window: OpenWindow) -> None:
    window = open_window(daemon)
    window.wait_until_live()
    names = window.page.locator('[name="player"]')
    names.first.press_sequentially("Anna 12 up next")
    window.page.keyboard.press(KEYS["seat8"])  # the focus is still in the text field
    assert names.first.input_value() == "Anna 12 up next8"
    names.first.evaluate("field => field.blur()")
    window.page.keyboard.press("u")  # somebody types on
    window.page.wait_for_timeout(TYPED_ON_MS)
    window.press("seat8", "key")
    window.wait_until("place 8 is in", lambda: "8" in window.seen()["plaques"])
    assert set(window.seen()["plaques"]) == {"1", "8"}


def test_a_button_held_in_a_window_that_closes_is_released_without_effect(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon)
    other = open_window(daemon)
    window.wait_until_live()
    other.wait_until_live()
    # `next` means something short and something long: it acts when it goes up.
    window.page.evaluate("localStorage.setItem('board-keys', 'on')")
    with window.edge("next", down=True):
        window.page.keyboard.down("n")
    window.page.close()

    def is_dealt() -> bool:
        # A press while the closed window still holds the button has no effect.
        if daemon.get("/api/state")["phase"] == "idle":
            other.press("next")
        return bool(other.seen()["phase"] == "meld")

    other.wait_until("the deal", is_dealt)
    assert daemon.get("/api/state")["entry"] == 2


def test_the_click_of_a_busy_page_is_not_a_second_press(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon)
    window.wait_until_live()
    window.page.evaluate("""() => {
      const stall = () => { for (const end = Date.now() + 700; Date.now() < end;); };
      addEventListener("click", stall, { capture: true });
    }""")
    for place in (2, 5):
        window.press(f"seat{place}")
    window.wait_until("both places are in", lambda: len(window.seen()["plaques"]) == 2)
    window.page.wait_for_timeout(300)  # the second press would be over
    assert set(window.seen()["plaques"]) == {"2", "5"}
    sent: list[Any] = [
        request.post_data_json for request in window.watch.requests if "/board/edge" in request.url
    ]
    downs = [edge["button"] for edge in sent if edge["down"] and not edge.get("repeat")]
    assert downs == ["seat2", "seat5"]
