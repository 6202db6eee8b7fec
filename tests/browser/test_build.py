"""Somebody builds a board, with a phone beside the workbench."""

from __future__ import annotations

from tests.browser.conftest import OpenWindow
from tests.browser.daemons import Daemon
from tests.browser.test_accessibility import violations
from tests.browser.test_page import assert_fits, small_targets
from tests.browser.window import Window


def assert_can_be_used(window: Window) -> None:
    assert not violations(window)
    assert not small_targets(window)
    assert_fits(window)


def mark(window: Window, part: str) -> str:
    """How a part is drawn."""
    classes = window.find(f"[data-part='{part}']").get_attribute("class") or ""
    return " ".join(classes.split()[1:])


def test_the_board_asks_one_thing_after_the_other_and_names_the_fault(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    window = open_window(daemon, "phone", viewport={"width": 360, "height": 640})
    window.wait_until_live()
    window.open("/build")
    window.find("[data-begin]").wait_for()
    assert_can_be_used(window)
    window.tap("[data-begin]")
    window.find("[data-ask=rest]").wait_for()
    # After three seconds in which nothing has moved, it asks for the buttons.
    buttons = list(daemon.get("/api/board/face")["buttons"])
    for button in (*buttons[:9], *sorted(b for b in buttons if b.startswith("seat")), *buttons[9:]):
        if mark(window, f"button {button}") == "right":
            continue
        window.find(f"[data-ask='press {button}']").wait_for()
        assert mark(window, f"button {button}") == "now"
        if button == "jack":
            window.tap("[data-said=silent]")
        else:
            daemon.ask("POST", "/api/board/press", {"button": button, "ms": 1})
    fault = window.find("[data-fault]")
    fault.wait_for()
    assert fault.inner_text() == "Jack is not heard, and all others are."
    assert (mark(window, "button ace"), mark(window, "button jack")) == ("right", "wrong")
    assert_can_be_used(window)
    # It is kept: this phone, or another one, goes on later, and leaves the buttons for then.
    window.tap("[data-again=contacts]")
    window.find("[data-ask=rest]").wait_for()
    window.tap("[data-said=absent]")
    window.tap("[data-ask=red] ~ * [data-said=red]")
    window.tap("[data-ask=green] ~ * [data-said=green]")
    window.find("[data-ask='ring ace']").wait_for()
    assert_can_be_used(window)
    assert mark(window, "light ace") == "now"
    # The king's ring lights instead, which is tapped in the picture, and the other way round.
    window.find("[data-part='light king']").click(force=True)
    window.find("[data-ask='ring king']").wait_for()
    window.tap("[data-said=ace]")
    for pool in ("queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"):
        window.tap(f"[data-ask='ring {pool}'] ~ * [data-said=yes]")
    fault.wait_for()
    assert fault.inner_text() == "The rings of Ace and King are swapped in the chain."
    assert mark(window, "light king") == "wrong"
    # Whoever leaves the page leaves the board to the table.
    window.tap("header nav a")
    window.wait_until("it is over", lambda: daemon.get("/api/state")["board"]["test"] is None)
    assert daemon.get("/api/state")["pending"] is None
