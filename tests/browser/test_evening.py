"""A short night from two phones and the board at once, with the taps counted."""

from __future__ import annotations

from typing import Final

from pochboard.rules.commands import Start
from tests.browser.conftest import OpenWindow
from tests.browser.daemons import LAN_NAME, Daemon
from tests.browser.evening import Evening
from tests.browser.reference import check_the_sheet

SMALLEST: Final = {"viewport": {"width": 360, "height": 640}}
NIGHT: Final = Start(
    ruleset="thirty-one",
    players=("Anna", "Ben", "Clara", "Dörte"),
    places=(1, 3, 4, 7),
    dealer=2,
)


def test_a_night_from_two_phones_and_the_board_agrees_at_every_step(
    daemon: Daemon, open_window: OpenWindow
) -> None:
    small = open_window(daemon, "phone", host=LAN_NAME, **SMALLEST, color_scheme="dark")
    german = open_window(daemon, "phone", host=LAN_NAME, locale="de-DE")
    german.language = "de"
    for window in (small, german):
        window.wait_until_live()
        window.watch.expect_refusals(409)
    evening = Evening((small, german), daemon, "a night for the suite", board=True)
    evening.play(NIGHT, deals=2)
    check_the_sheet(daemon, evening.book.night)
    # The seed is chosen so that everything occurs.
    assert min(evening.by.values()) > 0, evening.by
    assert set(evening.by) == {"phone", "board", "two phones at once"}
    assert {"claim", "stake", "pass"} <= {name for name, _ in evening.taps}
