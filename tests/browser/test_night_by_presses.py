"""A night played by nothing but the buttons of the simulated board, compared at every step."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.reference import Reference

# One of every phase, and one with something to redo. What is pending does not outlive the daemon.


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


def test_a_button_held_in_a_window_that_closes_is_released_without_effect(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    daemon.do("start", ruleset="modern", players=["Anna", "Ben", "Clara"])
    window = open_window(daemon)
    other = open_window(daemon)
    window.wait_until_live()
    other.wait_until_live()
    # `next` means something short and something long: it acts when it goes up.
    window.find("button[data-button=next]").focus()
    with window.edge("next", down=True):
        window.page.keyboard.down("Space")
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
